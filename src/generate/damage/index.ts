/**
 * The damage pack, Darshan part: logs that are broken, odd or at a limit, each with what must become of it. A reader may
 * refuse a log, never fail on it, and never lose the others.
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
