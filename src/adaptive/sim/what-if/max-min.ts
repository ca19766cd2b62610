/**
 * Max-min fair rates of flows over shared places. All rates grow together; a flow stops at its own limit, or when one of its
 * places is full, and the rest goes to the others. While rates are fixed in ascending order, the remaining share of a place per
 * open flow only grows, so a heap with stale keys finds the next full place: a key is recomputed when it reaches the top.
 */
import { assert } from "../../../base/assert.ts";

export interface Place {
  /** Remaining capacity, and number of growing flows; both are consumed. */
  room: number;
  open: number;
  readonly flows: Iterable<MaxMinFlow>;
}

export interface MaxMinFlow {
  readonly places: readonly Place[];
  /** Max rate of the flow over all its places. */
  readonly limit: number;
  /** Result: rate over all its places; NaN while it grows. */
  share: number;
}

/** Sets the share of every flow. `places` are all places of all `flows`, and have no other flows. */
export function shareMaxMin(flows: MaxMinFlow[], places: readonly Place[]): void {
  for (const flow of flows) flow.share = Number.NaN;
  const byLimit = flows.toSorted((a, b) => a.limit / a.places.length - b.limit / b.places.length);
  const heap = new PlaceHeap(places);
  let next = 0;
  for (let left = flows.length; left > 0; ) {
    while (!Number.isNaN((byLimit[next] as MaxMinFlow).share)) next++;
    const slowest = byLimit[next] as MaxMinFlow;
    const level = slowest.limit / slowest.places.length;
    const full = heap.first();
    if (full === undefined || level <= full.room / full.open) {
      settle(slowest, level);
      left--;
      continue;
    }
    const share = full.room / full.open;
    for (const flow of full.flows)
      if (Number.isNaN(flow.share)) {
        settle(flow, share);
        left--;
      }
  }
}

function settle(flow: MaxMinFlow, level: number): void {
  assert(Number.isNaN(flow.share), "a flow is settled once");
  flow.share = level * flow.places.length;
  assert(flow.share <= flow.limit * (1 + 1e-9), "no flow gets more than its limit");
  for (const place of flow.places) {
    place.room -= level;
    place.open--;
    assert(place.open >= 0, "no more flows settle on a place than it has");
  }
}

class PlaceHeap {
  readonly #places: Place[];
  readonly #keys: number[];

  constructor(places: readonly Place[]) {
    const sorted = places.toSorted((a, b) => a.room / a.open - b.room / b.open);
    this.#places = sorted;
    this.#keys = sorted.map(({ room, open }) => room / open);
  }

  /** The place with the smallest share per open flow; it stays in. */
  first(): Place | undefined {
    while (this.#places.length > 0) {
      const place = this.#places[0] as Place;
      if (place.open === 0) this.#sink(this.#places.pop() as Place, this.#keys.pop() as number);
      else {
        const key = place.room / place.open;
        if (key <= (this.#keys[0] as number)) return place;
        this.#sink(place, key);
      }
    }
    return undefined;
  }

  /** Replaces the top. */
  #sink(place: Place, key: number): void {
    const [places, keys] = [this.#places, this.#keys];
    if (places.length === 0) return;
    let at = 0;
    for (let child = 1; child < places.length; child = 2 * at + 1) {
      if (child + 1 < places.length && (keys[child + 1] as number) < (keys[child] as number)) child++;
      if ((keys[child] as number) >= key) break;
      places[at] = places[child] as Place;
      keys[at] = keys[child] as number;
      at = child;
    }
    places[at] = place;
    keys[at] = key;
  }
}
