/**
 * Requests that name several pieces. Both descriptions are bounded, as in PVFS: a request has at most `listPairs` pieces of
 * memory and as many of the file. Data is packed, at most `requestBytes`.
 */
import { PieceCursor, type Pieces, isContiguous, pieceBlock } from "../pattern/index.ts";
import type { FileRegions } from "../storage.ts";
import { moveContiguous, type Outcome, PackedData, type Task } from "./task.ts";

export async function list(task: Task): Promise<Outcome> {
  const { direction, access, requests, options, bytes } = task;
  const pairs = options.listPairs;
  const memory = new PieceWindow(new PieceCursor(access.memory), pairs);
  const file = new PieceWindow(new PieceCursor(access.file, { start: access.fileStart }), pairs);
  const hasLists = requests.hasLists;
  const data = new PackedData(task);
  for (let from = 0; from < bytes; ) {
    const length = Math.min(memory.fill(), file.fill(), options.requestBytes);
    memory.take(length);
    const pieces = file.take(length);
    if (pieces.count === 1)
      await moveContiguous(task, data, pieces.offsets[0] as number, from, from + length);
    else {
      const view = data.view(from, from + length);
      const done = hasLists
        ? requests.list(direction, pieces, view)
        : requests.each(direction, packedRegions(pieces), view);
      if (done !== undefined) await done;
      data.deliver(view, from, from + length);
    }
    from += length;
  }
  return hasLists || isContiguous(access.file) ? {} : { fallback: "contiguous" };
}

/** File pieces with packed data. */
function packedRegions({ count, offsets, lengths }: Pieces): FileRegions {
  const memory = new Float64Array(count);
  for (let i = 1; i < count; i++) memory[i] = (memory[i - 1] as number) + (lengths[i - 1] as number);
  return { count, memory, file: offsets, lengths };
}

/** The next pieces, up to the limit of a request; any number of bytes can be taken of them. */
class PieceWindow {
  readonly #cursor: PieceCursor;
  readonly #held: Pieces;
  readonly #taken: Pieces;
  readonly #fresh: Pieces;
  #bytes = 0;
  #ended = false;

  constructor(cursor: PieceCursor, pairs: number) {
    this.#cursor = cursor;
    this.#held = pieceBlock(pairs);
    this.#taken = pieceBlock(pairs);
    this.#fresh = pieceBlock(pairs);
  }

  /** Bytes of the pieces in the next request. */
  fill(): number {
    const held = this.#held;
    const room = held.offsets.length - held.count;
    if (room > 0 && !this.#ended) {
      const fresh = this.#fresh;
      if (this.#cursor.next(fresh, room) === 0) this.#ended = true;
      for (let i = 0; i < fresh.count; i++) {
        held.offsets[held.count] = fresh.offsets[i] as number;
        held.lengths[held.count++] = fresh.lengths[i] as number;
        this.#bytes += fresh.lengths[i] as number;
      }
    }
    return this.#bytes;
  }

  /** The pieces of the next bytes; valid until the next call. */
  take(bytes: number): Pieces {
    const held = this.#held;
    const taken = this.#taken;
    taken.count = 0;
    let left = bytes;
    let whole = 0;
    while (left > 0) {
      const length = Math.min(left, held.lengths[whole] as number);
      taken.offsets[taken.count] = held.offsets[whole] as number;
      taken.lengths[taken.count++] = length;
      left -= length;
      if (length === held.lengths[whole]) whole++;
      else {
        held.offsets[whole] = (held.offsets[whole] as number) + length;
        held.lengths[whole] = (held.lengths[whole] as number) - length;
      }
    }
    held.offsets.copyWithin(0, whole, held.count);
    held.lengths.copyWithin(0, whole, held.count);
    held.count -= whole;
    this.#bytes -= bytes;
    return taken;
  }
}
