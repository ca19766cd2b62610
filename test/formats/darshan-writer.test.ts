// What the writer writes is what was given, in every shape, for two readers that share no code.

import { describe, expect, it } from "vitest";
import { bytesSource } from "../../src/base/source.ts";
import { convertLog } from "../../src/formats/darshan/convert.ts";
import { DarshanLog } from "../../src/formats/darshan/log.ts";
import {
  decodeRecord,
  type DarshanRecord,
  decodeSegments,
  type Segment,
  type TraceObject,
} from "../../src/formats/darshan/records.ts";
import { LogWriter, memorySink } from "../../src/formats/darshan/writer.ts";
import { nodeCodecs } from "../../src/node/codecs.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { wholeZlib } from "../../src/node/zlib.ts";
import { everyModuleLog, SHAPES } from "./every-module.ts";
import { readAsOracle } from "../fuzz/adapter.ts";
import { firstDifference } from "../oracle/compare.ts";
import { oracleRead } from "../oracle/darshan-oracle.ts";

const open = (bytes: Uint8Array) => new DarshanLog(bytesSource(bytes, "written"), { codecs: nodeCodecs });

/** Everything a log holds, record by record. */
function contents(log: DarshanLog): Map<string, (DarshanRecord | TraceObject)[]> {
  const found = new Map<string, (DarshanRecord | TraceObject)[]>();
  for (const entry of log.modules) {
    const { spec } = entry;
    if (spec === undefined || entry.region.length === 0) continue;
    const records: (DarshanRecord | TraceObject)[] = [];
    if (spec.kind === "dxt") {
      let segments: Segment[] = [];
      for (const block of log.segments(entry)) {
        const { record } = block;
        segments = block.first === 0 ? decodeSegments(block) : [...segments, ...decodeSegments(block)];
        if (segments.length < record.writes + record.reads) continue;
        records.push({
          id: (BigInt(record.idHigh) << 32n) | BigInt(record.idLow),
          rank: record.rank,
          host: new TextDecoder().decode(record.hostBytes),
          writes: segments.slice(0, record.writes),
          reads: segments.slice(record.writes),
        });
      }
    } else
      for (const block of log.records(entry))
        for (let k = 0; k < block.count; k++) records.push(decodeRecord(spec, block, k));
    found.set(entry.name, records);
  }
  return found;
}

describe("a written log", () => {
  for (const [index, shape] of SHAPES.entries()) {
    const label = `${shape.compression}, ${shape.bigEndian ? "big" : "little"} endian, streams of ${shape.streamBytes} bytes`;

    it(`gives back every value of every module (${label})`, () => {
      const written = everyModuleLog(100 + index, shape);
      const log = open(written.bytes);
      const found = contents(log);
      for (const { spec, partial, records } of written.modules) {
        expect(log.module(spec.name)?.partial ?? false, spec.name).toBe(partial);
        expect(found.get(spec.name), spec.name).toEqual(records);
      }
      expect([...log.names.entries()].map(({ id, bytes }) => [id, new TextDecoder().decode(bytes)])).toEqual(
        written.names.map(({ id, name }) => [id, name]),
      );
      expect(log.job.commandLine).toBe("/bin/app --x=1");
      expect(log.job.jobId).toBe(2n ** 62n);
      expect(log.job.mounts.map(({ path, type }) => `${type} ${path}`)).toEqual(["lustre /scratch", "xfs /"]);
    });

    it(`means the same to the independent reader (${label})`, () => {
      const { bytes } = everyModuleLog(200 + index, shape);
      expect(firstDifference(readAsOracle(bytes, { codecs: nodeCodecs }), oracleRead(bytes))).toBeUndefined();
    });
  }

  it("is read the same by the codec that uses documented calls only", () => {
    const { bytes } = everyModuleLog(300, { streamBytes: 700 });
    const whole = readAsOracle(bytes, { codecs: { ...nodeCodecs, zlib: wholeZlib } });
    expect(firstDifference(whole, readAsOracle(bytes, { codecs: nodeCodecs }))).toBeUndefined();
  });

  it("has as many zlib streams as asked for, none of which cuts a record", () => {
    const one = everyModuleLog(5, { streamBytes: Number.POSITIVE_INFINITY });
    const many = everyModuleLog(5, { streamBytes: 1 });
    expect(many.bytes.length).toBeGreaterThan(one.bytes.length);
    const posix = open(many.bytes).module("POSIX");
    const region = many.bytes.subarray(
      posix?.region.offset,
      (posix?.region.offset ?? 0) + (posix?.region.length ?? 0),
    );
    let starts = 0;
    for (let i = 0; i + 1 < region.length; i++) if (region[i] === 0x78 && region[i + 1] === 0x9c) starts++;
    expect(starts).toBeGreaterThanOrEqual(6);
  });

  it("without names, records or mounts is still a log", () => {
    const sink = memorySink();
    const writer = new LogWriter(sink, { encoders: nodeEncoders });
    writer.job({ uid: 0, startSeconds: 1, endSeconds: 2, nprocs: 1, jobId: 1, commandLine: "" });
    writer.names([]);
    writer.finish();
    const log = open(sink.bytes());
    expect(log.names.size).toBe(0);
    expect(log.modules).toEqual([]);
    expect(oracleRead(sink.bytes()).modules).toEqual([]);
  });

  it("cuts a command line and mounts that do not fit, and says so", () => {
    const sink = memorySink();
    const writer = new LogWriter(sink, { encoders: nodeEncoders });
    writer.job({
      uid: 0,
      startSeconds: 1,
      endSeconds: 2,
      nprocs: 1,
      jobId: 1,
      commandLine: "x".repeat(5000),
      mounts: [{ type: "xfs", path: "/" }],
      metadata: [
        ["k", "v".repeat(2000)],
        ["a", "b"],
      ],
    });
    writer.names([]);
    writer.finish();
    const log = open(sink.bytes());
    expect(log.job.commandLine).toMatch(/^x{3004}<TRUNCATED>$/);
    expect(writer.warnings.length).toBe(3);
  });
});

describe("convert", () => {
  const convert = async (bytes: Uint8Array, options: object) => {
    const sink = memorySink();
    const result = await convertLog(open(bytes), sink, { encoders: nodeEncoders, ...options });
    return { bytes: sink.bytes(), result };
  };

  it("to any other shape and back gives the same bytes", async () => {
    const { bytes } = everyModuleLog(9, {});
    for (const shape of SHAPES) {
      const there = (await convert(bytes, shape)).bytes;
      const back = (await convert(there, {})).bytes;
      expect(Buffer.compare(back, bytes), JSON.stringify(shape)).toBe(0);
    }
  });

  it("keeps only the files that are asked for, with their datasets and traces", async () => {
    const { bytes, modules } = everyModuleLog(10, {});
    const wanted = "/scratch/p/file3.h5";
    const selected = await convert(bytes, {
      keepFile: (name: Uint8Array) => new TextDecoder().decode(name) === wanted,
    });
    const log = open(selected.bytes);
    expect([...log.names.entries()].map(({ bytes: name }) => new TextDecoder().decode(name))).toEqual([
      wanted,
    ]);
    const found = contents(log);
    for (const [name, records] of found) {
      const all = modules.find(({ spec }) => spec.name === name)?.records ?? [];
      expect(records, name).toEqual(all.slice(3, 4));
    }
    expect(found.has("HEATMAP")).toBe(false);
    expect(selected.result.warnings.some((line) => line.startsWith("HEATMAP: "))).toBe(true);
  });

  it("keeps only the modules that are asked for", async () => {
    const { bytes } = everyModuleLog(11, {});
    const { bytes: selected } = await convert(bytes, {
      keepModule: (name: string) => name === "STDIO" || name === "DXT_POSIX",
    });
    const log = open(selected);
    expect(log.modules.filter(({ region }) => region.length > 0).map(({ name }) => name)).toEqual([
      "STDIO",
      "DXT_POSIX",
    ]);
  });
});
