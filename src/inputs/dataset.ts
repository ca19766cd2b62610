/** Datasets: opened by the name of its global file, or any single BP file; some of their blocks, and their checksums. */
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { FormatError, UsageError } from "../base/errors.ts";
import { HEAD_BYTES } from "../base/source.ts";
import {
  type BlockCheck,
  bp,
  type BpBlock,
  BpDataset,
  type BpVariable,
  dataBytes,
  firstElement,
  fullName,
} from "../formats/bp/index.ts";
import type { Listener } from "../base/listener.ts";
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

/** Blocks that the condition does not rule out, with their numbers. */
export function chooseBlocks(
  variable: BpVariable,
  blocks: readonly BpBlock[],
  { where, block }: { where: string | undefined; block: number | undefined },
): [number, BpBlock][] {
  const numbered = [...blocks.entries()];
  if (block !== undefined) {
    const one = numbered[block];
    if (one === undefined)
      throw new UsageError(
        `--block ${block}: "${fullName(variable)}" has ${blocks.length} blocks in this step, numbered from 0`,
      );
    return [one];
  }
  const match = /^\s*(min|max)\s*(<=|>=|<|>)\s*([-+0-9.eE]+)\s*$/.exec(where ?? "");
  const limit = Number(match?.[3]);
  if (match === null || !Number.isFinite(limit))
    throw new UsageError(
      `--where ${where}: expected min or max, one of < <= > >=, and a number, such as max>300`,
    );
  const [, side, comparison] = match;
  const fits: Readonly<Record<string, (value: number) => boolean>> = {
    "<": (value) => value < limit,
    "<=": (value) => value <= limit,
    ">": (value) => value > limit,
    ">=": (value) => value >= limit,
  };
  if (!blocks.every(({ statistics }) => statistics?.min !== undefined))
    throw new UsageError(`--where: "${fullName(variable)}" was written without min and max`);
  return numbered.filter(([, { statistics }]) => {
    const value = firstElement(side === "min" ? statistics?.min : statistics?.max, variable.type);
    return (
      statistics?.finite === true && (fits[comparison as string] as (v: number) => boolean)(Number(value))
    );
  });
}

/** Reads every block and compares its checksum. */
export async function verifyDataset(dataset: BpDataset, listener: Listener) {
  const { variables } = dataset.file;
  const total = variables.reduce(
    (sum, one) => sum + one.blocks.reduce((part, block) => part + dataBytes(one, block), 0),
    0,
  );
  const progress = listener.progress?.({ label: "verifying", total, unit: "bytes" });
  const damaged: BlockCheck[] = [];
  let [blocks, bytes] = [0, 0];
  for (const one of dataset.verify()) {
    blocks++;
    bytes += one.bytes;
    if (one.damage !== undefined) damaged.push(one);
    progress?.update(bytes);
    await listener.yieldToEvents?.();
  }
  progress?.end();
  return { blocks, bytes, checksums: dataset.hasChecksums, damaged };
}
