// A writer killed at any moment loses at most the batch in flight, and the store stays readable.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "../src/base/prng.ts";
import type { StorePoint } from "../src/store/hooks.ts";
import { checkStore, compactStore, Store } from "../src/store/index.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** In the project, so that the child finds the installed packages. */
const work = join(root, `.dist-crash-${process.pid}`);
const program = join(work, "child.mjs");
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-crash-"));
  await build({
    entryPoints: [join(root, "test/store-crash-child.ts")],
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
});
afterAll(() => {
  rmSync(work, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

const POINTS: readonly StorePoint[] = [
  "segment-written",
  "segments-synced",
  "segment-renamed",
  "segments-renamed",
  "manifest-written",
  "manifest-renamed",
];
const RANDOM_KILLS = 26;
const SEED = 20260731;

describe("a writer that is killed", { timeout: 180_000 }, () => {
  it("loses at most the batch in flight, at every step of a commit and at random moments", async () => {
    const path = join(folder, "killed");
    const random = new Random(SEED);
    let kills = 0;
    let known = 0;
    const verify = async (committed: number) => {
      const { batches, doubled } = await numbers(path, 1);
      // Whole batches from the first to some last one, none twice, and all that the child had said.
      expect(batches).toEqual(Array.from({ length: batches.length }, (_, index) => index));
      expect(doubled).toBe(0);
      expect(batches.length).toBeGreaterThanOrEqual(Math.max(known, committed + 1));
      known = batches.length;
    };
    for (const point of POINTS) {
      const child = new Child("write", path, "0", "1", "1000", point);
      await child.until(`at ${point}`);
      await child.kill();
      kills++;
      await verify(child.committed);
    }
    while (kills < POINTS.length + RANDOM_KILLS) {
      const child = new Child("write", path, "0", "1", "100000");
      await child.until("ready");
      await new Promise((resolve) => setTimeout(resolve, random.unit() * 60));
      await child.kill();
      kills++;
      await verify(child.committed);
    }
    expect(kills).toBeGreaterThanOrEqual(30);

    const total = String(known + 5);
    await new Child("write", path, "0", "1", total).until("done");
    const undisturbed = join(folder, "undisturbed");
    await new Child("write", undisturbed, "0", "1", total).until("done");
    expect(await fingerprint(path)).toEqual(await fingerprint(undisturbed));

    const later = Date.now() + 3600_000;
    const check = await checkStore(path, { deep: true, graceMs: 0, nowMs: later });
    expect(check.problems).toEqual([]);
    expect(check.rubbish.length).toBeGreaterThan(0);
    expect((await checkStore(path)).rubbish).toEqual([]);
    await compactStore(await Store.open(path), { graceMs: 0, nowMs: later });
    expect(await fingerprint(path)).toEqual(await fingerprint(undisturbed));
  });

  it("does no harm to another writer, nor to a compaction, nor they to it", async () => {
    const path = join(folder, "together");
    const random = new Random(SEED + 1);
    let known = [0, 0];
    for (let round = 0; round < 4; round++) {
      const children = [
        new Child("write", path, "0", "2", "100000"),
        new Child("write", path, "1", "2", "100000"),
        new Child("compact", path),
      ];
      await Promise.all(children.map((child) => child.until("ready")));
      await new Promise((resolve) => setTimeout(resolve, 200 + random.unit() * 600));
      // One after another: the others go on for a moment.
      for (const child of children.sort(() => random.unit() - 0.5)) await child.kill();
      const { batches, doubled } = await numbers(path, 2);
      expect(doubled).toBe(0);
      const counts = [0, 1].map((parity) => {
        const own = batches.filter((number) => number % 2 === parity);
        expect(own).toEqual(own.map((_, index) => 2 * index + parity));
        return own.length;
      });
      for (const parity of [0, 1]) expect(counts[parity]).toBeGreaterThanOrEqual(known[parity] as number);
      known = counts;
    }
    const count = 2 * Math.max(...known) + 4;
    await Promise.all([
      new Child("write", path, "0", "2", String(count)).until("done"),
      new Child("write", path, "1", "2", String(count)).until("done"),
    ]);
    const { batches } = await numbers(path, 2);
    expect(batches).toEqual(Array.from({ length: count }, (_, index) => index));
    const later = Date.now() + 3600_000;
    const store = await Store.open(path);
    const before = await fingerprint(path);
    expect(before).toMatchObject({ runs: BigInt(3 * count + count / 2) });
    await compactStore(store, { graceMs: 0, nowMs: later });
    await compactStore(store, { graceMs: 0, nowMs: later });
    expect(await fingerprint(path)).toEqual(before);
    expect(await checkStore(path, { deep: true, graceMs: 0, nowMs: later })).toMatchObject({
      batches: 1,
      problems: [],
      duplicateRuns: 0,
    });
  });
});

/** The numbers of all whole batches in the store, and how many runs it shows twice. */
async function numbers(path: string, step: number): Promise<{ batches: number[]; doubled: number }> {
  const query = await (await Store.open(path)).query();
  try {
    const rows = await query.rows(
      `select job_id::int as batch, count(*) as runs, sum(accesses) as accesses from runs
       join (select run_id, count(*) as accesses from accesses group by run_id) using (run_id)
       where job_id <> '${-step}' group by batch order by batch`,
    );
    for (const { runs, accesses } of rows) expect([runs, accesses]).toEqual([3n, 150n]);
    const [twice] = await query.rows("select count(*) - count(distinct run_id) as n from runs");
    return { batches: rows.map(({ batch }) => Number(batch)), doubled: Number(twice?.n) };
  } finally {
    query.close();
  }
}

/** What the store holds, whatever its segments are. */
async function fingerprint(path: string) {
  const query = await (await Store.open(path)).query();
  try {
    const [sums] = await query.rows(
      `select (select count(*) from runs) as runs, (select sum(hash(r)) from runs r) as r,
              (select sum(hash(a)) from accesses a) as a, (select sum(hash(s)) from sources s) as s`,
    );
    return sums;
  } finally {
    query.close();
  }
}

class Child {
  readonly #child: ChildProcess;
  readonly #closed: Promise<void>;
  readonly #waiting = new Set<() => void>();
  #out = "";
  #err = "";
  #ended = false;

  constructor(...words: string[]) {
    this.#child = spawn(process.execPath, [program, ...words], { stdio: ["ignore", "pipe", "pipe"] });
    this.#child.stdout?.on("data", (data) => {
      this.#out += data;
      for (const check of this.#waiting) check();
    });
    this.#child.stderr?.on("data", (data) => {
      this.#err += data;
    });
    this.#closed = new Promise((resolve) => {
      this.#child.on("close", () => {
        this.#ended = true;
        for (const check of this.#waiting) check();
        resolve();
      });
    });
  }

  /** The last batch that it said to have committed; -1 for none. */
  get committed(): number {
    return Number([...this.#out.matchAll(/^committed (\d+)$/gm)].at(-1)?.[1] ?? -1);
  }

  until(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (this.#out.split("\n").includes(line)) resolve();
        else if (this.#ended) reject(new Error(`child ended before "${line}": ${this.#err || this.#out}`));
        else return;
        this.#waiting.delete(check);
      };
      this.#waiting.add(check);
      check();
    });
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#closed;
    expect(this.#err, "a child failed by itself").toBe("");
  }
}
