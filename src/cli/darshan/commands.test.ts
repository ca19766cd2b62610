/** parse, dxt and id as a user runs them: real processes for the contract, the same code in here for many cases. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyModuleLog, type Written } from "../../../test/formats/every-module.ts";
import { bytesSource } from "../../base/source.ts";
import type { Compression, Region } from "../../formats/darshan/header.ts";
import { DarshanLog } from "../../formats/darshan/log.ts";
import { dxtPosix, heatmap, lustre, type ModuleSpec, posix } from "../../formats/darshan/modules/index.ts";
import { recordId } from "../../formats/darshan/record-id.ts";
import { counterRecord, type DarshanRecord, type TraceObject } from "../../formats/darshan/records.ts";
import { LogWriter, memorySink } from "../../formats/darshan/writer.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { inside, type Outcome, plimsoll, program } from "./test-kit.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-commands-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function save(name: string, bytes: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

interface Plan {
  readonly names?: readonly { readonly id: bigint; readonly name: string | Uint8Array }[];
  readonly modules: readonly (readonly [ModuleSpec, readonly (DarshanRecord | TraceObject)[]])[];
  readonly compression?: Compression;
  readonly streamBytes?: number;
}

function logOf({ names = [], modules, ...shape }: Plan): Uint8Array {
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders: nodeEncoders, ...shape });
  writer.job({
    uid: 1001,
    startSeconds: 1_700_000_000,
    endSeconds: 1_700_000_060,
    nprocs: 4,
    jobId: 77,
    metadata: [["lib_ver", "3.5.0"]],
    commandLine: "/apps/solver deck.in",
    mounts: [
      { type: "lustre", path: "/scratch" },
      { type: "xfs", path: "/" },
    ],
  });
  writer.names(names);
  for (const [spec, records] of modules) writer.module(spec, records);
  writer.finish();
  return sink.bytes();
}

const named = (name: string) => ({ id: recordId(name), name });
const openBytes = (bytes: Uint8Array) => new DarshanLog(bytesSource(bytes), { codecs: nodeCodecs });
function posixRegion(bytes: Uint8Array): Region {
  const entry = openBytes(bytes).module("POSIX");
  if (entry === undefined) throw new Error("the log has no POSIX data");
  return entry.region;
}

const dataLines = (text: string) =>
  text.split("\n").filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("total_"));

/** Two files with figures that are easy to add up. */
function twoFiles(): Uint8Array {
  const files = [named("/scratch/a.dat"), named("/home/b.dat")];
  return logOf({
    names: files,
    modules: [
      [
        posix,
        files.map(({ id }, rank) =>
          counterRecord(
            posix,
            { id, rank },
            {
              POSIX_OPENS: 1,
              POSIX_READS: 3 + rank,
              POSIX_BYTES_READ: 1048576 * (rank + 1),
              POSIX_MAX_BYTE_READ: 1048576 * (rank + 1) - 1,
              POSIX_F_READ_TIME: 0.25 * (rank + 1),
              POSIX_F_META_TIME: 0.125,
            },
          ),
        ),
      ],
    ],
  });
}

interface JsonRecord {
  readonly rank: number;
  readonly id: string;
  readonly name: string | null;
  readonly object?: string;
  readonly counters?: Readonly<Record<string, number | string>>;
}
interface JsonModule {
  readonly version: number;
  readonly partial: boolean;
  readonly records?: readonly JsonRecord[];
  readonly total?: Readonly<Record<string, number | string>>;
  readonly files?: Readonly<Record<string, { count: number; bytes: number; maxOffset: number }>>;
  readonly performance?: Readonly<Record<string, number>>;
  readonly damage?: string;
}
interface JsonLog {
  readonly log: Readonly<Record<string, unknown>>;
  readonly job: Readonly<Record<string, unknown>>;
  readonly modules: Readonly<Record<string, JsonModule>>;
  readonly damage: readonly string[];
}

function json(text: string): JsonLog {
  return JSON.parse(Buffer.from(text, "latin1").toString("utf8")) as JsonLog;
}

describe("darshan parse: sections", () => {
  let path: string;
  beforeAll(() => {
    path = save("two.darshan", twoFiles());
  });

  it("prints every counter of every record with file, mount point and type when nothing else is asked for", () => {
    const { code, out, err } = plimsoll("darshan", "parse", path);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const lines = dataLines(out);
    expect(lines.length).toBe(2 * (posix.integers.length + posix.reals.length));
    const [a, b] = [recordId("/scratch/a.dat"), recordId("/home/b.dat")];
    expect(lines).toContain(`POSIX\t0\t${a}\tPOSIX_READS\t3\t/scratch/a.dat\t/scratch\tlustre`);
    expect(lines).toContain(`POSIX\t1\t${b}\tPOSIX_F_READ_TIME\t0.500000\t/home/b.dat\t/\txfs`);
    expect(out).not.toContain("total_POSIX");
    expect(out).not.toContain("agg_perf_by_slowest");
    expect(plimsoll("darshan", "parse", "--base", path).out).toBe(out);
  });

  it("--total, --file and --perf print their own section and no records; --all prints every section", async () => {
    const marks = {
      total: "\ntotal_POSIX_BYTES_READ: 3145728\n",
      file: "\n# total: 2 3145728 2097151\n",
      perf: "\n# agg_time_by_slowest: 0.625000 # seconds\n",
    };
    for (const section of Object.keys(marks)) {
      const { code, out, err } = await inside("darshan", "parse", `--${section}`, path);
      expect({ section, code, err }).toEqual({ section, code: 0, err: "" });
      expect(dataLines(out)).toEqual([]);
      for (const [other, text] of Object.entries(marks))
        expect(out.includes(text), `${other} with --${section}`).toBe(other === section);
    }
    const all = plimsoll("darshan", "parse", "--all", path).out;
    for (const mark of Object.values(marks)) expect(all).toContain(mark);
    expect(dataLines(all)).toEqual(dataLines((await inside("darshan", "parse", path)).out));
    const each = await inside("darshan", "parse", "--base", "--total", "--file", "--perf", path);
    expect(each.out).toBe(all);
  });

  it("--json holds log, job and records by module, with ids as text", () => {
    const { code, out, err } = plimsoll("darshan", "parse", "--json", path);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const document = json(out);
    expect(document.log).toMatchObject({ source: path, version: "3.41", compression: "zlib" });
    expect(document.job).toMatchObject({
      uid: 1001,
      jobId: 77,
      nprocs: 4,
      runTimeSeconds: 60,
      commandLine: "/apps/solver deck.in",
      metadata: { lib_ver: "3.5.0" },
    });
    expect(Object.keys(document.modules)).toEqual(["POSIX"]);
    const module = document.modules.POSIX;
    expect(module).toMatchObject({ version: 4, partial: false });
    expect(module?.records?.map(({ rank, id, name }) => ({ rank, id, name }))).toEqual([
      { rank: 0, id: recordId("/scratch/a.dat").toString(), name: "/scratch/a.dat" },
      { rank: 1, id: recordId("/home/b.dat").toString(), name: "/home/b.dat" },
    ]);
    expect(module?.records?.[1]?.counters).toMatchObject({ POSIX_READS: 4, POSIX_F_READ_TIME: 0.5 });
    expect(module).not.toHaveProperty("total");
  });

  it("--json with other sections holds their figures and no list of records", async () => {
    const module = json(plimsoll("darshan", "parse", "--json", "--total", path).out).modules.POSIX;
    expect(module).not.toHaveProperty("records");
    expect(module).not.toHaveProperty("performance");
    expect(module?.total).toMatchObject({ POSIX_READS: 7, POSIX_BYTES_READ: 3145728 });
    const text = (await inside("darshan", "parse", "--total", path)).out;
    const totals = [...text.matchAll(/^total_(\S+): (.*)$/gm)];
    expect(totals.length).toBe(posix.integers.length + posix.reals.length);
    for (const [, name = "", value] of totals) expect(module?.total?.[name], name).toBe(Number(value));

    const all = json((await inside("darshan", "parse", "--json", "--all", path)).out).modules.POSIX;
    expect(all?.records?.length).toBe(2);
    expect(all?.files).toMatchObject({ total: { count: 2, bytes: 3145728, maxOffset: 2097151 } });
    expect(all?.performance).toMatchObject({ totalBytes: 3145728, totalSeconds: 0.625, slowestRank: 1 });
    expect(all?.performance?.mebibytesPerSecond).toBeCloseTo(3 / 0.625, 9);
  });

  it("reads a log from a pipe", () => {
    const line = `cat "${path}" | "${process.execPath}" "${program}" darshan parse /dev/stdin`;
    const { status, stdout } = spawnSync("bash", ["-c", line], { encoding: "latin1" });
    expect(status).toBe(0);
    expect(dataLines(stdout)).toEqual(dataLines(plimsoll("darshan", "parse", path).out));
  });
});

/** A value of the text against the same value of the JSON. */
function sameValue(text: string, value: number | string): boolean {
  if (typeof value === "string") {
    const special = { NaN: /^-?nan$/, Infinity: /^inf$/, "-Infinity": /^-inf$/ }[value];
    return special === undefined
      ? Buffer.from(value, "utf8").toString("latin1") === text
      : special.test(text);
  }
  if (!text.includes(".")) return text === String(value);
  return Math.abs(Number(text) - value) <= 5.0000001e-7 + Math.abs(value) * 2 ** -53;
}

/** Lines of the text as `module rank id counter name`, each with its value; names as the text shows them. */
function flatText(out: string): [string, string][] {
  return dataLines(out).map((line) => {
    const [module, rank, id, counter, value = "", name] = line.split("\t");
    return [[module, rank, id, counter, name].join(" "), value];
  });
}

function flatJson(document: JsonLog): [string, number | string][] {
  return Object.entries(document.modules).flatMap(([module, { records = [] }]) =>
    // Of a trace the JSON has a list of its records, and the text nothing.
    records.flatMap(({ rank, id, name, object, counters = {} }) => {
      const shown =
        module === "APMPI" || module === "APXC"
          ? ""
          : (object ?? name ?? (module === "BG/Q" ? "" : "(null)"));
      const latin = Buffer.from(shown, "utf8").toString("latin1");
      return Object.entries(counters).map(([counter, value]): [string, number | string] => [
        [module, rank, id, counter, latin].join(" "),
        value,
      ]);
    }),
  );
}

function expectAgreement(text: Outcome, document: Outcome): number {
  expect([text.code, document.code]).toEqual([0, 0]);
  const lines = flatText(text.out);
  const values = flatJson(json(document.out));
  expect(values.map(([key]) => key)).toEqual(lines.map(([key]) => key));
  const wrong = lines.filter(([, value], i) => !sameValue(value, values[i]?.[1] as number | string));
  expect(wrong).toEqual([]);
  return lines.length;
}

/** The exact values that were written, against those of the JSON. */
function expectWritten(written: Written, document: JsonLog): void {
  let seen = 0;
  for (const { spec, records } of written.modules) {
    if (spec.kind !== "fixed") continue;
    records.forEach((record, k) => {
      if (!("kind" in record) || record.kind !== "counters") return;
      const found = document.modules[spec.name]?.records?.[k];
      expect(found?.id).toBe(record.id.toString());
      for (const [i, { name, unsigned }] of spec.integers.entries()) {
        const exact = BigInt[unsigned ? "asUintN" : "asIntN"](64, record.integers[i] as bigint);
        const value = found?.counters?.[name];
        if (name === "POSIX_RENAMED_FROM") expect(value).toBe(exact.toString());
        else if (exact >= -(2n ** 53n) + 1n && exact < 2n ** 53n) expect(value).toBe(Number(exact));
        else expect(value).toBe(exact.toString());
        seen++;
      }
      for (const [i, { name }] of spec.reals.entries()) {
        const exact = record.reals[i] as number;
        // JSON has no -0, NaN and infinities.
        expect(found?.counters?.[name]).toBe(Number.isFinite(exact) ? exact + 0 : String(exact));
        seen++;
      }
    });
  }
  expect(seen).toBeGreaterThan(3000);
}

describe("darshan parse: text and JSON", () => {
  it("agree on every value of every module, in real processes", () => {
    const path = save("every.darshan", everyModuleLog(1, {}).bytes);
    const checked = expectAgreement(
      plimsoll("darshan", "parse", path),
      plimsoll("darshan", "parse", "--json", path),
    );
    expect(checked).toBeGreaterThan(4000);
  });

  it("agree for other values, byte orders and compressions, and JSON holds what was written", async () => {
    for (const [i, compression] of (["zlib", "bzip2", "none"] as const).entries()) {
      const written = everyModuleLog(20 + i, { compression, bigEndian: i > 0, streamBytes: 2000 });
      const path = save(`every-${compression}.darshan`, written.bytes);
      const document = await inside("darshan", "parse", "--json", path);
      expectAgreement(await inside("darshan", "parse", path), document);
      expectWritten(written, json(document.out));
    }
  });

  it("JSON says numbers up to 2^53, exact text beyond, and text for NaN and infinities", () => {
    const record = counterRecord(
      posix,
      { id: 2n ** 64n - 1n, rank: 0 },
      {
        POSIX_BYTES_READ: 2n ** 53n - 1n,
        POSIX_BYTES_WRITTEN: 2n ** 53n,
        POSIX_MAX_BYTE_READ: -(2n ** 63n),
        POSIX_MAX_BYTE_WRITTEN: 2n ** 63n - 1n,
        POSIX_F_READ_TIME: Number.NaN,
        POSIX_F_WRITE_TIME: Number.POSITIVE_INFINITY,
        POSIX_F_META_TIME: Number.NEGATIVE_INFINITY,
      },
    );
    const path = save("large.darshan", logOf({ modules: [[posix, [record]]] }));
    const [found] = json(plimsoll("darshan", "parse", "--json", path).out).modules.POSIX?.records ?? [];
    expect(found?.id).toBe("18446744073709551615");
    expect(found?.name).toBe(null);
    expect(found?.counters).toMatchObject({
      POSIX_BYTES_READ: 9007199254740991,
      POSIX_BYTES_WRITTEN: "9007199254740992",
      POSIX_MAX_BYTE_READ: "-9223372036854775808",
      POSIX_MAX_BYTE_WRITTEN: "9223372036854775807",
      POSIX_F_READ_TIME: "NaN",
      POSIX_F_WRITE_TIME: "Infinity",
      POSIX_F_META_TIME: "-Infinity",
    });
  });
});

describe("darshan dxt", () => {
  const files = [named("/scratch/trace.dat"), named("/home/other.dat")];
  const trace = (rank: number, id: bigint): TraceObject => ({
    id,
    rank: BigInt(rank),
    host: `node${rank}`,
    writes: [0, 1, 2].map((i) => ({
      offset: BigInt(1048576 * i),
      length: 1048576n,
      start: 0.5 + i,
      end: 0.75 + i,
      thread: BigInt(139872541304640 + (i % 2)),
    })),
    reads: [{ offset: 7n, length: 2n ** 40n, start: 10.00005, end: 11.125, thread: 5n }],
  });
  const traced = () =>
    logOf({
      names: files,
      modules: [
        [
          lustre,
          [
            {
              kind: "lustre",
              id: files[0]?.id as bigint,
              rank: -1n,
              components: [
                { counters: BigInt64Array.of(1048576n, 2n, 0n, 0n, 0n, -1n, 0n), pool: new Uint8Array(0) },
              ],
              osts: BigInt64Array.of(11n, 12n),
            },
          ],
        ],
        [dxtPosix, files.map(({ id }, rank) => trace(rank, id))],
      ],
    });

  interface JsonTrace {
    readonly rank: number;
    readonly id: string;
    readonly name: string;
    readonly hostname: string;
    readonly writes: readonly Record<string, number | string>[];
    readonly reads: readonly Record<string, number | string>[];
  }

  it("prints the same calls as text and as JSON, with OSTs, threads and hosts", () => {
    const path = save("trace.darshan", traced());
    const text = plimsoll("darshan", "dxt", path);
    const document = plimsoll("darshan", "dxt", "--json", path);
    expect([text.code, text.err, document.code, document.err]).toEqual([0, "", 0, ""]);
    const records = json(document.out).modules.DXT_POSIX?.records as unknown as JsonTrace[];
    expect(records.map(({ rank, id, name, hostname }) => [rank, id, name, hostname])).toEqual(
      files.map(({ id, name }, rank) => [rank, id.toString(), name, `node${rank}`]),
    );
    expect(json(plimsoll("darshan", "parse", "--json", path).out).modules.DXT_POSIX?.records).toEqual(
      records.map(({ rank, id, name, hostname, writes, reads }) => ({
        rank,
        id,
        name,
        hostname,
        writeCount: writes.length,
        readCount: reads.length,
      })),
    );
    const fromJson = records.flatMap(({ rank, writes, reads }) =>
      (["write", "read"] as const).flatMap((way) =>
        (way === "write" ? writes : reads).map((one, i) => [
          "X_POSIX",
          rank,
          way,
          i,
          one.offset,
          one.length,
          Number(one.start).toFixed(4),
          Number(one.end).toFixed(4),
          one.thread,
        ]),
      ),
    );
    const fromText = dataLines(text.out).map((line) =>
      line
        .trim()
        .split(/\s+/)
        .filter((word) => !word.startsWith("[")),
    );
    expect(fromText).toEqual(fromJson.map((row) => row.map(String)));
    expect(fromText.length).toBe(8);
    expect(dataLines(text.out)[1]).toMatch(/ {2}write +1 +1048576 +1048576 +1\.5000 +1\.7500 +\[12\] /);
    expect(text.out).toContain(
      `# DXT, file_id: ${files[0]?.id}, file_name: /scratch/trace.dat\n# DXT, rank: 0, hostname: node0\n# DXT, number of threads: 3\n# DXT, write_count: 3, read_count: 1\n`,
    );
  });

  it("of a log without a trace says so and how to record one", () => {
    const path = save("untraced.darshan", twoFiles());
    const { code, out, err } = plimsoll("darshan", "dxt", path);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(dataLines(out)).toEqual([]);
    expect(out).toMatch(/^# no DXT module data available/m);
    expect(out).toContain("DXT_ENABLE_IO_TRACE=1");
    expect(json(plimsoll("darshan", "dxt", "--json", path).out).modules).toEqual({});
  });

  it("--keep-going prints the whole calls before the damage and names the damage once", async () => {
    const whole = logOf({
      names: files,
      compression: "none",
      modules: [[dxtPosix, files.map(({ id }, rank) => trace(rank, id))]],
    });
    // Of the last record the header, two calls and half of the third stay.
    const path = save("cut-trace.darshan", whole.subarray(0, whole.length - 40 - 20));
    const strict = await inside("darshan", "dxt", path);
    expect([strict.code, strict.out]).toEqual([1, ""]);
    const { code, out, err } = await inside("darshan", "dxt", "--keep-going", path);
    expect(code).toBe(3);
    expect(dataLines(out).map((line) => line.trim().split(/\s+/).slice(1, 4).join(" "))).toEqual([
      "0 write 0",
      "0 write 1",
      "0 write 2",
      "0 read 0",
      "1 write 0",
      "1 write 1",
    ]);
    expect([...out.matchAll(/number of threads: (\d+)/g)].map(([, count]) => count)).toEqual(["3", "2"]);
    expect(out.trimEnd().split("\n").at(-1)).toMatch(/^# \*WARNING\*: the DXT_POSIX data ends here: /);
    expect(err.trimEnd().split("\n").length).toBe(1);
    expect(err).toMatch(/^plimsoll: skipped .*cut-trace\.darshan: byte \d+: DXT_POSIX region: /);
    const document = await inside("darshan", "dxt", "--json", "--keep-going", path);
    expect(document.code).toBe(3);
    const module = json(document.out).modules.DXT_POSIX;
    expect(module).toMatchObject({ partial: true, damage: expect.stringContaining("DXT_POSIX region") });
    const records = module?.records as unknown as JsonTrace[];
    expect(records.map(({ writes, reads }) => [writes.length, reads.length])).toEqual([
      [3, 1],
      [2, 0],
    ]);
  });
});

describe("darshan id", () => {
  // Ids as Darshan's own logs hold them.
  const known = { "<STDIN>": "14734109647742566553", "<STDOUT>": "15920181672442173319" };

  it("prints the id that Darshan gives a name, one line for each path, in their order", () => {
    const { code, out, err } = plimsoll("darshan", "id", "<STDOUT>", "<STDIN>", "/a b");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toBe(
      `${known["<STDOUT>"]}\t<STDOUT>\n${known["<STDIN>"]}\t<STDIN>\n${recordId("/a b")}\t/a b\n`,
    );
  });

  it("--json keeps ids exact", () => {
    const { code, out } = plimsoll("darshan", "id", "--json", "<STDIN>", "<STDOUT>");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ ids: Object.entries(known).map(([path, id]) => ({ path, id })) });
  });
});

function expectOneLine({ code, out, err }: Outcome, path: string, pattern = /byte \d+: /): void {
  const context = `${path}: ${err}`;
  expect(code, context).toBe(1);
  expect(out, context).toBe("");
  expect(err.endsWith("\n") && err.indexOf("\n") === err.length - 1, context).toBe(true);
  expect(err.startsWith("plimsoll: "), context).toBe(true);
  expect(err, context).toContain(path);
  expect(err, context).toMatch(pattern);
  expect(err, context).not.toContain("internal error");
}

describe("bad input", () => {
  it("a missing file and a folder are named in one line", async () => {
    const missing = join(folder, "nowhere.darshan");
    mkdirSync(join(folder, "sub.darshan"));
    for (const command of ["parse", "dxt"]) {
      const run = command === "parse" ? plimsoll : inside;
      expectOneLine(await run("darshan", command, missing), missing, /no such file/);
      const sub = join(folder, "sub.darshan");
      expectOneLine(await run("darshan", command, sub), sub, /is a folder/);
    }
  });

  it("an empty file, a text file and the empty log of a running job are named with the place and the reason", async () => {
    const cases: readonly (readonly [string, Uint8Array | string, RegExp])[] = [
      ["empty.darshan", "", /byte 0: the file is empty/],
      ["short.darshan", "3.41", /byte 4: not a Darshan log/],
      ["notes.txt", "Dear diary, today the job ran again.\n".repeat(60), /byte 8: not a Darshan log/],
      ["zero.darshan_partial", new Uint8Array(4096), /byte 0: .*still running/],
      ["zero.darshan", new Uint8Array(4096), /byte 0: the header is empty/],
      ["old.darshan.gz", Uint8Array.of(0x1f, 0x8b, 8, ...new Uint8Array(400)), /damaged gzip file/],
    ];
    for (const [name, bytes, pattern] of cases) {
      const path = save(name, bytes);
      expectOneLine(await inside("darshan", "parse", path), path, pattern);
      expectOneLine(await inside("darshan", "dxt", path), path, pattern);
      if (name.startsWith("zero")) expectOneLine(plimsoll("darshan", "parse", path), path, pattern);
    }
  });

  it("--debug adds the stack and leaves stdout empty", () => {
    const path = save("debug.darshan", "");
    const { code, out, err } = plimsoll("darshan", "parse", "--debug", path);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    const lines = err.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^plimsoll: .*debug\.darshan: byte 0: /);
    expect(lines.filter((line) => line.startsWith("    at ")).length).toBeGreaterThan(1);
  });

  it.each(["zlib", "bzip2", "none"] as const)(
    "a log (%s) that is cut anywhere fails in one line",
    async (compression) => {
      const { bytes } = everyModuleLog(2, { compression, tame: true });
      const random = Array.from({ length: 60 }, (_, i) => Math.floor((bytes.length * (i + 0.5)) / 60));
      for (const length of [1, 15, 16, 359, 360, 1327, 1328, 1329, ...random, bytes.length - 1]) {
        const path = save(`cut-${compression}.darshan`, bytes.subarray(0, length));
        expectOneLine(await inside("darshan", "parse", path), path);
        expectOneLine(await inside("darshan", "dxt", path), path);
        expectOneLine(await inside("darshan", "parse", "--json", path), path);
      }
      const path = save(`cut-${compression}.darshan`, bytes.subarray(0, bytes.length >> 1));
      expectOneLine(plimsoll("darshan", "parse", path), path);
    },
  );

  function places({ offset, length }: Region): number[] {
    const spread = Array.from({ length: 7 }, (_, i) => Math.floor((length * i) / 7));
    return [...new Set([0, 1, 2, ...spread, length - 2])].map((at) => offset + at);
  }

  /** zlib can say the same in several ways (and its checksum is weak): then a flip is no damage. */
  function stillSound(bytes: Uint8Array, { offset, length }: Region): boolean {
    try {
      inflateSync(bytes.subarray(offset, offset + length));
      return true;
    } catch {
      return false;
    }
  }

  it.each(["zlib", "bzip2"] as const)(
    "a flipped bit in any region of a log (%s) that a command reads fails in one line",
    async (compression) => {
      const { bytes } = everyModuleLog(3, { compression, tame: true });
      const { header } = openBytes(bytes);
      const regions = [
        { name: "job", region: header.job },
        { name: "names", region: header.names },
        ...header.modules.filter(({ region }) => region.length > 0),
      ];
      const readers = (name: string): readonly string[] => {
        if (name === "job" || name === "names") return ["parse", "parse --json", "dxt", "dxt --json"];
        // The list of traces is only in the JSON of parse, and stripe layouts are only in the text of dxt.
        if (name.startsWith("DXT_")) return ["parse --json", "dxt", "dxt --json"];
        return name === "LUSTRE" ? ["parse", "parse --json", "dxt"] : ["parse", "parse --json"];
      };
      expect(regions.length).toBe(20);
      let checked = 0;
      for (const { name, region } of regions) {
        for (const [i, at] of places(region).entries()) {
          const flipped = bytes.slice();
          flipped[at] = (flipped[at] as number) ^ (1 << (i % 8));
          if (compression === "zlib" && stillSound(flipped, region)) continue;
          checked++;
          const path = save(`flipped-${compression}.darshan`, flipped);
          for (const command of readers(name))
            expectOneLine(await inside("darshan", ...command.split(" "), path), path);
        }
        if (name === "POSIX") {
          const path = join(folder, `flipped-${compression}.darshan`);
          expectOneLine(plimsoll("darshan", "parse", path), path);
        }
      }
      expect(checked).toBeGreaterThan(160);
    },
  );

  it("a flipped bit in the header is told in one line or changes nothing that is checked, and is never an internal error", async () => {
    const bytes = twoFiles();
    let refused = 0;
    for (let at = 0; at < 1328; at += 3) {
      const flipped = bytes.slice();
      flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
      const path = save("header.darshan", flipped);
      const outcome = await inside("darshan", "parse", path);
      if (outcome.code !== 0) {
        expectOneLine(outcome, path);
        refused++;
      }
    }
    // Version, magic, and the table of regions with their record versions: most bytes matter.
    expect(refused).toBeGreaterThan(150);
  });
});

describe("--keep-going", () => {
  const RECORDS = 200;
  let whole: Uint8Array;
  let wholeLines: string[];
  /** Where the streams of the POSIX region end in the file. */
  let ends: number[];

  beforeAll(() => {
    const files = Array.from({ length: RECORDS }, (_, i) => named(`/scratch/run/rank${i}.dat`));
    whole = logOf({
      names: files,
      streamBytes: 1,
      modules: [
        [
          posix,
          files.map(({ id }, rank) =>
            counterRecord(posix, { id, rank }, { POSIX_OPENS: 1 + rank, POSIX_BYTES_READ: 7919 * rank }),
          ),
        ],
        [heatmap, []],
      ],
    });
    wholeLines = dataLines(plimsoll("darshan", "parse", save("whole.darshan", whole)).out);
    const region = posixRegion(whole);
    ends = [];
    for (let at = region.offset; at < region.offset + region.length; ) {
      const { engine } = inflateSync(whole.subarray(at), { info: true }) as unknown as {
        engine: { bytesWritten: number };
      };
      at += engine.bytesWritten;
      ends.push(at);
    }
  });

  it("has a log of 200 streams to cut", () => {
    expect(ends.length).toBe(RECORDS);
    expect(wholeLines.length).toBe(RECORDS * (posix.integers.length + posix.reals.length));
  });

  /** Records that the streams up to `length` hold, the cut one included where its data is whole. */
  function recordsBefore(length: number): number {
    const streams = ends.filter((end) => end <= length).length;
    const start = ends[streams - 1] ?? posixRegion(whole).offset;
    const rest = whole.subarray(start, length);
    if (rest.length < 3) return streams;
    const plain = inflateSync(rest, { finishFlush: constants.Z_SYNC_FLUSH });
    return streams + (plain.length === 8 * (posix.versions[4]?.words ?? 0) ? 1 : 0);
  }

  it("prints exactly the records whose bytes are whole, marks the end, names it, and exits 3", async () => {
    const middle = (k: number) => ((ends[k - 1] as number) + (ends[k] as number)) >> 1;
    const cuts = [middle(100), ends[99] as number, (ends[120] as number) - 2, middle(1), middle(199)];
    for (const [i, length] of cuts.entries()) {
      const path = save("cut-many.darshan", whole.subarray(0, length));
      const strict = await inside("darshan", "parse", path);
      expect([strict.code, strict.out]).toEqual([1, ""]);
      const run = i === 0 ? plimsoll : inside;
      const { code, out, err } = await run("darshan", "parse", "--keep-going", path);
      expect(code).toBe(3);
      const expected = recordsBefore(length);
      expect(dataLines(out)).toEqual(wholeLines.slice(0, (wholeLines.length / RECORDS) * expected));
      const last = out.trimEnd().split("\n").at(-1);
      expect(last).toMatch(/^# \*WARNING\*: the POSIX data ends here: .*byte \d+: /);
      expect(err.trimEnd().split("\n").length).toBe(1);
      expect(err).toMatch(/^plimsoll: skipped .*cut-many\.darshan: byte \d+: POSIX region: .*\n$/);
    }
    // A cut inside the checksum leaves the data whole.
    expect(recordsBefore((ends[120] as number) - 2)).toBe(121);
  });

  it("--json has the same records, partial and the damage", () => {
    const length = ((ends[99] as number) + (ends[100] as number)) >> 1;
    const path = save("cut-json.darshan", whole.subarray(0, length));
    const { code, out, err } = plimsoll("darshan", "parse", "--json", "--keep-going", path);
    expect(code).toBe(3);
    expect(err).toContain("cut-json.darshan: byte ");
    const document = json(out);
    const module = document.modules.POSIX;
    expect(module?.partial).toBe(true);
    expect(module?.damage).toMatch(/byte \d+: POSIX region: /);
    expect(document.damage).toEqual([module?.damage]);
    expect(module?.records?.map(({ rank }) => rank)).toEqual(
      Array.from({ length: recordsBefore(length) }, (_, k) => k),
    );
    expect(module?.records?.at(-1)?.counters).toMatchObject({
      POSIX_OPENS: 100,
      POSIX_BYTES_READ: 7919 * 99,
    });
  });

  it("keeps the records and the names in front of damage in the name region", async () => {
    const { names } = openBytes(whole).header;
    const flipped = whole.slice();
    flipped[names.offset + (names.length >> 1)] =
      (flipped[names.offset + (names.length >> 1)] as number) ^ 0xff;
    const path = save("names-damaged.darshan", flipped);
    const { code, out, err } = await inside("darshan", "parse", "--keep-going", path);
    expect(code).toBe(3);
    expect(err).toContain("name region");
    const lines = dataLines(out);
    expect(lines.length).toBe(wholeLines.length);
    expect(lines.filter((line) => line.includes("\t(null)\t")).length).toBeGreaterThan(0);
    expect(lines[0]).toBe(wholeLines[0]);
  });

  it("cannot help where the job region is destroyed: exit 1, nothing printed", () => {
    const { job } = openBytes(whole).header;
    const path = save("no-job.darshan", whole.slice().fill(0xff, job.offset, job.offset + job.length));
    expectOneLine(plimsoll("darshan", "parse", "--keep-going", path), path, /byte \d+: job region: /);
  });

  it("changes nothing for a log without damage", () => {
    const path = save("sound.darshan", whole);
    expect(plimsoll("darshan", "parse", "--keep-going", path)).toEqual(plimsoll("darshan", "parse", path));
  });
});

describe("limits", () => {
  const many = () =>
    logOf({
      modules: [
        [posix, Array.from({ length: 20 }, (_, i) => counterRecord(posix, { id: BigInt(i), rank: i }, {}))],
      ],
    });

  it("--max-records stops a log with more records, and not one with as many", () => {
    const path = save("many.darshan", many());
    expectOneLine(
      plimsoll("darshan", "parse", "--max-records", "19", path),
      path,
      /byte \d+: .*--max-records/,
    );
    expect(plimsoll("darshan", "parse", "--max-records", "20", path).code).toBe(0);
  });

  it("--max-name-bytes and --max-name-table-bytes stop long names", async () => {
    const path = save("long.darshan", logOf({ names: [named(`/${"n".repeat(99)}`)], modules: [] }));
    expectOneLine(
      plimsoll("darshan", "parse", "--max-name-bytes", "99", path),
      path,
      /byte \d+: .*--max-name-bytes/,
    );
    expect((await inside("darshan", "parse", "--max-name-bytes", "100", path)).code).toBe(0);
    expectOneLine(
      await inside("darshan", "parse", "--max-name-table-bytes", "108", path),
      path,
      /byte \d+: .*--max-name-table-bytes/,
    );
    expect((await inside("darshan", "parse", "--max-name-table-bytes", "109", path)).code).toBe(0);
  });

  it("--max-record-bytes stops a record that is too large", () => {
    const bins = new BigInt64Array(50_000);
    const path = save(
      "wide.darshan",
      logOf({
        modules: [
          [
            heatmap,
            [{ kind: "heatmap", id: 1n, rank: 0n, binSeconds: 0.1, writeBins: bins, readBins: bins }],
          ],
        ],
      }),
    );
    expectOneLine(
      plimsoll("darshan", "parse", "--max-record-bytes", "100K", path),
      path,
      /byte \d+: .*--max-record-bytes/,
    );
    expect(plimsoll("darshan", "parse", path).code).toBe(0);
  });

  it("--max-plain-bytes stops a bomb near its beginning", () => {
    const sink = memorySink();
    const writer = new LogWriter(sink, { encoders: nodeEncoders });
    writer.job({ uid: 1, startSeconds: 1, endSeconds: 2, nprocs: 1, jobId: 1, commandLine: "bomb" });
    writer.names([]);
    writer.opaque(1, 4, new Uint8Array(64 * 2 ** 20));
    writer.finish();
    const bytes = sink.bytes();
    const { offset, length } = posixRegion(bytes);
    expect(length).toBeLessThan(80_000);
    const path = save("bomb.darshan", bytes);
    const outcome = plimsoll("darshan", "parse", "--max-plain-bytes", "1M", path);
    expectOneLine(outcome, path, /byte \d+: .*--max-plain-bytes/);
    const stopped = Number(/byte (\d+): /.exec(outcome.err)?.[1]);
    expect(stopped - offset).toBeLessThan(length / 20);
  });
});

describe("the contract", () => {
  it("`| head -1` gets its line, and the program ends quietly with 0", () => {
    const files = Array.from({ length: 2000 }, (_, i) => named(`/scratch/file${i}`));
    const path = save(
      "pipe.darshan",
      logOf({
        names: files,
        modules: [[posix, files.map(({ id }) => counterRecord(posix, { id, rank: 0 }, {}))]],
      }),
    );
    for (const json of ["", " --json"]) {
      const line = `"${process.execPath}" "${program}" darshan parse${json} "${path}" | head -c 20; echo "|\${PIPESTATUS[0]}"`;
      const { stdout, stderr } = spawnSync("bash", ["-c", line], { encoding: "utf8" });
      expect({ stdout, stderr }).toEqual({
        stdout:
          json === "" ? "# darshan log versio|0\n" : `{"log":{"source":"${path}`.slice(0, 20).concat("|0\n"),
        stderr: "",
      });
    }
  });

  it.each([
    [
      "an unknown option, with a suggestion",
      ["darshan", "parse", "--totl", "x"],
      /unknown option --totl.*--total/,
    ],
    ["a missing log", ["darshan", "parse"], /missing log: /],
    ["a missing path", ["darshan", "id"], /missing path: /],
    ["two logs", ["darshan", "dxt", "a.darshan", "b.darshan"], /unexpected argument: b\.darshan/],
    [
      "an unknown choice",
      ["darshan", "convert", "--compression", "zip", "a", "b"],
      /--compression zip: not one of zlib, bzip2, none/,
    ],
    [
      "a limit that is no number",
      ["darshan", "parse", "--max-records", "many", "x"],
      /--max-records many: expected a number/,
    ],
    [
      "a limit that is no size",
      ["darshan", "parse", "--max-plain-bytes", "1Q", "x"],
      /--max-plain-bytes 1Q: expected a size/,
    ],
    [
      "an unknown command",
      ["darshan", "prase", "x"],
      /unknown command: darshan prase \(did you mean parse\?\)/,
    ],
  ])("%s is wrong usage: exit 2 and one line with a hint", async (_, words, pattern) => {
    const { code, out, err } = await inside(...words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^plimsoll: [^\n]*; see plimsoll( darshan (parse|dxt|id|convert))? --help\n$/);
    expect(err).toMatch(pattern);
  });
});

describe("awkward names", () => {
  const raw = [
    { id: 1n, name: Uint8Array.from(Buffer.from("/scratch/tab\there\r\x1b[31m\x07", "latin1")) },
    { id: 2n, name: Uint8Array.from(Buffer.from("/scratch/two\nlines", "latin1")) },
    { id: 3n, name: Uint8Array.of(0x2f, 0xff, 0xfe, 0xc3, 0x28, 0x80) },
    { id: 4n, name: Uint8Array.from(Buffer.from(`/scratch/${"x".repeat(10_000)}`, "latin1")) },
    { id: 5n, name: Uint8Array.from(Buffer.from('/scratch/"quoted\\', "latin1")) },
    { id: 6n, name: Uint8Array.from(Buffer.from("/scratch/größe-\u{1f600}", "utf8")) },
    { id: 7n, name: new Uint8Array(0) },
  ];
  const latin = (name: Uint8Array) => Buffer.from(name).toString("latin1");

  it("are printed as the bytes of the log, and JSON stays valid", () => {
    const records = raw.map(({ id }) => counterRecord(posix, { id, rank: 0 }, { POSIX_OPENS: 1 }));
    const traces = raw.map(
      ({ id }): TraceObject => ({
        id,
        rank: 0n,
        host: "a\tb\nc",
        writes: [],
        reads: [{ offset: 0n, length: 1n, start: 0, end: 1, thread: 0n }],
      }),
    );
    const path = save(
      "awkward.darshan",
      logOf({
        names: raw,
        modules: [
          [posix, records],
          [dxtPosix, traces],
        ],
      }),
    );
    const text = plimsoll("darshan", "parse", path);
    expect([text.code, text.err]).toEqual([0, ""]);
    for (const { id, name } of raw) {
      const mount = id === 3n ? "/\txfs" : id === 7n ? "UNKNOWN\tUNKNOWN" : "/scratch\tlustre";
      expect(text.out).toContain(`POSIX\t0\t${id}\tPOSIX_OPENS\t1\t${latin(name)}\t${mount}\n`);
    }
    const trace = plimsoll("darshan", "dxt", path);
    for (const { id, name } of raw)
      expect(trace.out).toContain(`# DXT, file_id: ${id}, file_name: ${latin(name)}\n`);
    const decoder = new TextDecoder();
    for (const command of ["parse", "dxt"]) {
      const { code, out } = plimsoll("darshan", command, "--json", path);
      expect(code).toBe(0);
      const [module] = Object.values(json(out).modules);
      expect(module?.records?.map(({ name }) => name)).toEqual(raw.map(({ name }) => decoder.decode(name)));
    }
  });

  it("of files on the command line do not break the error line", () => {
    const path = save("line\nbreak\x1b[2J.darshan", "no log");
    const { code, out, err } = plimsoll("darshan", "parse", path);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^plimsoll: [^\n\x1b]*line break\\x1b\[2J\.darshan: byte \d+: [^\n\x1b]*\n$/);
  });
});
