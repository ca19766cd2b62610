// The kinds of input that commands read, each as a small sound example.

import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { clientReadingText, SegmentWriter } from "../../src/formats/samples/index.ts";
import { makeTrace } from "../../src/formats/trace/test-kit.ts";
import { sampleLogs } from "../../src/generate/samples.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { machineNamed } from "../../src/adaptive/sim/machines/index.ts";
import { plantedSweep } from "../ncio/advice-kit.ts";
import { runInside } from "./contract.ts";
import { type InputKind, onceMade, put } from "./inputs.ts";
import type { Random } from "./random.ts";

const fixtures = join(dirname(fileURLToPath(import.meta.url)), "..", "fixtures");
const T0 = 1_700_000_040;
const NS = 1_000_000_000n;

const bps = (folder: string, name: string, ...more: string[]) => [
  ["bps", "--json", ...more, join(folder, name)],
  ["bps", "--by", "process,file", "--every", "1s", ...more, join(folder, name)],
];

/** Fixtures of single accesses, one kind a format. */
const accesses = (name: string, file: string, ...more: string[]): InputKind => ({
  name,
  make: (folder) => put(folder, file, readFileSync(join(fixtures, "accesses", file))),
  commands: (folder) => bps(folder, file, ...more),
});

const recorderTrace: InputKind = {
  name: "recorder trace",
  make(folder) {
    const at = (n: number) => (1n << 60n) + BigInt(n) * 1_000_000n;
    for (const little of [true, false])
      put(
        folder,
        `trace/${little ? 1 : 2}.plt`,
        makeTrace({
          little,
          names: { 0: "/data/a", 1: "/data/b" },
          accesses: Array.from({ length: 20 }, (_, n) => ({
            file: n % 2,
            bytes: 4096 * n,
            ...(n % 5 === 0 ? { moved: 100 } : {}),
            start: at(2 * n),
            end: at(2 * n + 3),
          })),
        }),
      );
  },
  commands: (folder) => [...bps(folder, "trace"), ["bps", join(folder, "trace", "1.plt")]],
};

const parquet: InputKind = {
  name: "Parquet",
  async make(folder) {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    await connection.run(
      `copy (select 4000 + i % 3 as pid, 4096 + i as bytes, 1700000000 + i * 0.001 as start, 1700000000 + i * 0.001 + 0.002 as end,
         '/data/' || (i % 7) as file, if(i % 2 = 0, 'read', 'write') as op from range(3000) t(i)) to '${join(folder, "a.parquet")}' (format parquet)`,
    );
    connection.closeSync();
  },
  commands: (folder) => bps(folder, "a.parquet"),
};

const darshan: InputKind = {
  name: "Darshan log",
  make(folder) {
    put(folder, "a.darshan", readFileSync(join(fixtures, "darshan", "mpiio4_dxt.darshan")));
  },
  commands: (folder, out) => [
    ["darshan", "parse", join(folder, "a.darshan")],
    ["darshan", "parse", "--json", join(folder, "a.darshan")],
    ["darshan", "parse", "--total", "--perf", "--file", join(folder, "a.darshan")],
    ["darshan", "dxt", "--json", join(folder, "a.darshan")],
    ["darshan", "convert", "--compression", "none", join(folder, "a.darshan"), join(out, "b.darshan")],
    ["bps", "--json", join(folder, "a.darshan")],
    ["report", "--json", join(folder, "a.darshan")],
  ],
};

const bp = (file: string, variable: string): InputKind => ({
  name: `BP dataset ${file}`,
  make: (folder) => cpSync(join(fixtures, "bp", file), join(folder, file)),
  commands: (folder) => [
    ["ls", "--blocks", "--attributes", join(folder, file)],
    ["ls", "--json", "--blocks", join(folder, file)],
    ["verify", "--json", join(folder, file)],
    ["read", "--json", join(folder, file), variable],
    ["read", "--block", "0", join(folder, file), variable],
  ],
});

const SWEEP = ["ncio", "sweep", "--backend", "memory", "--vary", "count=16:32", "--case", "c-nc", "-n", "2"];

const sweep: InputKind = {
  name: "ncio sweep",
  async make(folder) {
    const made = plantedSweep({
      rate: ({ count, size }) => 1e8 + count * size,
      variables: { count: [2048, 4096] },
    });
    put(folder, "whole/sweep.json", JSON.stringify(made));
    const cut = join(folder, "cut");
    await runInside([...SWEEP, "--repeats", "1", "-o", cut]);
    for (const name of readdirSync(cut))
      if (name !== "journal.ndjson") rmSync(join(cut, name), { recursive: true });
    const lines = readFileSync(join(cut, "journal.ndjson"), "utf8").split("\n");
    put(cut, "journal.ndjson", `${lines.slice(0, -2).join("\n")}\n`);
  },
  commands: (folder) => [
    ["ncio", "advise", join(folder, "whole")],
    ["ncio", "advise", "--json", join(folder, "whole")],
    ["ncio", "advise", "--json", join(folder, "cut")],
    [...SWEEP, "--repeats", "1", "-o", join(folder, "cut")],
  ],
};

const machine: InputKind = {
  name: "machine",
  make(folder) {
    const { fit: _, ...data } = machineNamed("xtp");
    put(folder, "m.json", JSON.stringify({ kind: "plimsoll machine", version: 1, ...data }));
  },
  commands: (folder) => [
    ["sim", "run", "--writers", "8", "--targets", "2", "--size", "1MiB", "--json", join(folder, "m.json")],
  ],
};

const metricStudy: InputKind = {
  name: "metric study",
  async make(folder) {
    await runInside(["study", "metric", "--simulate", "--sets", "2a,4", "-o", join(folder, "m")]);
    for (const name of readdirSync(join(folder, "m")))
      if (!/^(runs\.csv|study\.json)$/.test(name)) rmSync(join(folder, "m", name), { recursive: true });
  },
  commands: (folder) => [
    ["study", "metric", "--from", join(folder, "m"), "--replicates", "100", "--json"],
    ["study", "metric", "--from", join(folder, "m"), "--replicates", "100"],
  ],
  atOnce: 1,
  costly: true,
};

/** What the prolog of a job left; the epilog reads it and the counters again. */
const clientReading: InputKind = {
  name: "reading of a client",
  async make(folder) {
    const stats = "snapshot_time 1700000040.5 secs.usecs\nwrite_bytes 15 samples [bytes] 1 4096 61440\n";
    put(folder, "root/proc/fs/lustre/llite/fs-ffff8800aa/stats", stats);
    put(folder, "root/proc/sys/lnet/stats", "0 5 0 1 1 0 0 100 200 0 0\n");
    await runInside(["collect", "client", "--before", ...clientOptions(folder)]);
  },
  commands: (folder) => [
    ["collect", "client", "--list", "--json", "--dir", join(folder, "dir")],
    ["collect", "client", "--after", "--strict", ...clientOptions(folder)],
    ["collect", "client", "--clean", "--dir", join(folder, "dir")],
  ],
};
const clientOptions = (folder: string) =>
  ["--job", "9001", "--node", "n1"].concat([
    ...["--dir", join(folder, "dir")],
    ...["--root", join(folder, "root")],
  ]);

const line = (name: string, unit: string, samples: number, sum?: number) =>
  `  ${name}: { samples: ${samples}, unit: ${unit}${sum === undefined ? "" : `, min: 1, max: 4096, sum: ${sum}`} }\n`;

/** What a Lustre server says at a minute. */
function serverText(minute: number): string {
  const at = T0 + 60 * minute;
  const jobs = [9001, 9002].map(
    (id) =>
      `- job_id:          ${id}\n  snapshot_time:   ${at - 1}\n${line("read_bytes", "bytes", minute, 4096 * minute)}${line("write_bytes", "bytes", 10 * minute, 40960 * minute)}${line("punch", "reqs", minute)}`,
  );
  const stats = `snapshot_time             ${at}.000005 secs.usecs\nwrite_bytes               ${20 * minute} samples [bytes] 1 4096 ${81920 * minute}\n`;
  return `obdfilter.fs-OST0000.job_stats=\njob_stats:\n${jobs.join("")}obdfilter.fs-OST0000.stats=\n${stats}`;
}

function clientText(node: string): string {
  const side = (at: number, calls: number) => ({
    atNs: BigInt(at) * NS,
    files: [
      {
        path: "llite/fs-ffff8800aa/stats",
        bytes: Buffer.from(
          `snapshot_time             ${at}.5 secs.usecs\nwrite_bytes               ${calls} samples [bytes] 1 4096 ${4096 * calls}\nopen                      ${calls} samples [reqs]\n`,
        ),
      },
    ],
  });
  return clientReadingText({
    jobId: "9001",
    node,
    cluster: "cab",
    uid: 1000,
    user: "ada",
    nodes: 2,
    nodeMemoryBytes: 2n ** 35n,
    before: side(T0, 10),
    after: side(T0 + 600, 15),
  });
}

function segmentText(): string {
  let text = "";
  const time = { fromNs: BigInt(T0) * NS, toNs: BigInt(T0 + 60) * NS };
  const writer = new SegmentWriter({ host: "oss7", collector: "test", ...time }, (part) => {
    text += part;
  });
  const grown = { unit: "bytes", samples: 2n, sum: 8192n, why: "grown" } as const;
  writer.target({ target: "fs-OST0011", kind: "job_stats", ...time, gap: false, carriedIn: 0, counters: [] });
  for (const id of ["9001", "9002"])
    writer.job({ target: "fs-OST0011", id: Buffer.from(id), counters: [{ name: "write_bytes", ...grown }] });
  const counters = [{ name: "read_bytes", ...grown }];
  writer.target({ target: "fs-OST0011", kind: "ost_stats", ...time, gap: false, carriedIn: 0, counters });
  writer.end();
  return text;
}

const SACCT = `Cluster|JobIDRaw|JobID|User|UID|State|Submit|Start|End|NNodes|NCPUS|NodeList|JobName
cab|9001|9001|ada|1000|COMPLETED|${T0 - 60}|${T0 + 2}|${T0 + 599}|2|16|n[1-2]|sim
cab|9002|9002|bob|1001|FAILED|2026-11-15T06:33:05|2026-11-15T06:33:06|2026-11-15T06:33:08|1|4|n9|x|y
`;

const sacctJson = {
  meta: { Slurm: { version: { major: 22, micro: 8, minor: 5 } } },
  errors: [],
  jobs: [9001, 9002].map((id) => ({
    job_id: id,
    cluster: "cab",
    user: "ada",
    association: { account: "phys", cluster: "cab", user: "ada" },
    name: "sim",
    nodes: "n[1-2]",
    allocation_nodes: 2,
    state: { current: "COMPLETED", reason: "None" },
    array: { job_id: 0, task_id: null },
    time: { elapsed: 2, start: T0, end: T0 + 600, submission: T0 - 5 },
    exit_code: { status: "SUCCESS", return_code: 0 },
  })),
};

const JOBCOMP =
  "JobId=9001 UserId=ada(1000) GroupId=ada(1000) Name=sim JobState=COMPLETED Partition=batch TimeLimit=60 StartTime=2026-11-15T06:26:56 EndTime=2026-11-15T06:26:57 NodeList=n[1-2] NodeCnt=2 ProcCnt=4 WorkDir=/p SubmitTime=2026-11-15T06:26:56 ExitCode=0:0 \n".repeat(
    2,
  );

function telegraf(): string {
  const lines: string[] = [];
  for (let minute = 0; minute < 4; minute++)
    for (const job of [9001, 9002])
      lines.push(
        `lustre2,host=oss1,jobid=${job},name=fs2-OST0000 jobstats_write_bytes=${4096 * minute}i,jobstats_write_calls=${minute}i ${T0 + 60 * minute}000000000\n`,
      );
  return lines.join("");
}

function influxCsv(): string {
  const rows = Array.from(
    { length: 4 },
    (_, minute) =>
      `lustre2,"jobid=9001,name=fs3-OST0000",${T0 + 60 * minute}000000000,${4096 * minute},${minute}`,
  );
  return `name,tags,time,jobstats_write_bytes,jobstats_write_calls\n${rows.join("\n")}\n`;
}

/** Everything that a store takes in. */
function siteFiles(folder: string): void {
  for (let minute = 1; minute < 5; minute++) put(folder, `oss1/${T0 + 60 * minute}.txt`, serverText(minute));
  for (const node of ["n1", "n2"]) put(folder, `${node}.json`, clientText(node));
  put(folder, "segment.ndjson", segmentText());
  put(folder, "jobs.sacct", SACCT);
  put(folder, "sacct.json", JSON.stringify(sacctJson));
  put(folder, "jobcomp.txt", JOBCOMP);
  put(folder, "telegraf.lines", telegraf());
  put(folder, "influx.csv", influxCsv());
  const [log] = sampleLogs(1, nodeEncoders);
  put(folder, "a.darshan", log?.bytes ?? new Uint8Array(0));
}

/** Questions that a store answers. */
const questions = (store: string, out: string): readonly (readonly string[])[] => [
  ["sql", "--store", store, "select count(*) as n, sum(bytes_read) as b from accesses"],
  ["sql", "--store", store, "--json", "select * from runs"],
  ["sql", "--store", store, "select * from job_totals"],
  ["store", "check", store],
  ["store", "check", "--deep", "--json", store],
  ["store", "compact", store],
  ["store", "export", store, "--table", "minutes", "-o", join(out, "m.csv")],
  ["top", "jobs", "--store", store, "--json"],
  ["top", "targets", "--store", store],
  ["who", "--store", store, "--target", "OST0000"],
  ["job", "9001", "--store", store],
  ["quiet-hours", "--store", store, "--json"],
  ["file", "/scratch/run/checkpoint.0001", "--store", store],
  ["study", "reuse", "--store", store, "--json"],
  ["study", "system", "--store", store],
];

const site: InputKind = {
  name: "site",
  make: siteFiles,
  before: (folder, out) => ["ingest", folder, "--store", join(out, "s"), "--threads", "1", "--json"],
  commands: (_, out) => questions(join(out, "s"), out),
  atOnce: 2,
  costly: true,
};

const lustre: InputKind = {
  name: "Lustre statistics",
  make: (folder) => put(folder, "a.txt", serverText(3)),
  commands: (folder) => [
    ["lustre", "parse", join(folder, "a.txt")],
    ["lustre", "parse", "--json", join(folder, "a.txt")],
  ],
};

/** A store of two batches, so that there is something to join. */
const storeOf = onceMade(async (folder) => {
  const inputs = join(folder, "inputs");
  siteFiles(inputs);
  const [, second] = sampleLogs(1, nodeEncoders);
  put(folder, "b.darshan", second?.bytes ?? new Uint8Array(0));
  for (const path of [inputs, join(folder, "b.darshan")])
    await runInside(["ingest", path, "--store", join(folder, "s"), "--threads", "1"]);
  rmSync(inputs, { recursive: true });
  rmSync(join(folder, "b.darshan"));
});

const store = (name: string, damages: (path: string) => boolean): InputKind => ({
  name,
  make: storeOf,
  damages,
  commands: (folder, out) => questions(join(folder, "s"), out),
  atOnce: 2,
  costly: true,
});

/** A segment that is a sound Parquet file with another column than it should have, and a manifest that knows its size. */
async function changeColumn(folder: string, random: Random): Promise<string> {
  const at = join(folder, "s");
  const segment = random.pick(
    (readdirSync(join(at, "segments"), { recursive: true }) as string[]).filter((path) =>
      path.endsWith(".parquet"),
    ),
  );
  const path = join(at, "segments", segment);
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const described = await connection.runAndReadAll(`describe select * from read_parquet('${path}')`);
  const column = random.pick(described.getRowObjectsJS().map((row) => String(row.column_name)));
  const [what, select] = random.pick([
    ["gone", `* exclude (${column})`],
    ["renamed", `* rename (${column} as other)`],
    ["text", `* replace ('x' as ${column})`],
    ["a list", `* replace ([1] as ${column})`],
    ["a real", `* replace ('nan'::double as ${column})`],
    ["null", `* replace (null as ${column})`],
    ["negative", `* replace (-1 as ${column})`],
    ["huge", `* replace (9223372036854775807 as ${column})`],
  ] as const);
  await connection.run(
    `copy (select ${select} from read_parquet('${path}')) to '${path}.new' (format parquet)`,
  );
  connection.closeSync();
  renameSync(`${path}.new`, path);
  if (random.chance(0.5)) {
    const bytes = readFileSync(path);
    for (const name of readdirSync(join(at, "manifest"))) {
      const entry = JSON.parse(readFileSync(join(at, "manifest", name), "utf8"));
      for (const one of Object.values(entry.tables).flat() as {
        file: string;
        bytes: number;
        sha256: string;
      }[])
        if (one.file === join("segments", segment))
          Object.assign(one, {
            bytes: bytes.length,
            sha256: createHash("sha256").update(bytes).digest("hex"),
          });
      writeFileSync(join(at, "manifest", name), JSON.stringify(entry));
    }
  }
  return `${segment}: column ${column} is ${what}`;
}

export const INPUT_KINDS: readonly InputKind[] = [
  ...readdirSync(join(fixtures, "accesses"))
    .filter((name) => /\.(strace|csv)$|lat\.1\.log$|^separate/.test(name) && !name.startsWith("averaged"))
    .map((name) => accesses(`accesses ${name}`, name)),
  recorderTrace,
  parquet,
  darshan,
  bp("adios.bp", "deep/path/field"),
  bp("adios-zlib.bp", "counts"),
  sweep,
  machine,
  metricStudy,
  clientReading,
  lustre,
  site,
  store("store manifest", (path) => !path.includes("segments")),
  store("store segments", (path) => path.includes("segments")),
  { ...store("store columns", () => false), damage: changeColumn },
];
