/** Pages for `man`, from the table of commands: plimsoll(1), and one page for each command. */
import { version } from "../../package.json";
import type { Command, CommandEntry, OptionSpecs } from "./command.ts";
import { ABOUT, EXIT_CODES } from "./help.ts";
import { argumentHelp, COMMON_OPTIONS, optionFlags, optionHelp, synopsis } from "./parse.ts";

interface ManPage {
  /** "plimsoll-darshan-parse.1" */
  readonly file: string;
  readonly text: string;
}

export async function manPages(table: readonly CommandEntry[]): Promise<ManPage[]> {
  const pages = [{ file: "plimsoll.1", text: mainPage(table) }];
  for (const entry of table) {
    const command = (await entry.load()).default;
    pages.push({ file: `${pageName(entry.name)}.1`, text: commandPage(command, entry.summary) });
  }
  return pages;
}

const pageName = (name: string): string => `plimsoll-${name.replaceAll(" ", "-")}`;

const codeOf = (letter: string): string =>
  (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");

/** Text that troff prints as it stands. */
const plain = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("'", "\\(aq")
    .replace(/[^\0-\x7f]/gu, (letter) => `\\[u${codeOf(letter)}]`)
    .replace(/^\./gm, "\\&.");

const head = (name: string): string =>
  `.TH ${plain(name.toUpperCase())} 1 "" "Plimsoll ${plain(version)}" "Plimsoll"`;

function mainPage(table: readonly CommandEntry[]): string {
  const groups = [...new Set(table.map(({ group = "Commands" }) => group))];
  return page([
    head("plimsoll"),
    ".SH NAME",
    `plimsoll \\- ${plain(ABOUT.replace(/\.$/, "").replace(/^./, (letter) => letter.toLowerCase()))}`,
    ".SH SYNOPSIS",
    ".B plimsoll",
    "COMMAND [options]",
    ...groups.flatMap((group) => [
      `.SH ${plain(group.toUpperCase())}`,
      ...table
        .filter((entry) => (entry.group ?? "Commands") === group)
        .flatMap(({ name, summary }) => [".TP", `.BR ${plain(pageName(name))} (1)`, plain(summary)]),
    ]),
    ".SH OPTIONS OF ALL COMMANDS",
    ...optionLines(COMMON_OPTIONS),
    ".SH EXIT STATUS",
    plain(EXIT_CODES.replace("Exit codes: ", "")),
  ]);
}

function commandPage(command: Command, summary: string): string {
  return page([
    head(pageName(command.name)),
    ".SH NAME",
    `${plain(pageName(command.name))} \\- ${plain(summary)}`,
    ".SH SYNOPSIS",
    `.B ${plain(synopsis(command))}`,
    ".SH DESCRIPTION",
    plain(command.description),
    ".SH OPTIONS",
    ...command.arguments.flatMap((one) => [
      ".TP",
      `.I ${plain(one.name.toUpperCase())}`,
      plain(argumentHelp(one)),
    ]),
    ...optionLines({ ...command.options, ...COMMON_OPTIONS }),
    ".SH EXAMPLES",
    ...Object.entries(command.examples).flatMap(([line, does]) => [
      ...[".PP", plain(`${does}:`)],
      ...[".PP", ".nf", ".RS", plain(line), ".RE", ".fi"],
    ]),
    ".SH EXIT STATUS",
    plain(EXIT_CODES.replace("Exit codes: ", "")),
    ".SH SEE ALSO",
    ".BR plimsoll (1)",
  ]);
}

const optionLines = (options: OptionSpecs): string[] =>
  Object.entries(options).flatMap(([name, spec]) => [
    ...[".TP", `.B ${plain(optionFlags(name, spec))}`, plain(optionHelp(spec))],
  ]);

const page = (lines: readonly string[]): string => `${lines.join("\n")}\n`;
