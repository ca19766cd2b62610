/**
 * A Darshan log, opened. The header and job are read at once; names and records when they are asked for, in
 * any order. Nothing is held but the name table.
 */
import { withRoom } from "../../base/room.ts";
import { type Codec, storedCodec } from "../../base/codec.ts";
import { type FormatError, LimitError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import { HOST_LITTLE_ENDIAN } from "../../base/words.ts";
import { type RecordBlock, readBlocks } from "./blocks.ts";
import { readSegments, type SegmentBlock } from "./dxt.ts";
import { type Header, type ModuleEntry, type Region, readHeader } from "./header.ts";
import { Job, JOB_BYTES_MAX } from "./job.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import { NameTable, readNames } from "./names.ts";
import { Budget, giveBuffer, RegionReader, takeBuffer } from "./region.ts";

/** Who makes plain bytes out of compressed ones. */
export interface Codecs {
  readonly zlib: Codec;
  readonly bzip2: Codec;
}

export interface OpenOptions {
  readonly codecs: Codecs;
  readonly limits?: Partial<Limits>;
  /** Keep what comes before damage: names up to it, and records byte by byte. Costs speed. */
  readonly keepGoing?: boolean;
}

export class DarshanLog {
  readonly source: ByteSource;
  readonly header: Header;
  readonly job: Job;
  readonly limits: Limits;
  /** Things a person should know: corrupted versions, records left out, modules too new. */
  readonly warnings: string[] = [];
  /** Damage that `keepGoing` went past. */
  readonly damage: FormatError[] = [];
  readonly #codec: Codec;
  readonly #budget: Budget;
  readonly #keepGoing: boolean;
  #names: NameTable | undefined;

  constructor(source: ByteSource, options: OpenOptions) {
    this.source = source;
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#keepGoing = options.keepGoing ?? false;
    this.#budget = new Budget(this.limits.plainBytesMax);
    this.header = readHeader(source, this.#keepGoing);
    this.#codec = this.header.compression === "none" ? storedCodec : options.codecs[this.header.compression];
    this.job = this.#readJob();
    if (this.header.version === "3.20") {
      this.warnings.push(
        "written by Darshan 3.2.0, whose logs can have corrupted counters (common access sizes always)",
      );
    }
  }

  /** Modules with data, in the order of their slots. */
  get modules(): readonly ModuleEntry[] {
    return this.header.modules;
  }

  module(name: string): ModuleEntry | undefined {
    return this.header.modules.find((entry) => entry.name === name);
  }

  /** The name table; read at the first call. */
  get names(): NameTable {
    this.#names ??= this.#readNames();
    return this.#names;
  }

  /** Records of a module in blocks; none for DXT, for unknown modules and for versions newer than known. */
  *records(entry: ModuleEntry): Generator<RecordBlock> {
    if (!this.readable(entry) || entry.spec === undefined || entry.spec.kind === "dxt") return;
    let leftOut = 0;
    const options = {
      ...this.#blockOptions(entry),
      onLeftOut: (count: number) => {
        leftOut += count;
      },
    };
    yield* readBlocks(this.#open(entry.region, `${entry.name} region`), entry.spec, entry.version, options);
    if (leftOut > 0) {
      this.warn(
        `${leftOut} ${entry.name} records of version ${entry.version} mix stdio and POSIX calls and are left out`,
      );
    }
  }

  /** Segments of a DXT module in blocks. */
  *segments(entry: ModuleEntry): Generator<SegmentBlock> {
    if (!this.readable(entry) || entry.spec?.kind !== "dxt") return;
    yield* readSegments(
      this.#open(entry.region, `${entry.name} region`),
      entry.spec,
      entry.version,
      this.#blockOptions(entry),
    );
  }

  /** True when the module has data in a version that is known; otherwise a warning says why not. */
  readable(entry: ModuleEntry): boolean {
    if (entry.region.length === 0 || entry.spec === undefined) return false;
    if (entry.spec.versions[entry.version] !== undefined) return true;
    this.warn(
      `${entry.name} records have version ${entry.version}; this reader knows up to ${entry.spec.version}, so they are skipped`,
    );
    return false;
  }

  /** The bytes of a region as they stand in the file. */
  rawBytes(region: Region): Uint8Array {
    return this.source.read(region.offset, region.length).slice();
  }

  /** The plain bytes of any module, as they are, for modules that nobody knows. */
  plainBytes(entry: ModuleEntry): Uint8Array {
    return this.#collect(
      entry.region,
      `${entry.name} region`,
      this.limits.recordBytesMax,
      "--max-record-bytes",
    );
  }

  /** Adds a warning. Commands read a module more than once; a warning stands once. */
  warn(message: string): void {
    if (!this.warnings.includes(message)) this.warnings.push(message);
  }

  #blockOptions(entry: ModuleEntry) {
    return {
      swapped: this.header.bigEndian === HOST_LITTLE_ENDIAN,
      limits: this.limits,
      onLeftOut: () => {},
      compressedBytes: entry.region.length,
    };
  }

  #open(region: Region, label: string): RegionReader {
    return new RegionReader(this.#codec, this.source, region, label, this.#budget, this.#keepGoing);
  }

  #readJob(): Job {
    const buffer = takeBuffer(0);
    const region = this.#open(this.header.job, "job region");
    try {
      const length = region.fill(buffer.u8, 0, JOB_BYTES_MAX + 1);
      if (length > JOB_BYTES_MAX)
        throw region.error(JOB_BYTES_MAX, `the job region holds more than ${JOB_BYTES_MAX} plain bytes`);
      region.throwDamage();
      return new Job(buffer.u8.slice(0, length), this.header, this.source.name);
    } finally {
      region.close();
      giveBuffer(buffer);
    }
  }

  #readNames(): NameTable {
    const { names, minor, bigEndian } = this.header;
    if (names.length === 0) return new NameTable(new Uint8Array(0));
    const plain = this.#collect(
      names,
      "name region",
      this.limits.nameTableBytesMax,
      "--max-name-table-bytes",
    );
    const facts = {
      source: this.source.name,
      offset: names.offset,
      minor,
      bigEndian,
      nameBytesMax: this.limits.nameBytesMax,
    };
    return readNames(plain, facts, (error) => this.#damaged(error));
  }

  #damaged(error: FormatError): void {
    if (!this.#keepGoing) throw error;
    this.damage.push(error);
  }

  /** A whole region in memory, up to `bytesMax`. */
  #collect(region: Region, label: string, bytesMax: number, option: string): Uint8Array {
    const reader = this.#open(region, label);
    const scratch = takeBuffer(region.length);
    let bytes = scratch.u8;
    let filled = 0;
    try {
      for (;;) {
        filled = reader.fill(bytes, filled, bytes.length);
        if (filled > bytesMax)
          throw new LimitError(
            this.source.name,
            { offset: region.offset },
            `${label}: more than ${bytesMax} plain bytes (${option})`,
          );
        if (filled < bytes.length) break;
        bytes = withRoom(bytes, bytes.length * 2);
      }
      try {
        reader.throwDamage();
      } catch (error) {
        this.#damaged(error as FormatError);
      }
      return bytes.slice(0, filled);
    } finally {
      reader.close();
      giveBuffer(scratch);
    }
  }
}
