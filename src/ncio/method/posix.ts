/** One request for each piece that is contiguous in memory and in the file: often more than the pieces of either. */
import { RegionCursor, regionBlock } from "../pattern/index.ts";
import type { Outcome, Task } from "./task.ts";

export async function posix({ direction, access, buffer, requests }: Task): Promise<Outcome> {
  const block = regionBlock(1024);
  for (const cursor = new RegionCursor(access); cursor.next(block) > 0; ) {
    const done = requests.each(direction, block, buffer);
    if (done !== undefined) await done;
  }
  return {};
}
