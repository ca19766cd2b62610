/** `plimsoll sim what-if` on stores whose truth is known. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandEntry } from "../../src/cli/command.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";
import { storedAccesses, storedRuns } from "../../src/model/store-schema.ts";
import { Store } from "../../src/store/index.ts";

const table: CommandEntry[] = [
  { name: "sim what-if", summary: "what if", load: () => import("../../src/cli/sim/what-if.ts") },
];
const folder = mkdtempSync(join(tmpdir(), "plimsoll-what-if-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Row {
  readonly id: bigint;
  readonly start: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly osts: string | null;
  readonly write?: boolean;
}

async function storeOf(name: string, rows: readonly Row[]): Promise<string> {
  const path = join(folder, name);
  const store = await Store.openOrCreate(path);
  if (rows.length > 0) {
    const batch = store.beginBatch({ writer: "test" });
    const ids = BigUint64Array.from(rows, ({ id }) => id);
    const at = (seconds: number) => BigInt(Math.round((1_700_000_000 + seconds) * 1e9));
    const start = BigInt64Array.from(rows, (row) => at(row.start));
    const end = BigInt64Array.from(rows, (row) => at(row.start + 400));
    const ranks = new BigInt64Array(rows.length).fill(2n);
    await batch.append(storedRuns, rows.length, {
      synthetic: { all: 0 },
      run_id: ids,
      job_id: rows.map(({ id }) => `job${id}`),
      application: { all: "app" },
      application_id: { all: 7n },
      ranks,
      start_unix_ns: start,
      end_unix_ns: end,
    });
    const of = (write: boolean, value: (row: Row) => number) =>
      rows.map((row) => ((row.write ?? false) === write ? value(row) : 0));
    await batch.append(storedAccesses, rows.length, {
      run_id: ids,
      file_id: ids,
      shared: { all: 1 },
      partial: { all: 0 },
      application_id: { all: 7n },
      ranks,
      start_unix_ns: start,
      end_unix_ns: end,
      bytes_read: BigInt64Array.from(of(false, ({ bytes }) => bytes).map(BigInt)),
      bytes_written: BigInt64Array.from(of(true, ({ bytes }) => bytes).map(BigInt)),
      read_seconds: Float64Array.from(of(false, ({ seconds }) => 2 * seconds)),
      write_seconds: Float64Array.from(of(true, ({ seconds }) => 2 * seconds)),
      slowest_seconds: Float64Array.from(rows, ({ seconds }) => seconds),
      osts: rows.map(({ osts }) => osts),
    });
    await batch.commit();
  }
  await store.close();
  return path;
}

async function run(...words: string[]) {
  const world = fakeWorld();
  const code = await runCli(["sim", "what-if", ...words], table, world);
  // Lines are broken at the width of the terminal.
  return { code, out: world.out, flat: world.out.replace(/\s+/g, " "), err: world.err };
}

const RATE = 1_000_000;
/** 2^63 and more, so that ids must stay exact. */
const FIRST = 9_223_372_036_854_775_800n;

/** Every 1000 s one run alone on each of two targets, at a constant rate; then two that share target 0. */
const rows = (): Row[] => [
  ...Array.from({ length: 40 }, (_, i): Row => {
    const bytes = RATE * (5 + (i % 7));
    return { id: BigInt(i + 1), start: 1000 * i, seconds: bytes / RATE, bytes, osts: String(i % 2) };
  }),
  { id: FIRST, start: 50_000, seconds: 20, bytes: 10 * RATE, osts: "0" },
  { id: FIRST + 1n, start: 50_000, seconds: 20, bytes: 10 * RATE, osts: "0" },
  { id: FIRST + 2n, start: 60_000, seconds: 12, bytes: 12 * RATE, osts: "1", write: true },
];

let store = "";
beforeAll(async () => {
  store = await storeOf("known", rows());
});

describe("a store with two runs on one target", () => {
  it("says that without one the other takes half as long", async () => {
    const { code, out, err } = await run("--store", store, "--remove-run", String(FIRST), "--json");
    expect(err).toBe("");
    expect(code).toBe(0);
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({ simulated: true, runs: 2, unchanged: 0 });
    expect(answer.changed).toHaveLength(1);
    const [other] = answer.changed;
    expect(other.id).toBe(String(FIRST + 1n));
    expect(other.recordedSeconds).toBeCloseTo(20, 9);
    expect(other.before).toBeCloseTo(20, 6);
    expect(other.after).toBeCloseTo(10, 6);
    expect(other.expected).toBeCloseTo(10, 6);
    expect(answer.fit.error.median).toBeLessThan(1e-6);
    expect(answer.fit.usualRate).toBeCloseTo(RATE, 3);
  });

  it("prints it with its error, and writes a page", async () => {
    const page = join(folder, "page.html");
    const text = await run("--store", store, "--remove-run", String(FIRST));
    expect(text.out).toContain("Simulated, fit error 0 % median");
    expect(text.flat).toContain("1 run would have been faster and 0 runs slower");
    const { out } = await run("--store", store, "--remove-target", "OST0000", "-o", page);
    expect(out).toContain(`Wrote ${page}`);
    expect(readFileSync(page, "utf8")).toContain("without target 0");
  });

  it("without their target both go elsewhere together, and take as long", async () => {
    const { out } = await run(
      "--store",
      store,
      "--remove-target",
      "0",
      "--around",
      String(FIRST),
      "--hours",
      "4",
      "--json",
    );
    const answer = JSON.parse(out);
    expect(answer.question).toBe("without target 0");
    const target = answer.targets.find((one: { target: number }) => one.target === 0);
    expect(target.bytesBefore).toBeGreaterThan(0);
    expect(target.bytesAfter).toBe(0);
  });

  it("writes of one target spread over two are twice as fast under a policy", async () => {
    const id = String(FIRST + 2n);
    const { out } = await run("--store", store, "--policy", "paper,static", "--around", id, "--json");
    const answer = JSON.parse(out);
    expect(answer.replayedSeconds).toBeCloseTo(12, 6);
    // Two ranks, each with half, each to a target of its own.
    for (const { seconds } of answer.policies) expect(seconds).toBeGreaterThan(5.9);
    expect(answer.policies[1].seconds).toBeLessThan(12.1);
  });

  it("a run that met nobody changes nobody, in one line", async () => {
    const { code, flat } = await run("--store", store, "--remove-run", "3");
    expect(code).toBe(0);
    expect(flat).toContain("nothing changes by more than 0.1 %");
  });

  it("a time is a place to look at as well", async () => {
    const when = new Date((1_700_000_000 + 50_000) * 1000).toISOString();
    const { code, out } = await run("--store", store, "--remove-target", "1", "--around", when, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out).targets.map(({ target }: { target: number }) => target)).toEqual([0]);
  });
});

describe("bad requests say what is wrong in one line", () => {
  const fails = async (words: readonly string[], text: string) => {
    const { code, err, out } = await run(...words);
    expect(err).toContain(text);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(out).toBe("");
    expect(code).toBe(2);
  };

  it("an unknown run, with the one that was meant", async () => {
    await fails(["--store", store, "--remove-run", "922337203685477580"], `did you mean ${FIRST}?`);
    await fails(["--store", store, "--remove-run", "job3"], "(job job3 is run 3)");
    await fails(["--store", store, "--remove-run", "o'hara"], "run o'hara: not in this store");
  });

  it("an unknown target, with the nearest ones", async () => {
    await fails(
      ["--store", store, "--remove-target", "7"],
      "no run in the store used it (the store has 2; the nearest: 1, 0)",
    );
    await fails(["--store", store, "--remove-target", "seven"], "expected a number such as 7");
  });

  it("no question, two questions, no store, a policy without a run, a bad time", async () => {
    await fails(["--store", store], "choose one of --remove-run, --remove-target and --policy");
    await fails(["--store", store, "--remove-run", "1", "--policy", "paper"], "choose one of");
    await fails(["--remove-run", "1"], "--store is missing");
    await fails(["--store", store, "--policy", "paper"], "--policy needs --around RUN");
    await fails(["--store", store, "--policy", "papr", "--around", "1"], "unknown policy papr");
    await fails(
      ["--store", store, "--policy", "paper", "--around", "2023-01-01"],
      "the run to rewrite, not a time",
    );
    await fails(
      ["--store", store, "--remove-target", "0", "--around", "noon"],
      "expected a run id or a time",
    );
    await fails(["--store", store, "--remove-run", "1", "--hours", "-1"], "--hours");
  });

  it("an empty store, and one without OSTs", async () => {
    const empty = await storeOf("empty", []);
    await fails(
      ["--store", empty, "--remove-run", "1"],
      "the store has no runs of Darshan logs; fill it with plimsoll ingest",
    );
    const bare = await storeOf("bare", [{ id: 1n, start: 0, seconds: 1, bytes: 1, osts: null }]);
    await fails(["--store", bare, "--remove-run", "1"], "none of its 1 accesses names OSTs");
  });
});
