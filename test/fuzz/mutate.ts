// Turns valid logs into mutants, some still valid, some damaged in every way we could think of.
// The same seed logs, seed and index always give the same mutant.

import { deflateRawSync, deflateSync, constants as zlibConstants } from "node:zlib";
import { assignedSlots, moduleAt } from "../oracle/darshan-oracle.ts";
import {
  bzip2Pack,
  copyImage,
  deflateInStreams,
  headerBytesOf,
  type LogImage,
  layOut,
  type ModuleRegion,
  type Region,
  slotsOf,
  takeApart,
} from "./build-log.ts";
import { Random } from "./random.ts";
import {
  countFields,
  makeJob,
  makeNames,
  makeRecordBytes,
  oddWord,
  recordStarts,
  synthesizeLog,
} from "./synthesize.ts";

export interface SeedLog {
  name: string;
  bytes: Uint8Array;
}

export interface Mutant {
  bytes: Uint8Array;
  /** One line: the seed log and what was done to it. */
  description: string;
  /** Whether it holds a decompression bomb; such mutants take longer. */
  bomb: boolean;
}

export interface MutateOptions {
  /** Share of mutants with a decompression bomb; 0.01 unless told. */
  bombShare?: number;
  /** Share of mutants repacked with bzip2, which needs that command; 0.003 unless told. */
  bzip2Share?: number;
}

// ---------------------------------------------------------------------------------------------
// Bombs

const MEBIBYTE = 1048576;
const bombs = new Map<number, Uint8Array>();

/** One zlib stream of that many MiB of zeros, put together from one compressed MiB. */
export function zeroBomb(mebibytes: number): Uint8Array {
  const known = bombs.get(mebibytes);
  if (known) return known;
  // A block that ends in a full flush depends on nothing before it and ends on a byte boundary.
  const block = deflateRawSync(new Uint8Array(MEBIBYTE), { finishFlush: zlibConstants.Z_FULL_FLUSH });
  const trailer = new Uint8Array(6);
  trailer[0] = 3; // an empty final block
  const adler = (mebibytes * MEBIBYTE) % 65521;
  new DataView(trailer.buffer).setUint32(2, ((adler << 16) | 1) >>> 0);
  const pieces = [Uint8Array.of(0x78, 0x9c), ...new Array<Uint8Array>(mebibytes).fill(block), trailer];
  const bomb = Buffer.concat(pieces);
  bombs.set(mebibytes, bomb);
  return bomb;
}

// ---------------------------------------------------------------------------------------------
// Mutations of the plain content; the file around it is laid out again and stays right

type ImageMutation = (image: LogImage, random: Random) => string;

function replacePlain(region: Region, plain: Uint8Array): void {
  region.plain = plain;
  delete region.packed;
}

function writable(region: Region): Uint8Array {
  const copy = Uint8Array.from(region.plain);
  replacePlain(region, copy);
  return copy;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function nameOf(image: LogImage, module: ModuleRegion): string {
  return moduleAt(image.minor, module.fileSlot)?.name ?? `slot ${module.fileSlot}`;
}

/** A module with plain content, or undefined. */
function someModule(image: LogImage, random: Random): ModuleRegion | undefined {
  const full = image.modules.filter((module) => module.plain.length > 0);
  return full.length === 0 ? undefined : random.pick(full);
}

const changeCounters: ImageMutation = (image, random) => {
  const module = someModule(image, random);
  if (!module) return "no module to change";
  const plain = writable(module);
  const view = viewOf(plain);
  const words = Math.floor(plain.length / 8);
  const count = random.between(1, 8);
  for (let n = 0; n < count && words > 0; n++) {
    view.setBigUint64(8 * random.below(words), oddWord(random), !image.bigEndian);
  }
  return `${count} words of ${nameOf(image, module)} changed`;
};

const COUNTS = [0n, 1n, -1n, 2n, 199n, 201n, 65536n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 60n, 2n ** 61n];
const MORE_COUNTS = [2n ** 63n - 1n, -(2n ** 63n), -2n, (2n ** 64n - 1n) / 32n, (2n ** 63n - 104n) / 40n];

const changeCounts: ImageMutation = (image, random) => {
  const counted = image.modules.filter(
    (module) => module.plain.length >= 104 && countFields(nameOf(image, module), module.version).length > 0,
  );
  if (counted.length === 0) return changeCounters(image, random);
  const module = random.pick(counted);
  const name = nameOf(image, module);
  const plain = writable(module);
  const view = viewOf(plain);
  const start = random.pick(recordStarts(name, module.version, plain, image.bigEndian));
  const at = start + random.pick(countFields(name, module.version));
  if (at + 8 > plain.length) return "no count to change";
  const old = view.getBigInt64(at, !image.bigEndian);
  const value = random.pick([...COUNTS, ...MORE_COUNTS, old + 1n, old - 1n, old * 2n]);
  view.setBigInt64(at, BigInt.asIntN(64, value), !image.bigEndian);
  return `count at ${at} of ${name} set to ${value}`;
};

const changeNames: ImageMutation = (image, random) => {
  const region: Region = image.names ?? { plain: new Uint8Array(0) };
  image.names = region;
  const old = region.plain;
  switch (random.below(7)) {
    case 0:
      replacePlain(region, old.subarray(0, Math.max(0, old.length - 1)));
      return "last byte of the names dropped";
    case 1: {
      const plain = writable(region);
      for (let n = 0; n < 5 && plain.length > 0; n++)
        plain[random.below(plain.length)] = random.between(128, 255);
      return "names with bytes that are no UTF-8";
    }
    case 2:
      replacePlain(region, Buffer.concat([old, old]));
      return "names twice";
    case 3:
      replacePlain(region, Buffer.concat([old, random.bytes(random.between(1, 20))]));
      return "names followed by random bytes";
    case 4:
      replacePlain(region, makeNames(random, image.minor, image.bigEndian, random.between(0, 50)));
      return "other names";
    case 5: {
      const plain = writable(region);
      if (plain.length >= 12)
        viewOf(plain).setUint32(8, random.pick([0xffffffff, 0x80000000, 0, 1]), !image.bigEndian);
      return "length or start of the first name changed";
    }
    default:
      replacePlain(region, Buffer.concat([makeNames(random, image.minor, image.bigEndian, 3), old]));
      return "more names in front";
  }
};

function jobFixed(image: LogImage): number {
  return image.minor >= 41 ? 1080 : 1064;
}

const changeJob: ImageMutation = (image, random) => {
  const fixed = jobFixed(image);
  const old = image.job.plain;
  const withText = (text: Uint8Array): void => {
    const head = new Uint8Array(fixed);
    head.set(old.subarray(0, fixed));
    replacePlain(image.job, Buffer.concat([head, text]));
  };
  switch (random.below(10)) {
    case 0:
      withText(new Uint8Array(5000 - fixed).fill(97));
      return "job of 5000 bytes";
    case 1:
      withText(new Uint8Array(4096 - fixed).fill(97));
      return "job of 4096 bytes without end";
    case 2:
      withText(new Uint8Array(4097 - fixed));
      return "job of 4097 bytes";
    case 3:
      replacePlain(image.job, old.subarray(0, random.pick([0, 8, 56, fixed - 1])));
      return "job cut short";
    case 4:
      replacePlain(image.job, old.subarray(0, fixed));
      return "job without text";
    case 5: {
      const lines = [
        "",
        "\n",
        "\t",
        "ext4\t/",
        "no tab",
        "a\tb\tc",
        "\t/x",
        "x\t",
        "\u00ff",
        "\n\n",
        "\0",
        "\r",
      ];
      const parts = Array.from({ length: random.between(1, 8) }, () => random.pick(lines));
      withText(
        Buffer.from(parts.join(random.pick(["\n", " ", "\n\n"])), random.chance(0.5) ? "latin1" : "utf8"),
      );
      return "odd job text";
    }
    case 6: {
      const plain = writable(image.job);
      if (plain.length >= fixed) plain.fill(random.pick([61, 10, 97, 255]), fixed - 1024, fixed);
      return "metadata filled with one byte";
    }
    case 7: {
      const plain = writable(image.job);
      const lines = ["a=b", "a=b=c", "=x", "x=", "", "h=romio=1;x=2", "\u00e9=\u00e8", "a=b\0c=d"];
      const text = Array.from({ length: random.between(1, 6) }, () => random.pick(lines)).join("\n");
      const bytes = Buffer.from(text, random.chance(0.3) ? "latin1" : "utf8");
      if (plain.length >= fixed) {
        plain.fill(0, fixed - 1024, fixed);
        plain.set(bytes, fixed - 1024);
      }
      return "odd metadata";
    }
    case 8: {
      const plain = writable(image.job);
      const view = viewOf(plain);
      for (let n = 0; n < 3 && plain.length >= 56; n++)
        view.setBigUint64(8 * random.below(7), oddWord(random));
      return "job numbers changed";
    }
    default:
      replacePlain(image.job, makeJob(random, image.minor, image.bigEndian));
      return "another job";
  }
};

const cutRecord: ImageMutation = (image, random) => {
  const module = someModule(image, random);
  if (!module) return "no module to cut";
  const length = random.chance(0.5) ? module.plain.length - 1 : random.below(module.plain.length);
  replacePlain(module, module.plain.subarray(0, length));
  return `${nameOf(image, module)} cut to ${length} plain bytes`;
};

const addRecords: ImageMutation = (image, random) => {
  const known = image.modules.filter((module) => moduleAt(image.minor, module.fileSlot));
  if (known.length === 0) return "no module to add to";
  const module = random.pick(known);
  const name = nameOf(image, module);
  const pieces: Uint8Array[] = [module.plain];
  const count = random.between(1, 4);
  for (let n = 0; n < count; n++) {
    const first = module.plain.length === 0 && n === 0;
    pieces.push(makeRecordBytes(random, name, module.version, image.bigEndian, first));
  }
  replacePlain(module, Buffer.concat(pieces));
  return `${count} records added to ${name}`;
};

const dropRecords: ImageMutation = (image, random) => {
  const module = someModule(image, random);
  if (!module) return "no record to drop";
  const starts = recordStarts(nameOf(image, module), module.version, module.plain, image.bigEndian);
  const start = random.pick(starts);
  replacePlain(module, module.plain.subarray(0, start));
  return `${nameOf(image, module)} without its records from byte ${start}`;
};

const addModule: ImageMutation = (image, random) => {
  const fileSlot = random.below(slotsOf(image.minor));
  const known = moduleAt(image.minor, fileSlot);
  const version = random.chance(0.8) ? 1 : random.between(0, 6);
  const records = known
    ? [makeRecordBytes(random, known.name, 1, image.bigEndian, true)]
    : [random.bytes(50)];
  image.modules = image.modules.filter((module) => module.fileSlot !== fileSlot);
  image.modules.push({ fileSlot, version, plain: Buffer.concat(records) });
  return `slot ${fileSlot} filled, version ${version}`;
};

const dropRegion: ImageMutation = (image, random) => {
  if (image.modules.length === 0 || random.chance(0.3)) {
    delete image.names;
    return "no names";
  }
  const module = random.pick(image.modules);
  image.modules = image.modules.filter((other) => other !== module);
  return `no ${nameOf(image, module)}`;
};

const emptyRegion: ImageMutation = (image, random) => {
  const regions = [...image.modules, ...(image.names ? [image.names] : [])];
  if (regions.length === 0) return "nothing to empty";
  replacePlain(random.pick(regions), new Uint8Array(0));
  return "a region with an empty stream";
};

const changeRecordVersion: ImageMutation = (image, random) => {
  if (image.modules.length === 0) return "no version to change";
  const module = random.pick(image.modules);
  module.version = random.pick([0, 1, 1, 2, 2, 3, 3, 4, 5, 100, 0x7fffffff, 0x80000000, 0xffffffff]);
  return `version of ${nameOf(image, module)} set to ${module.version}`;
};

const moveModule: ImageMutation = (image, random) => {
  if (image.modules.length === 0) return "no module to move";
  const module = random.pick(image.modules);
  const fileSlot = random.below(random.chance(0.5) ? slotsOf(image.minor) : assignedSlots(image.minor));
  if (image.modules.some((other) => other.fileSlot === fileSlot)) return "no slot to move to";
  const old = module.fileSlot;
  module.fileSlot = fileSlot;
  return `slot ${old} moved to ${fileSlot}`;
};

const turnBytes: ImageMutation = (image) => {
  image.bigEndian = !image.bigEndian;
  return "header in the other byte order, content as it was";
};

const changeMinor: ImageMutation = (image, random) => {
  const old = image.minor;
  image.minor = random.pick([0, 10, 20, 21, 41]);
  image.modules = image.modules.filter((module) => module.fileSlot < slotsOf(image.minor));
  return `format 3.${old} as 3.${image.minor}`;
};

const changePartial: ImageMutation = (image, random) => {
  image.partial = random.pick([random.u64(), 2n ** 64n - 1n, 0n, 2n]);
  return "other partial flag";
};

const shuffleRegions: ImageMutation = (image, random) => {
  for (let n = image.modules.length - 1; n > 0; n--) {
    const other = random.below(n + 1);
    const kept = image.modules[n] as ModuleRegion;
    image.modules[n] = image.modules[other] as ModuleRegion;
    image.modules[other] = kept;
  }
  return "module regions in another order";
};

/** Only the packing changes, so the plain content must come out the same. */
const repack: ImageMutation = (image, random) => {
  if (image.compression !== 0) return "nothing to repack";
  const regions: Region[] = [...image.modules, ...(image.names ? [image.names] : [])];
  if (regions.length === 0) regions.push(image.job);
  const region = random.pick(regions);
  switch (random.below(6)) {
    case 0: {
      const streams = random.between(2, random.chance(0.1) ? 100 : 8);
      region.packed = deflateInStreams(region.plain, streams);
      return `a region in ${streams} streams`;
    }
    case 1:
      region.packed = deflateSync(region.plain, { level: random.pick([0, 1, 9]) });
      return "a region at another level";
    case 2:
      region.packed = deflateSync(region.plain, { windowBits: random.between(9, 15) });
      return "a region with another window";
    case 3: {
      const empty = deflateSync(new Uint8Array(0));
      const packed = deflateSync(region.plain);
      const before = random.below(3);
      const after = random.between(1, 3);
      region.packed = Buffer.concat([...Array(before).fill(empty), packed, ...Array(after).fill(empty)]);
      return "a region among empty streams";
    }
    case 4:
      region.packed = deflateSync(region.plain, { strategy: zlibConstants.Z_FIXED, memLevel: 1 });
      return "a region with fixed codes";
    default:
      region.packed = Buffer.concat([deflateSync(region.plain), random.bytes(random.between(1, 30))]);
      return "a region followed by junk";
  }
};

const unpackAll: ImageMutation = (image) => {
  image.compression = 2;
  for (const region of [image.job, ...(image.names ? [image.names] : []), ...image.modules])
    delete region.packed;
  return "without compression";
};

function packAllBzip2(image: LogImage, random: Random): string {
  image.compression = 1;
  for (const region of [image.job, ...(image.names ? [image.names] : []), ...image.modules]) {
    region.packed = bzip2Pack(region.plain);
  }
  if (random.chance(0.5)) return "with bzip2";
  const region = random.pick([image.job, ...image.modules]);
  const packed = Uint8Array.from(region.packed as Uint8Array);
  if (random.chance(0.5)) {
    const middle = Math.floor(region.plain.length / 2);
    region.packed = Buffer.concat([
      bzip2Pack(region.plain.subarray(0, middle)),
      bzip2Pack(region.plain.subarray(middle)),
    ]);
    return "with bzip2, a region in two streams";
  }
  const bit = random.below(packed.length * 8);
  packed[bit >> 3] = (packed[bit >> 3] as number) ^ (1 << (bit & 7));
  region.packed = packed;
  return `with bzip2, bit ${bit} of a region flipped`;
}

const IMAGE_MUTATIONS: readonly ImageMutation[] = [
  changeCounters,
  changeCounters,
  changeCounters,
  changeCounters,
  changeCounts,
  changeCounts,
  changeNames,
  changeNames,
  changeJob,
  changeJob,
  cutRecord,
  addRecords,
  addRecords,
  addRecords,
  dropRecords,
  addModule,
  dropRegion,
  emptyRegion,
  changeRecordVersion,
  moveModule,
  turnBytes,
  changeMinor,
  changePartial,
  changePartial,
  shuffleRegions,
  shuffleRegions,
  repack,
  repack,
  repack,
  unpackAll,
];

// ---------------------------------------------------------------------------------------------
// Mutations of the file's bytes

type FileMutation = (bytes: Uint8Array, random: Random) => { bytes: Uint8Array; what: string };

/** Where things stand in the header, as far as the first bytes tell. */
function headerShape(bytes: Uint8Array): { wide: boolean; little: boolean; size: number; slots: number } {
  const wide = bytes[2] === 0x34;
  return { wide, little: bytes[8] === 0x37, size: headerBytesOf(wide ? 41 : 10), slots: wide ? 64 : 16 };
}

/** Header offsets of the map entries in use, the name region's first; all of them if none is. */
function mapEntries(bytes: Uint8Array): number[] {
  const { wide, size, slots, little } = headerShape(bytes);
  if (bytes.length < size) return [];
  const view = viewOf(bytes);
  const entries: number[] = [wide ? 32 : 24];
  for (let slot = 0; slot < slots; slot++) {
    const at = (wide ? 48 : 40) + 16 * slot;
    if (view.getBigUint64(at + 8, little) !== 0n) entries.push(at);
  }
  return entries;
}

function flip(bytes: Uint8Array, random: Random, from: number, to: number, what: string) {
  const count = random.between(1, 4);
  const end = Math.min(to, bytes.length);
  for (let n = 0; n < count && end > from; n++) {
    const at = from + random.below(end - from);
    bytes[at] = (bytes[at] as number) ^ (1 << random.below(8));
  }
  return { bytes, what: `${count} bits flipped in ${what}` };
}

const FILE_MUTATIONS: readonly FileMutation[] = [
  (bytes, random) => flip(bytes, random, 0, bytes.length, "the file"),
  (bytes, random) => flip(bytes, random, headerShape(bytes).size, bytes.length, "the regions"),
  (bytes, random) => flip(bytes, random, 0, headerShape(bytes).size, "the header"),
  (bytes, random) => {
    const entries = mapEntries(bytes);
    if (entries.length === 0) return { bytes, what: "no map to flip" };
    const at = random.pick(entries);
    return flip(bytes, random, at, at + 16, "the maps");
  },
  (bytes, random) => {
    const length = random.chance(0.3) ? bytes.length - 1 : random.below(bytes.length + 1);
    return { bytes: bytes.subarray(0, Math.max(0, length)), what: `cut to ${length} bytes` };
  },
  (bytes, random) => {
    const junk = random.chance(0.5)
      ? random.bytes(random.between(1, 100))
      : new Uint8Array(random.between(1, 5000));
    return { bytes: Buffer.concat([bytes, junk]), what: `${junk.length} bytes added` };
  },
  (bytes, random) => {
    const entries = mapEntries(bytes);
    if (entries.length < 2) return { bytes, what: "no maps to exchange" };
    const one = random.pick(entries);
    const two = random.pick(entries);
    const kept = bytes.slice(one, one + 16);
    bytes.copyWithin(one, two, two + 16);
    bytes.set(kept, two);
    return { bytes, what: `maps at ${one} and ${two} exchanged` };
  },
  (bytes, random) => {
    const entries = mapEntries(bytes);
    if (entries.length === 0) return { bytes, what: "no map to change" };
    const { little, size } = headerShape(bytes);
    const at = random.pick(entries) + random.pick([0, 8]);
    const view = viewOf(bytes);
    const old = view.getBigUint64(at, little);
    const length = BigInt(bytes.length);
    const value = BigInt.asUintN(
      64,
      random.pick([
        2n ** 31n,
        2n ** 32n,
        2n ** 53n,
        2n ** 53n + 1n,
        2n ** 63n,
        2n ** 64n - 1n,
        0n,
        1n,
        old - 1n,
        old + 1n,
        old + 2n ** 32n,
        old + 2n ** 63n,
        length,
        length - 1n,
        length + 1n,
        2n ** 64n - old,
        BigInt(size),
        BigInt(size - 1),
      ]),
    );
    view.setBigUint64(at, value, little);
    return { bytes, what: `map field at ${at} set to ${value}` };
  },
  (bytes, random) => {
    const entries = mapEntries(bytes);
    if (entries.length === 0) return { bytes, what: "no map to redirect" };
    const { little, size } = headerShape(bytes);
    const view = viewOf(bytes);
    const at = random.pick(entries);
    const other = random.pick(entries);
    const otherStart = view.getBigUint64(other, little);
    const otherLength = view.getBigUint64(other + 8, little);
    const targets: [bigint, bigint, string][] = [
      [0n, 16n, "the header"],
      [BigInt(at), 16n, "itself"],
      [BigInt(size), 100n, "the job"],
      [otherStart, otherLength, "another region"],
      [otherStart + 1n, otherLength, "one past the start of a region"],
      [otherStart, otherLength / 2n, "half of a region"],
      [BigInt(bytes.length), 0n, "nothing"],
      [BigInt(size), BigInt(Math.max(0, bytes.length - size)), "all behind the header"],
    ];
    const [start, length, what] = random.pick(targets);
    view.setBigUint64(at, start, little);
    view.setBigUint64(at + 8, length, little);
    return { bytes, what: `map at ${at} points to ${what}` };
  },
  (bytes, random) => {
    const { wide, size, little } = headerShape(bytes);
    if (bytes.length < size) return { bytes, what: "no partial flag" };
    if (wide) viewOf(bytes).setBigUint64(24, random.u64(), little);
    else viewOf(bytes).setUint32(20, random.u32(), little);
    return { bytes, what: "random partial flag" };
  },
  (bytes, random) => {
    const { wide, size, slots, little } = headerShape(bytes);
    if (bytes.length < size) return { bytes, what: "no versions" };
    const slot = random.below(random.chance(0.8) ? 16 : slots);
    const version = random.pick([0, 1, 2, 3, 4, 5, 255, 0xffffffff, random.u32()]);
    viewOf(bytes).setUint32((wide ? 1072 : 296) + 4 * slot, version, little);
    return { bytes, what: `version of slot ${slot} set to ${version}` };
  },
  (bytes, random) => {
    if (bytes.length > 16) bytes[16] = random.pick([0, 1, 2, 3, 4, 255]);
    return { bytes, what: `compression set to ${bytes[16]}` };
  },
  (bytes, random) => {
    const version = random.pick(
      [
        "3.00",
        "3.10",
        "3.20",
        "3.21",
        "3.41",
        "3.42",
        "3.01",
        "3.99",
        "2.06",
        "4.00",
        "",
        "3.",
        ".41",
        "3",
        "x.yz",
      ].concat(["3.4.1", "3,41", "-3.41", " 3.41", "3.41 ", "33333.41", "3.414141"]),
    );
    bytes.fill(0, 0, Math.min(8, bytes.length));
    bytes.set(Buffer.from(version, "latin1").subarray(0, bytes.length), 0);
    return { bytes, what: `version string "${version}"` };
  },
  (bytes) => {
    if (bytes.length >= 16) bytes.subarray(8, 16).reverse();
    return { bytes, what: "magic in the other byte order" };
  },
  (bytes, random) => {
    const size = headerShape(bytes).size;
    const at = size + random.below(Math.max(1, bytes.length - size));
    const end = Math.min(bytes.length, at + random.between(1, 64));
    for (let n = at; n < end; n++) bytes[n] = random.u32() & 255;
    return { bytes, what: `bytes ${at} to ${end} replaced` };
  },
  (bytes, random) => {
    const size = headerShape(bytes).size;
    const at = size + random.below(Math.max(1, bytes.length - size));
    const gone = random.between(1, 8);
    const kept = [bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + gone))];
    return { bytes: Buffer.concat(kept), what: `${gone} bytes taken out at ${at}` };
  },
];

// ---------------------------------------------------------------------------------------------

const images = new WeakMap<Uint8Array, LogImage>();

function imageOf(log: SeedLog): LogImage {
  let image = images.get(log.bytes);
  if (!image) {
    image = takeApart(log.bytes);
    images.set(log.bytes, image);
  }
  return copyImage(image);
}

/** Small logs are taken far more often than big ones. */
function pickSeed(logs: readonly SeedLog[], random: Random): SeedLog {
  for (let tries = 0; tries < 20; tries++) {
    const log = random.pick(logs);
    if (random.chance(Math.min(1, (3000 / log.bytes.length) ** 2))) return log;
  }
  return logs.reduce((least, log) => (log.bytes.length < least.bytes.length ? log : least));
}

function plantBomb(image: LogImage, random: Random): string {
  image.compression = 0;
  const regions: Region[] = [image.job, ...(image.names ? [image.names] : []), ...image.modules];
  const region = random.pick(regions);
  const kind = random.below(5);
  if (kind === 0) {
    const count = random.between(80, 300);
    region.packed = Buffer.concat(new Array<Uint8Array>(count).fill(zeroBomb(1)));
    return `bomb of ${count} streams of 1 MiB`;
  }
  if (kind === 1) {
    region.packed = Buffer.concat([zeroBomb(65), zeroBomb(65), random.bytes(10)]);
    return "two bombs and junk";
  }
  const size = random.pick([1, 2, 65, 65, 128, 256, 1024]);
  region.packed = zeroBomb(size);
  return `bomb of ${size} MiB`;
}

/** The mutant with the given number. */
export function mutate(
  logs: readonly SeedLog[],
  seed: number,
  index: number,
  options: MutateOptions = {},
): Mutant {
  const random = new Random(seed, index);
  const steps: string[] = [];
  let image: LogImage;
  if (logs.length === 0 || random.chance(0.25)) {
    image = synthesizeLog(random);
    steps.push("synthetic");
  } else {
    const log = pickSeed(logs, random);
    image = imageOf(log);
    steps.push(log.name);
  }

  const bomb = random.chance(options.bombShare ?? 0.01);
  const bzip2 = random.chance(options.bzip2Share ?? 0.003);
  const mode = random.u32() / 2 ** 32;
  const deep = bomb ? 0 : mode < 0.6 ? random.between(1, 4) : mode < 0.7 ? random.between(1, 2) : 0;
  const shallow = bomb || bzip2 || mode < 0.6 ? 0 : mode < 0.7 ? random.between(1, 2) : random.between(1, 4);
  for (let n = 0; n < deep; n++) steps.push(random.pick(IMAGE_MUTATIONS)(image, random));
  if (bzip2 && !bomb) steps.push(packAllBzip2(image, random));
  if (bomb) steps.push(plantBomb(image, random));
  let gap = 0;
  if (random.chance(image.compression === 2 ? 0.7 : 0.05)) {
    gap = random.between(1, 300);
    steps.push(`gaps of ${gap} bytes`);
  }
  let bytes = layOut(image, gap);
  for (let n = 0; n < shallow; n++) {
    const done = random.pick(FILE_MUTATIONS)(bytes, random);
    bytes = done.bytes;
    steps.push(done.what);
  }
  return { bytes, description: steps.join("; "), bomb };
}
