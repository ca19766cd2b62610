/** docs/commands.md: every command with its options and examples, from the table of commands. */

import type { Command, CommandEntry } from "./command.ts";
import { commands } from "./index.ts";
import { argumentHelp, COMMON_OPTIONS, optionFlags, optionHelp, synopsis } from "./parse.ts";

export const path = "docs/commands.md";

export async function generate(table: readonly CommandEntry[] = commands): Promise<string> {
  const parts = [
    "# Commands",
    "",
    "Made by `npm run docs`; do not edit.",
    "",
    "Every command also takes:",
    "",
  ];
  parts.push(...optionRows(COMMON_OPTIONS), "");
  parts.push("Exit codes: 0 done, 1 failed, 2 wrong usage, 3 finished but some inputs were skipped.", "");
  parts.push("| command | what it does |", "|---|---|");
  parts.push(
    ...table.map(
      ({ name, summary }) =>
        `| [\`plimsoll ${name}\`](#plimsoll-${name.replaceAll(" ", "-")}) | ${summary} |`,
    ),
    "",
  );
  for (const [i, entry] of table.entries()) {
    if (entry.group !== undefined && entry.group !== table[i - 1]?.group) parts.push(`## ${entry.group}`, "");
    parts.push(...section((await entry.load()).default));
  }
  return `${parts.join("\n").trimEnd()}\n`;
}

function section(command: Command): string[] {
  return [
    `### plimsoll ${command.name}`,
    "",
    command.description,
    "",
    "```",
    synopsis(command),
    "```",
    "",
    ...command.arguments.map((one) => `- \`${one.name.toUpperCase()}\`: ${argumentHelp(one)}`),
    ...optionRows(command.options),
    "",
    "Examples:",
    "",
    "```",
    ...Object.entries(command.examples).flatMap(([line, does]) => [`# ${does}`, line]),
    "```",
    "",
  ];
}

function optionRows(options: Command["options"]): string[] {
  return Object.entries(options).map(([name, spec]) => {
    const help =
      spec.kind === "choice" && spec.grows ? `${spec.help}; \`--help\` lists them` : optionHelp(spec);
    return `- \`${optionFlags(name, spec)}\`: ${help}`;
  });
}
