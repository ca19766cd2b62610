/** Runs that others met, and how long those would have taken without: planted truth for questions about what would have been. */
import { playTransfers, Transfers, type TransferTimes } from "./target-load.ts";

interface Removal {
  /** Number of the run that is taken away. */
  readonly run: number;
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

/** The runs that hold up others most. */
export function plantedRemovals(transfers: Transfers, osts: number, slope: number): Removal[] {
  const { start, end } = playTransfers(transfers, osts, slope);
  const byTarget = transfersByTarget(transfers, osts);
  const removals: Removal[] = [];
  for (const run of suspects(transfers, { start, end }, byTarget)) {
    if (removals.length === REMOVALS_MOST) break;
    const one = removalOf(run, transfers, { start, end }, byTarget, slope);
    if (one !== undefined) removals.push(one);
  }
  return removals;
}

/** Transfers of each target in the order of time. */
function transfersByTarget({ start, alone, first, width, count }: Transfers, osts: number): number[][] {
  const lists: number[][] = Array.from({ length: osts }, () => []);
  for (let i = 0; i < count; i++)
    if ((alone[i] as number) > 0)
      for (let stripe = 0; stripe < (width[i] as number); stripe++)
        (lists[((first[i] as number) + stripe) % osts] as number[]).push(i);
  for (const list of lists) list.sort((a, b) => (start[a] as number) - (start[b] as number) || a - b);
  return lists;
}

/** Runs by the time that others lost while they were on the same target, the most first. */
function suspects(
  { alone, demand }: Transfers,
  { start, end }: TransferTimes,
  byTarget: readonly (readonly number[])[],
): number[] {
  const blame = new Map<number, number>();
  for (const list of byTarget)
    for (let a = 0; a < list.length; a++) {
      const one = list[a] as number;
      for (
        let b = a + 1;
        b < list.length && (start[list[b] as number] as number) < (end[one] as number);
        b++
      ) {
        const other = list[b] as number;
        const lost = (i: number) => (end[i] as number) - (start[i] as number) - (alone[i] as number);
        const [heavy, light] =
          (demand[one] as number) > (demand[other] as number) ? [one, other] : [other, one];
        const run = heavy >> 1;
        if (run !== light >> 1) blame.set(run, (blame.get(run) ?? 0) + lost(light));
      }
    }
  return [...blame].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([run]) => run);
}

/** What is near the run on its target, played with it and without. Nothing where what is further away matters too. */
function removalOf(
  run: number,
  transfers: Transfers,
  { start, end }: TransferTimes,
  byTarget: readonly (readonly number[])[],
  slope: number,
): Removal | undefined {
  const target = transfers.first[2 * run] as number;
  const centre = transfers.start[2 * run] as number;
  const near = (byTarget[target] as number[]).filter(
    (i) => Math.abs((transfers.start[i] as number) - centre) < NEAR_SECONDS,
  );
  const runs = [...new Set(near.map((i) => i >> 1))];
  const before = secondsOf(runs, transfers, slope, undefined);
  const took = (i: number) => (end[i] as number) - (start[i] as number);
  const isWhole = runs.every(
    (one, k) => Math.abs(took(2 * one) + took(2 * one + 1) - (before[k] as number)) < 1e-3,
  );
  if (!isWhole) return undefined;
  const after = secondsOf(runs, transfers, slope, run);
  const changed = runs
    .map((one, i) => ({ run: one, seconds: before[i] as number, without: after[i] as number }))
    .filter(({ run: one, seconds, without }) => one !== run && without < (1 - GAIN_LEAST) * seconds);
  return changed.length === 0 ? undefined : { run, changed };
}

/** I/O time of runs when no others are there; that of `removed` is 0. */
function secondsOf(
  runs: readonly number[],
  all: Transfers,
  slope: number,
  removed: number | undefined,
): number[] {
  const few = new Transfers();
  for (const run of runs)
    for (const i of [2 * run, 2 * run + 1])
      few.add(
        all.start[i] as number,
        run === removed ? 0 : (all.alone[i] as number),
        all.demand[i] as number,
        0,
        1,
      );
  const { start, end } = playTransfers(few, 1, slope);
  const seconds = (i: number) => (end[i] as number) - (start[i] as number);
  return runs.map((_, k) => seconds(2 * k) + seconds(2 * k + 1));
}
