/** Sinks that hand on a part of what they get. */
import { CALL_NONFILE, type CallBlock, type CallFile, type CallSink } from "./calls.ts";

/** A sink that hands everything on to another, but for what is its own. */
export const sinkBefore = (sink: CallSink, own: Partial<CallSink>): CallSink => ({
  clock: (clock) => sink.clock(clock),
  process: (process) => sink.process(process),
  file: (file) => sink.file(file),
  block: (block) => sink.block(block),
  note: (note) => sink.note(note),
  learn: (process, facts) => sink.learn?.(process, facts),
  spans: (block) => sink.spans?.(block),
  tellsNoDirections: () => sink.tellsNoDirections?.(),
  ...(sink.processEnds !== undefined && { processEnds: (process) => sink.processEnds?.(process) }),
  ...own,
});

/**
 * Calls on files that are left out count as those on pipes: none of a job's I/O. `heard` gets each of them before, by its
 * place in the block.
 */
export function sinkWithout(
  sink: CallSink,
  leavesOut: (file: CallFile) => boolean,
  heard?: (file: CallFile, block: CallBlock, i: number) => void,
): CallSink {
  const left: (CallFile | undefined)[] = [];
  return sinkBefore(sink, {
    file(file) {
      const number = sink.file(file);
      left[number] = leavesOut(file) ? file : undefined;
      return number;
    },
    block(block) {
      for (let i = 0; i < block.count; i++) {
        const file = left[block.file[i] as number];
        if (file === undefined) continue;
        heard?.(file, block, i);
        block.flags[i] = (block.flags[i] as number) | CALL_NONFILE;
      }
      sink.block(block);
    },
  });
}
