/** One half of a reading: the current counter files of all mounts and of the network. */
import type { ClientSide, ReadFile } from "../../formats/samples/index.ts";
import { readFirst, fileReason } from "../files.ts";
import { clientFiles } from "../lustre-files.ts";
import { readMountFiles } from "./mounts.ts";

interface ReadSide {
  readonly side: ClientSide;
  /** Read errors. Paths omit the mount, so that nodes with the same error count together. */
  readonly notes: readonly string[];
}

export function readSide(root: string, nowNs: () => bigint): ReadSide {
  const { files, unreadable } = clientFiles(root);
  const atNs = nowNs();
  const read: ReadFile[] = [];
  const notes = unreadable.map(({ path, code }) => `${path}: ${fileReason({ code })}`);
  const hasLustre = files.some(({ param }) => param.startsWith("llite/"));
  for (const { paths, param } of files) {
    const name = param.replace(/\/[^/]+\//, "/*/");
    try {
      const bytes = readFirst(paths);
      if (bytes !== undefined) read.push({ path: param, bytes: withoutPadding(bytes) });
      // Which of these files exist depends on the Lustre release.
      else if (hasLustre && !/stats_track_/.test(param)) notes.push(`${name}: no such file`);
    } catch (error) {
      notes.push(`${name}: ${fileReason({ ...(error as object), path: undefined, message: String(error) })}`);
    }
  }
  const others = readMountFiles(root);
  const isLustre = read.some(({ path }) => /^llite\/.*\/stats$/.test(path));
  if (!isLustre && others.files.length === 0) notes.push("no Lustre, NFS or Storage Scale mount found");
  return { side: { atNs, files: [...read, ...others.files] }, notes: [...notes, ...others.notes] };
}

function withoutPadding(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}
