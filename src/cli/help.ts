/** Finds the command that words name, and lists commands. Works from the table alone: nothing is loaded. */

import { UsageError } from "../base/errors.ts";
import type { CommandEntry } from "./command.ts";
import { didYouMean } from "../base/choice.ts";

type Choice =
  | { readonly kind: "command"; readonly entry: CommandEntry; readonly rest: readonly string[] }
  | { readonly kind: "group"; readonly name: string };

/** The command with the longest name that the words begin with, or the group they name ("" is all commands). */
export function chooseCommand(words: readonly string[], table: readonly CommandEntry[]): Choice {
  let best: CommandEntry | undefined;
  for (const entry of table) {
    const name = entry.name.split(" ");
    if (!name.every((word, i) => words[i] === word)) continue;
    if (best === undefined || entry.name.length > best.name.length) best = entry;
  }
  if (best) return { kind: "command", entry: best, rest: words.slice(best.name.split(" ").length) };

  let group = "";
  for (const [i, word] of words.entries()) {
    if (word.startsWith("-")) {
      if (word === "--help" || word === "-h" || word === "--json" || word === "--debug") break;
      throw new UsageError(
        `unknown option ${word}${didYouMean(word, ["--help", "--version", "--debug", "--json"])}`,
      );
    }
    const longer = i === 0 ? word : `${group} ${word}`;
    if (!table.some((entry) => entry.name.startsWith(`${longer} `))) {
      const known = membersOf(group, table).map((member) => member.word);
      throw new UsageError(`unknown command: ${longer}${didYouMean(word, known)}`);
    }
    group = longer;
  }
  return { kind: "group", name: group };
}

interface Member {
  readonly word: string;
  readonly summary: string;
}

/** The words that can follow a group's name. */
export function membersOf(group: string, table: readonly CommandEntry[]): Member[] {
  const prefix = group === "" ? "" : `${group} `;
  const members = new Map<string, Member>();
  for (const entry of table) {
    if (!entry.name.startsWith(prefix)) continue;
    const [word = "", ...deeper] = entry.name.slice(prefix.length).split(" ");
    if (deeper.length === 0) members.set(word, { word, summary: entry.summary });
    else if (!members.has(word))
      members.set(word, { word, summary: subcommandSummary(prefix + word, table) });
  }
  return [...members.values()];
}

export function groupHelp(group: string, table: readonly CommandEntry[]): string {
  const words = group === "" ? "plimsoll" : `plimsoll ${group}`;
  return `Usage: ${words} COMMAND [options]

${group === "" ? allCommands(table) : memberList(group, table)}
\`${words} COMMAND --help\` explains one command with examples. Every command takes --json.
${group === "" ? `${EXIT_CODES}\n` : ""}`;
}

/** "Commands:" and a line for each member; empty where the name is no group. */
export function memberList(group: string, table: readonly CommandEntry[]): string {
  const members = membersOf(group, table);
  return members.length === 0 ? "" : section("Commands", members);
}

/** What Plimsoll is for, the command lines to start with, and all commands under their headings. */
function allCommands(table: readonly CommandEntry[]): string {
  const starts = table.flatMap(({ start, summary }) => (start === undefined ? [] : { word: start, summary }));
  const headings = [...new Set(table.map(({ group = "Commands" }) => group))];
  const members = headings.map((heading) =>
    membersOf(
      "",
      table.filter(({ group = "Commands" }) => group === heading),
    ),
  );
  const width = widest(members.flat());
  const sections = headings.map((heading, i) => section(heading, members[i] ?? [], width));
  return [`${ABOUT}\n`, ...(starts.length === 0 ? [] : [section("Start here", starts)]), ...sections].join(
    "\n",
  );
}

function section(heading: string, members: readonly Member[], width = widest(members)): string {
  const lines = members.map((member) => `  ${member.word.padEnd(width)}  ${member.summary}\n`);
  return `${heading}:\n${lines.join("")}`;
}

const widest = (members: readonly Member[]) => Math.max(...members.map(({ word }) => word.length));

export const ABOUT = "Measures, explains and improves I/O on parallel storage.";
export const EXIT_CODES =
  "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 finished but some inputs were skipped.";

function subcommandSummary(name: string, table: readonly CommandEntry[]): string {
  const words = table
    .filter((entry) => entry.name.startsWith(`${name} `))
    .map((e) => e.name.slice(name.length + 1));
  return words.join(", ");
}
