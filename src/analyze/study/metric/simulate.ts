/**
 * The experiment sets on a device model. Latency and bandwidth of HDD and SSD follow from the two points that the paper
 * prints for each (4 KB and 64 KB, 4 KB and 4 MB); the rest are our guesses at its cluster, all named here. Data is a
 * 64th of the paper's, which scales times and changes no rate.
 */
import { Random } from "../../../base/prng.ts";
import { accessMetrics } from "../../metric/index.ts";
import { type ClientModel, type DeviceModel, type ModelAccess, runModel } from "./device-model.ts";
import { PUBLISHED_POINTS, PUBLISHED_SET2_BYTES } from "./published.ts";
import type { Run } from "./runs.ts";
import type { SetId } from "./sets.ts";

interface SimulateOptions {
  readonly sets: readonly SetId[];
  readonly repeats: number;
  readonly seed: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const SCALE = 64;
const RECORD = 64 * KIB;
const JITTER = 0.04;
/** Copy and loop of a benchmark, per access. */
const THINK_SECONDS = 2e-6;
const ALONE: ClientModel = { sharedSeconds: 0, thinkSeconds: THINK_SECONDS };

/** Time of an access at two sizes gives latency and bandwidth. */
function throughTwo(
  a: { bytes: number; seconds: number },
  b: { bytes: number; seconds: number },
): DeviceModel {
  const bytesPerSecond = (b.bytes - a.bytes) / (b.seconds - a.seconds);
  return { latencySeconds: a.seconds - a.bytes / bytesPerSecond, bytesPerSecond, servers: 1 };
}

function fitted(set: "2a" | "2b"): DeviceModel {
  const [a, b] = PUBLISHED_POINTS.filter((point) => point.set === set).map(
    ({ x, arpt, executionSeconds }) => ({
      bytes: x,
      seconds: arpt ?? ((executionSeconds as number) * x) / PUBLISHED_SET2_BYTES,
    }),
  );
  return throughTwo(a as never, b as never);
}

const HDD = fitted("2a");
const SSD = fitted("2b");
/** A PVFS2 server of 2009: its disk, a request over the network, and a Gigabit link in all. */
const SERVER: DeviceModel = { latencySeconds: 400e-6, bytesPerSecond: 40e6, servers: 1 };
const LINK_BYTES_PER_SECOND = 112e6;
/** IOzone's processes share the link of one node; those of IOR have nodes of their own. */
const ONE_NODE: ClientModel = { sharedSeconds: RECORD / LINK_BYTES_PER_SECOND, thinkSeconds: THINK_SECONDS };
/** Picking one region out of the sieve buffer, with the library's list of offsets. */
const REGION_SECONDS = 2e-6;
const SIEVE_CALLS = 16;

/** A file over n servers: a record is cut into as many parts, and the link bounds their sum. */
const striped = (servers: number): DeviceModel => ({
  latencySeconds: SERVER.latencySeconds,
  bytesPerSecond: Math.min(servers * SERVER.bytesPerSecond, LINK_BYTES_PER_SECOND * (1 - 0.3 / servers)),
  servers: 1,
});

interface SimulatedCase {
  readonly label: string;
  readonly x: number;
  readonly name: string;
  readonly device: DeviceModel;
  readonly client: ClientModel;
  readonly processes: readonly (readonly ModelAccess[])[];
  readonly placement: "own" | "around";
}

export const POWERS_OF_TWO_4K_8M = Array.from({ length: 12 }, (_, i) => 4 * KIB * 2 ** i);

export function sizeLabel(bytes: number): string {
  const [size, unit] =
    bytes >= MIB ? [bytes / MIB, "MiB"] : bytes >= KIB ? [bytes / KIB, "KiB"] : [bytes, "B"];
  return `${Number(size.toPrecision(4))} ${unit}`;
}

export const processLabel = (count: number): string => `${count} process${count === 1 ? "" : "es"}`;

const reads = (count: number, bytes: number): ModelAccess[] =>
  Array.from({ length: count }, () => ({ bytes, movedBytes: bytes }));

const CASES: Readonly<Record<SetId, () => SimulatedCase[]>> = {
  "1": () => {
    const devices: [string, DeviceModel][] = [
      ["HDD", HDD],
      ["SSD", SSD],
      ...Array.from({ length: 8 }, (_, i): [string, DeviceModel] => [
        `PVFS2, ${i + 1} server${i === 0 ? "" : "s"}`,
        striped(i + 1),
      ]),
    ];
    return devices.map(([label, device], x) => ({
      ...{ label, x, name: label, device, client: ALONE, placement: "own" },
      processes: [reads((64 * GIB) / SCALE / RECORD / 4, RECORD)],
    }));
  },
  "2a": () => sizes("HDD", HDD),
  "2b": () => sizes("SSD", SSD),
  "3a": () =>
    Array.from({ length: 8 }, (_, i) => i + 1).map((count) => ({
      ...{ label: processLabel(count), x: count, name: "a server for each", placement: "own" },
      device: { ...SERVER, servers: 8 },
      client: ONE_NODE,
      processes: split((32 * GIB) / SCALE / RECORD, count),
    })),
  "3b": () =>
    [1, 2, 4, 8, 16, 32].map((count) => ({
      ...{ label: processLabel(count), x: count, name: "8 shared servers", placement: "around" },
      device: { ...SERVER, servers: 8 },
      client: ALONE,
      processes: split((32 * GIB) / SCALE / RECORD, count),
    })),
  "4": () => sieving(4_096_000, 256, [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]),
  "4b": () => sieving(4_096_000, 32, [8, 16, 32, 64, 128, 256]),
};

function sizes(name: string, device: DeviceModel): SimulatedCase[] {
  return POWERS_OF_TWO_4K_8M.map((bytes) => ({
    ...{ label: sizeLabel(bytes), x: bytes, name, device, client: ALONE, placement: "own" },
    processes: [reads((16 * GIB) / SCALE / bytes, bytes)],
  }));
}

/** Whole records, shared out as evenly as they can be. */
function split(records: number, processes: number): ModelAccess[][] {
  return Array.from({ length: processes }, (_, p) =>
    reads(Math.floor(((p + 1) * records) / processes) - Math.floor((p * records) / processes), RECORD),
  );
}

function sieving(regions: number, size: number, spacings: readonly number[]): SimulatedCase[] {
  const perCall = regions / SIEVE_CALLS;
  return spacings.map((spacing) => ({
    ...{ label: sizeLabel(spacing), x: spacing, name: "4 servers, data sieving", placement: "own" },
    device: striped(4),
    client: ALONE,
    processes: [
      Array.from({ length: SIEVE_CALLS }, () => ({
        bytes: perCall * size,
        // The last region of a call has no gap behind it.
        movedBytes: perCall * (size + spacing) - spacing,
        extraSeconds: perCall * REGION_SECONDS,
      })),
    ],
  }));
}

/** Runs of all sets in order; the same seed gives the same runs. */
export function simulateRuns({ sets, repeats, seed }: SimulateOptions): Run[] {
  const runs: Run[] = [];
  for (const set of sets)
    for (const [index, one] of CASES[set]().entries())
      for (let repeat = 1; repeat <= repeats; repeat++) {
        const random = Random.stream(
          seed,
          2 + index,
          [...set].reduce((sum, c) => sum * 256 + c.charCodeAt(0), repeat),
        );
        runs.push(simulatedRun(set, one, repeat, runs.length + 1, random));
      }
  return runs;
}

function simulatedRun(set: SetId, one: SimulatedCase, repeat: number, order: number, random: Random): Run {
  const { executionSeconds, ...accesses } = runModel(one.device, one.client, {
    ...one,
    jitter: JITTER,
    random,
  });
  const { overall } = accessMetrics(accesses);
  // A run as a whole is luckier or not: what else goes on in the cluster.
  const luck = 1 + 0.01 * (random.unit() + random.unit() - 1);
  return {
    ...{ set, label: one.label, x: one.x, device: `${one.name}, simulated`, repeat, order },
    executionSeconds: executionSeconds * luck,
    accesses: overall.accesses,
    bytes: Number(overall.bytes),
    movedBytes: Number(overall.movedBytes),
    ioTimeSeconds: overall.ioTimeSeconds * luck,
    iops: (overall.iops ?? Number.NaN) / luck,
    bandwidth: (overall.bandwidthBytesPerSecond ?? Number.NaN) / luck,
    arpt: (overall.arptSeconds ?? Number.NaN) * luck,
    bps: (overall.bps ?? Number.NaN) / luck,
    dropped: 0,
  };
}
