/** Between our commands and commander: words to an invocation, and the text of --help. */

import { CommanderError, Command as Commander, Option } from "commander";
import { UsageError } from "../base/errors.ts";
import type { ArgumentSpec, Command, Invocation, OptionSpec } from "./command.ts";
import { parseChoice } from "../base/choice.ts";
import { parseValue } from "./values.ts";
import { option } from "./option.ts";

interface Parsed {
  readonly invocation: Invocation;
  readonly json: boolean;
  readonly debug: boolean;
  readonly help: boolean;
}

/** Every command has these. */
export const COMMON_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  json: option.flag("print one JSON document"),
  debug: option.flag("show the stack of an error"),
  help: option.flag("show this help", { short: "h" }),
};

export function parseArguments(command: Command, words: readonly string[]): Parsed {
  const parser = commanderFor(command);
  // Help wins over whatever else is wrong with the line, so it is looked for first.
  const end = words.indexOf("--");
  const before = end < 0 ? words : words.slice(0, end);
  if (before.includes("--help") || before.includes("-h")) {
    return { invocation: { arguments: [], options: {} }, json: false, debug: false, help: true };
  }
  try {
    parser.parse([...words], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError)
      throw new UsageError(usageMessage(error, command, parser), { cause: error });
    throw error;
  }
  const { json, debug, help: _, out, ...options } = parser.opts();
  if (out !== undefined) options.output ??= out;
  for (const [name, spec] of Object.entries(command.options)) {
    // Not given to commander, which would show them a second time in help.
    options[camelCase(name)] ??=
      spec.default ?? (spec.kind === "boolean" ? false : spec.kind === "list" ? [] : undefined);
    if (options[camelCase(name)] === "" && (name === "output" || /FILE|DIR/.test(spec.valueName ?? "")))
      throw new UsageError(`--${name}: the name is empty`);
  }
  checkChoices(command.arguments, parser.args);
  if (options.output === "-")
    throw new UsageError("--output -: name a file; /dev/stdout stands for standard output");
  return {
    invocation: { arguments: parser.args, options },
    json: json === true,
    debug: debug === true,
    help: false,
  };
}

/** The help of one command; `subcommands` are lines to show below it where it is also a group. */
export function helpText(command: Command, columns: number, subcommands: string): string {
  const help = commanderFor(command)
    .configureHelp({ helpWidth: Math.min(columns, 110) })
    .helpInformation();
  const examples = Object.entries(command.examples)
    .map(([line, does]) => `  ${line}\n      ${does}\n`)
    .join("");
  return `${help}${subcommands === "" ? "" : `\n${subcommands}`}\nExamples:\n${examples}`;
}

/** The name as typed, with its value: `-o, --output <DIR>`. */
export function optionFlags(name: string, spec: OptionSpec): string {
  const long = `--${longName(name, spec)}`;
  const flags = spec.short === undefined ? long : `-${spec.short}, ${long}`;
  return spec.kind === "boolean" ? flags : `${flags} <${spec.valueName ?? VALUE_NAMES[spec.kind]}>`;
}

/** A boolean that is on by default is turned off by `--no-name`. */
export function longName(name: string, spec: OptionSpec): string {
  return spec.kind === "boolean" && spec.default === true ? `no-${name}` : name;
}

const VALUE_NAMES = { string: "TEXT", number: "N", bytes: "SIZE", choice: "CHOICE", list: "TEXT" } as const;

function commanderFor(command: Command): Commander {
  const parser = new Commander(`plimsoll ${command.name}`)
    .description(command.description)
    .exitOverride()
    .configureOutput({ writeOut() {}, writeErr() {} })
    .helpOption(false);
  for (const one of command.arguments) parser.argument(argumentTerm(one), argumentHelp(one));
  for (const [name, spec] of Object.entries({ ...command.options, ...COMMON_OPTIONS })) {
    parser.addOption(commanderOption(name, spec));
  }
  const { output } = command.options;
  // Some commands once called it --out; scripts of that time keep working.
  if (output) {
    const { short: _, ...spec } = output;
    parser.addOption(commanderOption("out", spec).hideHelp());
  }
  return parser;
}

function argumentTerm({ name, optional, variadic }: ArgumentSpec): string {
  const inner = variadic ? `${name}...` : name;
  return optional ? `[${inner}]` : `<${inner}>`;
}

/** "plimsoll top WHAT [INPUT...] [options]" */
export function synopsis({ name, arguments: words }: Command): string {
  const terms = words.map((word) =>
    argumentTerm({ ...word, name: word.name.toUpperCase() }).replace(/[<>]/g, ""),
  );
  return ["plimsoll", name, ...terms, "[options]"].join(" ");
}

export function argumentHelp({ help, choices }: ArgumentSpec): string {
  return choices === undefined ? help : `${help} (${choices.join(", ")})`;
}

function commanderOption(name: string, spec: OptionSpec): Option {
  const option = new Option(optionFlags(name, spec), optionHelp(spec));
  if (spec.kind === "boolean") return option;
  if (spec.kind === "list") {
    return option.argParser((text: string, earlier: readonly string[] | undefined) => [
      ...(earlier ?? []),
      text,
    ]);
  }
  return option.argParser((text: string) => parseValue(`--${name}`, spec, text));
}

export function optionHelp(spec: OptionSpec): string {
  const facts: string[] = [];
  if (spec.kind === "choice") facts.push(spec.choices.join(", "));
  if (spec.kind === "list") facts.push("may be repeated");
  const preset = spec.shownDefault ?? defaultText(spec);
  if (preset !== "") facts.push(`default: ${preset}`);
  return facts.length === 0 ? spec.help : `${spec.help} (${facts.join("; ")})`;
}

function defaultText(spec: OptionSpec): string {
  if (spec.kind === "boolean" || spec.default === undefined) return "";
  if (spec.kind === "list") return spec.default.join(", ");
  if (spec.kind !== "bytes") return String(spec.default);
  let value = spec.default;
  let power = 0;
  for (; power < 4 && value >= 1024 && value % 1024 === 0; power++) value /= 1024;
  return `${value}${["", "K", "M", "G", "T"][power]}`;
}

export function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function checkChoices(specs: readonly ArgumentSpec[], words: readonly string[]): void {
  for (const [index, word] of words.entries()) {
    const spec = specs[Math.min(index, specs.length - 1)];
    if (spec?.choices) parseChoice(spec.name, spec.choices, word);
  }
}

/** Commander's "error: unknown option '--jsn'\n(Did you mean --json?)" in our form. */
function usageMessage({ code, message }: CommanderError, command: Command, parser: Commander): string {
  const quoted = /'(.*?)'/.exec(message)?.[1] ?? "";
  const expected = command.arguments;
  switch (code) {
    case "commander.missingArgument": {
      const missing = expected.find(({ name }) => name === quoted);
      return missing === undefined ? `missing ${quoted}` : `missing ${quoted}: ${argumentHelp(missing)}`;
    }
    case "commander.optionMissingArgument":
      return `${quoted}: the value is missing`;
    case "commander.excessArguments":
      return `unexpected argument: ${parser.args[expected.length] ?? ""}`;
    default:
      return message
        .replace(/^error: /, "")
        .replace(/\s+/g, " ")
        .replace(/\(Did you mean/, "(did you mean")
        .replaceAll("'", "")
        .replace(/\.$/, "");
  }
}
