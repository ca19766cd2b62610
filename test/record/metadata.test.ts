/** Metadata calls as calls of the stream: what the program made, in order, with the right names. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { CALL_ERROR } from "../../src/model/calls.ts";
import { readJob } from "../../src/inputs/node.ts";
import { type Metadata, metadataLine, straceBytes, Workshop } from "./kit.ts";

const shop = new Workshop();
afterAll(() => shop.remove());

const program = shop.build("metadata");
let folders = 0;
function newFolder(): string {
  const folder = shop.path(`place-${++folders}`);
  mkdirSync(folder);
  return folder;
}
const linesOf = (calls: readonly Metadata[], folder: string) =>
  calls.map(
    ({ operation, path, flags }) =>
      `${operation}${flags & CALL_ERROR ? "!" : ""} ${path.replace(`${folder}/`, "")}`,
  );
/** Names that mkstemp and mkdtemp make differ from run to run. */
const comparable = (lines: readonly string[]) => lines.map((line) => line.replace(/-\w{6}$/, "-XXXXXX"));

describe("every call, once", () => {
  it("is in the trace as the program made it, in order, with its file and whether it failed", async () => {
    const place = newFolder();
    const plain = spawnSync(program, [place], { encoding: "utf8" });
    expect(plain.status, plain.stderr).toBe(0);
    const recorded = newFolder();
    const { metadata, accesses, exitCode } = await shop.record([program, recorded]);
    expect(exitCode).toBe(0);
    expect(comparable(linesOf(metadata, recorded))).toEqual(comparable(plain.stdout.trim().split("\n")));
    expect(accesses).toEqual([]);
    for (const { seconds } of metadata) expect(seconds).toBeGreaterThanOrEqual(0);
    expect(readdirSync(recorded).length).toBe(readdirSync(place).length);
  });

  it("is not with --metadata off, but for syncs", async () => {
    const place = newFolder();
    const { metadata, exitCode } = await shop.record([program, place], { metadata: false });
    expect(exitCode).toBe(0);
    expect(linesOf(metadata, place)).toEqual(["sync a", "sync a"]);
  });

  it("is chosen by path, as accesses are", async () => {
    const place = newFolder();
    const { metadata } = await shop.record([program, place], { only: [join(place, "d")] });
    expect(new Set(linesOf(metadata, place).map((line) => line.split(" ")[1]))).toEqual(
      new Set(["d", "d/b", "d/hard3"]),
    );
  });
});

describe("names", () => {
  it("through symbolic links are those of the files, for metadata calls and accesses alike", async () => {
    const place = newFolder();
    mkdirSync(join(place, "real"));
    writeFileSync(join(place, "real", "x"), "text");
    const script = "ln -s real link; cd link; cat ./x ../link/x; stat -c %s x ../real/../link/x";
    const { metadata, accesses } = await shop.record(["sh", "-c", script], { cwd: place });
    const names = new Set([...metadata, ...accesses].map(({ path }) => path));
    expect([...names].filter((name) => name.includes("/link/"))).toEqual([]);
    expect(metadata.filter(({ path }) => path === join(place, "real", "x")).length).toBeGreaterThanOrEqual(4);
  });
});

describe("a report of a recording", () => {
  it("counts opens, stats, syncs and seeks of files, and their time", async () => {
    const place = newFolder();
    const { folder, metadata } = await shop.record([program, place]);
    const { job } = await readJob([folder]);
    const records = job.layer("POSIX");
    const on = (path: string) => metadata.filter((call) => call.path === path);
    const count = (calls: readonly Metadata[], operation: string) =>
      calls.filter((call) => call.operation === operation).length;
    const file = records.find(({ path }) => path === join(place, "a"));
    const calls = on(join(place, "a"));
    expect(file).toMatchObject({
      ...{ opens: count(calls, "open"), stats: count(calls, "stat"), reads: 0, writes: 0 },
      ...{ seeks: count(calls, "seek"), syncs: count(calls, "sync") },
    });
    expect(file?.opens).toBe(3);
    const seconds = (chosen: readonly Metadata[]) => chosen.reduce((sum, call) => sum + call.seconds, 0);
    // As in a log of Darshan, syncs count with writes.
    const syncs = calls.filter(({ operation }) => operation === "sync");
    expect(file?.metaSeconds).toBeCloseTo(seconds(calls) - seconds(syncs), 9);
    expect(file?.syncSeconds).toBeCloseTo(seconds(syncs), 9);
    // Names that are not there are no files.
    expect(records.map(({ path }) => path)).not.toContain(join(place, "missing"));
    expect(records.find(({ path }) => path === "(names not found)")).toMatchObject({ opens: 3, stats: 3 });
  });
});

describe("real programs make the calls that strace sees, file by file", () => {
  /** What the C library does by itself (the fstat and getdents of opendir, the parts of realpath) is not the program's. */
  const isCompared = (line: string) => /^(open|close|other)/.test(line);
  // Names from the root on: strace shows others as the program gives them.
  const script = `mkdir P/d P/d/e; for i in 1 2 3; do echo $i > P/d/e/$i; done; cp P/d/e/1 P/copy; mv P/copy P/moved; ln -s moved P/l; ln P/moved P/hard
chmod 640 P/hard; truncate -s 100 P/hard; rm P/hard P/l P/moved; touch P/x; unlink P/x; unlink P/x; rmdir P/d/none; cat P/missing P/d/e/3; dd if=P/d/e/1 of=P/y`;

  it("cp, mv, ln, rm and others", async () => {
    const [traced, recorded] = [newFolder(), newFolder()];
    const wordsIn = (folder: string) => ["sh", "-c", script.replaceAll("P/", `${folder}/`)];
    const expected = straceBytes(shop, wordsIn(traced), traced);
    const { metadata } = await shop.record(wordsIn(recorded), { cwd: recorded });
    const lines = metadata
      .filter(({ path }) => path.startsWith(`${recorded}/`))
      .map(({ operation, path, flags }) => metadataLine(operation, path, flags));
    const comparableOf = (all: readonly string[], folder: string) =>
      all
        .filter(isCompared)
        .map((line) => line.replace(folder, ""))
        .sort();
    // strace is not asked for the advice that cp and cat give, and shows the text of a symbolic link, not its name.
    const more = ["other /d/e/1", "other /d/e/3", "other /l"];
    expect(comparableOf(lines, recorded)).toEqual(
      [...comparableOf(expected.metadata, traced), ...more].sort(),
    );
  });
});
