/** Large traces by the real program, in one thread and in several. */
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "../../base/prng.ts";
import { HEADER_BYTES, RECORD_BYTES } from "../../formats/trace/layout.ts";
import { makeTrace, START_MONOTONIC } from "../../formats/trace/test-kit.ts";

const program = join(fileURLToPath(new URL("../../..", import.meta.url)), "bin", "plimsoll");
const folder = mkdtempSync(join(tmpdir(), "plimsoll-large-"));
const [shuffled, ordered, small] = ["shuffled", "ordered", "small"].map((name) =>
  join(folder, `${name}.plt`),
);
const PART = 2 ** 20;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A name and a short access lie across the edges of parts. */
function writeLarge(path: string, records: number, start: (i: number, random: Random) => number): void {
  const random = new Random(records);
  const named = makeTrace({ names: { 1: "/data/first" } }).subarray(HEADER_BYTES);
  const late = makeTrace({ names: { 3: "/data/a/second/file/with/a/long/name" } }).subarray(HEADER_BYTES);
  const short = makeTrace({
    accesses: [{ bytes: 100, moved: 7, file: 2, start: START_MONOTONIC, end: START_MONOTONIC + 50n }],
  }).subarray(HEADER_BYTES);
  const bytes = Buffer.alloc(records * RECORD_BYTES);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, records * 8);
  const base = Number(START_MONOTONIC % 2n ** 32n);
  const high = Number(START_MONOTONIC / 2n ** 32n);
  for (let i = 0; i < records; i++) {
    const from = base + start(i, random);
    const to = from + Math.floor(random.unit() * 3000);
    // Kind, flags and file: writes to a file without a name, reads of one with a name, later of another.
    const what = i % 5 === 0 ? 17 + 256 + (2 << 16) : 1 + ((i > PART && i % 3 === 0 ? 3 : 1) << 16);
    words.set([9, what, 4096 + (i % 3), 0], 8 * i);
    words.set([from % 2 ** 32, high + Math.floor(from / 2 ** 32)], 8 * i + 4);
    words.set([to % 2 ** 32, high + Math.floor(to / 2 ** 32)], 8 * i + 6);
  }
  bytes.set(named, 0);
  bytes.set(late, (PART - 1) * RECORD_BYTES);
  if (records > 2 * PART) bytes.set(short, (2 * PART - 1) * RECORD_BYTES);
  const descriptor = openSync(path, "w");
  writeSync(descriptor, makeTrace({ count: records }).subarray(0, HEADER_BYTES));
  writeSync(descriptor, bytes);
  closeSync(descriptor);
}

function run(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(program, ["bps", ...words], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  return { status, stdout, stderr };
}

describe("large traces", () => {
  beforeAll(() => {
    writeLarge(shuffled as string, 2 * PART + 77, (_, random) => Math.floor(random.unit() * 2e10));
    writeLarge(ordered as string, 2 * PART + 400_000, (i) => i * 9000);
    writeFileSync(
      small as string,
      makeTrace({ accesses: [{ bytes: 5, start: START_MONOTONIC, end: START_MONOTONIC + 9n }] }),
    );
  }, 60_000);

  it("give the same answer with any number of threads, and as read in one go", () => {
    const inputs = [ordered, small, shuffled] as string[];
    // A choice of files takes the way of small traces.
    const whole = run(...inputs, "--json", "--file", "**");
    expect(whole).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(whole.stdout)).toMatchObject({ processes: 3, files: 4 });
    for (const threads of ["1", "2", "3"])
      expect(run(...inputs, "--json", "--threads", threads).stdout).toBe(whole.stdout);
  }, 120_000);

  it("also with groups, windows and a picture", () => {
    const words = [shuffled as string, "--by", "file,direction", "--every", "1s", "--json"];
    const whole = run(...words, "--file", "**").stdout;
    expect(run(...words, "--threads", "2").stdout).toBe(whole);
    // The command for the next step keeps the number of threads.
    const pages = ["1", "2"].map((threads) =>
      run(shuffled as string, "--full", "--threads", threads).stdout.replace(`--threads ${threads} `, ""),
    );
    expect(pages[0]).toContain("BPS");
    expect(pages[1]).toBe(pages[0]);
  }, 120_000);

  it("keep to the limit of memory, with one line", () => {
    const { status, stderr } = run(shuffled as string, ordered as string, "--json", "--memory", "32M");
    expect(status).toBe(1);
    expect(stderr).toMatch(/accesses need more than .*--memory/);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  }, 60_000);
});

describe("a part of the time", () => {
  it("cannot be had from a pipe, and says so", () => {
    const command = `"${program}" bps <(cat "${small}") --from 1s`;
    const { status, stderr } = spawnSync("bash", ["-c", command], { encoding: "utf8" });
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /--from and --to read the input twice, which is impossible for a pipe \(\/dev\/fd\/\d+\)/,
    );
  }, 60_000);
});
