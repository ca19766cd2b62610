/** The ranks and targets of each group. Every process computes the same layout by itself. */
import { assert } from "../../base/assert.ts";
import type { Rank, TargetId } from "./step.ts";

export interface Layout {
  readonly groups: number;
  /** Ranks of group g are [firstRank[g], firstRank[g + 1]); the first of them leads it. */
  readonly firstRank: Int32Array;
  /** Targets of group g are [firstTarget[g], firstTarget[g + 1]), at least one. */
  readonly firstTarget: Int32Array;
}

/** Consecutive ranks in groups of nearly equal size, one per target; each group then has one target. */
export function evenLayout(writers: number, targets: number): Layout {
  const groups = Math.min(writers, targets);
  return checked(
    { groups, firstRank: even(writers, groups), firstTarget: identity(groups) },
    writers,
    targets,
  );
}

/** As `evenLayout`, but with fewer writers than targets every target is used: groups then have several. */
export function wideLayout(writers: number, targets: number): Layout {
  const groups = Math.min(writers, targets);
  const firstTarget = even(targets, groups);
  return checked({ groups, firstRank: even(writers, groups), firstTarget }, writers, targets);
}

/** Groups in proportion to weights, at least one rank each. */
export function weightedLayout(writers: number, weights: ArrayLike<number>): Layout {
  const groups = weights.length;
  assert(writers >= groups, "a weighted layout needs a rank per group");
  let total = 0;
  for (let g = 0; g < groups; g++) total += weights[g] as number;
  const firstRank = new Int32Array(groups + 1);
  let sum = 0;
  for (let g = 1; g < groups; g++) {
    sum += weights[g - 1] as number;
    const wanted = Math.round((writers * sum) / total);
    const lowest = (firstRank[g - 1] as number) + 1;
    firstRank[g] = Math.min(Math.max(wanted, lowest), writers - (groups - g));
  }
  firstRank[groups] = writers;
  return checked({ groups, firstRank, firstTarget: identity(groups) }, writers, groups);
}

function checked(layout: Layout, writers: number, targets: number): Layout {
  const { groups, firstRank, firstTarget } = layout;
  assert(
    groups > 0 && firstRank[0] === 0 && firstTarget[0] === 0,
    "a layout begins with rank 0 and target 0",
  );
  assert(firstRank[groups] === writers, "every rank is in a group");
  assert((firstTarget[groups] as number) <= targets, "a layout uses existing targets");
  for (let g = 0; g < groups; g++) {
    assert((firstRank[g] as number) < (firstRank[g + 1] as number), "every group has a rank");
    assert((firstTarget[g] as number) < (firstTarget[g + 1] as number), "every group has a target");
  }
  return layout;
}

export function groupOfRank(layout: Layout, rank: Rank): number {
  assert(rank >= 0 && rank < (layout.firstRank[layout.groups] as number), "a rank of the run");
  return find(layout.firstRank, rank);
}

/** -1 for a target that the layout does not use. */
export function groupOfTarget(layout: Layout, target: TargetId): number {
  return target < (layout.firstTarget[layout.groups] as number) ? find(layout.firstTarget, target) : -1;
}

/** The last place whose value is not above `value`. */
function find(firsts: Int32Array, value: number): number {
  let low = 0;
  let high = firsts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((firsts[middle] as number) <= value) low = middle;
    else high = middle;
  }
  return low;
}

function even(items: number, groups: number): Int32Array {
  return Int32Array.from({ length: groups + 1 }, (_, g) => Math.floor((items * g) / groups));
}

function identity(groups: number): Int32Array {
  return Int32Array.from({ length: groups + 1 }, (_, g) => g);
}
