/** What a reader of numbers from strace must know. */
import type { CallNote } from "../../model/index.ts";
import type { Counts } from "./transfers.ts";

interface StraceFacts {
  readonly accesses: number;
  readonly unnamed: number;
  readonly hasNames: boolean;
  /** The last line, when it is not whole. */
  readonly cutLine: string;
  readonly lines: number;
  readonly foreign: { readonly count: number; readonly line: number; readonly text: string } | undefined;
}

export function straceNotes(counts: Counts, facts: StraceFacts): CallNote[] {
  const { foreign, lines } = facts;
  const notes: CallNote[] = [
    {
      id: "inflated-times",
      count: facts.accesses,
      text: "strace makes calls 20 to 100 times longer: use counts and sizes, not times",
    },
    {
      id: "unfinished",
      count: counts.unfinished,
      text: "calls without a start or an end in the trace were skipped",
    },
    { id: "untimed", count: counts.untimed, text: "calls without a duration were skipped (use strace -T)" },
    {
      id: "restarted",
      count: counts.restarted,
      text: "calls interrupted by a signal and restarted by the kernel count once, from the first start",
    },
    {
      id: "elided",
      count: counts.elided,
      text: "strace prints only the beginning of long vectors: requested sizes may be too small (strace -s 1024 helps)",
    },
    {
      id: "asynchronous",
      count: counts.submitted,
      text: "asynchronous requests end when the program fetches their result, paired in the order of submission",
    },
    {
      id: "unseen-requests",
      count: counts.uring,
      text: "io_uring_enter was called; its reads and writes are not in the trace",
    },
    {
      id: "unnamed-files",
      count: facts.unnamed,
      text: facts.hasNames
        ? "accesses on descriptors that strace gives no name, such as closed ones, have no file name"
        : "accesses on descriptors opened before the trace have no file name (use strace -y)",
    },
    {
      id: "bad-line",
      count: foreign?.count ?? 0,
      text: () =>
        `lines not written by strace were skipped, the first is line ${foreign?.line}: ${foreign?.text}`,
    },
    {
      id: "truncated",
      count: facts.cutLine === "" ? 0 : 1,
      text: `line ${lines}, the last, is incomplete and was skipped: ${facts.cutLine}`,
    },
  ];
  return notes.filter(({ id, count }) => count > 0 || (id === "inflated-times" && facts.accesses > 0));
}
