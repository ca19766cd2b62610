/** Follows what descriptors stand for, through calls that open, copy and close them. */
import { CALL_DIRECT, CALL_NONFILE, type CallSink } from "../../model/index.ts";
import type { Call } from "./calls.ts";
import { type Cursor, unescaped } from "./cursor.ts";
import { type ByteRange, Files } from "./files.ts";
import type { Result } from "./result.ts";
import type { Descriptor, Opened, Task, Tasks } from "./tasks.ts";

/** The call writes; beside the flags of the model, of which none is 1. */
export const WRITES = 1;

const TEXT = new TextDecoder();

export class Descriptors {
  /** What `use` found. */
  file = 0;
  flags = 0;
  /** Undefined when the open was not seen, or when the descriptor stands for something else by now. */
  opened: Opened | undefined;
  /** File of the open or close that was followed last; -1 when it is not known. */
  followed = -1;
  /** Accesses on descriptors that nothing is known of. */
  unnamed = 0;
  /** Whether strace names descriptors (`-y`). */
  hasNames = false;
  readonly #tasks: Tasks;
  readonly #files: Files;
  /** Uses of a file by descriptors that nothing is known of: they may be copies, made by a call that was not traced. */
  readonly #strangers = new Map<number, number>();

  constructor(sink: CallSink, tasks: Tasks) {
    this.#tasks = tasks;
    this.#files = new Files(sink);
  }

  /** Finds the file of a descriptor into `file` and `flags`: by its name, which the cursor has, or by what was opened. */
  use(task: Task, descriptor: number, cursor: Cursor, write: boolean): void {
    const { bytes, nameFrom, nameTo } = cursor;
    const opened = task.shared.descriptors.get(descriptor);
    this.flags = write ? WRITES : 0;
    if (opened?.direct === true) this.flags |= CALL_DIRECT;
    if (nameTo > nameFrom) {
      this.file = this.#files.named(bytes, nameFrom, nameTo);
      this.hasNames = true;
    } else if (opened !== undefined) this.file = opened.file;
    else {
      this.file = this.#files.path("");
      this.unnamed++;
    }
    const isFile = !this.#files.isNonfile(this.file);
    if (!isFile) this.flags |= CALL_NONFILE;
    if (opened === undefined) {
      task.shared.strange.add(descriptor);
      this.#strangers.set(this.file, this.#strangersOf(this.file) + 1);
    }
    const isFollowed =
      isFile && opened?.file === this.file && opened.opened.strangers === this.#strangersOf(this.file);
    this.opened = isFollowed ? opened.opened : undefined;
  }

  #strangersOf(file: number): number {
    return this.#strangers.get(file) ?? 0;
  }

  /** The file of a descriptor, by the name that the cursor has or by what was opened; -1 when nothing is known of it. */
  fileOf(task: Task, descriptor: number, { bytes, nameFrom, nameTo }: Cursor): number {
    if (nameTo > nameFrom) return this.#files.named(bytes, nameFrom, nameTo);
    return task.shared.descriptors.get(descriptor)?.file ?? -1;
  }

  /** The file whose name the cursor has, which may be below a directory that it had before. */
  named({ bytes, nameFrom, nameTo }: Cursor, folder: ByteRange): number {
    return this.#files.inFolder(bytes, folder, { from: nameFrom, to: nameTo });
  }

  flagsOf(file: number): number {
    return this.#files.isNonfile(file) ? CALL_NONFILE : 0;
  }

  /** A call that changes descriptors or processes; false when its line is not whole. */
  follow(task: Task, call: Call, cursor: Cursor, result: Result): boolean {
    const { bytes, at: from } = cursor;
    this.followed = -1;
    switch (call.kind) {
      case "open":
        return this.#open(task, cursor, result);
      case "close": {
        const descriptor = cursor.descriptor();
        const file = this.fileOf(task, descriptor, cursor);
        if (!result.read(cursor)) return false;
        this.followed = file;
        if (result.value === 0) task.shared.descriptors.delete(descriptor);
        return true;
      }
      case "dup": {
        const descriptor = cursor.descriptor();
        if (!result.read(cursor)) return false;
        const text = call.name.startsWith("fcntl") ? TEXT.decode(bytes.subarray(from, cursor.at)) : "F_DUPFD";
        const opened = task.shared.descriptors.get(descriptor);
        if (opened !== undefined && text.includes("F_SETFL"))
          opened.opened.append = text.includes("O_APPEND");
        if (!text.includes("F_DUPFD") || !(result.value >= 0)) return true;
        if (opened === undefined) task.shared.descriptors.delete(result.value);
        else task.shared.descriptors.set(result.value, { ...opened, closeOnExec: text.includes("CLOEXEC") });
        return true;
      }
      case "nonfile":
        if (!result.read(cursor)) return false;
        if (result.value >= 0) task.shared.descriptors.set(result.value, this.#special("socket"));
        return true;
      case "pair":
        return this.#pair(task, cursor, result, call.name === "socketpair" ? "socket" : "pipe");
      case "clone": {
        if (!result.read(cursor)) return false;
        const shares = TEXT.decode(bytes.subarray(from, cursor.at)).includes("CLONE_FILES");
        if (result.value > 0) this.#tasks.child(task, result.value, shares);
        return true;
      }
      default:
        return exec(task, cursor, result);
    }
  }

  /** open("path", flags), openat(directory, "path", flags), creat("path", mode) */
  #open(task: Task, cursor: Cursor, result: Result): boolean {
    const { bytes, at: from } = cursor;
    const folder = cursor.folder();
    const hasPath = cursor.string();
    const pathFrom = cursor.nameFrom;
    const pathTo = cursor.nameTo;
    const flagsFrom = cursor.at;
    if (!result.read(cursor)) return false;
    if (hasPath) this.followed = this.#files.inFolder(bytes, folder, { from: pathFrom, to: pathTo });
    if (!(result.value >= 0)) return true;
    const flags = TEXT.decode(bytes.subarray(Math.max(from, flagsFrom), cursor.at));
    const named = cursor.nameTo > cursor.nameFrom;
    if (named) this.followed = this.#files.named(bytes, cursor.nameFrom, cursor.nameTo);
    if (this.followed < 0) return true;
    task.shared.descriptors.set(result.value, {
      file: this.followed,
      direct: flags.includes("O_DIRECT|") || /O_DIRECT\b/.test(flags),
      closeOnExec: flags.includes("O_CLOEXEC"),
      opened: {
        position: 0,
        append: flags.includes("O_APPEND"),
        strangers: this.#strangersOf(this.followed),
      },
    });
    return true;
  }

  /** pipe([3, 4]), socketpair(AF_UNIX, SOCK_STREAM, 0, [3, 4]) */
  #pair(task: Task, cursor: Cursor, result: Result, path: string): boolean {
    while (!cursor.is("[")) if (!cursor.next()) return false;
    cursor.at++;
    const first = cursor.descriptor();
    cursor.next();
    const second = cursor.descriptor();
    if (!cursor.is("]")) return false;
    cursor.at++;
    if (!result.read(cursor)) return false;
    if (result.value !== 0) return true;
    for (const descriptor of [first, second]) task.shared.descriptors.set(descriptor, this.#special(path));
    return true;
  }

  #special(path: string): Descriptor {
    const opened = { position: Number.NaN, append: false, strangers: 0 };
    return { file: this.#files.path(path), direct: false, closeOnExec: false, opened };
  }
}

/** execve("/path", …): another program, without the descriptors that were to be closed. */
function exec(task: Task, cursor: Cursor, result: Result): boolean {
  const { bytes } = cursor;
  const hasPath = cursor.string();
  const { nameFrom, nameTo } = cursor;
  if (!result.read(cursor)) return false;
  if (result.value !== 0) return true;
  if (hasPath) task.runs(unescaped(bytes, nameFrom, nameTo));
  for (const [descriptor, { closeOnExec }] of task.shared.descriptors)
    if (closeOnExec) task.shared.descriptors.delete(descriptor);
  return true;
}
