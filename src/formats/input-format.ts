/** What an entry of the catalogue of inputs is. A new format is a folder with such an entry, and its line in catalogue.ts. */
import type { Codec } from "../base/codec.ts";
import type { ByteSource } from "../base/source.ts";
import type { CallSink, TablesBuilder } from "../model/index.ts";

export const TIME_UNITS = ["s", "ms", "us", "ns"] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

interface Codecs {
  readonly zlib: Codec;
  readonly bzip2: Codec;
}

/** What the host passes in. Everything has a default but the codecs, which only compressed inputs need. */
export interface CallReadOptions {
  readonly codecs?: Codecs;
  /** Unit of times where the input does not say it: CSV (seconds) and the log time of fio (milliseconds). */
  readonly time?: TimeUnit;
  /** Unit of the latencies of a fio log: nanoseconds as fio 3 writes them; fio 2 wrote microseconds. */
  readonly latency?: TimeUnit;
  /** Bytes of a block where the input counts blocks; 512 as in the paper. */
  readonly blockBytes?: number;
  /** Use what comes before damage, with a note `truncated`, instead of an error. */
  readonly keepGoing?: boolean;
  /** What `InputFormat.names` found in all files of the job; made when a file first lacks a name. */
  readonly names?: () => ReadonlyMap<string, string>;
}

export interface CounterReadOptions {
  readonly codecs: Codecs;
  /** Identity of the run in the tables; the name of the source when absent. */
  readonly runId?: string;
}

/**
 * Hands all calls of the source to the sink; throws FormatError on input that is none. Single bad lines or records are
 * counted in notes.
 */
export type CallReader = (source: ByteSource, sink: CallSink, options?: CallReadOptions) => void;

export interface InputFormat {
  readonly id: string;
  readonly label: string;
  /** A cheap look at the first bytes and the name; no parsing. Names are only a hint. */
  recognizes(head: Uint8Array, name: string): boolean;
  /** Single calls; `database`: only the database can read them. */
  readonly calls?: CallReader | "database";
  /** True when `calls` goes once from the first byte to the last, so that the source may be a pipe without end. */
  readonly sequential?: boolean;
  /** Names that files of a job may leave to one another, such as those behind hashes. */
  names?(sources: Iterable<ByteSource>): ReadonlyMap<string, string>;
  /** Its calls include what every start of a program reads: libraries, locales, the kernel's own files. */
  readonly hasSystemFiles?: true;
  /** Counters of a job into the tables; throws FormatError on bad input. */
  counters?(source: ByteSource, into: TablesBuilder, options: CounterReadOptions): void;
  /** Rows of a store. `alone`: they add up, so one ingest at a time may store them. */
  readonly rows?: { readonly alone: boolean };
  /** Samples of counters over time: files that belong together, whose differences are rows of a store. */
  readonly series?: true;
  /** Results of storage benchmarks. */
  readonly results?: true;
  /** Arrays of the adaptive writer and of ADIOS. */
  readonly dataset?: true;
  /** Who takes an input that gives none of these. */
  readonly takenBy?: string;
  /** What an input lacks that is nearly of this format, for people; undefined where it is not even that. */
  lacks?(head: Uint8Array): string | undefined;
}

/** What an input can give. */
export type Capability = "calls" | "counters" | "rows" | "series" | "results" | "dataset";
