/** Slices of a generated folder: each in a folder of its own in `parts`, then one store of all of them. */
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import type { Listener } from "../../base/listener.ts";
import { makeFolder } from "../../node/folders.ts";
import { replaceFolder } from "../../node/output-folder.ts";
import type { Slice } from "../reuse/index.ts";

const partPath = (path: string, { index, of }: Slice): string => join(path, "parts", `${index}-of-${of}`);

/** Makes the folder of a slice below `path`, which is there whole or not at all. A slice that is made again is the same. */
export async function writePart(
  path: string,
  slice: Slice,
  listener: Listener,
  fill: (work: string) => Promise<void>,
): Promise<{ readonly part: string }> {
  const part = partPath(path, slice);
  makeFolder(dirname(part));
  await replaceFolder({ path: part, what: "slice", isOurs: () => true }, listener, fill);
  return { part };
}

/**
 * Joins `of` slices below `path`: their rows become one batch of one store, by renaming files, segments before the entry of the
 * manifest, so that it can be stopped and begun again. `conclude` gets their folders and
 * writes answers last: where they are, all has been moved, and there may be no folders.
 */
export async function joinParts<T>(
  path: string,
  { tables, of }: { readonly tables: boolean; readonly of: number },
  conclude: (parts: readonly string[]) => Promise<{ readonly result: T; write(): void }>,
): Promise<T> {
  const parts = Array.from({ length: of }, (_, i) => partPath(path, { index: i + 1, of }));
  const joined = existsSync(join(path, "answers.json"));
  const missing = joined ? undefined : parts.find((part) => !existsSync(part));
  if (missing !== undefined) throw new UsageError(`${missing} is missing: generate that slice first`);
  const { result, write } = await conclude(joined ? [] : parts);
  if (tables && !joined) {
    const { adoptBatches } = await import("../../store/index.ts");
    await adoptBatches(
      join(path, "store"),
      parts.map((part) => join(part, "store")),
    );
  }
  write();
  rmSync(join(path, "parts"), { recursive: true, force: true });
  return result;
}
