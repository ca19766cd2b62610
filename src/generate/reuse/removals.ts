/** Runs that others met, and how long those would have taken without: planted truth for questions about what would have been. */
import { MinHeap } from "../../base/min-heap.ts";
import { playTransfers, Transfers, type TransferTimes } from "./target-load.ts";

export interface Removal {
  /** Number of the run that is taken away. */
  readonly run: number;
  /** Seconds that others lost to it. */
  readonly blame: number;
  readonly changed: readonly {
    readonly run: number;
    /** I/O time as it was, and without the other. */
    readonly seconds: number;
    readonly without: number;
  }[];
}

/** What is taken away has to matter: others gain this much of their time. */
const GAIN_LEAST = 0.1;
/** Runs whose effect is known in advance. */
const REMOVALS_MOST = 20;
/** Nothing that starts further away than this meets a run, or meets one that does. */
const NEAR_SECONDS = 6 * 3600;

/** The runs that hold up others most, of those that are asked for. */
export function plantedRemovals(
  transfers: Transfers,
  times: TransferTimes,
  osts: number,
  slope: number,
  isAskedFor: (run: number) => boolean = () => true,
): Removal[] {
  const onTarget = transfersByTarget(transfers, times, osts);
  const lost = lostByOthers(transfers, times, osts, onTarget);
  const suspects = new MinHeap();
  for (let run = 0; run < lost.length; run++)
    if ((lost[run] as number) > 0 && isAskedFor(run)) suspects.push(-(lost[run] as number), run);
  const removals: Removal[] = [];
  while (suspects.size > 0 && removals.length < REMOVALS_MOST) {
    const run = suspects.pop();
    const changed = changedWithout(run, transfers, times, onTarget, slope);
    if (changed.length > 0) removals.push({ run, blame: lost[run] as number, changed });
  }
  return removals;
}

/** Of parts of a centre: those of the whole. */
export const largestRemovals = (removals: readonly Removal[]): Removal[] =>
  [...removals].sort((a, b) => b.blame - a.blame).slice(0, REMOVALS_MOST);

type OnTarget = (target: number) => Uint32Array;

/** Transfers of each target in the order of time. */
function transfersByTarget({ first, width }: Transfers, { order }: TransferTimes, osts: number): OnTarget {
  const ends = new Uint32Array(osts + 1);
  const eachPlace = (visit: (target: number, transfer: number) => void) => {
    for (const i of order)
      for (let stripe = 0; stripe < (width[i >> 1] as number); stripe++)
        visit(((first[i >> 1] as number) + stripe) % osts, i);
  };
  eachPlace((target) => {
    ends[target + 1] = (ends[target + 1] as number) + 1;
  });
  for (let target = 0; target < osts; target++)
    ends[target + 1] = (ends[target + 1] as number) + (ends[target] as number);
  const all = new Uint32Array(ends[osts] as number);
  // `ends` has the place of the first transfer of a target, and of the one behind its last when all are there.
  eachPlace((target, transfer) => {
    const at = ends[target] as number;
    all[at] = transfer;
    ends[target] = at + 1;
  });
  return (target) => all.subarray(target === 0 ? 0 : ends[target - 1], ends[target]);
}

/** Of each run: the time that others lost while they were on the same target. */
function lostByOthers(
  { alone, demand }: Transfers,
  { start, end }: TransferTimes,
  osts: number,
  onTarget: OnTarget,
): Float64Array {
  const blame = new Float64Array(demand.length);
  const lost = (i: number) => (end[i] as number) - (start[i] as number) - (alone[i] as number);
  for (let target = 0; target < osts; target++) {
    const list = onTarget(target);
    for (let a = 0; a < list.length; a++) {
      const one = list[a] as number;
      for (
        let b = a + 1;
        b < list.length && (start[list[b] as number] as number) < (end[one] as number);
        b++
      ) {
        const other = list[b] as number;
        const [heavy, light] =
          (demand[one >> 1] as number) > (demand[other >> 1] as number) ? [one, other] : [other, one];
        const run = heavy >> 1;
        if (run !== light >> 1) blame[run] = (blame[run] as number) + lost(light);
      }
    }
  }
  return blame;
}

/** Runs near this one on its target, played with it and without. None where what is further away matters too. */
function changedWithout(
  run: number,
  transfers: Transfers,
  { start, end }: TransferTimes,
  onTarget: OnTarget,
  slope: number,
): Removal["changed"] {
  const target = transfers.first[run] as number;
  const centre = transfers.start[2 * run] as number;
  const near = Array.from(onTarget(target)).filter(
    (i) => Math.abs((transfers.start[i] as number) - centre) < NEAR_SECONDS,
  );
  const runs = [...new Set(near.map((i) => i >> 1))];
  const before = secondsOf(runs, transfers, slope, undefined);
  const took = (i: number) => (end[i] as number) - (start[i] as number);
  const isWhole = runs.every(
    (one, k) => Math.abs(took(2 * one) + took(2 * one + 1) - (before[k] as number)) < 1e-3,
  );
  if (!isWhole) return [];
  const after = secondsOf(runs, transfers, slope, run);
  return runs
    .map((one, i) => ({ run: one, seconds: before[i] as number, without: after[i] as number }))
    .filter(({ run: one, seconds, without }) => one !== run && without < (1 - GAIN_LEAST) * seconds);
}

/** I/O time of runs when no others are there; that of `removed` is 0. */
function secondsOf(
  runs: readonly number[],
  all: Transfers,
  slope: number,
  removed: number | undefined,
): number[] {
  const few = new Transfers();
  for (const run of runs) {
    const transfer = (i: number) => ({
      start: all.start[i] as number,
      alone: run === removed ? 0 : (all.alone[i] as number),
    });
    const demand = all.demand[run] as number;
    few.add(transfer(2 * run), transfer(2 * run + 1), { demand, first: 0, width: 1 });
  }
  const { start, end } = playTransfers(few, 1, slope);
  const seconds = (i: number) => (end[i] as number) - (start[i] as number);
  return runs.map((_, k) => seconds(2 * k) + seconds(2 * k + 1));
}
