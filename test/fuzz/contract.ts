// What every command owes its user, whatever its input: checked on mutants of every kind of input.

import { commands } from "../../src/cli/index.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";
import { processorMs } from "./campaign.ts";

/** Far beyond what a small input takes, well below what a hang takes. */
const PROCESSOR_MS_MAX = 10_000;

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly processorMs: number;
}

/** Runs a command line in this process. */
export async function runInside(words: readonly string[]): Promise<Run> {
  const decoder = new TextDecoder("latin1");
  const parts: string[] = [];
  const world = fakeWorld({ write: (bytes) => void parts.push(decoder.decode(bytes)) });
  const start = processorMs();
  const code = await runCli(words, commands, world);
  return { code, out: parts.join(""), err: world.err, processorMs: processorMs() - start };
}

/** Runs a command line and gives what it broke: exit codes, one-line errors, JSON, numbers, time. */
export async function breachOfRun(words: readonly string[]): Promise<string | undefined> {
  const breach = breachOf(words, await runInside(words));
  return breach === undefined ? undefined : `plimsoll ${words.join(" ")}: ${breach}`;
}

export function breachOf(words: readonly string[], run: Run): string | undefined {
  const { code, out, err } = run;
  if (![0, 1, 2, 3].includes(code)) return `exit code ${code}`;
  if (/internal error/.test(err + out)) return err.trim() || "internal error on stdout";
  const foreign = err.split("\n").find((line) => line !== "" && !line.startsWith("plimsoll: "));
  if (foreign !== undefined) return `stderr has a line of another kind: ${foreign}`;
  if (code !== 0 && err === "" && out === "") return `ends with ${code} without a word`;
  if (run.processorMs > PROCESSOR_MS_MAX) return `took ${Math.round(run.processorMs)} ms of processor time`;
  return numberBreach(out) ?? (words.includes("--json") && out !== "" ? jsonBreach(out) : undefined);
}

/** A number that is none, or an object, in what a person reads. */
export function numberBreach(text: string): string | undefined {
  // A snippet of C says that MPI_Exscan leaves a value undefined.
  const found = /\b(NaN|Infinity|(?<!leaves it )undefined|\[object \w+\])(?![\w/.-])/.exec(text);
  if (found === null) return undefined;
  return `prints ${found[0]}: …${text.slice(Math.max(0, found.index - 60), found.index + 30)}…`;
}

function jsonBreach(out: string): string | undefined {
  try {
    JSON.parse(out);
    return undefined;
  } catch (error) {
    return `not JSON: ${String(error)}`;
  }
}
