import type { Listener } from "../inputs/index.ts";
import type { Context } from "./context.ts";

/** What reading tells, as progress bar, message and exit code. */
export const listenerOf = (context: Context): Listener => ({
  progress: (work) => context.progress(work),
  skip: (path, reason) => context.skip(path, reason),
  yieldToEvents: () => context.breathe(),
});
