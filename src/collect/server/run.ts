/** Samples at the end of every interval until stopped; then a last time. */
import { pause } from "../../base/pause.ts";
import { fileReason } from "../files.ts";
import type { ServerCollector } from "./collector.ts";

interface RunOptions {
  readonly everyMs: number;
  readonly signal: AbortSignal;
  /** Another collector owns the folder: ends without a last sample. */
  readonly lost?: AbortSignal | undefined;
  wallMs(): number;
  note(message: string): void;
}

/**
 * Intervals end a little before a whole multiple of `every`: a delta belongs to the minute of its second reading, which
 * then is the minute in which nearly all of it happened.
 */
export function untilNextMs(wallMs: number, everyMs: number): number {
  const early = Math.min(500, everyMs / 10);
  const left = everyMs - ((wallMs + early) % everyMs);
  return Math.min(everyMs, Math.max(1, left));
}

export async function runCollector(collector: ServerCollector, options: RunOptions): Promise<void> {
  const { everyMs, signal, lost, wallMs, note } = options;
  const woken = lost === undefined ? signal : AbortSignal.any([signal, lost]);
  let isFailing = false;
  while (lost?.aborted !== true) {
    try {
      collector.sample();
      if (isFailing) note("samples are stored again");
      isFailing = false;
    } catch (error) {
      if (!isFailing)
        note(`a sample could not be stored: ${fileReason(error)}; the next sample covers its time too`);
      isFailing = true;
    }
    if (signal.aborted) return;
    await pause(untilNextMs(wallMs(), everyMs), woken);
  }
}
