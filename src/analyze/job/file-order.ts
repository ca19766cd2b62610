/** Who calls when: pairs of a file and a rank, and what the order of their calls says of the file. */
import type { BatchListener, CallBatch } from "../metric/index.ts";

/** Reads, writes, metadata calls. A tally is a pair with one of these. */
export const CALL_KINDS = 3;
const [READ, WRITE] = [0, 1];
/** In place of a file: metadata calls, whatever their file. */
export const NO_FILE = -1;

/** From the first call of a process to its last. */
export interface Life {
  firstNs: number;
  lastNs: number;
}

interface RankPairs {
  /** Among the ranks with calls. */
  readonly number: number;
  readonly files: Map<number, number>;
  readonly life: Life;
}

export class CallPairs {
  readonly #file: number[] = [];
  readonly #rank: number[] = [];
  readonly #ranks = new Map<number, RankPairs>();

  get count(): number {
    return this.#file.length;
  }

  /** Ranks with calls. */
  get ranks(): number {
    return this.#ranks.size;
  }

  of(file: number, rank: number): number {
    const { number, files } = this.#own(rank);
    let pair = files.get(file);
    if (pair === undefined) {
      files.set(file, (pair = this.#file.push(file) - 1));
      this.#rank.push(number);
    }
    return pair;
  }

  lifeOf(rank: number): Life {
    return this.#own(rank).life;
  }

  fileOf(pair: number): number {
    return this.#file[pair] as number;
  }

  /** Group of each tally, by file and kind; metadata calls are in the last one. */
  groups(last: number, groupOf: (file: number, kind: number) => number): Uint32Array {
    const groups = new Uint32Array(CALL_KINDS * this.count).fill(last);
    for (let pair = 0; pair < this.count; pair++) {
      const file = this.fileOf(pair);
      if (file === NO_FILE) continue;
      for (const kind of [READ, WRITE]) groups[CALL_KINDS * pair + kind] = groupOf(file, kind);
    }
    return groups;
  }

  /** Number of the rank of each tally. */
  rankOfTallies(): Uint32Array {
    return Uint32Array.from(
      { length: CALL_KINDS * this.count },
      (_, tally) => this.#rank[Math.floor(tally / CALL_KINDS)] as number,
    );
  }

  /** Ranks in the order of their numbers. */
  rankNumbers(): readonly number[] {
    return [...this.#ranks.keys()];
  }

  lives(): { readonly firstNs: Float64Array; readonly lastNs: Float64Array } {
    const lives = Array.from(this.#ranks.values(), ({ life }) => life);
    return {
      firstNs: Float64Array.from(lives, ({ firstNs }) => firstNs),
      lastNs: Float64Array.from(lives, ({ lastNs }) => lastNs),
    };
  }

  #own(rank: number): RankPairs {
    let own = this.#ranks.get(rank);
    if (own === undefined) {
      const life = { firstNs: Number.POSITIVE_INFINITY, lastNs: Number.NEGATIVE_INFINITY };
      own = { number: this.#ranks.size, files: new Map(), life };
      this.#ranks.set(rank, own);
    }
    return own;
  }
}

/** Reads of what is written next, and turns of ranks, file by file. */
export class FileOrder implements BatchListener {
  /** By pair; NO_FILE for calls of files that are not asked for. */
  readonly #file: Int32Array;
  /** By pair: one more than the offset of the read that came last, its duration, and the time of all calls. */
  readonly #read: Float64Array;
  readonly #readNs: Float64Array;
  readonly #callNs: Float64Array;
  /** By file. */
  readonly #rewrites: Float64Array;
  readonly #rewriteNs: Float64Array;
  readonly #end: Float64Array;
  readonly #endPair: Int32Array;
  readonly #handOffs: Float64Array;
  readonly #pauseNs: Float64Array;
  readonly #ranks: Uint32Array;
  readonly #longestNs: Float64Array;

  /** `wanted` says of each file whether it is asked for. */
  constructor(pairs: CallPairs, wanted: readonly boolean[]) {
    const [byPair, byFile] = [() => new Float64Array(pairs.count), () => new Float64Array(wanted.length)];
    [this.#read, this.#readNs, this.#callNs] = [byPair(), byPair(), byPair()];
    [this.#rewrites, this.#rewriteNs, this.#end] = [byFile(), byFile(), byFile()];
    [this.#handOffs, this.#pauseNs, this.#longestNs] = [byFile(), byFile(), byFile()];
    this.#endPair = new Int32Array(wanted.length).fill(-1);
    this.#ranks = new Uint32Array(wanted.length);
    this.#file = new Int32Array(pairs.count).fill(NO_FILE);
    for (let pair = 0; pair < pairs.count; pair++) {
      const file = pairs.fileOf(pair);
      if (wanted[file] !== true) continue;
      this.#file[pair] = file;
      this.#ranks[file]!++;
    }
  }

  // One loop, since a call per row with doubles costs more than the row.
  batch({ start, end, tally, bytes: offsets, starts }: CallBatch): void {
    for (let i = 0; i < starts; i++) {
      const kind = (tally[i] as number) % CALL_KINDS;
      const pair = ((tally[i] as number) - kind) / CALL_KINDS;
      const file = this.#file[pair] as number;
      if (file === NO_FILE) continue;
      const from = start[i] as number;
      const to = end[i] as number;
      // Turns of ranks.
      const last = this.#endPair[file] as number;
      const pause = from - (this.#end[file] as number);
      if (last >= 0 && last !== pair && pause >= 0) {
        this.#handOffs[file]!++;
        this.#pauseNs[file]! += pause;
      }
      if (last < 0 || to >= (this.#end[file] as number)) {
        this.#end[file] = to;
        this.#endPair[file] = pair;
      }
      const ns = (this.#callNs[pair] as number) + to - from;
      this.#callNs[pair] = ns;
      if (ns > (this.#longestNs[file] as number)) this.#longestNs[file] = ns;
      // A rank reads a place and writes it next.
      const place = offsets[i] as number;
      if (kind === READ) {
        this.#read[pair] = place;
        this.#readNs[pair] = to - from;
        continue;
      }
      if (place > 0 && place === this.#read[pair]) {
        this.#rewrites[file]!++;
        this.#rewriteNs[file]! += this.#readNs[pair] as number;
      }
      this.#read[pair] = 0;
    }
  }

  facts(file: number) {
    return {
      rewrites: {
        calls: this.#rewrites[file] as number,
        readSeconds: (this.#rewriteNs[file] as number) / 1e9,
      },
      turns: {
        ranks: this.#ranks[file] as number,
        handOffs: this.#handOffs[file] as number,
        pauseSeconds: (this.#pauseNs[file] as number) / 1e9,
        longestRankSeconds: (this.#longestNs[file] as number) / 1e9,
      },
    };
  }
}
