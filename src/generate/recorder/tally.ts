/**
 * The counters of one file in one layer: of a rank, counted call by call, or reduced over all ranks. Names of
 * counters are those of Darshan without the prefix of the module.
 */
import type { Call, Layer } from "./calls.ts";
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
    switch (call.kind) {
      case "open":
        this.#count(this.layer === "MPI-IO" ? `${togetherness(call)}_OPENS` : "OPENS");
        this.#span("OPEN", call);
        break;
      case "close":
        this.#span("CLOSE", call);
        break;
      case "seek":
      case "stat":
      case "view":
        this.#count(`${call.kind.toUpperCase()}S`);
        break;
      case "read":
        this.#transfer("READ", call);
        return;
      case "write":
        this.#transfer("WRITE", call);
        return;
    }
    this.#count("F_META_TIME", call.end - call.start);
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
    const { offset, bytes, start, end } = call;
    const done = direction === "READ" ? "READ" : "WRITTEN";
    this.#count(this.layer === "MPI-IO" ? `${togetherness(call)}_${direction}S` : `${direction}S`);
    this.#count(`BYTES_${done}`, bytes);
    this.#count(`SIZE_${direction}_${this.layer === "MPI-IO" ? "AGG_" : ""}${sizeClass(bytes)}`);
    this.#count(`F_${direction}_TIME`, end - start);
    this.#span(direction, call);
    raise(this.maxima, `MAX_BYTE_${done}`, offset + bytes - 1);
    if (end - start > this.longest[direction].seconds) {
      this.longest[direction] = { seconds: end - start, bytes };
    }
    this.sizes.add(bytes);
    const last = this.#lastByte[direction];
    if (offset > last) this.#count(`SEQ_${direction}S`);
    if (offset === last + 1) this.#count(`CONSEC_${direction}S`);
    if (offset > last + 1) this.strides.add(offset - last - 1);
    this.#lastByte[direction] = offset + bytes - 1;
    if (offset % this.alignmentBytes !== 0) this.#count("FILE_NOT_ALIGNED");
    if (this.#lastDirection !== undefined && this.#lastDirection !== direction) this.#count("RW_SWITCHES");
    this.#lastDirection = direction;
  }

  #count(name: string, by = 1): void {
    this.sums.set(name, (this.sums.get(name) ?? 0) + by);
  }

  #span(name: string, { start, end }: Call): void {
    lower(this.minima, `F_${name}_START_TIMESTAMP`, start);
    raise(this.maxima, `F_${name}_END_TIMESTAMP`, end);
  }
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
