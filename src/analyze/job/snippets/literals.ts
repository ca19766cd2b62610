/** Names of files as string literals of programs. */

/** Last part of a path; `FILE` when the log does not name the file. */
export function fileName(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name === "" || /^\(record .*\)$|^<.*>$/.test(name) ? "FILE" : name;
}

export const cString = (text: string): string =>
  `"${[...text].map((one) => (/["\\?]/.test(one) ? `\\${one}` : octal(one))).join("")}"`;

/** Three octal digits end by themselves, unlike \x. */
function octal(character: string): string {
  const code = character.codePointAt(0) as number;
  return code < 0x20 || code === 0x7f ? `\\${code.toString(8).padStart(3, "0")}` : character;
}

/** JSON's escapes are Python's too. */
export const pythonString = (text: string): string => JSON.stringify(text);

/** Fortran has no escapes: what cannot stand in a line is left to the reader. */
export function fortranString(text: string): string {
  const isPlain = !/\p{C}/u.test(text) && text.length <= 60;
  return `'${isPlain ? text.replaceAll("'", "''") : "FILE"}'`;
}
