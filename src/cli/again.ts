/** How to get a result again or whole: the command as it was given, so that no option that changes the numbers is lost. */
import { commandLine } from "../base/command-line.ts";
import type { Context } from "./context.ts";

/** What was read from there is gone. */
const PIPE = /^(-|\/dev\/(stdin|fd\/\d+)|\/proc\/self\/fd\/\d+)$/;
/** Longer lines are those of a pattern that the shell has filled in; nobody pastes them. */
const CHARACTERS_MAX = 2000;

/** The command fit to paste; "" when it read a pipe or is too long. */
export function thisCommand({ words }: Pick<Context, "words">, ...more: readonly string[]): string {
  const kept = words.filter((word) => word !== "--full");
  const end = kept.indexOf("--");
  const at = end < 0 ? kept.length : end;
  const line = commandLine(["plimsoll", ...kept.slice(0, at), ...more, ...kept.slice(at)]);
  return kept.some((word) => PIPE.test(word)) || line.length > CHARACTERS_MAX ? "" : line;
}

/** A line below a summary: the command that writes all of it. */
export const wholeText = (what: string, context: Pick<Context, "words">, output: string): string =>
  `\nFull ${what}: ${thisCommand(context, "-o", output) || `the same command with -o ${output}`}\n`;
