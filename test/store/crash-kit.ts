/** Processes that write into a store, or compact it, and are killed; and what must hold afterwards. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect } from "vitest";
import { checkStore, compactStore, Store } from "../../src/store/index.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** In the project, so that the child finds the installed packages. */
const work = join(root, `.dist-crash-${process.pid}`);
const program = join(work, "child.mjs");

/** A folder for the stores of a test file, which must call this. */
export function useStores(): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-crash-"));
  beforeAll(() =>
    build({
      entryPoints: [join(root, "test/store/crash-child.ts")],
      outfile: program,
      bundle: true,
      format: "esm",
      platform: "node",
      packages: "external",
    }),
  );
  afterAll(() => {
    rmSync(work, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });
  return (name) => join(folder, name);
}

/** A store with one writer at a time, of which each is killed. */
export class KilledStore {
  readonly #path: string;
  /** Batches that were there after the last kill. */
  #known = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whole batches from the first to some last one, none twice, and all that the child had said. */
  async killed(child: Child): Promise<void> {
    await child.kill();
    const { batches, doubled } = await numbers(this.#path, 1);
    expect(batches).toEqual(Array.from({ length: batches.length }, (_, index) => index));
    expect(doubled).toBe(0);
    expect(batches.length).toBeGreaterThanOrEqual(Math.max(this.#known, child.committed + 1));
    this.#known = batches.length;
  }

  /** A last writer completes it; then it holds what a store holds whose writer nobody disturbed. */
  async expectUndisturbed(): Promise<void> {
    const [path, undisturbed] = [this.#path, `${this.#path}-undisturbed`];
    const total = String(this.#known + 5);
    await new Child("write", path, "0", "1", total).until("done");
    await new Child("write", undisturbed, "0", "1", total).until("done");
    expect(await fingerprint(path)).toEqual(await fingerprint(undisturbed));

    const later = Date.now() + 3600_000;
    const check = await checkStore(path, { deep: true, remove: true, graceMs: 0, nowMs: later });
    expect(check.problems).toEqual([]);
    expect(check.rubbish.length).toBeGreaterThan(0);
    expect((await checkStore(path)).rubbish).toEqual([]);
    await compactStore(await Store.open(path), { graceMs: 0, nowMs: later });
    expect(await fingerprint(path)).toEqual(await fingerprint(undisturbed));
  }
}

/** A store with two writers, of even and odd batches, and a compaction at once, which are killed. */
export class SharedStore {
  readonly #path: string;
  #known = [0, 0];

  constructor(path: string) {
    this.#path = path;
  }

  /** Kills them in that order, the others going on for a moment; each writer's batches are whole and none is missing. */
  async killed(children: readonly Child[]): Promise<void> {
    for (const child of children) await child.kill();
    const { batches, doubled } = await numbers(this.#path, 2);
    expect(doubled).toBe(0);
    const counts = [0, 1].map((parity) => {
      const own = batches.filter((number) => number % 2 === parity);
      expect(own).toEqual(own.map((_, index) => 2 * index + parity));
      return own.length;
    });
    for (const parity of [0, 1]) expect(counts[parity]).toBeGreaterThanOrEqual(this.#known[parity] as number);
    this.#known = counts;
  }

  /** Last writers complete it; compaction then leaves one batch with the same content. */
  async expectWhole(): Promise<void> {
    const path = this.#path;
    const count = 2 * Math.max(...this.#known) + 4;
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
  }
}

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

/** A process that writes or compacts, until it is killed. */
export class Child {
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
    return this.#until(() => this.#out.split("\n").includes(line), `"${line}"`);
  }

  untilCommitted(batches: number): Promise<void> {
    const count = () => [...this.#out.matchAll(/^committed \d+$/gm)].length;
    return this.#until(() => count() >= batches, `${batches} batches`);
  }

  #until(isSo: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (isSo()) resolve();
        else if (this.#ended) reject(new Error(`child ended before ${what}: ${this.#err || this.#out}`));
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
