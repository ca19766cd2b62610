/**
 * The Burrows-Wheeler transform in linear time, whatever the input.
 *
 * bzip2 sorts the rotations of a block; sorting them by comparison takes forever on runs and periods. Suffixes
 * can be sorted by induction instead (Nong, Zhang, Chan: "Two efficient algorithms for linear time suffix array
 * construction"), and on the least rotation of a block both orders agree: where one suffix is the beginning of
 * another, the rotation continues with the smallest text there is, so it comes first as well (or is equal).
 */

/** The transform: the last column of the sorted rotations, and the row that holds the block itself. */
interface Transformed {
  readonly last: Uint8Array;
  readonly origin: number;
}

/** Transforms block[0, size), size at least 1; linear in `size` in time and memory. */
export function transformBlock(block: Uint8Array, size: number): Transformed {
  const start = leastRotation(block, size);
  const text = new Int32Array(size);
  for (let index = 0, at = start; index < size; index++) {
    text[index] = block[at]!;
    if (++at === size) at = 0;
  }
  const order = new Int32Array(size);
  sortSuffixes(text, order, size, 256);
  const last = new Uint8Array(size);
  const self = start === 0 ? 0 : size - start;
  let origin = 0;
  for (let row = 0; row < size; row++) {
    const index = order[row]!;
    last[row] = text[index === 0 ? size - 1 : index - 1]!;
    if (index === self) origin = row;
  }
  return { last, origin };
}

/** Where the least rotation starts: two candidates race, and a mismatch rules out all that the loser passed. */
function leastRotation(block: Uint8Array, size: number): number {
  let one = 0;
  let two = 1;
  let same = 0;
  while (one < size && two < size && same < size) {
    let oneAt = one + same;
    if (oneAt >= size) oneAt -= size;
    let twoAt = two + same;
    if (twoAt >= size) twoAt -= size;
    const difference = block[oneAt]! - block[twoAt]!;
    if (difference === 0) {
      same++;
      continue;
    }
    if (difference > 0) one += same + 1;
    else two += same + 1;
    if (one === two) two++;
    same = 0;
  }
  return Math.min(one, two);
}

/**
 * Sorts the suffixes of text[0, size) with symbols below `symbols` into `order`; the end of the text counts as
 * the least symbol. A suffix is "rising" when it is less than the one that follows it; a rising one behind a
 * falling one is a "valley". The order of the valleys decides that of all others.
 */
function sortSuffixes(text: Int32Array, order: Int32Array, size: number, symbols: number): void {
  if (size === 1) {
    order[0] = 0;
    return;
  }
  const bucketEnds = new Int32Array(symbols);
  for (let at = 0; at < size; at++) bucketEnds[text[at]!]!++;
  for (let symbol = 1; symbol < symbols; symbol++) bucketEnds[symbol]! += bucketEnds[symbol - 1]!;

  // Valleys from the last to the first, and for each its number in that count plus one.
  const valleys = new Int32Array(size >> 1);
  const valleyOf = new Int32Array(size);
  let count = 0;
  let rising = false;
  for (let at = size - 2; at >= 0; at--) {
    const difference = text[at]! - text[at + 1]!;
    if (difference < 0) rising = true;
    else if (difference > 0) {
      if (rising) {
        valleys[count++] = at + 1;
        valleyOf[at + 1] = count;
      }
      rising = false;
    }
  }

  const buckets = new Int32Array(symbols);
  if (count > 1) {
    // First the valleys by their stretch up to the next valley only, then the ties by the text of stretches.
    placeValleys(text, order, size, bucketEnds, buckets, valleys, count);
    induce(text, order, size, bucketEnds, buckets);
    const names = nameStretches(text, order, size, valleys, valleyOf, count);
    if (names.used < count) {
      const valleyOrder = new Int32Array(count);
      sortSuffixes(names.text, valleyOrder, count, names.used);
      // The reduced text runs forward while `valleys` runs backward; the placing takes the greatest first.
      const sorted = new Int32Array(count);
      for (let rank = 0; rank < count; rank++)
        sorted[count - 1 - rank] = valleys[count - 1 - valleyOrder[rank]!]!;
      placeValleys(text, order, size, bucketEnds, buckets, sorted, count);
    } else {
      const sorted = new Int32Array(count);
      for (let index = 0; index < count; index++) {
        sorted[count - 1 - names.text[index]!] = valleys[count - 1 - index]!;
      }
      placeValleys(text, order, size, bucketEnds, buckets, sorted, count);
    }
  } else {
    placeValleys(text, order, size, bucketEnds, buckets, valleys, count);
  }
  induce(text, order, size, bucketEnds, buckets);
}

/** Puts the valleys, the greatest first, at the ends of their buckets and empties every other slot. */
function placeValleys(
  text: Int32Array,
  order: Int32Array,
  size: number,
  bucketEnds: Int32Array,
  buckets: Int32Array,
  valleys: Int32Array,
  count: number,
): void {
  order.fill(-1, 0, size);
  buckets.set(bucketEnds);
  for (let index = 0; index < count; index++) {
    const at = valleys[index]!;
    order[--buckets[text[at]!]!] = at;
  }
}

/** From sorted valleys: sorts the falling suffixes left to right, then the rising ones right to left. */
function induce(
  text: Int32Array,
  order: Int32Array,
  size: number,
  bucketEnds: Int32Array,
  buckets: Int32Array,
): void {
  buckets[0] = 0;
  for (let symbol = buckets.length - 1; symbol > 0; symbol--) buckets[symbol] = bucketEnds[symbol - 1]!;
  // The last suffix stands before the end of the text, which is the least valley of all.
  order[buckets[text[size - 1]!]!++] = size - 1;
  for (let row = 0; row < size; row++) {
    const at = order[row]! - 1;
    if (at < 0) continue;
    // Only valleys and falling suffixes are in place yet, so an equal symbol falls too.
    const symbol = text[at]!;
    if (symbol >= text[at + 1]!) order[buckets[symbol]!++] = at;
  }
  buckets.set(bucketEnds);
  for (let row = size - 1; row >= 0; row--) {
    const at = order[row]! - 1;
    if (at < 0) continue;
    // An equal symbol rises when its successor does, that is when this row was filled in this pass.
    const symbol = text[at]!;
    const after = text[at + 1]!;
    if (symbol < after || (symbol === after && row >= buckets[symbol]!)) order[--buckets[symbol]!] = at;
  }
}

/** Numbers the stretches between valleys in their order; `text` lists the numbers as they stand in the text. */
function nameStretches(
  text: Int32Array,
  order: Int32Array,
  size: number,
  valleys: Int32Array,
  valleyOf: Int32Array,
  count: number,
): { text: Int32Array; used: number } {
  const reduced = new Int32Array(count);
  let used = 0;
  let before = -1;
  let beforeLength = 0;
  for (let row = 0; row < size; row++) {
    const at = order[row]!;
    const valley = valleyOf[at]!;
    if (valley === 0) continue;
    // The last stretch runs into the end of the text and so equals no other.
    const length = valley === 1 ? -1 : valleys[valley - 2]! - at;
    let same = length === beforeLength && length > 0;
    for (let index = 0; same && index <= length; index++) same = text[at + index] === text[before + index];
    if (!same) used++;
    reduced[count - valley] = used - 1;
    before = at;
    beforeLength = length;
  }
  return { text: reduced, used };
}
