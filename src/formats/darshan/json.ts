/**
 * Logs as one JSON document, written record by record so that a large log never stands in memory. Record ids
 * are strings; counters are numbers where a double holds them exactly and strings beyond; reals that JSON
 * cannot write (NaN, infinities) are strings.
 */
import type { TextWriter } from "../../base/text-writer.ts";
import { exactNumber } from "../../base/words.ts";
import type { RecordBlock } from "./blocks.ts";
import { counterValues, uuid } from "./counter-values.ts";
import type { SegmentBlock } from "./dxt.ts";
import type { ModuleEntry } from "./header.ts";
import { decode } from "./job.ts";
import type { DarshanLog } from "./log.ts";
import type { ModuleSpec } from "./modules/index.ts";
import { decodeRecord, decodeSegments } from "./records.ts";
import type { OnDamage, ParseSections } from "./text.ts";
import { type DerivedFigures, type FileCount, Totals } from "./totals.ts";

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** `{log, job, warnings, modules: {NAME: {version, partial, records: [{rank, id, name, counters}]}}}`. */
export function writeParseJson(
  log: DarshanLog,
  sections: ParseSections,
  out: TextWriter,
  onDamage: OnDamage,
): void {
  document(log, log.modules, out, onDamage, (entry) => {
    const { spec } = entry;
    if (spec?.kind === "dxt") {
      if (sections.base) writeTraceHeads(log, entry, out);
      return;
    }
    if (spec === undefined) {
      out.text(`,"records":[],"opaqueBytes":${entry.region.length}`);
      return;
    }
    const derived =
      spec.derived !== undefined && (sections.total || sections.file || sections.perf)
        ? new Totals(spec, spec.derived)
        : undefined;
    try {
      // Without the base section there is no list, rather than one that looks empty.
      const list = sections.base ? new List(out, "records") : undefined;
      let syncTimes = false;
      try {
        for (const block of log.records(entry)) {
          derived?.add(block);
          for (let k = 0; list !== undefined && k < block.count; k++) {
            const [text, sync] = recordJson(log, spec, block, k, syncTimes);
            syncTimes = sync;
            list.item(text);
          }
        }
      } finally {
        list?.end();
      }
    } finally {
      if (derived !== undefined) out.text(`,${figuresJson(spec, derived.figures(), sections)}`);
    }
  });
}

/** `{log, job, modules: {DXT_POSIX: {version, partial, records: [{rank, id, name, hostname, writes, reads}]}}}`. */
export function writeDxtJson(log: DarshanLog, out: TextWriter, onDamage: OnDamage): void {
  const entries = log.modules.filter((entry) => entry.spec?.kind === "dxt");
  document(log, entries, out, onDamage, (entry) => {
    const list = new List(out, "records");
    let way: List | undefined;
    let reading = false;
    const endRecord = () => {
      if (way === undefined) return;
      way.end();
      if (!reading) new List(out, "reads").end();
      out.text("}");
      way = undefined;
    };
    try {
      for (const block of log.segments(entry)) {
        if (block.first === 0) {
          endRecord();
          list.item(`${JSON.stringify(traceHead(log, block)).slice(0, -1)},`);
          way = new List(out, "writes", "");
          reading = false;
        }
        decodeSegments(block).forEach((segment, s) => {
          if (!reading && block.first + s >= block.record.writes) {
            way?.end();
            way = new List(out, "reads");
            reading = true;
          }
          const { offset, length, start, end, thread } = segment;
          way?.item(
            JSON.stringify({
              offset: exactNumber(offset),
              length: exactNumber(length),
              start: real(start),
              end: real(end),
              thread: thread?.toString(),
            }),
          );
        });
      }
    } finally {
      endRecord();
      list.end();
    }
  });
}

/** Traces in the document of counters: one entry per file and rank, with how many calls it holds. */
function writeTraceHeads(log: DarshanLog, entry: ModuleEntry, out: TextWriter): void {
  const list = new List(out, "records");
  try {
    for (const block of log.segments(entry)) {
      const { writes: writeCount, reads: readCount } = block.record;
      if (block.first === 0) list.item(JSON.stringify({ ...traceHead(log, block), writeCount, readCount }));
    }
  } finally {
    list.end();
  }
}

function traceHead(log: DarshanLog, { record }: SegmentBlock) {
  const id = (BigInt(record.idHigh) << 32n) | BigInt(record.idLow);
  return {
    rank: exactNumber(record.rank),
    id: id.toString(),
    name: log.names.get(id) ?? null,
    hostname: decode(record.hostBytes),
  };
}

/** What all documents have in common; `body` writes what follows the version of a module. */
function document(
  log: DarshanLog,
  entries: readonly ModuleEntry[],
  out: TextWriter,
  onDamage: OnDamage,
  body: (entry: ModuleEntry) => void,
): void {
  out.text(`{"log":${JSON.stringify(logJson(log))},"job":${JSON.stringify(jobJson(log))},"modules":{`);
  let first = true;
  for (const entry of entries) {
    if (!first) out.text(",");
    first = false;
    out.text(`${JSON.stringify(entry.name)}:{"version":${entry.version}`);
    let damaged = false;
    try {
      body(entry);
    } catch (error) {
      onDamage(entry, error);
      damaged = true;
      out.text(`,"damage":${JSON.stringify((error as Error).message)}`);
    }
    // Incomplete, whether the recorder ran out of memory or the file is damaged.
    out.text(`,"partial":${entry.partial || damaged}}`);
  }
  // Warnings come last: some arise while records are read.
  out.text(
    `},"warnings":${JSON.stringify(log.warnings)},"damage":${JSON.stringify(log.damage.map((error) => error.message))}}\n`,
  );
}

/** An array that is written item by item. */
class List {
  readonly #out: TextWriter;
  #empty = true;

  constructor(out: TextWriter, key: string, separator = ",") {
    this.#out = out;
    out.text(`${separator}"${key}":[`);
  }

  item(text: string): void {
    if (!this.#empty) this.#out.text(",");
    this.#empty = false;
    this.#out.text(text);
  }

  end(): void {
    this.#out.text("]");
  }
}

function logJson(log: DarshanLog): Json {
  const { header } = log;
  return {
    source: log.source.name,
    bytes: log.source.byteLength,
    version: header.version,
    byteOrder: header.bigEndian ? "big" : "little",
    compression: header.compression,
    regions: log.modules.map((entry) => ({
      module: entry.name,
      bytes: entry.region.length,
      version: entry.version,
      partial: entry.partial,
    })),
  };
}

function jobJson(log: DarshanLog): Json {
  const { job } = log;
  return {
    uid: exactNumber(job.uid),
    jobId: exactNumber(job.jobId),
    startSeconds: exactNumber(job.startSeconds),
    startNanoseconds: exactNumber(job.startNanoseconds),
    endSeconds: exactNumber(job.endSeconds),
    endNanoseconds: exactNumber(job.endNanoseconds),
    nprocs: exactNumber(job.nprocs),
    runTimeSeconds: job.runTimeSeconds,
    commandLine: job.commandLine,
    metadata: Object.fromEntries(job.metadata),
    mounts: job.mounts.map(({ path, type }) => ({ path, type })),
  };
}

/** One record, and whether APMPI's header said that waiting times are there. */
function recordJson(
  log: DarshanLog,
  spec: ModuleSpec,
  block: RecordBlock,
  k: number,
  syncTimes: boolean,
): [string, boolean] {
  const record = decodeRecord(spec, block, k);
  const sync = record.kind === "header" ? record.syncFlag !== undefined && record.syncFlag !== 0 : syncTimes;
  const counters: Record<string, Json> = {};
  for (const [name, value] of counterValues(spec, record, sync)) {
    counters[name] =
      typeof value === "bigint"
        ? name.endsWith("_FILE_REC_ID") || name === "POSIX_RENAMED_FROM"
          ? value.toString()
          : exactNumber(value)
        : typeof value === "number"
          ? real(value)
          : typeof value === "string"
            ? value
            : decode(value);
  }
  const extra: Record<string, Json> = {};
  if (record.kind === "counters" && record.pool !== undefined && record.container !== undefined) {
    extra.pool = uuid(record.pool, 0);
    extra.container = uuid(record.container, 0);
    if (record.objectHigh !== undefined) extra.object = `${record.objectHigh}.${record.objectLow}`;
  }
  const bytes = log.names.get(record.id);
  return [
    JSON.stringify({
      rank: exactNumber(record.rank),
      id: record.id.toString(),
      name: bytes ?? null,
      ...extra,
      counters,
    }),
    sync,
  ];
}

function figuresJson(spec: ModuleSpec, figures: DerivedFigures, sections: ParseSections): string {
  const parts: string[] = [];
  if (sections.total) {
    const total: Record<string, Json> = {};
    spec.integers.forEach(({ name }, i) => {
      total[name] = exactNumber(figures.integers[i] as bigint);
    });
    spec.reals.forEach(({ name }, i) => {
      total[name] = real(figures.reals[i] as number);
    });
    parts.push(`"total":${JSON.stringify(total)}`);
  }
  if (sections.file) {
    const row = ({ count, bytes, maxOffset }: FileCount) => ({
      count,
      bytes: exactNumber(bytes),
      maxOffset: exactNumber(maxOffset),
    });
    const rows = Object.fromEntries(Object.entries(figures.files).map(([name, files]) => [name, row(files)]));
    parts.push(`"files":${JSON.stringify(rows)}`);
  }
  if (sections.perf) {
    const {
      slowestRank,
      uniqueSeconds,
      uniqueMetaSeconds,
      uniqueTransferSeconds,
      sharedSeconds,
      totalSeconds,
      mebibytesPerSecond,
    } = figures;
    parts.push(
      `"performance":${JSON.stringify({
        totalBytes: exactNumber(figures.totalBytes),
        slowestRank,
        uniqueSeconds: real(uniqueSeconds),
        uniqueMetaSeconds: real(uniqueMetaSeconds),
        uniqueTransferSeconds: real(uniqueTransferSeconds),
        sharedSeconds: real(sharedSeconds),
        totalSeconds: real(totalSeconds),
        mebibytesPerSecond: real(mebibytesPerSecond),
      })}`,
    );
  }
  return parts.join(",");
}

function real(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
