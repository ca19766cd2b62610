/** Turns single calls into accesses. */
import { CALL_ERROR, type CallSink, Operation } from "../../model/index.ts";
import { CallColumns } from "../call-columns.ts";
import { readContext, readEvents, readRequests } from "./asynchronous.ts";
import type { Call } from "./calls.ts";
import { Cursor } from "./cursor.ts";
import { Descriptors, WRITES } from "./descriptors.ts";
import { Result } from "./result.ts";
import type { Opened, Submitted, Task, Tasks } from "./tasks.ts";

/** What went on that is not an access, or not wholly known. */
export interface Counts {
  /** Lines that end too early. */
  cut: number;
  /** Calls without their duration. */
  untimed: number;
  /** Calls that were not over when the trace or the process ended. */
  unfinished: number;
  restarted: number;
  /** Vectors that strace did not print to their end. */
  elided: number;
  /** Requests of asynchronous I/O. */
  submitted: number;
  /** Calls that may carry any number of requests, which strace does not show. */
  uring: number;
}

export class Transfers {
  readonly counts: Counts = {
    cut: 0,
    untimed: 0,
    unfinished: 0,
    restarted: 0,
    elided: 0,
    submitted: 0,
    uring: 0,
  };
  /** Reads and writes. */
  accesses = 0;
  readonly columns: CallColumns;
  readonly descriptors: Descriptors;
  readonly #sink: CallSink;
  readonly #cursor = new Cursor();
  readonly #result = new Result();
  /** Of all processes. */
  readonly #queues: Submitted[][] = [];

  constructor(sink: CallSink, tasks: Tasks) {
    this.#sink = sink;
    this.descriptors = new Descriptors(sink, tasks);
    this.columns = new CallColumns(sink, { moved: true, offset: true });
  }

  /** A whole call: `bytes[from, end)` is what stands behind its opening bracket. */
  call(task: Task, call: Call, start: number, bytes: Uint8Array, from: number, end: number): void {
    const cursor = this.#cursor;
    cursor.set(bytes, from, end);
    const { kind } = call;
    if (kind === "plain" || kind === "vector") this.#transfer(task, call, start);
    else if (kind === "sendfile") this.#sendfile(task, start);
    else if (kind === "copy") this.#copy(task, start);
    else if (kind === "submit") this.#submit(task, start);
    else if (kind === "events") this.#events(task, start);
    else if (kind === "uring") this.counts.uring++;
    else if (kind === "by-path" || kind === "by-descriptor") this.#metadata(task, call, start);
    else if (!this.descriptors.follow(task, call, cursor, this.#result)) this.counts.cut++;
    else if (call.operation !== undefined && this.descriptors.followed >= 0)
      this.#keepMetadata(task, call.operation, start, this.descriptors.followed);
  }

  /** ("path"…), (directory, "path"…) or (fd…); a path may be empty, and then the descriptor before it is meant. */
  #metadata(task: Task, call: Call, start: number): void {
    const cursor = this.#cursor;
    let file = -1;
    let descriptor = -1;
    let folder = { from: cursor.at, to: cursor.at };
    if (!cursor.is('"')) {
      descriptor = cursor.descriptor();
      folder = { from: cursor.nameFrom, to: cursor.nameTo };
      if (call.kind === "by-descriptor" || descriptor >= 0)
        file = this.descriptors.fileOf(task, descriptor, cursor);
      if (call.kind === "by-path") cursor.next();
    }
    if (call.kind === "by-path" && cursor.string() && cursor.nameTo > cursor.nameFrom)
      file = this.descriptors.named(cursor, folder);
    if (!this.#result.read(cursor)) this.counts.cut++;
    else if (file >= 0) this.#keepMetadata(task, call.operation as number, start, file);
    if (call.operation === Operation.seek) this.#seek(task, descriptor, call);
  }

  /** lseek(fd, offset, whence) = position; _llseek has it in an argument. */
  #seek(task: Task, descriptor: number, call: Call): void {
    const { value } = this.#result;
    const opened = task.shared.descriptors.get(descriptor)?.opened;
    if (opened === undefined) task.shared.strange.add(descriptor);
    else if (call.name !== "lseek" || Number.isNaN(value)) opened.position = Number.NaN;
    else if (value >= 0) opened.position = value;
  }

  /** Where a call without an offset begins; what it moves takes the position along. */
  #moveOn(opened: Opened | undefined, write: boolean): number {
    if (opened === undefined) return Number.NaN;
    const { value } = this.#result;
    if (write && opened.append) opened.position = Number.NaN;
    const { position } = opened;
    if (!(value <= 0 || this.#result.interrupted)) opened.position += value;
    return position;
  }

  #keepMetadata(task: Task, operation: number, start: number, file: number): void {
    const { value, durationNs } = this.#result;
    if (Number.isNaN(durationNs)) return;
    const flags = this.descriptors.flagsOf(file);
    const end = start + durationNs;
    this.#row(task, start, end, 0, value < 0 ? -1 : 0, Number.NaN, file, flags, operation);
  }

  /** A task is gone, or the trace is over. */
  end(task: Task): void {
    this.#giveUp(task);
    if (task.unfinished?.call.isAccess === true) this.counts.unfinished++;
    task.unfinished = undefined;
  }

  /** Counts requests that never came back; the processes that made them may be gone. */
  countWaiting(): void {
    for (const queue of this.#queues) this.counts.unfinished += queue.length;
  }

  /** (fd, buffer or vector, size or count[, offset]) */
  #transfer(task: Task, call: Call, start: number): void {
    const cursor = this.#cursor;
    const vector = call.kind === "vector";
    const descriptor = cursor.descriptor();
    this.descriptors.use(task, descriptor, cursor, call.write);
    const { file, flags, opened } = this.descriptors;
    cursor.next();
    const listed = vector ? cursor.vectorBytes() : Number.NaN;
    const elided = vector && cursor.listElided;
    cursor.next();
    const size = cursor.number();
    const given = call.positioned && cursor.next() ? cursor.number() : Number.NaN;
    const isFinished = this.#finish();
    // preadv2 and pwritev2 take -1 for "here".
    const isHere = !call.positioned || given === -1;
    const offset = isHere ? this.#moveOn(opened, call.write) : given;
    if (!isFinished) return;
    const { value, durationNs } = this.#result;
    let bytes = vector ? listed : size;
    if (elided) {
      this.counts.elided++;
      // What is printed, or what was moved, is less than all that was asked for.
      if (value > bytes) bytes = value;
    }
    const begin = this.#begin(task, call, descriptor, bytes, start);
    const end = start + durationNs;
    if (this.#result.interrupted)
      task.interrupted = { call, descriptor, bytes, start: begin, end, file, flags };
    else this.#row(task, begin, end, bytes, value, offset, file, flags);
  }

  /** When the call began: earlier, if a signal interrupted it and the kernel started it again. */
  #begin(task: Task, call: Call, descriptor: number, bytes: number, start: number): number {
    const before = task.interrupted;
    if (before === undefined) return start;
    if (before.call === call && before.descriptor === descriptor && before.bytes === bytes) {
      task.interrupted = undefined;
      this.counts.restarted++;
      return before.start;
    }
    this.#giveUp(task);
    return start;
  }

  /** An interrupted call that was not started again has failed. */
  #giveUp(task: Task): void {
    const before = task.interrupted;
    task.interrupted = undefined;
    if (before === undefined) return;
    this.#row(task, before.start, before.end, before.bytes, -1, Number.NaN, before.file, before.flags);
  }

  /**
   * (target, source, offset of source, size): a read and a write at the same time. Programs ask for more than any file has
   * to copy all of it, so what counts is what was copied.
   */
  #sendfile(task: Task, start: number): void {
    const cursor = this.#cursor;
    const { descriptors } = this;
    descriptors.use(task, cursor.descriptor(), cursor, true);
    const { file: target, flags: targetFlags, opened: targetOpened } = descriptors;
    cursor.next();
    descriptors.use(task, cursor.descriptor(), cursor, false);
    const { file: source, flags: sourceFlags, opened: sourceOpened } = descriptors;
    const given = this.#nextOffset();
    cursor.next();
    const isFinished = this.#finish();
    const offset = Number.isNaN(given) ? this.#moveOn(sourceOpened, false) : given;
    const targetOffset = this.#moveOn(targetOpened, true);
    if (!isFinished) return;
    const { value, durationNs } = this.#result;
    const copied = Math.max(0, value);
    this.#row(task, start, start + durationNs, copied, value, offset, source, sourceFlags);
    this.#row(task, start, start + durationNs, copied, value, targetOffset, target, targetFlags);
  }

  /** (source, its offset, target, its offset, size, flags): a read and a write at the same time. */
  #copy(task: Task, start: number): void {
    const cursor = this.#cursor;
    const { descriptors } = this;
    descriptors.use(task, cursor.descriptor(), cursor, false);
    const { file: source, flags: sourceFlags, opened: sourceOpened } = descriptors;
    const sourceGiven = this.#nextOffset();
    cursor.next();
    descriptors.use(task, cursor.descriptor(), cursor, true);
    const { file: target, flags: targetFlags, opened: targetOpened } = descriptors;
    const targetGiven = this.#nextOffset();
    cursor.next();
    const isFinished = this.#finish();
    const sourceOffset = Number.isNaN(sourceGiven) ? this.#moveOn(sourceOpened, false) : sourceGiven;
    const targetOffset = Number.isNaN(targetGiven) ? this.#moveOn(targetOpened, true) : targetGiven;
    if (!isFinished) return;
    const { value, durationNs } = this.#result;
    const copied = Math.max(0, value);
    this.#row(task, start, start + durationNs, copied, value, sourceOffset, source, sourceFlags);
    this.#row(task, start, start + durationNs, copied, value, targetOffset, target, targetFlags);
  }

  /** The next argument as an offset: `[100]`, `[0] => [50]` or NULL. */
  #nextOffset(): number {
    const cursor = this.#cursor;
    if (!cursor.next() || !cursor.is("[")) return Number.NaN;
    const from = cursor.at;
    cursor.at++;
    const offset = cursor.number();
    cursor.at = from;
    return offset;
  }

  #submit(task: Task, start: number): void {
    const cursor = this.#cursor;
    const context = readContext(cursor);
    cursor.next();
    cursor.next();
    const requests = readRequests(cursor);
    if (!this.#whole()) return;
    const accepted = this.#result.value >= 0 ? this.#result.value : 0;
    let queue = task.shared.queues.get(context);
    if (queue === undefined) {
      queue = [];
      task.shared.queues.set(context, queue);
      this.#queues.push(queue);
    }
    for (const { descriptor, nameFrom, nameTo, write, isAccess, bytes, offset } of requests.slice(
      0,
      accepted,
    )) {
      cursor.nameFrom = nameFrom;
      cursor.nameTo = nameTo;
      this.descriptors.use(task, descriptor, cursor, write);
      const { file, flags } = this.descriptors;
      queue.push({ start, bytes, offset, isAccess, file, flags });
      this.counts.submitted++;
    }
  }

  #events(task: Task, start: number): void {
    const cursor = this.#cursor;
    const context = readContext(cursor);
    for (let skipped = 0; skipped < 3; skipped++) cursor.next();
    const results = readEvents(cursor);
    if (!this.#whole()) return;
    const { value, durationNs } = this.#result;
    const done = task.shared.queues.get(context)?.splice(0, value >= 0 ? value : 0) ?? [];
    for (const [index, { start: begin, bytes, offset, file, flags, isAccess }] of done.entries()) {
      if (!isAccess) continue;
      const moved = results[index] ?? Number.NaN;
      if (Number.isNaN(durationNs)) this.counts.untimed++;
      else this.#row(task, begin, start + durationNs, bytes, moved, offset, file, flags);
    }
  }

  #whole(): boolean {
    const whole = this.#result.read(this.#cursor);
    if (!whole) this.counts.cut++;
    return whole;
  }

  /** Reads what is behind the arguments; false when it is not a call that is over. */
  #finish(): boolean {
    if (!this.#whole()) return false;
    if (!Number.isNaN(this.#result.durationNs)) return true;
    else if (Number.isNaN(this.#result.value)) this.counts.unfinished++;
    else this.counts.untimed++;
    return false;
  }

  /** `result` is what was moved; negative for a failure, NaN when not known. */
  #row(
    task: Task,
    start: number,
    end: number,
    bytes: number,
    result: number,
    offset: number,
    file: number,
    flags: number,
    operation: number = (flags & WRITES) !== 0 ? Operation.write : Operation.read,
  ): void {
    const { columns } = this;
    const row = columns.count;
    if (operation <= Operation.write) this.accesses++;
    columns.startNs[row] = start;
    columns.endNs[row] = end;
    columns.bytes[row] = bytes;
    (columns.movedBytes as Float64Array)[row] = result < 0 ? 0 : result;
    (columns.offset as Float64Array)[row] = offset;
    columns.process[row] = task.processAt(this.#sink);
    columns.file[row] = file;
    columns.operation[row] = operation;
    columns.flags[row] = (flags & ~WRITES) | (result < 0 ? CALL_ERROR : 0);
    columns.next();
  }
}
