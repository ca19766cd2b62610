/**
 * The folder of a run, which is all that tasks and the program that submitted them share:
 *
 *     RUN/run.json          the plan, who made it, and the jobs that were submitted
 *     RUN/map.sh, merge.sh  batch scripts
 *     RUN/state/map-3.json  what became of a task: state, attempts, seconds, CPU time, peak memory
 *     RUN/out/map-3.json    what the task printed
 *     RUN/logs/map-3.log    what it said; of every attempt
 *     RUN/locks/map-3/      held while it runs
 *     RUN/parts/            what tasks hand to the merge
 *
 * Files are written whole and renamed, so that a reader on another node never sees half of one.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { FormatError, UsageError } from "../base/errors.ts";
import { writeWhole } from "../node/durable.ts";
import { makeFolder } from "../node/folders.ts";
import { allTasks, type Plan } from "./plan.ts";
import { type Program, stageScript } from "./scripts.ts";

export interface TaskState {
  readonly state: "running" | "done" | "failed";
  /** Times that it was begun. */
  readonly attempts: number;
  /** Job of Slurm, or process. */
  readonly job: string;
  readonly node: string;
  readonly startedUnix: number;
  readonly seconds?: number;
  readonly cpuSeconds?: number;
  readonly peakBytes?: number;
  /** Exit code of its command; 3: done, with inputs that were left out. */
  readonly code?: number;
  /** Last line of a failure. */
  readonly error?: string;
}

/** A job array that was handed to Slurm. */
interface Submitted {
  readonly job: string;
  readonly stage: string;
  readonly numbers: readonly number[];
}

interface RunFile {
  readonly kind: "plimsoll cluster run";
  readonly madeBy: string;
  readonly plan: Plan;
  readonly submitted: readonly Submitted[];
}

const KIND = "plimsoll cluster run";

export class RunFolder {
  /** Absolute. */
  readonly path: string;
  #file: RunFile;

  private constructor(path: string, file: RunFile) {
    this.path = path;
    this.#file = file;
  }

  /** Makes a new folder. Of two programs that want the same one gets it, since making a folder succeeds once. */
  static create(path: string, plan: Plan, program: Program, madeBy: string): RunFolder {
    const full = resolve(path);
    makeFolder(resolve(full, ".."));
    try {
      mkdirSync(full);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      throw new UsageError(`${path} exists${whatRemains(full)}; choose another folder with --run`);
    }
    for (const name of ["state", "out", "logs", "locks", "parts"]) mkdirSync(join(full, name));
    for (const stage of plan.stages)
      writeWhole(join(full, `${stage.name}.sh`), stageScript(plan, stage, full, program));
    const file: RunFile = { kind: KIND, madeBy, plan, submitted: [] };
    const folder = new RunFolder(full, file);
    folder.#write(file);
    return folder;
  }

  static open(path: string): RunFolder {
    const full = resolve(path);
    const name = join(full, "run.json");
    let text: string;
    try {
      text = readFileSync(name, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      throw new UsageError(`${path} is not the folder of a cluster run: it has no run.json`);
    }
    const file = parsed(text) as RunFile | undefined;
    if (file?.kind !== KIND || !Array.isArray(file.plan?.stages) || !Array.isArray(file.submitted))
      throw new FormatError(name, {}, "not the description of a cluster run");
    return new RunFolder(full, file);
  }

  get plan(): Plan {
    return this.#file.plan;
  }

  get submitted(): readonly Submitted[] {
    return this.#file.submitted;
  }

  note(more: Submitted): void {
    this.#write({ ...this.#file, submitted: [...this.#file.submitted, more] });
  }

  stateOf(task: string): TaskState | undefined {
    const text = textOf(join(this.path, "state", `${task}.json`));
    return text === undefined ? undefined : (parsed(text) as TaskState | undefined);
  }

  /** States of all tasks that were begun. */
  states(): Map<string, TaskState> {
    const begun = new Set(readdirSync(join(this.path, "state")));
    const states = new Map<string, TaskState>();
    for (const { name } of allTasks(this.plan)) {
      const state = begun.has(`${name}.json`) ? this.stateOf(name) : undefined;
      if (state !== undefined) states.set(name, state);
    }
    return states;
  }

  setState(task: string, state: TaskState): void {
    writeWhole(join(this.path, "state", `${task}.json`), `${JSON.stringify(state)}\n`);
  }

  setOutput(task: string, text: string): void {
    writeWhole(join(this.path, "out", `${task}.json`), text);
  }

  /** What a task printed, as JSON; undefined without it. */
  outputOf(task: string): unknown {
    const text = textOf(join(this.path, "out", `${task}.json`));
    return text === undefined ? undefined : parsed(text);
  }

  #write(file: RunFile): void {
    writeWhole(join(this.path, "run.json"), `${JSON.stringify(file, undefined, 1)}\n`);
    this.#file = file;
  }
}

/** What another command would find in a folder that is there. */
function whatRemains(path: string): string {
  if (!existsSync(join(path, "run.json"))) return "";
  const folder = RunFolder.open(path);
  const states = folder.states();
  return allTasks(folder.plan).every(({ name }) => states.get(name)?.state === "done")
    ? ", and all its tasks are done"
    : ": --resume runs its failed and missing tasks";
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
