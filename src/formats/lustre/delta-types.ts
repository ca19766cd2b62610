/** What the tracker takes and gives. */
import type { DeltaRows } from "./delta-rows.ts";
import type { Reading } from "./reading.ts";

export interface TrackerOptions {
  /** The servers' job_cleanup_interval in ns (600 s). */
  readonly cleanupNs?: bigint;
  /** When the collection began: rows that started later count from the first reading on. */
  readonly sinceNs?: bigint;
  /** How far readings are apart when none is missing; beyond one and a half of it there is a gap. */
  readonly everyNs?: bigint;
  /** A target that has not been read for so long is forgotten (1 day). */
  readonly forgetNs?: bigint;
}

/** What happened to one target between two readings; valid until the next one is fed. */
export interface Deltas {
  readonly reading: Reading;
  /** The reading before; undefined at the first. Differences belong to the whole of [fromNs, toNs]. */
  readonly fromNs: bigint | undefined;
  readonly toNs: bigint;
  /** Readings are missing in between. */
  readonly gap: boolean;
  /** Only counters that changed. */
  readonly changed: DeltaRows;
  /** Values that were there at the first reading: no differences, never to be added to them. */
  readonly carriedIn: DeltaRows;
  /** Counters of the reading that were negative and are in neither; the number, and the name of the first. */
  readonly invalid: { readonly count: number; readonly name: string };
}

export class TrackerCounts {
  readings = 0;
  /** Readings that are not later than the last one of their target; left out. */
  outOfOrder = 0;
  /** Readings whose text was cut; what is missing is as if it had not been read. */
  cut = 0;
  gaps = 0;
  carriedIn = 0;
  begun = 0;
  restarted = 0;
  reset = 0;
  /** Counters that fell although their row did not begin again. */
  backwards = 0;
  wrapped = 0;
  /** Counters that were negative and were left out. */
  invalid = 0;
  suspect = 0;
  /** Rows that are gone after a time idle, gone without one, and back after a reading without them. */
  expired = 0;
  vanished = 0;
  returned = 0;
  /** Readings in which most of the busy rows were gone at once: cleared, restarted or failed over. */
  cleared = 0;
  remounts = 0;
}
