import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { Command, CommandEntry } from "../command.ts";
import ls from "../ls.ts";
import read from "../read.ts";
import { runCli } from "../run.ts";
import { fakeWorld } from "../test-kit.ts";
import verify from "../verify.ts";
import { valueAt, writeSample } from "./test-kit.ts";

const table: CommandEntry[] = [ls, read, verify].map((command: Command) => ({
  name: command.name,
  summary: "",
  load: async () => ({ default: command }),
}));

async function plimsoll(...words: string[]) {
  const raw: Uint8Array[] = [];
  const io = fakeWorld({ write: (bytes) => void raw.push(bytes.slice()) });
  const code = await runCli(words, table, io);
  const bytes = Buffer.concat(raw);
  return { code, bytes, out: bytes.toString(), err: io.err };
}

const root = mkdtempSync(join(tmpdir(), "plimsoll-dataset-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const path = join(root, "x.bp");
const subfile = (k: number) => join(`${path}.dir`, `x.bp.${k}`);
const adios = join(import.meta.dirname, "../../../test/fixtures/bp/adios.bp");
beforeEach(() => writeSample(path));

/** The numbers that bpls prints, without its places. */
function bpls(file: string, variable: string, ...more: string[]): number[] {
  const done = spawnSync("bpls", ["-d", file, variable, "-n", "1", "-f", "%.17g", ...more], {
    encoding: "utf8",
  });
  expect(done.status, done.stderr).toBe(0);
  return done.stdout
    .split("\n")
    .filter((line) => line.startsWith("    ("))
    .map((line) => Number(line.slice(line.indexOf(")") + 1)));
}

const numbers = (text: string) => text.trim().split(/\s+/).map(Number);

describe("plimsoll ls", () => {
  it("tells shape, steps, blocks and range", async () => {
    const { out, code } = await plimsoll("ls", path);
    expect(code).toBe(0);
    expect(out).toBe("float64  t  12 × 5 × 4  2 steps  8 blocks  3.84 kB  0.25 … 1239.25\n");
  });

  it("tells location of each block", async () => {
    const { out } = await plimsoll("ls", "--blocks", path);
    expect(out).toContain("  step 1  [3:6, 0:5, 0:4]  subfile 1, byte ");
    const json = JSON.parse((await plimsoll("ls", "--blocks", "--json", path)).out);
    expect(json.variables[0].blocks[1]).toMatchObject({
      step: 0,
      start: [3, 0, 0],
      count: [3, 5, 4],
      subfile: 1,
    });
    expect(json).toMatchObject({ checksums: true, version: 3 });
  });

  it("reads what ADIOS wrote", async () => {
    const { out } = await plimsoll("ls", "--attributes", adios);
    expect(out).toContain(
      "float64  deep/path/field            6 × 5   2 steps  6 blocks  480 B  0.5 … 129.5\n",
    );
    expect(out).toContain(
      "int16    counts                     4       2 steps  2 blocks  16 B   -3 … 1001\n",
    );
    expect(out).toContain("deep/path/field/units = K\n");
  });
});

describe("plimsoll read", () => {
  it("gives the last step, or the one asked for, as text and as bytes", async () => {
    const whole = Array.from({ length: 240 }, (_, n) =>
      valueAt(1, Math.floor(n / 20), Math.floor(n / 4) % 5, n % 4),
    );
    expect(numbers((await plimsoll("read", path, "t")).out)).toEqual(whole);
    const { bytes } = await plimsoll("read", path, "t", "--raw", "--step", "0");
    const raw = new Float64Array(Uint8Array.from(bytes).buffer);
    expect([...raw]).toEqual(whole.map((value) => value - 1000));
  });

  it("gives any part, whoever wrote it", async () => {
    const { out } = await plimsoll("read", path, "t", "--start", "2,1,1", "--count", "3,2,2", "--step", "0");
    const rows = [2, 3, 4].flatMap((i) => [1, 2].map((j) => [1, 2].map((k) => valueAt(0, i, j, k))));
    expect(out).toBe(rows.map((row) => `${row.join(" ")}\n`).join(""));
  });

  it("gives only blocks whose range fits", async () => {
    const { out } = await plimsoll("read", path, "t", "--where", "max>1190", "--step", "1");
    expect(out.split("\n")[0]).toBe("# block 3, from 9,0,0, 3 × 5 × 4");
    const none = await plimsoll("read", path, "t", "--where", "min<-5");
    expect(none).toMatchObject({ code: 0, out: "", err: "plimsoll: no block matches\n" });
  });

  it("agrees with bpls, on ours and on ADIOS's own", async () => {
    expect(bpls(path, "t")).toEqual(
      [0, 1].flatMap((step) => [...Array(240).keys()].map((n) => valueAt(step, 0, 0, 0) + n)),
    );
    expect(bpls(path, "t", "-s", "0,2,1,1", "-c", "1,3,2,2")).toEqual(
      numbers((await plimsoll("read", path, "t", "--start", "2,1,1", "--count", "3,2,2", "--step", "0")).out),
    );
    const ours = await plimsoll("read", adios, "deep/path/field", "--step", "1");
    expect(numbers(ours.out)).toEqual(bpls(adios, "deep/path/field").slice(30));
    expect((await plimsoll("read", adios, "counts")).out).toBe("-3 7 1001 0\n");
    expect((await plimsoll("read", adios, "nx", "--step", "0")).out).toBe("6\n");
  });

  it("says what is wrong with a request", async () => {
    const cases: [string[], string][] = [
      [["nothing"], 'has no variable "nothing" (it has: t)'],
      [["t", "--step", "2"], '"t" has 2 steps, numbered from 0; there is no step 2'],
      [["t", "--start", "1"], '"t" has 3 dimensions (12 × 5 × 4); expected one number for each'],
      [["t", "--start", "0,0,9"], 'dimension 2 of "t" goes from 0 to 4; 9 to 4 was requested'],
      [["t", "--count", "a"], "--count a: expected comma-separated whole numbers"],
      [["t", "--where", "mean>3"], "--where mean>3: expected min or max"],
      [["t", "--block", "4"], '--block 4: "t" has 4 blocks in this step, numbered from 0'],
      [["t", "--raw", "--json"], "--raw and --json exclude each other"],
    ];
    for (const [words, message] of cases) {
      const { code, err, out } = await plimsoll("read", path, ...words);
      expect(err).toContain(message);
      expect([code, out]).toEqual([2, ""]);
    }
  });

  it("names a compression that it does not read", async () => {
    const { code, err } = await plimsoll(
      "read",
      adios.replace("adios.bp", "adios-zlib.bp"),
      "deep/path/field",
    );
    expect([code, err]).toEqual([1, expect.stringContaining('"deep/path/field" is compressed with zlib')]);
  });
});

describe("a flipped bit", () => {
  const flip = (at: number) => {
    const bytes = readFileSync(subfile(1));
    bytes[at] = (bytes[at] as number) ^ 4;
    writeFileSync(subfile(1), bytes);
  };

  it("in the data is found by verify and by read", async () => {
    const { out } = await plimsoll("ls", "--blocks", "--json", path);
    const { offset } = JSON.parse(out).variables[0].blocks[1];
    expect((await plimsoll("verify", path)).out).toContain("8 blocks, 3.84 kB: all checksums match\n");
    flip(offset + 100);
    const verified = await plimsoll("verify", path);
    expect(verified.code).toBe(1);
    expect(verified.out).toMatch(
      /^damaged: t, step 0, block 1: .*x\.bp\.1: byte \d+: damaged data: the checksum of /,
    );
    expect(verified.err).toContain("1 block of 8 damaged");
    const reading = await plimsoll("read", path, "t", "--step", "0", "--raw");
    expect([reading.code, reading.err]).toEqual([1, expect.stringContaining("damaged data")]);
    // A part that lies elsewhere is still good, and what is damaged can be had by asking for it.
    expect((await plimsoll("read", path, "t", "--step", "0", "--count", "3,5,4")).code).toBe(0);
    expect((await plimsoll("read", path, "t", "--step", "0", "--no-check", "--raw")).bytes.length).toBe(
      240 * 8,
    );
  });

  it("in the index is found before anything is read", async () => {
    const bytes = readFileSync(path);
    bytes[60] = (bytes[60] as number) ^ 1;
    writeFileSync(path, bytes);
    for (const command of ["ls", "verify"]) {
      const { code, err } = await plimsoll(command, path);
      expect([code, err]).toEqual([1, expect.stringContaining("the index is damaged")]);
    }
  });
});

describe("a dataset that is not whole", () => {
  it("lacks a subfile, or the end of one", async () => {
    truncateSync(subfile(0), 700);
    const cut = await plimsoll("verify", path);
    expect([cut.code, cut.out]).toEqual([1, expect.stringContaining("the file ends inside a block")]);
    unlinkSync(subfile(0));
    const gone = await plimsoll("read", path, "t");
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining("x.bp.0")]);
  });

  it("lacks its index: the write did not end", async () => {
    unlinkSync(path);
    const { code, err } = await plimsoll("ls", path);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("the write was interrupted; continue it with plimsoll write --resume"),
    ]);
  });
});
