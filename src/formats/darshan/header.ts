/**
 * The header of a Darshan log, in every format version from 3.00 to 3.41.
 *
 *   offset  < 3.41          >= 3.41
 *   0       version string, 8 bytes
 *   8       magic, i64: tells the byte order
 *   16      compression type, u8
 *   20/24   partial flags   u32 | u64
 *   24/32   name region     offset, length
 *   40/48   module regions  16 | 64 pairs of offset, length
 *   296/1072 record versions 16 | 64 u32
 *   360/1328 end; the job region starts here
 */
import { FormatError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import { unsignedNumber } from "../../base/words.ts";
import { MODULES, type ModuleSpec } from "./modules/index.ts";

export const MAGIC = 6567223n;
const MAGIC_NUMBER = Number(MAGIC);

/** Version text `3.nn`, and the magic number in either byte order. */
export function hasLogSignature(head: Uint8Array): boolean {
  const text = head[0] === 0x33 && head[1] === 0x2e;
  const little = head[8] === 0x37 && head[9] === 0x35 && head[10] === 0x64;
  const big = head[15] === 0x37 && head[14] === 0x35 && head[13] === 0x64;
  return text && (little || big);
}

/** A file named so is meant as a log: where it is none, it is damaged. */
export const isLogName = (path: string): boolean => /\.darshan(\.gz)?$/.test(path);

export const COMPRESSIONS = ["zlib", "bzip2", "none"] as const;
export type Compression = (typeof COMPRESSIONS)[number];

export interface Region {
  readonly offset: number;
  readonly length: number;
}

/** A module slot in use: it has data, or its partial flag is set. */
export interface ModuleEntry {
  /** Slot as the file numbers it. */
  readonly slot: number;
  /** Undefined for a slot that no known module has; its bytes are kept as they are. */
  readonly spec: ModuleSpec | undefined;
  /** The module's name, or `<UNKNOWN n>`. */
  readonly name: string;
  readonly region: Region;
  /** Record version as the header says. */
  readonly version: number;
  /** The recording library ran out of memory for this module: its data is right but incomplete. */
  readonly partial: boolean;
}

export interface Header {
  /** `3.00` to `3.41`. */
  readonly version: string;
  readonly minor: number;
  readonly bigEndian: boolean;
  readonly compression: Compression;
  readonly byteLength: number;
  readonly job: Region;
  readonly names: Region;
  readonly modules: readonly ModuleEntry[];
}

interface HeaderLayout {
  readonly byteLength: number;
  readonly slots: number;
  readonly partialAt: number;
  readonly namesAt: number;
  readonly modulesAt: number;
  readonly versionsAt: number;
}

export const NEW_LAYOUT: HeaderLayout = {
  byteLength: 1328,
  slots: 64,
  partialAt: 24,
  namesAt: 32,
  modulesAt: 48,
  versionsAt: 1072,
};
const OLD_LAYOUT: HeaderLayout = {
  byteLength: 360,
  slots: 16,
  partialAt: 20,
  namesAt: 24,
  modulesAt: 40,
  versionsAt: 296,
};

const MINORS: readonly number[] = [0, 10, 20, 21, 41];

/** Specs by slot for each of the three numberings. */
const BY_SLOT = ([0, 1, 2] as const).map((era) => {
  const table: (ModuleSpec | undefined)[] = new Array(64).fill(undefined);
  for (const spec of MODULES) if (spec.slots[era] >= 0) table[spec.slots[era]] = spec;
  return table;
});

const fail = (source: ByteSource, offset: number, detail: string): never => {
  throw new FormatError(source.name, { offset }, detail);
};

/**
 * Reads and checks the header; regions lie inside the file and do not overlap. With `allowCut` they may reach
 * beyond the end of a file that was cut off; whoever reads them finds out how far they go.
 */
export function readHeader(source: ByteSource, allowCut = false): Header {
  const limit = allowCut ? Number.MAX_SAFE_INTEGER : source.byteLength;
  const bytes = source.read(0, NEW_LAYOUT.byteLength);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const minor = checkStart(source, bytes, view);
  const bigEndian = view.getUint32(8, true) !== MAGIC_NUMBER;
  const little = !bigEndian;
  const layout = minor >= 41 ? NEW_LAYOUT : OLD_LAYOUT;
  if (bytes.length < layout.byteLength)
    fail(source, bytes.length, `the header needs ${layout.byteLength} bytes, the file has ${bytes.length}`);
  const compression = COMPRESSIONS[view.getUint8(16)];
  if (compression === undefined)
    throw new FormatError(
      source.name,
      { offset: 16 },
      `unknown compression type ${view.getUint8(16)} (have: 0 zlib, 1 bzip2, 2 none)`,
    );

  const names = readRegion(source, limit, view, layout.namesAt, little, layout.byteLength, "name region");
  const table = BY_SLOT[minor < 20 ? 0 : minor < 41 ? 1 : 2] as readonly (ModuleSpec | undefined)[];
  const partialLow = view.getUint32(layout.partialAt + (layout === OLD_LAYOUT || little ? 0 : 4), little);
  const partialHigh = layout === OLD_LAYOUT ? 0 : view.getUint32(layout.partialAt + (little ? 4 : 0), little);
  const modules: ModuleEntry[] = [];
  for (let slot = 0; slot < layout.slots; slot++) {
    const at = layout.modulesAt + 16 * slot;
    const partial = ((slot < 32 ? partialLow >>> slot : partialHigh >>> (slot - 32)) & 1) === 1;
    if (!partial && view.getUint32(at + 8) === 0 && view.getUint32(at + 12) === 0) continue;
    const spec = table[slot];
    const name = spec?.name ?? `<UNKNOWN ${slot}>`;
    const region = readRegion(source, limit, view, at, little, layout.byteLength, `${name} region`);
    const version = view.getUint32(layout.versionsAt + 4 * slot, little);
    if (region.length > 0 && version === 0) {
      fail(source, layout.versionsAt + 4 * slot, `${name} region has data but record version 0`);
    }
    modules.push({ slot, spec, name, region, version, partial });
  }
  const job = jobRegion(source, layout, [names, ...modules.map((entry) => entry.region)], compression);
  checkOverlap(source, [
    { name: "job region", region: job },
    { name: "name region", region: names },
    ...modules.map((entry) => ({ name: `${entry.name} region`, region: entry.region })),
  ]);
  return {
    version: `3.${String(minor).padStart(2, "0")}`,
    minor,
    bigEndian,
    compression,
    byteLength: layout.byteLength,
    job,
    names,
    modules,
  };
}

/** Version and magic; returns the minor version. Says in words what else the file may be. */
function checkStart(source: ByteSource, bytes: Uint8Array, view: DataView): number {
  if (source.byteLength === 0)
    fail(source, 0, "the file is empty; a Darshan log has at least a header of 360 bytes");
  if (bytes.length < 16)
    fail(source, bytes.length, `not a Darshan log: ${bytes.length} bytes, the header alone has 360`);
  let zero = true;
  for (let i = 0; i < 16 && zero; i++) zero = bytes[i] === 0;
  if (zero) {
    fail(
      source,
      0,
      source.name.endsWith(".darshan_partial")
        ? "the header is empty: the job was still running, or died while writing its log; only complete .darshan logs can be read"
        : "the header is empty: an unfinished log, or not a Darshan log",
    );
  }
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    fail(
      source,
      0,
      "a gzip file: gunzip it first (if it contains a Darshan 1.x or 2.x log, convert it with darshan-convert of that release)",
    );
  let text = "";
  for (let i = 0; i < 8 && bytes[i] !== 0; i++) text += String.fromCharCode(bytes[i] as number);
  const match = /^(\d)\.(\d\d)$/.exec(text);
  const little = view.getUint32(8, true) === MAGIC_NUMBER && view.getUint32(12, true) === 0;
  const big = view.getUint32(8, false) === 0 && view.getUint32(12, false) === MAGIC_NUMBER;
  if (!little && !big) {
    fail(
      source,
      8,
      match === null
        ? "not a Darshan log (no version at byte 0, no magic number at byte 8)"
        : `damaged header: bad magic number behind version ${text}`,
    );
  }
  if (match === null) return fail(source, 0, "damaged header: no format version at byte 0");
  const minor = Number(match[2]);
  if (match[1] === "3" && MINORS.includes(minor)) return minor;
  if (match[1] === "1" || match[1] === "2")
    fail(
      source,
      0,
      `a log of Darshan ${match[1]}.x (format ${text}), which is a different format; convert it with darshan-convert of that release`,
    );
  const newer = Number(match[1]) > 3 || (match[1] === "3" && minor > 41);
  return fail(
    source,
    0,
    `format version ${text} ${newer ? "is newer than this reader" : "is not supported"} (reads 3.00, 3.10, 3.20, 3.21, 3.41)`,
  );
}

function readU64(view: DataView, at: number, little: boolean): number {
  return unsignedNumber(
    view.getUint32(at + (little ? 0 : 4), little),
    view.getUint32(at + (little ? 4 : 0), little),
  );
}

function readRegion(
  source: ByteSource,
  limit: number,
  view: DataView,
  at: number,
  little: boolean,
  headerBytes: number,
  name: string,
): Region {
  const offset = readU64(view, at, little);
  const length = readU64(view, at + 8, little);
  if (length === 0) return { offset: 0, length: 0 };
  // Both are checked before they are added, so that huge values cannot wrap.
  if (offset < headerBytes || offset > limit || length > limit - offset) {
    fail(
      source,
      at,
      `according to the header, ${name} has ${length} bytes at byte ${offset}; the file has ${source.byteLength} bytes, ${headerBytes} of them header`,
    );
  }
  return { offset, length };
}

/** The job region has no entry of its own: it ends where the next region starts, or with the file. */
function jobRegion(
  source: ByteSource,
  layout: HeaderLayout,
  others: readonly Region[],
  compression: Compression,
): Region {
  let end = source.byteLength;
  for (const region of others) if (region.length > 0 && region.offset < end) end = region.offset;
  if (compression === "none") end = Math.min(end, layout.byteLength + 4096);
  if (end <= layout.byteLength)
    fail(source, layout.byteLength, `no space for the job region: the next region starts at byte ${end}`);
  return { offset: layout.byteLength, length: end - layout.byteLength };
}

function checkOverlap(
  source: ByteSource,
  regions: { readonly name: string; readonly region: Region }[],
): void {
  const present = regions.filter(({ region }) => region.length > 0);
  let sorted = true;
  for (let i = 1; i < present.length && sorted; i++) {
    sorted =
      (present[i - 1] as { region: Region }).region.offset <=
      (present[i] as { region: Region }).region.offset;
  }
  if (!sorted) present.sort((a, b) => a.region.offset - b.region.offset);
  for (let i = 1; i < present.length; i++) {
    const before = present[i - 1] as { name: string; region: Region };
    const after = present[i] as { name: string; region: Region };
    if (before.region.offset + before.region.length > after.region.offset) {
      fail(
        source,
        after.region.offset,
        `${after.name} overlaps the ${before.name}, which ends at byte ${before.region.offset + before.region.length}`,
      );
    }
  }
}
