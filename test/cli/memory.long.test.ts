// Large logs are read and printed in little memory: children that do it say how large they became.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { viewWords } from "../../src/base/words.ts";
import { RecordBlock } from "../../src/formats/darshan/blocks.ts";
import { dxtPosix, posix } from "../../src/formats/darshan/modules/index.ts";
import { counterRecord, encodeRecord } from "../../src/formats/darshan/records.ts";
import { LogWriter } from "../../src/formats/darshan/writer.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { createOutput } from "../../src/node/output-file.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const MB = 1e6;
/** What a child may need beyond one that only loaded the code: less than the plain bytes of each log. */
const LIMIT = 70 * MB;
const RECORDS = 285_000;
const SEGMENTS = 2_000_000;
const RECORD_WORDS = posix.versions[posix.version]?.words ?? 0;

const CHILD = `
import { openSync, writeSync } from "node:fs";
import { TextWriter } from "./src/base/text-writer.ts";
import { convertLog, DarshanLog, writeDxt, writeParse } from "./src/library/formats.ts";
import { nodeCodecs } from "./src/node/codecs.ts";
import { nodeEncoders } from "./src/node/encoders.ts";
import { openFile } from "./src/node/file-source.ts";

const [what, path] = process.argv.slice(2);
let count = 0;
if (what !== "idle") {
  const source = openFile(path);
  const log = new DarshanLog(source, { codecs: nodeCodecs });
  const nowhere = openSync("/dev/null", "w");
  const out = new TextWriter((bytes) => { count += bytes.length; writeSync(nowhere, bytes); });
  const stop = (_, error) => { throw error; };
  if (what === "read") {
    for (const entry of log.modules) {
      for (const block of log.records(entry)) count += block.count;
      for (const block of log.segments(entry)) count += block.count;
    }
  } else if (what === "parse") writeParse(log, { base: true, total: true, file: true, perf: true }, out, stop);
  else if (what === "dxt") writeDxt(log, out, stop);
  else {
    const sink = { append: (bytes) => writeSync(nowhere, bytes), replaceStart() {} };
    count = (await convertLog(log, sink, { encoders: nodeEncoders })).records;
  }
  out.flush();
  source.close();
}
// Kilobytes on every system that Node knows.
console.log(JSON.stringify({ count, bytes: process.resourceUsage().maxRSS * 1024 }));
`;

let folder: string;
let idle: number;

function child(what: string, log = ""): { count: number; bytes: number } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, "child.mjs"), what, join(folder, log)],
    { encoding: "utf8", timeout: 60_000 },
  );
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

function writer(name: string): { writer: LogWriter; done(): void } {
  const file = createOutput(join(folder, name));
  const made = new LogWriter(file, { encoders: nodeEncoders });
  made.job({ uid: 1, startSeconds: 1, endSeconds: 100, nprocs: 1000, jobId: 1, commandLine: "large" });
  return {
    writer: made,
    done: () => {
      made.finish();
      file.commit();
    },
  };
}

function writeRecords(name: string): void {
  const log = writer(name);
  log.writer.names(Array.from({ length: 1000 }, (_, i) => ({ id: BigInt(i), name: `/scratch/file${i}` })));
  const region = log.writer.begin(posix);
  const perBlock = 1000;
  const views = viewWords(new ArrayBuffer(8 * RECORD_WORDS * perBlock));
  const record = counterRecord(posix, { id: 0n, rank: 0 }, { POSIX_OPENS: 1, POSIX_F_READ_TIME: 0.125 });
  for (let i = 0; i < perBlock; i++) {
    views.u8.set(encodeRecord(posix, { ...record, id: BigInt(i) }).u8, 8 * RECORD_WORDS * i);
  }
  for (let block = 0; block < RECORDS / perBlock; block++) {
    for (let i = 0; i < perBlock; i++) views.i64[RECORD_WORDS * i + 1] = BigInt(block);
    region.block(new RecordBlock(views, perBlock, RECORD_WORDS));
  }
  region.end();
  log.done();
}

/** One file on one rank: a single record, as large as a trace can make it. */
function writeSegments(name: string): void {
  const log = writer(name);
  log.writer.names([{ id: 5n, name: "/scratch/trace.dat" }]);
  const region = log.writer.begin(dxtPosix);
  const record = {
    idLow: 5,
    idHigh: 0,
    rank: 0n,
    hostBytes: new TextEncoder().encode("node1"),
    writes: SEGMENTS / 2,
    reads: SEGMENTS / 2,
  };
  const count = 10_000;
  const views = viewWords(new ArrayBuffer(40 * count));
  for (let first = 0; first < SEGMENTS; first += count) {
    for (let s = 0; s < count; s++) {
      views.i64[5 * s] = BigInt((first + s) * 4096);
      views.i64[5 * s + 1] = 4096n;
      views.f64[5 * s + 2] = (first + s) / 1024;
      views.f64[5 * s + 3] = (first + s + 0.5) / 1024;
      views.u64[5 * s + 4] = 77n;
    }
    region.segments({ record, first, count, at: 0, stride: 5, views });
  }
  region.end();
  log.done();
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-memory-"));
  await build({
    stdin: { contents: CHILD, resolveDir: root, loader: "ts", sourcefile: "child.ts" },
    outfile: join(folder, "child.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
  });
  idle = child("idle").bytes;
  writeRecords("records.darshan");
  writeSegments("segments.darshan");
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("memory stays bounded", () => {
  it("while 200 MB of records are read", () => {
    expect(8 * RECORD_WORDS * RECORDS).toBeGreaterThan(200 * MB);
    const { count, bytes } = child("read", "records.darshan");
    expect(count).toBe(RECORDS);
    expect(bytes - idle).toBeLessThan(LIMIT);
  });

  it("while 200 MB of records are printed", () => {
    const { count, bytes } = child("parse", "records.darshan");
    expect(count).toBeGreaterThan(50 * RECORDS * (posix.integers.length + posix.reals.length));
    expect(bytes - idle).toBeLessThan(LIMIT);
  });

  it("while 200 MB of records are converted", () => {
    const { count, bytes } = child("convert", "records.darshan");
    expect(count).toBe(RECORDS);
    expect(bytes - idle).toBeLessThan(LIMIT);
  });

  it("while a trace of 2 million calls in one record is read", () => {
    expect(40 * SEGMENTS).toBeGreaterThan(LIMIT);
    const { count, bytes } = child("read", "segments.darshan");
    expect(count).toBe(SEGMENTS);
    expect(bytes - idle).toBeLessThan(LIMIT);
  });

  it("while a trace of 2 million calls in one record is printed", () => {
    const { count, bytes } = child("dxt", "segments.darshan");
    expect(count).toBeGreaterThan(80 * SEGMENTS);
    expect(bytes - idle).toBeLessThan(LIMIT);
  });
});
