// Our reader in the oracle's normal form, so that the two can be compared.

import { DarshanLog, type OpenOptions } from "../../src/formats/darshan/log.ts";
import { decodeRecord, decodeSegments, type DarshanRecord } from "../../src/formats/darshan/records.ts";
import { bytesSource } from "../../src/base/source.ts";
import type { OracleLog, OracleModule, OracleRecord, OracleSegment } from "../oracle/darshan-oracle.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const text = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
const bits = (reals: Float64Array) => Array.from(new BigUint64Array(reals.slice().buffer));

export function readAsOracle(bytes: Uint8Array, options: OpenOptions): OracleLog {
  const log = new DarshanLog(bytesSource(bytes, "mutant"), options);
  const { job, header } = log;
  const mounts: [string, string][] = [];
  const lines = text(job.textBytes).split("\n").slice(1);
  for (const line of lines) {
    const tab = line.indexOf("\t");
    if (tab >= 0) mounts.push([line.slice(0, tab), line.slice(tab + 1)]);
  }
  if (job.mounts.length !== mounts.length) throw new Error("mounts were lost");
  const names = new Map<bigint, Uint8Array>();
  for (const { id, bytes: name } of log.names.entries()) names.set(id, name);
  return {
    version: header.version,
    bigEndian: header.bigEndian,
    compression: (["zlib", "bzip2", "none"] as const).indexOf(header.compression) as 0 | 1 | 2,
    job: {
      uid: job.uid,
      startSeconds: job.startSeconds,
      startNanoseconds: job.startNanoseconds,
      endSeconds: job.endSeconds,
      endNanoseconds: job.endNanoseconds,
      nprocs: job.nprocs,
      jobId: job.jobId,
      metadata: job.metadata.map(([key, value]) => [key, value] as [string, string]),
      commandLine: job.commandLine,
      mounts,
    },
    names,
    modules: log.modules
      .filter((entry) => entry.region.length > 0)
      .map((entry): OracleModule => {
        const base = {
          slot: entry.spec?.slots[2] ?? entry.slot,
          name: entry.name,
          version: entry.version,
          partial: entry.partial,
          leftOut: 0,
        };
        if (entry.spec === undefined) return { ...base, records: [], opaque: log.rawBytes(entry.region) };
        if (!log.readable(entry)) return { ...base, records: [], skipped: "newer" };
        if (entry.spec.kind === "dxt") return { ...base, records: traces(log, entry) };
        const records: OracleRecord[] = [];
        const before = log.warnings.length;
        for (const block of log.records(entry)) {
          for (let k = 0; k < block.count; k++)
            records.push(normal(entry.name, decodeRecord(entry.spec, block, k)));
        }
        const leftOut = Number(/^(\d+) .* left out$/.exec(log.warnings[before] ?? "")?.[1] ?? 0);
        return { ...base, records, leftOut };
      }),
  };
}

function traces(log: DarshanLog, entry: Parameters<DarshanLog["segments"]>[0]): OracleRecord[] {
  const records: OracleRecord[] = [];
  for (const block of log.segments(entry)) {
    const { record } = block;
    let current = records.at(-1);
    if (block.first === 0 || current === undefined) {
      current = {
        id: (BigInt(record.idHigh) << 32n) | BigInt(record.idLow),
        rank: record.rank,
        integers: [],
        reals: [],
        realBits: [],
        extra: { hostname: text(record.hostBytes), writes: [], reads: [] },
      };
      records.push(current);
    }
    decodeSegments(block).forEach((segment, s) => {
      const [start, end] = bits(Float64Array.of(segment.start, segment.end)) as [bigint, bigint];
      const list = block.first + s < record.writes ? current.extra.writes : current.extra.reads;
      (list as OracleSegment[]).push([segment.offset, segment.length, start, end, segment.thread ?? 0n]);
    });
  }
  return records;
}

function normal(name: string, record: DarshanRecord): OracleRecord {
  const base = { id: record.id, rank: record.rank };
  const counters = (integers: BigInt64Array, reals: Float64Array, unsigned = false) => ({
    integers: Array.from(integers, (value) => (unsigned ? BigInt.asUintN(64, value) : value)),
    reals: Array.from(reals),
    realBits: bits(reals),
  });
  const none = { integers: [], reals: [], realBits: [] };
  switch (record.kind) {
    case "lustre":
      return {
        ...base,
        ...none,
        extra: {
          components: record.components.map((c) => Array.from(c.counters)),
          pools: record.components.map((c) => text(c.pool)),
          osts: Array.from(record.osts),
        },
      };
    case "heatmap": {
      const width = bits(Float64Array.of(record.binSeconds))[0] as bigint;
      return {
        ...base,
        ...none,
        extra: {
          binWidthBits: width,
          nbins: BigInt(record.writeBins.length),
          writeBins: Array.from(record.writeBins),
          readBins: Array.from(record.readBins),
        },
      };
    }
    case "mdhim":
      return {
        ...base,
        ...counters(record.integers, record.reals),
        extra: { serverHistogram: Array.from(record.servers) },
      };
    case "header": {
      const all = counters(record.integers, record.reals);
      // The last value of APXC, the application id, is unsigned.
      if (record.syncFlag === undefined)
        return {
          ...base,
          ...all,
          integers: all.integers.map((v, i) => (i < 6 ? v : BigInt.asUintN(64, v))),
          extra: { kind: "header" },
        };
      return {
        ...base,
        ...all,
        integers: [...all.integers, BigInt(record.syncFlag)],
        extra: { kind: "header" },
      };
    }
    case "counters": {
      const all = counters(record.integers, record.reals);
      const extra: OracleRecord["extra"] = {};
      if (name === "APMPI")
        return {
          ...base,
          ...counters(record.integers, record.reals, true),
          extra: { kind: "data", nodeName: text(record.node as Uint8Array) },
        };
      if (name === "APXC")
        return {
          ...base,
          ...all,
          integers: all.integers.map((v, i) => (i < 4 ? v : BigInt.asUintN(64, v))),
          extra: { kind: "data" },
        };
      if (record.fileId !== undefined) extra.fileRecId = record.fileId;
      if (record.pool !== undefined) extra.poolUuid = hex(record.pool);
      if (record.container !== undefined) extra.containerUuid = hex(record.container);
      if (record.objectHigh !== undefined) extra.objectIdHigh = record.objectHigh;
      if (record.objectLow !== undefined) extra.objectIdLow = record.objectLow;
      return { ...base, ...all, extra };
    }
  }
}
