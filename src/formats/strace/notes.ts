/** What a reader of numbers from strace must know. */
import type { AccessNote } from "../../model/index.ts";
import type { Counts } from "./transfers.ts";

export interface TraceFacts {
  readonly accesses: number;
  readonly unnamed: number;
  /** The last line, when it is not whole. */
  readonly cutLine: string;
  readonly lines: number;
  readonly foreign: { readonly count: number; readonly line: number; readonly text: string } | undefined;
}

export function straceNotes(counts: Counts, facts: TraceFacts): AccessNote[] {
  const { foreign, lines } = facts;
  const notes: AccessNote[] = [
    {
      id: "inflated-times",
      count: facts.accesses,
      text: "strace stops the program at each call, which makes accesses 20 to 100 times longer: use counts and sizes, not times",
    },
    {
      id: "unfinished",
      count: counts.unfinished,
      text: "calls that had begun before the trace, or were not over at its end or when their process ended, were left out",
    },
    { id: "untimed", count: counts.untimed, text: "calls without their duration were left out (strace -T)" },
    {
      id: "restarted",
      count: counts.restarted,
      text: "calls that a signal interrupted and the kernel started again count once, from their first start",
    },
    {
      id: "elided",
      count: counts.elided,
      text: "of long vectors strace prints only the beginning: requested sizes may be too small (strace -s 1024 helps)",
    },
    {
      id: "asynchronous",
      count: counts.submitted,
      text: "asynchronous requests end when the program fetches their result, paired in the order of submission",
    },
    {
      id: "unseen-requests",
      count: counts.uring,
      text: "io_uring_enter was called; what it reads and writes is not in the trace",
    },
    {
      id: "unnamed-files",
      count: facts.unnamed,
      text: "accesses on descriptors whose opening is not in the trace have no file name (strace -y)",
    },
    {
      id: "bad-line",
      count: foreign?.count ?? 0,
      text: () =>
        `lines that are not of strace were left out, the first is line ${foreign?.line}: ${foreign?.text}`,
    },
    {
      id: "truncated",
      count: facts.cutLine === "" ? 0 : 1,
      text: `line ${lines}, the last, is not whole and was left out: ${facts.cutLine}`,
    },
  ];
  return notes.filter(({ id, count }) => count > 0 || (id === "inflated-times" && facts.accesses > 0));
}
