/** From what the ranks measured in all turns of a point to the numbers that are shown. */
import { assert } from "../../base/assert.ts";
import type { NcioPoint, NcioSpread } from "../../model/index.ts";

/** One operation of one rank. Times count from the moment in which the rank left the barrier before it. */
export interface RankTurn {
  readonly endSeconds: number;
  /** How long after that the operation began; 0 but for the rank that comes late. */
  readonly lateSeconds: number;
  /** The part of it that the sync took; 0 without. */
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
  /** Requests differed between turns, which they never should. */
  readonly steadyRequests: boolean;
  /** Mean time in the operation of the ranks that began in time. */
  readonly punctualSeconds: number;
}

/** The paper leaves out the highest and the lowest; with fewer than three turns all count. */
export function countingTurns(turns: readonly Turn[]): readonly Turn[] {
  if (turns.length < 3) return turns;
  const bySpeed = [...turns].sort((a, b) => turnSeconds(a) - turnSeconds(b));
  return bySpeed.slice(1, -1);
}

/** Until the last rank was done. */
const turnSeconds = (turn: Turn): number => Math.max(...turn.map(({ endSeconds }) => endSeconds));
const syncSecondsOf = (turn: Turn): number => Math.max(...turn.map(({ syncSeconds }) => syncSeconds));

const BLOCK_BYTES = 512;

/** `bytesPerRank`: what each rank asked for in one turn. */
export function summarize(all: readonly Turn[], bytesPerRank: readonly number[]): Summary {
  assert(all.length > 0, "a point has no turn");
  const turns = countingTurns(all);
  const bytes = sum(bytesPerRank);
  const rates = turns.map((turn) => bytes / turnSeconds(turn));
  const totals = all.map((turn) => ({
    requests: sum(turn.map(({ requests }) => requests)),
    messages: sum(turn.map(({ messages }) => messages)),
    movedBytes: sum(turn.map(({ movedBytes }) => movedBytes)),
  }));
  const [first] = totals as [(typeof totals)[number]];
  // All ranks begin with the barrier, so a turn without its gaps is as long as its longest operation; turns add up.
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
    // The one that comes late is the last.
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
