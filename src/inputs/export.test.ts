import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, expect, it } from "vitest";
import { makeSingle, SINGLE_LOGS } from "../generate/single/index.ts";
import { nodeEncoders } from "../node/encoders.ts";
import { withCalls, writePieces } from "./export.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-calls-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const spillPath = join(folder, "spill");

it("puts calls in order beyond what memory may hold, in a file that is gone afterwards", async () => {
  const path = join(folder, "calls.csv");
  const starts = Array.from({ length: 5000 }, (_, i) => ((i * 7919) % 5000) + 3);
  writeFileSync(
    path,
    `pid,bytes,start,end\n${starts.map((s) => `${s % 3},${s},${s},${s + 1}`).join("\n")}\n`,
  );
  const options = { keepGoing: false, spillPath, callsMax: 700, window: { fromNs: 10e9, toNs: 20e9 } };
  const { window: _, ...all } = options;
  const found = await withCalls([path], all, {}, async (calls) => {
    expect(existsSync(spillPath)).toBe(true);
    return [...calls.blocks()].flatMap((block) => [...block.bytes.subarray(0, block.count)]);
  });
  expect(found).toEqual([...starts].sort((a, b) => a - b));
  expect(existsSync(spillPath)).toBe(false);
  // The run starts with its first call, at 3 s: a window from 10 to 20 touches calls from 12 s to 22 s.
  const inside = await withCalls([path], options, {}, async (calls) =>
    [...calls.blocks()].flatMap((block) => [...block.bytes.subarray(0, block.count)]),
  );
  expect(inside).toEqual([12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22]);
});

it("a log without traced calls is refused with what takes it", async () => {
  const path = join(folder, "plain.darshan");
  const log = SINGLE_LOGS.find(({ id }) => id === "straggler");
  if (log === undefined) throw new Error("no such log");
  writeFileSync(path, makeSingle(log, 1, nodeEncoders).bytes);
  await expect(withCalls([path], { keepGoing: false, spillPath }, {}, async () => {})).rejects.toThrow(
    /no single accesses; .*plimsoll report, or --table files or counters/,
  );
});

it("writes pieces compressed by name, and nothing when they fail", async () => {
  const path = join(folder, "x.gz");
  const pieces = Array.from({ length: 50 }, (_, i) => Buffer.alloc(100_000, i));
  expect(await writePieces(pieces, path, {})).toBeGreaterThan(0);
  expect(gunzipSync(readFileSync(path)).equals(Buffer.concat(pieces))).toBe(true);
  const failing = function* () {
    yield Buffer.alloc(10);
    throw new Error("no more");
  };
  await expect(writePieces(failing(), join(folder, "y"), {})).rejects.toThrow("no more");
  expect(existsSync(join(folder, "y"))).toBe(false);
});
