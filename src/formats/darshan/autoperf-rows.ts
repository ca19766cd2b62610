/** Records of AutoPerf as rows for who listens: MPI calls per rank (APMPI), counters per router of Cray XC (APXC). */
import { wordNumber } from "../../base/words.ts";
import type { MpiRow, RouterCounter, RouterRow } from "../../model/index.ts";
import type { RecordBlock } from "./blocks.ts";
import { clusterModeText, memoryModeText } from "./counter-values.ts";
import { decode, upToNul } from "./job.ts";
import { isTime } from "./known-values.ts";
import { apmpi, apxc, columnOf } from "./modules/index.ts";

/** Words of a record that belong to one operation; -1 where it has none. */
interface OperationWords {
  readonly calls: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly longest: number;
  readonly sync: number;
}

const CALLS = "_CALL_COUNT";
const OPERATIONS = apmpi.integers
  .filter(({ name }) => name.endsWith(CALLS))
  .map(({ name }) => name.slice(0, -CALLS.length));
const PLACES = new Map([
  ...apmpi.integers.map(({ name }, i) => [name, apmpi.integersAt + i] as const),
  ...apmpi.reals.map(({ name }, i) => [name, apmpi.realsAt + i] as const),
]);
const WORDS: readonly OperationWords[] = OPERATIONS.map((operation) => {
  const at = (name: string) => PLACES.get(`${operation}_${name}`) ?? -1;
  return {
    ...{ calls: at("CALL_COUNT"), bytes: at("TOTAL_BYTES") },
    ...{ seconds: at("TOTAL_TIME"), longest: at("MAX_TIME"), sync: at("TOTAL_SYNC_TIME") },
  };
});
const TOTAL = columnOf(apmpi, "MPI_TOTAL_COMM_TIME");
const TOTAL_SYNC = columnOf(apmpi, "MPI_TOTAL_COMM_SYNC_TIME");
const NODE_BYTES = 128;

/** Word of the header record with the flag that says whether waiting was measured. */
const SYNC_FLAG = 3;

export function mpiRows(blocks: Iterable<RecordBlock>, runId: string, listener: (row: MpiRow) => void): void {
  const column = () => new Float64Array(OPERATIONS.length);
  const columns = {
    ...{ calls: column(), bytes: column(), seconds: column() },
    ...{ longestSeconds: column(), syncSeconds: column() },
  };
  let hasSync = false;
  for (const block of blocks) {
    const { u32, f64, u8 } = block.views;
    if (block.header) {
      hasSync = u32[2 * (block.at(0) + SYNC_FLAG)] !== 0;
      continue;
    }
    for (let k = 0; k < block.count; k++) {
      const at = block.at(k);
      const seconds = (word: number) => time(f64[at + word] as number);
      for (const [i, words] of WORDS.entries()) {
        columns.calls[i] = count(block, at + words.calls);
        columns.bytes[i] = words.bytes < 0 ? 0 : count(block, at + words.bytes);
        columns.seconds[i] = seconds(words.seconds);
        columns.longestSeconds[i] = seconds(words.longest);
        columns.syncSeconds[i] = hasSync && words.sync >= 0 ? seconds(words.sync) : Number.NaN;
      }
      const node = 8 * (at + apmpi.realsAt + apmpi.reals.length);
      listener({
        ...{ runId, rank: Math.max(0, wordNumber(u32, at + 1)), operations: OPERATIONS },
        ...{ node: decode(upToNul(u8.subarray(node, node + NODE_BYTES))), ...columns },
        // A process that ended early has the times of its calls, but no total.
        totalSeconds: seconds(TOTAL) || columns.seconds.reduce((sum, value) => sum + value, 0),
        totalSyncSeconds: hasSync ? seconds(TOTAL_SYNC) || syncOf(columns.syncSeconds) : Number.NaN,
      });
    }
  }
}

const syncOf = (seconds: Float64Array) => seconds.reduce((sum, value) => sum + (value || 0), 0);

/** What is no time comes from damaged counters. */
const time = (seconds: number) => (isTime(seconds) ? seconds : 0);

/** An unsigned counter. */
function count({ views: { u32, u64 } }: RecordBlock, word: number): number {
  const value = wordNumber(u32, word);
  return value >= 0 ? value : Number(u64[word]);
}

const ROUTER_COUNTER =
  /^APXC_AR_RTR_(?:PT_)?(\d)_(\d)_INQ_PRF_(?:INCOMING_FLIT_(VC\d)|(REQ|RSP)?_?ROWBUS_STALL_CNT)$/;
const ROUTER_COUNTERS: readonly (RouterCounter & { readonly word: number })[] = apxc.integers.flatMap(
  ({ name }, index) => {
    const found = ROUTER_COUNTER.exec(name);
    if (found === null) return [];
    const [, row, column, channel, direction = ""] = found;
    return {
      ...{ row: Number(row), column: Number(column), word: apxc.integersAt + index },
      ...(channel === undefined
        ? { kind: "stalls" as const, channel: direction }
        : { kind: "flits" as const, channel }),
    };
  },
);
const [GROUP, CHASSIS, BLADE, NODE] = ["GROUP", "CHASSIS", "BLADE", "NODE"].map((name) =>
  columnOf(apxc, `APXC_${name}`),
) as [number, number, number, number];

/** Words of the header record. */
const MEMORY_MODE = 6;
const CLUSTER_MODE = 7;

export function routerRows(blocks: Iterable<RecordBlock>, listener: (row: RouterRow) => void): void {
  const values = new Float64Array(ROUTER_COUNTERS.length);
  let modes = { memoryMode: "unknown", clusterMode: "unknown" };
  for (const block of blocks) {
    const { i64, u32 } = block.views;
    if (block.header) {
      const word = (at: number) => i64[block.at(0) + at] as bigint;
      modes = {
        memoryMode: memoryModeText(word(MEMORY_MODE)),
        clusterMode: clusterModeText(word(CLUSTER_MODE)),
      };
      continue;
    }
    for (let k = 0; k < block.count; k++) {
      const at = block.at(k);
      for (const [i, { word }] of ROUTER_COUNTERS.entries()) values[i] = count(block, at + word);
      const place = (word: number) => wordNumber(u32, at + word);
      listener({
        ...{ group: place(GROUP), chassis: place(CHASSIS), blade: place(BLADE), node: place(NODE) },
        ...{ counters: ROUTER_COUNTERS, values, ...modes },
      });
    }
  }
}
