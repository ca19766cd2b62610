/** Named moments of a commit, a compaction and a repair, where tests stop or kill the process. Nothing else uses them. */
export type StorePoint =
  | "segment-written"
  | "segments-synced"
  | "segment-renamed"
  | "segments-renamed"
  | "manifest-written"
  | "manifest-renamed"
  | "settled"
  | "entry-removed"
  | "segment-removed"
  | "set-aside"
  | "entry-aside";

let reachedPoint: ((point: StorePoint) => void) | undefined;

export function onStorePoint(handler: ((point: StorePoint) => void) | undefined): void {
  reachedPoint = handler;
}

export function reached(point: StorePoint): void {
  reachedPoint?.(point);
}
