/**
 * Runs one command line and gives the exit code. The whole contract of the CLI is here and in the files this one
 * uses: help, --json, --debug, one-line errors, exit codes, signals, closed pipes, half-written outputs.
 */

import { version } from "../../package.json";
import { UsageError } from "../base/errors.ts";
import { launchedBy } from "../launch/environment.ts";
import type { Command, CommandEntry, Invocation } from "./command.ts";
import { CommandContext } from "./context.ts";
import { describeFailure, EXIT, stackOf } from "./failure.ts";
import { chooseCommand, groupHelp, memberList } from "./help.ts";
import type { Io, StopSignal } from "./io.ts";
import { BufferedSink, OutputClosed } from "./sink.ts";

export async function runCli(
  argv: readonly string[],
  table: readonly CommandEntry[],
  io: Io,
): Promise<number> {
  const state: State = { command: "", debug: false, files: [], context: undefined, quiet: false, argv };
  try {
    return await dispatch(argv, table, io, state);
  } catch (error) {
    return fail(error, io, state);
  }
}

/** How far the run got, for the error line. */
interface State {
  command: string;
  debug: boolean;
  files: readonly string[];
  context: CommandContext | undefined;
  /** Another rank says what there is to say. */
  quiet: boolean;
  readonly argv: readonly string[];
}

async function dispatch(argv: readonly string[], table: readonly CommandEntry[], io: Io, state: State) {
  const { common, rest } = leadingOptions(argv);
  let words = rest;
  state.debug = beforeDashes(argv).includes("--debug");
  if (words[0] === "--version" || words[0] === "-V") return printVersion(argv, io);
  if (words[0] === "help") {
    const topic = words.slice(1).filter((word) => !word.startsWith("-"));
    if (topic.length > 0) chooseExactly(topic, table);
    words = [...topic, "--help"];
  }
  const choice = chooseCommand(words, table);
  if (choice.kind === "group") return print(io, groupHelp(choice.name, table));

  const { entry } = choice;
  state.command = entry.name;
  const command = (await entry.load()).default;
  state.quiet = command.ranksTogether === true && (launchedBy(io.env)?.rank ?? 0) > 0;
  const { helpText, parseArguments } = await import("./parse.ts");
  const parsed = parseArguments(command, [...common, ...choice.rest]);
  if (parsed.help) return print(io, helpText(command, io.stdout.columns, memberList(entry.name, table)));
  state.files = filesOf(command, parsed.invocation);
  return runCommand(command, parsed, table, io, state);
}

async function runCommand(
  command: Command,
  { invocation, json, debug }: { invocation: Invocation; json: boolean; debug: boolean },
  commands: readonly CommandEntry[],
  io: Io,
  state: State,
): Promise<number> {
  const stop = new Stop(io);
  const watchSignals = () => stop.watch(context);
  const context = new CommandContext({ io, json, debug, words: state.argv, commands, watchSignals });
  state.context = context;
  try {
    const stopped = await Promise.race([
      command.run(invocation, context).then(() => undefined),
      stop.promise,
    ]);
    if (stopped === undefined && stop.code === undefined) {
      context.endProgress();
      context.out.flush();
      return context.exitCode ?? (context.skipped.length > 0 ? EXIT.skipped : EXIT.done);
    }
  } catch (error) {
    // After a signal, whatever the command throws is only its way to stop.
    if (stop.code === undefined) throw error;
  } finally {
    stop.end();
  }
  context.endProgress();
  context.partials.remove();
  return stop.code ?? EXIT.failed;
}

function fail(error: unknown, io: Io, { command, debug, files, context, quiet }: State): number {
  context?.endProgress();
  // Nobody reads on: that is how `| head -1` ends, and no error.
  const closed = error instanceof OutputClosed || context?.out.closed === true;
  const { line, code } = describeFailure(error, {
    command,
    files,
    isOutput: (path) => context?.partials.includes(path) ?? false,
  });
  context?.partials.remove();
  // A program that we ran has ended by now, and its exit code stays ours.
  const exitCode = context?.exitCode ?? code;
  if (closed) return context?.exitCode ?? EXIT.done;
  if (quiet && error instanceof UsageError) return code;
  try {
    context?.out.flush();
  } catch {
    // The first error is the one to tell.
  }
  io.stderr.write(`plimsoll: ${line}\n${debug ? stackOf(error) : ""}`);
  return exitCode;
}

/** What ends a run from outside: signals, and errors that no promise of the command carries. */
class Stop {
  readonly promise: Promise<number>;
  code: number | undefined;
  readonly #io: Io;
  #resolve!: (code: number) => void;
  #endings: (() => void)[] = [];
  #watching = false;

  constructor(io: Io) {
    this.#io = io;
    let reject: (error: unknown) => void;
    this.promise = new Promise((resolve, fail) => {
      this.#resolve = resolve;
      reject = fail;
    });
    this.promise.catch(() => {});
    this.#endings.push(io.onUncaught((error) => reject(error)));
  }

  /**
   * Starts to handle signals. Until a command has something to clean up, the system's own handling is better: it
   * also ends a loop that never returns to the event loop, and the shell sees the same 130 or 143.
   */
  watch(context: CommandContext): void {
    if (this.#watching) return;
    this.#watching = true;
    this.#endings.push(this.#io.onSignal((signal) => this.#onSignal(signal, context)));
  }

  end(): void {
    for (const ending of this.#endings) ending();
  }

  #onSignal(signal: StopSignal, context: CommandContext): void {
    const again = this.code !== undefined;
    const code = EXIT[signal];
    this.code ??= code;
    context.abort.abort(new Error(`stopped by ${signal}`));
    if (again || !context.signalTaken) this.#resolve(code);
    else setTimeout(() => this.#resolve(code), GRACE_MS).unref();
  }
}

/** How long a command that watches `context.signal` may take to stop. */
const GRACE_MS = 5000;

/** --json and --debug may also stand before the command. */
function leadingOptions(argv: readonly string[]): { common: string[]; rest: string[] } {
  let count = 0;
  while (argv[count] === "--json" || argv[count] === "--debug") count++;
  return { common: argv.slice(0, count), rest: argv.slice(count) };
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end < 0 ? argv : argv.slice(0, end);
}

async function printVersion(argv: readonly string[], io: Io): Promise<number> {
  if (!argv.includes("--json")) return print(io, `${version}\n`);
  const { versionJson } = await import("./version.ts");
  return print(io, `${JSON.stringify(versionJson(), undefined, 2)}\n`);
}

function chooseExactly(topic: readonly string[], table: readonly CommandEntry[]): void {
  const choice = chooseCommand(topic, table);
  const extra = choice.kind === "command" ? choice.rest[0] : undefined;
  if (extra !== undefined) throw new UsageError(`unknown command: ${topic.join(" ")}`);
}

function filesOf(command: Command, { arguments: words }: Invocation): readonly string[] {
  const specs = command.arguments;
  return words.filter((_, index) => specs[Math.min(index, specs.length - 1)]?.kind === "file");
}

function print(io: Io, text: string): number {
  const sink = new BufferedSink((bytes) => io.stdout.write(bytes));
  sink.write(text);
  sink.flush();
  return EXIT.done;
}
