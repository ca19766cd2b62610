/** Files of a trace: by name where events have it, by hash where names come in events of their own. */
import type { CallSink } from "../../model/index.ts";
import { Interner } from "../text/interner.ts";
import { decoded, type TraceEvent, Txt } from "./event.ts";
import { nameKey } from "./names.ts";

export class Files {
  readonly #sink: CallSink;
  readonly #nameOf: (key: string) => string | undefined;
  readonly #hashes = new Interner();
  readonly #names = new Interner();
  /** By number of the hash and of the name as it is written. */
  readonly #ofHash: (number | undefined)[] = [];
  readonly #ofName: number[] = [];
  readonly #pathOfHash: string[] = [];
  readonly #byPath = new Map<string, number>();
  /** Hashes without a name, and hashes that stand for several. */
  unnamed = 0;
  ambiguous = 0;

  constructor(sink: CallSink, nameOf: (key: string) => string | undefined) {
    this.#sink = sink;
    this.#nameOf = nameOf;
  }

  of(event: TraceEvent): number {
    const { bytes } = event;
    const hashTo = event.to[Txt.fhash] as number;
    const hashFrom = event.from[Txt.fhash] as number;
    if (hashTo > hashFrom) {
      const index = this.#hashes.intern(bytes, hashFrom, hashTo);
      return this.#ofHash[index] ?? this.#search(index);
    }
    const [from, to] = [event.from[Txt.fname] as number, event.to[Txt.fname] as number];
    const index = this.#names.intern(bytes, from, to);
    this.#ofName[index] ??= this.#path(decoded(bytes, from, to));
    return this.#ofName[index] as number;
  }

  /** An event that gives the name of a hash. Hashes are short: two names may share one, and then the last one counts. */
  name(event: TraceEvent): void {
    const index = this.#hashes.intern(
      event.bytes,
      event.from[Txt.argValue] as number,
      event.to[Txt.argValue] as number,
    );
    const path = event.text(Txt.argName);
    const before = this.#pathOfHash[index];
    if (before === path) return;
    if (before !== undefined) this.ambiguous++;
    this.#pathOfHash[index] = path;
    this.#ofHash[index] = this.#path(path);
  }

  /** A call came before the name of its file, or the name is in another file of the job. */
  #search(index: number): number {
    const hash = decoded(this.#hashes.at(index), 0, this.#hashes.at(index).length);
    const name = this.#nameOf(nameKey("FH", hash));
    if (name === undefined) this.unnamed++;
    else this.#pathOfHash[index] = name;
    const number = this.#path(name ?? `(file hash ${hash})`);
    this.#ofHash[index] = number;
    return number;
  }

  #path(path: string): number {
    let number = this.#byPath.get(path);
    if (number === undefined) this.#byPath.set(path, (number = this.#sink.file({ path })));
    return number;
  }
}
