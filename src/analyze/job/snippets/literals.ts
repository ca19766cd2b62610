/** Names of files as string literals of programs. */
import { octalBytes, UNPRINTABLE } from "../../../base/command-line.ts";

/** Last part of a path; `FILE` when the log does not name the file. */
export function fileName(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name === "" || /^\(record .*\)$|^<.*>$/.test(name) ? "FILE" : name;
}

export const cString = (text: string): string =>
  `"${[...text].map((one) => (/["\\?]/.test(one) ? `\\${one}` : octalBytes(one))).join("")}"`;

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
