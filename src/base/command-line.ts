/** Command lines that people copy and run: whatever a name says, nothing in it gets past the quotes, and it stays on one line. */

/** Control characters and those that change what a reader sees: bidirectional marks, zero-width ones, line separators. */
export const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

const PLAIN = /^[\w@%+:,./-][\w@%+=:,./-]*$/;

/** A word of any shell of POSIX, for scripts; line ends stay. */
export const scriptWord = (text: string): string =>
  PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** A word of bash on one line. */
const quoted = (text: string): string =>
  UNPRINTABLE.test(text) ? `$'${[...text].map(ansiC).join("")}'` : scriptWord(text);

const ansiC = (character: string): string =>
  character === "'" || character === "\\" ? `\\${character}` : octalBytes(character);

/** Unprintable characters as their bytes: three octal digits end by themselves, and mean the same in every locale. */
export function octalBytes(character: string): string {
  if (!UNPRINTABLE.test(character)) return character;
  // A name that is not UTF-8 has such a surrogate for each byte that is none (node/raw-path.ts).
  const code = character.charCodeAt(0);
  const bytes = code >= 0xdc80 && code <= 0xdcff ? [code - 0xdc00] : new TextEncoder().encode(character);
  return Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}

/** A name that begins with a dash would be an option, with or without quotes. `-` alone is standard input. */
export const operand = (name: string): string => (name.startsWith("-") && name !== "-" ? `./${name}` : name);

/** A file as a word of bash, whatever its name. */
export const shellWord = (name: string): string => quoted(operand(name));

/** A command for bash; files among its words are `operand`s. */
export function commandLine(words: readonly (string | undefined)[]): string {
  return words
    .filter((word) => word !== undefined)
    .map(quoted)
    .join(" ");
}
