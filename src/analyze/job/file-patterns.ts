/** J09: files whose names differ only in numbers are one kind of file. */

/** `/scratch/run/chunk.0042.dat` becomes `/scratch/run/chunk.#.dat`. */
export function namePattern(path: string): string {
  // Looking whether there is a long hexadecimal number at all is cheaper than looking for one that stands alone.
  const short = /[0-9a-fA-F]{8}/.test(path)
    ? path.replace(/(?<![0-9a-zA-Z])[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,})*(?![0-9a-zA-Z])/g, "#")
    : path;
  return short.replace(/\d+/g, "#");
}

/** Items by the pattern of their name, in order of appearance. */
export function groupByPattern<T extends { readonly path: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const pattern = namePattern(item.path);
    const group = groups.get(pattern);
    if (group === undefined) groups.set(pattern, [item]);
    else group.push(item);
  }
  return groups;
}
