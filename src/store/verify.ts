/** Whether segments are what the manifest says. */
import { join } from "node:path";
import { assert } from "../base/assert.ts";
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

/** Segments that are read together. */
export interface VerifyTask {
  readonly store: string;
  readonly segments: readonly Segment[];
}

/** Of each segment what is wrong with it. */
export async function faultsOf(
  store: string,
  segments: readonly Segment[],
  depth: { readonly deep: boolean },
): Promise<(string | undefined)[]> {
  const faults: (string | undefined)[] = [];
  for (const segment of segments) faults.push(await segmentFault(store, segment, depth));
  return faults;
}

/** Less than this is read before a second thread has started. */
export const TASK_BYTES = 64 * 2 ** 20;

/**
 * Segments in groups that take a thread some time, in their order. A checksum of a gigabyte takes about a second of one core,
 * a size next to nothing.
 */
export function groupsOf(segments: readonly Segment[], bytesLeast: number): Segment[][] {
  const groups: Segment[][] = [];
  let group: Segment[] = [];
  let bytes = 0;
  for (const segment of segments) {
    group.push(segment);
    bytes += segment.bytes;
    if (bytes < bytesLeast) continue;
    groups.push(group);
    group = [];
    bytes = 0;
  }
  if (group.length > 0) groups.push(group);
  assert(groups.flat().length === segments.length, "every segment is verified once");
  return groups;
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
