/** What an entry of the catalogue of inputs is. A new format is a folder with such an entry, and its line in catalogue.ts. */
import type { ByteSource } from "../base/source.ts";
import type { CallSink } from "../model/index.ts";
import type { Codecs } from "./darshan/log.ts";
import type { ReadResults } from "./results/index.ts";

export const TIME_UNITS = ["s", "ms", "us", "ns"] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

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
  /** Files that hold the same calls as this one and count in its place where they are inputs too, the best first. */
  sameCalls?(path: string): readonly string[];
  /** Its calls include what every start of a program reads: libraries, locales, the kernel's own files. */
  readonly hasSystemFiles?: true;
  /** Counters of a job, as the Darshan log that holds them: the source itself, or a log made of it. Throws FormatError on bad input. */
  counters?(source: ByteSource): ByteSource;
  /** Rows of a store. `alone`: they add up, so one ingest at a time may store them. */
  readonly rows?: { readonly alone: boolean };
  /** Samples of counters over time: files that belong together, whose differences are rows of a store. */
  readonly series?: true;
  /** Results of a storage benchmark. A text without a result gives none; an Error says why it cannot be read at all. */
  results?(text: string): ReadResults;
  /** Arrays of the adaptive writer and of ADIOS. */
  readonly dataset?: true;
  /** Who takes an input that gives none of these. */
  readonly takenBy?: string;
  /** What an input lacks that is nearly of this format, for people; undefined where it is not even that. */
  lacks?(head: Uint8Array): string | undefined;
}

/** What an input can give. */
export type Capability = "calls" | "counters" | "rows" | "series" | "results" | "dataset";
