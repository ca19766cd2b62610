// The page for Prometheus, read by a checker that knows only the format: sums, order of values, labels of any bytes, bounds.

import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Exposition } from "../../src/collect/metrics/exposition.ts";
import { SERVE_LIMITS, serveMetrics } from "../../src/collect/metrics/http.ts";
import { metricsPage } from "../../src/collect/metrics/page.ts";
import { PageReaders } from "../../src/collect/metrics/readers.ts";
import { TopJobs } from "../../src/collect/metrics/top-jobs.ts";
import { MetricTotals } from "../../src/collect/metrics/totals.ts";
import { ServerCollector } from "../../src/collect/server/collector.ts";
import { Random } from "../../src/base/prng.ts";
import { FolderFiles } from "../../src/generate/sitewide/live-files.ts";
import { LiveSite } from "../../src/generate/sitewide/live.ts";
import { write } from "./kit.ts";
import { fallen, type Family, parseExposition, type Sample } from "./exposition-checker.ts";

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

function sumsBy(family: Pick<Family, "samples"> | undefined, ...labels: string[]): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  for (const sample of family?.samples ?? []) {
    const key = labels.map((label) => sample.labels[label]).join(" ");
    sums[key] = (sums[key] ?? 0n) + BigInt(sample.text);
  }
  return sums;
}

/** The totals of a page that one reader reads after each sample. */
function readTotals(most: number) {
  const readers = new PageReaders(() => 0);
  return { totals: new MetricTotals(most, readers), hasRead: () => readers.hasRead("x", readers.samples) };
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
      const { totals, hasRead } = readTotals(4);
      const one = collector(join(folder, "tree", host), host, totals, () => site.nowNs);
      return { host, totals, hasRead, one };
    });
    const pages = new Map<string, Map<string, Family>>();
    // The last value of every series of a job, of those that are gone too.
    const ever = new Map<string, Map<string, Sample>>();
    for (let minute = 0; minute <= 60; minute++) {
      for (const { host, totals, hasRead, one } of servers) {
        one.sample();
        hasRead();
        const page = parseExposition(
          metricsPage(totals, one.health, { host, version: "1", nowNs: site.nowNs }),
        );
        const before = pages.get(host);
        if (before !== undefined) expect(fallen(before, page)).toEqual([]);
        pages.set(host, page);
        for (const name of OPERATIONS) {
          const jobs = page.get(`plimsoll_job_${name}_total`);
          const known = ever.get(`${host} ${name}`) ?? new Map<string, Sample>();
          ever.set(`${host} ${name}`, known);
          for (const sample of jobs?.samples ?? []) known.set(JSON.stringify(sample.labels), sample);
          expect(sumsBy({ samples: [...known.values()] }, "target")).toEqual(
            sumsBy(page.get(`plimsoll_target_jobs_${name}_total`), "target"),
          );
          // No matter how many jobs there were.
          for (const target of new Set(jobs?.samples.map(({ labels }) => labels.target)))
            expect(jobs?.samples.filter(({ labels }) => labels.target === target).length).toBeLessThanOrEqual(
              4 + 8 + 1,
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
  const read = (most: number) => {
    const readers = new PageReaders(() => 0);
    return { readers, top: new TopJobs(most, readers) };
  };

  it("never lose or count twice, whoever comes and goes, and however often the page is read", () => {
    const random = new Random(11);
    const { readers, top } = read(3);
    let truth = 0n;
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
        readers.samples++;
        truth += added.reduce((sum, bytes) => sum + bytes, 0n);
      }
      for (let i = random.below(4); i > 0; i--) readers.hasRead("x", readers.samples);
      expect(top.members.length).toBeLessThanOrEqual(3);
      expect(top.shown.length).toBeLessThanOrEqual(9);
      const [others = 0n] = top.others;
      const shown = [["", others] as const, ...top.shown.map(([job, [bytes = 0n]]) => [job, bytes] as const)];
      for (const [job, bytes] of shown) {
        expect(bytes).toBeGreaterThanOrEqual(seen.get(job) ?? 0n);
        seen.set(job, bytes);
      }
      // What nobody has seen from its beginning is not shown yet.
      expect([0n, truth]).toContain(top.total[0]);
      // A series that is gone has had its part.
      expect([...seen.values()].reduce((sum, bytes) => sum + bytes, 0n)).toBe(top.total[0]);
    }
    expect(top.total[0]).toBe(truth);
    expect(seen.size).toBeGreaterThan(30);
  });

  it("go to those who load a target most now", () => {
    const { top } = read(2);
    const step = (...loads: [string, number][]) => {
      for (const [job, bytes] of loads) top.add(job, [BigInt(bytes), 0n, 0n, 0n, 0n]);
      top.commit();
      return [...top.members].sort();
    };
    expect(step(["a", 10], ["b", 20], ["c", 30])).toEqual(["b", "c"]);
    expect(step(["a", 5])).toEqual(["b", "c"]);
    expect(step(["a", 100])).toEqual(["a", "c"]);
    expect(step(["a", 100])).toEqual(["a", "c"]);
    expect(step(["b", 1e9])).toEqual(["a", "b"]);
  });

  it("count by name once all readers have seen the beginning, and are kept until all have seen the end", () => {
    let nowMs = 0;
    const readers = new PageReaders(() => nowMs);
    const top = new TopJobs(1, readers);
    const step = (...loads: [string, number][]) => {
      for (const [job, bytes] of loads) top.add(job, [BigInt(bytes), 0n, 0n, 0n, 0n]);
      top.commit();
      readers.samples++;
      const shown = [["others", top.others] as const, ...top.shown];
      return Object.fromEntries(shown.map(([job, [bytes]]) => [job, Number(bytes)]));
    };
    const readBy = (...names: string[]) => {
      for (const name of names) readers.hasRead(name, readers.samples);
    };
    readBy("a", "b");
    expect(step()).toEqual({ others: 0 });
    readBy("a", "b");
    expect(step(["1", 5])).toEqual({ others: 5, 1: 0 });
    // One of two readers has not seen it.
    readBy("a", "a");
    expect(step(["1", 5])).toEqual({ others: 10, 1: 0 });
    readBy("b");
    expect(step(["1", 5])).toEqual({ others: 10, 1: 5 });
    // It loses its place: what it does is with the others, and its series stays.
    expect(step(["2", 100], ["1", 1])).toEqual({ others: 110, 1: 6, 2: 0 });
    readBy("a", "b");
    expect(step(["2", 100], ["1", 1])).toEqual({ others: 111, 1: 6, 2: 100 });
    for (let i = 0; i < 80; i++) readBy("a", "b");
    expect(step(["2", 100])).toEqual({ others: 111, 2: 200 });
    // It comes back with what it had.
    for (let i = 0; i < 80; i++) readBy("a", "b");
    expect(step(["1", 1000])).toEqual({ others: 1111, 1: 6 });
    readBy("a", "b");
    expect(step(["1", 1000])).toEqual({ others: 1111, 1: 1006 });
    // A reader that stays away is not waited for.
    nowMs += 400_000;
    readBy("a", "a");
    expect(step(["3", 5000])).toMatchObject({ 3: 0 });
    readBy("a");
    expect(step(["3", 5000])).toMatchObject({ 3: 5000 });
  });
});

describe("a negative counter", () => {
  it("is left out of the page and said once; the counters beside it go on", () => {
    const target = join(folder, "tree/proc/fs/lustre/obdfilter/fs-OST000a");
    const stats = (read: bigint, written: number) =>
      `snapshot_time 1700000000.0 secs.nsecs\nread_bytes 5 samples [bytes] 1 9 ${read}\nwrite_bytes 7 samples [bytes] 1 9 ${written}\n`;
    const brw = (count: bigint) =>
      `snapshot_time: 1700000000.0 (secs.nsecs)\n\n                           read      |     write\ndisk I/O size          ios   % cum % |  ios         % cum %\n1M:\t\t 5 100 100   | ${count} 100 100\n`;
    const { totals, hasRead } = readTotals(2);
    const notes: string[] = [];
    let now = START;
    const one = new ServerCollector({
      ...{ root: join(folder, "tree"), dir: join(folder, "c"), host: "h", collector: "test" },
      ...{ everyNs: 60n * SECOND, withBrw: true, listener: totals },
      time: { wallNs: () => now, monotonicMs: () => Number((now - START) / 1_000_000n) },
      note: (message) => notes.push(message),
    });
    const turns: [read: bigint, written: number, ios: bigint][] = [
      [1000n, 100, 10n],
      [1000n, 200, 11n],
      [-3n, 300, -1n],
      [-5n, 400, 2n ** 64n - 1n],
      [1010n, 500, 15n],
    ];
    const page = () =>
      parseExposition(metricsPage(totals, one.health, { host: "h", version: "1", nowNs: now }));
    for (const [read, written, ios] of turns) {
      write(join(target, "stats"), stats(read, written));
      write(join(target, "brw_stats"), brw(ios));
      now += 60n * SECOND;
      one.sample();
      hasRead();
      hasRead();
      for (const { samples } of page().values())
        for (const { value } of samples) expect(value).toBeLessThan(1e13);
    }
    expect(page().get("plimsoll_target_read_bytes_total")?.samples[0]?.value).toBe(10);
    expect(page().get("plimsoll_target_write_bytes_total")?.samples[0]?.value).toBe(400);
    expect(sumsBy(page().get("plimsoll_target_disk_ios_total"), "side")).toEqual({ write: 5n });
    expect(sumsBy(page().get("plimsoll_collector_errors_total"), "kind").counter_negative).toBe(2n);
    expect(notes).toEqual([
      "obdfilter/fs-OST000a/stats: read_bytes is negative; skipped until it is valid again",
    ]);
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
    const entry = ([raw]: (typeof ids)[number], i: number, times: number) =>
      Buffer.concat([
        Buffer.from("- job_id:          "),
        raw,
        Buffer.from(
          `\n  snapshot_time:   1700000000\n  write_bytes:     { samples: 1, unit: bytes, min: 1, max: 1, sum: ${times * (1000 + i)} }\n`,
        ),
      ]);
    const text = (times: number) =>
      Buffer.concat([Buffer.from("job_stats:\n"), ...ids.map((id, i) => entry(id, i, times))]);
    const path = join(folder, "tree/proc/fs/lustre/obdfilter/fs-OST000a/job_stats");
    let now = START;
    const { totals, hasRead } = readTotals(100);
    write(path, "job_stats:\n");
    const one = collector(join(folder, "tree"), 'h"\\', totals, () => now);
    one.sample();
    for (const times of [1, 2]) {
      write(path, text(times));
      now += 60n * SECOND;
      one.sample();
      hasRead();
      hasRead();
    }
    const page = parseExposition(metricsPage(totals, one.health, { host: 'h"\\', version: "1", nowNs: now }));
    const found = page
      .get("plimsoll_job_write_bytes_total")
      ?.samples.map(({ labels, text }) => [labels.jobid, labels.kind, text]);
    const firstSum = String(ids.reduce((sum, _, i) => sum + 1000 + i, 0));
    expect(found?.sort()).toEqual(
      [
        ...ids.map(([, label, kind], i) => [label, kind, String(1000 + i)]),
        ["others", "others", firstSum],
      ].sort(),
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
    const server = await serveMetrics("127.0.0.1", 0, () => ({ text: "# x\n" }));
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

  const open = (address: string, text: string) =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect(Number(address.split(":")[1]), "127.0.0.1", () => {
        if (text !== "") socket.write(text);
        resolve(socket);
      });
      socket.on("error", reject);
      socket.resume();
    });

  it("answers while others hold connections and send nothing, half a request, or take nothing", async () => {
    const limits = { headersMs: 60_000, wholeMs: 60_000, connections: 8 };
    const server = await serveMetrics("127.0.0.1", 0, () => ({ text: "# x\n".repeat(1 << 20) }), limits);
    const sockets: Socket[] = [];
    try {
      for (let i = 0; i < 40; i++) {
        const text = ["", "GET /metrics HTTP/1.1\r\nHost:", "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"][
          i % 3
        ];
        const socket = await open(server.address, text as string);
        if (i % 3 === 2) socket.pause();
        sockets.push(socket);
        socket.removeAllListeners("error").on("error", () => {});
      }
      const page = await fetch(`http://${server.address}/metrics`);
      expect((await page.text()).length).toBe(4 << 20);
      await expect.poll(() => sockets.filter((one) => !one.closed && !one.isPaused()).length).toBeLessThan(8);
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });

  it("ends connections that do not ask in time, or do not take the page in time", async () => {
    expect(SERVE_LIMITS).toMatchObject({ headersMs: 5000, wholeMs: 30_000, connections: 32 });
    const limits = { headersMs: 100, wholeMs: 400, connections: 8 };
    const taken: string[] = [];
    // More than the system takes for a client that does not read.
    const large = "# x\n".repeat(8 << 20);
    let text = large;
    const page = () => ({ text, taken: (reader: string) => taken.push(reader) });
    const server = await serveMetrics("127.0.0.1", 0, page, limits);
    try {
      for (const half of ["", "GET /metrics HTTP/1.1\r\nHost: x\r\nUser-Agent: a"])
        await new Promise((closed) =>
          open(server.address, half).then((socket) => socket.on("error", () => {}).on("close", closed)),
        );
      const slow = await open(server.address, "GET /metrics HTTP/1.1\r\nHost: x\r\nUser-Agent: slow\r\n\r\n");
      slow.pause();
      // A paused socket does not see its end; what it did not get, the server has given up.
      await new Promise((passed) => setTimeout(passed, 1000));
      const received = new Promise((closed) => slow.on("error", () => {}).on("close", closed));
      slow.resume();
      await received;
      expect(slow.bytesRead).toBeLessThan(large.length);
      text = "# x\n";
      await (await fetch(`http://${server.address}/metrics`, { headers: { "user-agent": "fast" } })).text();
      await expect.poll(() => taken).toEqual(["127.0.0.1 fast"]);
    } finally {
      server.close();
    }
  });
});
