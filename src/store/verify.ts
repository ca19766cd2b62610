/** Whether segments are what the manifest says. */
import { join } from "node:path";
import { FormatError } from "../base/errors.ts";
import { hashFile, sizeOf } from "./files.ts";
import type { BatchInfo, Segment } from "./manifest.ts";

/** What is wrong with a segment; `deep` reads all of it and compares the checksum. */
export async function segmentFault(
  store: string,
  { file, bytes, sha256 }: Segment,
  { deep }: { readonly deep: boolean },
): Promise<string | undefined> {
  const path = join(store, file);
  const found = sizeOf(path);
  if (found === undefined) return "segment is missing";
  if (found !== bytes) return `${found} bytes, the manifest says ${bytes}`;
  if (deep && (await hashFile(path)) !== sha256) return "checksum differs from the manifest: content changed";
  return undefined;
}

/**
 * Before rows are copied: a byte that was changed must not get a new, right checksum. Throws for the first segment that is
 * not what the manifest says.
 */
export async function verifySegments(
  store: string,
  batches: readonly BatchInfo[],
  tables?: readonly string[],
): Promise<void> {
  for (const batch of batches) {
    for (const [table, segments] of Object.entries(batch.tables)) {
      if (tables !== undefined && !tables.includes(table)) continue;
      for (const segment of segments) {
        const fault = await segmentFault(store, segment, { deep: true });
        if (fault === undefined) continue;
        const advice = "restore the file from a backup, or see plimsoll store repair";
        throw new FormatError(join(store, segment.file), {}, `${fault}; nothing was written; ${advice}`);
      }
    }
  }
}
