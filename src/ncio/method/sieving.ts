/**
 * Data sieving: moves whole windows of the file, including holes, to make few requests. Writing reads the window first. No
 * other process may write into it in between: ROMIO locks the window, and skips sieving without locks. Storage here has no
 * locks, so ranks with overlapping windows take turns, in rank order.
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

/** No holes: the data needs as few requests as the buffer allows; one if memory is contiguous too. */
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

/** Each window starts at the next requested byte and ends with the last one within its size. */
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

/** Collective: whether the window of any rank overlaps the writes of another one. */
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
