/** Counters of file systems and jobs into stores by the real command: a folder, planted inputs, and questions. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { Random } from "../../src/base/prng.ts";
import { clientReadingText, SegmentWriter } from "../../src/formats/samples/index.ts";
import type { SqlRow } from "../../src/model/index.ts";
import * as kit from "../collect/kit.ts";

/** Where the inputs and stores of this test file are; paths below are within it. */
export const folder = mkdtempSync(join(tmpdir(), "plimsoll-ingest-system-"));

/** For the test file: builds first, so that no test waits for it, and removes the folder in the end. */
export function useFolder(): void {
  beforeAll(() => kit.prepare(), 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
}

export const plimsoll = (...words: string[]) => kit.plimsoll(folder, ...words);

export function write(path: string, text: string | Uint8Array): void {
  kit.write(join(folder, path), text);
}

export function ingested(store: string, ...paths: string[]) {
  const { code, out, err } = plimsoll("ingest", ...paths, "--store", store, "--threads", "1", "--json");
  expect(err.replace(/^plimsoll: skipped.*$/gm, "").trim(), err).toBe("");
  return { code, ...JSON.parse(out) };
}

export const ask = (store: string, ...queries: readonly string[]): Promise<SqlRow[][]> =>
  kit.ask(join(folder, store), ...queries);

/** All that a store says of a file system, in an order that does not depend on how it came in. */
export const contents = (store: string) =>
  ask(
    store,
    "select * from minutes order by all",
    "select * from targets order by all",
    "select * from job_totals order by all",
    `select file_system, target, kind, min(from_unix_ns) as begin, max(to_unix_ns) as until,
       sum(readings)::int as n, sum(carried_in)::int as c from readings group by all order by all`,
  );

export const T0 = 1_700_000_040;
const line = (name: string, unit: string, samples: number, sum?: number) =>
  `  ${`${name}:`.padEnd(16)} { samples: ${samples}, unit: ${unit}${sum === undefined ? "" : `, min: 1, max: 4096, sum: ${sum}`} }\n`;

interface Job {
  readonly id: string;
  readonly written: number;
  readonly opens: number;
}
export const ostJobs = (jobs: readonly Job[], at: number) =>
  `job_stats:\n${jobs.map(({ id, written }) => `- job_id:          ${id}\n  snapshot_time:   ${at - 1}\n${line("read_bytes", "bytes", 0, 0)}${line("write_bytes", "bytes", written / 100, written)}${line("punch", "reqs", written / 50)}`).join("")}`;
const mdtJobs = (jobs: readonly Job[], at: number) =>
  `job_stats:\n${jobs.map(({ id, opens }) => `- job_id:          ${id}\n  snapshot_time:   ${at - 1}\n${line("open", "reqs", opens)}${line("close", "reqs", opens)}${line("rename", "reqs", opens)}${line("samedir_rename", "reqs", opens)}`).join("")}`;
const stats = (at: number, written: number) =>
  `snapshot_time             ${at}.000005 secs.usecs\nwrite_bytes               ${written / 100} samples [bytes] 1 4096 ${written}\n`;

/** Dumps of two servers, a file a minute; what was planted comes back, by job, target and minute. */
export function plant(place: string, minutes: number, seed: number): Map<string, number> {
  const random = new Random(seed);
  const truth = new Map<string, number>();
  const jobs = Array.from({ length: 30 }, (_, i) => ({ id: `${9000 + i}`, written: 0, opens: 0 }));
  const perTarget = [0, 1, 2].map(() => jobs.map((job) => ({ ...job })));
  const meta = jobs.map((job) => ({ ...job }));
  let total = 0;
  for (let minute = 0; minute < minutes; minute++) {
    const at = T0 + 60 * minute;
    if (minute > 0) {
      for (const [target, list] of perTarget.entries())
        for (const job of list) {
          const bytes = random.below(3) === 0 ? 100 * random.below(5000) : 0;
          job.written += bytes;
          total += bytes;
          if (bytes > 0) truth.set(`${job.id} OST000${target} ${Math.floor(at / 60)}`, bytes);
        }
      for (const job of meta) {
        const opens = random.below(4);
        job.opens += opens;
        if (opens > 0) truth.set(`${job.id} MDT0000 ${Math.floor(at / 60)}`, opens);
      }
    }
    const [a, b, c] = perTarget as [Job[], Job[], Job[]];
    write(
      join(place, "oss1", `${at}.txt`),
      `obdfilter.fs-OST0000.job_stats=\n${ostJobs(a, at)}obdfilter.fs-OST0001.job_stats=\n${ostJobs(b, at)}obdfilter.fs-OST0000.stats=\n${stats(at, total)}`,
    );
    write(
      join(place, `day${minute < minutes / 2 ? 1 : 2}`, `oss2-${at}.txt`),
      `mdt.fs-MDT0000.job_stats=\n${mdtJobs(meta, at)}obdfilter.fs-OST0002.job_stats=\n${ostJobs(c, at)}`,
    );
  }
  return truth;
}

const llite = (written: number, opens: number) =>
  Buffer.from(
    `snapshot_time             ${T0}.5 secs.usecs\nwrite_bytes               ${written} samples [bytes] 1 4096 ${4096 * written}\nopen                      ${opens} samples [reqs]\n`,
  );
const NS = 1_000_000_000n;

/** Client readings of two jobs, a segment, and what a scheduler says of the jobs. */
export function samples(place: string): void {
  const side = (at: number, written: number, extra: readonly { path: string; bytes: Uint8Array }[] = []) => ({
    atNs: BigInt(at) * NS,
    files: [{ path: "llite/fs-ffff8800aa/stats", bytes: llite(written, written) }, ...extra],
  });
  const lnet = (sent: number) => [
    { path: "lnet/stats", bytes: Buffer.from(`0 5 0 1 1 0 0 ${sent} ${2 * sent} 0 0\n`) },
  ];
  const reading = (node: string, more: object) =>
    write(
      join(place, `${node}.json`),
      clientReadingText({
        jobId: "9001",
        node,
        cluster: "cab",
        uid: 1000,
        user: "ada",
        nodes: 4,
        nodeMemoryBytes: 2n ** 35n,
        ...more,
      }),
    );
  reading("n1", { before: side(T0, 10, lnet(100)), after: side(T0 + 600, 15, lnet(700)) });
  reading("n2", { before: side(T0 + 1, 0), after: side(T0 + 601, 7) });
  reading("n3", { after: side(T0 + 602, 1000) });
  const track = { path: "llite/fs-ffff8800aa/stats_track_pid", bytes: Buffer.from("4711\n") };
  reading("n4", { before: side(T0, 1, [track]), after: side(T0 + 600, 900, [track]) });
  // The same id again, after a requeue; counters were cleared in between.
  reading("n1-again", { before: side(T0 + 3600, 50), after: side(T0 + 4000, 3) });
  reading("n9", { before: side(T0 + 3600, 50) });
  write(
    join(place, "jobs.sacct"),
    `Cluster|JobIDRaw|JobID|User|UID|State|Submit|Start|End|NNodes|NCPUS|JobName\n${[
      `cab|9001|9001|ada|1000|REQUEUED|${T0 - 60}|${T0 + 2}|${T0 + 599}|4|16|sim`,
      `cab|9001|9001|ada|1000|COMPLETED|${T0 + 3000}|${T0 + 3601}|${T0 + 3999}|4|16|sim`,
      `cab|9002|9002|bob|1001|FAILED|${T0}|${T0 + 1}|${T0 + 2}|1|4|x`,
    ].join("\n")}\n`,
  );
  let text = "";
  const writer = new SegmentWriter(
    { host: "oss7", collector: "test", fromNs: BigInt(T0) * NS, toNs: BigInt(T0 + 60) * NS },
    (part) => {
      text += part;
    },
  );
  const time = { fromNs: BigInt(T0) * NS, toNs: BigInt(T0 + 60) * NS, gap: false, carriedIn: 0 };
  writer.target({ target: "fs-OST0011", kind: "job_stats", ...time, counters: [] });
  for (const id of [Uint8Array.of(0xff, 0x41), Buffer.from("é\0x"), Buffer.from("9001")])
    writer.job({
      target: "fs-OST0011",
      id,
      counters: [
        { name: "write_bytes", unit: "bytes", samples: 2n, sum: 2n ** 62n + 1n, why: "begun" },
        { name: "odd", unit: "reqs", samples: 1n, sum: 0n, why: "grown" },
      ],
    });
  writer.target({
    target: "fs-OST0011",
    kind: "ost_stats",
    ...time,
    counters: [{ name: "read_bytes", unit: "bytes", samples: 1n, sum: 5n, why: "grown" }],
  });
  writer.end();
  write(join(place, "segment.ndjson"), text);
}
