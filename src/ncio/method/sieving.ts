/**
 * Data sieving: whole windows of the file are moved, holes and all, so that there are few requests. Writing reads the window
 * first. Nobody else may write into it meanwhile: ROMIO locks the window, and leaves sieving out where there are no locks.
 * Here storage has none, so ranks whose windows meet take turns, in the order of ranks.
 */
import { dataBelow, endOf, isContiguous, lowOf, placeOf } from "../pattern/index.ts";
import { copyWindow } from "./copy.ts";
import { allocate, moveContiguous, type Outcome, PackedData, type Task } from "./task.ts";

export async function sieving(task: Task): Promise<Outcome> {
  const { direction, access, communicator, bytes } = task;
  const alone = direction === "read" || !(await windowsMeet(task));
  if (alone) {
    if (bytes > 0) await (isContiguous(access.file) ? contiguousFile(task) : windows(task));
    return {};
  }
  for (let turn = 0; turn < communicator.size; turn++) {
    if (turn === communicator.rank && bytes > 0)
      await (isContiguous(access.file) ? contiguousFile(task) : windows(task));
    await communicator.barrier();
  }
  return {};
}

/** Nothing to sieve: the data goes in as few requests as the buffer allows; where memory is contiguous too, in one. */
async function contiguousFile(task: Task): Promise<void> {
  const { access, options, bytes } = task;
  const step = isContiguous(access.memory) ? bytes : options.sieveBytes;
  const data = new PackedData(task);
  const fileAt = access.fileStart + lowOf(access.file);
  for (let from = 0; from < bytes; from += step) {
    const to = Math.min(from + step, bytes);
    await moveContiguous(task, data, fileAt + from, from, to);
  }
}

/** Each window begins at the next byte that is wanted and ends with the last one that its size reaches. */
async function windows(task: Task): Promise<void> {
  const { direction, access, requests, options, bytes, buffer } = task;
  const { file, fileStart } = access;
  const scratch = allocate(Math.min(options.sieveBytes, endOf(file) - lowOf(file)));
  for (let from = 0; from < bytes; ) {
    const at = placeOf(file, from);
    const to = dataBelow(file, at + options.sieveBytes);
    const end = placeOf(file, to - 1) + 1;
    const window = scratch.subarray(0, end - at);
    const holes = end - at > to - from;
    const place = fileStart + at;
    if (direction === "read" || holes) {
      const done = requests.contiguous("read", place, window, direction === "read" ? to - from : 0);
      if (done !== undefined) await done;
    }
    copyWindow(access, from, to, buffer, window, place, direction);
    if (direction === "write") {
      const done = requests.contiguous("write", place, window, to - from);
      if (done !== undefined) await done;
    }
    from = to;
  }
}

/** Collective: whether a window that some rank reads and writes back reaches into what another one writes. */
async function windowsMeet({ access, communicator, bytes }: Task): Promise<boolean> {
  if (communicator.size === 1) return false;
  const { file, fileStart } = access;
  const mine = Float64Array.of(
    bytes === 0 ? 0 : fileStart + lowOf(file),
    bytes === 0 ? 0 : fileStart + endOf(file),
    bytes > 0 && !isContiguous(file) ? 1 : 0,
  );
  const message = new Uint8Array(mine.buffer);
  const all = (await communicator.exchange(Array.from({ length: communicator.size }, () => message)))
    .map((bytes) => new Float64Array(bytes.slice().buffer) as unknown as readonly [number, number, number])
    .filter(([low, high]) => high > low)
    .sort((a, b) => a[0] - b[0]);
  let reach = -1;
  let sieved = -1;
  for (const [low, high, holes] of all) {
    if (low < sieved || (holes === 1 && low < reach)) return true;
    reach = Math.max(reach, high);
    if (holes === 1) sieved = Math.max(sieved, high);
  }
  return false;
}
