/** A command as people type it. Words that a shell would read otherwise are quoted. */
export function commandLine(words: readonly (string | undefined)[]): string {
  return words
    .filter((word) => word !== undefined)
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}

/** `--name value` when there is a value. */
export const flag = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [`--${name}`, String(value)];
