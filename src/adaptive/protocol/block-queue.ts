/** The blocks of one group: waiting, in flight, written. Kept by the group's sub-coordinator. */
import { assert } from "../../base/assert.ts";
import { IndexColumns } from "./index-columns.ts";
import { Numbered } from "./numbered.ts";
import { sizeOf } from "./policy.ts";
import type { Setup } from "./setup.ts";
import type { FileId, Rank, Seconds } from "./step.ts";

/** A range of a block with a write order. */
export interface Piece {
  readonly piece: number;
  readonly block: Rank;
  readonly at: number;
  readonly length: number;
  readonly tries: number;
  /** The writer. */
  readonly rank: Rank;
  /** Destination, and the owner of that file. */
  file: FileId;
  owner: Rank;
  since: Seconds;
  /** A second copy in flight, or -1. */
  copyFile: FileId;
  copyOwner: Rank;
  /** File that has it while its index is awaited; -1 before. */
  writtenFile: FileId;
  writtenOffset: number;
  indexArrived: boolean;
  checksum: unknown;
}

interface Range {
  readonly block: Rank;
  readonly at: number;
  readonly length: number;
  readonly tries: number;
}

export class BlockQueue {
  /** Bytes without a write order. */
  waitingBytes = 0;
  entries: IndexColumns;
  readonly outstanding = new Numbered<Piece>();
  readonly #setup: Setup;
  readonly #first: Rank;
  readonly #ranks: number;
  /** Bytes of each block that have been handed out from its front. */
  readonly #taken: Float64Array;
  /** Ring of ranks with bytes left: a cut block goes to the end, so that neighbours share the work. */
  readonly #ring: Int32Array;
  #ringFirst = 0;
  #ringCount = 0;
  /** Returned ranges. */
  #returned: Range[] = [];
  #nextPiece = 0;

  constructor(setup: Setup, group: number, fill: boolean) {
    this.#setup = setup;
    this.#first = setup.layout.firstRank[group] as number;
    this.#ranks = (setup.layout.firstRank[group + 1] as number) - this.#first;
    assert(this.#ranks > 0, "a group has ranks");
    this.#taken = new Float64Array(this.#ranks);
    this.#ring = new Int32Array(this.#ranks);
    this.entries = new IndexColumns(this.#ranks);
    if (!fill) return;
    for (let i = 0; i < this.#ranks; i++) {
      const size = sizeOf(setup, this.#first + i);
      if (size === 0) continue;
      this.#ring[this.#ringCount++] = i;
      this.waitingBytes += size;
    }
  }

  get complete(): boolean {
    return this.waitingBytes === 0 && this.outstanding.size === 0;
  }

  /** Cuts a piece of at most this many bytes; undefined when nothing waits. */
  take(bytesMax: number, rankFor: (block: Rank) => Rank, now: Seconds): Piece | undefined {
    const returned = this.#returned.pop();
    if (returned !== undefined) {
      const length = cut(returned.length, bytesMax);
      if (length < returned.length)
        this.#returned.push({ ...returned, at: returned.at + length, length: returned.length - length });
      return this.#out(returned.block, returned.at, length, returned.tries, rankFor, now);
    }
    if (this.#ringCount === 0) return undefined;
    const i = this.#ring[this.#ringFirst] as number;
    const block = this.#first + i;
    const at = this.#taken[i] as number;
    const left = sizeOf(this.#setup, block) - at;
    assert(left > 0, "a block in the ring has bytes left");
    const length = cut(left, bytesMax);
    this.#taken[i] = at + length;
    this.#ringFirst = this.#ringFirst + 1 === this.#ranks ? 0 : this.#ringFirst + 1;
    if (length < left) this.#ring[(this.#ringFirst + this.#ringCount - 1) % this.#ranks] = i;
    else this.#ringCount--;
    return this.#out(block, at, length, 0, rankFor, now);
  }

  /** The piece is written to `file`: it enters the index, and is no longer in flight. */
  accept(piece: Piece, file: FileId, offset: number, checksum: unknown): void {
    const wasUnderWay = this.outstanding.delete(piece.piece);
    assert(wasUnderWay, "a piece enters the index once, and only while it is in flight");
    this.entries.add(piece.block, piece.at, piece.length, file, offset, checksum);
  }

  /** The piece was not written: it waits again. */
  giveBack(piece: Piece): void {
    const wasUnderWay = this.outstanding.delete(piece.piece);
    assert(wasUnderWay, "a piece is given back once, and only while it is in flight");
    this.wait(piece.block, piece.at, piece.length, piece.tries + 1);
  }

  wait(block: Rank, at: number, length: number, tries: number): void {
    assert(block >= this.#first && block < this.#first + this.#ranks, "waiting bytes are of this group");
    assert(
      at >= 0 && length > 0 && at + length <= sizeOf(this.#setup, block),
      "a waiting range lies in its block",
    );
    this.#returned.push({ block, at, length, tries });
    this.waitingBytes += length;
  }

  /** Bytes of the group that are in the index. */
  get writtenBytes(): number {
    let bytes = 0;
    for (let i = 0; i < this.entries.count; i++) bytes += this.entries.length[i] as number;
    return bytes;
  }

  /** Bytes of the block that are in the index. */
  written(block: Rank): number {
    const { entries } = this;
    let bytes = 0;
    for (let i = 0; i < entries.count; i++)
      if (entries.block[i] === block) bytes += entries.length[i] as number;
    return bytes;
  }

  /** Drops the entries of the file; those ranges wait again. Returns their number. */
  loseFile(file: FileId): number {
    const old = this.entries;
    // The coordinator holds the old columns; they must not change.
    this.entries = new IndexColumns(old.count);
    let lost = 0;
    for (let i = 0; i < old.count; i++) {
      const { block, at, length, offset, checksum } = old.entry(i);
      if (old.file[i] === file) {
        this.wait(block, at, length, 1);
        lost++;
      } else this.entries.add(block, at, length, old.file[i] as number, offset, checksum);
    }
    assert(this.entries.count + lost === old.count, "an entry is kept or waits again");
    return lost;
  }

  #out(
    block: Rank,
    at: number,
    length: number,
    tries: number,
    rankFor: (block: Rank) => Rank,
    since: Seconds,
  ): Piece {
    this.waitingBytes -= length;
    assert(this.waitingBytes >= 0, "no more is handed out than waits");
    assert(at >= 0 && at + length <= sizeOf(this.#setup, block), "a piece lies in its block");
    const piece: Piece = {
      piece: this.#nextPiece++,
      block,
      at,
      length,
      tries,
      rank: rankFor(block),
      file: -1,
      owner: -1,
      since,
      copyFile: -1,
      copyOwner: -1,
      writtenFile: -1,
      writtenOffset: 0,
      indexArrived: false,
      checksum: undefined,
    };
    this.outstanding.add(piece.piece, piece);
    return piece;
  }
}

/** A piece of a whole number of bytes; a remainder below half a piece is added to it. */
function cut(left: number, bytesMax: number): number {
  assert(left > 0 && bytesMax > 0, "a piece has bytes");
  if (left <= 1.5 * bytesMax) return left;
  return Math.max(1, Math.floor(bytesMax));
}
