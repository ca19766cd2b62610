/** Contents of the bytes between regions after a write, for verification. */
import type { NcioMethod } from "../../model/index.ts";

interface HolesAfter {
  /** In a new file, up to its last region. */
  readonly newFile: "zero";
  /** In an existing file. */
  readonly existingFile: "kept";
  /**
   * The method reads holes and writes them back: concurrent writes of other programs there can be lost. Other ranks of the same
   * operation are safe: with sieving they take turns, with two phase one aggregator writes for all of them.
   */
  readonly rewritten: boolean;
}

/** A window with holes is read before it is written, up to the end of the file. */
export function holesAfter(method: NcioMethod): HolesAfter {
  const rewritten = method === "sieving" || method === "two-phase";
  return { newFile: "zero", existingFile: "kept", rewritten };
}
