/**
 * The inputs whose rows are in a batch that is not committed yet, and how their files were when they were opened. A file that
 * somebody writes meanwhile may have been read half old, half new; then the batch is filled again without it.
 */
import { compareState, type FileState } from "../node/file-state.ts";
import type { Placed } from "./messages.ts";
import type { Settled } from "./reader.ts";
import type { Found } from "../node/walk.ts";

export const CHANGED = "the file changed while being read; ingest it again when it is complete";

/** An input that was read, and what came of it. */
export interface ReadInput {
  readonly input: Found;
  outcome: Settled;
  /** It was named as changed; nothing of it is stored. */
  isLeftOut?: boolean;
}

/** Texts that are read one after the other; each needs what those before it left behind. */
export interface ReadSeries {
  readonly texts: (ReadInput & { readonly input: Placed; readonly isLast: boolean })[];
  /** This many of them are in batches that were committed. */
  committed: number;
  /** All of them are read. */
  isDone: boolean;
}

type JournalItem =
  | { readonly kind: "input"; readonly read: ReadInput }
  | { readonly kind: "series"; readonly series: ReadSeries };

export class Journal {
  #items: JournalItem[] = [];
  /** The series that is being read. */
  #open: ReadSeries | undefined;

  get items(): readonly JournalItem[] {
    return this.#items;
  }

  add(read: ReadInput): void {
    this.#items.push({ kind: "input", read });
  }

  beginSeries(): ReadSeries {
    const series: ReadSeries = { texts: [], committed: 0, isDone: false };
    this.#items.push({ kind: "series", series });
    this.#open = series;
    return series;
  }

  endSeries(): void {
    if (this.#open !== undefined) this.#open.isDone = true;
    this.#open = undefined;
  }

  /** Inputs with rows in the batch that are not what they were; they are left out from now on. */
  leaveOutChanged(): boolean {
    let found = false;
    for (const item of this.#items) {
      const reads = item.kind === "input" ? [item.read] : item.series.texts.slice(item.series.committed);
      for (const read of reads) {
        if (read.isLeftOut || !hasRows(read.outcome) || !hasChanged(read)) continue;
        read.isLeftOut = true;
        found = true;
      }
    }
    return found;
  }

  /** All of them are committed. */
  settle(): void {
    this.#items = [];
    if (this.#open === undefined) return;
    this.#open.committed = this.#open.texts.length;
    this.#items.push({ kind: "series", series: this.#open });
  }
}

/** What could not be read has a row too, which says why. */
const hasRows = ({ status }: Settled) => status === "stored" || status === "skipped";

function hasChanged({ input, outcome: { state, changed } }: ReadInput): boolean {
  if (changed === true) return true;
  if (state === undefined) return false;
  // What is gone was whole when it was closed.
  return compareState(input.path, state) === "changed";
}

/** How a file was when it was opened, and whether it was another one when it was closed. */
export interface Witness {
  readonly state?: FileState | undefined;
  readonly changed?: boolean;
}
