/** A gzip'd log reads as the log itself, by every command that takes logs; damage and bombs end in one line. */

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inside } from "../../src/cli/darshan/test-kit.ts";
import { openFile } from "../../src/node/file-source.ts";
import { gunzipped } from "../../src/node/gzip-source.ts";

const LOG = fileURLToPath(new URL("../fixtures/darshan/mpiio4_dxt.darshan", import.meta.url));

let folder: string;
let packed: string;
const at = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-gzip-"));
  packed = at("run.darshan.gz");
  writeFileSync(packed, gzipSync(readFileSync(LOG)));
});
afterAll(() => rmSync(folder, { recursive: true }));

const save = (name: string, bytes: Uint8Array) => {
  writeFileSync(at(name), bytes);
  return at(name);
};

describe("a gzip'd log", () => {
  it.each([
    [["darshan", "parse"]],
    [["darshan", "dxt"]],
    [["report", "--json"]],
    [["findings", "--json"]],
    [["bps", "--json"]],
  ])("%s prints what it prints of the log", async (words) => {
    const [plain, zipped] = [await inside(...words, LOG), await inside(...words, packed)];
    expect(zipped.code, zipped.err).toBe(0);
    expect(zipped.out.replaceAll(packed, "LOG")).toBe(plain.out.replaceAll(LOG, "LOG"));
  });

  it("diff sees no change, and convert writes the same bytes", async () => {
    const { code, out } = await inside("diff", "--json", LOG, packed);
    expect(code).toBe(0);
    const metrics = Object.values<{ before: unknown; after: unknown }>(JSON.parse(out).metrics);
    expect(metrics.filter(({ before, after }) => before !== after)).toEqual([]);
    await inside("darshan", "convert", LOG, at("plain-copy.darshan"));
    await inside("darshan", "convert", packed, at("gzip-copy.darshan"));
    expect(readFileSync(at("gzip-copy.darshan"))).toEqual(readFileSync(at("plain-copy.darshan")));
  });

  it("is the same run as the log itself: ingest stores it once, bps counts it once", async () => {
    mkdirSync(at("both"));
    copyFileSync(packed, at("both/run.darshan.gz"));
    copyFileSync(LOG, at("both/run.darshan"));
    writeFileSync(at("both/other.tar.gz"), gzipSync(Buffer.from("something else")));
    const first = await inside("ingest", at("both"), "--store", at("store"), "--json");
    expect(first.code, first.err).toBe(0);
    expect(JSON.parse(first.out)).toMatchObject({ new: 1, known: 1, foreign: 1, skippedTotal: 0 });
    const twins = await inside("bps", "--json", at("both"));
    expect(twins.err).toMatch(/identical to .*; counted once/);
    const [one, two] = [JSON.parse((await inside("bps", "--json", LOG)).out), JSON.parse(twins.out)];
    expect(two.system?.accesses ?? two.accesses).toEqual(one.system?.accesses ?? one.accesses);
  });
});

describe("a gzip file that cannot be read", () => {
  const lineOf = async (path: string, ...words: string[]) => {
    const { code, out, err } = await inside("darshan", "parse", ...words, path);
    expect(err.trim().split("\n").length).toBe(1);
    return { code, out, err };
  };

  it("is cut: one line; with --keep-going what comes before the cut, and 3", async () => {
    const bytes = readFileSync(packed);
    const cut = save("cut.darshan.gz", bytes.subarray(0, bytes.length - 300));
    const { code, err } = await lineOf(cut);
    expect(code).toBe(1);
    expect(err).toMatch(/^plimsoll: .*cut\.darshan\.gz: damaged gzip file: unexpected end of file\n$/);
    const kept = await inside("darshan", "parse", "--keep-going", cut);
    expect(kept.code).toBe(3);
    expect(kept.out).toMatch(/# exe: /);
  });

  it("is damaged: one line, and ingest names it", async () => {
    const bytes = readFileSync(packed);
    bytes[bytes.length - 6] = (bytes[bytes.length - 6] as number) ^ 0xff;
    mkdirSync(at("bad"));
    const { code, err } = await lineOf(save("bad/run.darshan.gz", bytes));
    expect(code).toBe(1);
    expect(err).toMatch(/damaged gzip file: incorrect data check\n$/);
    const outcome = await inside("ingest", at("bad"), "--store", at("bad-store"), "--json");
    expect(outcome.code).toBe(3);
    expect(JSON.parse(outcome.out).skipped).toEqual([
      { path: at("bad/run.darshan.gz"), reason: "damaged gzip file: incorrect data check" },
    ]);
    expect((await inside("bps", at("bad"))).err).toMatch(/damaged gzip file: incorrect data check/);
  });

  it("holds a log of Darshan 2.x: it is named, with what to do", async () => {
    const old = Buffer.alloc(2048);
    old.write("2.06");
    old.writeBigInt64LE(6567223n, 8);
    const { code, err } = await lineOf(save("old.darshan.gz", gzipSync(old)));
    expect(code).toBe(1);
    expect(err).toMatch(/a log of Darshan 2\.x \(format 2\.06\), which is a different format; convert it/);
  });

  it("holds something else: it is no log", async () => {
    const { code, err } = await lineOf(
      save("text.darshan.gz", gzipSync(Buffer.from("a text of some length"))),
    );
    expect(code).toBe(1);
    expect(err).toMatch(/not a Darshan log/);
  });

  it("holds more than the bound: one line that says gunzip, without holding it all", () => {
    const bomb = save("bomb.darshan.gz", gzipSync(Buffer.alloc(4 << 20)));
    expect(() => gunzipped(openFile(bomb), { bytesMax: 1 << 20 })).toThrow(
      `${bomb}: a gzip file with more than 1 MiB of data; gunzip it first`,
    );
    // Also where the packed file alone is larger.
    expect(() => gunzipped(openFile(bomb), { bytesMax: 1024 })).toThrow(/gunzip it first/);
  });
});
