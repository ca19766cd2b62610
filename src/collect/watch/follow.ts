/** The load of a file system, looked at again and again. */
import { pause } from "../../base/pause.ts";
import type { LiveLoad } from "../../model/index.ts";

/** Until the signal. A look that fails becomes the notice of the last one. */
export async function* followLoad(
  first: LiveLoad,
  read: () => Promise<LiveLoad>,
  everyMs: number,
  signal: AbortSignal,
): AsyncGenerator<LiveLoad> {
  for (let load = first; !signal.aborted; ) {
    yield load;
    await pause(everyMs, signal);
    if (signal.aborted) return;
    load = await read().catch((error: Error) => ({ ...load, notices: [error.message] }));
  }
}
