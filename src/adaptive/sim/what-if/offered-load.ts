/** Load offered by others on the same targets during a transfer, in pieces of its time. */
import type { Placed } from "./schedule.ts";

/** A share of a transfer's time, and the bytes per second that others would have taken alone in it. */
interface Piece {
  readonly share: number;
  readonly offered: number;
}

/** A time with another transfer. */
interface Overlap {
  readonly from: number;
  readonly to: number;
  readonly demand: number;
}

/**
 * For each shared transfer the pieces of its time on its most loaded target; `rates` are rates without others. Time not covered
 * by pieces had no others.
 */
export function offeredLoads(
  all: readonly Placed[],
  rates: readonly number[],
): Map<number, readonly Piece[]> {
  const byTarget = new Map<number, number[]>();
  all.forEach(({ transfer }, i) => {
    for (const target of transfer.targets) {
      const list = byTarget.get(target);
      if (list === undefined) byTarget.set(target, [i]);
      else list.push(i);
    }
  });
  const most = new Map<number, { sum: number; overlaps: readonly Overlap[] }>();
  for (const list of byTarget.values())
    for (const [i, overlaps] of overlapsOn(list, all, rates)) {
      const sum = overlaps.reduce((bytes, { from, to, demand }) => bytes + demand * (to - from), 0);
      if (sum > (most.get(i)?.sum ?? 0)) most.set(i, { sum, overlaps });
    }
  return new Map([...most].map(([i, { overlaps }]) => [i, piecesOf(overlaps, all[i] as Placed)]));
}

/** Overlapping transfers on one target. */
function overlapsOn(
  list: number[],
  all: readonly Placed[],
  rates: readonly number[],
): Map<number, Overlap[]> {
  list.sort((a, b) => (all[a] as Placed).start - (all[b] as Placed).start || a - b);
  const result = new Map<number, Overlap[]>();
  const add = (i: number, other: number, from: number, to: number) => {
    const demand = (rates[other] as number) / (all[other] as Placed).transfer.targets.length;
    const own = result.get(i);
    if (own === undefined) result.set(i, [{ from, to, demand }]);
    else own.push({ from, to, demand });
  };
  // Transfers that may overlap the next one.
  let open: number[] = [];
  for (const i of list) {
    const { start, end } = all[i] as Placed;
    open = open.filter((j) => (all[j] as Placed).end > start);
    for (const j of open) {
      const to = Math.min(end, (all[j] as Placed).end);
      if (to <= start) continue;
      add(i, j, start, to);
      add(j, i, start, to);
    }
    open.push(i);
  }
  return result;
}

function piecesOf(overlaps: readonly Overlap[], { start, end }: Placed): Piece[] {
  const changes = overlaps
    .flatMap(({ from, to, demand }) => [
      { at: from, demand },
      { at: to, demand: -demand },
    ])
    .sort((a, b) => a.at - b.at);
  const pieces: Piece[] = [];
  let [since, offered] = [start, 0];
  for (const { at, demand } of changes) {
    if (at > since && offered > 0) pieces.push({ share: (at - since) / (end - start), offered });
    since = at;
    offered += demand;
  }
  return pieces;
}

/** Slowdown against running alone at a slope: in each piece of its time it progresses more slowly. */
export function slownessAt(slope: number, pieces: readonly Piece[]): number {
  let lost = 0;
  for (const { share, offered } of pieces) lost += share * (1 - 1 / (1 + slope * offered));
  return 1 / Math.max(1e-3, 1 - lost);
}
