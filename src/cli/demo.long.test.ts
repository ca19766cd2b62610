/** `plimsoll demo` in a process of its own: the folder it leaves, and the folders it leaves alone. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bytesSource } from "../base/source.ts";
import { DarshanLog } from "../formats/darshan/log.ts";
import { nodeCodecs } from "../node/codecs.ts";

const program = fileURLToPath(new URL("../../bin/plimsoll", import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-demo-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const plimsoll = (...words: string[]) => plimsollIn(folder, ...words);

function plimsollIn(cwd: string, ...words: string[]) {
  const { status, stdout, stderr, signal } = spawnSync(process.execPath, [program, ...words], {
    encoding: "utf8",
    cwd,
    timeout: 120_000,
    maxBuffer: 2 ** 26,
  });
  return { code: status, signal, out: stdout, err: stderr };
}

const SAMPLES = ["file-per-process", "shared-checkpoint", "slow-checkpoint", "small-writes"];
const EXPECTED = [
  "README.txt",
  "adaptive-write.html",
  "checkpoint.bp",
  "checkpoint.bp.dir",
  "report.html",
  "targets",
  ...SAMPLES.flatMap((name) => [`${name}.darshan`, `${name}.json`, `${name}.txt`]),
].sort();
/** What a seed decides; the adaptive write is measured, and never twice the same. */
const MEASURED = ["adaptive-write.html", "checkpoint.bp", "checkpoint.bp.dir", "targets"];
const contents = (path: string) =>
  Object.fromEntries(
    readdirSync(path)
      .filter((name) => !MEASURED.includes(name))
      .map((name) => [name, readFileSync(join(path, name), "latin1")]),
  );

describe("the demonstration", () => {
  /** One run serves all who only look at what it left. */
  let made: string;
  let run: ReturnType<typeof plimsoll>;
  let place: string;
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), "plimsoll-demo-"));
    run = plimsollIn(place, "demo");
    made = join(place, "plimsoll-demo");
  });
  afterAll(() => rmSync(place, { recursive: true }));

  it("writes plimsoll-demo with logs that can be read, prints what is there, and ends by itself", () => {
    const { code, signal, out, err } = run;
    expect({ code, signal, err }).toEqual({ code: 0, signal: null, err: "" });
    expect(readdirSync(place)).toEqual(["plimsoll-demo"]);
    expect(readdirSync(made).sort()).toEqual(EXPECTED);
    // No colours and no bars where nobody looks.
    expect(out).not.toMatch(/[\x1b\r]/);
    for (const name of SAMPLES) {
      expect(out).toContain(`${name}.darshan`);
      const path = join(made, `${name}.darshan`);
      const log = new DarshanLog(bytesSource(readFileSync(path), path), { codecs: nodeCodecs });
      const entry = log.module("POSIX");
      let records = 0;
      if (entry !== undefined) for (const block of log.records(entry)) records += block.count;
      expect(records).toBeGreaterThan(0);
      expect(log.warnings).toEqual([]);
    }
  });

  it("writes onto four targets, one of them slow, and the dataset is whole", () => {
    expect(run.out).toMatch(
      /plimsoll is [\d.]+ times as fast as static \(static [\d.]+ s, plimsoll [\d.]+ s\)/,
    );
    expect(plimsoll("verify", join(made, "checkpoint.bp"))).toMatchObject({ code: 0, err: "" });
    const page = readFileSync(join(made, "adaptive-write.html"), "utf8");
    expect(page).toContain("Targets were throttled on purpose");
  });

  it("leaves beside each log the text and the JSON that parse --all gives, and says that the logs are synthetic", () => {
    for (const name of SAMPLES) {
      const log = `${name}.darshan`;
      expect(plimsoll("darshan", "parse", "--all", join(made, log))).toMatchObject({
        code: 0,
        out: readFileSync(join(made, `${name}.txt`), "utf8"),
      });
      const kept = JSON.parse(readFileSync(join(made, `${name}.json`), "utf8"));
      const document = JSON.parse(plimsoll("darshan", "parse", "--all", "--json", join(made, log)).out);
      expect(document.modules).toEqual(kept.modules);
      expect(document.job).toEqual(kept.job);
    }
    expect(readFileSync(join(made, "README.txt"), "utf8")).toMatch(/synthetic/i);
  });

  it("prints commands that work on the folder it made", () => {
    const lines = [...run.out.matchAll(/^ {2}plimsoll ((?:darshan|report|findings|ls) [^|\n]+)/gm)].map(
      ([, words = ""]) => words.trim(),
    );
    expect(lines.length).toBe(5);
    for (const line of lines) expect(plimsollIn(place, ...line.split(" ")), line).toMatchObject({ code: 0 });
  });
});

describe("plimsoll demo", () => {
  it("replaces an earlier demonstration, what was added to it included, and gives the same files for the same seed", () => {
    plimsoll("demo", "--output", "mine/");
    const made = join(folder, "mine");
    const first = contents(made);
    writeFileSync(join(made, "stale.txt"), "from the last time");
    // With a slash at its end it is the same folder.
    expect(plimsoll("demo", "-o", "mine/")).toMatchObject({ code: 0, err: "" });
    expect(contents(made)).toEqual(first);
    expect(readdirSync(made).sort()).toEqual(EXPECTED);
    expect(plimsoll("demo", "--seed", "2", "--output", "mine").code).toBe(0);
    expect(contents(made)["small-writes.darshan"]).not.toBe(first["small-writes.darshan"]);
    expect(readdirSync(folder)).toEqual(["mine"]);
  });

  it("refuses a folder or file that is no demonstration and does not touch it", () => {
    mkdirSync(join(folder, "thesis"));
    writeFileSync(join(folder, "thesis", "README.txt"), "My thesis\n");
    writeFileSync(join(folder, "thesis", "chapter.txt"), "Once upon a time");
    writeFileSync(join(folder, "notes"), "a file");
    for (const name of ["thesis", "notes"]) {
      const { code, out, err } = plimsoll("demo", "--output", name);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toMatch(
        new RegExp(
          `^plimsoll: ${name} exists and is not an earlier demonstration[^\\n]*; see plimsoll demo --help\\n$`,
        ),
      );
    }
    expect(contents(join(folder, "thesis"))).toEqual({
      "README.txt": "My thesis\n",
      "chapter.txt": "Once upon a time",
    });
    expect(readFileSync(join(folder, "notes"), "utf8")).toBe("a file");
    expect(readdirSync(folder).sort()).toEqual(["notes", "thesis"]);
  });

  it("a place that cannot be written is one line and leaves nothing", () => {
    const { code, out, err } = plimsoll("demo", "--output", join("no", "such", "place"));
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^plimsoll: cannot write no\/such\/place[^\n]*: no such folder\n$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("--json tells folder and figures of each log", () => {
    const { code, out, err } = plimsoll("demo", "--json", "--output", "figures");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const document = JSON.parse(out);
    expect(document.folder).toBe("figures");
    expect(document.logs.map(({ file }: { file: string }) => file).sort()).toEqual(
      SAMPLES.map((name) => `${name}.darshan`),
    );
    for (const row of document.logs) {
      const { modules } = JSON.parse(
        plimsoll("darshan", "parse", "--perf", "--file", "--json", join("figures", row.file)).out,
      );
      const { performance, files } = modules.POSIX;
      expect({ bytes: row.bytesMoved, files: row.files, seconds: row.seconds }).toEqual({
        bytes: performance.totalBytes,
        files: files.total.count,
        seconds: performance.totalSeconds,
      });
      expect(row.bytesPerSecond / 1048576).toBeCloseTo(performance.mebibytesPerSecond, 6);
      expect(row.bytesMoved).toBeGreaterThan(0);
    }
  });
});
