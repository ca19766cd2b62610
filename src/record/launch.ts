/** Runs a command so that its accesses are recorded, without a change to what it does. */
import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { constants } from "node:os";
import { basename, join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { isatty } from "node:tty";
import { UsageError } from "../base/errors.ts";
import type { Environment } from "./compiler.ts";
import { TOTALS_BYTES, TOTALS_FILE } from "./cross-check.ts";
import { ioOfChildren, ioSince, type KernelIo } from "./kernel-io.ts";
import { RUN_FILE, SYSTEM_PATHS } from "../formats/trace/index.ts";
import { findProgram, type Program, whyNotFound } from "./program.ts";
import { ensureShim, needProc, ShimUnavailable } from "./shim.ts";
import { canTracePrivileged, STRACE_EFFECT, STRACE_FILE, straceWords } from "./strace.ts";
import { exitOf } from "../node/child-program.ts";
import { makeFolder } from "../node/folders.ts";
import { isOpenMpi } from "../node/mpi.ts";
import { writeFile } from "../node/write-file.ts";

type Way = "shim" | "strace";

export interface RecordOptions {
  /** Gets the trace; must be absent or empty. */
  readonly folder: string;
  /** An earlier trace there is removed before. */
  readonly force?: boolean;
  /** `auto`: the shim where it can see the program, strace otherwise. */
  readonly with?: Way | "auto";
  /** Paths to record, and paths not to: a file, a folder with all below it, or a pattern with * and ?. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  /** Also system files, pipes, sockets and terminals. */
  readonly all?: boolean;
  /** False records reads, writes and syncs only. */
  readonly metadata?: boolean;
  /** False leaves the streams of the C library as they are: fread and fwrite are recorded, other uses only noticed. */
  readonly streams?: boolean;
  /** Records per process; more are counted as dropped. */
  readonly limitRecords?: number;
  /** Devices to imitate, as PLIMSOLL_DELAY: `latency=200us,bandwidth=100MB/s,concurrency=1,path=/data`. */
  readonly delay?: string;
  readonly env?: Environment;
  readonly cwd?: string;
  /** `inherit` unless given. */
  readonly stdio?: StdioOptions;
  /** The C source of the recorder, for programs that are bundled elsewhere. */
  readonly source?: string;
  /** Called with the line that says why strace is used. */
  readonly note?: (message: string) => void;
}

export interface RecordRun {
  readonly way: Way;
  readonly folder: string;
  /** As a shell has it in $?: 128 and the number of the signal for a program that a signal ended. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | null;
  /** From the start of the program to its end. */
  readonly seconds: number;
  /** What the kernel counted for the program and its children; absent where it does not say, and with launchers. */
  readonly kernel?: KernelIo;
  /** What became of the trace meanwhile, in one line; absent when all is well. */
  readonly lost?: string;
}

/** What the recorder was told, beside the trace. */
const OPTIONS_FILE = "options";

export async function recordCommand(command: readonly string[], options: RecordOptions): Promise<RecordRun> {
  const [name] = command;
  if (name === undefined) throw new UsageError("no command to record");
  const folder = resolve(options.folder);
  const env = options.env ?? process.env;
  const program = findProgram(name, env, options.cwd);
  if (program === undefined) throw new UsageError(`${name}: ${whyNotFound(name, options.cwd)}`);
  needProc();
  prepareFolder(folder, options);
  const plan = planFor([...command], { ...options, folder, env, program });
  const began = performance.now();
  const startedAt = new Date();
  const before = isLauncher(name) ? undefined : ioOfChildren();
  const { exitCode, signal } = await run(plan, options);
  const seconds = (performance.now() - began) / 1000;
  const after = before && ioOfChildren();
  const kernel = before && after && ioSince(before, after);
  const facts = { command, with: plan.way, started: startedAt.toISOString(), seconds, exitCode, signal };
  const lost = keepFacts(folder, { ...facts, ...(kernel === undefined ? {} : { kernel }) });
  return {
    ...{ way: plan.way, folder, exitCode, signal, seconds },
    ...(kernel === undefined ? {} : { kernel }),
    ...(lost === undefined ? {} : { lost }),
  };
}

/** The program can do anything to the folder, and has ended by now: what goes wrong here must not look like its end. */
function keepFacts(folder: string, facts: object): string | undefined {
  const advice = "choose a folder that the program does not touch (-o)";
  if (!existsSync(folder))
    return `${folder} was removed while the program ran, and the trace with it; ${advice}`;
  if (!existsSync(join(folder, OPTIONS_FILE)))
    return `files in ${folder} were removed while the program ran: records are missing; ${advice}`;
  try {
    writeFile(join(folder, RUN_FILE), `${JSON.stringify(facts, null, 2)}\n`);
    return undefined;
  } catch (error) {
    return `cannot write ${join(folder, RUN_FILE)}: ${(error as Error).message}`;
  }
}

function prepareFolder(folder: string, options: RecordOptions): void {
  if (options.force) removeTrace(folder);
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new UsageError(`${folder} is a file; choose another trace folder (-o)`);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new UsageError(`${folder} is not empty; choose another folder`);
  makeFolder(folder);
  const lines = [
    ...(options.all ? ["all=1"] : []),
    ...(options.metadata === false ? ["metadata=0"] : []),
    ...(options.streams === false ? ["streams=0"] : []),
    ...(options.limitRecords === undefined ? [] : [`limit=${Math.floor(options.limitRecords)}`]),
    ...(options.only ?? []).map((one) => `only=${pathPattern(one)}`),
    ...(options.skip ?? []).map((one) => `skip=${pathPattern(one)}`),
    ...SYSTEM_PATHS.map((one) => `system=${one}`),
    ...(options.delay === undefined ? [] : [`delay=${options.delay}`]),
  ];
  for (const [name, list] of [
    ["only", options.only],
    ["skip", options.skip],
  ] as const)
    if ((list?.length ?? 0) > PATTERNS_MAX)
      throw new UsageError(`more than ${PATTERNS_MAX} patterns for ${name}`);
  const broken = lines.find((line) => line.includes("\n"));
  if (broken !== undefined) throw new UsageError(`line break in ${broken.replace(/=.*/s, "")}`);
  if (options.delay !== undefined) checkDelay(options.delay);
  writeFile(join(folder, OPTIONS_FILE), lines.map((line) => `${line}\n`).join(""));
  // When each channel of each device is free again; shared by all processes.
  writeFile(join(folder, TOTALS_FILE), new Uint8Array(TOTALS_BYTES));
  writeFile(join(folder, "devices"), new Uint8Array(DEVICES_MAX * CHANNELS_MAX * 8));
}

/** Only an earlier trace may go. */
function removeTrace(folder: string): void {
  if (!existsSync(folder)) return;
  if (!existsSync(join(folder, RUN_FILE)) && !existsSync(join(folder, OPTIONS_FILE)))
    throw new UsageError(`${folder} is not an earlier trace; choose another folder with --output`);
  rmSync(folder, { recursive: true });
}

/** Patterns are about whole paths; a name alone means the one in this folder. */
export function pathPattern(text: string): string {
  return (/^[*?/]/.test(text) ? text : resolve(text)).replace(/(?<=.)\/+$/, "");
}

/** As many as the recorder takes. */
const PATTERNS_MAX = 64;

const DEVICES_MAX = 16;
const CHANNELS_MAX = 32;

/** The recorder leaves out what it cannot read; a typing error must not look like a fast device. */
function checkDelay(text: string): void {
  const devices = text.split(";").filter((one) => one !== "");
  if (devices.length > DEVICES_MAX) throw new UsageError(`delay: more than ${DEVICES_MAX} devices`);
  for (const item of devices.flatMap((one) => one.split(","))) {
    const fine =
      /^latency=[\d.]+(ns|us|ms|s)?$/.test(item) ||
      /^bandwidth=[\d.]+((k|K|M|G|Ki|Mi|Gi)?B\/s)?$/.test(item) ||
      /^concurrency=(n|\d+)$/.test(item) ||
      /^path=\/.*$/.test(item);
    if (!fine)
      throw new UsageError(
        `delay: unknown ${item}; expected latency=200us, bandwidth=100MB/s, concurrency=1 (or n), path=/folder`,
      );
  }
}

/** Programs that pass on the output of others; the recorder leaves them out. */
const isLauncher = (name: string) =>
  /^(mpiexec|mpirun|hydra_|orted|orterun|prte|srun|slurmstepd)/.test(basename(name));

interface Plan {
  readonly way: Way;
  readonly words: readonly string[];
  readonly env: Environment;
}

type Planning = RecordOptions & { readonly env: Environment; readonly program: Program };

function planFor(command: readonly string[], options: Planning): Plan {
  const { unseen, privileged = false } = options.program;
  const wanted = options.with ?? "auto";
  if (privileged && !canTracePrivileged()) {
    const why = `${unseen}: the recorder cannot be preloaded into it, and under strace it would lose its privileges`;
    if (wanted !== "auto") throw new UsageError(`${why}; record the programs that it starts instead`);
    options.note?.(`${why}: it runs without being recorded`);
    return { way: "shim", words: command, env: options.env };
  }
  if (wanted === "strace") return stracePlan(command, options, undefined);
  if (unseen !== undefined) {
    if (wanted === "shim")
      throw new UsageError(`${unseen}: the recorder cannot be preloaded into it; use --with strace`);
    return stracePlan(command, options, unseen);
  }
  try {
    return shimPlan(command, options);
  } catch (error) {
    if (!(error instanceof ShimUnavailable) || wanted === "shim") throw error;
    return stracePlan(command, options, error.message);
  }
}

function shimPlan(command: readonly string[], { folder, env, source, program, note }: Planning): Plan {
  const { path } = ensureShim({
    env,
    ...(source === undefined ? {} : { source }),
    ...(note === undefined ? {} : { note }),
  });
  const preload = [program.first, path, env.LD_PRELOAD]
    .filter((one) => one !== undefined && one !== "")
    .join(":");
  return {
    way: "shim",
    words: withExports(command, env),
    env: { ...env, LD_PRELOAD: preload, PLIMSOLL_RECORD: folder },
  };
}

function stracePlan(
  command: readonly string[],
  { folder, env, note, delay, metadata }: Planning,
  reason: string | undefined,
): Plan {
  const words = straceWords(join(folder, STRACE_FILE), env, metadata);
  if (words === undefined) {
    const why = reason === undefined ? "" : `${reason}, and `;
    throw new UsageError(`${why}strace not found; install strace`);
  }
  if (delay !== undefined) throw new UsageError("--delay does not work with strace");
  const rights = canTracePrivileged() ? "" : "; its set-uid children run without their privileges";
  note?.(
    `${reason === undefined ? "recording" : `${reason}: recording`} with strace: ${STRACE_EFFECT}${rights}`,
  );
  return { way: "strace", words: [...words, ...command], env };
}

/** Open MPI hands only named variables to other machines; MPICH and Slurm hand on all. */
function withExports(command: readonly string[], env: Environment): string[] {
  const [name = "", ...rest] = command;
  if (!/^(mpirun|mpiexec|orterun)(\.openmpi)?$/.test(basename(name))) return [...command];
  if (!isOpenMpi(name, env)) return [...command];
  const names = [
    "LD_PRELOAD",
    "PLIMSOLL_RECORD",
    ...(env.PLIMSOLL_DELAY === undefined ? [] : ["PLIMSOLL_DELAY"]),
  ];
  return [name, ...names.flatMap((one) => ["-x", one]), ...rest];
}

async function run({ words, env }: Plan, { cwd, stdio = "inherit" }: RecordOptions) {
  const [program = "", ...args] = words;
  let child: ChildProcess | undefined;
  // Before the start: a signal may come as soon as the program has shown itself.
  const release = passSignals((signal) => void child?.kill(signal));
  try {
    child = spawn(program, args, { env, stdio, ...(cwd === undefined ? {} : { cwd }) });
    const { code, signal } = await exitOf(child);
    return { exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), signal };
  } finally {
    release();
  }
}

/**
 * What is meant for the program reaches it, and we stay to sum up. A terminal sends its interrupts to the whole group,
 * so the program has those already.
 */
function passSignals(pass: (signal: NodeJS.Signals) => void): () => void {
  const fromTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const handlers = (["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"] as const).map((signal) => {
    const typed = signal === "SIGINT" || signal === "SIGQUIT";
    const handler = () => {
      if (!(typed && fromTerminal)) pass(signal);
    };
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const release of handlers) release();
  };
}
