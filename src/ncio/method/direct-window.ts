/**
 * Two phase with a direct method inside, the NCIO paper's future work: an aggregator has the pieces of all ranks in a window
 * and moves them by list or datatype requests, so that holes are neither read nor written.
 */
import { bytes as bytesType, type Datatype, parts, vector } from "../pattern/index.ts";
import type { PieceMessage } from "./message.ts";
import { allocate, type Outcome, type Task } from "./task.ts";
import { PieceCopy } from "./copy.ts";

/** Pieces of all ranks relative to the start of a window, ascending; adjacent ones are merged. */
export interface Direct {
  readonly count: number;
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
  readonly bytes: number;
}

export function directPieces(messages: readonly PieceMessage[], low: number): Direct {
  const all = messages.reduce((sum, { count }) => sum + count, 0);
  const offsets = new Float64Array(all);
  const lengths = new Float64Array(all);
  const at = messages.map(() => 0);
  let [count, bytes] = [0, 0];
  for (let taken = 0; taken < all; taken++) {
    let [next, place] = [-1, Number.POSITIVE_INFINITY];
    for (const [rank, message] of messages.entries()) {
      const own = at[rank] as number;
      if (own < message.count && (message.places[own] as number) < place)
        [next, place] = [rank, message.places[own] as number];
    }
    const length = (messages[next] as PieceMessage).lengths[at[next] as number] as number;
    at[next] = (at[next] as number) + 1;
    bytes += length;
    const before = count - 1;
    if (count > 0 && (offsets[before] as number) + (lengths[before] as number) === place - low)
      lengths[before] = (lengths[before] as number) + length;
    else {
      offsets[count] = place - low;
      lengths[count++] = length;
    }
  }
  return { count, offsets: offsets.subarray(0, count), lengths: lengths.subarray(0, count), bytes };
}

/** Returns the fallback if the storage has no such requests, or the pieces are irregular. */
export async function directMove(
  { requests, options }: Task,
  direction: "write" | "read",
  place: number,
  window: Uint8Array,
  pieces: Direct,
  inside: "list" | "datatype",
): Promise<Outcome["fallback"]> {
  const type = inside === "datatype" && requests.hasTypes ? regularType(pieces) : undefined;
  const data = allocate(pieces.bytes);
  if (direction === "write") copyPieces(pieces, window, data, "pack");
  if (type !== undefined)
    for (let from = 0; from < pieces.bytes; from += options.requestBytes) {
      const part = data.subarray(from, Math.min(pieces.bytes, from + options.requestBytes));
      const done = requests.type(direction, place, type, from, part);
      if (done !== undefined) await done;
    }
  else await lists(requests, options.listPairs, direction, place, pieces, data);
  if (direction === "read") copyPieces(pieces, window, data, "unpack");
  if (type !== undefined) return undefined;
  if (!requests.hasLists) return "contiguous";
  return inside === "datatype" ? "list" : undefined;
}

async function lists(
  requests: Task["requests"],
  pairs: number,
  direction: "write" | "read",
  place: number,
  { count, offsets, lengths }: Direct,
  data: Uint8Array,
): Promise<void> {
  for (let first = 0, from = 0; first < count; first += pairs) {
    const end = Math.min(count, first + pairs);
    const file = offsets.slice(first, end).map((offset) => offset + place);
    const own = lengths.slice(first, end);
    const to = from + own.reduce((sum, length) => sum + length, 0);
    const part = data.subarray(from, to);
    const done =
      end - first === 1 || !requests.hasLists
        ? requests.each(direction, { count: end - first, memory: packed(own), file, lengths: own }, part)
        : requests.list(direction, { count: end - first, offsets: file, lengths: own }, part);
    if (done !== undefined) await done;
    from = to;
  }
}

function packed(lengths: Float64Array): Float64Array {
  const at = new Float64Array(lengths.length);
  for (let i = 1; i < at.length; i++) at[i] = (at[i - 1] as number) + (lengths[i - 1] as number);
  return at;
}

/** Equal pieces at equal distances, the first and last possibly cut by the window; undefined otherwise. */
function regularType({ count, offsets, lengths }: Direct): Datatype | undefined {
  const part = (i: number) => ({ at: offsets[i] as number, of: bytesType(lengths[i] as number) });
  if (count < 4) return parts(...Array.from({ length: count }, (_, i) => part(i)));
  const stride = (offsets[2] as number) - (offsets[1] as number);
  const length = lengths[1] as number;
  for (let i = 2; i < count - 1; i++)
    if (lengths[i] !== length || offsets[i] !== (offsets[1] as number) + (i - 1) * stride) return undefined;
  const inner = { at: offsets[1] as number, of: vector(count - 2, stride, bytesType(length)) };
  return parts(part(0), inner, part(count - 1));
}

function copyPieces(
  { count, offsets, lengths }: Direct,
  window: Uint8Array,
  data: Uint8Array,
  way: "pack" | "unpack",
): void {
  const copy = way === "pack" ? new PieceCopy(window, data) : new PieceCopy(data, window);
  for (let i = 0, at = 0; i < count; i++) {
    const [offset, length] = [offsets[i] as number, lengths[i] as number];
    if (way === "pack") copy.piece(offset, at, length);
    else copy.piece(at, offset, length);
    at += length;
  }
}
