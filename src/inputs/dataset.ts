/** Opens a dataset by the name of its global file, or any single BP file. */
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { FormatError, UsageError } from "../base/errors.ts";
import { HEAD_BYTES } from "../base/source.ts";
import { bp, BpDataset } from "../formats/bp/index.ts";
import { otherUse } from "../formats/catalogue.ts";
import { crc32 } from "../node/crc32.ts";
import { type FileSource, openFile } from "../node/file-source.ts";

/** Runs `use` on the dataset and closes its files afterwards. */
export async function withDataset<T>(path: string, use: (dataset: BpDataset) => T | Promise<T>): Promise<T> {
  const open = new Map<string, FileSource>();
  const source = (name: string): FileSource => {
    const opened = open.get(name) ?? openFile(name);
    open.set(name, opened);
    return opened;
  };
  if (!existsSync(path) && existsSync(`${path}.dir`)) {
    throw new UsageError(
      `${path}: data files without an index: the write was interrupted; continue it with plimsoll write --resume`,
    );
  }
  try {
    const main = source(path);
    const head = main.read(0, HEAD_BYTES);
    if (!bp.recognizes(head, path)) {
      const other = otherUse(head, path);
      if (other !== undefined) throw new FormatError(path, {}, other);
    }
    const dataset = new BpDataset({
      main,
      subfile: (k) => source(join(`${path}.dir`, `${basename(path)}.${k}`)),
      crc32,
    });
    return await use(dataset);
  } finally {
    for (const one of open.values()) one.close();
  }
}
