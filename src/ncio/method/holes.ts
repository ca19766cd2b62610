/** What a write leaves in the bytes between the regions, for whoever verifies a file. */
import type { NcioMethod } from "../../model/index.ts";

interface HolesAfter {
  /** In a file that was empty, up to its last region. */
  readonly newFile: "zero";
  /** In a file that was there. */
  readonly existingFile: "kept";
  /**
   * The method reads holes and writes them back: what somebody else writes there meanwhile can be lost. Other ranks of the same
   * operation are safe: with sieving they take turns, with two phase one aggregator writes for all of them.
   */
  readonly rewritten: boolean;
}

/** No method invents bytes: where a window has holes it is read before it is written, as far as the file goes. */
export function holesAfter(method: NcioMethod): HolesAfter {
  const rewritten = method === "sieving" || method === "two-phase";
  return { newFile: "zero", existingFile: "kept", rewritten };
}
