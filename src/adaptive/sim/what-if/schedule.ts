/** Order of a run's transfers: as many at once as its ranks can serve, the next when one is done. */
import { assert } from "../../../base/assert.ts";
import type { RecordedRun, Transfer } from "./recorded.ts";

/** Start of each transfer relative to its phase, if each takes its recorded time. */
function recordedStarts(transfers: readonly Transfer[], ranks: number): number[] {
  /** Transfers in flight. */
  const under: { end: number; ranks: number }[] = [];
  let [free, now] = [ranks, 0];
  return transfers.map((one) => {
    const needed = Math.min(one.ranks, ranks);
    while (free < needed) {
      assert(under.length > 0, "busy ranks have a transfer");
      let first = 0;
      for (let i = 1; i < under.length; i++) if (under[i]!.end < under[first]!.end) first = i;
      const [done] = under.splice(first, 1) as [{ end: number; ranks: number }];
      now = Math.max(now, done.end);
      free += done.ranks;
      assert(free <= ranks, "ranks are returned once");
    }
    under.push({ end: now + one.seconds, ranks: needed });
    free -= needed;
    return now;
  });
}

/** Length of a phase if each transfer takes its recorded time. */
function recordedPhase(transfers: readonly Transfer[], ranks: number): number {
  const starts = recordedStarts(transfers, ranks);
  return transfers.reduce((last, { seconds }, i) => Math.max(last, (starts[i] as number) + seconds), 0);
}

interface Phases {
  readonly read: number;
  readonly write: number;
  /** Recorded time between the end of the reads and the start of the writes. */
  readonly between: number;
}

/** Reads come first, writes end with the run: logs do not record when. */
export function phasesOf({ reads, writes, ranks, start, end }: RecordedRun): Phases {
  const read = recordedPhase(reads, ranks);
  const write = recordedPhase(writes, ranks);
  return { read, write, between: Math.max(0, end - start - read - write) };
}

/** I/O time of a run as recorded: its read phase and its write phase. */
export function recordedSeconds(run: RecordedRun): number {
  const { read, write } = phasesOf(run);
  return read + write;
}

export interface Placed {
  readonly run: RecordedRun;
  readonly transfer: Transfer;
  /** Seconds since 1970. */
  readonly start: number;
  readonly end: number;
}

/** Transfers of a run with their times by its record. */
export function placed(run: RecordedRun): Placed[] {
  const { read, between } = phasesOf(run);
  const lay = (transfers: readonly Transfer[], from: number) =>
    recordedStarts(transfers, run.ranks).map((at, i) => {
      const transfer = transfers[i] as Transfer;
      return { run, transfer, start: from + at, end: from + at + transfer.seconds };
    });
  return [...lay(run.reads, run.start), ...lay(run.writes, run.start + read + between)];
}
