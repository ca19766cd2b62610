/** `plimsoll export` as a user runs it. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { commands } from "./index.ts";
import { runCli } from "./run.ts";
import { fakeWorld } from "./test-kit.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-export-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fixture = (name: string) =>
  fileURLToPath(new URL(`../../test/fixtures/darshan/${name}`, import.meta.url));
const LOG = fixture("mpiio4_dxt.darshan");

async function plimsoll(...words: string[]) {
  const world = fakeWorld();
  const code = await runCli(words, commands, world);
  return { code, out: world.out, err: world.err };
}

const out = (name: string) => join(folder, name);
const metrics = async (path: string) => {
  const { accesses, bytes, ioTimeSeconds } = JSON.parse(
    (await plimsoll("bps", path, "--brief", "--json")).out,
  );
  return { accesses, bytes, ioTimeSeconds };
};

it("what it writes as CSV and Parquet, bps reads as the same calls", async () => {
  // Calls inside MPI-IO are rows too; they are no requests of the program, which a table cannot say.
  const posix = out("posix.csv");
  writeFileSync(
    posix,
    "pid,file,op,bytes,start,end\n7,/a,write,4096,1.5,1.75\n7,/a,open,0,1,1.25\n9,/b,read,10,2,2.5\n",
  );
  const expected = await metrics(posix);
  for (const name of ["again.csv", "again.parquet"]) {
    expect(await plimsoll("export", posix, "-o", out(name))).toMatchObject({ code: 0 });
    expect(await metrics(out(name))).toEqual(expected);
  }
});

it("writes a compressed trace of a log, and says how many calls", async () => {
  const path = out("run.json.gz");
  const { code, out: text } = await plimsoll("export", LOG, "--to", "perfetto", "-o", path, "--json");
  const { rows } = JSON.parse(text) as { rows: number };
  expect(code).toBe(0);
  const { traceEvents } = JSON.parse(gunzipSync(readFileSync(path)).toString()) as {
    traceEvents: { ph: string }[];
  };
  expect(traceEvents.filter(({ ph }) => ph === "X")).toHaveLength(rows);
  expect(readdirSync(folder).filter((name) => name.includes(".part-"))).toEqual([]);
});

it("a window of the run has fewer calls, an empty one none", async () => {
  const all = JSON.parse((await plimsoll("export", LOG, "-o", out("a.csv"), "--json")).out);
  const durations = readFileSync(out("a.csv"), "utf8")
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => Math.round((Number(line.split(",")[7]) - Number(line.split(",")[6])) * 1e9))
    .sort((a, b) => a - b);
  const median = durations[durations.length >> 1] ?? 0;
  const some = await plimsoll("export", LOG, "-o", out("b.csv"), "--json", "--min-duration", `${median}ns`);
  const { rows, leftOut } = JSON.parse(some.out) as { rows: number; leftOut: { short: number } };
  expect(rows + leftOut.short).toBe(all.rows);
  expect(rows).toBeLessThan(all.rows);
  const none = await plimsoll("export", LOG, "-o", out("c.csv"), "--window", "5000-5001");
  expect(none.code).toBe(1);
  expect(none.err).toMatch(/no call to export: \d+ lie outside --window/);
  expect(existsSync(out("c.csv"))).toBe(false);
});

it("writes file runs and counters of a log", async () => {
  const { out: text } = await plimsoll("export", LOG, "--table", "files", "-o", out("files.csv"), "--json");
  const { rows } = JSON.parse(text) as { rows: number };
  const lines = readFileSync(out("files.csv"), "utf8").trim().split("\r\n");
  expect(lines).toHaveLength(rows + 1);
  expect(lines[0]).toMatch(/^run_id,file_id,path,application_id,user_id,/);
  const counters = await plimsoll("export", LOG, "--table", "counters", "-o", out("counters.csv"));
  expect(counters.code).toBe(0);
  const printed = (await plimsoll("darshan", "parse", LOG)).out
    .split("\n")
    .filter((line) => line.startsWith("POSIX\t"))
    .map((line) => line.split("\t"))
    .filter(([, , , name]) => name === "POSIX_BYTES_WRITTEN");
  const written = readFileSync(out("counters.csv"), "utf8")
    .split("\r\n")
    .filter((line) => line.includes(",POSIX_BYTES_WRITTEN,"))
    .map((line) => line.split(",").at(-3));
  expect(written).toEqual(printed.map(([, , , , value]) => value));
  expect(written.length).toBeGreaterThan(0);
});

describe("bad requests end in one line", () => {
  const csv = () => {
    writeFileSync(out("calls.csv"), "pid,bytes,start,end\n1,2,3,4\n");
    return out("calls.csv");
  };
  const accounting = () => {
    writeFileSync(
      out("sacct.txt"),
      "JobID|JobName|User|State|Start|End|NNodes\n1|a|b|COMPLETED|2024-01-01T00:00:00|2024-01-01T00:01:00|1\n",
    );
    return out("sacct.txt");
  };

  it.each<[string, () => string[], number, RegExp]>([
    ["no output", () => [LOG, "--to", "csv"], 2, /--output is missing/],
    ["no format", () => [LOG, "-o", out("x.bin")], 2, /--to is missing: one of perfetto, speedscope/],
    ["a window that is none", () => [LOG, "-o", out("x.csv"), "--window", "9-3"], 2, /not FROM-TO/],
    ["Parquet as gzip", () => [LOG, "-o", out("x.parquet.gz")], 2, /not compressed as a whole/],
    [
      "counters of a trace",
      () => [csv(), "--table", "counters", "-o", out("x.csv")],
      1,
      /has no counters; use --table calls/,
    ],
    ["a list of jobs", () => [accounting(), "-o", out("x.csv")], 1, /use plimsoll ingest/],
    [
      "a table as a trace",
      () => [LOG, "--table", "files", "--to", "perfetto", "-o", out("x")],
      2,
      /csv or parquet/,
    ],
  ])("%s", async (_, words, code, message) => {
    const outcome = await plimsoll("export", ...words());
    expect(outcome.err).toMatch(message);
    expect(outcome.err.trim().split("\n")).toHaveLength(1);
    expect(outcome.code).toBe(code);
  });
});

it("says who takes a folder, and counts one call as one", async () => {
  expect(await plimsoll("export", folder, "--table", "counters", "-o", out("x.csv"))).toMatchObject({
    code: 2,
    err: expect.stringContaining("is a folder; --table counters takes one Darshan log"),
  });
  writeFileSync(out("one.csv"), "pid,bytes,start,end\n7,4096,1.5,1.75\n");
  const { err } = await plimsoll("export", out("one.csv"), "-o", out("same.csv"));
  expect(err).toContain("wrote 1 call to ");
});
