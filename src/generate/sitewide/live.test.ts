/** A site that lives: its files change with time as the jobs behind them do. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bytesSource } from "../../base/source.ts";
import {
  clientDelta,
  CounterTable,
  DeltaTracker,
  JobClientSums,
  type LustreItem,
  Reading,
  readLustre,
} from "../../formats/lustre/index.ts";
import { readClientReading, sideItems } from "../../formats/samples/index.ts";
import { readSacctText } from "../../formats/slurm/sacct-text.ts";
import { damagePack } from "./damage.ts";
import { RELEASES } from "./entry.ts";
import { FolderFiles } from "./live-files.ts";
import { MemoryFiles } from "./test-kit.ts";
import { LiveSite } from "./live.ts";

const SECOND = 1_000_000_000n;
const START = 1_700_000_000n * SECOND;

const itemsOf = (path: string, text: string, table: CounterTable, readAtNs: bigint): readonly LustreItem[] =>
  readLustre(bytesSource(new TextEncoder().encode(text), path), { readAtNs, path }, table).items;

/** All job_stats of a site, differenced every this many seconds. */
function collected(files: MemoryFiles, site: LiveSite, seconds: number, every: number) {
  const table = new CounterTable();
  const tracker = new DeltaTracker(table, { sinceNs: START });
  const sums = new Map<string, bigint>();
  for (let second = 0; second <= seconds; second += every) {
    site.advanceTo(START + BigInt(second) * SECOND);
    for (const [path, text] of files.texts) {
      if (!path.endsWith("job_stats")) continue;
      for (const item of itemsOf(path, text, table, site.nowNs)) {
        if (!(item instanceof Reading)) continue;
        const { changed } = tracker.feed(item) ?? { changed: { count: 0 } as never };
        for (let i = 0; i < changed.count; i++) {
          const name = table.names[changed.column[i] as number];
          if (name !== "write_bytes" && name !== "open") continue;
          const key = `${item.jobId(changed.row[i] as number)} ${item.target} ${name}`;
          const value = (name === "open" ? changed.samples[i] : changed.sum[i]) as bigint;
          sums.set(key, (sums.get(key) ?? 0n) + value);
        }
      }
    }
  }
  return { sums, tracker };
}

describe.each(RELEASES)("a live site of Lustre %s", (release) => {
  it("gives back what each job did on each target, through entries that expire", () => {
    const files = new MemoryFiles();
    const site = new LiveSite({ startNs: START, release, clients: 6, osts: 5, jobsPerHour: 120 }, files);
    const { sums, tracker } = collected(files, site, 4200, 60);
    const truth = new Map<string, bigint>();
    for (const { spec, onTargets } of site.jobs) {
      for (const [target, { bytesWritten, opens }] of onTargets) {
        if (bytesWritten > 0) truth.set(`${spec.jobId} ${target} write_bytes`, BigInt(bytesWritten));
        if (opens > 0) truth.set(`${spec.jobId} ${target} open`, BigInt(opens));
      }
    }
    expect(site.jobs.length).toBeGreaterThan(20);
    expect(Object.fromEntries(sums)).toEqual(Object.fromEntries(truth));
    expect(tracker.counts.expired).toBeGreaterThan(0);
  });

  it("is the same at a moment however often it was looked at", () => {
    const [often, once] = [new MemoryFiles(), new MemoryFiles()];
    const site = new LiveSite({ startNs: START, release, seed: 4 }, often);
    for (let second = 1n; second <= 900n; second++) site.advanceTo(START + second * SECOND);
    new LiveSite({ startNs: START, release, seed: 4 }, once).advanceTo(START + 900n * SECOND);
    expect(Object.fromEntries(often.texts)).toEqual(Object.fromEntries(once.texts));
  });

  it("has what a job did on its nodes in the files of clients, before and after it", () => {
    const files = new MemoryFiles();
    const site = new LiveSite({ startNs: START, release, jobsPerHour: 0 }, files);
    const job = site.startJob({
      ...{
        jobId: "42",
        user: "eve",
        uid: 7,
        nodes: ["node001", "node003"],
        seconds: 300,
        mdt: 1,
        osts: [0, 2],
      },
      ...{ periodSeconds: 60, onSeconds: 10, writeBytes: 5_000_001, readBytes: 3, opens: 4 },
    });
    const table = new CounterTable();
    const read = (node: string) =>
      [...files.texts]
        .filter(([path]) => path.startsWith(`${node}/sys/kernel/debug/`))
        .flatMap(([path, text]) => itemsOf(path, text, table, site.nowNs));
    const before = new Map(site.clients.map((node) => [node, read(node)]));
    site.advanceTo(START + 400n * SECOND);
    expect(job.endNs).toBe(START + 300n * SECOND);
    const sums = new JobClientSums();
    for (const node of job.spec.nodes) sums.add(node, clientDelta(before.get(node), read(node)));
    expect(sums.sum("write_bytes", "bytes")).toBe(BigInt(job.total.bytesWritten));
    expect(job.total.bytesWritten).toBe(2 * 50 * 5_000_001);
    expect(sums.sum("read_bytes", "bytes")).toBe(300n);
    expect([sums.samples("open"), sums.samples("close")]).toEqual([40n, 30n]);
    expect(sums.lnet.get("send_length")).toBe(BigInt(job.total.bytesWritten + 400 * 70));
    const other = clientDelta(before.get("node002"), read("node002"));
    expect(other.mounts[0]?.counters.every(({ samples }) => samples === 0n)).toBe(true);
  });

  it("restarts servers and mounts again", () => {
    const files = new MemoryFiles();
    const site = new LiveSite({ startNs: START, release, seed: 2 }, files);
    site.advanceTo(START + 600n * SECOND);
    const [server = ""] = site.servers;
    const stats = () =>
      [...files.texts].filter(([path]) => path.startsWith(`${server}/`) && path.endsWith("job_stats"));
    expect(stats().some(([, text]) => text.includes("job_id"))).toBe(true);
    site.restartServer(server);
    expect(stats().every(([, text]) => text === "job_stats:\n")).toBe(true);
    const old = site.mountOf("node001");
    site.remount("node001");
    expect(site.mountOf("node001")).not.toBe(old);
    expect([...files.texts.keys()].some((path) => path.includes(old))).toBe(false);
    expect(() => site.remount("node099")).toThrow(/have: node001/);
  });
});

describe.each(RELEASES)("a fast site of Lustre %s", (release) => {
  it("gives a collector that begins later exactly what is done from then on, with stamps by the clock", () => {
    const files = new MemoryFiles();
    const site = new LiveSite({ startNs: START, release, speed: 60, jobsPerHour: 240, clients: 8 }, files);
    const table = new CounterTable();
    const written = () => site.jobs.reduce((sum, { total }) => sum + BigInt(total.bytesWritten), 0n);
    // A minute of each job's life goes by in each second; the collector comes after ten of them.
    const sinceNs = START + 10n * SECOND;
    site.advanceTo(sinceNs);
    const before = written();
    expect(before).toBeGreaterThan(0n);
    const tracker = new DeltaTracker(table, { sinceNs });
    let collected = 0n;
    for (let second = 10n; second <= 1500n; second += second < 60n ? 1n : 60n) {
      const nowNs = START + second * SECOND;
      site.advanceTo(nowNs);
      expect(site.nowNs).toBe(nowNs);
      for (const [path, text] of files.texts) {
        if (!path.endsWith("job_stats")) continue;
        for (const item of itemsOf(path, text, table, nowNs)) {
          if (!(item instanceof Reading)) continue;
          for (let row = 0; row < item.rows; row++)
            expect(item.snapshotNs[row] as bigint).toBeLessThanOrEqual(nowNs);
          const deltas = tracker.feed(item);
          for (let i = 0; i < (deltas?.changed.count ?? 0); i++)
            if (table.names[deltas?.changed.column[i] as number] === "write_bytes")
              collected += deltas?.changed.sum[i] as bigint;
        }
      }
    }
    expect(tracker.counts.expired).toBeGreaterThan(0);
    expect(collected).toBe(written() - before);
  });
});

describe("a live folder", () => {
  it("holds the same files as memory, and nothing beside them", () => {
    const root = mkdtempSync(join(tmpdir(), "plimsoll-live-"));
    try {
      const memory = new MemoryFiles();
      for (const files of [memory, new FolderFiles(root)]) {
        const site = new LiveSite({ startNs: START }, files);
        site.advanceTo(START + 120n * SECOND);
        site.remount("node002");
        site.advanceTo(START + 240n * SECOND);
      }
      const found = readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      const texts = found.map((path) => [path.slice(root.length + 1), readFileSync(path, "utf8")]);
      expect(Object.fromEntries(texts)).toEqual(Object.fromEntries(memory.texts));
      expect(memory.texts.get("oss0/proc/fs/lustre/obdfilter/lustre1-OST0000/job_stats")).toContain(
        "job_stats:",
      );
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe("the damage pack", () => {
  const cases = damagePack();
  const servers = cases.filter(
    ({ files }) => !files.some(({ path }) => path.endsWith(".json")) && files.length > 1,
  );

  it.each(servers.map((one) => [one.name, one] as const))("%s is differenced as expected", (_, one) => {
    const table = new CounterTable();
    const tracker = new DeltaTracker(table, { everyNs: 60n * SECOND });
    const found: string[] = [];
    for (const { path, bytes } of one.files.filter((file) => file.path.endsWith("job_stats"))) {
      const unix = BigInt(/(\d+)\.job_stats$/.exec(path)?.[1] ?? "0");
      const param = "obdfilter/lustre1-OST0000/job_stats";
      for (const item of readLustre(bytesSource(bytes, path), { readAtNs: unix * SECOND, path: param }, table)
        .items) {
        const deltas = tracker.feed(item as Reading);
        if (deltas?.fromNs === undefined) continue;
        const { changed } = deltas;
        const rows = new Map<number, Record<string, bigint>>();
        for (let i = 0; i < changed.count; i++) {
          const column = changed.column[i] as number;
          if (table.units[column] !== "bytes") continue;
          const row = rows.get(changed.row[i] as number) ?? {};
          rows.set(changed.row[i] as number, row);
          row[`${table.names[column]}`] = changed.samples[i] as bigint;
          row[`${table.names[column]}.sum`] = changed.sum[i] as bigint;
        }
        for (const [row, of] of rows)
          found.push(
            [
              (item as Reading).jobId(row),
              unix,
              of["read_bytes.sum"] ?? 0n,
              of["write_bytes.sum"] ?? 0n,
              of.read_bytes ?? 0n,
              of.write_bytes ?? 0n,
            ].join(" "),
          );
      }
    }
    const wanted = one.deltas.map(({ job, unix, bytesRead, bytesWritten, reads, writes }) =>
      [job, unix, bytesRead, bytesWritten, reads, writes].join(" "),
    );
    expect(found.sort()).toEqual(wanted.sort());
    expect(wanted.length).toBeGreaterThan(0);
  });

  it("knows the minutes of jobs: of one, with a gap, and late", () => {
    const one = cases.find(({ name }) => name === "minutes-of-jobs");
    const sacct = one?.files.find(({ path }) => path.endsWith("sacct.txt"));
    const { jobs } = readSacctText(bytesSource(sacct?.bytes ?? new Uint8Array(), "sacct.txt"));
    expect(jobs.length).toBe(3);
    for (const { jobId, startUnix = 0, endUnix = 0 } of jobs) {
      const [first, last] = [Math.floor(startUnix / 60), Math.floor(endUnix / 60)];
      const active =
        one?.deltas.filter(({ job }) => job === jobId).map(({ unix }) => Math.floor(unix / 60)) ?? [];
      expect(one?.minutes?.[jobId]).toEqual({
        bins: last - first + 1,
        ioMinutes: active.filter((minute) => minute <= last).length,
        lateMinutes: active.filter((minute) => minute > last).length,
      });
    }
  });

  it("client readings say what they are", () => {
    const table = new CounterTable();
    const delta = (name: string) => {
      const [file] = cases.find((one) => one.name === name)?.files ?? [];
      const { before, after } = readClientReading(bytesSource(file?.bytes ?? new Uint8Array(), name));
      return clientDelta(before && sideItems(before, table), after && sideItems(after, table));
    };
    expect(delta("no-before").complete).toBe(false);
    const [mount] = delta("remount").mounts;
    expect(mount).toMatchObject({ fate: "remounted" });
    expect(mount?.counters.find(({ name }) => name === "write_bytes")?.sum).toBe(6n * 1_048_576n);
  });

  it("names every case once and says what must become of it", () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    for (const { outcome, files } of cases) {
      expect(outcome).toMatch(/^(read|read in part|not counted)(:|$)/);
      expect(files.length).toBeGreaterThan(0);
    }
  });
});
