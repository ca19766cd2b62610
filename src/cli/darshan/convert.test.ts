/** `darshan convert` as a user runs it: what stays, what goes, and what is left behind when it is stopped. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyModuleLog } from "../../../test/formats/every-module.ts";
import { hasPublicData, referenceLogs } from "../../../test/reference-data.ts";
import { Random } from "../../base/prng.ts";
import { bytesSource } from "../../base/source.ts";
import { TextWriter } from "../../base/text-writer.ts";
import { convertLog } from "../../formats/darshan/convert.ts";
import { writeDxt } from "../../formats/darshan/dxt-text.ts";
import type { Region } from "../../formats/darshan/header.ts";
import { DarshanLog } from "../../formats/darshan/log.ts";
import {
  apmpi,
  dxtPosix,
  h5d,
  h5f,
  heatmap,
  lustre,
  MODULES,
  type ModuleSpec,
  posix,
  stdio,
} from "../../formats/darshan/modules/index.ts";
import { recordId } from "../../formats/darshan/record-id.ts";
import { counterRecord, type DarshanRecord, type TraceObject } from "../../formats/darshan/records.ts";
import { writeParse } from "../../formats/darshan/text.ts";
import { LogWriter, memorySink } from "../../formats/darshan/writer.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { inside, plimsoll, program } from "./test-kit.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-convert-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);

function save(name: string, bytes: Uint8Array | string): string {
  writeFileSync(at(name), bytes);
  return at(name);
}

/** Converts and gives the path of the output; the conversion must succeed. */
async function converted(from: string, name: string, ...options: string[]): Promise<string> {
  const outcome = await inside("darshan", "convert", ...options, from, at(name));
  expect(outcome.code, outcome.err).toBe(0);
  return at(name);
}

const openPath = (path: string) =>
  new DarshanLog(bytesSource(readFileSync(path), path), { codecs: nodeCodecs });

function textOf(log: DarshanLog, write: typeof writeDxt): string {
  const parts: Buffer[] = [];
  const out = new TextWriter((bytes) => void parts.push(Buffer.from(bytes)));
  write(log, out, (_, error) => {
    throw error;
  });
  out.flush();
  return Buffer.concat(parts).toString("latin1");
}

const SECTIONS = { base: true, total: false, file: false, perf: false };
const isData = (line: string) => line !== "" && !line.startsWith("#");
const parseLines = (log: DarshanLog) =>
  textOf(log, (one, out, onDamage) => writeParse(one, SECTIONS, out, onDamage))
    .split("\n")
    .filter(isData);
const dxtLines = (log: DarshanLog) =>
  textOf(log, writeDxt)
    .split("\n")
    .filter((line) => isData(line) || line.startsWith("# DXT, "));

/** Everything that must stay when only the form of a log changes. */
function content(path: string): readonly string[] {
  const log = openPath(path);
  const text = textOf(log, writeDxt);
  const job = text
    .split("\n")
    .filter((line) =>
      /^# (exe|uid|jobid|start_time|end_time|nprocs|run time|metadata|mount entry):/.test(line),
    );
  return [
    ...job,
    ...log.modules.map(({ name, partial }) => `${name} ${partial}`),
    ...parseLines(log),
    ...dxtLines(log),
  ];
}

/** The streams of a zlib region, inflated. */
function inflated(file: Uint8Array, { offset, length }: Region): Buffer[] {
  const streams: Buffer[] = [];
  for (let from = offset; from < offset + length; ) {
    const { buffer, engine } = inflateSync(file.subarray(from, offset + length), {
      info: true,
    }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    streams.push(buffer);
    from += engine.bytesWritten;
  }
  return streams;
}

/** The plain bytes of every region of a zlib log. */
function plainRegions(path: string): Buffer {
  const { header } = openPath(path);
  const bytes = readFileSync(path);
  return Buffer.concat(
    [header.job, header.names, ...header.modules.map(({ region }) => region)].flatMap((region) =>
      inflated(bytes, region),
    ),
  );
}

interface JsonRecord {
  readonly rank: number;
  readonly id: string;
  readonly name: string | null;
  readonly hostname?: string;
  readonly counters?: Readonly<Record<string, number | string>>;
}
interface JsonLog {
  readonly log: Readonly<Record<string, unknown>>;
  readonly job: Readonly<Record<string, unknown>>;
  readonly modules: Readonly<Record<string, { partial: boolean; records: readonly JsonRecord[] }>>;
}

async function json(command: "parse" | "dxt", path: string): Promise<JsonLog> {
  const { code, out } = await inside("darshan", command, "--json", path);
  expect(code).toBe(0);
  return JSON.parse(Buffer.from(out, "latin1").toString("utf8")) as JsonLog;
}

const FILES = {
  output: "/scratch/secretproject/alice/run42/output.h5",
  dataset: "/scratch/secretproject/alice/run42/output.h5:temperature/mean",
  temporary: "/scratch/secretproject/alice/run42/output.unfinished",
  config: "/home/alice/thesis/input.config",
  relative: "localdata/relative-name.txt",
  stdout: "<STDOUT>",
  heatmap: "heatmap:POSIX",
} as const;
const ids = Object.fromEntries(Object.entries(FILES).map(([key, name]) => [key, recordId(name)])) as Record<
  keyof typeof FILES,
  bigint
>;
const UID = 4_000_123_457n;
const HOSTS = ["supernode17", "supernode18.cluster.example"] as const;
const COMMAND = "/home/alice/bin/hydrosolver --deck secretproject.input";

function write(
  modules: readonly (readonly [ModuleSpec, readonly (DarshanRecord | TraceObject)[]])[],
  streamBytes?: number,
): Uint8Array {
  const sink = memorySink();
  const writer = new LogWriter(sink, {
    encoders: nodeEncoders,
    ...(streamBytes === undefined ? {} : { streamBytes }),
  });
  writer.job({
    uid: UID,
    startSeconds: 1_700_000_000,
    endSeconds: 1_700_000_060,
    nprocs: 4,
    jobId: 77,
    metadata: [["lib_ver", "3.5.0"]],
    commandLine: COMMAND,
    mounts: [
      { type: "lustre", path: "/scratch" },
      { type: "xfs", path: "/" },
    ],
  });
  writer.names(Object.entries(FILES).map(([key, name]) => ({ id: ids[key as keyof typeof FILES], name })));
  for (const [spec, records] of modules) writer.module(spec, records);
  writer.finish();
  return sink.bytes();
}

/** A log that says who did what, with every kind of reference between records. */
function tellingLog(): Uint8Array {
  return write([
    [
      posix,
      [
        counterRecord(
          posix,
          { id: ids.output, rank: -1 },
          { POSIX_OPENS: 4, POSIX_RENAMED_FROM: BigInt.asIntN(64, ids.temporary), POSIX_F_READ_TIME: 0.5 },
        ),
        counterRecord(posix, { id: ids.config, rank: 0 }, { POSIX_OPENS: 1, POSIX_BYTES_READ: 4096 }),
        counterRecord(posix, { id: ids.relative, rank: 1 }, { POSIX_OPENS: 2 }),
        counterRecord(posix, { id: ids.temporary, rank: 2 }, { POSIX_OPENS: 3 }),
      ],
    ],
    [h5f, [counterRecord(h5f, { id: ids.output, rank: -1 }, { H5F_OPENS: 4 })]],
    [
      h5d,
      [
        counterRecord(h5d, { id: ids.dataset, rank: -1 }, { H5D_OPENS: 4 }, { fileId: ids.output }),
        counterRecord(h5d, { id: ids.dataset, rank: 3 }, { H5D_OPENS: 1 }, { fileId: 0n }),
      ],
    ],
    [
      lustre,
      [
        {
          kind: "lustre",
          id: ids.output,
          rank: -1n,
          components: [
            { counters: BigInt64Array.of(1048576n, 1n, 0n, 0n, 0n, -1n, 0n), pool: new Uint8Array(0) },
          ],
          osts: BigInt64Array.of(3n),
        },
      ],
    ],
    [stdio, [counterRecord(stdio, { id: ids.stdout, rank: 0 }, { STDIO_WRITES: 9 })]],
    [
      dxtPosix,
      [
        {
          id: ids.output,
          rank: 0n,
          host: HOSTS[0],
          writes: [{ offset: 0n, length: 10n, start: 1, end: 2, thread: 3n }],
          reads: [],
        },
      ],
    ],
    [
      apmpi,
      [
        {
          kind: "header",
          id: recordId("darshan-apmpi-header"),
          rank: 0n,
          integers: BigInt64Array.of(0x41504d5049n),
          reals: Float64Array.of(1, 2),
          syncFlag: 1,
        },
        counterRecord(apmpi, { id: 5n, rank: 0 }, {}, { node: new TextEncoder().encode(HOSTS[1]) }),
      ],
    ],
    [
      heatmap,
      [
        {
          kind: "heatmap",
          id: ids.heatmap,
          rank: 0n,
          binSeconds: 0.1,
          writeBins: BigInt64Array.of(1n, 2n),
          readBins: BigInt64Array.of(3n, 4n),
        },
      ],
    ],
  ]);
}

describe("another form of the same log", () => {
  it("zlib to bzip2 to none to zlib keeps every line, in real processes", () => {
    const first = save("chain-0.darshan", everyModuleLog(31, {}).bytes);
    const before = content(first);
    expect(before.length).toBeGreaterThan(4000);
    let from = first;
    for (const [i, compression] of ["bzip2", "none", "zlib"].entries()) {
      const to = at(`chain-${i + 1}.darshan`);
      const { code, out, err } = plimsoll("darshan", "convert", "--compression", compression, from, to);
      expect({ code, out }).toEqual({ code: 0, out: "" });
      expect(err).toMatch(/^plimsoll: .*chain-\d\.darshan: \d+ records, \d+ bytes\n$/);
      expect(openPath(to).header.compression).toBe(compression);
      expect(content(to)).toEqual(before);
      from = to;
    }
    expect(readFileSync(from)).toEqual(readFileSync(first));
  });

  it("--byte-order big writes a big-endian log with the same lines, and back again", async () => {
    const first = save("order.darshan", everyModuleLog(32, {}).bytes);
    const big = await converted(first, "big.darshan", "--byte-order", "big");
    expect(openPath(big).header.bigEndian).toBe(true);
    expect(content(big)).toEqual(content(first));
    const little = await converted(big, "little.darshan");
    expect(readFileSync(little)).toEqual(readFileSync(first));
  });

  it("--stream-bytes starts a new stream after this many bytes and never cuts a record", async () => {
    const first = save("streams.darshan", tellingLog());
    const many = await converted(first, "many.darshan", "--stream-bytes", "1");
    expect(content(many)).toEqual(content(first));
    const lengths = (path: string) => {
      const region = openPath(path).modules.find(({ name }) => name === "POSIX")?.region;
      return inflated(readFileSync(path), region ?? { offset: 0, length: 0 }).map(({ length }) => length);
    };
    const record = 8 * (posix.versions[posix.version]?.words ?? 0);
    expect(lengths(first)).toEqual([4 * record]);
    expect(lengths(many)).toEqual([record, record, record, record]);
    const two = await converted(first, "two.darshan", "--stream-bytes", String(record + 1));
    expect(lengths(two)).toEqual([2 * record, 2 * record]);
  });

  it("--json tells output, size, records and warnings", () => {
    const from = save("result.darshan", tellingLog());
    const { code, out, err } = plimsoll("darshan", "convert", "--json", from, at("result-2.darshan"));
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toEqual({
      output: at("result-2.darshan"),
      bytes: statSync(at("result-2.darshan")).size,
      records: 13,
      warnings: [],
    });
  });
});

describe("a selection", () => {
  it("--module keeps the named modules in any letter case, and no others", async () => {
    const from = save("modules.darshan", tellingLog());
    const to = await converted(from, "modules-2.darshan", "--module", "posix", "--module", "DXT_POSIX");
    expect(openPath(to).modules.map(({ name }) => name)).toEqual(["POSIX", "DXT_POSIX"]);
    expect(parseLines(openPath(to))).toEqual(
      parseLines(openPath(from)).filter((line) => line.startsWith("POSIX\t")),
    );
    // Without LUSTRE the trace has no layouts, but the same calls.
    expect((await json("dxt", to)).modules).toEqual((await json("dxt", from)).modules);
  });

  it("an unknown module is wrong usage and all modules are listed", () => {
    const { code, out, err } = plimsoll("darshan", "convert", "--module", "POSX", "a", at("never.darshan"));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toBe(
      `plimsoll: unknown module: POSX (have: ${MODULES.map(({ name }) => name).join(", ")}); see plimsoll darshan convert --help\n`,
    );
  });

  it("--file keeps files whose whole name matches, and their datasets; records of no file are left out with a word", async () => {
    const from = save("files.darshan", tellingLog());
    const to = at("files-2.darshan");
    const { code, err } = await inside("darshan", "convert", "--file", "/scratch/*/output.h?", from, to);
    expect(code).toBe(0);
    expect(err).toMatch(/APMPI: not file records/);
    expect(err).toMatch(/HEATMAP: not file records/);
    const kept = await json("parse", to);
    const all = await json("parse", from);
    const wanted = new Set<string>([ids.output, ids.dataset].map(String));
    expect(Object.entries(kept.modules).map(([name, { records }]) => [name, records])).toEqual(
      Object.entries(all.modules)
        .map(([name, { records }]) => [name, records.filter(({ id }) => wanted.has(id))] as const)
        .filter(([, records]) => records.length > 0),
    );
    expect(Object.keys(kept.modules)).toEqual(["POSIX", "H5F", "H5D", "LUSTRE", "DXT_POSIX"]);
    expect([...openPath(to).names.entries()].map(({ id }) => id)).toEqual([ids.output, ids.dataset]);
    expect((await json("dxt", to)).modules).toEqual((await json("dxt", from)).modules);
  });

  it("--file takes its pattern literally but for * and ?, and several patterns add up", async () => {
    const from = save("literal.darshan", tellingLog());
    const names = async (...patterns: string[]) => {
      const to = await converted(from, "literal-2.darshan", ...patterns.flatMap((one) => ["--file", one]));
      return [...openPath(to).names.entries()].map(({ id }) => id);
    };
    expect(await names("/home/alice/thesis/input.config", "<STD*")).toEqual([ids.config, ids.stdout]);
    expect(await names("/home/alice/thesis/input-config")).toEqual([]);
    expect(await names("/home/alice/thesis/input.conf")).toEqual([]);
    expect(await names("*.(config|h5)")).toEqual([]);
    expect(await names("*:temperature/*")).toEqual([ids.dataset]);
  });
});

describe("real logs", () => {
  it("are converted to format 3.41 and keep every data line", async () => {
    const versions = new Set<string>();
    for (const { path } of referenceLogs) {
      const log = openPath(path);
      const sink = memorySink();
      await convertLog(log, sink, { encoders: nodeEncoders });
      const copy = new DarshanLog(bytesSource(sink.bytes(), path), { codecs: nodeCodecs });
      versions.add(log.header.version);
      expect(copy.header.version).toBe("3.41");
      const [before, after] = [parseLines(log), parseLines(copy)];
      expect(after.length, path).toBe(before.length);
      expect(
        before.findIndex((line, i) => line !== after[i]),
        path,
      ).toBe(-1);
      // Old traces have no threads; the current version must name one, and names 0.
      const traced = dxtLines(log).map((line) => line.replace(/ N\/A$/, "    0"));
      expect(dxtLines(copy), path).toEqual(traced);
    }
    // The published logs come from every release.
    expect([...versions].sort()).toEqual(hasPublicData ? ["3.00", "3.10", "3.20", "3.21", "3.41"] : ["3.41"]);
  });
});

describe("--obfuscate", () => {
  let original: string;
  let hidden: string;

  beforeAll(async () => {
    original = save("telling.darshan", tellingLog());
    hidden = await converted(original, "hidden.darshan", "--obfuscate", "key one");
  });

  /** Names by the id that the original has for them: the name table keeps its order. */
  const namesOf = (path: string) => {
    const names = [...openPath(path).names.entries()].map(({ bytes }) => new TextDecoder().decode(bytes));
    return new Map(Object.values(ids).map((id, i) => [id, names[i] as string]));
  };

  it("leaves no part of a path, no host, user or program in the bytes of any region", () => {
    const telling = [
      ...Object.values(FILES)
        .filter((name) => name !== FILES.stdout && name !== FILES.heatmap)
        .flatMap((name) => name.replace(/^\/scratch/, "").split(/[/:]/)),
      ...HOSTS,
      ...COMMAND.split(/[\s/]+/),
      "cluster",
      "supernode",
      "alice",
      "secret",
    ].filter((word) => word.length > 3);
    expect(telling.length).toBeGreaterThan(20);
    const uid = Buffer.alloc(8);
    uid.writeBigUInt64LE(UID);
    const before = plainRegions(original);
    expect(telling.filter((word) => !before.includes(word))).toEqual([]);
    expect(before.includes(uid)).toBe(true);
    const after = plainRegions(hidden);
    expect(telling.filter((word) => after.includes(word))).toEqual([]);
    expect(after.includes(uid)).toBe(false);
    expect(after.includes(String(UID))).toBe(false);
  });

  it("keeps mount points, standard streams and heat maps readable, and the depth of paths", () => {
    const names = namesOf(hidden);
    expect(names.get(ids.stdout)).toBe("<STDOUT>");
    expect(names.get(ids.heatmap)).toBe("heatmap:POSIX");
    expect(names.get(ids.output)).toMatch(
      /^\/scratch\/[0-9a-f]{16}\/[0-9a-f]{16}\/[0-9a-f]{16}\/[0-9a-f]{16}$/,
    );
    expect(names.get(ids.config)).toMatch(/^\/[0-9a-f]{16}\/[0-9a-f]{16}\/[0-9a-f]{16}\/[0-9a-f]{16}$/);
    expect(openPath(hidden).job.mounts.map(({ path, type }) => `${path} ${type}`)).toEqual([
      "/scratch lustre",
      "/ xfs",
    ]);
    // Files of one folder stay in one folder, and a dataset stays in its file.
    const folderOf = (name: string | undefined) => name?.slice(0, name.lastIndexOf("/"));
    expect(folderOf(names.get(ids.output))).toBe(folderOf(names.get(ids.temporary)));
    expect(names.get(ids.dataset)?.split(":")[0]).toBe(names.get(ids.output));
    expect(new Set(names.values()).size).toBe(Object.keys(FILES).length);
  });

  it("changes no counter that is not an id", async () => {
    const [before, after] = [await json("parse", original), await json("parse", hidden)];
    expect(Object.keys(after.modules)).toEqual(Object.keys(before.modules));
    for (const [name, { records }] of Object.entries(before.modules)) {
      const found = after.modules[name]?.records ?? [];
      expect(found.map(({ rank }) => rank)).toEqual(records.map(({ rank }) => rank));
      const replaced = { MPI_PROCESSOR_NAME: "", POSIX_RENAMED_FROM: "", H5D_FILE_REC_ID: "" };
      const bare = ({ counters }: JsonRecord) => ({ ...counters, ...replaced });
      expect(found.map(bare)).toEqual(records.map(bare));
    }
    expect(after.modules.APMPI?.records[1]?.counters?.MPI_PROCESSOR_NAME).toMatch(/^host-[0-9a-f]{12}$/);
    const [trace] = (await json("dxt", hidden)).modules.DXT_POSIX?.records ?? [];
    expect(trace).toMatchObject({
      rank: 0,
      hostname: expect.stringMatching(/^host-/),
    });
    expect(after.job.jobId).not.toBe(before.job.jobId);
    expect(after.job).toMatchObject({
      nprocs: 4,
      commandLine: expect.stringMatching(/^app-[0-9a-f]{12}$/),
    });
  });

  it("gives the same stand-ins under the same key in every log, and others under another key", async () => {
    const second = save(
      "second.darshan",
      write([
        [posix, [counterRecord(posix, { id: ids.config, rank: 0 }, {})]],
        [
          dxtPosix,
          [
            {
              id: ids.output,
              rank: 1n,
              host: HOSTS[0],
              writes: [],
              reads: [{ offset: 0n, length: 1n, start: 0, end: 1 }],
            },
          ],
        ],
      ]),
    );
    const same = await converted(second, "second-same.darshan", "--obfuscate", "key one");
    const other = await converted(second, "second-other.darshan", "--obfuscate", "key two");
    const facts = async (path: string) => ({
      config: namesOf(path).get(ids.config),
      host: (await json("dxt", path)).modules.DXT_POSIX?.records[0]?.hostname,
      uid: openPath(path).job.uid,
      command: openPath(path).job.commandLine,
    });
    const first = await facts(hidden);
    expect(await facts(same)).toEqual(first);
    const others = Object.entries(await facts(other));
    expect(others.filter(([key, value]) => value === first[key as keyof typeof first])).toEqual([]);
  });

  it("--new-ids, which older command lines give, changes nothing", async () => {
    const path = await converted(original, "new-ids.darshan", "--obfuscate", "key one", "--new-ids");
    expect(readFileSync(path)).toEqual(readFileSync(hidden));
  });

  it("replaces ids everywhere alike: files of datasets, sources of renames, traces, layouts", async () => {
    const path = hidden;
    const [before, after] = [await json("parse", original), await json("parse", path)];
    const newId = new Map<string, string>();
    for (const [name, { records }] of Object.entries(before.modules)) {
      records.forEach(({ id }, k) => {
        const replaced = after.modules[name]?.records[k]?.id as string;
        expect(replaced).not.toBe(id);
        expect(newId.get(id) ?? replaced, `${name} ${id}`).toBe(replaced);
        newId.set(id, replaced);
      });
    }
    const now = (id: bigint) => newId.get(String(id)) as string;
    expect(new Set(newId.values()).size).toBe(newId.size);
    expect(after.modules.H5D?.records.map(({ counters }) => counters?.H5D_FILE_REC_ID)).toEqual([
      now(ids.output),
      "0",
    ]);
    expect(after.modules.POSIX?.records.map(({ counters }) => counters?.POSIX_RENAMED_FROM)).toEqual([
      now(ids.temporary),
      "0",
      "0",
      "0",
    ]);
    const [trace] = (await json("dxt", path)).modules.DXT_POSIX?.records ?? [];
    expect(trace?.id).toBe(now(ids.output));
    const names = namesOf(hidden);
    for (const { id, name } of after.modules.POSIX?.records ?? [])
      expect(name).toBe([...names].find(([old]) => now(old) === id)?.[1]);
    const plain = plainRegions(path);
    for (const id of Object.values(ids)) {
      const word = Buffer.alloc(8);
      word.writeBigUInt64LE(id);
      expect(plain.includes(word)).toBe(false);
    }
  });

  it.each([
    ["--new-ids without --obfuscate", ["--new-ids"], /--new-ids needs --obfuscate/],
    ["an empty key", ["--obfuscate", ""], /--obfuscate needs a non-empty key/],
  ])("%s is wrong usage and writes nothing", async (_, options, pattern) => {
    const { code, out, err } = await inside("darshan", "convert", ...options, original, at("never.darshan"));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^plimsoll: [^\n]*; see plimsoll darshan convert --help\n$/);
    expect(err).toMatch(pattern);
    expect(existsSync(at("never.darshan"))).toBe(false);
  });
});

describe("outputs that cannot be", () => {
  const leftovers = () => readdirSync(folder).filter((name) => name.includes(".part-"));

  it("the log itself is not overwritten, however its path is spelled", () => {
    const bytes = tellingLog();
    const path = save("self.darshan", bytes);
    for (const output of [path, join(folder, "x", "..", "self.darshan")]) {
      const { code, out, err } = plimsoll("darshan", "convert", path, output);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toMatch(/^plimsoll: output and log must be different files; see [^\n]*\n$/);
    }
    expect(new Uint8Array(readFileSync(path))).toEqual(bytes);
  });

  it("an output in a folder that does not exist is a failure of writing, in one line", () => {
    const path = save("fine.darshan", tellingLog());
    const { code, out, err } = plimsoll("darshan", "convert", path, join(folder, "nowhere", "out.darshan"));
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^plimsoll: cannot write [^\n]*nowhere\/out\.darshan[^\n]*: no such folder\n$/);
  });

  it("a log that is a folder or missing is named, and nothing is written", () => {
    mkdirSync(at("folder.darshan"));
    for (const [name, reason] of [
      ["folder.darshan", "is a folder"],
      ["missing.darshan", "no such file"],
    ] as const) {
      const { code, out, err } = plimsoll("darshan", "convert", at(name), at("never.darshan"));
      expect({ code, out, err }).toEqual({
        code: 1,
        out: "",
        err: `plimsoll: cannot read ${at(name)}: ${reason}\n`,
      });
    }
    expect(existsSync(at("never.darshan"))).toBe(false);
  });

  it("an existing output survives a conversion that fails, and no temporary file stays", () => {
    const bytes = tellingLog();
    const { region } = openPath(save("whole.darshan", bytes)).modules.at(-1) as { region: Region };
    bytes[region.offset + 9] = (bytes[region.offset + 9] as number) ^ 0xff;
    const path = save("damaged.darshan", bytes);
    const output = save("precious.darshan", "precious");
    const { code, out, err } = plimsoll("darshan", "convert", path, output);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^plimsoll: .*damaged\.darshan: byte \d+: HEATMAP region: [^\n]*\n$/);
    expect(readFileSync(output, "utf8")).toBe("precious");
    expect(leftovers()).toEqual([]);
    expect(plimsoll("darshan", "convert", at("whole.darshan"), output).code).toBe(0);
    expect(content(output)).toEqual(content(at("whole.darshan")));
  });
});

describe("--keep-going", () => {
  it("writes what comes before the damage as a sound log that says it is incomplete, and exits 3", async () => {
    const records = Array.from({ length: 50 }, (_, i) =>
      counterRecord(posix, { id: ids.output, rank: i }, { POSIX_OPENS: i }),
    );
    const whole = write([[posix, records]], 1);
    const path = save("cut.darshan", whole.subarray(0, whole.length - 300));
    expect((await inside("darshan", "convert", path, at("cut-2.darshan"))).code).toBe(1);
    expect(existsSync(at("cut-2.darshan"))).toBe(false);
    const kept = await inside("darshan", "parse", "--keep-going", path);
    const { code, err } = await inside("darshan", "convert", "--keep-going", path, at("cut-2.darshan"));
    expect(code).toBe(3);
    expect(err).toMatch(/plimsoll: skipped .*cut\.darshan: byte \d+: POSIX region: /);
    const lines = parseLines(openPath(at("cut-2.darshan")));
    expect(lines).toEqual(kept.out.split("\n").filter(isData));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThan(50 * (posix.integers.length + posix.reals.length));
    expect(openPath(at("cut-2.darshan")).module("POSIX")?.partial).toBe(true);
  });

  it("of a trace keeps the whole calls of the record that is cut, and counts them again", async () => {
    const segment = (i: number) => ({ offset: BigInt(i), length: 1n, start: i, end: i + 1, thread: 1n });
    const trace = (rank: bigint) => ({
      id: ids.output,
      rank,
      host: HOSTS[0],
      writes: [0, 1, 2].map(segment),
      reads: [3, 4].map(segment),
    });
    const whole = save("trace.darshan", write([[dxtPosix, [trace(0n), trace(1n)]]]));
    const plain = readFileSync(await converted(whole, "trace-plain.darshan", "--compression", "none"));
    for (const [missing, counts] of [
      [20, [3, 1]],
      [60, [3, 0]],
      [130, [1, 0]],
    ] as const) {
      const path = save("trace-cut.darshan", plain.subarray(0, plain.length - missing));
      const { code } = await inside("darshan", "convert", "--keep-going", path, at("trace-2.darshan"));
      expect(code).toBe(3);
      const { DXT_POSIX } = (await json("dxt", at("trace-2.darshan"))).modules;
      const found = DXT_POSIX?.records as unknown as { writes: unknown[]; reads: unknown[] }[];
      expect(found.map(({ writes, reads }) => [writes.length, reads.length])).toEqual([[3, 2], counts]);
      expect(DXT_POSIX?.partial).toBe(true);
    }
  });
});

describe("a conversion that is stopped", () => {
  let work: string;
  let big: string;

  beforeAll(() => {
    work = mkdtempSync(join(folder, "stopped-"));
    big = join(folder, "big.darshan");
    const random = new Random(5);
    const sink = memorySink();
    const writer = new LogWriter(sink, { encoders: nodeEncoders, compression: "none" });
    writer.job({ uid: 1, startSeconds: 1, endSeconds: 2, nprocs: 1, jobId: 1, commandLine: "big" });
    writer.names([]);
    const record = counterRecord(posix, { id: 1n, rank: 0 }, {});
    const region = writer.begin(posix);
    for (let i = 0; i < 43_000; i++) {
      for (let k = 0; k < 40; k++) record.integers[k] = BigInt(random.bits());
      region.record(record);
    }
    region.end();
    writer.finish();
    writeFileSync(big, sink.bytes());
    expect(statSync(big).size).toBeGreaterThan(30e6);
  });

  /** Starts a conversion and waits until a part of the output is on disk. */
  async function started(output: string): Promise<ChildProcess> {
    const child = spawn(process.execPath, [program, "darshan", "convert", big, output], { stdio: "ignore" });
    for (;;) {
      const part = readdirSync(work).find((name) => name.includes(".part-"));
      if (part !== undefined && statSync(join(work, part)).size > 0) return child;
      if (child.exitCode !== null)
        throw new Error(`the conversion ended with ${child.exitCode} before its time`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "by %s exits %i and leaves neither a temporary file nor an output",
    async (signal, expected) => {
      const child = await started(join(work, "out.darshan"));
      child.kill(signal);
      const [code] = await once(child, "exit");
      expect({ code, left: readdirSync(work) }).toEqual({ code: expected, left: [] });
    },
  );

  it("by SIGINT while a whole region is compressed at once (bzip2) does not finish after all", async () => {
    const output = join(work, "slow.darshan");
    const child = spawn(
      process.execPath,
      [program, "darshan", "convert", "--compression", "bzip2", big, output],
      { stdio: "ignore" },
    );
    while (readdirSync(work).length === 0 && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 2));
    // By now the records are read, and what takes seconds is the end of the region.
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(child.exitCode).toBe(null);
    child.kill("SIGINT");
    const [code] = await once(child, "exit");
    expect({ code, left: readdirSync(work) }).toEqual({ code: 130, left: [] });
  });

  it("by SIGKILL leaves nothing under the final name, and an earlier output as it was", async () => {
    const output = join(work, "kept.darshan");
    writeFileSync(output, "earlier");
    const child = await started(output);
    child.kill("SIGKILL");
    const [, signal] = await once(child, "exit");
    expect(signal).toBe("SIGKILL");
    expect(readFileSync(output, "utf8")).toBe("earlier");
    rmSync(output);
    expect(readdirSync(work).every((name) => name.startsWith("kept.darshan.part-"))).toBe(true);
  });
});
