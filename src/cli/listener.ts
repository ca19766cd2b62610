import type { Listener } from "../base/listener.ts";
import type { Context } from "./context.ts";

/** What reading and writing tell, as progress bar, message and exit code. */
export const listenerOf = (context: Context): Listener => ({
  progress: (work) => context.progress(work),
  skip: (path, reason) => context.skip(path, reason),
  yieldToEvents: () => context.breathe(),
  partialOutput: (path) => context.partialOutput(path),
});
