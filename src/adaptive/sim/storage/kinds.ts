/** Event kinds of the storage model; all below `FIRST_HOST_KIND`. A host passes such events to `World.handle`. */

/** The next change of a target: a write is accepted, or the dirty limit is reached. a: target, b: version. */
export const TARGET_DUE = 0;
/** A write has been flushed: its end. a: token, b: epoch of the token. */
export const WRITE_END = 1;
/** A light background stream arrives or leaves. a: target. */
export const LIGHT_CHANGE = 2;
/** A heavy background job arrives. */
export const HEAVY_ARRIVAL = 3;
/** A heavy background job ends. a: its number. */
export const HEAVY_END = 4;
