// The collector of servers against a site that lives: totals equal what was planted, through restarts, kills and trouble.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bytesSource } from "../../src/base/source.ts";
import { type CollectorOptions, ServerCollector } from "../../src/collect/server/collector.ts";
import { untilNextMs } from "../../src/collect/server/run.ts";
import { readSegment } from "../../src/formats/samples/index.ts";
import { FolderFiles } from "../../src/generate/sitewide/live-files.ts";
import { type LiveOptions, LiveSite } from "../../src/generate/sitewide/live.ts";
import { ask, plimsoll, prepare, write } from "./kit.ts";

const SECOND = 1_000_000_000n;
const START = 1_700_000_000n * SECOND;
const EVERY = 60n * SECOND;
let place: string;
let count = 0;
let folder: string;

beforeAll(() => {
  // In memory where there is such a place: each sample syncs several files, which is not what is tested here.
  place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "plimsoll-collect-server-"));
  prepare();
}, 120_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));
beforeEach(() => {
  folder = join(place, String(count++));
  mkdirSync(folder);
});

/** A site, and a collector for each of its servers, on the clock of the site. */
class Watched {
  readonly site: LiveSite;
  readonly notes: string[] = [];
  collectors = new Map<string, ServerCollector>();
  wallOffsetNs = 0n;

  constructor(options: Partial<LiveOptions>, setting: Partial<CollectorOptions> = {}) {
    this.site = new LiveSite(
      { startNs: START, clients: 6, osts: 5, jobsPerHour: 120, ...options },
      new FolderFiles(join(folder, "tree")),
    );
    for (const host of this.site.servers) this.restart(host, setting);
  }

  restart(host: string, setting: Partial<CollectorOptions> = {}): ServerCollector {
    const collector = new ServerCollector({
      root: join(folder, "tree", host),
      dir: join(folder, "collected", host),
      host,
      collector: "test",
      everyNs: EVERY,
      time: {
        wallNs: () => this.site.nowNs + this.wallOffsetNs,
        monotonicMs: () => Number((this.site.nowNs - START) / 1_000_000n),
      },
      note: (message) => void this.notes.push(message),
      ...setting,
    });
    this.collectors.set(host, collector);
    return collector;
  }

  sample(): void {
    for (const collector of this.collectors.values()) collector.sample();
  }

  advance(seconds: number): void {
    this.site.advanceTo(this.site.nowNs + BigInt(seconds) * SECOND);
  }
}

/** What jobs did on targets, by the site. */
function planted(site: LiveSite): Record<string, string> {
  const sums = new Map<string, bigint[]>();
  for (const { spec, onTargets } of site.jobs)
    for (const [target, { bytesRead, bytesWritten, reads, writes, opens, closes }] of onTargets) {
      const values = [bytesRead, bytesWritten, reads, writes, opens, closes].map(BigInt);
      if (values.every((value) => value === 0n)) continue;
      const key = `${spec.jobId} ${target}`;
      sums.set(
        key,
        values.map((value, i) => value + (sums.get(key)?.[i] ?? 0n)),
      );
    }
  return Object.fromEntries([...sums].map(([key, values]) => [key, values.join(" ")]));
}

const NAMES = ["read_bytes", "write_bytes", "read_bytes", "write_bytes", "open", "close"];

/** The same by the segments. */
function collected(): Record<string, string> {
  const sums = new Map<string, bigint[]>();
  for (const path of segments())
    readSegment(bytesSource(readFileSync(path), path), {
      target: () => {},
      job: ({ target, id, counters }) => {
        const key = `${new TextDecoder().decode(id)} ${target}`;
        const values = sums.get(key) ?? [0n, 0n, 0n, 0n, 0n, 0n];
        sums.set(key, values);
        for (const { name, unit, samples, sum } of counters)
          for (const [i, wanted] of NAMES.entries()) {
            if (name !== wanted || (i < 4 && unit !== "bytes")) continue;
            values[i] = (values[i] as bigint) + (i < 2 ? sum : samples);
          }
      },
    });
  return Object.fromEntries([...sums].map(([key, values]) => [key, values.join(" ")]));
}

function segments(): string[] {
  const all = readdirSync(join(folder, "collected"), { recursive: true, encoding: "utf8" });
  return all.filter((name) => name.endsWith(".ndjson")).map((name) => join(folder, "collected", name));
}

describe.each(["2.12", "2.15"] as const)("a live site of Lustre %s", (release) => {
  it("gives back what was planted through restarts of servers and of collectors, expiry and missing samples", async () => {
    const watched = new Watched({ release, seed: 5 });
    watched.sample();
    for (let minute = 1; minute <= 70; minute++) {
      watched.advance(60);
      // Two samples are missing, in another minute than the restart: what a server forgets unseen, nobody can know.
      if (minute === 21 || minute === 22) continue;
      watched.sample();
      if (minute === 30) watched.site.restartServer(watched.site.servers[0] as string);
      if (minute % 9 === 0) for (const host of watched.site.servers) watched.restart(host);
    }
    expect(watched.site.jobs.length).toBeGreaterThan(20);
    expect(collected()).toEqual(planted(watched.site));
    expect(watched.notes).toEqual([]);
    const { code } = plimsoll(folder, "ingest", "collected", "--store", "S", "--threads", "1");
    expect(code).toBe(0);
    const [rows, gaps] = await ask(
      join(folder, "S"),
      `select job_id || ' lustre1-' || target as key, coalesce(sum(bytes_read), 0)::varchar || ' ' ||
         coalesce(sum(bytes_written), 0)::varchar || ' ' || coalesce(sum(reads), 0)::varchar || ' ' ||
         coalesce(sum(writes), 0)::varchar || ' ' || coalesce(sum(opens), 0)::varchar || ' ' ||
         coalesce(sum(closes), 0)::varchar as v from minutes group by job_id, target`,
      "select sum(gaps)::int as n from readings where kind = 'job_stats'",
    );
    expect(Object.fromEntries((rows ?? []).map(({ key, v }) => [key, v]))).toEqual(planted(watched.site));
    expect(gaps).toEqual([{ n: 7 }]);
  });

  it("gives back what was planted when a target fails over to another server and back, as far as counters tell", async () => {
    const watched = new Watched({ release, seed: 12, osts: 9, mdts: 1, jobsPerHour: 240 });
    const [first, second] = watched.site.servers as [string, string];
    watched.sample();
    for (let minute = 1; minute <= 30; minute++) {
      watched.advance(60);
      watched.sample();
      if (minute === 10) watched.site.failOver(2, second);
      if (minute === 20) watched.site.failOver(2, first);
    }
    expect(
      Object.keys(planted(watched.site)).filter((key) => key.endsWith("OST0002")).length,
    ).toBeGreaterThan(2);
    expect(plimsoll(folder, "ingest", "collected", "--store", "S", "--threads", "1").code).toBe(0);
    const [carried, servers] = await ask(
      join(folder, "S"),
      "select sum(carried_in)::int as n from readings where target = 'OST0002' and kind = 'job_stats'",
      "select distinct server from readings where target = 'OST0002' and kind = 'job_stats' order by server",
    );
    expect(servers).toEqual([{ server: first }, { server: second }]);
    const elsewhere = (sums: Record<string, string>) =>
      Object.fromEntries(Object.entries(sums).filter(([key]) => !key.endsWith("OST0002")));
    expect(elsewhere(collected())).toEqual(elsewhere(planted(watched.site)));
    // Servers of 2.12 do not say since when they count: what a new one has at its first sample is of unknown age, and told.
    if (release === "2.12") expect(carried?.[0]?.n).toBeGreaterThan(0);
    else expect(collected()).toEqual(planted(watched.site));
  });

  it("counts nothing twice and loses nothing when it is stopped at any step of a sample", () => {
    const steps = [
      "segment written",
      "segment ready",
      "state begun",
      "state written",
      "state renamed",
      "segment in place",
    ];
    const watched = new Watched({ release, seed: 9, jobsPerHour: 240 });
    watched.sample();
    let stopped = 0;
    for (let minute = 1; minute <= 60; minute++) {
      watched.advance(60);
      const at = minute % 4 === 1 ? steps[(minute >> 2) % steps.length] : undefined;
      for (const host of watched.site.servers) {
        const dir = join(folder, "collected", host);
        const frozen = join(folder, "frozen");
        const onStep = (step: string) => {
          if (step !== at) return;
          stopped++;
          cpSync(dir, frozen, { recursive: true });
          throw new Error("killed");
        };
        // A new process: it knows what is on the disk and nothing else.
        const collector = watched.restart(host, { onStep });
        if (at === undefined) {
          collector.sample();
          continue;
        }
        expect(() => collector.sample()).toThrow("killed");
        // Whoever is killed puts nothing right: the folder as it was at that moment.
        rmSync(dir, { recursive: true });
        renameSync(frozen, dir);
      }
    }
    watched.advance(60);
    for (const host of watched.site.servers) watched.restart(host).sample();
    expect(stopped).toBe(15 * watched.site.servers.length);
    expect(collected()).toEqual(planted(watched.site));
    expect(readdirSync(join(folder, "collected", watched.site.servers[0] as string, "work"))).toEqual([
      "state",
    ]);
  });
});

describe("trouble on a server", () => {
  const ost = (site: string, target: string, name: string) =>
    join(folder, "tree", site, "proc/fs/lustre/obdfilter", `lustre1-${target}`, name);

  it("is counted and told once: files that cannot be read, targets that come and go, text that is cut", () => {
    const watched = new Watched({ seed: 3 });
    watched.sample();
    watched.advance(60);
    const [host = ""] = watched.site.servers;
    const collector = watched.collectors.get(host) as ServerCollector;
    const path = ost(host, "OST0001", "job_stats");
    rmSync(path);
    mkdirSync(path);
    collector.sample();
    watched.wallOffsetNs += SECOND;
    collector.sample();
    expect(collector.health).toMatchObject({ unreadableFiles: 2, lastUnreadable: 1, lastTargets: 5 });
    expect(watched.notes).toEqual([
      expect.stringMatching(/^cannot read obdfilter\/lustre1-OST0001\/job_stats: is a folder$/),
    ]);
    rmSync(path, { recursive: true });
    watched.wallOffsetNs += SECOND;
    collector.sample();
    expect(collector.health).toMatchObject({ vanishedFiles: 1, lastUnreadable: 0 });
    watched.advance(60);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.slice(0, -7));
    collector.sample();
    expect(collector.health.cutFiles).toBe(1);
    for (let minute = 0; minute < 30; minute++) {
      watched.advance(60);
      for (const one of watched.collectors.values()) one.sample();
    }
    expect(collected()).toEqual(planted(watched.site));
  });

  it("without any target is told, and nothing is written", () => {
    mkdirSync(join(folder, "empty"));
    const { code, out, err } = plimsoll(
      folder,
      "collect",
      "server",
      "--once",
      "--root",
      "empty",
      "--dir",
      "d",
    );
    expect([code, out]).toEqual([0, "0 files, 0 jobs on targets, 0 unreadable; nothing to store\n"]);
    expect(err).toMatch(/^plimsoll: no Lustre counters below empty: no mdt\/\*\/job_stats/);
    expect(readdirSync(join(folder, "d", "segments"))).toEqual([]);
  });

  it("with a damaged state puts it aside, says so, and counts nothing twice", () => {
    const watched = new Watched({ seed: 4 });
    watched.sample();
    for (let minute = 0; minute < 5; minute++) {
      watched.advance(60);
      watched.sample();
    }
    const [host = ""] = watched.site.servers;
    const state = join(folder, "collected", host, "work", "state");
    const bytes = readFileSync(state);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    writeFileSync(state, bytes);
    watched.restart(host);
    expect(watched.notes).toEqual([expect.stringMatching(/wrong checksum.*moved aside/)]);
    expect(existsSync(`${state}.damaged`)).toBe(true);
    watched.advance(60);
    watched.sample();
    const truth = planted(watched.site);
    for (const [key, values] of Object.entries(collected())) {
      const most = (truth[key] as string).split(" ").map(Number);
      for (const [i, value] of values.split(" ").entries())
        expect(Number(value)).toBeLessThanOrEqual(most[i] as number);
    }
  });

  it("of the clock leaves times in order and sums as they are", async () => {
    const watched = new Watched({ seed: 6 });
    watched.sample();
    for (let minute = 1; minute <= 40; minute++) {
      watched.advance(60);
      // Back by 20 minutes, forward by two hours, and back by a day.
      if (minute === 5) watched.wallOffsetNs -= 1200n * SECOND;
      if (minute === 20) watched.wallOffsetNs += 7200n * SECOND;
      if (minute === 30) watched.wallOffsetNs -= 86_400n * SECOND;
      watched.sample();
    }
    expect(collected()).toEqual(planted(watched.site));
    const [collector] = watched.collectors.values();
    expect(collector?.health.clockJumps).toBeGreaterThan(1);
    // All of it can be ingested: no two stretches of a target overlap.
    expect(plimsoll(folder, "ingest", "collected", "--store", "S", "--threads", "1").code).toBe(0);
    const [rows] = await ask(
      join(folder, "S"),
      "select sum(bytes_written)::varchar as w, min(seconds)::double as s from minutes",
    );
    const written = watched.site.jobs.reduce((sum, { total }) => sum + BigInt(total.bytesWritten), 0n);
    expect(rows?.[0]?.w).toBe(String(written));
    expect(rows?.[0]?.s as number).toBeGreaterThan(0.9);
  });

  it("of a target that runs elsewhere for a while does not hide what the other server saw", async () => {
    const tree = (host: string) => join(folder, host, "proc/fs/lustre/obdfilter/lustre1-OST0000");
    const text = (startS: number, bytes: number) =>
      `job_stats:\n- job_id:          77\n  snapshot_time:   ${startS + 1}.000000000 secs.nsecs\n  start_time:      ${startS}.000000000 secs.nsecs\n  elapsed_time:    1.0 secs.nsecs\n  write_bytes:     { samples: 1, unit: bytes, min: 1, max: 1, sum: ${bytes}, sumsq: 1 }\n`;
    let second = 1_700_000_000;
    const collector = (host: string) =>
      new ServerCollector({
        root: join(folder, host),
        dir: join(folder, "collected", host),
        host,
        collector: "test",
        everyNs: EVERY,
        time: { wallNs: () => BigInt(second) * SECOND, monotonicMs: () => 0 },
        note: () => {},
      });
    for (const host of ["a", "b"])
      mkdirSync(join(folder, host, "proc/fs/lustre/obdfilter"), { recursive: true });
    const [a, b] = [collector("a"), collector("b")];
    let truth = 0;
    for (let minute = 0; minute < 12; minute++, second += 60) {
      const [here, there] = minute >= 4 && minute < 8 ? ["b", "a"] : ["a", "b"];
      rmSync(tree(there), { recursive: true, force: true });
      // Each server counts from 0 when it takes the target over.
      const began = second - 60 * (minute % 4) - 20;
      const bytes = 1000 * (1 + (minute % 4));
      write(join(tree(here), "job_stats"), text(began, bytes));
      a.sample();
      b.sample();
      if (minute % 4 === 3) truth += bytes;
    }
    // What was there when the collection began is not counted.
    truth -= 1000;
    expect(plimsoll(folder, "ingest", "collected", "--store", "S", "--threads", "1").code).toBe(0);
    const [rows] = await ask(join(folder, "S"), "select sum(bytes_written)::int as w from minutes");
    expect(rows).toEqual([{ w: truth }]);
  });
});

describe("files of any release", () => {
  const text = (bytes: number) =>
    `job_stats:\n- job_id:          9\n  snapshot_time:   1700000000\n  write_bytes:     { samples: 1, unit: bytes, min: 1, max: 1, sum: ${bytes} }\n`;

  it.each([
    [["proc/fs/lustre"]],
    [["sys/fs/lustre"]],
    [["sys/kernel/debug/lustre"]],
    [["proc/fs/lustre", "sys/kernel/debug/lustre"]],
  ])("are found in %j, and read once", (places) => {
    let nowNs = START;
    const put = (bytes: number | undefined) => {
      for (const where of places)
        write(
          join(folder, "tree", where, "obdfilter/fs-OST00ff/job_stats"),
          bytes === undefined ? "job_stats:\n" : text(bytes),
        );
    };
    // A folder without files in the old place, and names that are no targets.
    mkdirSync(join(folder, "tree/proc/fs/lustre/obdfilter/fs-OST00ff"), { recursive: true });
    write(join(folder, "tree/proc/fs/lustre/obdfilter/num_refs"), "1\n");
    put(undefined);
    const collector = new ServerCollector({
      ...{ root: join(folder, "tree"), dir: join(folder, "collected"), host: "h", collector: "test" },
      everyNs: EVERY,
      time: { wallNs: () => nowNs, monotonicMs: () => Number((nowNs - START) / 1_000_000n) },
      note: () => {},
    });
    collector.sample();
    put(4096);
    nowNs += EVERY;
    expect(collector.sample()).toMatchObject({ files: 1, jobs: 1, unreadable: 0 });
    expect(collected()).toEqual({ "9 fs-OST00ff": "0 4096 0 1 0 0" });
  });
});

describe("segments", () => {
  it("are removed by age and by size, the oldest first, and only ours", () => {
    const watched = new Watched({ seed: 2, osts: 1 }, { keepNs: 600n * SECOND });
    const [host = ""] = watched.site.servers;
    const own = join(folder, "collected", host, "segments");
    write(join(own, `${host}-b-20200101T000000.000000000Z.ndjson`), "another host's");
    for (let minute = 0; minute <= 30; minute++) {
      watched.advance(60);
      watched.sample();
    }
    expect(readdirSync(own).length).toBe(12);
    expect(watched.collectors.get(host)?.health.removedSegments).toBe(20);
    watched.restart(host, { keepBytes: 1 });
    watched.advance(60);
    watched.sample();
    expect(readdirSync(own).length).toBe(2);
  });

  it("end half a second before the interval does", () => {
    expect(untilNextMs(60_000, 60_000)).toBe(59_500);
    expect(untilNextMs(119_400, 60_000)).toBe(100);
    expect(untilNextMs(119_500, 60_000)).toBe(60_000);
    expect(untilNextMs(1, 10)).toBe(8);
  });
});
