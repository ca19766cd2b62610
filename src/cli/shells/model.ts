/** What the three completion scripts have in common: every place in a command line and what can follow there. */

import type { CommandEntry } from "../command.ts";
import { membersOf } from "../help.ts";
import { COMMON_OPTIONS, longName } from "../parse.ts";

/** A word and what it means. */
export interface Word {
  readonly word: string;
  readonly help: string;
}

export interface OptionNode {
  readonly long: string;
  readonly short: string | undefined;
  readonly help: string;
  /** Undefined where it takes no value. */
  readonly value: { readonly choices: readonly string[] | undefined; readonly files: boolean } | undefined;
}

/** The words so far ("" is just `plimsoll`), and what can come next. */
export interface Node {
  readonly path: string;
  readonly subcommands: readonly Word[];
  readonly options: readonly OptionNode[];
  /** Choices for positional arguments. */
  readonly choices: readonly string[];
  readonly files: boolean;
}

/** Loads every command, since options are part of it. */
export async function completionModel(table: readonly CommandEntry[]): Promise<Node[]> {
  const nodes: Node[] = [];
  const topics = { word: "help", help: "explain a command" };
  for (const path of pathsOf(table)) {
    const entry = table.find((one) => one.name === path);
    const command = entry && (await entry.load()).default;
    const subcommands = membersOf(path, table).map(({ word, summary }) => ({ word, help: summary }));
    const specs = Object.entries({ ...command?.options, ...COMMON_OPTIONS });
    nodes.push({
      path,
      subcommands: path === "" ? [...subcommands, topics] : subcommands,
      options: [
        ...specs.map(([name, spec]) => ({
          long: longName(name, spec),
          short: spec.short,
          help: spec.help,
          value: spec.kind === "boolean" ? undefined : valueKind(spec),
        })),
        ...(path === ""
          ? [{ long: "version", short: "V", help: "print the version", value: undefined }]
          : []),
      ],
      choices: command?.arguments.flatMap((one) => one.choices ?? []) ?? [],
      files: command?.arguments.some((one) => one.kind === "file") ?? false,
    });
  }
  return nodes;
}

function valueKind(spec: { kind: string; choices?: readonly string[] }) {
  return { choices: spec.choices, files: spec.kind === "string" || spec.kind === "list" };
}

/** Every prefix of every name, short ones first. */
function pathsOf(table: readonly CommandEntry[]): string[] {
  const paths = new Set([""]);
  for (const { name } of table) {
    const words = name.split(" ");
    for (let count = 1; count <= words.length; count++) paths.add(words.slice(0, count).join(" "));
  }
  return [...paths];
}

export function flagsOf({ long, short }: OptionNode): string[] {
  return short === undefined ? [`--${long}`] : [`--${long}`, `-${short}`];
}
