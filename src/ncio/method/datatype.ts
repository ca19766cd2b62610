/**
 * Requests with the datatype of the whole access and a part of its data: as many as the data needs. Storage without such
 * requests gets list requests instead.
 */
import { isContiguous, lowOf, PieceCursor, pieceBlock } from "../pattern/index.ts";
import { list } from "./list.ts";
import { moveContiguous, type Outcome, PackedData, type Task } from "./task.ts";

export async function datatype(task: Task): Promise<Outcome> {
  const { direction, access, requests, options, bytes } = task;
  const contiguous = isContiguous(access.file);
  if (!contiguous && !requests.hasTypes) {
    const { fallback } = await list(task);
    return { fallback: fallback ?? "list" };
  }
  const data = new PackedData(task);
  const fileAt = access.fileStart + lowOf(access.file);
  if (contiguous && options.flowPairs !== undefined && !isContiguous(access.memory)) {
    const block = pieceBlock(options.flowPairs);
    let from = 0;
    for (const cursor = new PieceCursor(access.memory); cursor.next(block) > 0; ) {
      const end = from + sumOf(block.lengths.subarray(0, block.count));
      for (; from < end; from += options.requestBytes)
        await moveContiguous(task, data, fileAt + from, from, Math.min(end, from + options.requestBytes));
      from = end;
    }
    return {};
  }
  for (let from = 0; from < bytes; from += options.requestBytes) {
    const to = Math.min(from + options.requestBytes, bytes);
    if (contiguous) await moveContiguous(task, data, fileAt + from, from, to);
    else {
      const view = data.view(from, to);
      const done = requests.type(direction, access.fileStart, access.file, from, view);
      if (done !== undefined) await done;
      data.deliver(view, from, to);
    }
  }
  return {};
}

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);
