// A store that lost a segment, with the real commands: what is lost is named, taken out, and ingested again. And a repair
// that is killed at any point leaves a store that opens.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "../../src/base/prng.ts";
import { recordLog } from "../../src/generate/recorder/record.ts";
import { Application, osts } from "../../src/generate/single/application.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import type { StorePoint } from "../../src/store/hooks.ts";
import { checkStore, compactStore, repairStore, Store } from "../../src/store/index.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = join(root, "bin", "plimsoll");
const work = join(root, `.dist-repair-${process.pid}`);
const child = join(work, "child.mjs");
let folder: string;
const LOGS = 20;
const BATCHES = 4;

function plimsoll(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    cwd: folder,
    encoding: "utf8",
  });
  return { code: status, out: stdout, err: stderr };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-repair-"));
  for (let part = 0; part < BATCHES; part++)
    mkdirSync(join(folder, "logs", String(part)), { recursive: true });
  for (let i = 0; i < LOGS; i++) {
    const job = new Application(1 + (i % 3), new Random(i + 1));
    for (let f = 0; f <= i % 3; f++) {
      const file = job.lustre(`data.${i}.${f}`, osts(0, 1));
      job.open("POSIX", 0, file);
      job.write("POSIX", 0, file, { offset: 0, bytes: 4096 * (i + 1) });
      job.close("POSIX", 0, file);
    }
    const plan = { ...job.plan("app", { heatmap: false }), jobId: i };
    writeFileSync(
      join(folder, "logs", String(i % BATCHES), `job${i}.darshan`),
      recordLog(plan, nodeEncoders).bytes,
    );
  }
  await build({
    entryPoints: [join(root, "test/store/repair-child.ts")],
    outfile: child,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  for (let part = 0; part < BATCHES; part++)
    expect(plimsoll("ingest", `logs/${part}`, "--store", "model", "--threads", "1")).toMatchObject({
      code: 0,
    });
}, 120_000);
afterAll(() => {
  rmSync(work, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

/** What the store says, in an order that does not depend on how it came in. */
async function contents(store: string) {
  const opened = await Store.open(join(folder, store));
  const query = await opened.query();
  try {
    return [
      await query.rows("select * exclude (source) from runs order by run_id"),
      await query.rows("select * from accesses order by run_id, file_id"),
      await query.rows("select distinct * from files order by all"),
      await query.rows("select hash_high, status from sources order by all"),
    ];
  } finally {
    query.close();
    await opened.close();
  }
}

const copyOf = (name: string) => cpSync(join(folder, "model"), join(folder, name), { recursive: true });
const segment = (store: string, table: string) =>
  join("segments", table, readdirSync(join(folder, store, "segments", table)).sort()[0] as string);

describe("a store that lost a segment", { timeout: 120_000 }, () => {
  it.each(["accesses", "files"])("of %s is repaired, and the logs come back", async (table) => {
    const whole = await contents("model");
    copyOf(table);
    const lost = segment(table, table);
    unlinkSync(join(folder, table, lost));
    expect(plimsoll("sql", "--store", table, `select count(*) from ${table}`)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/segment is missing; .* see plimsoll store repair\n$/),
    });

    const dry = plimsoll("store", "repair", table);
    expect(dry.code).toBe(1);
    expect(dry.err).toMatch(/1 batch is damaged; nothing changed, --apply keeps only intact rows\n$/);
    expect(dry.out).toContain(`damaged: ${lost}: segment is missing`);
    expect(dry.out).toMatch(new RegExp(`lost: .*rows of ${table}`));
    if (table === "accesses") {
      expect(dry.out).toMatch(/5 inputs could be ingested again: logs\/0\/job\d+\.darshan, /);
      expect(dry.out).toMatch(/times of the batch: 20\d\d-/);
    }
    const applied = plimsoll("store", "repair", "--apply", table);
    expect(applied).toMatchObject({ code: 0, err: "" });
    expect(applied.out).toMatch(/kept aside: aside\//);
    expect((await checkStore(join(folder, table), { deep: true })).problems).toEqual([]);

    const again = plimsoll("ingest", "logs", "--store", table, "--json");
    expect(JSON.parse(again.out)).toMatchObject({ read: LOGS, new: 5, known: LOGS - 5 });
    expect(await contents(table)).toEqual(whole);
    // From now on they are known again.
    const third = plimsoll("ingest", "logs", "--store", table, "--json");
    expect(JSON.parse(third.out)).toMatchObject({ new: 0, known: LOGS });
    await compactStore(await Store.open(join(folder, table)), { graceMs: 0 });
    expect(await contents(table)).toEqual(whole);
  });

  it("can lose the whole batch instead", async () => {
    copyOf("dropped");
    const id = readdirSync(join(folder, "dropped", "manifest"))
      .sort()[0]
      ?.slice(0, 33) as string;
    const dry = plimsoll("store", "drop-batch", "dropped", id);
    expect(dry).toMatchObject({ code: 0, err: expect.stringContaining("nothing changed; add --apply") });
    const json = plimsoll("store", "drop-batch", "--json", "--apply", "dropped", `manifest/${id}.json`);
    expect(JSON.parse(json.out)).toMatchObject({ applied: true, losses: [{ batch: id, lost: { runs: 5 } }] });
    expect(plimsoll("store", "drop-batch", "dropped", "all")).toMatchObject({ code: 2 });
    expect(plimsoll("ingest", "logs", "--store", "dropped")).toMatchObject({ code: 0 });
    expect(await contents("dropped")).toEqual(await contents("model"));
  });
});

describe("a repair that is killed", { timeout: 120_000 }, () => {
  const POINTS: readonly StorePoint[] = [
    "set-aside",
    "segments-synced",
    "segment-renamed",
    "segments-renamed",
    "manifest-written",
    "manifest-renamed",
  ];

  function kill(...words: string[]): void {
    expect(spawnSync(process.execPath, [child, ...words]).signal).toBe("SIGKILL");
  }

  it.each(POINTS)("at %s can be done again, or is done", async (point) => {
    const store = `killed-${point}`;
    copyOf(store);
    unlinkSync(join(folder, store, segment(store, "accesses")));
    kill("repair", join(folder, store), point);
    // It opens, and the tables that are whole can be asked.
    expect((await Store.open(join(folder, store))).batches().length).toBe(BATCHES);
    await repairStore(join(folder, store), { apply: true });
    const [runs, accesses] = await contents(store);
    expect(runs?.length).toBe(15);
    expect(accesses?.length).toBe(30);
    const check = await checkStore(join(folder, store), { deep: true, remove: true, graceMs: 0 });
    expect(check.problems).toEqual([]);
    expect(check.rubbish.every(({ removed }) => removed)).toBe(true);
  });

  it.each(["set-aside", "entry-aside"])("with a damaged manifest entry at %s too", async (point) => {
    const store = `entry-${point}`;
    copyOf(store);
    const entry = readdirSync(join(folder, store, "manifest")).sort()[0] as string;
    writeFileSync(join(folder, store, "manifest", entry), "{");
    kill("drop", join(folder, store), point, entry);
    await repairStore(join(folder, store), { apply: true });
    expect((await contents(store))[0]?.length).toBe(15);
    expect((await checkStore(join(folder, store), { deep: true })).problems).toEqual([]);
  });
});
