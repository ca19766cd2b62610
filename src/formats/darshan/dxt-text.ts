/** The lines of darshan-dxt-parser: every traced call, with the OSTs it touched where the layout is known. */
import { withRoom } from "../../base/room.ts";
import {
  ascii,
  padLeft,
  putAscii,
  putFixedRight,
  putInt64Right,
  putIntegerRight,
  putUint64,
  type TextWriter,
} from "../../base/text-writer.ts";
import { LOW } from "../../base/words.ts";
import type { SegmentBlock } from "./dxt.ts";
import type { ModuleEntry } from "./header.ts";
import type { DarshanLog } from "./log.ts";
import { decodeRecord, type LustreRecord } from "./records.ts";
import { type OnDamage, writeIncomplete, writeLogFacts, writeModuleTitle } from "./text.ts";

const NEWLINE = 10;

/** Everything darshan-dxt-parser prints. */
export function writeDxt(log: DarshanLog, out: TextWriter, onDamage: OnDamage): void {
  writeLogFacts(log, out);
  const traced = log.modules.filter((entry) => entry.spec?.kind === "dxt" && entry.region.length > 0);
  if (traced.length === 0) {
    out.text("\n# no DXT module data available for this Darshan log.\n");
    out.text("# To record it next time, set DXT_ENABLE_IO_TRACE=1 in the environment of the job.\n");
    return;
  }
  const layouts = readLayouts(log, onDamage);
  const threadCounts = new Map<ModuleEntry, Uint32Array>();
  for (const entry of traced) threadCounts.set(entry, countThreads(log, entry, onDamage));
  for (const entry of traced) {
    writeModuleTitle(entry, out, "***************************************************");
    if (entry.partial) writeIncomplete(entry, out);
    try {
      const threads = threadCounts.get(entry) ?? new Uint32Array(0);
      let records = 0;
      for (const block of log.segments(entry)) {
        if (block.first === 0) records++;
        writeBlock(log, entry, block, threads[records - 1] ?? 1, layouts, out);
      }
    } catch (error) {
      onDamage(entry, error);
      out.text(`\n# *WARNING*: the ${entry.name} data ends here: ${(error as Error).message}\n`);
    }
  }
}

/**
 * Different threads in each record, in order: the number stands in front of a record's first line, so the
 * region is read once before it is printed. That also finds damage before anything is printed.
 */
function countThreads(log: DarshanLog, entry: ModuleEntry, onDamage: OnDamage): Uint32Array {
  let counts = new Uint32Array(64);
  let records = 0;
  let threads = new Set<bigint>();
  try {
    for (const block of log.segments(entry)) {
      if (block.first === 0) {
        threads = new Set();
        if (++records > counts.length) counts = withRoom(counts, counts.length * 2);
      }
      if (block.stride === 5) collectThreads(block, threads);
      // Records without threads count as one.
      counts[records - 1] = Math.max(1, threads.size);
    }
  } catch (error) {
    onDamage(entry, error);
  }
  return counts;
}

function collectThreads(block: SegmentBlock, into: Set<bigint>): void {
  const { u32, u64 } = block.views;
  let low = -1;
  let high = -1;
  for (let s = 0; s < block.count; s++) {
    const word = block.at + s * block.stride + 4;
    const nextLow = u32[2 * word] as number;
    const nextHigh = u32[2 * word + 1] as number;
    // Calls of one thread come in runs, so most need no set.
    if (nextLow === low && nextHigh === high) continue;
    low = nextLow;
    high = nextHigh;
    into.add(u64[word] as bigint);
  }
}

/** Stripe layouts by record id, for the OST column. */
function readLayouts(log: DarshanLog, onDamage: OnDamage): Map<string, LustreRecord> {
  const layouts = new Map<string, LustreRecord>();
  const entry = log.module("LUSTRE");
  if (entry?.spec === undefined) return layouts;
  try {
    for (const block of log.records(entry)) {
      for (let k = 0; k < block.count; k++) {
        const record = decodeRecord(entry.spec, block, k) as LustreRecord;
        layouts.set(record.id.toString(), record);
      }
    }
  } catch (error) {
    onDamage(entry, error);
  }
  return layouts;
}

function writeBlock(
  log: DarshanLog,
  entry: ModuleEntry,
  block: SegmentBlock,
  threads: number,
  layouts: Map<string, LustreRecord>,
  out: TextWriter,
): void {
  const { record } = block;
  const posix = entry.name === "DXT_POSIX";
  const id = (BigInt(record.idHigh) << 32n) | BigInt(record.idLow);
  const name = log.names.bytesOf(record.idLow, record.idHigh);
  const mount = name === undefined ? undefined : log.job.mountOf(name);
  const layout = posix ? layouts.get(id.toString()) : undefined;
  if (block.first === 0) {
    out.text(`\n# DXT, file_id: ${id}, file_name: `);
    if (name === undefined) out.text("(null)");
    else out.raw(name);
    out.text(`\n# DXT, rank: ${record.rank}, hostname: `);
    out.raw(record.hostBytes);
    out.text(`\n# DXT, number of threads: ${threads}\n`);
    out.text(`# DXT, write_count: ${record.writes}, read_count: ${record.reads}\n`);
    out.text("# DXT, mnt_pt: ");
    if (mount === undefined) out.text("UNKNOWN, fs_type: UNKNOWN");
    else {
      out.raw(mount.pathBytes);
      out.text(", fs_type: ");
      out.raw(mount.typeBytes);
    }
    out.byte(NEWLINE);
    if (layout !== undefined) writeComponents(layout, out);
    out.text("# Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)      End(s)");
    out.text(layout !== undefined ? "   [OST]   Pthread-ID\n" : "   Pthread-ID\n");
  }
  writeSegments(posix ? " X_POSIX" : " X_MPIIO", block, layout, out);
}

function writeComponents(layout: LustreRecord, out: TextWriter): void {
  out.text("# DXT, Lustre stripe components:\n");
  let ost = 0;
  layout.components.forEach(({ counters }, index) => {
    const [size, count, , , start, end] = counters as unknown as bigint[];
    const osts: bigint[] = [];
    for (let s = 0n; s < (count as bigint) && ost < layout.osts.length; s++)
      osts.push(layout.osts[ost++] as bigint);
    out.text(
      `#\t[Component ${index + 1}] stripe_ext: ${start} - ${end === -1n ? "EOF" : end}, stripe_size: ${size}, stripe_count: ${count}, OSTs:${osts.map((o) => ` ${o}`).join("")}\n`,
    );
  });
}

/** `  X_POSIX rank write segment offset length start end [OSTs] thread`, in the reference's widths. */
function writeSegments(
  module: string,
  block: SegmentBlock,
  layout: LustreRecord | undefined,
  out: TextWriter,
): void {
  const { u32, i64, f64 } = block.views;
  const { record, stride } = block;
  // Module and rank are the same on every line.
  const rank = record.rank.toString().padStart(8);
  const writeHead = ascii(`${module}${rank}  write`);
  const readHead = ascii(`${module}${rank}   read`);
  for (let s = 0; s < block.count; s++) {
    out.reserve(900);
    const { bytes } = out;
    const word = block.at + s * stride;
    const index = block.first + s;
    const isWrite = index < record.writes;
    let at = out.at;
    const head = isWrite ? writeHead : readHead;
    for (let i = 0; i < head.length; i++) bytes[at++] = head[i] as number;
    at = putIntegerRight(bytes, at, 9, isWrite ? index : index - record.writes);
    at = putInt64Right(bytes, at, 16, u32[2 * word + LOW] as number, u32[2 * word + 1 - LOW] as number);
    at = putInt64Right(bytes, at, 16, u32[2 * word + 2 + LOW] as number, u32[2 * word + 3 - LOW] as number);
    at = putFixedRight(bytes, at, 12, f64[word + 2] as number, 4);
    at = putFixedRight(bytes, at, 12, f64[word + 3] as number, 4);
    bytes[at++] = 32;
    bytes[at++] = 32;
    if (layout !== undefined) {
      out.at = at;
      writeOsts(layout, i64[word] as bigint, i64[word + 1] as bigint, out);
      if (layout.components.length > 0) out.text("  ");
      out.reserve(32);
      at = out.at;
    }
    const line = out.bytes;
    line[at++] = 32;
    if (stride === 4) at = putAscii(line, at, "N/A");
    else
      at = padLeft(
        line,
        at,
        putUint64(line, at, u32[2 * word + 8 + LOW] as number, u32[2 * word + 9 - LOW] as number),
        4,
      );
    line[at++] = NEWLINE;
    out.at = at;
  }
}

/** ` [ost]` for each OST the access touches, at most once around the stripes of a component. */
function* touchedOsts(layout: LustreRecord, offset: bigint, length: bigint): Generator<bigint> {
  let position = offset;
  let listed = 0;
  let printed = 0n;
  const end = offset + length;
  for (const { counters } of layout.components) {
    const [size, count, , , start, last] = counters as unknown as [
      bigint,
      bigint,
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    if (count === 0n) continue;
    const limit = last === -1n ? undefined : last;
    if (size > 0n && position >= start && (limit === undefined || position < limit)) {
      let within = position - start;
      let stripe = (within / size) % count;
      while (position < end && (limit === undefined || position < limit)) {
        const ost = layout.osts[listed + Number(stripe)];
        if (ost !== undefined) yield ost;
        stripe = stripe === count - 1n ? 0n : stripe + 1n;
        within = (within / size + 1n) * size;
        position = start + within;
        printed++;
        // All stripes have been named; the rest of the component holds no new ones.
        if (printed >= count) {
          position = limit ?? end;
          break;
        }
      }
    }
    listed += Number(count);
  }
}

function writeOsts(layout: LustreRecord, offset: bigint, length: bigint, out: TextWriter): void {
  for (const ost of touchedOsts(layout, offset, length)) out.text(` [${ost}]`);
}
