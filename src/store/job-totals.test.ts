/** What a scheduler and clients say of jobs, put together. */
import { writeFileSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { STORE_VERSION } from "../model/store-schema.ts";
import { storedJobs, storedMinutes, storedReadings, storedTargets } from "../model/store-system.ts";
import type { Row, Value } from "../model/tables.ts";
import { Store } from "./store.ts";
import { storeWith, temporaryFolder } from "./test-kit.ts";

const MINUTE = 60_000_000_000n;
const T0 = 1_700_000_000_000_000_000n;
const at = (minutes: number) => T0 + BigInt(Math.round(minutes * 60)) * 1_000_000_000n;

async function storeOf(path: string, batches: readonly (readonly Row[])[]): Promise<Store> {
  const store = await Store.openOrCreate(path);
  for (const rows of batches) {
    const batch = store.beginBatch();
    const columns: Record<string, Value[]> = {};
    for (const { name } of storedJobs.columns)
      columns[name] = rows.map((row) => row[name] ?? (name === "synthetic" ? 0 : null));
    columns.job_key = rows.map(({ job_id }) => BigInt(`0x${Buffer.from(`${job_id}`).toString("hex")}`));
    await batch.append(storedJobs, rows.length, columns);
    await batch.commit();
  }
  return store;
}

async function totals(store: Store, columns: string): Promise<unknown[][]> {
  const session = await store.query();
  try {
    const rows = await session.rows(`select ${columns} from job_totals order by all`);
    return rows.map((row) => Object.values(row));
  } finally {
    session.close();
    await store.close();
  }
}

const run = (job: string, from: number, to: number | null, more: Row = {}): Row => ({
  job_id: job,
  source: "scheduler",
  cluster: "cab",
  submit_unix_ns: at(from - 5),
  start_unix_ns: at(from),
  end_unix_ns: to === null ? null : at(to),
  nodes: 4,
  state: to === null ? "RUNNING" : "COMPLETED",
  ...more,
});
const clients = (job: string, from: number, to: number, written: number | bigint, more: Row = {}): Row => ({
  job_id: job,
  source: "clients",
  cluster: "cab",
  start_unix_ns: at(from),
  end_unix_ns: at(to),
  nodes_counted: 1,
  bytes_written: written,
  ...more,
});

const SHORT = `job_id, ((start_unix_ns - ${T0}) / ${MINUTE})::int as m, state, nodes_counted, bytes_written`;

describe("job_totals", () => {
  it("sums client rows of several batches and leaves NULL where no client was read", async () => {
    const store = await storeOf(join(temporaryFolder(), "s"), [
      [run("1", 0, 60), run("2", 0, 60)],
      [clients("1", -0.1, 60.1, 10), clients("1", -0.1, 60.1, 5, { warnings: "2 nodes: remounted" })],
      [clients("1", -0.2, 60.2, 7, { warnings: "2 nodes: remounted" })],
    ]);
    expect(await totals(store, `${SHORT}, nodes, warnings`)).toEqual([
      ["1", 0, "COMPLETED", 3n, 22n, 4n, "2 nodes: remounted\n2 nodes: remounted"],
      ["2", 0, "COMPLETED", null, null, 4n, null],
    ]);
  });

  it("tells runs of a requeued id apart, also where their margins overlap", async () => {
    const store = await storeOf(join(temporaryFolder(), "s"), [
      [run("7", 0, 4), run("7", 6, 20), run("7", 100, 120), run("7", 0, 60, { cluster: "quartz" })],
      [clients("7", 0, 4.1, 1), clients("7", 5.9, 20, 2), clients("7", 100, 121, 4)],
      [clients("7", 0, 60, 8, { cluster: "quartz" }), clients("7", 4.2, 4.4, 16)],
    ]);
    expect(await totals(store, `cluster, ${SHORT}`)).toEqual([
      ["cab", "7", 0, "COMPLETED", 2n, 17n],
      ["cab", "7", 6, "COMPLETED", 1n, 2n],
      ["cab", "7", 100, "COMPLETED", 1n, 4n],
      ["quartz", "7", 0, "COMPLETED", 1n, 8n],
    ]);
  });

  it("keeps clients that no scheduler row fits as runs of their own", async () => {
    const store = await storeOf(join(temporaryFolder(), "s"), [
      [run("3", 0, 10)],
      [
        clients("3", 500, 520, 1),
        clients("3", 519, 540, 2),
        clients("3", 600, 610, 4),
        clients("4", 0, 1, 8),
      ],
      [clients("4", 0, 1, null as never, { nodes_counted: 0, nodes_dropped: 1 })],
    ]);
    expect(await totals(store, `${SHORT}, nodes_dropped`)).toEqual([
      ["3", 0, "COMPLETED", null, null, null],
      ["3", 500, null, 2n, 3n, null],
      ["3", 600, null, 1n, 4n, null],
      ["4", 0, null, 1n, 8n, 1n],
    ]);
  });

  it("a job in two lists of the scheduler is one run, as the later list has it; a running one takes clients", async () => {
    const store = await storeOf(join(temporaryFolder(), "s"), [
      [run("5", 0, null), run("6", 0, null)],
      [run("5", 0, 90), clients("5", 0, 90, 3), clients("6", 0, 30, 4)],
      [run("5", 0, 90)],
    ]);
    expect(await totals(store, SHORT)).toEqual([
      ["5", 0, "COMPLETED", 1n, 3n],
      ["6", 0, "RUNNING", 1n, 4n],
    ]);
  });

  it("reads whole rows as they are, and sums do not overflow", async () => {
    const store = await storeOf(join(temporaryFolder(), "s"), [
      [run("8", 0, 10, { source: "both", bytes_written: 5, nodes_counted: 4 }), run("9", 0, 5)],
      [clients("9", 0, 5, 2n ** 63n - 1n), clients("9", 0.5, 5, 9n)],
    ]);
    expect(await totals(store, SHORT)).toEqual([
      ["8", 0, "COMPLETED", 4n, 5n],
      ["9", 0, "COMPLETED", 2n, 2n ** 63n - 1n],
    ]);
  });

  it("clients that name no cluster go to the cluster that has such a job then; of two, to none, with a warning", async () => {
    const unnamed = { cluster: null };
    const store = await storeOf(join(temporaryFolder(), "s"), [
      [run("1", 0, 60), run("1", 0, 60, { cluster: "quartz" }), run("1", 200, 260, { cluster: "quartz" })],
      [clients("1", 0, 60, 10, unnamed), clients("1", 0, 60, 4), clients("1", 200, 260, 5, unnamed)],
    ]);
    expect(await totals(store, `cluster, ${SHORT}, warnings`)).toEqual([
      ["cab", "1", 0, "COMPLETED", 1n, 4n, null],
      ["quartz", "1", 0, "COMPLETED", null, null, null],
      ["quartz", "1", 200, "COMPLETED", 1n, 5n, null],
      [null, "1", 0, null, 1n, 10n, "the samples do not name the cluster of the job: cab or quartz"],
    ]);
  });

  it("agrees with a plain walk over random runs and clients", async () => {
    const { Random } = await import("../base/prng.ts");
    const random = new Random(3);
    const rows: Row[] = [];
    const expected = new Map<string, bigint | null>();
    for (let job = 0; job < 40; job++) {
      let minute = 0;
      for (let round = 0; round <= random.below(3); round++) {
        const from = minute + 30 + random.below(100);
        const to = from + 1 + random.below(300);
        minute = to;
        rows.push(run(`${job}`, from, to));
        let sum: bigint | null = null;
        for (let node = 0; node < random.below(5); node++) {
          const bytes = BigInt(random.below(2 ** 30));
          rows.push(clients(`${job}`, from - random.below(5), to + random.below(5), bytes));
          sum = (sum ?? 0n) + bytes;
        }
        expected.set(`${job} ${from}`, sum);
      }
    }
    const order = rows.map((row) => [random.below(2 ** 31), row] as const).sort((a, b) => a[0] - b[0]);
    const shuffled = order.map(([, row]) => row);
    const store = await storeOf(join(temporaryFolder(), "s"), [shuffled.slice(0, 90), shuffled.slice(90)]);
    const found = await totals(store, SHORT);
    expect(new Map(found.map(([id, m, , , bytes]) => [`${id} ${m}`, bytes]))).toEqual(expected);
  });
});

describe("a store without tables of a file system", () => {
  it("of version 1 opens, shows them empty, and takes new batches beside the old ones", async () => {
    const path = join(temporaryFolder(), "old");
    await (await storeWith(path, [[1, 2]])).close();
    // As a program of version 1 left it.
    writeFileSync(join(path, "store.json"), '{"kind": "plimsoll store", "version": 1}\n');
    for (const name of readdirSync(join(path, "manifest"))) {
      const entry = join(path, "manifest", name);
      writeFileSync(
        entry,
        readFileSync(entry, "utf8").replace(`"version": ${STORE_VERSION}`, '"version": 1'),
      );
    }
    const count = (table: string) => `select count(*) as n from ${table}`;
    const ask = async () => {
      const store = await Store.open(path);
      const session = await store.query();
      const names = [storedJobs, storedMinutes, storedTargets, storedReadings].map(({ name }) => name);
      const found: unknown[] = [];
      for (const name of [...names, "job_totals", "runs"])
        found.push((await session.rows(count(name)))[0]?.n);
      session.close();
      await store.close();
      return found;
    };
    expect(await ask()).toEqual([0n, 0n, 0n, 0n, 0n, 2n]);
    expect(JSON.parse(readFileSync(join(path, "store.json"), "utf8")).version).toBe(1);
    await storeOf(path, [[run("1", 0, 5)]]);
    expect(await ask()).toEqual([1n, 0n, 0n, 0n, 1n, 2n]);
    expect(JSON.parse(readFileSync(join(path, "store.json"), "utf8")).version).toBe(STORE_VERSION);
  });
});
