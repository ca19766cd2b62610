/** What a log is in a ranking of many: sums over its files, and each file's own. Only the records that move data are read. */
import { IdIndex } from "../../base/id-index.ts";
import { LOW, wordNumber } from "../../base/words.ts";
import type { RecordBlock } from "./blocks.ts";
import { decode } from "./job.ts";
import { timeOf } from "./known-values.ts";
import { placesOf, PREFIXES } from "./layer-counters.ts";
import type { DarshanLog } from "./log.ts";
import type { ModuleSpec } from "./modules/index.ts";

export interface FileSums {
  bytesRead: number;
  bytesWritten: number;
  opens: number;
  reads: number;
  writes: number;
  /** I/O time and its metadata part, summed over ranks. */
  seconds: number;
  metadataSeconds: number;
}

export interface LogSums extends FileSums {
  files: number;
  /** I/O time of the slowest rank, as darshan-parser has it: in files of its own, plus the slowest of each shared file. */
  slowestSeconds: number;
}

/** As in a store: bytes and times below MPI-IO. A file known from MPI-IO alone counts as a file. */
const MOVING = new Set(["POSIX", "STDIO", "DFS"]);

interface Words {
  readonly bytesRead: readonly number[];
  readonly bytesWritten: readonly number[];
  readonly opens: readonly number[];
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  readonly read: number;
  readonly write: number;
  readonly meta: number;
  readonly slowest: number;
}

const WORDS = new Map<ModuleSpec, Words>();

function wordsOf(spec: ModuleSpec): Words {
  let words = WORDS.get(spec);
  if (words === undefined) {
    const { wordsOf: sums, at } = placesOf(spec, PREFIXES[spec.name] ?? "");
    const of = (column: string) => sums.get(column) ?? [];
    words = {
      ...{ bytesRead: of("bytes_read"), bytesWritten: of("bytes_written"), opens: of("opens") },
      ...{ reads: of("reads"), writes: of("writes"), slowest: at("F_SLOWEST_RANK_TIME") },
      ...{ read: at("F_READ_TIME"), write: at("F_WRITE_TIME"), meta: at("F_META_TIME") },
    };
    WORDS.set(spec, words);
  }
  return words;
}

export const noSums = (): FileSums => ({
  ...{ bytesRead: 0, bytesWritten: 0, opens: 0, reads: 0, writes: 0, seconds: 0, metadataSeconds: 0 },
});

export function addSums(into: FileSums, sums: FileSums): void {
  into.bytesRead += sums.bytesRead;
  into.bytesWritten += sums.bytesWritten;
  into.opens += sums.opens;
  into.reads += sums.reads;
  into.writes += sums.writes;
  into.seconds += sums.seconds;
  into.metadataSeconds += sums.metadataSeconds;
}

interface SumsOptions {
  /** Which files count; all without it. */
  readonly keeps?: ((path: string) => boolean) | undefined;
  /** Hears of each file that counts. */
  readonly file?: ((path: string, sums: FileSums) => void) | undefined;
}

export function logSums(log: DarshanLog, options: SumsOptions = {}): LogSums {
  const reader = new SumsReader(log, options);
  for (const entry of log.modules) {
    const { spec } = entry;
    if (spec === undefined || !(MOVING.has(spec.name) || spec.name === "MPI-IO")) continue;
    for (const block of log.records(entry)) reader.add(block, spec);
  }
  return reader.finish();
}

class SumsReader {
  readonly #log: DarshanLog;
  readonly #options: SumsOptions;
  readonly #ids = new IdIndex();
  readonly #files: FileSums[] = [];
  readonly #paths: string[] = [];
  readonly #kept: boolean[] = [];
  /** Time of each rank in files of its own. */
  readonly #ranks = new Map<number, number>();
  #sharedSeconds = 0;

  constructor(log: DarshanLog, options: SumsOptions) {
    this.#log = log;
    this.#options = options;
  }

  add(block: RecordBlock, spec: ModuleSpec): void {
    const { u32, f64 } = block.views;
    const words = wordsOf(spec);
    const sum = (at: number, list: readonly number[]) => {
      let total = 0;
      for (const word of list) total += Math.max(0, wordNumber(u32, at + word));
      return total;
    };
    const seconds = (at: number, word: number) => (word < 0 ? 0 : timeOf(f64[at + word]) || 0);
    for (let k = 0; k < block.count; k++) {
      const at = block.at(k);
      const number = this.#numberOf(u32[2 * at + LOW] as number, u32[2 * at + 1 - LOW] as number);
      if (this.#kept[number] === false || !MOVING.has(spec.name)) continue;
      const file = this.#files[number] as FileSums;
      const meta = seconds(at, words.meta);
      const all = seconds(at, words.read) + seconds(at, words.write) + meta;
      file.bytesRead += sum(at, words.bytesRead);
      file.bytesWritten += sum(at, words.bytesWritten);
      file.opens += sum(at, words.opens);
      file.reads += sum(at, words.reads);
      file.writes += sum(at, words.writes);
      file.seconds += all;
      file.metadataSeconds += meta;
      const rank = wordNumber(u32, at + 1);
      if (rank < 0) this.#sharedSeconds += seconds(at, words.slowest);
      else this.#ranks.set(rank, (this.#ranks.get(rank) ?? 0) + all);
    }
  }

  #numberOf(low: number, high: number): number {
    const before = this.#ids.count;
    const number = this.#ids.numberOf(low, high);
    if (number < before) return number;
    this.#files.push(noSums());
    const { keeps, file } = this.#options;
    if (keeps === undefined && file === undefined) this.#kept.push(true);
    else {
      const name = this.#log.names.bytesOf(low, high);
      const path = name === undefined ? "" : decode(name);
      this.#paths[number] = path || `(record ${this.#ids.id(number)})`;
      this.#kept.push(keeps === undefined || keeps(path));
    }
    return number;
  }

  finish(): LogSums {
    const total = noSums();
    let files = 0;
    for (const [number, sums] of this.#files.entries()) {
      if (this.#kept[number] === false) continue;
      files++;
      addSums(total, sums);
      this.#options.file?.(this.#paths[number] as string, sums);
    }
    let slowest = 0;
    for (const seconds of this.#ranks.values()) slowest = Math.max(slowest, seconds);
    return { ...total, files, slowestSeconds: slowest + this.#sharedSeconds };
  }
}
