/** Files of a drop or of a button, folders with all below them. */
import { UsageError } from "../../src/base/errors.ts";
import { formatCount } from "../../src/base/units.ts";
import type { DroppedFile } from "./messages.ts";

/** Listing more would not end. */
const FILES_MAX = 20_000;

function requireFew(count: number): void {
  if (count > FILES_MAX)
    throw new UsageError(
      `more than ${formatCount(FILES_MAX)} files; drop the folder of one job, or use plimsoll report FOLDER`,
    );
}

interface EntryLike {
  readonly isFile: boolean;
  readonly name: string;
  file?(done: (file: File) => void, failed: (error: unknown) => void): void;
  createReader?(): {
    readEntries(done: (entries: readonly EntryLike[]) => void, failed: (error: unknown) => void): void;
  };
}

interface HandleLike {
  readonly kind: "file" | "directory";
  readonly name: string;
  getFile?(): Promise<File>;
  values?(): AsyncIterable<HandleLike>;
}

type Item = DataTransferItem & { getAsFileSystemHandle?(): Promise<HandleLike | null> };

/**
 * Handles first: from file:// Chromium gives entries that cannot be read. All are asked for before the first await, since
 * the list of a drop is empty afterwards.
 */
export async function droppedFiles(data: DataTransfer): Promise<DroppedFile[]> {
  const items = [...data.items].filter(({ kind }) => kind === "file") as Item[];
  const handles = items.map((item) => item.getAsFileSystemHandle?.().catch(() => null));
  const entries = items.map((item) => item.webkitGetAsEntry?.() as EntryLike | null);
  const plain = [...data.files];
  const found: DroppedFile[] = [];
  for (let at = 0; at < items.length; at++) {
    const [handle, entry, file] = [await handles[at], entries[at], plain[at]];
    if (handle) await fromHandle(handle, "", found);
    else if (entry) await fromEntry(entry, "", found);
    else if (file) found.push({ path: file.name, file });
  }
  requireFew(found.length);
  return found;
}

/** Of `input type=file`, with or without folders. */
export function pickedFiles(files: FileList): DroppedFile[] {
  requireFew(files.length);
  return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

async function fromHandle(handle: HandleLike, folder: string, into: DroppedFile[]): Promise<void> {
  requireFew(into.length);
  const path = `${folder}${handle.name}`;
  if (handle.kind === "file" && handle.getFile) into.push({ path, file: await handle.getFile() });
  else if (handle.values) for await (const one of handle.values()) await fromHandle(one, `${path}/`, into);
}

async function fromEntry(entry: EntryLike, folder: string, into: DroppedFile[]): Promise<void> {
  requireFew(into.length);
  const path = `${folder}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) => entry.file?.(done, failed));
    into.push({ path, file });
    return;
  }
  const reader = entry.createReader?.();
  for (;;) {
    const some = await new Promise<readonly EntryLike[]>((done, failed) => reader?.readEntries(done, failed));
    if (some.length === 0) return;
    for (const one of some) await fromEntry(one, `${path}/`, into);
  }
}
