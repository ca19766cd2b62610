/** Indexes of items by their keys, the largest first; of the same first key by the second, and so on. Equal ones keep their order. */
export function largestFirst<T>(
  items: readonly T[],
  ...keys: readonly ((item: T, index: number) => number)[]
): Uint32Array {
  // A key is computed once, not at every comparison.
  const columns = keys.map((key) => Float64Array.from(items, key));
  const order = Uint32Array.from(items, (_, index) => index);
  return order.sort((a, b) => {
    for (const column of columns) {
      const difference = (column[b] as number) - (column[a] as number);
      if (difference !== 0 && !Number.isNaN(difference)) return difference;
    }
    return a - b;
  });
}

/** Texts with their numbers in order: rank2 comes before rank10. Made when needed, since loading the tables of a language takes milliseconds. */
export const naturalOrder = (): ((a: string, b: string) => number) =>
  new Intl.Collator("en", { numeric: true }).compare;
