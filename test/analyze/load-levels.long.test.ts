// Answers from roll-ups are those of minutes, before and after minutes are pruned.

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "../../src/base/prng.ts";
import type { CommandEntry } from "../../src/cli/command.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";
import { compactStore, pruneStore, Store } from "../../src/store/index.ts";
import { testSeed } from "../seed.ts";

const table: readonly CommandEntry[] = [
  { name: "generate sitewide", summary: "a site", load: () => import("../../src/cli/generate/sitewide.ts") },
  { name: "who", summary: "who", load: () => import("../../src/cli/load/who.ts") },
  { name: "top", summary: "top", load: () => import("../../src/cli/load/top.ts") },
  { name: "compare", summary: "compare", load: () => import("../../src/cli/load/compare.ts") },
  { name: "sql", summary: "sql", load: () => import("../../src/cli/sql.ts") },
];

const folder = mkdtempSync(join(tmpdir(), "plimsoll-levels-"));
const [minutes, rolled, pruned] = ["minutes", "rolled", "pruned"].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];
const seed = testSeed(25);
/** Three days of each: the store has 2018-06-07T06:59 to about 2018-07-01. The last comes after the compaction. */
const STARTS = ["2018-06-07", "2018-06-14", "2018-06-21", "2018-06-28"];
const CUT = Date.UTC(2018, 5, 22);
const DAYS_CUT = Date.UTC(2018, 5, 15);
const DAY = 86_400_000;

async function ask(store: string, words: readonly string[]) {
  const io = fakeWorld();
  // Days and hours of levels are those of UTC.
  const zone = words[0] === "sql" ? [] : ["--zone", "UTC"];
  const code = await runCli([...words, ...zone, "--store", store, "--json"], table, io);
  return { code, err: io.err.replace(store, "STORE"), answer: code === 0 ? JSON.parse(io.out) : undefined };
}

/** Batches of a store as batches of another. */
function addBatches(from: string, to: string): void {
  for (const part of ["segments", "manifest"]) cpSync(join(from, part), join(to, part), { recursive: true });
}

beforeAll(async () => {
  const sites = STARTS.map((start) => join(folder, start));
  for (const [at, start] of STARTS.entries()) {
    const io = fakeWorld();
    const words = ["--scale", "0.002", "--cluster", "quartz", "--tables", "--start", start];
    const all = ["generate", "sitewide", ...words, "--seed", `${at + 1}`, "--output", join(folder, start)];
    expect(await runCli(all, table, io), io.err).toBe(0);
  }
  const [first, ...others] = sites.map((site) => join(site, "store")) as [string, ...string[]];
  for (const copy of [minutes, rolled, pruned]) {
    cpSync(first, copy, { recursive: true });
    for (const one of others.slice(0, -1)) addBatches(one, copy);
  }
  for (const [path, targetBytes] of [
    [rolled, 1],
    [pruned, 2 ** 28],
  ] as const) {
    const store = await Store.open(path);
    const report = await compactStore(store, { graceMs: 0, targetBytes });
    // Batches that are left alone get roll-ups too.
    expect(report).toMatchObject({ rolledUp: targetBytes === 1 ? 3 : 0, removedBatches: 3 });
    expect(await compactStore(store, { graceMs: 0, targetBytes })).toMatchObject({
      rolledUp: 0,
      replaced: 0,
    });
    await store.close();
  }
  for (const copy of [minutes, rolled, pruned]) addBatches(others.at(-1) as string, copy);
  const store = await Store.open(pruned);
  const now = Date.UTC(2018, 6, 1, 8);
  const keepMs = { minutes: now - CUT, hours: now - DAYS_CUT };
  const report = await pruneStore(store, { keepMs, graceMs: 0, nowMs: now });
  expect(report.before).toEqual({ minutes: CUT / 60_000, hours: DAYS_CUT / 60_000 });
  expect(report.removed.minutes).toBeGreaterThan(0);
  expect(report.removed.job_days).toBeUndefined();
  expect(report.bytesAfter).toBeLessThan(report.bytesBefore);
  expect(await pruneStore(store, { keepMs, graceMs: 0, nowMs: now })).toMatchObject({
    batches: 0,
    removed: {},
  });
  await store.close();
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const time = (ms: number) => new Date(ms).toISOString().slice(0, 16);

const QUESTIONS = [
  ["top", "jobs", "--order", "bytes"],
  ["top", "users", "--order", "metadata"],
  ["top", "targets", "--order", "opens"],
  ["top", "jobs", "--order", "small-writes"],
  ["who", "--target", "OST000*", "--by", "user"],
  ["who", "--target", "MDT0000"],
] as const;

describe(`roll-ups (seed ${seed})`, { timeout: 120_000 }, () => {
  it("hold the sums of their minutes", async () => {
    const columns = "bytes_read bytes_written reads writes opens closes mknods metadata_calls".split(" ");
    const sums = columns.map((name) => `sum(${name})::varchar as ${name}`).join(", ");
    for (const [base, level, span, key] of [
      ["minutes", "job_hours", 60, "job_id, target"],
      ["minutes", "job_days", 1440, "job_id"],
      ["targets", "target_hours", 60, "target"],
      ["targets", "target_days", 1440, "target"],
    ] as const) {
      const small = "sum(case when bytes_written < 65536 * writes then writes end)::varchar as small_writes";
      const grouped = `from ${base} group by all order by all`;
      const expected = `select ${key}, minute_unix // ${span} * ${span} as minute, count(*)::varchar as n, ${sums}, ${small} ${grouped}`;
      const held = `select ${key}, minute_unix as minute, sum(minute_rows)::varchar as n, ${sums}, sum(small_writes)::varchar as small_writes
        from ${level} group by all order by all`;
      const of = async (store: string, sql: string) => (await ask(store, ["sql", sql])).answer;
      const rows = await of(rolled, held);
      expect(rows.length).toBeGreaterThan(10);
      expect(rows).toEqual(await of(minutes, expected));
      // Before a compaction queries sum up themselves.
      expect(await of(minutes, held)).toEqual(rows);
    }
  });

  it("give the answers of minutes, whatever the time", async () => {
    const random = new Random(seed);
    const begin = Date.UTC(2018, 5, 7, 7);
    for (let turn = 0; turn < 48; turn++) {
      const question = QUESTIONS[turn % QUESTIONS.length] as readonly string[];
      const step = [60_000, 3_600_000, DAY][turn % 3] as number;
      const length = Math.ceil((random.unit() ** 2 * 22 * DAY + 1) / step) * step;
      const from = Math.floor((begin + random.unit() * (23 * DAY - length)) / step) * step;
      const window = turn < QUESTIONS.length ? [] : ["--from", time(from), "--to", time(from + length)];
      const [a, b] = [
        await ask(minutes, [...question, ...window]),
        await ask(rolled, [...question, ...window]),
      ];
      expect(b, [...question, ...window].join(" ")).toEqual(a);
    }
    for (const length of [2, 7, 26, 60].map((hours) => hours * 3_600_000)) {
      const period = () => {
        const from = Math.floor((begin + random.unit() * (20 * DAY - length)) / 60_000) * 60_000;
        return `${time(from)}..${time(from + length)}`;
      };
      const words = ["compare", "--a", period(), "--b", period(), "--limit", "5"];
      expect(await ask(rolled, words), words.join(" ")).toEqual(await ask(minutes, words));
    }
  });

  it("answer for a time without minutes, with whole hours and days", async () => {
    const same = async (question: readonly string[], from: string, to: string, widened = [from, to]) => {
      const { code, err, answer } = await ask(pruned, [...question, "--from", from, "--to", to]);
      expect(err).toBe("");
      expect(code).toBe(0);
      const whole = await ask(rolled, [
        ...question,
        "--from",
        widened[0] as string,
        "--to",
        widened[1] as string,
      ]);
      // Stretches may be longer where minutes are gone.
      const plain = (json: { rows: { when: unknown }[]; whenStepMinutes: number }) => ({
        ...json,
        whenStepMinutes: 0,
        others: { ...(json as unknown as { others: object }).others, when: [] },
        unexplained: { ...(json as unknown as { unexplained: object }).unexplained, when: [] },
        rows: json.rows.map((row) => ({ ...row, when: [] })),
      });
      expect(plain(answer)).toEqual(plain(whole.answer));
    };
    await same(["top", "jobs"], "2018-06-15T10:20", "2018-06-16T12:00", [
      "2018-06-15T10:00",
      "2018-06-16T12:00",
    ]);
    await same(["who", "--target", "OST0001"], "2018-06-16T10:20", "2018-06-16T12:01", [
      "2018-06-16T10:00",
      "2018-06-16T13:00",
    ]);
    await same(["top", "users"], "2018-06-08T10:20", "2018-06-29T12:07", ["2018-06-08", "2018-06-29T12:07"]);
    await same(["top", "targets"], "2018-06-08T10:20", "2018-06-09T12:00", ["2018-06-08", "2018-06-10"]);
    await same(["top", "jobs"], "2018-06-22T10:20", "2018-06-22T12:07");
    const early = ["who", "--target", "OST0001", "--from", "2018-06-08", "--to", "2018-06-09"];
    expect(await ask(pruned, early)).toMatchObject({
      code: 2,
      err: expect.stringContaining("jobs by target only since 2018-06-15T00:00 (UTC)"),
    });
    expect(await ask(pruned, ["top", "jobs", "--small-write", "4K"])).toMatchObject({ code: 2 });
  });
});
