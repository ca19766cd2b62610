// States of servers and targets, and clients by the hour: from a live tree, and from one that a real server had.

import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ServerCollector } from "../../src/collect/server/collector.ts";
import { FolderFiles } from "../../src/generate/sitewide/live-files.ts";
import { LiveSite } from "../../src/generate/sitewide/live.ts";
import { ask, plimsoll, prepare, write } from "./kit.ts";

const SECOND = 1_000_000_000n;
/** A full hour. */
const START = 472_222n * 3600n * SECOND;
let place: string;
let count = 0;
let folder: string;

beforeAll(() => {
  place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "plimsoll-states-"));
  prepare();
}, 120_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));
beforeEach(() => {
  folder = join(place, String(count++));
  mkdirSync(folder);
});

const collectorAt = (host: string, now: () => bigint, root = join(folder, "tree", host)) =>
  new ServerCollector({
    ...{ root, host, dir: join(folder, "collected", host), collector: "test", everyNs: 60n * SECOND },
    time: { wallNs: now, monotonicMs: () => Number((now() - START) / 1_000_000n) },
    note: () => {},
  });

function ingest(): void {
  const { code, err } = plimsoll(folder, "ingest", "collected", "--store", "S", "--threads", "1");
  expect(code, err).toBe(0);
}

const asked = async (sql: string) => {
  const [rows = []] = await ask(join(folder, "S"), sql);
  return rows.map((row) => Object.values(row));
};

describe.each(["2.12", "2.15"] as const)("a live site of Lustre %s", (release) => {
  it("gives capacity, evictions, recovery, health, network, waits and clients by the hour", async () => {
    const site = new LiveSite(
      { startNs: START, clients: 3, osts: 2, mdts: 1, jobsPerHour: 120, release },
      new FolderFiles(join(folder, "tree")),
    );
    const collectors = new Map(site.servers.map((host) => [host, collectorAt(host, () => site.nowNs)]));
    for (let minute = 0; minute <= 130; minute++) {
      for (const [host, one] of collectors) {
        if (minute % 31 === 7)
          collectors.set(
            host,
            collectorAt(host, () => site.nowNs),
          );
        (collectors.get(host) ?? one).sample();
      }
      if (minute === 42 || minute === 43 || minute === 44) site.evict(0);
      if (minute === 70) site.restartServer("oss0");
      site.advanceTo(START + BigInt(minute + 1) * 60n * SECOND);
    }
    ingest();
    expect(
      await asked("select sum(evictions)::int, min(server) from target_states where target = 'OST0000'"),
    ).toEqual([[3, "oss0"]]);
    // Every five minutes, and at once when something happened.
    const [[states]] = (await asked("select count(*)::int from target_states where target = 'OST0001'")) as [
      [number],
    ];
    expect(states).toBeGreaterThan(130 / 6);
    expect(states).toBeLessThan(130 / 3);
    expect(
      await asked("select distinct recovery from target_states where target = 'OST0001' order by 1"),
    ).toEqual([["COMPLETE"], ["RECOVERING"]]);
    expect(
      await asked(
        `select bytes_total, bytes_available < bytes_free and bytes_free < bytes_total, inodes_free < inodes_total
         from target_states where target = 'MDT0000' order by to_unix_ns limit 1`,
      ),
    ).toEqual([[2_000_000_000n * 1024n, true, true]]);
    // The restart is a fall of the counters, and everything counts once.
    const sums = `sum(bytes_read)::varchar, sum(bytes_written)::varchar`;
    const [servers] = await asked(
      `select sum(lnet_sent_bytes)::varchar, sum(lnet_received_bytes)::varchar from servers where server = 'oss0'`,
    );
    const [targets] = await asked(`select ${sums} from targets where target like 'OST%'`);
    expect(servers).toEqual(targets);
    expect(await asked("select distinct health from servers")).toEqual([["healthy"]]);
    expect(
      await asked("select sum(request_wait_usecs) = 40 * sum(requests), sum(requests) > 100 from servers"),
    ).toEqual([[true, true]]);
    const top = plimsoll(folder, "top", "servers", "--store", "S", "--json");
    expect(top.code, top.err).toBe(0);
    expect(JSON.parse(top.out).servers).toMatchObject([
      { server: "oss0", targets: ["OST0000", "OST0001"], health: "healthy", evictions: 3, waitSeconds: 4e-5 },
      { server: "mds0", targets: ["MDT0000"], health: "healthy", evictions: 0, waitSeconds: 4e-5 },
    ]);
    // Clients by the hour: the sum over clients is what the targets did, up to the last full hour.
    const [hours] = await asked(
      "select count(distinct to_unix_ns)::int from exports where target = 'OST0001'",
    );
    // Clients that came after the first sample count from their start where the release tells it.
    expect(hours).toEqual([release === "2.15" ? 3 : 2]);
    if (release === "2.15") {
      // A restart and evictions lose what was not read yet; before them clients add up to their target.
      const first = `target = 'OST0001' and minute_unix < ${START / (60n * SECOND) + 60n}`;
      const clients = `select ${sums}, sum(writes)::varchar from (select *, to_unix_ns // 60000000000 as minute_unix from exports)`;
      const [all] = await asked(`select ${sums}, sum(writes)::varchar from targets where ${first}`);
      expect(await asked(`${clients} where ${first}`)).toEqual([all]);
      expect(Number(all?.[1])).toBeGreaterThan(1e9);
    }
    const tables = ["target_states", "servers", "exports"].map(
      (table) => `select count(*)::int from ${table}`,
    );
    const before = await Promise.all(tables.map(asked));
    plimsoll(folder, "ingest", "collected", "--store", "S", "--threads", "1");
    rmSync(join(folder, "S"), { recursive: true });
    ingest();
    expect(await Promise.all(tables.map(asked))).toEqual(before);
  }, 180_000);
});

it("a target that fails over is told by both servers, and its states do not overlap", async () => {
  const [tree, home, other] = ["tree", "oss0", "oss9"];
  const site = new LiveSite(
    { startNs: START, clients: 2, osts: 2, mdts: 0, jobsPerHour: 0 },
    new FolderFiles(join(folder, tree)),
  );
  let now = START;
  const one = collectorAt(home, () => now);
  mkdirSync(join(folder, tree, other), { recursive: true });
  const two = collectorAt(other, () => now);
  const parts = [
    "proc/fs/lustre/obdfilter/lustre1-OST0001",
    "sys/fs/lustre/obdfilter/lustre1-OST0001",
    "sys/fs/lustre/osd-ldiskfs/lustre1-OST0001",
  ];
  const move = (from: string, to: string) => {
    for (const part of parts) {
      mkdirSync(join(folder, tree, to, part, ".."), { recursive: true });
      renameSync(join(folder, tree, from, part), join(folder, tree, to, part));
    }
  };
  expect(site.servers).toEqual([home]);
  for (let minute = 0; minute < 60; minute++) {
    if (minute === 20) move(home, other);
    if (minute === 40) move(other, home);
    write(
      join(folder, tree, minute >= 20 && minute < 40 ? other : home, parts[1] as string, "eviction_count"),
      `${minute}\n`,
    );
    for (const collector of [one, two]) collector.sample();
    now += 60n * SECOND;
  }
  ingest();
  const rows = await asked(
    `select server, min(minute_unix) - ${START / (60n * SECOND)}, max(minute_unix) - ${START / (60n * SECOND)} from (
       select *, row_number() over (order by to_unix_ns) - row_number() over (partition by server order by to_unix_ns) as part
       from target_states where target = 'OST0001') group by server, part order by 2`,
  );
  expect(rows).toEqual([
    [home, 0n, 19n],
    [other, 20n, 39n],
    [home, 40n, 59n],
  ]);
  const overlapping = `select count(*)::int from target_states a join target_states b using (file_system, target)
    where a.to_unix_ns > b.from_unix_ns and a.to_unix_ns < b.to_unix_ns`;
  expect(await asked(overlapping)).toEqual([[0]]);
  // The first state of a server has no difference; 19 and 19 are seen, and 21 when the target came back.
  expect(await asked("select sum(evictions)::int from target_states where target = 'OST0001'")).toEqual([
    [19 + 19 + 40],
  ]);
}, 60_000);

it("odd values of servers do not stop a sample, and are not stored", async () => {
  const root = join(folder, "tree");
  const target = join(root, "proc/fs/lustre/obdfilter/fs-OST000a");
  write(join(target, "job_stats"), "job_stats:\n");
  write(join(target, "stats"), "snapshot_time 1700000000.000000000 secs.nsecs\n");
  for (const [name, text] of [
    ["kbytestotal", "12 apples\n"],
    ["kbytesfree", "99999999999999999999999\n"],
    ["filestotal", "-5\n"],
    ["filesfree", "7\n\0\0\0"],
    ["recovery_status", `status: ${"R\x1b[31m".repeat(200)}\ncompleted_clients: 5\n`],
    ["exports/not a nid/stats", "read_bytes 1 samples [bytes] 1 1 1\n"],
    ["exports/10.0.0.1@tcp/uuid", "x\n"],
  ] as const)
    write(join(target, name), text);
  write(join(root, "sys/fs/lustre/health_check"), "device fs-OST000a reported unhealthy\nNOT HEALTHY\n");
  write(join(root, "proc/sys/lnet/stats"), "1 2 three\n");
  let now = START;
  const collector = collectorAt("h", () => now, root);
  for (let minute = 0; minute < 3; minute++, now += 60n * SECOND) collector.sample();
  ingest();
  const [state] = await asked(
    "select bytes_total, bytes_free, inodes_total, inodes_free, recovery_clients_done, length(recovery) from target_states",
  );
  expect(state).toEqual([null, null, null, 7n, 5n, 200n]);
  expect(await asked("select distinct health, lnet_errors from servers")).toEqual([
    ["NOT HEALTHY; device fs-OST000a reported unhealthy", null],
  ]);
  expect(await asked("select count(*)::int from exports")).toEqual([[0]]);
});

const REAL = join(
  import.meta.dirname,
  "..",
  "..",
  "..",
  "shared",
  "data",
  "lustre",
  "hewlettpackard_lustre_exporter",
);

it.runIf(existsSync(REAL))("the tree of a real server gives its states and clients", async () => {
  const root = join(folder, "real");
  cpSync(REAL, root, { recursive: true });
  let now = START;
  const collector = collectorAt("oss1", () => now, root);
  collector.sample();
  now += 3600n * SECOND;
  // One client has read more.
  write(
    join(root, "proc/fs/lustre/obdfilter/lustrefs-OST0000/exports/172.17.0.5@tcp/stats"),
    "snapshot_time 1700000000.000000000 secs.nsecs\nread_bytes 10 samples [bytes] 4096 4096 40960\n",
  );
  collector.sample();
  ingest();
  expect(
    await asked(
      "select target, recovery, recovery_clients, clients, server from target_states order by 1 limit 2",
    ),
  ).toEqual([
    ["MDT0000", null, null, expect.any(BigInt), "oss1"],
    ["MDT0000", null, null, expect.any(BigInt), "oss1"],
  ]);
  expect(
    await asked(
      "select distinct recovery, recovery_clients_done from target_states where target = 'OST0000'",
    ),
  ).toEqual([["COMPLETE", 1n]]);
  expect(await asked("select count(*)::int, max(health) from servers")).toEqual([[2, "healthy"]]);
  expect(await asked("select client, bytes_read, reads, why from exports")).toEqual([
    ["172.17.0.5@tcp", 40960n, 10n, "begun"],
  ]);
});
