/** `npm run bench store`: how long it takes to open a store of very many batches, with the copy of its manifest and without. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { newBatchId, segmentName } from "../../src/store/layout.ts";
import { entryText, readManifest } from "../../src/store/manifest.ts";
import { PACK, renewPack } from "../../src/store/manifest-pack.ts";
import { writeMark } from "../../src/store/mark.ts";
import { Store } from "../../src/store/index.ts";
import { STORE_VERSION } from "../../src/model/index.ts";

const BATCHES = Number(process.env.PLIMSOLL_BENCH_BATCHES ?? 100_000);
const TURNS = 5;
const TABLES = ["runs", "accesses", "files", "sources"];

const [, , opened] = process.argv.slice(2);
if (opened === undefined) await main();
else await open(opened);

async function main(): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
  try {
    console.log(
      `${cpus()[0]?.model ?? "?"}, ${cpus().length} cores, Node ${process.version}; a manifest of ${BATCHES} batches of ${TABLES.length} segments; ${TURNS} turns, medians (range); load ${loadavg()[0]?.toFixed(1)}`,
    );
    await makeManifest(work);
    console.log("opened\tseconds\tprocessor s");
    report("with its copy", work);
    renameSync(join(work, PACK), join(work, "away"));
    report("entry by entry", work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Entries without their segments: opening looks at no segment. */
async function makeManifest(store: string): Promise<void> {
  await (await Store.create(store)).close();
  for (let i = 0; i < BATCHES; i++) {
    const id = newBatchId();
    const segment = (table: string) => ({
      file: segmentName(table, id, 0),
      ...{ rows: 1000 + i, bytes: 100_000 + i, sha256: "0123456789abcdef".repeat(4) },
    });
    const tables = Object.fromEntries(TABLES.map((table) => [table, [segment(table)]]));
    const about = {
      version: STORE_VERSION,
      created: new Date(0).toISOString(),
      writer: "bench",
      replaces: [],
    };
    writeFileSync(join(store, "manifest", `${id}.json`), entryText({ id, ...about, tables }));
  }
  writeMark(store, true);
  renewPack(store, readManifest(store).entries, new Map());
}

/** Each in a process of its own, as a command opens it. */
function report(how: string, store: string): void {
  const turns = Array.from({ length: TURNS }, () => {
    const { stdout } = spawnSync(process.execPath, [...process.argv.slice(1, 4), store], {
      encoding: "utf8",
    });
    return stdout.trim().split(" ").map(Number) as [seconds: number, cpuSeconds: number];
  });
  const spread = (values: readonly number[]) => {
    const rising = [...values].sort((a, b) => a - b);
    return `${rising[Math.floor(rising.length / 2)]?.toFixed(2)} (${rising[0]?.toFixed(2)}–${rising.at(-1)?.toFixed(2)})`;
  };
  console.log([how, spread(turns.map(([s]) => s)), spread(turns.map(([, s]) => s))].join("\t"));
}

async function open(store: string): Promise<void> {
  const [cpu, began] = [process.cpuUsage(), performance.now()];
  const opened = await Store.open(store);
  const used = process.cpuUsage(cpu);
  console.log(((performance.now() - began) / 1000).toFixed(3), ((used.user + used.system) / 1e6).toFixed(3));
  await opened.close();
}
