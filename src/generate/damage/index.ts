/**
 * The damage pack, Darshan part: broken, odd and borderline logs, each with its expected outcome. A reader may refuse a
 * log, but never crash on it, and never lose the others.
 */
import type { WriteOptions } from "../../formats/darshan/writer.ts";
import { BROKEN } from "./broken.ts";
import { ODD } from "./odd.ts";
import type { DamagedLog } from "./plan.ts";

export type { DamagedLog } from "./plan.ts";

/** All files of the pack; the same bytes every time. */
export function damagePack(encoders: WriteOptions["encoders"]): DamagedLog[] {
  return [...BROKEN, ...ODD].map(({ make, ...file }) => ({ ...file, bytes: make(encoders) }));
}
