/** What is run for each experiment set: cases with a device, a program and what it must ask for. Pure. */
import {
  POWERS_OF_TWO_4K_8M,
  processLabel,
  type SetId,
  sizeLabel,
} from "../../analyze/study/metric/index.ts";

export const DEVICE_CHOICES = ["auto", "delay", "real"] as const;
export type DeviceChoice = (typeof DEVICE_CHOICES)[number];

/** A device that the recorder imitates: a call takes at least latency + bytes / rate, and this many are served at once. */
export interface Delay {
  readonly latencyMicroseconds: number;
  readonly bytesPerSecond: number;
  /** 0: each process has a device of its own. */
  readonly servers: number;
}

type Source =
  /** Data in the page cache, with the delay of an imitated device. */
  | { readonly kind: "delay"; readonly delay: Delay }
  /** The disk below the data folder, past the page cache. */
  | { readonly kind: "direct" }
  /** The disk, through a page cache that was emptied of the file. */
  | { readonly kind: "cold" }
  /** The page cache. */
  | { readonly kind: "warm" }
  /** A file in memory. */
  | { readonly kind: "memory" };

export type Work =
  | {
      readonly kind: "read";
      readonly bytes: number;
      readonly record: number;
      readonly processes: number;
      /** Each process has a file, or all have one. */
      readonly own: boolean;
    }
  | {
      readonly kind: "sieve";
      readonly regions: number;
      readonly size: number;
      readonly spacing: number;
      readonly calls: number;
      readonly passes: number;
    };

export interface PlannedCase {
  readonly set: SetId;
  readonly label: string;
  readonly x: number;
  /** The source in words. */
  readonly device: string;
  readonly source: Source;
  readonly work: Work;
}

export interface PlanOptions {
  readonly sets: readonly SetId[];
  readonly quick: boolean;
  /** Bytes that each run asks for; sized by set when not given. */
  readonly size?: number | undefined;
  readonly device: DeviceChoice;
}

/** What was found out about this machine before planning. */
export interface Machine {
  /** The data folder takes O_DIRECT. */
  readonly direct: boolean;
  /** A folder in memory other than the data folder. */
  readonly memory: boolean;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** Of ROMIO: `ind_rd_buffer_size`. */
export const SIEVE_BUFFER = 4 * MIB;
const SIEVE_CALLS = 4;

/** The latency and bandwidth that the paper's HDD and SSD show at the points it prints (see analyze/study/metric/simulate.ts). */
const HDD: Delay = { latencyMicroseconds: 115, bytesPerSecond: 52.4e6, servers: 1 };
const SSD: Delay = { latencyMicroseconds: 118, bytesPerSecond: 189e6, servers: 1 };
/** A file server: a request over a network, and a disk. */
const SERVER: Delay = { latencyMicroseconds: 400, bytesPerSecond: 40e6, servers: 1 };

export function planCases(options: PlanOptions, machine: Machine): PlannedCase[] {
  return options.sets.flatMap((set) => PLANS[set](options, machine).map((one) => ({ set, ...one })));
}

type Draft = Omit<PlannedCase, "set">;
type Place = Pick<Draft, "device" | "source">;

/**
 * Bytes of a run: as asked for, in whole pieces that O_DIRECT takes, or so that a run takes 0.2 s and more. An imitated
 * device is slower than a real one, so it needs less; a quick study reads an eighth.
 */
function bytesFor({ size, quick }: PlanOptions, { source }: Place, imitated: number, real: number): number {
  if (size !== undefined) return Math.ceil(size / (64 * KIB)) * 64 * KIB;
  return (source.kind === "delay" ? imitated : real) / (quick ? 8 : 1);
}

function delayText({ latencyMicroseconds, bytesPerSecond, servers }: Delay): string {
  const count = servers > 1 ? `${servers} servers, each ` : "";
  return `delay: ${count}${latencyMicroseconds} µs + ${Number((bytesPerSecond / 1e6).toPrecision(3))} MB/s`;
}

function delayed(delay: Delay): Place {
  return { device: delayText(delay), source: { kind: "delay", delay } };
}

const DISK: Place = { device: "local disk, O_DIRECT", source: { kind: "direct" } };
const COLD: Place = { device: "local disk, cold cache", source: { kind: "cold" } };
const WARM: Place = { device: "page cache", source: { kind: "warm" } };

/** The disk past the cache, or where that is not possible through an emptied one. */
const diskOf = ({ direct }: Machine) => (direct ? DISK : COLD);

const PLANS: Readonly<Record<SetId, (options: PlanOptions, machine: Machine) => Draft[]>> = {
  "1": devices,
  "2a": (options) => recordSizes(options, options.device === "real" ? COLD : delayed(HDD), 24 * MIB),
  "2b": (options, machine) =>
    recordSizes(options, options.device === "delay" ? delayed(SSD) : diskOf(machine), 64 * MIB),
  "3a": (options, machine) => {
    const place = options.device === "real" ? diskOf(machine) : delayed({ ...SERVER, servers: 0 });
    return processes(options, options.quick ? [1, 2, 4, 8] : [1, 2, 3, 4, 5, 6, 7, 8], place, true);
  },
  "3b": (options, machine) => {
    const place = options.device === "delay" ? delayed({ ...SERVER, servers: 8 }) : diskOf(machine);
    return processes(
      options,
      options.quick ? [1, 2, 4, 8, 16] : [1, 2, 3, 4, 6, 8, 12, 16, 24, 32],
      place,
      false,
    );
  },
  "4": (options) =>
    sieving(options, {
      ...{ regions: 64 * KIB, size: 256, passes: options.quick ? 24 : 64 },
      spacings: options.quick ? [8, 64, 512, 4096] : [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096],
    }),
  "4b": (options) =>
    sieving(options, {
      ...{ regions: 1024 * KIB, size: 32, passes: options.quick ? 3 : 12 },
      spacings: options.quick ? [8, 32, 128, 256] : [8, 16, 32, 64, 128, 256],
    }),
};

function devices(options: PlanOptions, machine: Machine): Draft[] {
  const imitated: [string, Delay][] = [
    ["HDD-like", HDD],
    ["SSD-like", SSD],
    ...[1, 2, 4, 8].map((count): [string, Delay] => [
      `${count} server${count === 1 ? "" : "s"}`,
      { ...SERVER, bytesPerSecond: count * SERVER.bytesPerSecond },
    ]),
  ];
  const real: [string, Place][] = [["disk, cold cache", COLD]];
  if (machine.direct) real.unshift(["disk, O_DIRECT", DISK]);
  if (machine.memory) real.push(["tmpfs", { device: "file in memory", source: { kind: "memory" } }]);
  const all: [string, Place][] = [
    ...(options.device === "real"
      ? []
      : imitated.map(([label, one]): [string, Place] => [label, delayed(one)])),
    ...(options.device === "delay" ? [] : real),
  ];
  // All read the same amount, so the slowest device decides how much.
  const bytes = bytesFor(options, (all[0] as [string, Place])[1], 128 * MIB, 512 * MIB);
  return all.map(([label, place], x) => ({
    ...{ label, x, ...place },
    work: { kind: "read", bytes, record: 256 * KIB, processes: 1, own: false },
  }));
}

function recordSizes(options: PlanOptions, place: Place, imitated: number): Draft[] {
  const records = options.quick ? POWERS_OF_TWO_4K_8M.filter((_, i) => i % 2 === 0) : POWERS_OF_TWO_4K_8M;
  const bytes = bytesFor(options, place, imitated, 256 * MIB);
  return records.map((record) => ({
    ...{ label: sizeLabel(record), x: record, ...place },
    work: { kind: "read", bytes, record, processes: 1, own: false },
  }));
}

function processes(options: PlanOptions, counts: readonly number[], place: Place, own: boolean): Draft[] {
  const bytes = bytesFor(options, place, 48 * MIB, 512 * MIB);
  return counts.map((count) => ({
    ...{ label: processLabel(count), x: count, ...place },
    work: { kind: "read", bytes, record: 64 * KIB, processes: count, own },
  }));
}

function sieving(
  { size: asked, device }: PlanOptions,
  {
    regions,
    size,
    passes,
    spacings,
  }: { regions: number; size: number; passes: number; spacings: readonly number[] },
): Draft[] {
  const times = asked === undefined ? passes : Math.max(1, Math.round(asked / (regions * size)));
  return spacings.map((spacing) => ({
    ...{ label: sizeLabel(spacing), x: spacing, ...(device === "real" ? COLD : WARM) },
    work: { kind: "sieve", regions, size, spacing, calls: SIEVE_CALLS, passes: times },
  }));
}

/** What the recorder must find: accesses of the application and the bytes that they ask for. */
export function expectedOf(work: Work): { readonly accesses: number; readonly bytes: number } {
  if (work.kind === "sieve")
    return { accesses: work.calls * work.passes, bytes: work.regions * work.size * work.passes };
  return { accesses: Math.ceil(work.bytes / work.record), bytes: work.bytes };
}

/** Bytes of the file that a case reads; of the file of process `p` where each has its own. */
export function fileBytes(work: Work, process = 0): number {
  if (work.kind === "sieve") return work.regions * (work.size + work.spacing);
  if (!work.own) return work.bytes;
  const records = Math.ceil(work.bytes / work.record);
  const from = Math.floor((records * process) / work.processes);
  return (Math.floor((records * (process + 1)) / work.processes) - from) * work.record;
}

/** A sentence for the report: what was run for a set. */
export function workloadText(cases: readonly PlannedCase[], sieving: string): string {
  const [first] = cases as [PlannedCase];
  const { work } = first;
  const where = [...new Set(cases.map(({ device }) => device))];
  const on = where.length === 1 ? where[0] : `${where.length} devices`;
  if (work.kind === "sieve")
    return `${work.regions} regions of ${work.size} B, ${work.passes} times over, ${sieving}, from the ${on}`;
  const data = sizeLabel(work.bytes);
  if (first.set === "1")
    return `one process reads ${data} in sequence, ${sizeLabel(work.record)} at a time, from ${on}`;
  if (first.set.startsWith("2")) return `one process reads ${data} in sequence (${on})`;
  return `${data} in all, ${sizeLabel(work.record)} at a time, ${work.own ? "one file per process" : "parts of one file"} (${on})`;
}
