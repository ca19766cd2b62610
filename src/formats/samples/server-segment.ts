/**
 * Server segments: what the collector saw on one server between two readings, as lines of JSON. A header, a line for each
 * file of counters that was read, lines for the jobs that did something, and a last line by which a cut file is seen.
 */
import { assert } from "../../base/assert.ts";
import type { WHY_NAMES } from "../lustre/index.ts";
import { hexOf, textOf } from "./bytes-field.ts";

export const SERVER_SAMPLES = "server-samples";
export const SERVER_SAMPLES_VERSION = 2;

export interface SegmentHeader {
  readonly host: string;
  /** Who wrote it: `plimsoll 0.2.0`. */
  readonly collector: string;
  /** First and last reading of any target in the segment. */
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

/** How a difference came about, in the words of `WHY_NAMES`. */
export type Why = (typeof WHY_NAMES)[number];

/** One counter's difference. Samples and sum are below 2^64. */
export interface CounterGrowth {
  readonly name: string;
  readonly unit: string;
  readonly samples: bigint;
  readonly sum: bigint;
  readonly why: Why;
}

/** The files of counters that segments tell of. */
type SegmentKind = "job_stats" | "ost_stats" | "md_stats" | "export_stats";
export const SEGMENT_KINDS: readonly SegmentKind[] = ["job_stats", "ost_stats", "md_stats", "export_stats"];

/** One file of counters that was read: also when nothing changed, so that silence can be told from blindness. */
export interface SegmentTarget {
  /** `lustre1-OST0007` */
  readonly target: string;
  readonly kind: SegmentKind;
  /** The reading before; undefined at the first one, of which no differences are known. */
  readonly fromNs: bigint | undefined;
  readonly toNs: bigint;
  /** Readings are missing in between. */
  readonly gap: boolean;
  /** Counters that had a value at a first reading. */
  readonly carriedIn: number;
  /** Differences of the file itself; those of `job_stats` and `export_stats` are in the lines of jobs and clients. */
  readonly counters: readonly CounterGrowth[];
}

/** What one job did on one target; the target's line of kind `job_stats` came before. */
export interface SegmentJob {
  readonly target: string;
  /** The bytes of the id, without quotes and escapes (`unescapeJobId`). */
  readonly id: Uint8Array;
  readonly counters: readonly CounterGrowth[];
}

/** What one client did on one target; the target's line of kind `export_stats` came before. */
export interface SegmentClient {
  readonly target: string;
  /** `10.2.4.27@o2ib1` */
  readonly client: string;
  readonly counters: readonly CounterGrowth[];
}

/** Whole numbers of a state, by column of the store; what was not read is not there. */
export type StateNumbers = Readonly<Partial<Record<StateNumber, bigint>>>;
export const TARGET_NUMBERS = [
  ...(["bytes_total", "bytes_free", "bytes_available", "inodes_total", "inodes_free"] as const),
  ...(["clients", "evictions", "recovery_clients", "recovery_clients_done"] as const),
] as const;
export const SERVER_NUMBERS = [
  ...(["lnet_errors", "lnet_drops", "lnet_sends", "lnet_receives"] as const),
  ...(["lnet_sent_bytes", "lnet_received_bytes", "lnet_dropped_bytes"] as const),
  ...(["requests", "request_wait_usecs"] as const),
] as const;
type StateNumber = (typeof TARGET_NUMBERS)[number] | (typeof SERVER_NUMBERS)[number];

/** A target, or the server itself, at `toNs`. */
export interface SegmentState {
  /** Undefined: the server. */
  readonly target: string | undefined;
  /** The state before, from which differences count; undefined at the first. */
  readonly fromNs: bigint | undefined;
  readonly toNs: bigint;
  /** Recovery of a target, health of a server. */
  readonly status: string | undefined;
  readonly numbers: StateNumbers;
  /** A counter began again in between. */
  readonly reset: boolean;
}

/** Writes a segment piece by piece; `write` gets whole lines. */
export class SegmentWriter {
  readonly #write: (text: string) => void;
  #lines = 1;
  #ended = false;

  constructor(header: SegmentHeader, write: (text: string) => void) {
    this.#write = write;
    const { host, collector, fromNs, toNs } = header;
    this.#line({
      plimsoll: SERVER_SAMPLES,
      version: SERVER_SAMPLES_VERSION,
      host,
      collector,
      fromNs: String(fromNs),
      toNs: String(toNs),
    });
  }

  target({ target, kind, fromNs, toNs, gap, carriedIn, counters }: SegmentTarget): void {
    this.#lines++;
    this.#line({
      target,
      kind,
      ...(fromNs !== undefined && { fromNs: String(fromNs) }),
      toNs: String(toNs),
      ...(gap && { gap }),
      ...(carriedIn > 0 && { carriedIn }),
      ...(counters.length > 0 && { counters: counters.map(growthFields) }),
    });
  }

  job({ target, id, counters }: SegmentJob): void {
    this.#lines++;
    const text = textOf(id);
    this.#line({
      target,
      ...(text === undefined ? { jobHex: hexOf(id) } : { job: text }),
      counters: counters.map(growthFields),
    });
  }

  client({ target, client, counters }: SegmentClient): void {
    this.#lines++;
    this.#line({ target, client, counters: counters.map(growthFields) });
  }

  state({ target, fromNs, toNs, status, numbers, reset }: SegmentState): void {
    this.#lines++;
    this.#line({
      state: target ?? null,
      ...(fromNs !== undefined && { fromNs: String(fromNs) }),
      toNs: String(toNs),
      ...(status !== undefined && { status }),
      ...(reset && { reset }),
      numbers: Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)])),
    });
  }

  /** The last line. Without it the segment counts as cut. */
  end(): void {
    this.#line({ end: this.#lines });
    this.#ended = true;
  }

  #line(value: object): void {
    assert(!this.#ended, "the segment has ended");
    this.#write(`${JSON.stringify(value)}\n`);
  }
}

/** `[name, unit, samples, sum]`, and why when it is not plain growth; numbers as text, for they have 64 bits. */
function growthFields({ name, unit, samples, sum, why }: CounterGrowth): string[] {
  const fields = [name, unit, String(samples), String(sum)];
  if (why !== "grown") fields.push(why);
  return fields;
}
