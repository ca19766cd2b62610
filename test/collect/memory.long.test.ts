/** Memory of `collect server` while jobs come and go for hours: what it holds is what servers could still bring back. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, it } from "vitest";
import { PageReaders } from "../../src/collect/metrics/readers.ts";
import { MetricTotals } from "../../src/collect/metrics/totals.ts";
import { ServerCollector } from "../../src/collect/server/collector.ts";
import { write } from "./kit.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-collect-memory-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const JOBS = 5_000;
const NEW_JOBS = 500;
/** Minutes until as many jobs are remembered as ever will be, and after that. */
const [SETTLED, MINUTES] = [14, 40];
const MIB = 2 ** 20;

function heldBytes(): number {
  // Buffers are given back some time after their owners.
  for (let turn = 0; turn < 3; turn++) collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What the jobs of a minute look like: a tenth of those of the minute before are gone, as many are new. */
function jobStats(minute: number, now: number): string {
  const first = minute * NEW_JOBS;
  const rows = Array.from({ length: JOBS }, (_, i) => {
    const writes = minute + 1 - Math.max(0, Math.ceil((first + i - JOBS + 1) / NEW_JOBS));
    return (
      `- job_id:          ${7_000_000 + first + i}\n  snapshot_time:   ${now - 1}\n` +
      `  write_bytes:     { samples: ${writes}, unit: bytes, min: 4096, max: 4096, sum: ${4096 * writes} }\n` +
      `  punch:           { samples: ${writes}, unit:  reqs }\n`
    );
  });
  return `job_stats:\n${rows.join("")}`;
}

/** How much more is held after many minutes than after the first ones; servers forget idle jobs after `cleanupSeconds`. */
function growthBytes(name: string, cleanupSeconds: number): number {
  const target = join(folder, name, "tree/proc/fs/lustre/obdfilter/fs-OST0000");
  write(join(target, "job_cleanup_interval"), `${cleanupSeconds}\n`);
  let now = 1_700_000_040;
  const readers = new PageReaders(() => now * 1000);
  const collector = new ServerCollector({
    root: join(folder, name, "tree"),
    dir: join(folder, name, "collected"),
    host: "oss1",
    collector: "test",
    everyNs: 60_000_000_000n,
    keepBytes: 10 * MIB,
    time: { wallNs: () => BigInt(now) * 1_000_000_000n, monotonicMs: () => now * 1000 },
    listener: new MetricTotals(10, readers),
    note: (message) => expect.fail(message),
  });
  let settled = 0;
  for (let minute = 0; minute < MINUTES; minute++) {
    now += 60;
    write(join(target, "job_stats"), jobStats(minute, now));
    expect(collector.sample().jobs).toBe(JOBS);
    for (let i = 0; i < 4; i++) readers.hasRead("prometheus", readers.samples);
    if (minute === SETTLED) settled = heldBytes();
  }
  const growth = heldBytes() - settled;
  expect(collector.health.samples).toBe(MINUTES);
  return growth;
}

it("no longer grows once the jobs of ten minutes are remembered, and would be seen to grow", () => {
  // Were jobs never forgotten, as with a server that keeps them for eleven days, this would find it.
  expect(growthBytes("keeping", 1_000_000) / MIB).toBeGreaterThan(1.5);
  expect(growthBytes("usual", 600) / MIB).toBeLessThan(0.5);
}, 60_000);
