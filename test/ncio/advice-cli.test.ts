// `plimsoll ncio advise` as people run it: whole and unfinished sweeps, single points, files that are something else.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { NcioPoint, NcioSweep } from "../../src/model/ncio.ts";
import { readPoint, readSweep } from "../../src/ncio/judge/index.ts";
import { loadSweep } from "../../src/ncio/run/load.ts";
import { type Planted, plantedSweep } from "./advice-kit.ts";
import { plimsoll } from "../adaptive/write-kit.ts";

const loadMeasured = (path: string) => loadSweep(path, { point: readPoint, sweep: readSweep });
const root = mkdtempSync(join(tmpdir(), "plimsoll-advise-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const RATES = { posix: 1e5, sieving: 1e6, list: 2e6, datatype: 4e6, "two-phase": 8e6 } as const;
const rate = ({ method, case: name }: Planted) => RATES[method] * (name === "c-c" ? 10 : 1);
const sweep = plantedSweep({ rate, variables: { count: [2048, 4096], spacing: [128, 256] } });

function save(name: string, value: unknown): string {
  const path = join(root, name);
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
}

/** What a sweep has on disk before it ends, as it is written: some lines, the last one cut short. */
function saveJournal(name: string, points: readonly NcioPoint[], tail = ""): string {
  const folder = join(root, name);
  mkdirSync(folder);
  const setting = {
    ...{ backend: "servers", case: "c-c,nc-c,c-nc,nc-nc", count: 4096, size: 8, spacing: 128 },
    ...{ ranks: 4, direction: "write", vary: "count=2048:4096,spacing=128:256" },
  };
  const head = { plimsoll: "ncio-journal", version: 1, setting, startedUnixMs: 0 };
  const lines = [head, ...points.map((point, i) => ({ key: `k${i}`, point }))].map((one) =>
    JSON.stringify(one),
  );
  writeFileSync(join(folder, "journal.ndjson"), `${lines.join("\n")}\n${tail}`);
  return folder;
}

describe("plimsoll ncio advise", () => {
  it("judges a whole sweep, as text and as JSON", () => {
    const folder = join(root, "whole");
    mkdirSync(folder);
    writeFileSync(join(folder, "sweep.json"), JSON.stringify(sweep));
    const { code, out, err } = plimsoll("ncio", "advise", folder);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("With a noncontiguous file two phase is the fastest to write in 6 of 6 patterns");
    expect(out).toContain("two phase over POSIX: 80×");
    expect(out).not.toContain("Unfinished");
    const json = JSON.parse(plimsoll("ncio", "advise", join(folder, "sweep.json"), "--json").out);
    expect(json.sweep).toMatchObject({ complete: true, missing: 0, points: sweep.points.length });
    expect(json.guidelines).toHaveLength(7);
    expect(json.guidelines[0].measures[0].ratio.value).toBeCloseTo(80, 9);
  });

  it("answers for a pattern, with hints", () => {
    const path = save("pattern.json", sweep);
    const words = ["--case", "nc-nc", "--count", "3000", "--spacing", "256", "--method", "list"];
    const { code, out } = plimsoll("ncio", "advise", path, ...words);
    expect(code).toBe(0);
    expect(out).toMatch(/Use +two phase: 8 MB\/s at 4,096 regions of 8 B every 256 B/);
    expect(out).toMatch(/Hints +romio_cb_write=enable/);
    expect(out).toMatch(/4× \(3\.6 to 4\.4\) +two phase instead of list I\/O/);
    expect(out).toMatch(/no difference seen, 1× \(.*\) +a spacing of 128 B instead of 256 B/);
    const json = JSON.parse(plimsoll("ncio", "advise", path, ...words, "--json").out);
    expect(json.advice).toMatchObject({ best: "two-phase", confidence: "medium" });
  });

  it("uses an unfinished sweep and says how much is missing", () => {
    const folder = saveJournal("unfinished", sweep.points.slice(0, 20), '{"key":"cut');
    const { code, out } = plimsoll("ncio", "advise", folder);
    expect(code).toBe(0);
    // Three patterns of four methods in three cases, two in c-c: spacing does not matter there.
    expect(out).toContain("Unfinished 24 of 44 points are missing");
    expect(out).toContain("The sweep is not finished");
    expect(loadMeasured(folder)).toMatchObject({ missing: 24, sweep: { complete: false } });
  });

  it("shows what a terminal would obey", () => {
    const path = save("escape.json", { ...sweep, machine: "a\u001b[2Jb" });
    const { code, out } = plimsoll("ncio", "advise", path);
    expect(code).toBe(0);
    expect(out).not.toContain("\u001b");
  });

  it("takes the points of plimsoll ncio -o", () => {
    const points = sweep.points.filter(({ count, spacing }) => count === 4096 && spacing === 128);
    const path = save("points.json", { points, machine: "here", layout: "some" });
    expect(loadMeasured(path).sweep).toMatchObject({
      variables: {},
      defaults: { count: 4096, size: 8, spacing: 128 },
    });
    const { code, out } = plimsoll("ncio", "advise", path, "--case", "c-nc");
    expect(code).toBe(0);
    expect(out).toContain("two phase instead of POSIX");
  });
});

describe("wrong input of plimsoll ncio advise", () => {
  const [first] = sweep.points as [NcioPoint];
  const broken = (change: object): NcioSweep => ({ ...sweep, points: [{ ...first, ...change }] });

  it.each([
    ["text.json", "hello", /text\.json: not JSON/],
    ["empty.json", "", /empty\.json: not JSON/],
    ["null.json", "null", /no points; expected sweep\.json/],
    ["none.json", { ...sweep, points: [] }, /no points; the run measured nothing/],
    ["kind.json", { ...sweep, plimsoll: "cake" }, /a file of kind "cake"; expected ncio-sweep/],
    ["new.json", { ...sweep, version: 2 }, /sweep of version 2; this program reads version 1/],
    ["method.json", broken({ method: "magic" }), /point 1: method is "magic"; expected one of posix/],
    [
      "rate.json",
      broken({ bandwidthBytesPerSecond: 0 }),
      /bandwidthBytesPerSecond is 0; expected a number above 0/,
    ],
    ["lost.json", broken({ count: undefined }), /count is missing/],
    ["spread.json", broken({ spread: { low: 2, high: 1, relative: 0 } }), /spread is .*high not below it/],
    ["axes.json", { ...sweep, variables: { count: ["x"] } }, /variables\.count is \["x"\]/],
    ["defaults.json", { ...sweep, defaults: { count: 1 } }, /defaults need count, size and spacing/],
  ])("%s is one clear line", (name, value, line) => {
    expect(() => loadMeasured(save(name, value))).toThrow(line);
  });

  it("names the line of a broken journal", () => {
    expect(() => loadMeasured(saveJournal("odd", sweep.points.slice(0, 2), "{}x\n"))).toThrow(
      /line 4: not a line/,
    );
    expect(() => loadMeasured(saveJournal("bare", []))).toThrow(/no point measured yet/);
    expect(() => loadMeasured(save("not.ndjson", '{"a":1}\n'))).toThrow(/line 1: not a journal/);
  });

  it.each([
    [["/nowhere/at/all"], 2, /\/nowhere\/at\/all: no such file or folder/],
    [[root], 2, /no sweep\.json and no journal\.ndjson found/],
    [[join(root, "pattern.json"), "--direction", "read"], 2, /no points of c-nc read; it has c-c write/],
    [[join(root, "pattern.json"), "--size", "64", "--spacing", "8"], 2, /--spacing 8 is below the size 64/],
    [[join(root, "text.json")], 1, /text\.json: not JSON/],
  ])("%j fails with one line", (words, code, line) => {
    const result = plimsoll("ncio", "advise", ...words);
    expect(result.code).toBe(code);
    expect(result.out).toBe("");
    expect(result.err.trim().split("\n")).toHaveLength(1);
    expect(result.err).toMatch(line);
  });
});
