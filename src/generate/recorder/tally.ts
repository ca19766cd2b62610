/**
 * The counters of one file in one layer: of a rank, counted call by call, or reduced over all ranks. Names of
 * counters are those of Darshan without the prefix of the module.
 */
import { type Call, countOf, type Layer, secondsOf } from "./calls.ts";
import { MostFrequent } from "./most-frequent.ts";

/** Upper bounds of the access size classes, inclusive; the last class is open. */
const CLASSES: readonly (readonly [string, number])[] = [
  ["0_100", 100],
  ["100_1K", 1024],
  ["1K_10K", 10 * 1024],
  ["10K_100K", 100 * 1024],
  ["100K_1M", 1024 ** 2],
  ["1M_4M", 4 * 1024 ** 2],
  ["4M_10M", 10 * 1024 ** 2],
  ["10M_100M", 100 * 1024 ** 2],
  ["100M_1G", 1024 ** 3],
  ["1G_PLUS", Number.POSITIVE_INFINITY],
];

type Direction = "READ" | "WRITE";

/** What a layer calls a call that waits until data is stored. */
const SYNCS: Readonly<Record<Layer, string>> = {
  POSIX: "FSYNCS",
  "MPI-IO": "SYNCS",
  STDIO: "FLUSHES",
  H5F: "FLUSHES",
  H5D: "FLUSHES",
};

export class Tally {
  readonly rank: number;
  readonly layer: Layer;
  readonly alignmentBytes: number;
  readonly sums = new Map<string, number>();
  /** Highest values: offsets and ends. */
  readonly maxima = new Map<string, number>();
  /** Lowest values: starts. */
  readonly minima = new Map<string, number>();
  readonly longest = { READ: { seconds: 0, bytes: 0 }, WRITE: { seconds: 0, bytes: 0 } };
  readonly sizes = new MostFrequent();
  readonly strides = new MostFrequent();
  /** Last byte of the previous access; the recorder begins with 0, so a first access behind it is a stride. */
  readonly #lastByte = { READ: 0, WRITE: 0 };
  #lastDirection: Direction | undefined;

  constructor(layer: Layer, rank: number, alignmentBytes: number) {
    this.layer = layer;
    this.rank = rank;
    this.alignmentBytes = alignmentBytes;
  }

  add(call: Call): void {
    const calls = countOf(call);
    switch (call.kind) {
      case "open":
        this.#count(this.layer === "MPI-IO" ? `${togetherness(call)}_OPENS` : "OPENS", calls);
        this.#span("OPEN", call);
        break;
      case "close":
        this.#span("CLOSE", call);
        break;
      case "seek":
      case "stat":
      case "view":
        this.#count(`${call.kind.toUpperCase()}S`, calls);
        break;
      case "sync":
        this.#count(SYNCS[this.layer], calls);
        // Darshan counts waiting for the storage as time of writing; HDF5's flush is metadata.
        if (this.layer === "H5F" || this.layer === "H5D") break;
        this.#count("F_WRITE_TIME", calls * secondsOf(call));
        return;
      case "read":
        this.#transfer("READ", call);
        return;
      case "write":
        this.#transfer("WRITE", call);
        return;
    }
    this.#count("F_META_TIME", calls * secondsOf(call));
  }

  /** Seconds in calls, which decides who is fastest and slowest. */
  get seconds(): number {
    return this.sum("F_READ_TIME") + this.sum("F_WRITE_TIME") + this.sum("F_META_TIME");
  }

  get bytes(): number {
    return this.sum("BYTES_READ") + this.sum("BYTES_WRITTEN");
  }

  sum(name: string): number {
    return this.sums.get(name) ?? 0;
  }

  #transfer(direction: Direction, call: Call): void {
    const { offset, bytes, strideBytes = 0 } = call;
    const calls = countOf(call);
    const seconds = secondsOf(call);
    const done = direction === "READ" ? "READ" : "WRITTEN";
    const classes = this.layer === "MPI-IO" || this.layer === "H5D" ? "AGG_" : "";
    this.#count(this.layer === "MPI-IO" ? `${togetherness(call)}_${direction}S` : `${direction}S`, calls);
    if (this.layer === "H5D") this.#count("REGULAR_HYPERSLAB_SELECTS", calls);
    this.#count(`BYTES_${done}`, calls * bytes);
    this.#count(`SIZE_${direction}_${classes}${sizeClass(bytes)}`, calls);
    this.#count(`F_${direction}_TIME`, calls * seconds);
    this.#span(direction, call);
    const last = offset + (calls - 1) * strideBytes;
    raise(this.maxima, `MAX_BYTE_${done}`, Math.max(offset, last) + bytes - 1);
    if (seconds > this.longest[direction].seconds) this.longest[direction] = { seconds, bytes };
    this.sizes.add(bytes, calls);
    this.#order(direction, offset, this.#lastByte[direction], 1);
    if (calls > 1) this.#order(direction, strideBytes, bytes - 1, calls - 1);
    this.#lastByte[direction] = last + bytes - 1;
    const aligned = alignedCalls(offset, strideBytes, calls, this.alignmentBytes);
    if (aligned < calls) this.#count("FILE_NOT_ALIGNED", calls - aligned);
    if (this.#lastDirection !== undefined && this.#lastDirection !== direction) this.#count("RW_SWITCHES");
    this.#lastDirection = direction;
  }

  /** `calls` calls at `offset` behind a call whose last byte is `last`. */
  #order(direction: Direction, offset: number, last: number, calls: number): void {
    if (offset > last) this.#count(`SEQ_${direction}S`, calls);
    if (offset === last + 1) this.#count(`CONSEC_${direction}S`, calls);
    if (offset > last + 1) this.strides.add(offset - last - 1, calls);
  }

  #count(name: string, by = 1): void {
    this.sums.set(name, (this.sums.get(name) ?? 0) + by);
  }

  #span(name: string, { start, end }: Call): void {
    lower(this.minima, `F_${name}_START_TIMESTAMP`, start);
    raise(this.maxima, `F_${name}_END_TIMESTAMP`, end);
  }
}

/** How many of `calls` offsets, `stride` apart, are multiples of the alignment: from the first such one on, one in each period. */
function alignedCalls(offset: number, stride: number, calls: number, alignment: number): number {
  if (calls === 1 || stride % alignment === 0) return offset % alignment === 0 ? calls : 0;
  const period = alignment / greatestDivisor(alignment, Math.abs(stride));
  for (let first = 0; first < Math.min(period, calls); first++) {
    if ((offset + first * stride) % alignment === 0) return 1 + Math.floor((calls - 1 - first) / period);
  }
  return 0;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

function togetherness({ collective }: Call): string {
  return collective ? "COLL" : "INDEP";
}

function sizeClass(bytes: number): string {
  return (CLASSES.find(([, most]) => bytes <= most) as readonly [string, number])[0];
}

export function raise(values: Map<string, number>, name: string, value: number): void {
  const old = values.get(name);
  if (old === undefined || value > old) values.set(name, value);
}

export function lower(values: Map<string, number>, name: string, value: number): void {
  const old = values.get(name);
  if (old === undefined || value < old) values.set(name, value);
}
