/** Processes and threads of a trace: what they have open, and calls that are not over. */
import type { CallSink } from "../../model/index.ts";
import type { Call } from "./calls.ts";

export interface Descriptor {
  readonly file: number;
  readonly direct: boolean;
  readonly closeOnExec: boolean;
  readonly opened: Opened;
}

/** What an open made: copies of a descriptor, in children as well, move on together. */
export interface Opened {
  /** Where the next call without an offset begins; NaN when it is not known. */
  position: number;
  /** Each write goes to the end of the file, wherever that is. */
  append: boolean;
  /** How many uses of the file by descriptors that nothing is known of came before: after another, all is open. */
  readonly strangers: number;
}

/** Requests of asynchronous I/O that were submitted and have not come back. */
export interface Submitted {
  readonly start: number;
  readonly bytes: number;
  readonly offset: number;
  readonly file: number;
  readonly flags: number;
  /** False for a sync and the like. */
  readonly isAccess: boolean;
}

/** What threads of a process share. */
class Shared {
  readonly descriptors = new Map<number, Descriptor>();
  /** Descriptors that were used before anything was known of them. */
  readonly strange = new Set<number>();
  /** By context, in the order of submission. */
  readonly queues = new Map<string, Submitted[]>();
}

/** The part of a call that was printed before another process ran. */
interface Unfinished {
  readonly call: Call;
  readonly start: number;
  /** From behind the opening bracket. */
  readonly text: Uint8Array;
}

/** A call that a signal interrupted; the kernel may start it again. */
interface Interrupted {
  readonly call: Call;
  readonly descriptor: number;
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
  readonly file: number;
  readonly flags: number;
}

export class Task {
  readonly pid: number;
  #program: string | undefined;
  shared = new Shared();
  unfinished: Unfinished | undefined;
  interrupted: Interrupted | undefined;
  #process = -1;

  constructor(pid: number) {
    this.pid = pid;
  }

  get program(): string | undefined {
    return this.#program;
  }

  /** By exec, or as its parent. */
  runs(program: string | undefined): void {
    this.#program = program;
    this.#process = -1;
  }

  /** Its number at the sink, which learns of it at the first access of each program. */
  processAt(sink: CallSink): number {
    if (this.#process < 0)
      this.#process = sink.process({
        pid: this.pid,
        ...(this.program === undefined ? {} : { program: this.program }),
      });
    return this.#process;
  }
}

export class Tasks {
  readonly #byPid = new Map<number, Task>();
  readonly #alive = new Set<Task>();
  /** Who lines without a process id belong to at first. */
  readonly #first: Task;
  #firstIsUsed = false;
  #adopted = false;
  #last: Task;

  constructor(pid: number) {
    this.#first = new Task(pid);
    this.#last = this.#first;
    this.#alive.add(this.#first);
    if (pid !== 0) this.#byPid.set(pid, this.#first);
  }

  /** The task of a line. On a terminal strace names processes only while there are several. */
  of(pid: number): Task {
    if (Number.isNaN(pid)) {
      this.#firstIsUsed = true;
      if (this.#alive.size === 1) for (const task of this.#alive) return task;
      return this.#first;
    }
    if (this.#last.pid === pid) return this.#last;
    const task = this.#byPid.get(pid) ?? this.#adopt(pid);
    this.#last = task;
    return task;
  }

  /** A process that nobody announced is the first one, when lines without an id came before. */
  #adopt(pid: number): Task {
    const unnamed = this.#first.pid === 0 && this.#firstIsUsed && !this.#adopted;
    this.#adopted = true;
    if (!unnamed) {
      // Every line names its process: nobody is without a name.
      if (!this.#firstIsUsed) this.#alive.delete(this.#first);
      return this.add(pid);
    }
    this.#byPid.set(pid, this.#first);
    return this.#first;
  }

  /** A process or thread that is known to exist. */
  add(pid: number): Task {
    let task = this.#byPid.get(pid);
    if (task === undefined) {
      task = new Task(pid);
      this.#byPid.set(pid, task);
      this.#alive.add(task);
    }
    return task;
  }

  /** The child of a clone or fork: it shares what is open, or has a copy. It may have run before the parent came back. */
  child(parent: Task, pid: number, shares: boolean): void {
    const child = this.add(pid);
    if (child.program === undefined) child.runs(parent.program);
    const { descriptors, strange } = child.shared;
    for (const number of strange) {
      const descriptor = parent.shared.descriptors.get(number);
      if (descriptor !== undefined) descriptor.opened.position = Number.NaN;
    }
    if (shares) {
      for (const [number, descriptor] of descriptors) parent.shared.descriptors.set(number, descriptor);
      child.shared = parent.shared;
    } else {
      for (const [number, descriptor] of parent.shared.descriptors)
        if (!descriptors.has(number)) descriptors.set(number, descriptor);
    }
  }

  exited(task: Task): void {
    this.#alive.delete(task);
    // A number may be given again.
    this.#byPid.delete(task.pid);
    if (this.#last === task) this.#last = this.#first;
  }

  *all(): Generator<Task> {
    const seen = new Set<Task>([this.#first, ...this.#byPid.values()]);
    yield* seen;
  }
}
