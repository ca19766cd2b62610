/** What the columns of a store's rows share. */
import type { GrowingIntegers } from "../../base/growing.ts";

/** A 64-bit number in halves. */
export interface Identity {
  readonly low: number;
  readonly high: number;
}

export type Text = string | null;

/** 64-bit identities are kept in signed columns and handed out unsigned. */
export const unsigned = ({ values }: GrowingIntegers) => new BigUint64Array(values.buffer);
