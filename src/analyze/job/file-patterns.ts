/** J09: files whose names differ only in numbers are one kind of file. */

/** `/scratch/run/chunk.0042.dat` becomes `/scratch/run/chunk.#.dat`. */
export function namePattern(path: string): string {
  // One walk over the characters: a log may have a million names, and few hold a long hexadecimal number.
  let [pattern, from, hexadecimal] = ["", 0, 0];
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at);
    const isDigit = code >= 48 && code <= 57;
    hexadecimal = isDigit || isHexLetter(code) ? hexadecimal + 1 : 0;
    if (hexadecimal === HASH_LENGTH) return patternWithHashes(path);
    if (!isDigit) continue;
    if (from < at || at === 0) pattern += `${path.slice(from, at)}#`;
    from = at + 1;
  }
  return from === 0 ? path : pattern + path.slice(from);
}

/** Seven letters are a word, eight a hash. */
const HASH_LENGTH = 8;

/** a to f, in either case. */
const isHexLetter = (code: number) => (code | 32) >= 97 && (code | 32) <= 102;

const patternWithHashes = (path: string) =>
  path
    .replace(/(?<![0-9a-zA-Z])[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,})*(?![0-9a-zA-Z])/g, "#")
    .replace(/\d+/g, "#");

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
