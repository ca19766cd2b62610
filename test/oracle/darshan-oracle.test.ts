// Holds the oracle against what the reference tools printed for real logs.

import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { APMPI_DATA, COUNTER_NAMES } from "./counter-names.ts";
import {
  type OracleLog,
  type OracleModule,
  type OracleRecord,
  type OracleSegment,
  oracleRead,
} from "./darshan-oracle.ts";
import { hasPublicData, publicLogTable, referenceLogs as logs, referenceText } from "../reference-data.ts";

function truth(log: string, kind: "base" | "dxt"): string[] {
  return Buffer.from(referenceText(log, kind), "latin1").toString("utf8").split("\n");
}

const LUSTRE_PATTERNS = new Map<bigint, string>([
  [-1n, "N/A"],
  [0n, "raid0"],
  [2n, "mdt"],
  [4n, "raid0,overstriped"],
  [8n, "foreign"],
]);

/** One printed value: counter name and value. */
type Printed = [name: string, value: bigint | number | string];

function printedLustre(record: OracleRecord): Printed[] {
  const components = record.extra.components as bigint[][];
  const pools = record.extra.pools as string[];
  const osts = record.extra.osts as bigint[];
  const printed: Printed[] = [
    ["LUSTRE_NUM_COMPONENTS", BigInt(components.length)],
    ["LUSTRE_NUM_STRIPES", BigInt(osts.length)],
  ];
  let next = 0;
  components.forEach((counters, index) => {
    const prefix = `LUSTRE_COMP${index + 1}_`;
    const names = "STRIPE_SIZE STRIPE_COUNT STRIPE_PATTERN FLAGS EXT_START EXT_END MIRROR_ID".split(" ");
    names.forEach((name, at) => {
      printed.push([prefix + name, counters[at] as bigint]);
    });
    printed.push([`${prefix}POOL_NAME`, pools[index] as string]);
    for (let n = 0; n < Number(counters[1]); n++)
      printed.push([`${prefix}OST_ID_${n}`, osts[next++] as bigint]);
  });
  return printed;
}

function printedHeatmap(record: OracleRecord): Printed[] {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, record.extra.binWidthBits as bigint);
  const printed: Printed[] = [["HEATMAP_F_BIN_WIDTH_SECONDS", view.getFloat64(0)]];
  (record.extra.readBins as bigint[]).forEach((value, n) => {
    printed.push([`HEATMAP_READ_BIN_${n}`, value]);
  });
  (record.extra.writeBins as bigint[]).forEach((value, n) => {
    printed.push([`HEATMAP_WRITE_BIN_${n}`, value]);
  });
  return printed;
}

function printedApmpi(record: OracleRecord, withSync: boolean): Printed[] {
  if (record.extra.kind === "header") {
    const printed: Printed[] = [["MPI_TOTAL_COMM_TIME_VARIANCE", record.reals[0] as number]];
    if (withSync) printed.push(["MPI_TOTAL_COMM_SYNC_TIME_VARIANCE", record.reals[1] as number]);
    return printed;
  }
  const printed: Printed[] = [["MPI_PROCESSOR_NAME", record.extra.nodeName as string]];
  APMPI_DATA.integers.forEach((name, n) => {
    printed.push([name, record.integers[n] as bigint]);
  });
  APMPI_DATA.reals.forEach((name, n) => {
    if (withSync || !name.includes("SYNC_TIME")) printed.push([name, record.reals[n] as number]);
  });
  return printed;
}

function printedPlain(record: OracleRecord, module: string): Printed[] {
  const names = COUNTER_NAMES[module];
  if (!names) throw new Error(`no counter names for ${module}`);
  expect(record.integers.length).toBe(names.integers.length);
  expect(record.reals.length).toBe(names.reals.length);
  const file = record.extra.fileRecId;
  return [
    ...names.integers.map((name, n): Printed => [name, record.integers[n] as bigint]),
    ...names.reals.map((name, n): Printed => [name, record.reals[n] as number]),
    ...(typeof file === "bigint" ? [[`${module}_FILE_REC_ID`, file] as Printed] : []),
  ];
}

function printed(record: OracleRecord, module: OracleModule): Printed[] {
  if (module.name === "LUSTRE") return printedLustre(record);
  if (module.name === "HEATMAP") return printedHeatmap(record);
  if (module.name === "APMPI") return printedApmpi(record, module.records[0]?.integers[1] !== 0n);
  return printedPlain(record, module.name);
}

const BY_TRACE_TOOL = new Set(["DXT_POSIX", "DXT_MPIIO"]);
/** The reference tools were built without this module. */
const WITHOUT_TRUTH = new Set(["APXC"]);

const SWAPPED_LATE = new Set(["POSIX_F_META_TIME", "POSIX_F_MAX_READ_TIME", "POSIX_F_MAX_WRITE_TIME"]);
const VARIANCES = new Set(["POSIX_F_VARIANCE_RANK_TIME", "POSIX_F_VARIANCE_RANK_BYTES"]);
const RANK_TIMES = new Set(["POSIX_F_FASTEST_RANK_TIME", "POSIX_F_SLOWEST_RANK_TIME"]);

/** The known errors of the tools (section 12 of the format description). */
function toolIsWrong(log: OracleLog, module: OracleModule, counter: string, shown: string): boolean {
  if (module.name === "POSIX" && log.bigEndian && module.version < 4 && SWAPPED_LATE.has(counter))
    return true;
  if (module.name === "POSIX" && module.version === 3 && VARIANCES.has(counter)) return Number(shown) === 0;
  if (module.name === "POSIX" && module.version === 2) {
    return (VARIANCES.has(counter) || RANK_TIMES.has(counter)) && Number(shown) === 0;
  }
  if (module.name === "PNETCDF_FILE" && log.bigEndian && module.version < 3)
    return counter.endsWith("_OPENS");
  return false;
}

function sameValue(counter: string, value: bigint | number | string, shown: string): boolean {
  if (typeof value === "string") return shown === (value === "" ? "N/A" : value);
  if (typeof value === "bigint") {
    if (counter.endsWith("_STRIPE_PATTERN")) return shown === (LUSTRE_PATTERNS.get(value) ?? String(value));
    if (counter.endsWith("_FLAGS")) return /^-?\d+$/.test(shown) ? BigInt(shown) === value : value !== 0n;
    return BigInt.asUintN(64, BigInt(shown)) === BigInt.asUintN(64, value);
  }
  return Math.abs(Number(shown) - value) <= 5.0001e-7 + Math.abs(value) * 1e-15;
}

function headerLines(lines: string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const line of lines) {
    const match =
      /^# (exe|uid|jobid|start_time|end_time|nprocs|metadata|mount entry|compression method):[ \t]?(.*)$/.exec(
        line,
      );
    if (!match) continue;
    const key = match[1] as string;
    found.set(key, [...(found.get(key) ?? []), match[2] as string]);
  }
  return found;
}

describe.each(logs)("$name", ({ name, path }) => {
  const log = oracleRead(readFileSync(path));

  it("has the job the tools print", () => {
    const head = headerLines(truth(name, "base"));
    expect(head.get("uid")).toEqual([String(log.job.uid)]);
    expect(head.get("jobid")).toEqual([String(log.job.jobId)]);
    expect(head.get("start_time")).toEqual([String(log.job.startSeconds)]);
    expect(head.get("end_time")).toEqual([String(log.job.endSeconds)]);
    expect(head.get("nprocs")).toEqual([String(log.job.nprocs)]);
    // When a cut command line leaves no room for mounts, the tools show no command line at all.
    const cut = log.job.mounts.length === 0 && log.job.commandLine.endsWith("<TRUNCATED>");
    expect(head.get("exe")).toEqual([cut ? "" : log.job.commandLine]);
    expect(head.get("compression method")).toEqual([["ZLIB", "BZIP2", "NONE"][log.compression]]);
    expect(head.get("metadata") ?? []).toEqual(log.job.metadata.map(([key, value]) => `${key} = ${value}`));
    const mounts = log.job.mounts.map(([type, point]) => `${point}\t${type}`);
    expect((head.get("mount entry") ?? []).sort()).toEqual(mounts.sort());
  });

  it("has every value the tools print, in order, and no other", () => {
    const shownByModule = new Map<string, string[][]>();
    const incomplete = new Set<string>();
    for (const line of truth(name, "base")) {
      const warning = /^# \*WARNING\*: The (\S+) module contains incomplete data/.exec(line);
      if (warning) incomplete.add(warning[1] as string);
      const fields = line.split("\t");
      if (line.startsWith("#") || fields.length < 5) continue;
      const module = fields[0] as string;
      const list = shownByModule.get(module);
      if (list) list.push(fields);
      else shownByModule.set(module, [fields]);
    }
    const wrong: string[] = [];
    let excused = 0;
    for (const module of log.modules) {
      if (BY_TRACE_TOOL.has(module.name) || WITHOUT_TRUTH.has(module.name)) continue;
      if (!log.bigEndian) expect(module.partial).toBe(incomplete.has(module.name));
      const shown = shownByModule.get(module.name) ?? [];
      shownByModule.delete(module.name);
      let at = 0;
      for (const record of module.records) {
        for (const [counter, value] of printed(record, module)) {
          const fields = shown[at++] ?? [];
          const place = `${module.name} ${record.rank} ${record.id} ${counter}`;
          if (`${fields[0]} ${fields[1]} ${fields[2]} ${fields[3]}` !== place) {
            throw new Error(`expected ${place}, the tools print ${fields.slice(0, 5).join(" ")}`);
          }
          if (!sameValue(counter, value, fields[4] as string)) {
            if (toolIsWrong(log, module, counter, fields[4] as string)) excused++;
            else wrong.push(`${place}: ${value}, the tools print ${fields[4]}`);
          }
          const stored = log.names.get(record.id);
          if (stored && module.name !== "APMPI" && module.name !== "BG/Q" && module.name !== "DAOS") {
            if (Buffer.from(stored).toString() !== fields[5] && fields[5] !== "") {
              wrong.push(`${place}: name ${Buffer.from(stored)}, the tools print ${fields[5]}`);
            }
          }
          if (module.name === "DFS" || module.name === "DAOS") {
            const ids = `${record.extra.poolUuid}:${record.extra.containerUuid}`;
            if ((fields[6] ?? "").replaceAll("-", "") !== ids)
              wrong.push(`${place}: ${ids}, not ${fields[6]}`);
          }
          if (module.name === "DAOS") {
            const object = `${record.extra.objectIdHigh}.${record.extra.objectIdLow}`;
            if (fields[5] !== object) wrong.push(`${place}: object ${object}, not ${fields[5]}`);
          }
        }
      }
      expect(at).toBe(shown.length);
    }
    expect(wrong).toEqual([]);
    expect([...shownByModule.keys()]).toEqual([]);
    // As many as the tools are known to get wrong, so that no excuse hides a fault of the oracle.
    expect(excused).toBe(knownToolErrors(name));
  });

  it("has every trace segment the tools print", () => {
    const lines = truth(name, "dxt");
    const shown: string[] = [];
    let id = "";
    let rank = "";
    let host = "";
    const exact: { start: number; end: number }[] = [];
    for (const line of lines) {
      const file = /^# DXT, file_id: (\d+),/.exec(line);
      if (file) id = file[1] as string;
      const place = /^# DXT, rank: (-?\d+), hostname: (.*)$/.exec(line);
      if (place) {
        rank = place[1] as string;
        host = place[2] as string;
      }
      if (!/^ *X_(POSIX|MPIIO)/.test(line)) continue;
      const words = line.trim().split(/\s+/);
      expect(words[1]).toBe(rank);
      const thread = words.at(-1) === "N/A" ? "0" : words.at(-1);
      shown.push([words[0], id, rank, host, words[2], words[3], words[4], words[5], thread].join(" "));
      exact.push({ start: Number(words[6]), end: Number(words[7]) });
    }
    const held: string[] = [];
    const heldTimes: { start: number; end: number }[] = [];
    const view = new DataView(new ArrayBuffer(8));
    const real = (bits: bigint): number => {
      view.setBigUint64(0, bits);
      return view.getFloat64(0);
    };
    for (const module of log.modules) {
      if (!BY_TRACE_TOOL.has(module.name)) continue;
      for (const record of module.records) {
        for (const kind of ["write", "read"] as const) {
          (record.extra[`${kind}s`] as OracleSegment[]).forEach(([offset, length, start, end, thread], n) => {
            const host = record.extra.hostname as string;
            held.push(
              [
                `X_${module.name.slice(4)}`,
                record.id,
                record.rank,
                host,
                kind,
                n,
                offset,
                length,
                thread,
              ].join(" "),
            );
            heldTimes.push({ start: real(start), end: real(end) });
          });
        }
      }
    }
    expect(held).toEqual(shown);
    heldTimes.forEach((times, n) => {
      const want = exact[n] as { start: number; end: number };
      expect(Math.abs(times.start - want.start)).toBeLessThanOrEqual(5.0001e-5);
      expect(Math.abs(times.end - want.end)).toBeLessThanOrEqual(5.0001e-5);
    });
  });
});

/** Values the tools get wrong per log, from the table that comes with the logs. */
function knownToolErrors(log: string): number {
  const rows = hasPublicData ? publicLogTable() : [];
  return Number(rows.find((row) => row.log?.split("/").at(-1) === `${log}.darshan`)?.value_mismatches ?? 0);
}

describe("the oracle on real logs", () => {
  it("has logs to be compared with", () => {
    expect(logs.length).toBe(hasPublicData ? 46 : 3);
  });
});

describe("damage", () => {
  const bytes = readFileSync(new URL("../fixtures/darshan/mpiio4_dxt.darshan", import.meta.url));

  it("is found in every truncation", () => {
    for (let length = 0; length < bytes.length; length += 7) {
      expect(() => oracleRead(bytes.subarray(0, length)), `${length} bytes`).toThrow();
    }
  });

  it("is told from a limit", () => {
    expect(() => oracleRead(bytes, { plainBytesMax: 2000 })).toThrow(
      expect.objectContaining({ kind: "limit" }),
    );
  });

  it("is not seen in a second, empty stream", () => {
    // The last region lies at the end of the file, so a stream can be added there.
    const grown = Buffer.concat([bytes, deflateSync(Buffer.alloc(0))]);
    const lastLengthAt = 48 + 16 * 15 + 8;
    grown.writeBigUInt64LE(grown.readBigUInt64LE(lastLengthAt) + 8n, lastLengthAt);
    expect(oracleRead(grown).modules.at(-1)?.records).toEqual(oracleRead(bytes).modules.at(-1)?.records);
  });
});
