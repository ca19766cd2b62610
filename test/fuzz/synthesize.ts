// Makes valid logs out of nothing: every module, record version, format version and byte order,
// with values at the edges of their types.

import { assignedSlots, moduleAt, NEWEST_RECORD_VERSION } from "../oracle/darshan-oracle.ts";
import type { LogImage, ModuleRegion } from "./build-log.ts";
import type { Random } from "./random.ts";

const WORDS = [
  0n,
  1n,
  -1n,
  100n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
  -(2n ** 63n) + 1n,
  // As reals: quiet and signalling NaN with payload, infinities, minus zero, least subnormal, -1, 0.1.
  0x7ff8000000000001n,
  0x7ff0000000000123n,
  -0x0007ffffffffff01n,
  0x7ff0000000000000n,
  -0x0010000000000000n,
  0x3ff0000000000000n,
  -0x4010000000000000n,
  0x3fb999999999999an,
];

/** A 64-bit word that is often special, as an unsigned value. */
export function oddWord(random: Random): bigint {
  if (random.chance(0.3)) return random.u64();
  if (random.chance(0.3)) return BigInt(random.below(100000));
  return BigInt.asUintN(64, random.pick(WORDS));
}

/** Bytes of one record of fixed size, by "module version"; variable ones are absent. */
const FIXED_SIZES: Record<string, number> = {
  "NULL 1": 48,
  "POSIX 1": 680,
  "POSIX 2": 648,
  "POSIX 3": 664,
  "POSIX 4": 704,
  "MPI-IO 1": 544,
  "MPI-IO 2": 544,
  "MPI-IO 3": 560,
  "STDIO 1": 240,
  "STDIO 2": 248,
  "H5F 1": 40,
  "H5F 2": 56,
  "H5F 3": 80,
  "H5D 1": 904,
  "H5D 2": 912,
  "PNETCDF_FILE 1": 48,
  "PNETCDF_FILE 2": 64,
  "PNETCDF_FILE 3": 152,
  "PNETCDF_VAR 1": 1120,
  "BG/Q 1": 120,
  "BG/Q 2": 112,
  "DFS 1": 584,
  "DAOS 1": 696,
};

/** Offsets in a record of the fields that say how much follows. */
export function countFields(name: string, version: number): number[] {
  if (name === "DXT_POSIX" || name === "DXT_MPIIO") return [88, 96];
  if (name === "LUSTRE") return version === 1 ? [48] : [16, 24];
  if (name === "HEATMAP") return [24];
  if (name === "MDHIM") return [48];
  return [];
}

/** Size of the record that starts at `at`; undefined when the bytes do not tell. */
export function recordSize(
  name: string,
  version: number,
  plain: Uint8Array,
  at: number,
  bigEndian: boolean,
): number | undefined {
  const fixed = FIXED_SIZES[`${name} ${version}`];
  if (fixed !== undefined) return fixed;
  if (name === "APMPI") return at === 0 ? 48 : 5232;
  if (name === "APXC") return at === 0 ? 72 : 3184;
  const view = new DataView(plain.buffer, plain.byteOffset, plain.byteLength);
  const counts: number[] = [];
  for (const field of countFields(name, version)) {
    if (at + field + 8 > plain.length) return undefined;
    counts.push(Number(view.getBigInt64(at + field, !bigEndian)));
  }
  const [first = 0, second = 0] = counts;
  if (first < 0 || second < 0 || first + second > 1e6) return undefined;
  switch (name) {
    case "DXT_POSIX":
      return 104 + (version >= 2 ? 40 : 32) * (first + second);
    case "DXT_MPIIO":
      return 104 + (version >= 3 ? 40 : 32) * (first + second);
    case "LUSTRE":
      return version === 1 ? 56 + 8 * first : 32 + 72 * first + 8 * second;
    case "HEATMAP":
      return 48 + 16 * first;
    case "MDHIM":
      return 88 + 8 * Math.max(1, first);
    default:
      return undefined;
  }
}

/** Starts of the records of a region, as far as they can be followed. */
export function recordStarts(name: string, version: number, plain: Uint8Array, bigEndian: boolean): number[] {
  const starts: number[] = [];
  let at = 0;
  while (at < plain.length && starts.length < 1000) {
    starts.push(at);
    const size = recordSize(name, version, plain, at, bigEndian);
    if (size === undefined) break;
    at += size;
  }
  return starts;
}

/** A string field: text, then a NUL if there is room, then whatever was in memory. */
function fillText(random: Random, bytes: Uint8Array, at: number, size: number): void {
  const full = random.chance(0.1);
  const length = full ? size : random.below(size);
  for (let n = 0; n < size; n++)
    bytes[at + n] = random.chance(0.05) ? random.between(128, 255) : random.between(97, 122);
  if (!full) bytes[at + length] = 0;
}

/** One record of the given kind; `first` matters to modules that start with a header record. */
export function makeRecordBytes(
  random: Random,
  name: string,
  version: number,
  bigEndian: boolean,
  first: boolean,
): Uint8Array {
  const little = !bigEndian;
  // Versions nobody knows get some bytes too: a reader must skip them.
  let size = FIXED_SIZES[`${name} ${version}`] ?? 64;
  const one = random.below(random.chance(0.1) ? 60 : 5);
  const two = random.below(5);
  if (name === "APMPI") size = first ? 48 : 5232;
  else if (name === "APXC") size = first ? 72 : 3184;
  else if (name === "DXT_POSIX") size = 104 + (version >= 2 ? 40 : 32) * (one + two);
  else if (name === "DXT_MPIIO") size = 104 + (version >= 3 ? 40 : 32) * (one + two);
  else if (name === "LUSTRE") size = version === 1 ? 56 + 8 * one : 32 + 72 * two + 8 * one;
  else if (name === "HEATMAP") size = 48 + 16 * one;
  else if (name === "MDHIM") size = 88 + 8 * Math.max(1, one);

  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at + 8 <= size; at += 8) view.setBigUint64(at, oddWord(random), little);
  view.setBigInt64(8, BigInt(random.between(-1, 8)), little);

  if (name === "POSIX" && version === 1 && random.chance(0.6)) view.setBigInt64(16 + 6 * 8, 0n, little);
  if (name === "DXT_POSIX" || name === "DXT_MPIIO") {
    fillText(random, bytes, 24, 64);
    view.setBigInt64(88, BigInt(one), little);
    view.setBigInt64(96, BigInt(two), little);
  } else if (name === "HEATMAP") {
    view.setBigInt64(24, BigInt(one), little);
  } else if (name === "MDHIM") {
    view.setBigInt64(48, BigInt(one), little);
  } else if (name === "APMPI" && !first) {
    fillText(random, bytes, 5232 - 128, 128);
  } else if (name === "LUSTRE" && version === 1) {
    view.setBigInt64(48, BigInt(one), little);
  } else if (name === "LUSTRE") {
    view.setBigInt64(16, BigInt(two), little);
    view.setBigInt64(24, BigInt(one), little);
    let left = one;
    for (let c = 0; c < two; c++) {
      const share = c === two - 1 ? left : random.below(left + 1);
      left -= share;
      const at = 32 + 72 * c;
      view.setBigInt64(at, random.chance(0.1) ? -1n : 1048576n, little);
      view.setBigInt64(at + 8, BigInt(share), little);
      fillText(random, bytes, at + 56, 16);
    }
  }
  return bytes;
}

export function makeNames(random: Random, minor: number, bigEndian: boolean, count: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  const ids: bigint[] = [];
  for (let n = 0; n < count; n++) {
    const id = ids.length > 0 && random.chance(0.2) ? random.pick(ids) : random.u64();
    ids.push(id);
    const name = random.chance(0.2)
      ? new Uint8Array(0)
      : Uint8Array.from({ length: random.between(1, random.chance(0.05) ? 5000 : 40) }, () =>
          random.chance(0.1) ? random.between(128, 255) : random.between(1, 126),
        );
    const head = new Uint8Array(minor < 10 ? 12 : 8);
    const view = new DataView(head.buffer);
    view.setBigUint64(0, id, !bigEndian);
    if (minor < 10) view.setUint32(8, name.length, !bigEndian);
    pieces.push(head, name);
    if (minor >= 10) pieces.push(new Uint8Array(1));
  }
  return Buffer.concat(pieces);
}

export function makeJob(random: Random, minor: number, bigEndian: boolean): Uint8Array {
  const fixed = minor >= 41 ? 1080 : 1064;
  const mounts = ["ext4\t/", "lustre\t/scratch", "nfs\t/home\\040x", "tmpfs\t"].slice(0, random.below(5));
  const text = Buffer.from(["./app -n 4 é", ...mounts].join("\n"), "utf8");
  const bytes = new Uint8Array(fixed + text.length + (random.chance(0.8) ? 1 : 0));
  const view = new DataView(bytes.buffer);
  const words = minor >= 41 ? 7 : 5;
  for (let n = 0; n < words; n++) {
    view.setBigUint64(8 * n, random.chance(0.5) ? BigInt(random.u32()) : oddWord(random), !bigEndian);
  }
  bytes.set(Buffer.from("lib_ver=3.4.4\nh=romio_no_indep_rw=true;cb_nodes=4\n", "latin1"), 8 * words);
  bytes.set(text, fixed);
  return bytes;
}

/** A whole valid log. */
export function synthesizeLog(random: Random): LogImage {
  const minor = random.pick([0, 10, 20, 21, 41, 41]);
  const bigEndian = random.chance(0.5);
  const slots = new Set<number>();
  for (let n = random.between(0, 5); n > 0; n--) slots.add(random.below(assignedSlots(minor)));
  const modules: ModuleRegion[] = [];
  for (const fileSlot of [...slots].sort((a, b) => a - b)) {
    const { name } = moduleAt(minor, fileSlot) as { name: string };
    const version = random.between(1, NEWEST_RECORD_VERSION[name] as number);
    const records: Uint8Array[] = [];
    const count = name === "APMPI" || name === "APXC" ? random.below(3) : random.below(4);
    for (let n = 0; n < count; n++) records.push(makeRecordBytes(random, name, version, bigEndian, n === 0));
    modules.push({ fileSlot, version, plain: Buffer.concat(records) });
  }
  const image: LogImage = {
    minor,
    bigEndian,
    compression: 0,
    partial: random.chance(0.3) ? random.u64() : 0n,
    job: { plain: makeJob(random, minor, bigEndian) },
    modules,
  };
  if (random.chance(0.9)) image.names = { plain: makeNames(random, minor, bigEndian, random.below(8)) };
  return image;
}
