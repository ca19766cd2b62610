// A log with records of every module, full of awkward values, for tests of writing and printing.

import { Random } from "../../src/base/prng.ts";
import { COMPRESSIONS, type Compression } from "../../src/formats/darshan/header.ts";
import { MODULES, type ModuleSpec } from "../../src/formats/darshan/modules/index.ts";
import { recordId } from "../../src/formats/darshan/record-id.ts";
import type { DarshanRecord, Segment, TraceObject } from "../../src/formats/darshan/records.ts";
import { LogWriter, memorySink } from "../../src/formats/darshan/writer.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";

export interface Written {
  readonly bytes: Uint8Array;
  readonly names: readonly { readonly id: bigint; readonly name: string }[];
  readonly modules: readonly {
    readonly spec: ModuleSpec;
    readonly partial: boolean;
    readonly records: readonly (DarshanRecord | TraceObject)[];
  }[];
}

export interface Shape {
  readonly compression?: Compression;
  readonly bigEndian?: boolean;
  readonly streamBytes?: number;
  /** Only values that the reference tools print in full (no NaN). */
  readonly tame?: boolean;
  readonly modules?: (spec: ModuleSpec) => boolean;
  /** No module is marked as incomplete. */
  readonly whole?: boolean;
}

export const SHAPES: readonly Shape[] = COMPRESSIONS.flatMap((compression) =>
  [false, true].flatMap((bigEndian) =>
    [Number.POSITIVE_INFINITY, 2000, 1].map((streamBytes) => ({ compression, bigEndian, streamBytes })),
  ),
);

export function everyModuleLog(seed: number, shape: Shape): Written {
  const random = new Random(seed);
  const files = Array.from({ length: 6 }, (_, i) => ({
    id: recordId(`/scratch/p/file${i}.h5`),
    name: `/scratch/p/file${i}.h5`,
  }));
  const names = [
    ...files,
    { id: recordId("<STDOUT>"), name: "<STDOUT>" },
    { id: 17n, name: "ünïcode/\u{1f600}" },
  ];
  const modules = MODULES.filter(shape.modules ?? (() => true)).map((spec) => ({
    spec,
    partial: random.below(4) === 0 && shape.whole !== true,
    records: records(random, spec, files, shape.tame ?? false),
  }));
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders: nodeEncoders, ...shape });
  writer.job({
    uid: 4_000_000_000n,
    startSeconds: 1_700_000_000,
    startNanoseconds: 999_999_999,
    endSeconds: 1_700_000_100,
    endNanoseconds: 1,
    nprocs: 8,
    jobId: 2n ** 62n,
    metadata: [
      ["lib_ver", "3.5.0"],
      ["h", "romio_no_indep_rw=true;cb_nodes=4"],
    ],
    commandLine: "/bin/app --x=1",
    mounts: [
      { type: "lustre", path: "/scratch" },
      { type: "xfs", path: "/" },
    ],
  });
  writer.names(names);
  for (const { spec, partial, records: list } of modules) writer.module(spec, list, partial);
  writer.finish();
  return { bytes: sink.bytes(), names, modules };
}

function integer(random: Random): bigint {
  const kind = random.below(8);
  if (kind < 4) return BigInt(random.below(5));
  if (kind < 6) return BigInt(random.bits());
  if (kind === 6) return -1n;
  return BigInt.asIntN(64, (BigInt(random.bits()) << 32n) | BigInt(random.bits()));
}

function real(random: Random, tame: boolean): number {
  const kind = random.below(10);
  if (kind < 3) return 0;
  if (kind < 7) return random.unit() * 1000;
  if (kind === 7) return random.below(1000) / 128;
  if (kind === 8) return random.exponential(1e9);
  return tame ? -1 : random.pick([Number.NaN, Number.POSITIVE_INFINITY, -0, 5e-324, 1.7976931348623157e308]);
}

function records(
  random: Random,
  spec: ModuleSpec,
  files: readonly { id: bigint }[],
  tame: boolean,
): (DarshanRecord | TraceObject)[] {
  const integers = (count: number) => BigInt64Array.from({ length: count }, () => integer(random));
  const reals = (count: number) => Float64Array.from({ length: count }, () => real(random, tame));
  const bytes = (count: number) => Uint8Array.from({ length: count }, () => 1 + random.below(255));
  const made: (DarshanRecord | TraceObject)[] = [];
  // All heat maps of a log have as many bins; the reader evens out those that are one off.
  const bins = random.below(40);
  if (spec.name === "APMPI") {
    made.push({
      kind: "header",
      id: recordId("darshan-apmpi-header"),
      rank: 0n,
      integers: BigInt64Array.of(0x41504d5049n),
      reals: reals(2),
      syncFlag: random.below(2),
    });
  }
  if (spec.name === "APXC") {
    made.push({
      kind: "header",
      id: recordId("darshan-apxc-header"),
      rank: 0n,
      integers: BigInt64Array.of(0x4155544f50455246n, 1n, 2n, 3n, 4n, 0x80000002n, 77n),
      reals: new Float64Array(0),
    });
  }
  files.forEach(({ id }, index) => {
    const base = { id, rank: index === 0 && spec.kind !== "dxt" ? -1n : BigInt(index) };
    switch (spec.kind) {
      case "lustre": {
        const components = random.below(3);
        const counts = Array.from({ length: components }, () => random.below(5));
        made.push({
          ...base,
          kind: "lustre",
          components: counts.map((count, c) => ({
            counters: BigInt64Array.of(
              BigInt(1 + random.below(1e9)),
              BigInt(count),
              BigInt(random.pick([0, 2, 4, 8, -1])),
              BigInt(random.pick([-1, 0, 16, 4095])),
              BigInt(c),
              -1n,
              -1n,
            ),
            pool: new TextEncoder().encode(random.pick(["", "flash", "fifteen_letters"])),
          })),
          osts: integers(counts.reduce((sum, count) => sum + count, 0)),
        });
        break;
      }
      case "heatmap": {
        made.push({
          ...base,
          kind: "heatmap",
          binSeconds: 0.1,
          writeBins: integers(bins),
          readBins: integers(bins),
        });
        break;
      }
      case "mdhim": {
        const servers = random.below(4);
        const counts = integers(5);
        counts[4] = BigInt(servers);
        made.push({
          ...base,
          kind: "mdhim",
          integers: counts,
          reals: reals(4),
          servers: integers(Math.max(1, servers)),
        });
        break;
      }
      case "dxt": {
        const segments = (count: number): Segment[] =>
          Array.from({ length: count }, () => ({
            offset: integer(random),
            length: integer(random),
            start: real(random, tame),
            end: real(random, tame),
            thread: BigInt.asUintN(64, integer(random)),
          }));
        made.push({
          id,
          rank: BigInt(index),
          host: `node${index}`,
          writes: segments(random.below(5)),
          reads: segments(1 + random.below(5)),
        });
        break;
      }
      default: {
        const daos = spec.name === "DFS" || spec.name === "DAOS";
        made.push({
          ...base,
          kind: "counters",
          integers: integers(spec.integers.length),
          reals: reals(spec.reals.length),
          ...(spec.integersAt === 3 ? { fileId: BigInt.asUintN(64, integer(random)) } : {}),
          ...(daos ? { pool: bytes(16), container: bytes(16) } : {}),
          ...(spec.name === "DAOS" ? { objectHigh: BigInt.asUintN(64, integer(random)), objectLow: 5n } : {}),
          ...(spec.name === "APMPI" ? { node: new TextEncoder().encode("nid0001") } : {}),
        });
      }
    }
  });
  return made;
}
