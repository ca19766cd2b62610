/** Sources, targets and writes within this process, for tests of the writer. Every test has a separate folder. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeEach, expect } from "vitest";
import type { BackendSpec } from "../backend/index.ts";
import { BpDataset } from "../../formats/bp/index.ts";
import { crc32 } from "../../node/crc32.ts";
import { type FileSource, openFile } from "../../node/file-source.ts";
import { openAdaptive, type WriterOptions } from "./index.ts";

/** Folder of the current test. */
export let folder = "";

export function useFolders(): void {
  const root = mkdtempSync(join(tmpdir(), "plimsoll-runtime-"));
  let count = 0;
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  beforeEach(() => {
    folder = join(root, String(count++));
    for (const name of ["a", "b", "c", "ranks"]) mkdirSync(join(folder, name), { recursive: true });
  });
}

export const dataset = () => join(folder, "x.bp");
export const options = (more: Partial<WriterOptions> = {}): WriterOptions => ({
  path: dataset(),
  targets: ["a", "b", "c"].map((name) => join(folder, name)),
  writers: 2,
  inProcess: true,
  history: false,
  ...more,
});

/** Bytes that differ everywhere. */
export function noise(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed + 1;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

export function makeSources(sizes: readonly number[]): string[] {
  return sizes.map((size, i) => {
    const path = join(folder, "ranks", `rank${i}`);
    writeFileSync(path, noise(size, i));
    return path;
  });
}

export async function write(
  sources: readonly (string | Uint8Array)[],
  arrays: string[],
  more: Partial<WriterOptions> = {},
) {
  const writer = await openAdaptive(options(more));
  try {
    return await writer.writeStep(sources, { arrays });
  } finally {
    await writer.close();
  }
}

/** All sources as one variable. */
export const JOINED = ["data:uint8:*"];

/** A variable of the last step or another, and whether every checksum holds. */
export function readBack(name: string, step?: number, path = dataset()): Buffer {
  const open: FileSource[] = [];
  const source = (path: string) => {
    const file = openFile(path);
    open.push(file);
    return file;
  };
  try {
    const data = new BpDataset({
      main: source(path),
      subfile: (k) => source(join(`${path}.dir`, `${basename(path)}.${k}`)),
      crc32,
    });
    for (const { damage } of data.verify()) expect(damage).toBeUndefined();
    return Buffer.concat(
      [...data.read(data.variable(name), step === undefined ? {} : { step })].map((one) => one.slice()),
    );
  } finally {
    for (const one of open) one.close();
  }
}

export const joined = (paths: readonly string[]) => Buffer.concat(paths.map((path) => readFileSync(path)));

/** Every process fails when most is written, and leaves its finished pieces. */
export async function cutShort(sources: readonly string[], arrays = JOINED): Promise<void> {
  const faults = [0, 1, 2].map(
    (target) => ({ target, call: "write", code: "ENOSPC", afterBytes: 1_000_000 }) as const,
  );
  const backend: BackendSpec = { kind: "faulty", of: { kind: "posix" }, faults };
  await expect(write(sources, arrays, { backend, policy: "paper", writers: 1 })).rejects.toThrow(
    "written data is kept: --resume continues",
  );
  expect(existsSync(dataset())).toBe(false);
}

/** Sizes of sources that `cutShort` writes in part. */
export const CUT_SIZES = [900_000, 800_000, 700_000, 600_000, 500_000, 400_000];
