/** Options of commands, one line each: `seed: option.whole("random seed", { min: 0, default: 1 })`. */

interface Named {
  /** One letter: `short: "o"` gives `-o`. */
  readonly short?: string;
  /** What help shows for the value: `valueName: "DIR"` gives `--output <DIR>`. */
  readonly valueName?: string;
}

interface Range extends Named {
  readonly default?: number;
  readonly min?: number;
  readonly max?: number;
}

interface Text extends Named {
  readonly default?: string;
}

interface Choice extends Text {
  /** The choices come from a table that others extend: only --help lists them, no document does. */
  readonly grows?: boolean;
}

type None = Record<never, never>;

export const option = {
  /** Without a value; one that is true by default gives `--no-x`. */
  flag: <const More extends { readonly default?: boolean; readonly short?: string } = None>(
    help: string,
    more?: More,
  ) => ({ kind: "boolean", help, ...(more as More) }) as const,
  text: <const More extends Text = None>(valueName: string, help: string, more?: More) =>
    ({ kind: "string", valueName, help, ...(more as More) }) as const,
  /** `-o`, `--output`: where results go. */
  output: (valueName: string, help: string) => ({ kind: "string", short: "o", valueName, help }) as const,
  /** May be repeated. */
  list: <const More extends Named = None>(valueName: string, help: string, more?: More) =>
    ({ kind: "list", valueName, help, ...(more as More) }) as const,
  whole: <const More extends Range = None>(help: string, more?: More) =>
    ({ kind: "number", integer: true, help, ...(more as More) }) as const,
  number: <const More extends Range = None>(help: string, more?: More) =>
    ({ kind: "number", help, ...(more as More) }) as const,
  /** 4096, 64K or 1.5MiB (powers of 1024). */
  bytes: <const More extends Range = None>(help: string, more?: More) =>
    ({ kind: "bytes", help, ...(more as More) }) as const,
  choice: <const Choices extends readonly string[], const More extends Choice = None>(
    choices: Choices,
    help: string,
    more?: More,
  ) => ({ kind: "choice", choices, help, ...(more as More) }) as const,
};
