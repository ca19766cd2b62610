/** Agglomerative clustering by average linkage: closest first, until nothing closer than a limit is left. */

/**
 * Number of the cluster of each point; points are rows of `width` values. By chains of nearest neighbours (Murtagh 1983), which
 * give the same merges as a search for the closest pair, in the square of the number of points.
 */
export function averageLinkage(points: Float64Array, width: number, limit: number): Uint32Array {
  const count = points.length / width;
  const distances = squareDistances(points, width, count);
  const size = new Float64Array(count).fill(1);
  const parent = Uint32Array.from({ length: count }, (_, i) => i);
  const chain: number[] = [];
  let left = count;
  let start = 0;
  while (left > 1) {
    if (chain.length === 0) {
      while (size[start] === 0) start++;
      chain.push(start);
    }
    const top = chain[chain.length - 1] as number;
    const before = chain[chain.length - 2];
    const next = nearest(distances, size, count, top, before);
    if (next !== before) {
      chain.push(next);
      continue;
    }
    chain.length -= 2;
    const distance = distances[top * count + next] as number;
    merge(distances, size, count, top, next);
    left--;
    // A merge beyond the limit is made, so that the others come in order, but joins nobody.
    if (distance <= limit) parent[root(parent, next)] = root(parent, top);
  }
  return numbered(Uint32Array.from(parent, (_, i) => root(parent, i)));
}

function squareDistances(points: Float64Array, width: number, count: number): Float64Array {
  const distances = new Float64Array(count * count);
  for (let a = 0; a < count; a++)
    for (let b = 0; b < a; b++) {
      let square = 0;
      for (let k = 0; k < width; k++)
        square += ((points[a * width + k] as number) - (points[b * width + k] as number)) ** 2;
      distances[a * count + b] = distances[b * count + a] = Math.sqrt(square);
    }
  return distances;
}

/** The nearest one that is left; of equally near ones the one that the chain came from, else the first. */
function nearest(
  distances: Float64Array,
  size: Float64Array,
  count: number,
  of: number,
  before: number | undefined,
): number {
  let best = before ?? -1;
  for (let i = 0; i < count; i++) {
    if (i === of || size[i] === 0) continue;
    if (best === -1 || (distances[of * count + i] as number) < (distances[of * count + best] as number))
      best = i;
  }
  return best;
}

/** `gone` joins `kept`: distances to both become their mean by size. */
function merge(distances: Float64Array, size: Float64Array, count: number, kept: number, gone: number): void {
  const [a, b] = [size[kept] as number, size[gone] as number];
  for (let i = 0; i < count; i++) {
    if (size[i] === 0 || i === kept || i === gone) continue;
    const mean =
      (a * (distances[kept * count + i] as number) + b * (distances[gone * count + i] as number)) / (a + b);
    distances[kept * count + i] = distances[i * count + kept] = mean;
  }
  size[kept] = a + b;
  size[gone] = 0;
}

function root(parent: Uint32Array, of: number): number {
  let at = of;
  while (parent[at] !== at) at = parent[at] as number;
  return at;
}

function numbered(values: Uint32Array): Uint32Array {
  const known = new Map<number, number>();
  return values.map((value) => {
    if (!known.has(value)) known.set(value, known.size);
    return known.get(value) as number;
  });
}

/** Columns less their mean over their standard deviation; what does not vary is zero. */
export function standardised(points: Float64Array, width: number): Float64Array {
  const count = points.length / width;
  const made = new Float64Array(points.length);
  for (let k = 0; k < width; k++) {
    let [sum, squares] = [0, 0];
    for (let i = 0; i < count; i++) sum += points[i * width + k] as number;
    for (let i = 0; i < count; i++) squares += ((points[i * width + k] as number) - sum / count) ** 2;
    const spread = Math.sqrt(squares / count);
    // Rounding is no spread.
    if (!(spread > 1e-12 * Math.abs(sum / count))) continue;
    for (let i = 0; i < count; i++)
      made[i * width + k] = ((points[i * width + k] as number) - sum / count) / spread;
  }
  return made;
}
