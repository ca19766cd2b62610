/** Summarises the measurements of all ranks and turns of a point. */
import { assert } from "../../base/assert.ts";
import type { NcioPoint, NcioSpread } from "../../model/index.ts";

/** One operation of one rank. Times count from the end of the preceding barrier. */
export interface RankTurn {
  readonly endSeconds: number;
  /** Delay of the operation; 0 except for the late rank. */
  readonly lateSeconds: number;
  /** Time of the sync; 0 without one. */
  readonly syncSeconds: number;
  readonly requests: number;
  readonly messages: number;
  readonly movedBytes: number;
}

/** One turn: the same operation on all ranks. */
export type Turn = readonly RankTurn[];

interface Summary
  extends Pick<NcioPoint, "bandwidthBytesPerSecond" | "bandwidthWithoutSyncBytesPerSecond" | "seconds">,
    Pick<NcioPoint, "syncSeconds" | "spread" | "bps" | "iops" | "arptSeconds"> {
  readonly requests: number;
  readonly messages: number;
  readonly movedBytes: number;
  /** False if requests differed between turns, which should never happen. */
  readonly steadyRequests: boolean;
  /** Mean operation time of the ranks that started on time. */
  readonly punctualSeconds: number;
}

/** The paper drops the highest and the lowest; with fewer than three turns all count. */
export function countingTurns(turns: readonly Turn[]): readonly Turn[] {
  if (turns.length < 3) return turns;
  const bySpeed = [...turns].sort((a, b) => turnSeconds(a) - turnSeconds(b));
  return bySpeed.slice(1, -1);
}

/** Until the last rank was done. */
const turnSeconds = (turn: Turn): number => Math.max(...turn.map(({ endSeconds }) => endSeconds));
const syncSecondsOf = (turn: Turn): number => Math.max(...turn.map(({ syncSeconds }) => syncSeconds));

const BLOCK_BYTES = 512;

/** `bytesPerRank`: requested bytes of each rank in one turn. */
export function summarize(all: readonly Turn[], bytesPerRank: readonly number[]): Summary {
  assert(all.length > 0, "a point has at least one turn");
  const turns = countingTurns(all);
  const bytes = sum(bytesPerRank);
  const rates = turns.map((turn) => bytes / turnSeconds(turn));
  const totals = all.map((turn) => ({
    requests: sum(turn.map(({ requests }) => requests)),
    messages: sum(turn.map(({ messages }) => messages)),
    movedBytes: sum(turn.map(({ movedBytes }) => movedBytes)),
  }));
  const [first] = totals as [(typeof totals)[number]];
  // All ranks start at the barrier, so the I/O time of a turn is that of its longest operation; turns add up.
  const ioSeconds = sum(turns.map(turnSeconds));
  const accesses = sum(turns.map((turn) => turn.length));
  return {
    bandwidthBytesPerSecond: mean(rates),
    bandwidthWithoutSyncBytesPerSecond: mean(turns.map((turn) => bytes / withoutSync(turn))),
    seconds: mean(turns.map(turnSeconds)),
    syncSeconds: mean(turns.map(syncSecondsOf)),
    spread: spreadOf(rates),
    ...first,
    steadyRequests: totals.every(
      ({ requests, messages }) => requests === first.requests && messages === first.messages,
    ),
    bps: (turns.length * bytes) / BLOCK_BYTES / ioSeconds,
    iops: accesses / ioSeconds,
    arptSeconds: mean(
      turns.flatMap((turn) => turn.map(({ endSeconds, lateSeconds }) => endSeconds - lateSeconds)),
    ),
    // The late rank is the last.
    punctualSeconds: mean(
      turns.flatMap((turn) =>
        (turn.length > 1 ? turn.slice(0, -1) : turn).map(({ endSeconds }) => endSeconds),
      ),
    ),
  };
}

const withoutSync = (turn: Turn): number =>
  Math.max(...turn.map(({ endSeconds, syncSeconds }) => endSeconds - syncSeconds));

function spreadOf(rates: readonly number[]): NcioSpread {
  const low = Math.min(...rates);
  const high = Math.max(...rates);
  return { low, high, relative: (high - low) / mean(rates) };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
