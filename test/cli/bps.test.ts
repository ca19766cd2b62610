/** `plimsoll bps` as a user calls it, on every kind of input. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import type { CommandEntry } from "../../src/cli/command.ts";
import { parseDuration } from "../../src/cli/values.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";
import { KIND } from "../../src/formats/trace/layout.ts";
import { program } from "../../src/cli/darshan/test-kit.ts";
import { unpackedPipe } from "../../src/node/gzip-pipe.ts";
import { openStream } from "../../src/node/stream-source.ts";
import { makeTrace, START_MONOTONIC } from "../../src/formats/trace/test-kit.ts";

const table: CommandEntry[] = [
  {
    name: "bps",
    summary: "compute BPS, IOPS, bandwidth and response time of recorded accesses",
    load: () => import("../../src/cli/bps.ts"),
  },
];
const folder = mkdtempSync(join(tmpdir(), "plimsoll-bps-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(...words: string[]) {
  const world = fakeWorld();
  const code = await runCli(["bps", ...words], table, world);
  return { code, out: world.out, err: world.err };
}

async function json(...words: string[]) {
  const { code, out, err } = await run(...words, "--json");
  return { code, err, ...JSON.parse(out) };
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const HEAD = "pid,bytes,start,end,file,op";
const golden = file(
  "golden.csv",
  [
    HEAD,
    "1,4096,0,4,/d/a,read",
    "2,4096,1,3,/d/a,read",
    "1,8192,2,6,/d/b.h5,write",
    "3,512,8,10,/d/c,write",
    "",
  ].join("\n"),
);
/** Another application, at other times of the same clock. */
const other = file("other.csv", [HEAD, "9,1024,5,9,/d/z,read", ""].join("\n"));

describe("the golden vector", () => {
  it("as JSON has the keys of the contract, exactly", async () => {
    const result = await json(golden);
    expect(result).toMatchObject({
      ...{ code: 0, err: "", accesses: 4, bytes: 16896, movedBytes: null, blocks: 33, ioTimeSeconds: 8 },
      ...{ bps: 4.125, iops: 0.5, bandwidthBytesPerSecond: 2112, bandwidthOf: "requested", arptSeconds: 3 },
      ...{ idleSeconds: 2, spanSeconds: 10, dropped: { total: 0 }, groups: {}, windows: null, notes: [] },
      concurrency: {
        max: 3,
        mean: 1.5,
        levels: [
          { level: 1, seconds: 5 },
          { level: 2, seconds: 2 },
          { level: 3, seconds: 1 },
        ],
      },
    });
    expect(result.definitions.map(({ title }: { title: string }) => title)).toContain("BPS");
  });

  it("on a terminal shows the four metrics, lanes, their union and the tables", async () => {
    const { code, out } = await run(golden);
    expect(code).toBe(0);
    for (const text of [
      "BPS 4.13:",
      "IOPS",
      "Bandwidth",
      "ARPT",
      "T: any access",
      "By process",
      "By file",
      "/d/b.h5",
    ])
      expect(out).toContain(text);
    expect(out).toMatch(/^T: any access █+/m);
  });

  it("takes blocks, groups, windows and filters", async () => {
    expect(await json(golden, "--ceil", "--block", "4K")).toMatchObject({ blocks: 5, bps: 5 / 8 });
    const grouped = await json(golden, "--by", "process,file", "--by", "direction", "--top", "1");
    expect(grouped.groups.process).toMatchObject({
      total: 3,
      rows: [{ name: "1", pid: 1, ioTimeSeconds: 6 }],
    });
    expect(grouped.groups.file.rows[0]).toMatchObject({ name: "/d/a", bytes: 8192, ioTimeSeconds: 4 });
    expect(grouped.groups.direction.rows[0]).toMatchObject({ name: "write", ioTimeSeconds: 6, bytes: 8704 });
    const { windows } = await json(golden, "--every", "2s");
    expect(windows.rows.map((row: { ioTimeSeconds: number }) => row.ioTimeSeconds)).toEqual([2, 2, 2, 0, 2]);
    expect(windows.rows.map((row: { bytes: number }) => row.bytes)).toEqual([4096, 8192, 4096, 0, 512]);
    expect(await json(golden, "--only", "write")).toMatchObject({ accesses: 2, filtered: { direction: 2 } });
    expect(await json(golden, "--file", "*.h5")).toMatchObject({ accesses: 1, bytes: 8192 });
    expect(await json(golden, "--from", "1", "--to", "8s")).toMatchObject({
      accesses: 2,
      filtered: { time: 2 },
    });
    expect(await json(golden, "--execution-time", "16")).toMatchObject({ iops: 0.25, bps: 4.125 });
  });
});

describe("several inputs", () => {
  it("are one collection: T is the union of all", async () => {
    const result = await json(golden, other, "--by", "input");
    expect(result).toMatchObject({ accesses: 5, ioTimeSeconds: 10, idleSeconds: 0, processes: 4 });
    expect(result.groups.input.rows).toMatchObject([{ name: golden }, { name: other, ioTimeSeconds: 4 }]);
    expect(result.notes).toMatchObject([{ id: "one-clock-assumed" }]);
  });

  it("with the same bytes count once and are named", async () => {
    const copy = file("copy.csv", readFileSync(golden, "utf8"));
    for (const twin of [golden, copy]) {
      const result = await json(golden, twin);
      expect(result).toMatchObject({ code: 3, accesses: 4, skipped: [{ path: twin }] });
      expect(result.err).toContain(`skipped ${twin}: identical to ${golden}`);
    }
  });

  it("without a common clock are refused by name, or begin at 0 when asked", async () => {
    const real = file("real.csv", [HEAD, "7,512,1700000000.5,1700000001.5,/d/r,read", ""].join("\n"));
    const { code, err } = await run(golden, real);
    expect(code).toBe(2);
    expect(err).toMatch(/real\.csv has wall-clock times and .*golden\.csv has relative times/);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect(await json(golden, real, "--align", "start")).toMatchObject({ accesses: 5, ioTimeSeconds: 8 });
    expect(await json(real)).toMatchObject({ clock: { kind: "realtime", originNs: "1700000000500000000" } });
  });

  it("that cannot be read are skipped with a reason, and the rest counts", async () => {
    const noise = file("noise.txt", "hello\n");
    const result = await json(golden, noise, join(folder, "missing"));
    expect(result).toMatchObject({ code: 3, accesses: 4 });
    expect(result.err).toMatch(/skipped .*noise\.txt: unknown format/);
    expect(result.err).toMatch(/skipped .*missing: no such file/);
  });

  it("of a folder are its traces", async () => {
    const place = join(folder, "traces");
    mkdirSync(place);
    writeFileSync(join(place, "a.csv"), readFileSync(golden));
    writeFileSync(join(place, "b.csv"), readFileSync(other));
    writeFileSync(join(place, "README"), "not a trace\n");
    expect(await json(place)).toMatchObject({ code: 0, accesses: 5, inputs: [{ name: place, accesses: 5 }] });
    const empty = join(folder, "nothing");
    mkdirSync(empty);
    const { code, err } = await run(empty);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining("the folder is empty"),
    });
  });
});

describe("traces of the recorder", () => {
  it("in a folder have one note for all, and its sentence has the totals of all", async () => {
    const place = join(folder, "syncs");
    mkdirSync(place);
    const syncs = (pid: number, count: number) =>
      makeTrace({
        header: { pid: BigInt(pid) },
        accesses: Array.from({ length: count }, () => ({
          ...{ kind: KIND.sync, bytes: 0 },
          start: START_MONOTONIC,
          end: START_MONOTONIC + 1_000_000_000n,
        })),
      });
    for (const [pid, count] of [7, 7, 31].entries())
      writeFileSync(join(place, `${pid}.plt`), syncs(pid + 1, count));
    const { notes } = await json(place);
    expect(notes.filter(({ id }: { id: string }) => id === "sync")).toEqual([
      {
        ...{ id: "sync", count: 45, input: place },
        text: "45 calls of fsync and similar calls took 45 s; syncs are listed separately, not in BPS.",
      },
    ]);
  });

  it("without accesses have no first start", async () => {
    const empty = join(folder, "empty.plt");
    writeFileSync(empty, makeTrace({}));
    expect(await json(empty)).toMatchObject({ accesses: 0, clock: { kind: "realtime", originNs: null } });
    const { out } = await run(empty);
    expect(out).toMatch(/First start\s+none, no access/);
    expect(out).not.toContain("1970");
  });
});

describe("bad input", () => {
  it("is counted and explained, never used", async () => {
    const bad = file(
      "bad.csv",
      [
        HEAD,
        "1,512,0,1,/a,read",
        "1,512,5,4,/a,read",
        "1,-5,0,1,/a,read",
        "1,NaN,0,1,/a,read",
        "1,512,0,1,/a,read",
        "what",
        "",
      ].join("\n"),
    );
    const result = await json(bad);
    expect(result).toMatchObject({
      accesses: 2,
      dropped: { total: 3, endBeforeStart: 1, sizeNegative: 1, sizeUnknown: 1 },
    });
    expect(result.notes.map(({ id }: { id: string }) => id).sort()).toEqual(["bad-line", "duplicates"]);
    const { out } = await run(bad);
    expect(out).toContain("ends before it starts");
    expect(out).toContain("warning:");
  });

  it.each([
    ["empty.csv", "", 1, "the input is empty"],
    ["unknown.bin", "\x00\x01\x02", 1, "unknown format"],
  ])("%s gets one line", async (name, content, code, text) => {
    const result = await run(file(name, content));
    expect(result.code).toBe(code);
    expect(result.err).toContain(text);
    expect(result.err.trimEnd().split("\n")).toHaveLength(1);
  });

  it("of no accesses is a result, with rates that are not defined", async () => {
    const header = file("header.csv", `${HEAD}\n`);
    expect(await json(header)).toMatchObject({
      code: 0,
      accesses: 0,
      ioTimeSeconds: 0,
      bps: null,
      arptSeconds: null,
    });
    expect((await run(header)).out).toContain("No accesses to measure.");
    const point = file("point.csv", [HEAD, "1,512,3,3,/a,read", ""].join("\n"));
    expect(await json(point, "--every", "1")).toMatchObject({
      accesses: 1,
      bps: null,
      windows: { rows: [{ accesses: 1 }] },
    });
    expect((await run(point)).out).toContain("BPS is not defined");
  });

  it.each([
    [["--every", "soon"], "--every soon: expected a time such as 1s"],
    [["--every", "0"], "windows need a width"],
    [["--by", "colour"], "--by colour: not one of process, file"],
    [["--from", "5", "--to", "3"], "--from 5 is not before --to 3"],
    [["--every", "1us"], "take --every"],
  ])("options %j are wrong usage", async (words, text) => {
    const { code, err } = await run(golden, ...words);
    expect(code).toBe(2);
    expect(err).toContain(text);
  });
});

describe("files", () => {
  it("figures, each as SVG and CSV", async () => {
    const figures = join(folder, "figures");
    const { code, out, err } = await run(golden, "--figures", figures, "--every", "1s");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("Wrote figures to");
    expect(readdirSync(figures).sort()).toEqual([
      ...["bps-concurrency.csv", "bps-concurrency.svg", "bps-levels.csv", "bps-levels.svg"],
      ...["bps-timeline.csv", "bps-timeline.svg", "bps-windows.csv", "bps-windows.svg", "figures.json"],
    ]);
    expect(
      readFileSync(join(figures, "bps-timeline.csv"), "utf8")
        .trim()
        .split(/\r?\n/)
        .filter((line) => /,neutral,/.test(line)),
    ).toHaveLength(2);
  });

  it("Parquet: seconds, nanoseconds and timestamps give the same", async () => {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const csv = `read_csv('${golden}')`;
    const write = async (name: string, time: (column: string) => string) => {
      const path = join(folder, name);
      const columns = `pid, bytes, ${time("start")} as start, ${time('"end"')} as "end", file, op`;
      await connection.run(`copy (select ${columns} from ${csv}) to '${path}' (format parquet)`);
      return path;
    };
    const paths = [
      await write("seconds.parquet", (column) => `${column}::double`),
      await write("ns.parquet", (column) => `(${column} * 1000000000)::bigint`),
      await write(
        "times.parquet",
        (column) => `make_timestamp((1700000000000000 + ${column} * 1000000)::bigint)`,
      ),
      await write(
        "ns-times.parquet",
        (column) => `make_timestamp_ns((1700000000000000001 + ${column} * 1000000000)::bigint)`,
      ),
    ];
    connection.closeSync();
    const plain = await json(golden, "--by", "file,direction,process");
    for (const path of paths) {
      const result = await json(path, "--by", "file,direction,process");
      expect(result).toMatchObject({ code: 0, accesses: 4, ioTimeNs: 8e9, concurrency: plain.concurrency });
      expect(result.groups).toEqual(plain.groups);
    }
    expect((await json(paths[3] as string)).clock).toMatchObject({
      kind: "realtime",
      originNs: "1700000000000000001",
    });
    const wrong = await run(file("wrong.parquet", "PAR1 but nothing else"));
    expect(wrong).toMatchObject({
      code: 1,
      err: expect.stringContaining("not a readable Parquet file"),
    });
  });
});

describe("names of Parquet files", () => {
  it("are names: neither patterns nor columns", async () => {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const write = async (name: string, bytes: number) => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      const row = `1 as pid, ${bytes} as bytes, 0.0::double as start, 1.0::double as "end"`;
      await connection.run(`copy (select ${row}) to '${path}' (format parquet)`);
      return path;
    };
    await write("names1/run1.parquet", 1);
    await write("names/run1.parquet", 2);
    const names = [
      "names/run[1].parquet",
      "names/run*.parquet",
      "names/run?.parquet",
      "names[1]/run1.parquet",
    ];
    for (const [i, name] of [...names, "names/bytes=9/rank=3/run.parquet"].entries())
      expect(await json(await write(name, 100 + i)), name).toMatchObject({
        code: 0,
        accesses: 1,
        bytes: 100 + i,
      });
    connection.closeSync();
  });
});

const fixture = fileURLToPath(new URL("../fixtures/darshan/mpiio4_dxt.darshan", import.meta.url));

describe("standard input", () => {
  it("is read front to back, in any pieces", () => {
    const path = file("numbers", Array.from({ length: 50_000 }, (_, i) => `line ${i}\n`).join(""));
    const whole = readFileSync(path);
    const pipe = openStream(path);
    expect(Buffer.from(pipe.read(0, 100))).toEqual(whole.subarray(0, 100));
    expect(Buffer.from(pipe.read(0, 300_000))).toEqual(whole.subarray(0, 300_000));
    expect(Buffer.from(pipe.read(250_000, 10))).toEqual(whole.subarray(250_000, 250_010));
    expect(() => pipe.read(0, 1)).toThrow("has passed; a pipe cannot go back");
    expect(Buffer.from(pipe.read(400_000, 1e6))).toEqual(whole.subarray(400_000));
    expect(pipe.read(whole.length + 5, 10)).toHaveLength(0);
    const held = openStream(path).whole(1e6);
    expect(held.byteLength).toBe(whole.length);
    expect(() => openStream(path).whole(1000)).toThrow("save the input to a file");
  });

  it("is unpacked on the way when it is a gzip file, streamed or whole", () => {
    const text = Buffer.from(Array.from({ length: 50_000 }, (_, i) => `line ${i}\n`).join(""));
    const members = [text.subarray(0, 100_000), text.subarray(100_000)].map((part) => gzipSync(part));
    const path = file("numbers.gz", Buffer.concat(members));
    const pipe = unpackedPipe(openStream(path), false);
    expect(Buffer.from(pipe.read(0, 10))).toEqual(text.subarray(0, 10));
    expect(Buffer.from(pipe.read(0, 150_000))).toEqual(text.subarray(0, 150_000));
    expect(Buffer.from(pipe.read(150_000, 1e6))).toEqual(text.subarray(150_000));
    const held = unpackedPipe(openStream(path), false).whole(1e6);
    expect(Buffer.from(held.read(0, held.byteLength))).toEqual(text);
    expect(() => unpackedPipe(openStream(path), false).whole(1000)).toThrow("save the input to a file");
    const plain = openStream(file("plain", text));
    expect(unpackedPipe(plain, false)).toBe(plain);
  });

  it.each(["bps", "report"])("of plimsoll %s is the same for a gzip file", (command) => {
    const [log, packed] = [readFileSync(fixture), gzipSync(readFileSync(fixture))];
    const outputs = [log, packed].map((input) =>
      spawnSync(process.execPath, [program, command, "-", "--json"], { input, encoding: "utf8" }),
    );
    expect(outputs[0]?.status).toBe(0);
    expect(outputs[1]?.stdout).toBe(outputs[0]?.stdout);
  });

  it("is refused twice, and with --from", async () => {
    expect(await run("-", "-")).toMatchObject({ code: 2, err: expect.stringContaining("more than once") });
    expect(await run("-", "--from", "1")).toMatchObject({
      code: 2,
      err: expect.stringContaining("read the input twice"),
    });
  });
});

describe("values", () => {
  it("durations", () => {
    expect(
      ["1s", "250ms", "1.5", "10us", "2min", "1h", "7ns"].map((text) => parseDuration("--every", text)),
    ).toEqual([1e9, 25e7, 15e8, 1e4, 12e10, 36e11, 7]);
  });
});
