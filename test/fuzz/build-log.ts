// Takes logs apart into plain regions and lays plain regions out as a log again.

import { spawnSync } from "node:child_process";
import { deflateSync } from "node:zlib";
import { Expander, oracleParts } from "../oracle/darshan-oracle.ts";

export interface Region {
  plain: Uint8Array;
  /** The region's bytes in the file, when they are known and still fit `plain`. */
  packed?: Uint8Array;
}

export interface ModuleRegion extends Region {
  fileSlot: number;
  version: number;
}

/** A log as plain regions. Compression is the file's; only packed bytes depend on it. */
export interface LogImage {
  minor: number;
  bigEndian: boolean;
  compression: 0 | 1 | 2;
  partial: bigint;
  job: Region;
  names?: Region;
  modules: ModuleRegion[];
}

export function takeApart(bytes: Uint8Array): LogImage {
  const parts = oracleParts(bytes);
  const expander = new Expander(parts.compression, {});
  const region = (packed: Uint8Array): Region => ({ plain: expander.expand(packed), packed });
  const image: LogImage = {
    minor: parts.minor,
    bigEndian: parts.bigEndian,
    compression: parts.compression,
    partial: parts.partial,
    job: region(parts.job),
    modules: parts.modules.map(({ fileSlot, version, packed }) => ({ fileSlot, version, ...region(packed) })),
  };
  if (parts.names) image.names = region(parts.names);
  return image;
}

/** A copy whose regions can be replaced without touching the original. */
export function copyImage(image: LogImage): LogImage {
  const copy: LogImage = {
    ...image,
    job: { ...image.job },
    modules: image.modules.map((module) => ({ ...module })),
  };
  if (image.names) copy.names = { ...image.names };
  return copy;
}

export function headerBytesOf(minor: number): number {
  return minor >= 41 ? 1328 : 360;
}

export function slotsOf(minor: number): number {
  return minor >= 41 ? 64 : 16;
}

/** One region as `streams` zlib streams, cut at even places. */
export function deflateInStreams(plain: Uint8Array, streams: number): Uint8Array {
  if (streams <= 1) return deflateSync(plain);
  const pieces: Uint8Array[] = [];
  for (let n = 0; n < streams; n++) {
    const from = Math.floor((plain.length * n) / streams);
    const to = Math.floor((plain.length * (n + 1)) / streams);
    pieces.push(deflateSync(plain.subarray(from, to)));
  }
  return Buffer.concat(pieces);
}

export function bzip2Pack(plain: Uint8Array): Uint8Array {
  const run = spawnSync("bzip2", ["-zc1"], { input: plain, maxBuffer: 2 ** 28 });
  if (run.error) throw run.error;
  return run.stdout;
}

function pack(region: Region, compression: 0 | 1 | 2): Uint8Array {
  if (region.packed) return region.packed;
  if (compression === 2) return region.plain;
  return compression === 1 ? bzip2Pack(region.plain) : deflateSync(region.plain);
}

/**
 * Lays out the regions back to back with right offsets. With `gap`, that many unused bytes stand
 * between regions that follow the job and name regions; without compression the job region is
 * filled up to its fixed 4096 bytes.
 */
export function layOut(image: LogImage, gap = 0): Uint8Array {
  const wide = image.minor >= 41;
  const headerBytes = headerBytesOf(image.minor);
  const header = new Uint8Array(headerBytes);
  const view = new DataView(header.buffer);
  const little = !image.bigEndian;
  header.set(Buffer.from(`3.${String(image.minor).padStart(2, "0")}`, "latin1"));
  view.setBigInt64(8, 6567223n, little);
  header[16] = image.compression;
  if (wide) view.setBigUint64(24, image.partial, little);
  else view.setUint32(20, Number(image.partial & 0xffffffffn), little);

  const pieces: Uint8Array[] = [header];
  let at = headerBytes;
  const add = (bytes: Uint8Array): number => {
    const start = at;
    pieces.push(bytes);
    at += bytes.length;
    return start;
  };

  let job = pack(image.job, image.compression);
  if (image.compression === 2 && job.length < 4096) {
    const filled = new Uint8Array(4096);
    filled.set(job);
    job = filled;
  }
  add(job);
  const mapsAt = wide ? 48 : 40;
  const versionsAt = wide ? 1072 : 296;
  const map = (where: number, bytes: Uint8Array): void => {
    view.setBigUint64(where, BigInt(add(bytes)), little);
    view.setBigUint64(where + 8, BigInt(bytes.length), little);
  };
  if (image.names) map(wide ? 32 : 24, pack(image.names, image.compression));
  for (const module of image.modules) {
    if (gap > 0 && (image.names || module !== image.modules[0])) add(new Uint8Array(gap).fill(0x5a));
    map(mapsAt + 16 * module.fileSlot, pack(module, image.compression));
    view.setUint32(versionsAt + 4 * module.fileSlot, module.version >>> 0, little);
  }
  return Buffer.concat(pieces);
}
