/** Running `plimsoll write` as a command, and numbers of several turns. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

export const MIB = 2 ** 20;
export const TURNS = Number(process.env.PLIMSOLL_BENCH_TURNS ?? 5);
export const METHODS = ["static", "paper", "plimsoll"] as const;
export type Method = (typeof METHODS)[number];

/** What a part of the benchmark needs to know. */
export interface Bench {
  /** The built program: a change of sources meanwhile does not cause a build within a measured command. */
  readonly program: string;
  /** Folder on the disk that is measured. */
  readonly work: string;
  /** Folder in memory where there is one, for targets that are held to a speed: no disk comes in between. */
  readonly memory: string;
  readonly memoryName: string;
}

/** Of `plimsoll write --json`. */
export interface Written {
  readonly bytes: number;
  readonly seconds: number;
  readonly commitSeconds: number;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly adaptiveBytes: number;
  readonly perTarget: readonly { readonly bytes: number; readonly seconds: number }[];
}

export const print = (line = "") => process.stdout.write(`${line}\n`);

/** Ended when the benchmark is. */
const children = new Set<ChildProcess>();

export function stopChildren(): void {
  for (const child of children) child.kill("SIGKILL");
}

export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** `watch` gets the number of the process, every 100 ms, while it runs. */
export async function run(
  program: string,
  words: readonly string[],
  watch?: (pid: number) => void,
): Promise<Ended> {
  const child = start(program, words);
  const timer = setInterval(() => watch?.(child.process.pid as number), 100);
  try {
    return await child.ended;
  } finally {
    clearInterval(timer);
  }
}

export function start(program: string, words: readonly string[]) {
  const child = spawn(program, words, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LC_ALL: "C" },
  });
  children.add(child);
  let [out, err] = ["", ""];
  child.stdout.on("data", (text: Buffer) => (out += text.toString()));
  child.stderr.on("data", (text: Buffer) => (err += text.toString()));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => {
      children.delete(child);
      resolve({ status, out, err });
    });
  });
  return { process: child, ended };
}

/** Folders of targets below a place, empty. */
export function freshTargets(place: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const path = join(place, `target${i}`);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
    return path;
  });
}

/** One write into a dataset that is removed before. */
export async function write(
  { program, work }: Bench,
  targets: readonly string[],
  words: readonly string[],
  watch?: (pid: number) => void,
): Promise<Written> {
  const dataset = join(work, "dataset.bp");
  rmSync(dataset, { force: true });
  rmSync(`${dataset}.dir`, { recursive: true, force: true });
  // Data of earlier turns would fill small devices.
  for (const target of targets)
    for (const name of readdirSync(target))
      if (name.startsWith("dataset.bp")) rmSync(join(target, name), { recursive: true, force: true });
  const all = [
    "write",
    "-o",
    dataset,
    "--targets",
    targets.join(","),
    "--history",
    "none",
    "--json",
    ...words,
  ];
  const { status, out, err } = await run(process.execPath, [program, ...all], watch);
  if (status !== 0) throw new Error(`plimsoll ${all.join(" ")} ended with ${status}: ${err}`);
  return JSON.parse(out) as Written;
}

export const methodWords = (method: Method): string[] =>
  method === "static" ? ["--method", "static"] : ["--policy", method];

/** Turn by turn, so that a slow minute of the machine hits all alike. */
export async function interleaved<Name extends string, T>(
  names: readonly Name[],
  once: (name: Name) => Promise<T>,
  turns = TURNS,
): Promise<Record<Name, T[]>> {
  const all = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Name, T[]>;
  for (let turn = 0; turn < turns; turn++) for (const name of names) all[name].push(await once(name));
  return all;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(half)] as number)
    : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
}

/** Median with the least and the greatest. */
export const cell = (values: readonly number[], digits = 2): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Memory that a process and its children have for themselves, shared pages by share. */
export function memoryOfTree(pid: number): number {
  const own = (path: string) => (existsSync(path) ? readFileSync(path, "latin1") : "");
  try {
    const pss = /^Pss:\s+(\d+) kB/m.exec(own(`/proc/${pid}/smaps_rollup`));
    const inner = own(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean);
    return 1024 * Number(pss?.[1] ?? 0) + inner.reduce((sum, one) => sum + memoryOfTree(Number(one)), 0);
  } catch {
    // It ended meanwhile.
    return 0;
  }
}

/** Linux counts in hundredths for programs, on all machines. */
const TICKS_PER_SECOND = 100;

/** CPU seconds of all processes that were started here and have ended, with theirs. */
export function cpuOfEnded(): number {
  const text = readFileSync("/proc/self/stat", "latin1");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
