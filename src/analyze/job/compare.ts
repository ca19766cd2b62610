/** Compares two jobs: what changed, by how much, and whether that is more than noise. */
import { formatBytes, formatShare } from "../../base/units.ts";
import type { Finding, Tables, Unit } from "../../model/index.ts";
import type { Job } from "./job.ts";
import { LAYER_ORDER, layerName, layerTimes } from "./layer-times.ts";
import { type LayerRecord, sumOf } from "./records.ts";
import { tracedMetrics } from "./traced-metrics.ts";
import type { Verdicts } from "./rule.ts";

export interface Side {
  readonly job: Job;
  readonly verdicts: Verdicts;
  readonly tables: Tables;
}

/** One number before and after. NaN: not recorded on that side. */
export interface Change {
  readonly id: string;
  readonly label: string;
  readonly unit: Unit;
  readonly before: number;
  readonly after: number;
  /** Times and rates vary from run to run; counts and bytes do not. */
  readonly measured: boolean;
}

interface FindingChange {
  readonly change: "appeared" | "gone" | "stayed";
  readonly finding: Finding;
  /** Of a finding that stayed: what it was before. */
  readonly before?: Finding;
}

/** Relative difference below which a measured value says nothing, by default. */
export const NOISE = 0.1;

export const isNoise = ({ before, after, measured }: Change, noise: number): boolean =>
  Object.is(before, after) ||
  (measured && Math.abs(after - before) <= noise * Math.max(Math.abs(before), Math.abs(after)));

/** How many times, to three digits. */
export const factor = (quotient: number) => Number(quotient.toPrecision(3)).toString();

/** Runs whose bytes differ by more than this did different work. */
const WORK_SHARE_MAX = 0.05;

/**
 * Whether two jobs moved the same data, so that their times can be compared: calls may differ, since making fewer of them
 * is how programs get faster. Jobs that move nothing are compared by their files.
 */
export function isSameWork(a: Job, b: Job): boolean {
  const bytes = ({ io }: Job) => [known(io.bytesRead), known(io.bytesWritten)];
  const [one, two] = [bytes(a), bytes(b)];
  const most = Math.max(total(one), total(two));
  if (most === 0)
    return (
      Math.abs(a.files.length - b.files.length) <= WORK_SHARE_MAX * Math.max(a.files.length, b.files.length)
    );
  const apart = one.map((value, way) => Math.abs(value - (two[way] as number)));
  return total(apart) <= WORK_SHARE_MAX * most;
}

const known = (value: number) => (Number.isNaN(value) ? 0 : value);
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** The main numbers of both. */
export function mainChanges(a: Job, b: Job): Change[] {
  const change = (
    id: string,
    label: string,
    unit: Unit,
    value: (job: Job) => number,
    measured: boolean,
  ): Change => ({
    id,
    label,
    unit,
    before: value(a),
    after: value(b),
    measured,
  });
  return [
    change("runSeconds", "Run time", "seconds", (job) => job.runSeconds, true),
    change("ranks", "Processes", "ranks", (job) => job.ranks, false),
    change("bytesRead", "Bytes read", "bytes", (job) => job.io.bytesRead, false),
    change("bytesWritten", "Bytes written", "bytes", (job) => job.io.bytesWritten, false),
    change("files", "Files", "files", (job) => job.files.length, false),
    change("ioShareAverage", "I/O share, average rank", "share", (job) => job.io.meanShare, true),
    change("ioShareSlowest", "I/O share, slowest rank", "share", (job) => job.io.slowestShare, true),
    change("ioSecondsAverage", "I/O time, average rank", "seconds", (job) => job.io.meanSeconds, true),
    change("ioSecondsSlowest", "I/O time, slowest rank", "seconds", (job) => job.io.slowestSeconds, true),
    change("readSeconds", "Read time, all ranks", "seconds", (job) => job.io.readSeconds, true),
    change("writeSeconds", "Write time, all ranks", "seconds", (job) => job.io.writeSeconds, true),
    change("metadataSeconds", "Metadata time, all ranks", "seconds", (job) => job.io.metaSeconds, true),
    change(
      "throughputBytesPerSecond",
      "Estimated throughput",
      "bytes/s",
      (job) => job.io.bytesPerSecond,
      true,
    ),
  ];
}

const COUNTS: readonly (readonly [name: string, value: (record: LayerRecord) => number, unit: Unit])[] = [
  ["opens", ({ opens }) => opens, "calls"],
  ["reads", ({ reads }) => reads, "calls"],
  ["writes", ({ writes }) => writes, "calls"],
  ["collective reads", ({ collectiveReads }) => collectiveReads, "calls"],
  ["collective writes", ({ collectiveWrites }) => collectiveWrites, "calls"],
  ["seeks", ({ seeks }) => seeks, "calls"],
  ["stats", ({ stats }) => stats, "calls"],
  ["syncs", ({ syncs }) => syncs, "calls"],
  ["bytes read", ({ bytesRead }) => bytesRead, "bytes"],
  ["bytes written", ({ bytesWritten }) => bytesWritten, "bytes"],
  ["not aligned", ({ fileNotAligned }) => fileNotAligned, "calls"],
];

/** Per layer: time of an average rank and of the slowest, calls and bytes. Layers that neither has are left out. */
export function layerChanges(a: Job, b: Job): Change[] {
  const times = [a, b].map((job) => new Map(layerTimes(job).map((one) => [one.layer, one])));
  return LAYER_ORDER.filter((layer) => a.layer(layer).length + b.layer(layer).length > 0).flatMap((layer) => {
    const seconds = (side: 0 | 1, part: "read" | "write" | "metadata" | "slowest") =>
      times[side]?.get(layer)?.[part] ?? Number.NaN;
    const timed = (["read", "write", "metadata", "slowest"] as const).map((part) => ({
      id: `${layer}.${part}Seconds`,
      label: `${layerName(layer)}: ${part === "slowest" ? "time, slowest rank" : `${part} time, average rank`}`,
      unit: "seconds" as const,
      before: seconds(0, part),
      after: seconds(1, part),
      measured: true,
    }));
    const counted = COUNTS.map(([name, value, unit]) => ({
      id: `${layer}.${name.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase())}`,
      label: `${layerName(layer)}: ${name}`,
      unit,
      before: sumOf(a.layer(layer), value),
      after: sumOf(b.layer(layer), value),
      measured: false,
    }));
    return [...timed, ...counted].filter(
      ({ before, after }) => !(Number.isNaN(before) && Number.isNaN(after)),
    );
  });
}

/** BPS and related metrics where both have traces. */
export function tracedChanges(a: Job, b: Job): Change[] {
  if (a.trace === undefined || b.trace === undefined) return [];
  const [one, two] = [tracedMetrics(a.trace), tracedMetrics(b.trace)];
  return one.layers.flatMap(({ layer, metrics }) => {
    const other = two.layers.find((candidate) => candidate.layer === layer)?.metrics;
    if (other === undefined) return [];
    const change = (
      id: string,
      label: string,
      unit: Unit,
      before: number | null,
      after: number | null,
    ): Change => ({
      id: `${layer}.${id}`,
      label: `${layer}: ${label}`,
      unit,
      before: before ?? Number.NaN,
      after: after ?? Number.NaN,
      measured: true,
    });
    return [
      change("ioTimeSeconds", "T", "seconds", metrics.ioTimeSeconds, other.ioTimeSeconds),
      change("bps", "BPS", "blocks/s", metrics.bps, other.bps),
      change("iops", "IOPS", "calls/s", metrics.iops, other.iops),
      change(
        "bandwidth",
        "bandwidth",
        "bytes/s",
        metrics.bandwidthBytesPerSecond,
        other.bandwidthBytesPerSecond,
      ),
      change("arptSeconds", "ARPT", "seconds", metrics.arptSeconds, other.arptSeconds),
    ];
  });
}

export function findingChanges(a: Verdicts, b: Verdicts): FindingChange[] {
  const before = new Map(a.findings.map((finding) => [finding.id, finding]));
  const after = new Set(b.findings.map(({ id }) => id));
  return [
    ...b.findings.map((finding): FindingChange => {
      const known = before.get(finding.id);
      return known === undefined
        ? { change: "appeared", finding }
        : { change: "stayed", finding, before: known };
    }),
    ...a.findings
      .filter(({ id }) => !after.has(id))
      .map((finding): FindingChange => ({ change: "gone", finding })),
  ];
}

/** Reasons why the two may not be comparable, in sentences. */
export function mismatches(a: Side, b: Side): string[] {
  const texts: string[] = [];
  const differ = (what: string, one: unknown, two: unknown) => {
    if (one !== two) texts.push(`${what} differ: ${one || "not recorded"} and ${two || "not recorded"}.`);
  };
  const commands = [a, b].map(({ job }) =>
    [...new Set(job.runs.map(({ commandLine }) => commandLine))].join("; "),
  );
  const programs = [a, b].map(({ job }) =>
    [...new Set(job.runs.map(({ application }) => application))].join(", "),
  );
  differ("The numbers of processes", a.job.ranks, b.job.ranks);
  if (programs[0] !== programs[1]) differ("The programs", programs[0], programs[1]);
  else if (!isSameCommand(commands[0] as string, commands[1] as string))
    differ("The command lines", commands[0], commands[1]);
  for (const [what, key] of [
    ["read", "bytesRead"],
    ["written", "bytesWritten"],
  ] as const) {
    const [one, two] = [a.job.io[key], b.job.io[key]];
    if (Math.abs(one - two) > WORK_SHARE_MAX * Math.max(one, two))
      texts.push(
        `The bytes ${what} differ by more than ${formatShare(WORK_SHARE_MAX)} (${formatBytes(one)} and ${formatBytes(two)}), so the inputs or the work may not be the same.`,
      );
  }
  for (const [side, name] of [
    [a, "first"],
    [b, "second"],
  ] as const)
    if (side.job.partialModules.size > 0)
      texts.push(
        `The ${name} log is incomplete in ${[...side.job.partialModules].join(", ")}; its numbers are lower bounds.`,
      );
  const modules = (job: Job) =>
    [...job.modules]
      .filter((module) => !/^DXT|HEATMAP/.test(module))
      .sort()
      .join(" ");
  differ("The recorded modules", modules(a.job), modules(b.job));
  return texts;
}

const CUT = "<TRUNCATED>";

/** A log has room for a part of a long command line only, and how much depends on the version of its format. */
function isSameCommand(one: string, two: string): boolean {
  const isStartOf = (cut: string, other: string) =>
    cut.endsWith(CUT) && other.startsWith(cut.slice(0, -CUT.length));
  const bare = (command: string) => (command.endsWith(CUT) ? command.slice(0, -CUT.length) : command);
  return one === two || isStartOf(one, bare(two)) || isStartOf(two, bare(one));
}
