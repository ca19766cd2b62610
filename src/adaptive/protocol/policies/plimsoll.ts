/**
 * Our own policy: writers per file by measured rates, pieces that shrink towards the end, work moves where it ends soonest, a
 * history of target speeds, and second copies of the last stragglers.
 */
import { assert } from "../../../base/assert.ts";
import { evenLayout, type Layout, wideLayout, weightedLayout } from "../layout.ts";
import {
  type Choice,
  type CoordinatorPolicy,
  type FilePolicy,
  type GroupView,
  type IdleFile,
  type Policy,
  type Work,
  canGive,
  sizeOf,
} from "../policy.ts";
import { MeasuredFile, PIECE_BYTES_MIN, PIECE_SECONDS, SLOTS_MAX } from "./measured-file.ts";

/** Slower than this share of the median in earlier steps: not used at all. A RAID rebuild leaves 0.2 to 0.4. */
const SKIP_BELOW = 0.1;
/**
 * Slower than this share of the median: fewer ranks. Rates nearer to the median differ by the load at the time, which has
 * changed, and groups that follow it are worse than even ones. Work on targets that are slow now moves later.
 */
const SLOW_BELOW = 0.5;
const WEIGHT_MIN = 0.25;
/** Max pieces moved per request. */
const PIECES_MAX = 4;

export const plimsollPolicy: Policy = {
  name: "plimsoll",
  separateIndex: false,
  offers: "nothing-waiting",
  slotsMax: SLOTS_MAX,
  reportsProgress: true,
  layout: layoutOf,
  skipped,
  file: (work, target): FilePolicy => new MeasuredFile(work, target),
  coordinator: (work) => new ByFinishTime(work),
};

function layoutOf(work: Work): Layout {
  const { writers, targets, priorRates } = work;
  if (writers < targets) return wideLayout(writers, targets);
  const median = medianRate(priorRates);
  if (priorRates === undefined || Number.isNaN(median)) return evenLayout(writers, targets);
  const weights = Array.from(priorRates, (rate) =>
    rate < SLOW_BELOW * median ? Math.max(WEIGHT_MIN, rate / median) : 1,
  );
  return weightedLayout(writers, weights);
}

function skipped({ priorRates }: Work): number[] {
  const median = medianRate(priorRates);
  return Array.from(priorRates ?? []).flatMap((rate, target) => (rate < SKIP_BELOW * median ? [target] : []));
}

/** Median of the measured rates; NaN without one. */
function medianRate(rates: ArrayLike<number> | undefined): number {
  const sorted = Array.from(rates ?? [])
    .filter((rate) => rate > 0)
    .sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Takes from the group that would end last, so much that both end at the same time. */
class ByFinishTime implements CoordinatorPolicy {
  readonly speculateSeconds = PIECE_SECONDS;
  readonly #typicalBytes: number;

  constructor(work: Work) {
    this.#typicalBytes = sizeOf(work, 0);
  }

  choose(idle: IdleFile, groups: readonly GroupView[], now: number): Choice | undefined {
    let best: GroupView | undefined;
    let bestSeconds = -1;
    for (const view of groups) {
      if (view.group === idle.group || !canGive(view)) continue;
      const seconds = view.stuck
        ? Number.POSITIVE_INFINITY
        : waitingBytes(view, now) / ownRate(view, idle, now);
      if (seconds <= bestSeconds || !(seconds > 0)) continue;
      best = view;
      bestSeconds = seconds;
    }
    if (best === undefined) return undefined;
    // An unmeasured file is taken to be as fast as the giver.
    const rate = idle.rate > 0 ? idle.rate : best.rate > 0 ? best.rate : this.#typicalBytes;
    const waiting = waitingBytes(best, now);
    const share = best.stuck ? waiting : (waiting * rate) / (rate + ownRate(best, idle, now));
    assert(share >= 0 && share <= waiting, "no more bytes move than wait");
    const least = Math.max(PIECE_BYTES_MIN, rate * PIECE_SECONDS);
    if (!best.stuck && bestSeconds < least / rate) return undefined;
    const bytes = Math.max(least, share / 2);
    const pieceBytes = Math.max(least, share / (4 * idle.slots));
    return { group: best.group, bytes, piecesMax: PIECES_MAX, pieceBytes };
  }
}

/** A group reports whenever its waiting bytes have halved; so at least half of the last report is still there. */
function waitingBytes({ waitingBytes: said, askedBytes, heardAt, rate }: GroupView, now: number): number {
  const gone = rate > 0 ? rate * (now - heardAt) : 0;
  return Math.max(0, Math.max(said / 2, said - gone) - askedBytes);
}

/** The group's own rate: as reported, or lower when its next report is overdue. */
function ownRate({ waitingBytes: said, heardAt, rate }: GroupView, idle: IdleFile, now: number): number {
  const known = rate > 0 ? rate : idle.rate > 0 ? idle.rate : 1;
  const elapsed = now - heardAt;
  return elapsed > 0 ? Math.min(known, said / 2 / elapsed) : known;
}
