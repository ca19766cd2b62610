/** `darshan convert --obfuscate`: nothing of the input that says who, where or when is left in any region. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { takeApart } from "../../../test/fuzz/build-log.ts";
import { referenceLogs } from "../../../test/reference-data.ts";
import { bytesSource } from "../../base/source.ts";
import { DarshanLog } from "../../formats/darshan/log.ts";
import {
  apmpi,
  apxc,
  bgq,
  columnOf,
  daos,
  dfs,
  dxtPosix,
  heatmap,
  lustre,
  posix,
} from "../../formats/darshan/modules/index.ts";
import { recordId } from "../../formats/darshan/record-id.ts";
import { counterRecord, type DarshanRecord } from "../../formats/darshan/records.ts";
import { LogWriter, memorySink } from "../../formats/darshan/writer.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { inside } from "./test-kit.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-obfuscate-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const open = (path: string) => new DarshanLog(bytesSource(readFileSync(path), path), { codecs: nodeCodecs });

async function obfuscated(path: string, key = "key one"): Promise<string> {
  const output = join(folder, `${key.replace(" ", "-")}-${basename(path)}`);
  const { code, err } = await inside("darshan", "convert", "--obfuscate", key, path, output);
  expect(code, err).toBe(0);
  return output;
}

/** The plain bytes of every region, inflated by a reader of their own. */
function plainRegions(path: string): Buffer {
  const { job, names, modules } = takeApart(readFileSync(path));
  return Buffer.concat([job, ...(names === undefined ? [] : [names]), ...modules].map(({ plain }) => plain));
}

const word = (value: bigint) => Buffer.from(BigInt64Array.of(BigInt.asIntN(64, value)).buffer);

const START = 1_723_456_789n;
const START_NS = 123_456_789n;
const JOB_ID = 5_551_234_567n;
const BGQ_JOB = 5_552_345_678n;
const APXC_JOB = 5_553_456_789n;
const POOL = Uint8Array.from({ length: 16 }, (_, i) => 0xa0 + i);
const CONTAINER = Uint8Array.from({ length: 16 }, (_, i) => 0xc0 + i);
const OBJECT = [0x1234_5678_9abc_def0n, 0x0fed_cba9_8765_4321n] as const;
const PLACE = [70_001n, 70_002n, 70_003n, 70_004n] as const;
const FILES = {
  output: "/lustre/astro/alice/result.h5",
  home: "/home/alice/notes.text",
  daos: "/pool-of-alice/container/file",
} as const;
const ids = Object.values(FILES).map((name) => recordId(name));

/** A log that tells in every place where a log can tell. */
function tellingLog(): string {
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders: nodeEncoders });
  writer.job({
    uid: 4_000_123_457n,
    startSeconds: START,
    startNanoseconds: START_NS,
    endSeconds: START + 60n,
    endNanoseconds: 987_654_321n,
    nprocs: 4,
    jobId: JOB_ID,
    metadata: [
      ["lib_ver", "3.5.0"],
      ["h", "cb_config_list=loginnode3:1;romio_ds_write=disable"],
      ["note", "belongs to project zephyr"],
      ["lib_ver", "3.5.0 built by alice"],
    ],
    commandLine: "/home/alice/hydro --deck zephyr",
    mounts: [
      { type: "lustre", path: "/lustre/astro" },
      { type: "nfs4", path: "/home/alice" },
      { type: "tmpfs", path: "/dev/shm" },
      { type: "tmpfs", path: "/run/user/1001" },
      { type: "dwfs", path: "/var/opt/cray/dws/mounts/alice_77" },
      { type: "xfs", path: "/" },
    ],
  });
  writer.names(Object.values(FILES).map((name, i) => ({ id: ids[i] as bigint, name })));
  const [output = 0n, home = 0n, stored = 0n] = ids;
  writer.module(posix, [
    counterRecord(posix, { id: output, rank: -1 }, { POSIX_OPENS: 4, POSIX_BYTES_WRITTEN: 4096 }),
    counterRecord(posix, { id: home, rank: 0 }, { POSIX_OPENS: 1 }),
  ]);
  writer.module(bgq, [counterRecord(bgq, { id: 3n, rank: 0 }, { BGQ_CSJOBID: BGQ_JOB, BGQ_NNODES: 8 })]);
  writer.module(lustre, [
    {
      kind: "lustre",
      id: output,
      rank: -1n,
      components: ["alicespool", "", "fifteen_letters"].map((pool) => ({
        counters: BigInt64Array.of(1048576n, 1n, 0n, 0n, 0n, -1n, 0n),
        pool: new TextEncoder().encode(pool),
      })),
      osts: BigInt64Array.of(3n, 4n, 5n),
    },
  ]);
  const segments = [{ offset: 0n, length: 10n, start: 1, end: 2, thread: 3n }];
  writer.module(dxtPosix, [{ id: output, rank: 0n, host: "supernode17", writes: segments, reads: [] }]);
  const apxcHeader: DarshanRecord = {
    kind: "header",
    id: recordId("darshan-apxc-header"),
    rank: 0n,
    integers: BigInt64Array.of(0x4155544f50455246n, 1n, 2n, 3n, 4n, 5n, APXC_JOB),
    reals: new Float64Array(0),
  };
  const [group, chassis, blade, node] = PLACE;
  writer.module(apxc, [
    apxcHeader,
    counterRecord(
      apxc,
      { id: 5n, rank: 0 },
      { APXC_GROUP: group, APXC_CHASSIS: chassis, APXC_BLADE: blade, APXC_NODE: node },
    ),
  ]);
  writer.module(apmpi, [
    {
      kind: "header",
      id: recordId("darshan-apmpi-header"),
      rank: 0n,
      integers: BigInt64Array.of(0x41504d5049n),
      reals: Float64Array.of(1, 2),
      syncFlag: 1,
    },
    counterRecord(apmpi, { id: 5n, rank: 0 }, {}, { node: new TextEncoder().encode("supernode18") }),
  ]);
  writer.module(heatmap, [
    {
      kind: "heatmap",
      id: recordId("heatmap:POSIX"),
      rank: 0n,
      binSeconds: 0.1,
      writeBins: BigInt64Array.of(1n, 2n),
      readBins: BigInt64Array.of(3n, 4n),
    },
  ]);
  const uuids = { pool: POOL, container: CONTAINER };
  writer.module(dfs, [counterRecord(dfs, { id: stored, rank: 0 }, { DFS_OPENS: 2 }, uuids)]);
  writer.module(daos, [
    counterRecord(
      daos,
      { id: 8n, rank: 0 },
      { DAOS_OBJ_OPENS: 2 },
      { ...uuids, objectHigh: OBJECT[0], objectLow: OBJECT[1] },
    ),
  ]);
  writer.finish();
  const path = join(folder, "telling.darshan");
  writeFileSync(path, sink.bytes());
  return path;
}

describe("an obfuscated log", () => {
  let original: string;
  let hidden: string;
  beforeAll(async () => {
    original = tellingLog();
    hidden = await obfuscated(original);
  });

  it("holds no name, id, host, hint, place or time of the input in any region", () => {
    const texts =
      "alice astro result notes text pool-of container hydro deck zephyr supernode loginnode cb_config romio note= built belongs alicespool fifteen user/1001 dws/mounts".split(
        " ",
      );
    const numbers = [4_000_123_457n, START, START_NS, START + 60n, 987_654_321n, JOB_ID, BGQ_JOB, APXC_JOB];
    const words = [...numbers, ...PLACE, ...OBJECT, ...ids].map(word);
    const telling = [
      ...texts.map((text) => Buffer.from(text)),
      ...words,
      Buffer.from(POOL),
      Buffer.from(CONTAINER),
    ];
    const missing = (bytes: Buffer) => telling.filter((one) => !bytes.includes(one)).length;
    // All of it is in the input, and none in the output.
    expect(missing(plainRegions(original))).toBe(0);
    expect(telling.length - missing(plainRegions(hidden))).toBe(0);
    for (const number of numbers) expect(plainRegions(hidden).includes(String(number))).toBe(false);
  });

  it("keeps the version of Darshan, types of file systems and the top folder of mount points", () => {
    const { job } = open(hidden);
    expect(job.metadata).toEqual([["lib_ver", "3.5.0"]]);
    const mounts = job.mounts.map(({ path, type }) => `${path.replace(/[0-9a-f]{16}/g, "*")} ${type}`).sort();
    expect(mounts).toEqual(
      [
        "/lustre/* lustre",
        "/home/* nfs4",
        "/dev/shm tmpfs",
        "/run/*/* tmpfs",
        "/var/opt/cray/dws/*/* dwfs",
        "/ xfs",
      ].sort(),
    );
    // Each file is still on its file system.
    const [before, after] = [open(original), open(hidden)].map((log) =>
      [...log.names.entries()].map(({ bytes }) => log.job.mountOf(bytes)?.type),
    );
    expect(after).toEqual(before);
    expect(after).toEqual(["lustre", "nfs4", "xfs"]);
  });

  it("says the same of the job's I/O, and keeps distances in time between logs of one key", async () => {
    const [before, after] = await Promise.all(
      [original, hidden].map(async (path) => JSON.parse((await inside("report", "--json", path)).out)),
    );
    const plain = ({ metrics }: { metrics: object }) =>
      JSON.stringify(metrics).replace(/"(path|fileId)":"[^"]*"/g, '"$1":""');
    expect(plain(after)).toBe(plain(before));
    expect(after.job.runSeconds).toBe(before.job.runSeconds);
    const shift = (path: string) => {
      const { startSeconds, startNanoseconds } = open(path).job;
      return (START - startSeconds) * 1_000_000_000n + START_NS - startNanoseconds;
    };
    const years = (ns: bigint) => Number(ns) / 1e9 / 86_400 / 365.25;
    const other = await obfuscated(original, "key two");
    for (const path of [hidden, other]) {
      expect(years(shift(path))).toBeGreaterThan(2);
      expect(years(shift(path))).toBeLessThan(4.4);
    }
    expect(shift(hidden)).not.toBe(shift(other));
    expect(shift(await obfuscated(original))).toBe(shift(hidden));
    expect(open(hidden).job.jobId).not.toBe(open(other).job.jobId);
  });

  it("gives each part of a node's place a stand-in of its own", () => {
    const log = open(hidden);
    const entry = log.module("APXC");
    const [, block] = [...log.records(entry as NonNullable<typeof entry>)];
    const places = block?.views.i64.slice(columnOf(apxc, "APXC_GROUP"), columnOf(apxc, "APXC_NODE") + 1);
    expect(new Set(places).size).toBe(4);
  });
});

describe("real logs, obfuscated", () => {
  it.each(referenceLogs.map(({ name, path }) => [name, path] as const))("%s", async (_, path) => {
    const [before, hiddenPath] = [open(path), await obfuscated(path)];
    const [after, bytes] = [open(hiddenPath), plainRegions(hiddenPath)];
    for (const key of ["uid", "jobId", "startSeconds"] as const)
      if (before.job[key] > 100_000_000n || key === "jobId") expect(after.job[key]).not.toBe(before.job[key]);
    const names = [...before.names.entries()].map(({ bytes: name }) => new TextDecoder().decode(name));
    const own = /^(<STD|heatmap:|darshan-|APMPI|APXC)/;
    const readable = [
      ...before.job.mounts.map(({ path: mount, type }) => `${mount.split("/")[1]} ${type}`),
      ...names.filter((name) => own.test(name)),
      "/dev/shm /var/tmp /var/opt/cray/dws",
    ].join(" ");
    const parts = [
      ...names.filter((name) => !own.test(name)),
      ...before.job.mounts.map(({ path: mount }) => mount),
      before.job.commandLine,
      ...before.job.metadata.filter(([name]) => name !== "lib_ver").map(([, value]) => value),
      ...hostsOf(before),
    ].flatMap((text) => text.split(/[/\s:;,]+/));
    // Short words, and words that a stand-in or what stays readable may hold, prove nothing.
    const telling = [...new Set(parts)].filter(
      (text) => text.length >= 6 && !/^[0-9a-f]+$/.test(text) && !readable.includes(text),
    );
    expect(telling.filter((text) => bytes.includes(text))).toEqual([]);
    const wide = [...before.names.entries()].map(({ id }) => id).filter((id) => id > 0xffff_ffffn);
    expect(wide.filter((id) => bytes.includes(word(id)))).toEqual([]);
  });
});

function hostsOf(log: DarshanLog): string[] {
  const hosts = new Set<string>();
  for (const entry of log.modules)
    for (const { record } of log.segments(entry)) hosts.add(new TextDecoder().decode(record.hostBytes));
  return [...hosts];
}
