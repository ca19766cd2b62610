/** What a command gets besides its arguments. */

import type { CommandEntry } from "./command.ts";
import { oneLine } from "./failure.ts";
import type { Io } from "./io.ts";
import type { Skipped } from "../base/listener.ts";
import { writeJson } from "../base/json.ts";
import { type PartialOutput, PartialOutputs } from "./partial.ts";
import { NO_PROGRESS, type Progress, ProgressBar, type ProgressOptions } from "./progress.ts";
import { BufferedSink, type ByteSink, OutputClosed } from "./sink.ts";

export interface Context {
  /** Print one JSON document (`printJson`) and nothing else on stdout. */
  readonly json: boolean;
  readonly debug: boolean;
  /** The command line as it was given, without `plimsoll`. */
  readonly words: readonly string[];
  /** Terminal colours are welcome on stdout. */
  readonly color: boolean;
  readonly stdoutIsTerminal: boolean;
  /** Width of stdout in characters; 100 when it is no terminal. */
  readonly columns: number;
  /** stdout, buffered. Large outputs pass through without a copy. */
  readonly out: ByteSink;
  /** Aborts on SIGINT and SIGTERM. A command that takes it gets a few seconds to stop by itself. */
  readonly signal: AbortSignal;
  /** All commands of this program. */
  readonly commands: readonly CommandEntry[];
  /** What `skip` has named so far. */
  readonly skipped: readonly Skipped[];
  printJson(value: unknown): void;
  /** A line for people, on stderr. */
  note(message: string): void;
  /** Shows a bar on a terminal once the work has taken two seconds; otherwise does nothing. */
  progress(options: ProgressOptions): Progress;
  /** Names an input that is left out; the exit code becomes 3. */
  skip(path: string, reason: string): void;
  /** The exit code from here on, whatever else fails: that of a program that we ran. */
  exitWith(code: number): void;
  /** Await this now and then in long work: it lets signals through. Costs next to nothing when called often. */
  yieldToEvents(): Promise<void>;
  /** Say this before writing a file or folder: it is removed on failure and on SIGINT unless `done()` was called. */
  partialOutput(path: string): PartialOutput;
}

/** Well under what a person notices after Ctrl-C. */
const YIELD_MS = 50;

interface ContextSetting {
  readonly io: Io;
  readonly json: boolean;
  readonly debug: boolean;
  readonly words: readonly string[];
  readonly commands: readonly CommandEntry[];
  /** Called when the command first needs to know of signals. */
  readonly watchSignals: () => void;
}

export class CommandContext implements Context {
  readonly json: boolean;
  readonly debug: boolean;
  readonly words: readonly string[];
  readonly color: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly out: BufferedSink;
  readonly commands: readonly CommandEntry[];
  readonly skipped: Skipped[] = [];
  readonly partials = new PartialOutputs();
  readonly abort = new AbortController();
  /** Whether the command stops by itself on a signal. */
  signalTaken = false;
  exitCode: number | undefined;
  readonly #io: Io;
  readonly #watchSignals: () => void;
  #bar: ProgressBar | undefined;
  #yieldedMs = 0;

  constructor({ io, json, debug, words, commands, watchSignals }: ContextSetting) {
    this.#io = io;
    this.#watchSignals = watchSignals;
    this.json = json;
    this.debug = debug;
    this.words = words;
    this.commands = commands;
    this.stdoutIsTerminal = io.stdout.isTerminal;
    this.color = io.stdout.isTerminal && !io.env.NO_COLOR && io.env.TERM !== "dumb";
    this.out = new BufferedSink((bytes) => io.stdout.write(bytes));
  }

  get columns(): number {
    return this.stdoutIsTerminal ? this.#io.stdout.columns : 100;
  }

  get signal(): AbortSignal {
    this.signalTaken = true;
    this.#watchSignals();
    return this.abort.signal;
  }

  printJson(value: unknown): void {
    writeJson(value, (text) => this.out.write(text));
    this.out.write("\n");
  }

  note(message: string): void {
    this.#bar?.clear();
    if (this.stdoutIsTerminal) this.out.flush();
    this.#io.stderr.write(`plimsoll: ${oneLine(message)}\n`);
  }

  progress(options: ProgressOptions): Progress {
    if (!this.#io.stderr.isTerminal || this.#io.env.TERM === "dumb") return NO_PROGRESS;
    this.#bar?.end();
    this.#bar = new ProgressBar(this.#io, options);
    return this.#bar;
  }

  skip(path: string, reason: string): void {
    // A closed pipe caught by a command's own "skip what fails" is no fault of that input.
    if (this.out.closed) throw new OutputClosed();
    this.skipped.push({ path, reason });
    this.note(`skipped ${path}: ${reason}`);
  }

  exitWith(code: number): void {
    this.exitCode = code;
  }

  async yieldToEvents(): Promise<void> {
    const now = this.#io.now();
    if (now - this.#yieldedMs < YIELD_MS) return;
    this.#yieldedMs = now;
    await new Promise((resolve) => setImmediate(resolve));
  }

  partialOutput(path: string): PartialOutput {
    this.#watchSignals();
    return this.partials.add(path);
  }

  endProgress(): void {
    this.#bar?.end();
    this.#bar = undefined;
  }
}
