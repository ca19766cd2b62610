/**
 * `npm run bench years`: a store of a large site (500 OSTs, 3,000 jobs an hour) as it grows day by day with a compaction each
 * night: bytes and seconds of a day, and how long questions take, as whole commands.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { compactStore, pruneStore, Store } from "../../src/store/index.ts";
import { JOBS_PER_HOUR, OSTS, Site } from "./site.ts";

const [root = "."] = process.argv.slice(2);
const DAYS = Number(process.env.PLIMSOLL_BENCH_DAYS ?? 30);
const COMPACT_DAYS = Number(process.env.PLIMSOLL_BENCH_COMPACT_DAYS ?? 1);
const KEEP_DAYS = Math.max(1, Math.round(DAYS / 3));
/** 2026-01-05, a Monday. */
const FIRST_HOUR = Date.UTC(2026, 0, 5) / 3_600_000;
const work = process.env.PLIMSOLL_BENCH_STORE ?? mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
const path = join(work, "store");
const seconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

try {
  console.log(
    `${cpus()[0]?.model ?? "?"}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`,
  );
  console.log(
    `${OSTS} OSTs, ${JOBS_PER_HOUR} jobs/h, ${DAYS} days; synthetic rows, 24 batches a day, compacted every ${COMPACT_DAYS} days`,
  );
  if (!existsSync(path)) await grow();
  askAll("whole store with its minutes");
  await prune();
  askAll(`minutes of ${KEEP_DAYS} days, hours and days of the rest`);
} finally {
  if (process.env.PLIMSOLL_BENCH_STORE === undefined) rmSync(work, { recursive: true, force: true });
}

async function grow(): Promise<void> {
  const store = await Store.openOrCreate(path);
  const site = new Site();
  console.log("day\tminute rows\tstored in CPU s\tcompacted in CPU s\tstore MB");
  for (let day = 0; day < DAYS; day++) {
    const [before, rows] = [seconds(), site.rows.minutes];
    for (let hour = 0; hour < 24; hour++) {
      const batch = store.beginBatch({ writer: "bench" });
      await site.hour(batch, FIRST_HOUR + 24 * day + hour);
      await batch.commit();
    }
    const stored = seconds();
    const compacts = (day + 1) % COMPACT_DAYS === 0 || day + 1 === DAYS;
    if (compacts) await compactStore(store, { graceMs: 0 });
    const bytes = Object.values(bytesByTable(store)).reduce((sum, one) => sum + one, 0);
    if (compacts)
      console.log(
        [
          day + 1,
          site.rows.minutes - rows,
          (stored - before).toFixed(1),
          (seconds() - stored).toFixed(1),
          (bytes / 1e6).toFixed(0),
        ].join("\t"),
      );
  }
  console.log("table\trows a day\tMB a day\tbytes a row\tGB a year");
  const sizes = bytesByTable(store);
  for (const [table, bytes] of Object.entries(sizes)) {
    const rows = store
      .batches()
      .reduce((sum, { tables }) => sum + (tables[table] ?? []).reduce((n, one) => n + one.rows, 0), 0);
    console.log(
      [
        table,
        Math.round(rows / DAYS),
        (bytes / 1e6 / DAYS).toFixed(2),
        (bytes / rows).toFixed(1),
        ((bytes / 1e9 / DAYS) * 365).toFixed(2),
      ].join("\t"),
    );
  }
  await store.close();
}

function bytesByTable(store: Store): Record<string, number> {
  const sizes: Record<string, number> = {};
  for (const { tables } of store.batches())
    for (const [table, segments] of Object.entries(tables))
      sizes[table] = (sizes[table] ?? 0) + segments.reduce((sum, { bytes }) => sum + bytes, 0);
  return sizes;
}

async function prune(): Promise<void> {
  const store = await Store.open(path);
  const before = seconds();
  const nowMs = (FIRST_HOUR + 24 * DAYS) * 3_600_000;
  const report = await pruneStore(store, { keepMs: { minutes: KEEP_DAYS * 86_400_000 }, graceMs: 0, nowMs });
  console.log(
    `prune --keep minutes=${KEEP_DAYS}d: ${(report.bytesBefore / 1e6).toFixed(0)} MB became ${(report.bytesAfter / 1e6).toFixed(0)} MB in ${(seconds() - before).toFixed(1)} CPU s`,
  );
  await store.close();
}

function askAll(of: string): void {
  console.log(`\n${of}: whole commands\nquestion\tseconds\tCPU s\tpeak MB`);
  const day = (at: number) => new Date((FIRST_HOUR + 24 * at) * 3_600_000).toISOString().slice(0, 10);
  const last = ["--from", day(DAYS - 1), "--to", day(DAYS)];
  for (const words of [
    ["top", "jobs"],
    ["top", "users", "--order", "metadata"],
    ["top", "accounts"],
    ["top", "targets"],
    ["top", "operations"],
    ["who", "--target", "OST0007"],
    ["top", "jobs", ...last],
    ["who", "--target", "OST0007", "--from", `${day(DAYS - 1)}T10:00`, "--to", `${day(DAYS - 1)}T12:00`],
    ["compare", "--a", day(DAYS - 2), "--b", day(DAYS - 1)],
    ["week"],
    ["quiet-hours"],
    ["alerts"],
    ["job", String(1_000_000 + 24 * JOBS_PER_HOUR * (DAYS - 1))],
  ])
    ask(words);
}

function ask(words: readonly string[]): void {
  const notes = join(work, "time");
  const command = [process.execPath, join(root, "bin", "plimsoll"), ...words, "--store", path, "--json"];
  const child = spawnSync("/usr/bin/time", ["-o", notes, "-f", "%e %U %S %M", ...command], {
    maxBuffer: 1 << 28,
  });
  // Alerts that fire are an answer, too.
  if (child.status !== 0 && !(words[0] === "alerts" && child.status === 1))
    throw new Error(`${words.join(" ")} failed: ${child.stderr}`);
  const [wall = 0, user = 0, system = 0, kib = 0] = readFileSync(notes, "utf8").trim().split(" ").map(Number);
  console.log(
    [words.join(" "), wall.toFixed(2), (user + system).toFixed(2), Math.round(kib / 1024)].join("\t"),
  );
}
