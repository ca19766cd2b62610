/** Lets the records and calls of chosen files through, for whoever wants a part of a log. */
import { IdIndex } from "../../base/id-index.ts";
import { LOW, wordNumber } from "../../base/words.ts";
import { type CallSink, sinkWithout } from "../../model/index.ts";
import { RecordBlock } from "./blocks.ts";
import { decode } from "./job.ts";
import { placesOf, PREFIXES } from "./layer-counters.ts";
import type { DarshanLog } from "./log.ts";
import type { ModuleSpec } from "./modules/index.ts";

export interface FileChoice {
  /** Whether a file of this name counts. The name is empty where the log has none. */
  keeps(path: string): boolean;
  /** Hears of each record that does not count: id of the file in two halves, and what it moved in a layer. */
  leaveOut(low: number, high: number, layer: string, bytesRead: number, bytesWritten: number): void;
}

/** Words of a record that hold bytes; -1 where the module counts none. */
interface ByteWords {
  readonly read: number;
  readonly written: number;
}

export class FileGate {
  readonly #log: DarshanLog;
  readonly #choice: FileChoice;
  /** Each file is asked for once. */
  readonly #ids: IdIndex;
  readonly #kept: boolean[] = [];
  readonly #words = new Map<ModuleSpec, ByteWords>();

  constructor(log: DarshanLog, choice: FileChoice) {
    this.#log = log;
    this.#choice = choice;
    this.#ids = new IdIndex(Math.min(log.names.size + 16, 1 << 20));
  }

  /** The records of a block that count. A dataset or variable counts with its file. */
  block(block: RecordBlock, spec: ModuleSpec): RecordBlock {
    if (block.header) return block;
    const { u32 } = block.views;
    const words = this.#wordsOf(spec);
    const starts = new Uint32Array(block.count + 1);
    let count = 0;
    for (let k = 0; k < block.count; k++) {
      const at = block.at(k);
      const id = this.#fileWord(u32, at, spec);
      const [low, high] = [u32[2 * id + LOW] as number, u32[2 * id + 1 - LOW] as number];
      if (this.#keeps(low, high)) starts[count++] = at;
      else {
        const bytes = (word: number) => (word < 0 ? 0 : Math.max(0, wordNumber(u32, at + word)));
        this.#choice.leaveOut(low, high, spec.name, bytes(words.read), bytes(words.written));
      }
    }
    return count === block.count ? block : new RecordBlock(block.views, count, block.stride, starts);
  }

  /** A sink for the traced calls of the log that hands on those that count. */
  sink(sink: CallSink): CallSink {
    return sinkWithout(sink, ({ id = 0n }) => !this.#keeps(Number(id & 0xffffffffn), Number(id >> 32n)));
  }

  #wordsOf(spec: ModuleSpec): ByteWords {
    let words = this.#words.get(spec);
    if (words === undefined) {
      const { at } = placesOf(spec, PREFIXES[spec.name] ?? "");
      this.#words.set(spec, (words = { read: at("BYTES_READ"), written: at("BYTES_WRITTEN") }));
    }
    return words;
  }

  /** Where the id of a record's file stands: its own, or behind it that of its parent. */
  #fileWord(u32: Uint32Array, at: number, spec: ModuleSpec): number {
    if (spec.integersAt !== 3) return at;
    const parent = at + 2;
    return u32[2 * parent] === 0 && u32[2 * parent + 1] === 0 ? at : parent;
  }

  #keeps(low: number, high: number): boolean {
    const before = this.#ids.count;
    const number = this.#ids.numberOf(low, high);
    if (number === before) {
      const name = this.#log.names.bytesOf(low, high);
      this.#kept.push(this.#choice.keeps(name === undefined ? "" : decode(name)));
    }
    return this.#kept[number] as boolean;
  }
}
