// The page for Prometheus, read by a checker that knows only the format: sums, order of values, labels of any bytes, bounds.

import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Exposition } from "../src/collect/metrics/exposition.ts";
import { serveMetrics } from "../src/collect/metrics/http.ts";
import { metricsPage } from "../src/collect/metrics/page.ts";
import { TopJobs } from "../src/collect/metrics/top-jobs.ts";
import { MetricTotals } from "../src/collect/metrics/totals.ts";
import { ServerCollector } from "../src/collect/server/collector.ts";
import { Random } from "../src/base/prng.ts";
import { FolderFiles } from "../src/generate/sitewide/live-files.ts";
import { LiveSite } from "../src/generate/sitewide/live.ts";
import { write } from "./collect-kit.ts";
import { fallen, type Family, parseExposition } from "./exposition-checker.ts";

const SECOND = 1_000_000_000n;
const START = 1_700_000_000n * SECOND;
const OPERATIONS = ["read_bytes", "write_bytes", "reads", "writes", "operations"];
let place: string;
let folder: string;
let count = 0;

beforeAll(() => {
  place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "plimsoll-collect-metrics-"));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));
beforeEach(() => {
  folder = join(place, String(count++));
  mkdirSync(folder);
});

function sumsBy(family: Family | undefined, ...labels: string[]): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  for (const sample of family?.samples ?? []) {
    const key = labels.map((label) => sample.labels[label]).join(" ");
    sums[key] = (sums[key] ?? 0n) + BigInt(sample.text);
  }
  return sums;
}

function collector(root: string, host: string, totals: MetricTotals, now: () => bigint) {
  return new ServerCollector({
    ...{ root, dir: join(folder, "c", host), host, collector: "test", everyNs: 60n * SECOND, withBrw: true },
    time: { wallNs: now, monotonicMs: () => Number((now() - START) / 1_000_000n) },
    listener: totals,
    note: () => {},
  });
}

describe.each(["2.12", "2.15"] as const)("the page of servers with Lustre %s", (release) => {
  it("has what was planted: targets, busiest jobs and others add up and never fall", () => {
    const site = new LiveSite(
      { startNs: START, release, clients: 12, osts: 3, jobsPerHour: 600, seed: 8 },
      new FolderFiles(join(folder, "tree")),
    );
    const servers = site.servers.map((host) => {
      const totals = new MetricTotals(4);
      return { host, totals, one: collector(join(folder, "tree", host), host, totals, () => site.nowNs) };
    });
    const pages = new Map<string, Map<string, Family>>();
    for (let minute = 0; minute <= 60; minute++) {
      for (const { host, totals, one } of servers) {
        one.sample();
        const page = parseExposition(
          metricsPage(totals, one.health, { host, version: "1", nowNs: site.nowNs }),
        );
        const before = pages.get(host);
        if (before !== undefined) expect(fallen(before, page)).toEqual([]);
        pages.set(host, page);
        for (const name of OPERATIONS) {
          const jobs = page.get(`plimsoll_job_${name}_total`);
          expect(sumsBy(jobs, "target")).toEqual(
            sumsBy(page.get(`plimsoll_target_jobs_${name}_total`), "target"),
          );
          // No matter how many jobs there were.
          for (const target of new Set(jobs?.samples.map(({ labels }) => labels.target)))
            expect(jobs?.samples.filter(({ labels }) => labels.target === target).length).toBeLessThanOrEqual(
              5,
            );
        }
      }
      site.advanceTo(site.nowNs + 60n * SECOND);
    }
    expect(site.jobs.length).toBeGreaterThan(30);
    // The last minute went by after the last sample.
    for (const { one } of servers) one.sample();
    const written: Record<string, bigint> = {};
    for (const { host, totals, one } of servers) {
      const page = parseExposition(
        metricsPage(totals, one.health, { host, version: "1", nowNs: site.nowNs }),
      );
      const [byJobs, byAll] = ["target_jobs", "target"].map((family) =>
        sumsBy(page.get(`plimsoll_${family}_write_bytes_total`), "file_system", "target"),
      );
      expect(byAll).toEqual(byJobs);
      Object.assign(written, byJobs);
      expect(sumsBy(page.get("plimsoll_collector_samples_total"))).toEqual({ "": 62n });
      expect(page.get("plimsoll_collector_last_sample_age_seconds")?.samples[0]?.value).toBe(0);
    }
    const all: Record<string, bigint> = {};
    for (const { onTargets } of site.jobs)
      for (const [target, { bytesWritten }] of onTargets) {
        const key = target.replace("lustre1-", "lustre1 ");
        all[key] = (all[key] ?? 0n) + BigInt(bytesWritten);
      }
    expect(written).toEqual(all);
    const oss = pages.get(site.servers[0] as string);
    expect(Object.keys(sumsBy(oss?.get("plimsoll_target_disk_ios_total"), "side")).sort()).toEqual([
      "read",
      "write",
    ]);
  });
});

describe("places of jobs", () => {
  it("never lose or count twice, whoever comes and goes", () => {
    const random = new Random(11);
    const top = new TopJobs(3);
    let truth = 0n;
    let last: bigint[] = [];
    const seen = new Map<string, bigint>();
    for (let turn = 0; turn < 3000; turn++) {
      const added: bigint[] = [];
      for (let i = random.below(8); i > 0; i--) {
        const bytes = BigInt(random.below(1_000_000));
        top.add(`job${Math.floor(turn / 40) + random.below(12)}`, [bytes, 0n, 1n, 0n, 0n]);
        added.push(bytes);
      }
      if (random.below(10) === 0) top.abort();
      else {
        top.commit();
        truth += added.reduce((sum, bytes) => sum + bytes, 0n);
      }
      const shown = [...top.members].map(([job, { values }]) => [job, values[0] as bigint] as const);
      expect(shown.length).toBeLessThanOrEqual(3);
      expect(shown.reduce((sum, [, bytes]) => sum + bytes, top.others[0] as bigint)).toBe(truth);
      expect(top.total[0]).toBe(truth);
      for (const [job, bytes] of shown) {
        expect(bytes).toBeGreaterThanOrEqual(seen.get(job) ?? 0n);
        seen.set(job, bytes);
      }
      expect(top.others[0]).toBeGreaterThanOrEqual(last[0] ?? 0n);
      last = [...top.others];
    }
    expect(seen.size).toBeGreaterThan(30);
  });

  it("go to those who load a target most now", () => {
    const top = new TopJobs(2);
    const step = (...loads: [string, number][]) => {
      for (const [job, bytes] of loads) top.add(job, [BigInt(bytes), 0n, 0n, 0n, 0n]);
      top.commit();
      return [...top.members.keys()].sort();
    };
    expect(step(["a", 10], ["b", 20], ["c", 30])).toEqual(["b", "c"]);
    expect(step(["a", 5])).toEqual(["b", "c"]);
    expect(step(["a", 100])).toEqual(["a", "c"]);
    expect(step(["a", 100])).toEqual(["a", "c"]);
    // Who lost the place stays with the others, or numbers would fall.
    expect(step(["b", 1e9])).toEqual(["a", "c"]);
  });
});

describe("labels", () => {
  const ids: [raw: Buffer, label: string, kind: string][] = [
    [Buffer.from('"a\\x22b\\x5cc\\x0ad"'), 'a"b\\c\nd', "job"],
    [Buffer.from("others"), "others", "job"],
    [Buffer.from("untracked"), "untracked", "job"],
    [Buffer.from(""), "untracked", "untracked"],
    [Buffer.from([0xe9, 0x41]), "éA", "job"],
    [Buffer.from("日本 x"), "日本 x", "job"],
    [Buffer.from('"\\x00\\x1b[31m\\x0d"'), "\\x00\\x1b[31m\\x0d", "job"],
    [Buffer.from("{}=,#"), "{}=,#", "job"],
  ];

  it("hold ids of any bytes, and nobody is taken for the others", () => {
    const entries = ids.map(([raw], i) =>
      Buffer.concat([
        Buffer.from("- job_id:          "),
        raw,
        Buffer.from(
          `\n  snapshot_time:   1700000000\n  write_bytes:     { samples: 1, unit: bytes, min: 1, max: 1, sum: ${1000 + i} }\n`,
        ),
      ]),
    );
    const path = join(folder, "tree/proc/fs/lustre/obdfilter/fs-OST000a/job_stats");
    let now = START;
    const totals = new MetricTotals(100);
    write(path, "job_stats:\n");
    const one = collector(join(folder, "tree"), 'h"\\', totals, () => now);
    one.sample();
    write(path, Buffer.concat([Buffer.from("job_stats:\n"), ...entries]));
    now += 60n * SECOND;
    one.sample();
    const page = parseExposition(metricsPage(totals, one.health, { host: 'h"\\', version: "1", nowNs: now }));
    const found = page
      .get("plimsoll_job_write_bytes_total")
      ?.samples.map(({ labels, text }) => [labels.jobid, labels.kind, text]);
    expect(found?.sort()).toEqual(
      [...ids.map(([, label, kind], i) => [label, kind, String(1000 + i)]), ["others", "others", "0"]].sort(),
    );
    expect(page.get("plimsoll_collector_info")?.samples[0]?.labels).toEqual({ host: 'h"\\', version: "1" });
  });

  it("are refused by the checker when they are not escaped", () => {
    const bad = ['a{b="c"d"} 1\n', 'a{b="c\\d"} 1\n', 'a{b="c"} 1', "a 1\na 1\n", 'a{b="x",b="y"} 1\n'];
    const head = "# HELP a x\n# TYPE a gauge\n";
    for (const text of bad) expect(() => parseExposition(head + text), text).toThrow();
    const page = new Exposition();
    page.metric("a", "gauge", "x\\y\nz", [[{ b: 'c"\\\n' }, Number.POSITIVE_INFINITY]]);
    expect(parseExposition(page.text).get("a")?.samples).toEqual([
      { name: "a", labels: { b: 'c"\\\n' }, text: "+Inf", value: Number.POSITIVE_INFINITY },
    ]);
  });
});

describe("the server of the page", () => {
  it("answers GET and HEAD of /metrics, on loopback, and nothing else", async () => {
    const server = await serveMetrics("127.0.0.1", 0, () => "# x\n");
    try {
      const url = `http://${server.address}`;
      expect(server.address).toMatch(/^127\.0\.0\.1:\d+$/);
      const page = await fetch(`${url}/metrics?x=1`);
      expect([page.status, page.headers.get("content-type"), await page.text()]).toEqual([
        200,
        "text/plain; version=0.0.4; charset=utf-8",
        "# x\n",
      ]);
      const head = await fetch(`${url}/metrics`, { method: "HEAD" });
      expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "4", ""]);
      expect((await fetch(`${url}/`)).status).toBe(404);
      expect((await fetch(`${url}/metrics`, { method: "POST", body: "x" })).status).toBe(405);
    } finally {
      server.close();
    }
  });
});
