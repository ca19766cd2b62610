/** What a log says of people, places and times, replaced wherever it stands: in the job, in names, inside records. */
import { LOW } from "../../base/words.ts";
import type { RecordBlock } from "./blocks.ts";
import type { SegmentBlock } from "./dxt.ts";
import { upToNul } from "./job.ts";
import { COMPONENT_WORDS, type ModuleSpec, columnOf } from "./modules/index.ts";

/** What stands for what; see `obfuscation` of the command for how stand-ins are made. */
export interface Renaming {
  name(name: Uint8Array): Uint8Array;
  id(id: bigint): bigint;
  host(host: Uint8Array): Uint8Array;
  uid(uid: bigint): bigint;
  /** Of the scheduler, and of machines that number jobs themselves. */
  jobId(jobId: bigint): bigint;
  commandLine(commandLine: Uint8Array): Uint8Array;
  mount(path: Uint8Array): Uint8Array;
  metadata(metadata: Uint8Array): Uint8Array;
  /** The name of a pool of OSTs, at most 15 bytes. */
  pool(pool: Uint8Array): Uint8Array;
  /** An identifier as bytes, such as a UUID; as many bytes stand for it. */
  identifier(bytes: Uint8Array): Uint8Array;
  /** Where a node is, from the largest unit to the smallest; a number for each. */
  place(path: readonly bigint[]): readonly bigint[];
  /** How much earlier the job seems to run. */
  readonly earlierNs: bigint;
}

/** Renames the record at word `at` of the block, in place. */
export function renameRecord(spec: ModuleSpec, block: RecordBlock, at: number, renaming: Renaming): void {
  const { u64 } = block.views;
  u64[at] = renaming.id(u64[at] as bigint);
  if (!block.header && spec.integersAt === 3) replaceId(u64, at + 2, renaming);
  (block.header ? IN_HEADERS : IN_RECORDS)[spec.name]?.(block, at, renaming, spec);
}

type Rename = (block: RecordBlock, at: number, renaming: Renaming, spec: ModuleSpec) => void;

/** Word of the header record of APXC that holds the number the machine gave the job. */
const APXC_APPLICATION_ID = 8;

const IN_HEADERS: Readonly<Record<string, Rename>> = {
  APXC: ({ views: { u64 } }, at, renaming) => {
    u64[at + APXC_APPLICATION_ID] = renaming.jobId(u64[at + APXC_APPLICATION_ID] as bigint);
  },
};

const IN_RECORDS: Readonly<Record<string, Rename>> = {
  POSIX: ({ views }, at, renaming, spec) =>
    replaceId(views.u64, at + columnOf(spec, "POSIX_RENAMED_FROM"), renaming),
  LUSTRE: ({ views: { u8, i64 } }, at, renaming) => {
    for (let component = 0; component < Number(i64[at + 2]); component++) {
      const start = 8 * (at + 4 + COMPONENT_WORDS * component + 7);
      replaceText(u8.subarray(start, start + 16), renaming.pool);
    }
  },
  "BG/Q": ({ views: { i64 } }, at, renaming, spec) => {
    const word = at + columnOf(spec, "BGQ_CSJOBID");
    i64[word] = renaming.jobId(i64[word] as bigint);
  },
  APMPI: (block, at, renaming, spec) => replaceText(tail(block, at, spec, 0, 128), renaming.host),
  APXC: ({ views: { i64 } }, at, { place }, spec) => {
    const places = i64.subarray(at + spec.integersAt, at + spec.integersAt + 4);
    places.set(place([...places]));
  },
  // Two words without meaning: whatever was in memory.
  HEATMAP: ({ views: { u64 } }, at) => void u64.fill(0n, at + 4, at + 6),
  DFS: (block, at, { identifier }, spec) => {
    for (const start of [0, 16]) replace(tail(block, at, spec, start, 16), identifier);
  },
  DAOS: (block, at, { identifier }, spec) => {
    for (const start of [0, 16, 32]) replace(tail(block, at, spec, start, 16), identifier);
  },
};

/** An id that is not 0, which means none. */
function replaceId(u64: BigUint64Array, word: number, renaming: Renaming): void {
  if (u64[word] !== 0n) u64[word] = renaming.id(u64[word] as bigint);
}

/** Bytes behind the counters of a record. */
function tail({ views }: RecordBlock, at: number, spec: ModuleSpec, start: number, bytes: number) {
  const from = 8 * (at + spec.realsAt + spec.reals.length) + start;
  return views.u8.subarray(from, from + bytes);
}

function replace(field: Uint8Array, standIn: (bytes: Uint8Array) => Uint8Array): void {
  if (field.some((byte) => byte !== 0)) field.set(standIn(field.slice()));
}

/** Text in a fixed field, which stays ended by a NUL; whatever stood behind it goes. */
function replaceText(field: Uint8Array, standIn: (bytes: Uint8Array) => Uint8Array): void {
  const text = standIn(upToNul(field).slice());
  field.fill(0);
  field.set(text.subarray(0, field.length - 1));
}

export function traceId({ record }: SegmentBlock): bigint {
  return (BigInt(record.idHigh) << 32n) | BigInt(record.idLow);
}

export function renameTrace(block: SegmentBlock, renaming: Renaming): SegmentBlock {
  const halves = new Uint32Array(BigUint64Array.of(renaming.id(traceId(block))).buffer);
  const { record } = block;
  return {
    ...block,
    record: {
      ...record,
      idLow: halves[LOW] as number,
      idHigh: halves[1 - LOW] as number,
      hostBytes: renaming.host(record.hostBytes),
    },
  };
}
