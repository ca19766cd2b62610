/** Processes and files of a table: told to the sink once, found again by number. */
import type { CallSink } from "../../model/index.ts";
import { Interner } from "../text/interner.ts";

const TEXT = new TextDecoder();

export class Names {
  readonly #sink: CallSink;
  readonly #hasPid: boolean;
  readonly #files = new Interner();
  readonly #fileIds: number[] = [];
  readonly #hosts = new Interner();
  /** Per pid, or -1 without: by host and rank. */
  readonly #processes = new Map<number, Map<number, number>>();
  #lastPid = Number.NaN;
  #lastKey = Number.NaN;
  #last = 0;

  constructor(sink: CallSink, hasPid: boolean) {
    this.#sink = sink;
    this.#hasPid = hasPid;
  }

  file(bytes: Uint8Array, from: number, to: number): number {
    const index = this.#files.intern(bytes, from, to);
    this.#fileIds[index] ??= this.#sink.file({ path: TEXT.decode(bytes.subarray(from, to)) });
    return this.#fileIds[index] as number;
  }

  /** A number for `processOf`. */
  host(bytes: Uint8Array, from: number, to: number): number {
    return this.#hosts.intern(bytes, from, to);
  }

  /** `host` is what `host` gave or -1, `rank` may be NaN; so may be `pid` where the table has none. */
  processOf(pid: number, host: number, rank: number, tellsCollectives: boolean): number {
    const known = this.#hasPid ? pid : -1;
    const key = (host + 1) * 2 ** 32 + (Number.isNaN(rank) ? 0 : rank + 1);
    if (known === this.#lastPid && key === this.#lastKey) return this.#last;
    let group = this.#processes.get(known);
    if (group === undefined) this.#processes.set(known, (group = new Map()));
    let process = group.get(key);
    if (process === undefined) {
      process = this.#sink.process({
        // Without process ids the rank tells processes apart.
        pid: this.#hasPid ? pid : Number.isNaN(rank) ? 0 : rank,
        ...(Number.isNaN(rank) ? {} : { rank }),
        ...(host < 0 ? {} : { host: TEXT.decode(this.#hosts.at(host)) }),
        ...(tellsCollectives ? { tellsCollectives } : {}),
      });
      group.set(key, process);
    }
    this.#lastPid = known;
    this.#lastKey = key;
    this.#last = process;
    return process;
  }
}
