/** Huffman code lengths and codes for the encoder. */

/** As in the command's encoder; the format would allow 20. `cheapest` in encode.ts relies on it. */
const LENGTH_LIMIT = 17;

/**
 * Code lengths, 1 to `LENGTH_LIMIT`, for frequencies[from, from + count), count at least 2; a symbol that does
 * not occur gets a code as well, because the format has no way to leave one out.
 */
export function codeLengths(frequencies: Int32Array, from: number, count: number): Uint8Array {
  const lengths = new Uint8Array(count);
  const weights = new Float64Array(count);
  for (let symbol = 0; symbol < count; symbol++) weights[symbol] = Math.max(1, frequencies[from + symbol]!);
  // Flattening the weights shortens the longest code; a few rounds always do.
  while (!huffman(weights, lengths)) {
    for (let symbol = 0; symbol < count; symbol++) weights[symbol] = 1 + Math.floor(weights[symbol]! / 2);
  }
  return lengths;
}

/** Sets the lengths of an optimal code; false when one would be longer than the limit. */
function huffman(weights: Float64Array, lengths: Uint8Array): boolean {
  const count = weights.length;
  const leaves = Array.from(weights.keys()).sort((a, b) => weights[a]! - weights[b]! || a - b);
  // Leaves come sorted and joined nodes are made in ascending order, so two queues replace a heap.
  const joined = new Float64Array(count - 1);
  const parent = new Int32Array(2 * count - 1);
  let leafAt = 0;
  let joinedAt = 0;
  for (let made = 0; made < count - 1; made++) {
    let sum = 0;
    for (let side = 0; side < 2; side++) {
      const takeLeaf =
        leafAt < count && (joinedAt === made || weights[leaves[leafAt]!]! <= joined[joinedAt]!);
      parent[takeLeaf ? leafAt : count + joinedAt] = count + made;
      sum += takeLeaf ? weights[leaves[leafAt++]!]! : joined[joinedAt++]!;
    }
    joined[made] = sum;
  }
  const depth = new Int32Array(2 * count - 1);
  for (let node = 2 * count - 3; node >= 0; node--) depth[node] = depth[parent[node]!]! + 1;
  for (let leaf = 0; leaf < count; leaf++) {
    if (depth[leaf]! > LENGTH_LIMIT) return false;
    lengths[leaves[leaf]!] = depth[leaf]!;
  }
  return true;
}

/** The codes that belong to the lengths: ascending by length, then by symbol. */
export function assignCodes(lengths: Uint8Array): Int32Array {
  const codes = new Int32Array(lengths.length);
  let code = 0;
  for (let bits = 1; bits <= LENGTH_LIMIT; bits++) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] === bits) codes[symbol] = code++;
    }
    code <<= 1;
  }
  return codes;
}
