/** For tests that a log and its own conversion say the same: `report` and `diff` see no change. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect } from "vitest";
import { inside } from "../../src/cli/darshan/test-kit.ts";
import { MODULES } from "../../src/formats/darshan/modules/index.ts";
import { layOut, takeApart } from "../fuzz/build-log.ts";

export const FIXTURES = fileURLToPath(new URL("../fixtures/darshan", import.meta.url));

let folder: string;
export function useSameFolder(): void {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "plimsoll-same-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
}

export const logsIn = (path: string) =>
  readdirSync(path)
    .filter((name) => name.endsWith(".darshan"))
    .map((name) => join(path, name));

export function save(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

export async function jsonOf(...words: string[]) {
  const { code, out, err } = await inside(...words, "--json");
  expect(code, err).toBe(0);
  return JSON.parse(Buffer.from(out, "latin1").toString("utf8"));
}

interface Metric {
  readonly before: number | null;
  readonly after: number | null;
}

export async function convert(path: string): Promise<string> {
  const copy = join(folder, `copy-${basename(path)}`);
  await jsonOf("darshan", "convert", path, copy);
  return copy;
}

/** Converts the log and compares both, in either order. */
export async function expectNoChange(path: string): Promise<void> {
  const copy = await convert(path);
  const [before, after] = [await jsonOf("report", path), await jsonOf("report", copy)];
  // The files differ, and only the old log says what its version has in store.
  for (const summary of [before, after]) Object.assign(summary, { warnings: [] }).job.logs = [];
  expect(after, path).toEqual(before);
  for (const pair of [
    [path, copy],
    [copy, path],
  ]) {
    const { metrics, findings, warnings } = await jsonOf("diff", "--noise", "0", ...pair);
    const moved = Object.entries<Metric>(metrics).filter(([, one]) => one.before !== one.after);
    expect(moved, path).toEqual([]);
    expect(
      findings.filter(({ change }: { change: string }) => change !== "stayed"),
      path,
    ).toEqual([]);
    expect(
      warnings.filter((text: string) => !text.includes("incomplete")),
      path,
    ).toEqual([]);
  }
}

/**
 * The log as a release with format 3.`minor` would have left it: whole seconds, the second of the end included. The
 * command line takes the place of all text.
 */
export function older(
  bytes: Uint8Array,
  minor: 10 | 20 | 21,
  change: { start?: bigint; end?: bigint; commandLine?: string } = {},
): Uint8Array {
  const image = takeApart(bytes);
  const plain = Buffer.from(image.job.plain);
  const word = (index: number) => plain.readBigInt64LE(8 * index);
  const words = [word(0), change.start ?? word(1), change.end ?? word(3), word(5), word(6)];
  const job = Buffer.concat([
    Buffer.from(BigInt64Array.from(words).buffer),
    plain.subarray(56, 56 + 1024),
    change.commandLine === undefined ? plain.subarray(56 + 1024) : Buffer.from(`${change.commandLine}\0`),
  ]);
  const era = minor < 20 ? 0 : 1;
  const modules = image.modules.flatMap((module) => {
    const slot = MODULES.find(({ slots }) => slots[2] === module.fileSlot)?.slots[era] ?? -1;
    return slot < 0 ? [] : [{ ...module, fileSlot: slot }];
  });
  return layOut({ ...image, minor, job: { plain: job }, modules });
}
