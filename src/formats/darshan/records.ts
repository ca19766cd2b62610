/**
 * Single records as objects, in both directions: out of a block for whoever looks at one record, and into
 * words for the writer. Bulk work stays on the blocks.
 */
import { assert } from "../../base/assert.ts";
import { LOW, viewWords, type WordViews } from "../../base/words.ts";
import type { RecordBlock } from "./blocks.ts";
import type { SegmentBlock } from "./dxt.ts";
import { upToNul } from "./job.ts";
import { COMPONENT_WORDS, type ModuleSpec } from "./modules/index.ts";

interface Base {
  readonly id: bigint;
  /** -1 for a record reduced over all ranks. */
  readonly rank: bigint;
}

/** Fixed-size records: counters in the order of the module's table. */
export interface CounterRecord extends Base {
  readonly kind: "counters";
  readonly integers: BigInt64Array;
  readonly reals: Float64Array;
  /** H5D, PNETCDF_VAR: record id of the file. */
  readonly fileId?: bigint;
  /** DFS, DAOS: pool and container, 16 bytes each. DAOS: the two halves of the object id. */
  readonly pool?: Uint8Array;
  readonly container?: Uint8Array;
  readonly objectHigh?: bigint;
  readonly objectLow?: bigint;
  /** APMPI: node name, up to its NUL. */
  readonly node?: Uint8Array;
}

/** The first record of APMPI (sync flag, two variances) and of APXC (magic and seven values). */
export interface HeaderRecord extends Base {
  readonly kind: "header";
  /** APMPI: magic. APXC: magic, blades, chassis, groups, memory mode, cluster mode, application id. */
  readonly integers: BigInt64Array;
  /** APMPI: variance of MPI time, variance of synchronisation time. */
  readonly reals: Float64Array;
  /** APMPI: synchronisation times are meaningful. */
  readonly syncFlag?: number;
}

interface LustreComponent {
  readonly counters: BigInt64Array;
  /** Pool name, up to its NUL. */
  readonly pool: Uint8Array;
}

export interface LustreRecord extends Base {
  readonly kind: "lustre";
  readonly components: readonly LustreComponent[];
  readonly osts: BigInt64Array;
}

export interface HeatmapRecord extends Base {
  readonly kind: "heatmap";
  readonly binSeconds: number;
  readonly writeBins: BigInt64Array;
  readonly readBins: BigInt64Array;
}

interface MdhimRecord extends Base {
  readonly kind: "mdhim";
  readonly integers: BigInt64Array;
  readonly reals: Float64Array;
  /** One count per server, at least one. */
  readonly servers: BigInt64Array;
}

export type DarshanRecord = CounterRecord | HeaderRecord | LustreRecord | HeatmapRecord | MdhimRecord;

export interface Segment {
  readonly offset: bigint;
  readonly length: bigint;
  /** Seconds since recording started. */
  readonly start: number;
  readonly end: number;
  /** Absent where the version does not record it. */
  readonly thread?: bigint;
}

/** Record `k` of a block as an object that owns its values. */
export function decodeRecord(spec: ModuleSpec, block: RecordBlock, k: number): DarshanRecord {
  const { i64, u64, f64, u8, u32 } = block.views;
  const at = block.at(k);
  const base = { id: u64[at] as bigint, rank: i64[at + 1] as bigint };
  if (block.header) {
    if (spec.name !== "APMPI")
      return { ...base, kind: "header", integers: i64.slice(at + 2, at + 9), reals: new Float64Array(0) };
    return {
      ...base,
      kind: "header",
      integers: i64.slice(at + 2, at + 3),
      reals: f64.slice(at + 4, at + 6),
      syncFlag: u32[2 * (at + 3)] as number,
    };
  }
  switch (spec.kind) {
    case "lustre": {
      const components = Number(i64[at + 2]);
      const osts = at + 4 + COMPONENT_WORDS * components;
      return {
        ...base,
        kind: "lustre",
        components: Array.from({ length: components }, (_, c) => {
          const start = at + 4 + COMPONENT_WORDS * c;
          return {
            counters: i64.slice(start, start + 7),
            pool: upToNul(u8.slice(8 * (start + 7), 8 * (start + 9))),
          };
        }),
        osts: i64.slice(osts, osts + Number(i64[at + 3])),
      };
    }
    case "heatmap": {
      const bins = Number(i64[at + 3]);
      return {
        ...base,
        kind: "heatmap",
        binSeconds: f64[at + 2] as number,
        writeBins: i64.slice(at + 6, at + 6 + bins),
        readBins: i64.slice(at + 6 + bins, at + 6 + 2 * bins),
      };
    }
    case "mdhim":
      return {
        ...base,
        kind: "mdhim",
        integers: i64.slice(at + 2, at + 7),
        reals: f64.slice(at + 7, at + 11),
        servers: i64.slice(at + 11, at + block.wordsOf(k)),
      };
    default: {
      const tail = at + spec.realsAt + spec.reals.length;
      const bytes = (from: number, to: number) => u8.slice(8 * (tail + from), 8 * (tail + to));
      return {
        ...base,
        kind: "counters",
        integers: i64.slice(at + spec.integersAt, at + spec.realsAt),
        reals: f64.slice(at + spec.realsAt, tail),
        ...(spec.integersAt === 3 ? { fileId: u64[at + 2] as bigint } : {}),
        ...(spec.name === "DFS" || spec.name === "DAOS" ? { pool: bytes(0, 2), container: bytes(2, 4) } : {}),
        ...(spec.name === "DAOS"
          ? { objectHigh: u64[tail + 4] as bigint, objectLow: u64[tail + 5] as bigint }
          : {}),
        ...(spec.name === "APMPI" ? { node: upToNul(bytes(0, 16)) } : {}),
      };
    }
  }
}

/** Words of a record in the current version and our byte order: what `decodeRecord` takes apart. */
export function encodeRecord(spec: ModuleSpec, record: DarshanRecord): WordViews {
  switch (record.kind) {
    case "lustre": {
      const osts = 4 + COMPONENT_WORDS * record.components.length;
      const views = start(record, osts + record.osts.length);
      views.i64[2] = BigInt(record.components.length);
      views.i64[3] = BigInt(record.osts.length);
      record.components.forEach(({ counters, pool }, c) => {
        assert(
          counters.length === 7 && pool.length < 16,
          "a component has seven counters and a pool name below 16 bytes",
        );
        views.i64.set(counters, 4 + COMPONENT_WORDS * c);
        views.u8.set(pool, 8 * (4 + COMPONENT_WORDS * c + 7));
      });
      views.i64.set(record.osts, osts);
      return views;
    }
    case "heatmap": {
      const bins = record.writeBins.length;
      assert(record.readBins.length === bins, "a heat map has as many read bins as write bins");
      const views = start(record, 6 + 2 * bins);
      views.f64[2] = record.binSeconds;
      views.i64[3] = BigInt(bins);
      views.i64.set(record.writeBins, 6);
      views.i64.set(record.readBins, 6 + bins);
      return views;
    }
    case "mdhim": {
      assert(
        record.integers.length === 5 && record.reals.length === 4,
        "MDHIM has five integers and four reals",
      );
      const servers = Math.max(1, Number(record.integers[4]));
      assert(record.servers.length === servers, "MDHIM has one count per server");
      const views = start(record, 11 + servers);
      views.i64.set(record.integers, 2);
      views.f64.set(record.reals, 7);
      views.i64.set(record.servers, 11);
      return views;
    }
    case "header": {
      assert(spec.header !== undefined, `${spec.name} has no header record`);
      const views = start(record, spec.header.words);
      views.i64.set(record.integers, 2);
      views.f64.set(record.reals, 4);
      if (record.syncFlag !== undefined) views.u32[6] = record.syncFlag;
      return views;
    }
    case "counters": {
      assert(
        record.integers.length === spec.integers.length && record.reals.length === spec.reals.length,
        `${spec.name} counters`,
      );
      const views = start(record, (spec.versions[spec.version] as { words: number }).words);
      const tail = spec.realsAt + spec.reals.length;
      if (spec.integersAt === 3) views.u64[2] = record.fileId ?? 0n;
      views.i64.set(record.integers, spec.integersAt);
      views.f64.set(record.reals, spec.realsAt);
      if (record.pool !== undefined) views.u8.set(record.pool.subarray(0, 16), 8 * tail);
      if (record.container !== undefined) views.u8.set(record.container.subarray(0, 16), 8 * tail + 16);
      if (record.objectHigh !== undefined) views.u64[tail + 4] = record.objectHigh;
      if (record.objectLow !== undefined) views.u64[tail + 5] = record.objectLow;
      if (record.node !== undefined) views.u8.set(record.node.subarray(0, 127), 8 * tail);
      return views;
    }
  }
}

/** A counter record from values by counter name; those not named are zero. */
export function counterRecord(
  spec: ModuleSpec,
  base: { readonly id: bigint; readonly rank: bigint | number },
  values: Readonly<Record<string, number | bigint>>,
  extra: Partial<
    Pick<CounterRecord, "fileId" | "pool" | "container" | "objectHigh" | "objectLow" | "node">
  > = {},
): CounterRecord {
  const known = new Set([...spec.integers, ...spec.reals].map((counter) => counter.name));
  for (const name of Object.keys(values)) assert(known.has(name), `${spec.name} has no counter ${name}`);
  return {
    kind: "counters",
    id: base.id,
    rank: BigInt(base.rank),
    integers: BigInt64Array.from(spec.integers, (counter) =>
      BigInt.asIntN(64, BigInt(values[counter.name] ?? 0)),
    ),
    reals: Float64Array.from(spec.reals, (counter) => Number(values[counter.name] ?? 0)),
    ...extra,
  };
}

function start(record: Base, words: number): WordViews {
  const views = viewWords(new ArrayBuffer(8 * words));
  views.u64[0] = record.id;
  views.i64[1] = record.rank;
  return views;
}

/** The segments of a block as objects. */
export function decodeSegments(block: SegmentBlock): Segment[] {
  const { i64, u64, f64 } = block.views;
  return Array.from({ length: block.count }, (_, s) => {
    const at = block.at + s * block.stride;
    const segment = {
      offset: i64[at] as bigint,
      length: i64[at + 1] as bigint,
      start: f64[at + 2] as number,
      end: f64[at + 3] as number,
    };
    return block.stride === 5 ? { ...segment, thread: u64[at + 4] as bigint } : segment;
  });
}

export interface TraceObject extends Base {
  readonly host: string;
  readonly writes: readonly Segment[];
  readonly reads: readonly Segment[];
}

/** A trace record as one block of the current version (five words a segment). */
export function encodeTrace(trace: TraceObject): SegmentBlock {
  const segments = [...trace.writes, ...trace.reads];
  const views = viewWords(new ArrayBuffer(40 * segments.length));
  segments.forEach((segment, s) => {
    const at = 5 * s;
    views.i64[at] = segment.offset;
    views.i64[at + 1] = segment.length;
    views.f64[at + 2] = segment.start;
    views.f64[at + 3] = segment.end;
    views.u64[at + 4] = segment.thread ?? 0n;
  });
  const id = new BigUint64Array([trace.id]);
  const halves = new Uint32Array(id.buffer);
  return {
    record: {
      idLow: halves[LOW] as number,
      idHigh: halves[1 - LOW] as number,
      rank: trace.rank,
      hostBytes: new TextEncoder().encode(trace.host).slice(0, 63),
      writes: trace.writes.length,
      reads: trace.reads.length,
    },
    first: 0,
    count: segments.length,
    at: 0,
    stride: 5,
    views,
  };
}
