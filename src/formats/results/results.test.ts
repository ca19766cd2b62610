import { describe, expect, it } from "vitest";
import { findFormat } from "../catalogue.ts";
import { looseJson } from "./loose-json.ts";

const MIB = 2 ** 20;

function read(text: string) {
  const format = findFormat(new TextEncoder().encode(text), "", "results");
  if (format?.results === undefined) throw new Error("not recognised");
  return { id: format.id, ...format.results(text) };
}

const IOR_NEW = `srun: a line of the launcher
IOR-4.0.0: MPI Coordinated Test of Parallel I/O
Began               : Tue Mar  4 10:00:00 2025
Command line        : ior -a POSIX
Options:
api                 : POSIX
nodes               : 4
tasks               : 64
clients per node    : 16
repetitions         : 2
xfersize            : 1 MiB
blocksize           : 2 GiB

Results:

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
write     1000       1010       0.01        2097152    1024       0.1        130        0.1        131.072    0
read      4000       4010       0.01        2097152    1024       0.1        32         0.1        32.768     0
write     500        505        0.01        2097152    1024       0.1        262        0.1        262.144    1
read      -          -          -           -          -          -          -          -          -          1
Summary of all tests:
write 750 1 1
`;

const IOR_OLD = `IOR-3.0.1: MPI Coordinated Test of Parallel I/O
Began: Fri Nov  9 03:13:15 2018
Summary:
	api                = MPIIO (version=3, subversion=1)
	clients            = 120 (10 per node)
	xfersize           = 47008 bytes
	blocksize          = 47008 bytes
access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ---------- ---------  --------   --------   --------   --------   ----
write     250.5      45.91      45.91      0.1        9          0.1        10         0
Max Write: 250.50 MiB/sec (262.67 MB/sec)
`;

describe("IOR", () => {
  it("text, by the columns of its release", () => {
    const { id, results } = read(IOR_NEW);
    expect(id).toBe("ior-text");
    expect(results).toHaveLength(2);
    expect(results[0]).toMatchObject({
      ...{ benchmark: "IOR", version: "4.0.0", name: "POSIX", operation: "write", nodes: 4, ranks: 64 },
      ...{ transferBytes: MIB, blockBytes: 2048 * MIB, bytesPerSecond: 750 * MIB, callsPerSecond: 757.5 },
      repetitions: { count: 2, min: 500 * MIB, mean: 750 * MIB, max: 1000 * MIB },
      startTime: "Tue Mar  4 10:00:00 2025",
    });
    expect(results[0]?.bytes).toBe(131072 * MIB);
    expect(results[1]?.repetitions.count).toBe(1);
  });

  it("text of old releases", () => {
    const [write] = read(IOR_OLD).results;
    expect(write).toMatchObject({
      version: "3.0.1",
      name: "MPIIO",
      ranks: 120,
      nodes: 12,
      transferBytes: 47008,
      seconds: 10,
    });
    expect(write?.callsPerSecond).toBeNaN();
    const noTable = IOR_OLD.replace(/^write .*\n/m, "");
    expect(read(noTable).results[0]?.bytesPerSecond).toBe(250.5 * MIB);
  });

  it("JSON, also with commas that do not belong and a cut end", () => {
    const json = `{"Version": "4.0", "Began": "today", "tests": [{"TestID": 0, "Options": {"api": "POSIX", "nodes": 2, "tasks": "8", "xfersize": "4 MiB",},
      "Results": [[{"access": "write", "bwMiB": 100.5, "iops": nan, "totalTime": 4.0,},]
      [{"access": "read", "bwMiB": 200, "totalTime": 2`;
    const { id, results } = read(json);
    expect(id).toBe("ior-json");
    expect(results.map(({ operation, bytesPerSecond }) => [operation, bytesPerSecond / MIB])).toEqual([
      ["write", 100.5],
      ["read", 200],
    ]);
    expect(results[0]).toMatchObject({
      nodes: 2,
      ranks: 8,
      transferBytes: 4 * MIB,
      callsPerSecond: Number.NaN,
    });
  });

  it("CSV, and CSV of ranks", () => {
    const csv =
      "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter\nwrite,10,20,0,1024,64,0,1,0,2,4,0\n";
    expect(read(csv).results[0]).toMatchObject({
      ranks: 4,
      transferBytes: 65536,
      seconds: 2,
      callsPerSecond: 20,
    });
    const ranks =
      "access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput\nwrite,0,2,1.5e0,1,1\nwrite,1,9,8.5,1,1\n";
    expect(read(ranks).rankTimes).toEqual([
      { benchmark: "IOR", operation: "write", ranks: [0, 1], seconds: [1.5, 8.5] },
    ]);
  });
});

describe("mdtest", () => {
  const head =
    "-- started at 11/02/2023 18:10:05 --\n\nmdtest-3.4.0 was launched with 16 total task(s) on 2 node(s)\n\n";
  const rows = (prefix: string) =>
    `   Operation  Max Min Mean Std Dev\n   ---------  --- --- ---- -------\n   File creation ${prefix}  300.5   100.5   200.5  1.000\n   File stat  ${prefix}  0.000  0.000  0.000  0.000\n`;

  it.each(["SUMMARY:", "SUMMARY rate:", "SUMMARY rate (in ops/sec):"])("%s", (title) => {
    const text = `${head}${title} (of 3 iterations)\n${rows(":")}\nSUMMARY time (in ms/op): (of 3 iterations)\n${rows("")}-- finished at x --\n`;
    expect(read(text).results).toMatchObject([
      {
        ...{
          benchmark: "mdtest",
          operation: "File creation",
          ranks: 16,
          nodes: 2,
          callsPerSecond: 200.5,
          seconds: 200.5,
        },
        repetitions: { count: 3, min: 100.5, max: 300.5 },
      },
    ]);
  });

  it("columns per rank stand before those per iteration", () => {
    const text = `${head}SUMMARY rate: (of 1 iterations)\n   Operation     per Rank: Max   Min   Mean   per Iteration:  Max  Min  Mean  Std Dev\n   File creation   1.5 1.4 1.3 9.5 8.5 9.0 0.1\n`;
    expect(read(text).results[0]).toMatchObject({ callsPerSecond: 9, repetitions: { min: 8.5, max: 9.5 } });
  });

  it("CSV of ranks leaves out what was not run", () => {
    const csv =
      "rank,items,rate-File creation,time-File creation,rate-File stat,time-File stat\nall,3,5,4,,\n0,,5,1.25,,\n1,,5,2.5,,\n";
    expect(read(csv).rankTimes).toEqual([
      { benchmark: "mdtest", operation: "File creation", ranks: [0, 1], seconds: [1.25, 2.5] },
    ]);
  });
});

describe("IO500", () => {
  it.each([
    [
      "IO500 version io500-isc21 (standard)\n[RESULT]       ior-easy-write      2.5 GiB/s : time 354.986 seconds\n[      ]  timestamp 0.0 kIOPS : time 0.0 seconds\n[RESULT]    find  3.5 kIOPS : time 36.2 seconds\n[SCORE ] Bandwidth 1 GiB/s : IOPS 1 kiops : TOTAL 1\n",
    ],
    [
      "[RESULT] BW   phase 1            ior_easy_write               2.5 GB/s : time 354.986 seconds\n[RESULT] IOPS phase 3      find   3.5 kiops : time  36.2 seconds\n",
    ],
    [
      "[RESULT-invalid]       ior-easy-write      2.5 GiB/s : time 354.986 seconds\n[RESULT-invalid]    find  3.5 kIOPS : time 36.2 seconds\n",
    ],
  ])("summaries of all releases", (text) => {
    expect(read(text).results).toMatchObject([
      { name: "ior-easy", operation: "write", bytesPerSecond: 2.5 * 2 ** 30, seconds: 354.986 },
      { name: "find", operation: "find", callsPerSecond: 3500, seconds: 36.2 },
    ]);
  });

  it("result.txt", () => {
    const text =
      "[run]\nprocs = 80\nversion = io500-sc23\n\n[ior-hard-read]\nt_start = 2023-11-02 18:02:29\nscore = 1.5\nt_delta = 20.5\n\n[mdtest-easy-stat]\nscore = 2.25\n[SCORE]\nSCORE = 9\n";
    expect(read(text).results).toMatchObject([
      {
        name: "ior-hard",
        operation: "read",
        ranks: 80,
        bytesPerSecond: 1.5 * 2 ** 30,
        seconds: 20.5,
        version: "io500-sc23",
      },
      { name: "mdtest-easy", operation: "stat", callsPerSecond: 2250 },
    ]);
  });
});

it("fio, of releases with and without exact bandwidth, behind warnings", () => {
  const job = (way: object) => ({
    jobname: "seq",
    "job options": { bs: "128k", numjobs: "4" },
    read: way,
    write: { io_bytes: 0, total_ios: 0 },
  });
  const text = (way: object) =>
    `fio: a warning\n${JSON.stringify({ "fio version": "fio-3.36", time: "Tue", jobs: [job(way)] })}`;
  const way = { io_bytes: 1000, bw: 2, iops: 3.5, runtime: 1500, total_ios: 7 };
  expect(read(text({ ...way, bw_bytes: 2100 })).results).toMatchObject([
    {
      benchmark: "fio",
      version: "3.36",
      name: "seq",
      operation: "read",
      bytesPerSecond: 2100,
      seconds: 1.5,
      ranks: 4,
      transferBytes: 131072,
    },
  ]);
  expect(read(text(way)).results[0]?.bytesPerSecond).toBe(2048);
});

describe("fio as its options say", () => {
  const way = (more: object = {}) => ({
    io_bytes: 4096,
    bw_bytes: 100,
    iops: 2,
    runtime: 10,
    total_ios: 1,
    ...more,
  });
  const document = (jobs: readonly object[], more: object = {}) =>
    JSON.stringify({ "fio version": "fio-3.36", ...more, jobs }, null, 2);
  const job = (options: object | undefined, more: object) => ({
    ...{ jobname: "a", groupid: 0, error: 0, ...more },
    ...(options === undefined ? {} : { "job options": options }),
  });

  it("a document per interval: the last has all", () => {
    const text = [7, 9]
      .map((io_bytes) => document([job({}, { read: way({ io_bytes }) })]))
      .join("\nfio: a line\n");
    expect(read(text).results.map(({ bytes }) => bytes)).toEqual([9]);
  });

  it("processes of one job are one result, unless they are summed up already", () => {
    const clone = (runtime: number) => job({ numjobs: "2" }, { write: way({ runtime }) });
    expect(read(document([clone(1000), clone(3000)])).results).toMatchObject([
      { ranks: 2, bytes: 8192, bytesPerSecond: 200, callsPerSecond: 4, seconds: 3 },
    ]);
    expect(read(document([clone(1000)])).results).toMatchObject([
      { ranks: 2, bytes: 4096, bytesPerSecond: 100 },
    ]);
    const same = job({}, { write: way() });
    expect(read(document([same, same])).results).toHaveLength(2);
  });

  it.each<[object | undefined, readonly number[]]>([
    [{ bs: "4k,8k" }, [4096, 8192]],
    [{ bs: ",8k" }, [8192, 8192]],
    [{}, [4096, 4096]],
    [{ bssplit: "4k/50:8k/50" }, [Number.NaN, Number.NaN]],
    [undefined, [Number.NaN, Number.NaN]],
  ])("block sizes of %o", (options, sizes) => {
    const text = document([job(options, { read: way(), write: way() })]);
    expect(read(text).results.map(({ transferBytes }) => transferBytes)).toEqual(sizes);
  });

  it("old releases count KiB, and directions may be reported as one", () => {
    const old = { io_bytes: 7116, bw: 275, iops: 68.99, runtime: 25788, total_ios: 1779 };
    expect(read(document([job(undefined, { mixed: old })])).results).toMatchObject([
      { operation: "mixed", bytes: 7116 * 1024, bytesPerSecond: 275 * 1024 },
    ]);
  });

  it("says which job failed", () => {
    const text = document([job({}, { error: 28, read: way({ io_bytes: 0, total_ios: 0, iops: 0 }) })]);
    expect(() => read(text)).toThrow("job a ended with error 28");
  });
});

it("IOR's bytes are whole where the rounded time allows it", () => {
  const csv = (bandwidth: number) =>
    `access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter\nwrite,${bandwidth},1,0,1024,64,0,0,0,0.0003,2,0\n`;
  expect(read(csv(6209.1843)).results[0]?.bytes).toBe(2 * MIB);
  // A deadline ended it before.
  expect(read(csv(600)).results[0]?.bytes).toBe(Math.round(600 * MIB * 0.0003));
});

it("IOR's ranks by repetition", () => {
  const rows =
    "access,rank,runtime-with-openclose,runtime\nwrite,0,1,1\nwrite,1,1,2\nwrite,0,1,3\nwrite,1,1,4\n";
  expect(read(rows).rankTimes).toMatchObject([
    { operation: "write, repetition 1", ranks: [0, 1], seconds: [1, 2] },
    { operation: "write, repetition 2", ranks: [0, 1], seconds: [3, 4] },
  ]);
});

it("elbencho's reads in a mixed phase are a result of their own", () => {
  const csv =
    "ISO date,label,hosts,threads,operation,time ms [last],MiB/s [last],MiB [last],rwmix read MiB/s [last],rwmix read MiB [last]\nx,,1,4,WRITE,1000,30,30,70,70\n";
  expect(read(csv).results.map(({ operation, bytes }) => [operation, bytes / MIB])).toEqual([
    ["write", 30],
    ["write rwmix read", 70],
  ]);
});

it("elbencho's CSV in the order that its documentation gives, phase by phase", () => {
  const ways = ["first", "last"];
  const both = (name: string) => ways.map((way) => `${name} [${way}]`);
  const latency = (name: string) => ["min", "avg", "max"].map((way) => `${name} lat us [${way}]`);
  const header = [
    ...["ISO date", "label", "path type", "paths", "hosts", "threads", "dirs", "files", "file size"],
    ...["block size", "direct IO", "random", "random aligned", "IO depth", "shared paths", "truncate"],
    ...["operation", ...both("time ms"), ...both("entries/s"), ...both("IOPS"), ...both("MiB/s")],
    ...[...both("CPU%"), ...both("entries"), ...both("MiB"), ...latency("Ent"), ...latency("IO")],
    ...[...both("rwmix read entries/s"), ...both("rwmix read IOPS"), ...both("rwmix read MiB/s")],
    ...["version", "command"],
  ];
  const row = (operation: string, values: Record<string, number>) =>
    header
      .map((name) => {
        const fixed = { "ISO date": "2026-06-21T18:40:20.125+0200", operation, hosts: "2", threads: "4" };
        const more = { version: "3.1-5", command: '"elbencho --hosts a,b -w /mnt"', "path type": "dir" };
        return { ...fixed, ...more, "block size": "4096" }[name] ?? values[name] ?? "";
      })
      .join(",");
  const csv = [
    header.join(","),
    row("MKDIRS", { "time ms [last]": 20, "entries/s [first]": 90, "entries/s [last]": 100 }),
    row("WRITE", {
      ...{ "time ms [last]": 8000, "entries/s [last]": 1, "IOPS [last]": 128, "MiB/s [last]": 0 },
      "MiB [last]": 4,
    }),
    row("SYNC", { "time ms [first]": 3, "time ms [last]": 5, "CPU% [last]": 1 }),
    row("READ", { "time ms [last]": 500, "IOPS [last]": 2048, "MiB/s [last]": 8, "MiB [last]": 4 }),
  ].join("\n");
  expect(
    read(csv).results.map(({ operation, ranks, callsPerSecond, bytesPerSecond }) => [
      ...[operation, ranks, callsPerSecond, bytesPerSecond],
    ]),
  ).toEqual([
    ["mkdirs", 8, 100, Number.NaN],
    // Half a MiB/s, which elbencho writes as 0.
    ["write", 8, 128, MIB / 2],
    ["read", 8, 2048, 8 * MIB],
  ]);
});

it("elbencho and DLIO", () => {
  const csv =
    'ISO date,label,hosts,threads,file size,block size,operation,time ms [first],time ms [last],IOPS [first],IOPS [last],MiB/s [first],MiB/s [last],MiB [first],MiB [last]\n2024-01-01T00:00:00,"a, b",2,8,1073741824,1048576,WRITE,900,1000,9,10,9,10,9,10\n2024-01-01T00:00:01,x,2,8,0,0,SYNC,1,1,,,,,,\n';
  expect(read(csv).results).toMatchObject([
    {
      benchmark: "elbencho",
      name: "a, b",
      operation: "write",
      nodes: 2,
      ranks: 16,
      bytesPerSecond: 10 * MIB,
      seconds: 1,
      bytes: 10 * MIB,
    },
  ]);
  const dlio = JSON.stringify({
    ...{ num_accelerators: 4, num_hosts: 2, start: "2024-04-04T16:00:00", end: "2024-04-04T16:01:00" },
    metric: {
      train_throughput_samples_per_second: [9, 11],
      train_throughput_mean_samples_per_second: 10,
      train_io_mean_MB_per_second: 100,
    },
  });
  expect(read(dlio).results).toMatchObject([
    {
      benchmark: "DLIO",
      operation: "train",
      ranks: 4,
      nodes: 2,
      seconds: 60,
      bytesPerSecond: 1e8,
      repetitions: { count: 2, min: 9e7, max: 1.1e8 },
    },
  ]);
});

describe("JSON that is none", () => {
  it.each<[string, unknown]>([
    ['{"a":1,}', { a: 1 }],
    ['{"a":1 "b":[1 2,,3],}', { a: 1, b: [1, 2, 3] }],
    ['x {"a":-nan,"b":inf}', { a: null, b: null }],
    ['{"a":"line\nbreak","b":"c:\\dir"}', { a: "line\nbreak", b: "c:\\dir" }],
    ['{"a":{"b":[1,{"c":"cut', { a: { b: [1, { c: "cut" }] } }],
    ['{"__proto__":{"x":1},}', JSON.parse('{"__proto__":{"x":1}}')],
  ])("%s", (text, value) => {
    expect(JSON.stringify(looseJson(text))).toBe(JSON.stringify(value));
  });

  it.each(["", "nothing", "{a:1}", '{"a":what}', "[".repeat(300)])("refuses %s", (text) => {
    expect(() => looseJson(text)).toThrow(/JSON/);
  });
});
