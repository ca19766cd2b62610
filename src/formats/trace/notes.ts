/** What traces say about themselves beside their accesses. */
import { formatBytes, formatCount, formatMany, formatSeconds } from "../../base/units.ts";
import type { CallSink, NoteSentence } from "../../model/index.ts";
import type { TraceHeader } from "./header.ts";
import { TRACE_DELAY, TRACE_ENDED, TRACE_SANDBOX, TRACE_STRICT } from "./layout.ts";

export interface Counts {
  /** Records that the header counts and the file does not have. */
  missing: number;
  /** Records that were begun and never written. */
  unwritten: number;
  syncs: number;
  syncNs: number;
  metadata: number;
  metadataNs: number;
  maps: number;
  mapBytes: number;
  unknownKinds: number;
  /** Bytes of system calls that the kernel counts as read and written: all but splice, libaio and io_uring. */
  seenRead: number;
  seenWritten: number;
  /** The same with those that it does not count as such. */
  movedRead: number;
  movedWritten: number;
  /** Calls of fread and fwrite, which are no system calls. */
  streamCalls: number;
}

/** Of the note on syncs, for whoever has their time elsewhere. */
export const SYNC_NOTE = "sync";

export interface TraceCounts {
  readonly header: TraceHeader;
  readonly counts: Counts;
}

/** Says it for all traces of a collection at once. */
export function tellFacts(traces: readonly TraceCounts[], sink: CallSink): void {
  const sum = (of: (facts: TraceCounts) => number) => traces.reduce((total, facts) => total + of(facts), 0);
  const withFlag = (flag: number) => traces.filter(({ header }) => (header.flags & flag) !== 0).length;
  const accesses = (count: number) => formatMany(count, "access", "accesses");
  const processes = (count: number) => formatMany(count, "process", "processes");
  const tell = (id: string, count: number, text: NoteSentence, amounts: readonly number[] = []) => {
    if (count > 0) sink.note({ id, count, amounts, text });
  };
  tell(
    "dropped",
    sum(({ header }) => header.dropped),
    (n) => `${accesses(n)} missing: no space left in the trace.`,
  );
  tell(
    "truncated",
    sum(({ counts }) => counts.missing),
    (n) => `${formatMany(n, "record")} missing at the end: the file was truncated.`,
  );
  tell(
    "unfinished",
    sum(({ counts }) => counts.unwritten),
    (n) => `${formatMany(n, "record")} skipped: incomplete when the program was stopped.`,
  );
  tell(
    "not-waited",
    sum(({ header }) => header.unfinished),
    (n) => `${accesses(n)} of MPI-IO skipped: started but never waited for, so they have no end.`,
  );
  tell(
    "unknown-kind",
    sum(({ counts }) => counts.unknownKinds),
    (n) => `${formatMany(n, "record")} of unknown type skipped.`,
  );
  tell(
    "not-ended",
    traces.length - withFlag(TRACE_ENDED),
    (n) => `${processes(n)} killed or still running: accesses in progress are not in the trace.`,
  );
  tell(
    "left-out",
    sum(({ header }) => header.skipped),
    (n) => `${accesses(n)} skipped: on system files, pipes, sockets and terminals, or excluded by options.`,
  );
  tell(
    SYNC_NOTE,
    sum(({ counts }) => counts.syncs),
    (n, [ns = 0]) =>
      `${formatMany(n, "call")} of fsync and similar calls took ${formatSeconds(ns / 1e9)}; syncs are listed separately, not in BPS.`,
    [sum(({ counts }) => counts.syncNs)],
  );
  tell(
    "mapped",
    sum(({ counts }) => counts.maps),
    (n, [bytes = 0]) =>
      `${formatBytes(bytes)} mapped into memory by ${formatMany(n, "call")}: reads and writes there are not recorded.`,
    [sum(({ counts }) => counts.mapBytes)],
  );
  tell(
    "other-files",
    sum(({ header }) => header.filesOther),
    (n) => `${formatCount(n)} files beyond 65,534 per process are counted together as (other files).`,
  );
  tell(
    "sandbox",
    withFlag(TRACE_SANDBOX),
    (n) => `${processes(n)} entered a sandbox, where new files could not be looked up.`,
  );
  tell(
    "strict",
    withFlag(TRACE_STRICT),
    (n) => `${processes(n)} entered strict seccomp mode, which has no clock: later calls are not recorded.`,
  );
  tell("delay", withFlag(TRACE_DELAY), () => "A device was emulated: times contain the requested delays.");
}
