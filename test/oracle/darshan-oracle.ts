// A deliberately plain reader for Darshan 3.x logs, used only to check the product's reader.
// It follows the format description literally, holds everything in memory and shares no code
// with the product.

import { spawnSync } from "node:child_process";
import { inflateSync } from "node:zlib";

export class OracleError extends Error {
  /** "damaged": the bytes break the format. "limit": more plain bytes than allowed. */
  readonly kind: "damaged" | "limit";

  constructor(message: string, kind: "damaged" | "limit" = "damaged") {
    super(message);
    this.name = "OracleError";
    this.kind = kind;
  }
}

/** [file offset, length, start time bits, end time bits, thread id (0 where not recorded)] */
export type OracleSegment = [bigint, bigint, bigint, bigint, bigint];

export type OracleExtra = bigint | number | string | bigint[] | bigint[][] | string[] | OracleSegment[];

export interface OracleRecord {
  id: bigint;
  rank: bigint;
  integers: bigint[];
  reals: number[];
  realBits: bigint[];
  extra: Record<string, OracleExtra>;
}

export interface OracleModule {
  /** Slot in the numbering of 3.41; for a slot without assignment, its number in the file. */
  slot: number;
  name: string;
  version: number;
  partial: boolean;
  records: OracleRecord[];
  /** POSIX version 1 records that mix in stdio data and cannot be upgraded. */
  leftOut: number;
  skipped?: "newer";
  /** The region's bytes as they stand in the file, for slots without assignment. */
  opaque?: Uint8Array;
}

export interface OracleJob {
  uid: bigint;
  startSeconds: bigint;
  startNanoseconds: bigint;
  endSeconds: bigint;
  endNanoseconds: bigint;
  nprocs: bigint;
  jobId: bigint;
  metadata: [string, string][];
  commandLine: string;
  mounts: [string, string][];
}

export interface OracleLog {
  version: string;
  bigEndian: boolean;
  compression: 0 | 1 | 2;
  job: OracleJob;
  names: Map<bigint, Uint8Array>;
  modules: OracleModule[];
}

export interface OracleLimits {
  /** Plain bytes of all regions together; no limit when absent. */
  plainBytesMax?: number;
  /** Expands concatenated bzip2 streams; must throw on damage and above `plainMax` bytes. */
  bunzip2?: (packed: Uint8Array, plainMax: number) => Uint8Array;
}

/** The container taken apart: what the header says, and each region still packed. */
export interface OracleParts {
  minor: number;
  bigEndian: boolean;
  compression: 0 | 1 | 2;
  headerBytes: number;
  partial: bigint;
  job: Uint8Array;
  /** Absent when its length is zero. */
  names?: Uint8Array;
  /** Only slots whose length is not zero; slot numbers as in the file. */
  modules: { fileSlot: number; version: number; packed: Uint8Array }[];
}

const MAGIC = 6567223n;
const JOB_PLAIN_MAX = 4096;

const MODULES_341 = [
  "NULL",
  "POSIX",
  "MPI-IO",
  "H5F",
  "H5D",
  "PNETCDF_FILE",
  "PNETCDF_VAR",
  "BG/Q",
  "LUSTRE",
  "STDIO",
  "DXT_POSIX",
  "DXT_MPIIO",
  "MDHIM",
  "APXC",
  "APMPI",
  "HEATMAP",
  "DFS",
  "DAOS",
];

/** File slot to 3.41 slot, for each minor version; beyond the end of the list: no assignment. */
const SLOT_MAPS: Record<number, number[]> = {
  0: [0, 1, 2, 3, 5, 7, 8, 9, 10, 11, 12],
  10: [0, 1, 2, 3, 5, 7, 8, 9, 10, 11, 12],
  20: [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  21: [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  41: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
};

export const NEWEST_RECORD_VERSION: Readonly<Record<string, number>> = {
  NULL: 1,
  POSIX: 4,
  "MPI-IO": 3,
  H5F: 3,
  H5D: 2,
  PNETCDF_FILE: 3,
  PNETCDF_VAR: 1,
  "BG/Q": 2,
  LUSTRE: 2,
  STDIO: 2,
  DXT_POSIX: 2,
  DXT_MPIIO: 3,
  MDHIM: 1,
  APXC: 1,
  APMPI: 1,
  HEATMAP: 1,
  DFS: 1,
  DAOS: 1,
};

/** The module name for a slot of a file of the given minor version, or undefined when unassigned. */
export function moduleAt(minor: number, fileSlot: number): { slot: number; name: string } | undefined {
  const slot = SLOT_MAPS[minor]?.[fileSlot];
  if (slot === undefined) return undefined;
  return { slot, name: MODULES_341[slot] as string };
}

/** The slots of a file of the given minor version that have a module. */
export function assignedSlots(minor: number): number {
  return (SLOT_MAPS[minor] ?? []).length;
}

function text(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function untilNul(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Reads values one after another; complains when the bytes run out. */
class Cursor {
  readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly little: boolean;
  private readonly what: string;
  at = 0;

  constructor(bytes: Uint8Array, bigEndian: boolean, what: string) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.little = !bigEndian;
    this.what = what;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  private step(size: number): number {
    if (this.left < size) throw new OracleError(`${this.what}: ends in an incomplete record`);
    const at = this.at;
    this.at += size;
    return at;
  }

  u32(): number {
    return this.view.getUint32(this.step(4), this.little);
  }

  u64(): bigint {
    return this.view.getBigUint64(this.step(8), this.little);
  }

  i64(): bigint {
    return this.view.getBigInt64(this.step(8), this.little);
  }

  take(size: number): Uint8Array {
    const at = this.step(size);
    return this.bytes.subarray(at, at + size);
  }

  i64s(count: number): bigint[] {
    this.need(count, 8);
    const values: bigint[] = [];
    for (let n = 0; n < count; n++) values.push(this.i64());
    return values;
  }

  u64s(count: number): bigint[] {
    this.need(count, 8);
    const values: bigint[] = [];
    for (let n = 0; n < count; n++) values.push(this.u64());
    return values;
  }

  /** Checks that `count` items of `size` bytes are there before any array is made for them. */
  need(count: number, size: number): void {
    if (this.left < count * size) throw new OracleError(`${this.what}: ends in an incomplete record`);
  }

  /** An i64 that counts items of at least `size` bytes each. */
  count(size: number): number {
    const value = this.i64();
    if (value < 0n) throw new OracleError(`${this.what}: negative count ${value}`);
    if (value * BigInt(size) > BigInt(this.bytes.length)) {
      throw new OracleError(`${this.what}: count ${value} needs more bytes than there are`);
    }
    return Number(value);
  }
}

// ---------------------------------------------------------------------------------------------
// Container

export function oracleParts(bytes: Uint8Array): OracleParts {
  if (bytes.length < 16) throw new OracleError("shorter than a version and a magic number");
  const versionText = String.fromCharCode(...untilNul(bytes.subarray(0, 8)));
  const found = /^([0-9]+)\.([0-9]+)$/.exec(versionText);
  if (!found) throw new OracleError("no version at the start");
  const major = Number(found[1]);
  const minor = Number(found[2]);
  if (major !== 3 || SLOT_MAPS[minor] === undefined)
    throw new OracleError(`unknown version ${major}.${minor}`);

  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let bigEndian = false;
  if (view.getBigInt64(8, true) !== MAGIC) {
    if (view.getBigInt64(8, false) !== MAGIC) throw new OracleError("no magic number");
    bigEndian = true;
  }
  const little = !bigEndian;

  const wide = minor >= 41;
  const headerBytes = wide ? 1328 : 360;
  if (bytes.length < headerBytes) throw new OracleError("shorter than its header");
  const slots = wide ? 64 : 16;
  const compression = bytes[16] as number;
  if (compression > 2) throw new OracleError(`unknown compression ${compression}`);
  const partial = wide ? view.getBigUint64(24, little) : BigInt(view.getUint32(20, little));
  const nameMapAt = wide ? 32 : 24;
  const mapsAt = wide ? 48 : 40;
  const versionsAt = wide ? 1072 : 296;

  const regions: { start: bigint; end: bigint }[] = [];
  const region = (at: number): Uint8Array | undefined => {
    const start = view.getBigUint64(at, little);
    const length = view.getBigUint64(at + 8, little);
    if (length === 0n) return undefined;
    const end = start + length;
    if (end > BigInt(bytes.length)) throw new OracleError("a region reaches beyond the end of the file");
    if (start < BigInt(headerBytes)) throw new OracleError("a region overlaps the header");
    for (const other of regions) {
      if (start < other.end && other.start < end) throw new OracleError("two regions overlap");
    }
    regions.push({ start, end });
    return bytes.subarray(Number(start), Number(end));
  };

  const names = region(nameMapAt);
  const modules: OracleParts["modules"] = [];
  for (let fileSlot = 0; fileSlot < slots; fileSlot++) {
    const packed = region(mapsAt + 16 * fileSlot);
    if (!packed) continue;
    const version = view.getUint32(versionsAt + 4 * fileSlot, little);
    if (version === 0) throw new OracleError(`slot ${fileSlot} has data but version 0`);
    modules.push({ fileSlot, version, packed });
  }

  let jobEnd = bytes.length;
  for (const { start } of regions) jobEnd = Math.min(jobEnd, Number(start));
  // Without compression the job region is a fixed block and unused space may follow it.
  if (compression === 2) jobEnd = Math.min(jobEnd, headerBytes + JOB_PLAIN_MAX);
  const job = bytes.subarray(headerBytes, jobEnd);
  if (job.length === 0) throw new OracleError("no job region");

  const parts: OracleParts = {
    minor,
    bigEndian,
    compression: compression as 0 | 1 | 2,
    headerBytes,
    partial,
    job,
    modules,
  };
  if (names) parts.names = names;
  return parts;
}

function bunzip2ByCommand(packed: Uint8Array, plainMax: number): Uint8Array {
  const run = spawnSync("bzip2", ["-dc"], { input: packed, maxBuffer: plainMax + 1 });
  if (run.error) {
    if ((run.error as NodeJS.ErrnoException).code === "ENOBUFS") {
      throw new OracleError("more plain bytes than allowed", "limit");
    }
    // The command stops reading early when the very start is wrong.
    if ((run.error as NodeJS.ErrnoException).code !== "EPIPE") throw run.error;
  }
  // Bytes after the last stream only make the command warn; here they are damage.
  if (run.status !== 0 || run.stderr.length > 0) throw new OracleError("a bzip2 stream is damaged");
  return run.stdout;
}

export class Expander {
  private left: number;
  private readonly compression: 0 | 1 | 2;
  private readonly bunzip2: (packed: Uint8Array, plainMax: number) => Uint8Array;

  constructor(compression: 0 | 1 | 2, limits: OracleLimits) {
    this.compression = compression;
    this.left = limits.plainBytesMax ?? 2 ** 31 - 2;
    this.bunzip2 = limits.bunzip2 ?? bunzip2ByCommand;
  }

  expand(packed: Uint8Array): Uint8Array {
    if (this.compression === 2) return this.spend(packed);
    if (this.compression === 1) return this.spend(this.bunzip2(packed, this.left));
    const pieces: Uint8Array[] = [];
    let at = 0;
    while (at < packed.length) {
      const { plain, used } = this.inflateOne(packed.subarray(at));
      pieces.push(this.spend(plain));
      at += used;
    }
    return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
  }

  private inflateOne(packed: Uint8Array): { plain: Uint8Array; used: number } {
    try {
      const result = inflateSync(packed, { info: true, maxOutputLength: this.left + 1 }) as unknown as {
        buffer: Buffer;
        engine: { bytesWritten: number };
      };
      return { plain: result.buffer, used: result.engine.bytesWritten };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
        throw new OracleError("more plain bytes than allowed", "limit");
      }
      throw new OracleError(`a zlib stream is damaged: ${(error as Error).message}`);
    }
  }

  private spend(plain: Uint8Array): Uint8Array {
    if (plain.length > this.left) throw new OracleError("more plain bytes than allowed", "limit");
    this.left -= plain.length;
    return plain;
  }
}

// ---------------------------------------------------------------------------------------------
// Job and names

function readJob(plain: Uint8Array, minor: number, bigEndian: boolean): OracleJob {
  if (plain.length > JOB_PLAIN_MAX) throw new OracleError(`job region of ${plain.length} plain bytes`);
  const fixed = minor >= 41 ? 1080 : 1064;
  if (plain.length < fixed) throw new OracleError("job region shorter than the job record");
  const cursor = new Cursor(plain, bigEndian, "job");
  const nanoseconds = () => (minor >= 41 ? cursor.i64() : 0n);
  const uid = cursor.i64();
  const startSeconds = cursor.i64();
  const startNanoseconds = nanoseconds();
  const endSeconds = cursor.i64();
  const endNanoseconds = nanoseconds();
  const nprocs = cursor.i64();
  const jobId = cursor.i64();

  const metadata: [string, string][] = [];
  for (const line of text(untilNul(cursor.take(1024))).split("\n")) {
    if (line === "") continue;
    const equals = line.indexOf("=");
    // A line without "=" is an annotation: all key, no value.
    metadata.push(equals < 0 ? [line, ""] : [line.slice(0, equals), line.slice(equals + 1)]);
  }

  const [commandLine = "", ...rest] = text(untilNul(plain.subarray(fixed))).split("\n");
  const mounts: [string, string][] = [];
  for (const line of rest) {
    const tab = line.indexOf("\t");
    if (tab >= 0) mounts.push([line.slice(0, tab), line.slice(tab + 1)]);
  }
  return {
    uid,
    startSeconds,
    startNanoseconds,
    endSeconds,
    endNanoseconds,
    nprocs,
    jobId,
    metadata,
    commandLine,
    mounts,
  };
}

function readNames(plain: Uint8Array, minor: number, bigEndian: boolean): Map<bigint, Uint8Array> {
  const names = new Map<bigint, Uint8Array>();
  const cursor = new Cursor(plain, bigEndian, "names");
  while (cursor.left > 0) {
    const id = cursor.u64();
    let name: Uint8Array;
    if (minor < 10) {
      name = cursor.take(cursor.u32());
    } else {
      const end = plain.indexOf(0, cursor.at);
      if (end < 0) throw new OracleError("names: an entry without its end");
      name = cursor.take(end - cursor.at);
      cursor.take(1);
    }
    const known = names.get(id);
    if (known === undefined || (known.length === 0 && name.length > 0)) names.set(id, name);
  }
  return names;
}

// ---------------------------------------------------------------------------------------------
// Records

const MINUS_ONE_REAL = 0xbff0000000000000n;

const scratch = new DataView(new ArrayBuffer(8));

function realOf(bits: bigint): number {
  scratch.setBigUint64(0, bits);
  return scratch.getFloat64(0);
}

function makeRecord(
  id: bigint,
  rank: bigint,
  integers: bigint[],
  realBits: bigint[],
  extra: Record<string, OracleExtra> = {},
): OracleRecord {
  return { id, rank, integers, reals: realBits.map(realOf), realBits, extra };
}

/** Integer and real counters as they stand in the file, for modules of that simple kind. */
const PLAIN_LAYOUTS: Record<string, [number, number]> = {
  "NULL 1": [2, 2],
  "POSIX 1": [68, 15],
  "POSIX 2": [64, 15],
  "POSIX 3": [64, 17],
  "POSIX 4": [69, 17],
  "MPI-IO 1": [51, 15],
  "MPI-IO 2": [51, 15],
  "MPI-IO 3": [51, 17],
  "STDIO 1": [13, 15],
  "STDIO 2": [14, 15],
  "H5F 1": [1, 2],
  "H5F 2": [1, 4],
  "H5F 3": [3, 5],
  "H5D 1": [94, 17],
  "H5D 2": [94, 17],
  "PNETCDF_FILE 1": [2, 2],
  "PNETCDF_FILE 2": [2, 4],
  "PNETCDF_FILE 3": [9, 8],
  "PNETCDF_VAR 1": [120, 17],
  "BG/Q 1": [11, 1],
  "BG/Q 2": [11, 1],
  "DFS 1": [52, 15],
  "DAOS 1": [64, 15],
};

/** Puts two "not recorded" times behind the first `before` ones. */
function insertTwoTimes(bits: bigint[], before: number): bigint[] {
  return [...bits.slice(0, before), MINUS_ONE_REAL, MINUS_ONE_REAL, ...bits.slice(before)];
}

/** Brings one plain record to the current version; undefined when it must be left out. */
function upgrade(name: string, version: number, record: OracleRecord): OracleRecord | undefined {
  let i = record.integers;
  let r = record.realBits;
  const f = MINUS_ONE_REAL;
  if (name === "POSIX") {
    if (version < 2) {
      if ((i[6] as bigint) > 0n) return undefined;
      i = [...i.slice(0, 6), ...i.slice(10)];
    }
    if (version < 3) r = insertTwoTimes(r, 3);
    if (version < 4) i = [...i.slice(0, 1), -1n, -1n, ...i.slice(1, 8), -1n, -1n, 0n, ...i.slice(8)];
  } else if (name === "MPI-IO" && version < 3) {
    r = insertTwoTimes(r, 3);
  } else if (name === "STDIO" && version < 2) {
    i = [...i.slice(0, 1), -1n, ...i.slice(1)];
  } else if (name === "H5F") {
    if (version < 2) r = insertTwoTimes(r, 1);
    if (version < 3) {
      i = [...i, -1n, -1n];
      r = [...r, f];
    }
  } else if (name === "PNETCDF_FILE") {
    if (version < 2) r = insertTwoTimes(r, 1);
    if (version < 3) {
      const opens = BigInt.asIntN(64, (i[0] as bigint) + (i[1] as bigint));
      i = [-1n, opens, -1n, -1n, -1n, -1n, -1n, -1n, -1n];
      r = [r[0] as bigint, r[1] as bigint, f, r[2] as bigint, r[3] as bigint, f, f, f];
    }
  }
  return makeRecord(record.id, record.rank, i, r, record.extra);
}

function readPlainRecord(cursor: Cursor, name: string, version: number): OracleRecord {
  const layout = PLAIN_LAYOUTS[`${name} ${version}`];
  if (!layout) throw new Error(`the oracle lacks a layout for ${name} version ${version}`);
  const id = cursor.u64();
  const rank = cursor.i64();
  const extra: Record<string, OracleExtra> = {};
  if (name === "H5D") extra.fileRecId = version >= 2 ? cursor.u64() : 0n;
  if (name === "PNETCDF_VAR") extra.fileRecId = cursor.u64();
  if (name === "BG/Q" && version === 1) cursor.take(8);
  const integers = cursor.i64s(layout[0]);
  const realBits = cursor.u64s(layout[1]);
  if (name === "DFS" || name === "DAOS") {
    extra.poolUuid = hex(cursor.take(16));
    extra.containerUuid = hex(cursor.take(16));
  }
  if (name === "DAOS") {
    extra.objectIdHigh = cursor.u64();
    extra.objectIdLow = cursor.u64();
  }
  return makeRecord(id, rank, integers, realBits, extra);
}

function readLustre(cursor: Cursor, version: number): OracleRecord {
  const id = cursor.u64();
  const rank = cursor.i64();
  if (version === 1) {
    cursor.take(24);
    const stripeSize = cursor.i64();
    const width = cursor.count(8);
    const osts = cursor.i64s(width);
    const component = [stripeSize, BigInt(width), -1n, -1n, 0n, -1n, -1n];
    return makeRecord(id, rank, [], [], { components: [component], pools: [""], osts });
  }
  const componentCount = cursor.count(72);
  const stripeCount = cursor.count(8);
  let components: bigint[][] = [];
  let pools: string[] = [];
  cursor.need(componentCount, 72);
  for (let c = 0; c < componentCount; c++) {
    components.push(cursor.i64s(7));
    pools.push(text(untilNul(cursor.take(16))));
  }
  let osts = cursor.i64s(stripeCount);
  const unused = components.findIndex((component) => component[0] === -1n);
  if (unused >= 0) {
    components = components.slice(0, unused);
    pools = pools.slice(0, unused);
    let used = 0n;
    for (const component of components) used += component[1] as bigint;
    if (used < 0n || used > BigInt(stripeCount)) {
      throw new OracleError("LUSTRE: the components in use name more stripes than there are");
    }
    osts = osts.slice(0, Number(used));
  }
  return makeRecord(id, rank, [], [], { components, pools, osts });
}

function readTrace(cursor: Cursor, name: string, version: number): OracleRecord {
  const id = cursor.u64();
  const rank = cursor.i64();
  cursor.i64();
  const hostname = text(untilNul(cursor.take(64)));
  const withThread = name === "DXT_POSIX" ? version >= 2 : version >= 3;
  const withoutOffset = name === "DXT_MPIIO" && version === 1;
  const size = withThread ? 40 : 32;
  const writeCount = cursor.count(size);
  const readCount = cursor.count(size);
  cursor.need(writeCount + readCount, size);
  const segment = (): OracleSegment => {
    const offset = cursor.i64();
    const length = cursor.i64();
    const start = cursor.u64();
    const end = cursor.u64();
    const thread = withThread ? cursor.u64() : 0n;
    return [withoutOffset ? -1n : offset, length, start, end, thread];
  };
  const writes = Array.from({ length: writeCount }, segment);
  const reads = Array.from({ length: readCount }, segment);
  return makeRecord(id, rank, [], [], { hostname, writes, reads });
}

function readHeatmap(cursor: Cursor): OracleRecord {
  const id = cursor.u64();
  const rank = cursor.i64();
  const binWidthBits = cursor.u64();
  const bins = cursor.count(16);
  cursor.take(16);
  const writeBins = cursor.i64s(bins);
  const readBins = cursor.i64s(bins);
  return makeRecord(id, rank, [], [], { binWidthBits, nbins: BigInt(bins), writeBins, readBins });
}

/**
 * Logs of 3.4.0 to 3.4.3 may hold records one bin longer or shorter than the first, at equal width: the last bin is
 * dropped, or a zero bin appended. The first is the first that has any bins.
 */
function likeTheFirst(record: OracleRecord, seen: { bins?: bigint; width?: number }): OracleRecord {
  const evened = evenedOut(record, seen);
  // Kept here, since a search through all records would take time in the square of their number.
  const width = realOf(evened.extra.binWidthBits as bigint);
  if (seen.bins === undefined && evened.extra.nbins !== 0n) seen.bins = evened.extra.nbins as bigint;
  if (seen.width === undefined && width !== 0) seen.width = width;
  return evened;
}

function evenedOut(record: OracleRecord, seen: { bins?: bigint; width?: number }): OracleRecord {
  const bins = seen.bins ?? (record.extra.nbins as bigint);
  if (seen.width !== undefined && realOf(record.extra.binWidthBits as bigint) !== seen.width) return record;
  const { nbins, writeBins, readBins } = record.extra as {
    nbins: bigint;
    writeBins: bigint[];
    readBins: bigint[];
  };
  if (nbins === bins + 1n)
    return {
      ...record,
      extra: {
        ...record.extra,
        nbins: bins,
        writeBins: writeBins.slice(0, -1),
        readBins: readBins.slice(0, -1),
      },
    };
  if (nbins === bins - 1n)
    return {
      ...record,
      extra: { ...record.extra, nbins: bins, writeBins: [...writeBins, 0n], readBins: [...readBins, 0n] },
    };
  return record;
}

function readMdhim(cursor: Cursor): OracleRecord {
  const id = cursor.u64();
  const rank = cursor.i64();
  const integers = cursor.i64s(4);
  const servers = cursor.count(8);
  integers.push(BigInt(servers));
  const realBits = cursor.u64s(4);
  const serverHistogram = cursor.i64s(Math.max(1, servers));
  return makeRecord(id, rank, integers, realBits, { serverHistogram });
}

function readApmpi(cursor: Cursor, first: boolean): OracleRecord {
  const id = cursor.u64();
  const rank = cursor.i64();
  if (first) {
    const magic = cursor.i64();
    const syncFlag = BigInt(cursor.u32());
    cursor.take(4);
    return makeRecord(id, rank, [magic, syncFlag], cursor.u64s(2), { kind: "header" });
  }
  const integers = cursor.u64s(396);
  const realBits = cursor.u64s(222 + 16 + 2);
  const nodeName = text(untilNul(cursor.take(128)));
  return makeRecord(id, rank, integers, realBits, { kind: "data", nodeName });
}

function readApxc(cursor: Cursor, first: boolean): OracleRecord {
  const id = cursor.u64();
  const rank = cursor.i64();
  if (first) {
    const integers = cursor.i64s(6);
    integers.push(cursor.u64());
    return makeRecord(id, rank, integers, [], { kind: "header" });
  }
  const place = cursor.i64s(4);
  return makeRecord(id, rank, [...place, ...cursor.u64s(392)], [], { kind: "data" });
}

function readModule(module: OracleModule, plain: Uint8Array, bigEndian: boolean): void {
  const { name, version, records } = module;
  const cursor = new Cursor(plain, bigEndian, name);
  const seenHeatmap = {};
  let first = true;
  while (cursor.left > 0) {
    let record: OracleRecord | undefined;
    if (name === "LUSTRE") record = readLustre(cursor, version);
    else if (name === "DXT_POSIX" || name === "DXT_MPIIO") record = readTrace(cursor, name, version);
    else if (name === "HEATMAP") record = likeTheFirst(readHeatmap(cursor), seenHeatmap);
    else if (name === "MDHIM") record = readMdhim(cursor);
    else if (name === "APMPI") record = readApmpi(cursor, first);
    else if (name === "APXC") record = readApxc(cursor, first);
    else record = upgrade(name, version, readPlainRecord(cursor, name, version));
    first = false;
    if (record) records.push(record);
    else module.leftOut++;
  }
}

// ---------------------------------------------------------------------------------------------

export function oracleRead(bytes: Uint8Array, limits: OracleLimits = {}): OracleLog {
  const parts = oracleParts(bytes);
  const { minor, bigEndian, compression } = parts;
  const expander = new Expander(compression, limits);

  const job = readJob(expander.expand(parts.job), minor, bigEndian);
  const names = parts.names
    ? readNames(expander.expand(parts.names), minor, bigEndian)
    : new Map<bigint, Uint8Array>();

  const modules: OracleModule[] = [];
  for (const { fileSlot, version, packed } of parts.modules) {
    const partial = ((parts.partial >> BigInt(fileSlot)) & 1n) === 1n;
    const known = moduleAt(minor, fileSlot);
    if (!known) {
      const name = `slot ${fileSlot}`;
      modules.push({ slot: fileSlot, name, version, partial, records: [], leftOut: 0, opaque: packed });
      continue;
    }
    const module: OracleModule = { ...known, version, partial, records: [], leftOut: 0 };
    modules.push(module);
    if (version > (NEWEST_RECORD_VERSION[known.name] as number)) module.skipped = "newer";
    else readModule(module, expander.expand(packed), bigEndian);
  }
  return { version: `3.${String(minor).padStart(2, "0")}`, bigEndian, compression, job, names, modules };
}
