/**
 * What a command is. A command file exports one as its default; the runner (run.ts) gives it --help, --json and
 * --debug, the exit codes and the error lines, so a command only says what it takes and does its work.
 */

import type { Context } from "./context.ts";

interface OptionCommon {
  readonly help: string;
  /** One letter: `short: "o"` gives `-o`. */
  readonly short?: string;
  /** What help shows for the value: `valueName: "DIR"` gives `--output <DIR>`. */
  readonly valueName?: string;
  /** The default as help shows it, where the command fills it in itself. */
  readonly shownDefault?: string;
}

/** One option. "bytes" takes 4096, 64K or 1.5MiB (powers of 1024) and gives a number; "list" may be repeated. */
export type OptionSpec = OptionCommon &
  (
    | { readonly kind: "boolean"; readonly default?: boolean }
    | { readonly kind: "string"; readonly default?: string }
    | {
        readonly kind: "number";
        readonly default?: number;
        readonly integer?: boolean;
        readonly min?: number;
        readonly max?: number;
      }
    | { readonly kind: "bytes"; readonly default?: number; readonly min?: number; readonly max?: number }
    | {
        readonly kind: "choice";
        readonly choices: readonly string[];
        readonly default?: string;
        readonly grows?: boolean;
      }
    | { readonly kind: "list"; readonly default?: readonly string[] }
  );

/** Options by their long name, as typed after the two dashes. A boolean that is true by default gives `--no-x`. */
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

export interface ArgumentSpec {
  readonly name: string;
  readonly help: string;
  readonly optional?: boolean;
  /** Takes all that is left; only the last argument may. */
  readonly variadic?: boolean;
  /** What shells complete; "file" is also named in messages about unreadable files. */
  readonly kind?: "file" | "text";
  readonly choices?: readonly string[];
}

/** What the user asked for. Option names are in camel case: `--block-size` is `options.blockSize`. */
export interface Invocation<Specs extends OptionSpecs = OptionSpecs> {
  readonly arguments: readonly string[];
  readonly options: OptionValues<Specs>;
}

/** What a command file writes down; `defineCommand` makes a `Command` of it. */
interface CommandSpec<Specs extends OptionSpecs> {
  /** All words: "darshan parse". */
  readonly name: string;
  /** Whole sentences for --help. */
  readonly description: string;
  /** Command lines, each with what it does in a few words. */
  readonly examples: Readonly<Record<string, string>>;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: Specs;
  /** Started by mpiexec or srun, all ranks do one piece of work together; rank 0 speaks for them. */
  readonly ranksTogether?: boolean;
  run(invocation: Invocation<Specs>, context: Context): Promise<void>;
}

export interface Command {
  readonly name: string;
  readonly description: string;
  readonly examples: Readonly<Record<string, string>>;
  readonly arguments: readonly ArgumentSpec[];
  readonly options: OptionSpecs;
  readonly ranksTogether?: boolean;
  run(invocation: Invocation, context: Context): Promise<void>;
}

/** One line in the table of commands. Nothing of the command is loaded until it is chosen. */
export interface CommandEntry {
  /** All words: "darshan parse". */
  readonly name: string;
  /** One line for lists of commands, lower case, no full stop. */
  readonly summary: string;
  /** The heading that `plimsoll --help` and docs/commands.md list it under. */
  readonly group?: string;
  /** A first command line for newcomers, at the top of `plimsoll --help`. */
  readonly start?: string;
  readonly load: () => Promise<{ readonly default: Command }>;
}

/** Makes a command; the types of `invocation.options` follow from `options`. */
export function defineCommand<const Specs extends OptionSpecs>(spec: CommandSpec<Specs>): Command {
  return { arguments: [], options: {}, ...(spec as unknown as Omit<Command, "arguments" | "options">) };
}

export type OptionValues<Specs extends OptionSpecs> = {
  readonly [Name in keyof Specs & string as CamelCase<Name>]: OptionValue<Specs[Name]>;
};

type OptionValue<Spec extends OptionSpec> = Spec["kind"] extends "boolean"
  ? boolean
  : Spec["kind"] extends "list"
    ? readonly string[]
    : ValueOf<Spec> | (Spec extends { readonly default: string | number } ? never : undefined);

type ValueOf<Spec extends OptionSpec> = Spec extends { readonly kind: "choice" }
  ? Spec["choices"][number]
  : Spec["kind"] extends "number" | "bytes"
    ? number
    : string;

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
