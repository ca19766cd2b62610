/** Names of files as string literals of programs. */

/** Last part of a path; `FILE` when the log does not name the file. */
export function fileName(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name === "" || /^\(record .*\)$|^<.*>$/.test(name) ? "FILE" : name;
}

/** Control characters and those that change what a reader sees: bidirectional marks, zero-width ones, line separators. */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

export const cString = (text: string): string =>
  `"${[...text].map((one) => (/["\\?]/.test(one) ? `\\${one}` : octal(one))).join("")}"`;

/** Bytes of UTF-8; three octal digits end by themselves, unlike \\x. */
const octal = (character: string): string =>
  UNPRINTABLE.test(character)
    ? Array.from(
        new TextEncoder().encode(character),
        (byte) => `\\${byte.toString(8).padStart(3, "0")}`,
      ).join("")
    : character;

/** JSON's escapes are Python's too. */
export const pythonString = (text: string): string =>
  Array.from(JSON.stringify(text), (one) => (UNPRINTABLE.test(one) ? unicode(one) : one)).join("");

const unicode = (character: string): string =>
  `\\U${(character.codePointAt(0) as number).toString(16).padStart(8, "0")}`;

/** Fortran has no escapes: what cannot stand in a line is left to the reader. */
export function fortranString(text: string): string {
  const isPlain = !/\p{C}/u.test(text) && text.length <= 60;
  return `'${isPlain ? text.replaceAll("'", "''") : "FILE"}'`;
}
