/** `plimsoll generate sitewide`: the folder it leaves, and the folders it leaves alone. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFile } from "../../node/file-source.ts";
import { readSacctText } from "../../formats/slurm/sacct-text.ts";
import { Store } from "../../store/index.ts";
import type { CommandEntry } from "../command.ts";
import { runCli } from "../run.ts";
import { fakeWorld } from "../test-kit.ts";

const table: readonly CommandEntry[] = [
  { name: "generate sitewide", summary: "a site", load: () => import("./sitewide.ts") },
];
const TINY = ["--scale", "0.0005", "--cluster", "quartz"];
const FEW = [...TINY, "--sample-minutes", "30", "--client-readings", "40"];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-sitewide-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function sitewide(...words: string[]) {
  const io = fakeWorld();
  const code = await runCli(["generate", "sitewide", ...words], table, io);
  return { code, out: io.out, err: io.err };
}
const at = (...parts: string[]) => join(folder, ...parts);
const answers = (path: string) => JSON.parse(readFileSync(join(path, "answers.json"), "utf8"));
const contents = (path: string) =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [file, readFileSync(file, "latin1")]);

describe("plimsoll generate sitewide", () => {
  it("writes accounting, client readings, samples and answers, and the same bytes again", async () => {
    const { code, out, err } = await sitewide("--output", at("site"), ...FEW, "--damage");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(readdirSync(at("site")).sort()).toEqual(
      ["README.txt", "answers.json", "clients", "damage", "samples", "slurm"].sort(),
    );
    expect(out).toMatch(/B06 +quartz +perCallMean +219,000/);
    const { items, comparison, checks, damage, options } = answers(at("site"));
    expect(options).toMatchObject({ cluster: "quartz", zone: "America/Los_Angeles" });
    expect(checks.V12).toEqual(["B06"]);
    expect(damage.map(({ name }: { name: string }) => name)).toContain("wide-numbers");
    expect(comparison.length).toBeGreaterThan(30);
    for (const item of [
      "B02",
      "B04",
      "B05",
      "B06",
      "B07",
      "B08",
      "B09",
      "B10",
      "B11",
      "B12",
      "B13",
      "B14",
      "B15",
    ])
      expect(items[item].planted).toBeTypeOf("object");
    const { jobs, notes } = readSacctText(openFile(at("site", "slurm", "sacct.txt")));
    const { planted } = items.B02;
    expect(jobs.length).toBe(planted.quartz.jobs + items.B03.planted.quartz.longJobs);
    expect(notes).toMatchObject({ broken: 0, nodeMismatches: 0, unknownStates: 0, localTimes: 0 });
    expect(items.V10.planted.clients.nodes).toBeLessThanOrEqual(40);
    expect(readdirSync(at("site", "samples", "oss0")).length).toBe(31);
    const first = contents(at("site"));
    writeFileSync(at("site", "stale"), "");
    expect((await sitewide("--output", at("site"), ...FEW, "--damage")).code).toBe(0);
    expect(contents(at("site"))).toEqual(first);
  });

  it("--tables makes a store with the rows that the answers count", async () => {
    const { code, out } = await sitewide("--json", "--tables", "--output", at("site"), ...TINY);
    expect(code).toBe(0);
    const { store: path, made } = JSON.parse(out);
    expect(existsSync(at("site", "samples"))).toBe(false);
    const { items } = answers(at("site"));
    const store = await Store.open(path);
    const session = await store.query();
    const [minutes] = await session.rows(
      "select count(*) as n, sum(bytes_written)::hugeint as written from minutes",
    );
    expect(Number(minutes?.n)).toBe(items.B02.planted.series.minuteRows);
    expect(String(minutes?.written)).toBe(String(items.B12.planted.series.bytesWritten));
    const [jobs] = await session.rows(
      "select count(*) as n, count(distinct job_key) as keys, sum(bytes_written)::hugeint as written from job_totals where end_unix_ns - start_unix_ns < 86400000000000",
    );
    expect(Number(jobs?.n)).toBe(items.B02.planted.quartz.jobs);
    expect(Number(jobs?.keys)).toBe(Number(jobs?.n));
    expect(String(jobs?.written)).toBe(String(items.B05.planted.quartz.bytesWritten));
    expect(made.minutes).toBe(Number(minutes?.n));
    await session.close();
    await store.close();
  });

  it("--live keeps a tree that changes, and tells what its jobs did", async () => {
    const live = ["--live", "--speed", "2000", "--live-seconds", "1500", "--release", "2.12", "--json"];
    const { code, out, err } = await sitewide("--output", at("tree"), ...live);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { jobs, servers, clients } = JSON.parse(out);
    expect(jobs).toBeGreaterThan(2);
    expect([servers, clients]).toEqual([
      ["oss0", "mds0"],
      ["node001", "node002", "node003", "node004"],
    ]);
    const lines = readFileSync(at("tree", "jobs.ndjson"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ started }) => started !== undefined).length).toBe(jobs);
    const stats = readFileSync(at("tree", "oss0/proc/fs/lustre/obdfilter/lustre1-OST0000/stats"), "utf8");
    expect(stats).toMatch(/^snapshot_time +\d+\.\d{9} secs\.nsecs\n/);
    expect(existsSync(at("tree", ".part"))).toBe(false);
    expect((await sitewide("--output", at("tree"), ...live)).code).toBe(0);
  });

  it("--live at any speed has no time stamp ahead of the clock, and its files hold what its jobs did", async () => {
    const live = ["--live", "--speed", "4000", "--live-seconds", "3000", "--release", "2.15"];
    expect(await sitewide("--output", at("tree"), ...live)).toMatchObject({ code: 0, err: "" });
    const now = Date.now() / 1000;
    const stamps = [];
    const written = { found: 0, done: 0 };
    for (const path of readdirSync(at("tree"), { recursive: true, encoding: "utf8" })) {
      if (!/\/(job_stats|stats|md_stats|brw_stats)$/.test(path)) continue;
      const text = readFileSync(at("tree", path), "utf8");
      for (const [, seconds] of text.matchAll(/(?:snapshot|start)_time:? +(\d+\.\d+)/g))
        stamps.push(Number(seconds));
      if (path.endsWith("job_stats"))
        for (const [, sum] of text.matchAll(/write_bytes:.* sum: *(\d+)/g)) written.found += Number(sum);
    }
    expect(stamps.length).toBeGreaterThan(20);
    expect(Math.max(...stamps)).toBeLessThanOrEqual(now);
    for (const line of readFileSync(at("tree", "jobs.ndjson"), "utf8").trim().split("\n")) {
      const { ended, running, total } = JSON.parse(line);
      if (ended !== undefined || running !== undefined) written.done += total.bytesWritten;
    }
    expect(written.done).toBeGreaterThan(1e9);
    expect(written.found).toBe(written.done);
  });

  it("wrong usage is one line and leaves nothing", async () => {
    const fails = async (expected: string, ...words: string[]) =>
      expect(await sitewide(...words)).toMatchObject({ code: 2, err: expect.stringContaining(expected) });
    await fails("--output is missing");
    await fails("add --tables", "--output", at("site"), "--scale", "1");
    await fails("--scale must be above 0", "--output", at("site"), "--scale", "0");
    await fails("is not a date", "--output", at("site"), "--start", "2018-02-30");
    await fails("quartz", "--output", at("site"), "--cluster", "sierra");
    await fails("cannot be combined with --tables", "--output", at("site"), "--live", "--tables");
    await fails("needs --live", "--output", at("site"), "--live-seconds", "3");
    expect(readdirSync(folder)).toEqual([]);
    mkdirSync(at("thesis"));
    writeFileSync(at("thesis", "README.txt"), "my thesis");
    await fails("exists and is not an earlier synthetic site", "--output", at("thesis"), ...FEW);
    await fails("exists and is not an earlier synthetic site", "--output", at("thesis"), "--live");
    expect(readdirSync(at("thesis"))).toEqual(["README.txt"]);
  });
});
