/** The paper's lesson on memory: what bursts of writes never need could hold data that is read ahead. */
import { formatCount, formatShare } from "../../../base/units.ts";
import { MINIMUM } from "../common/judge.ts";
import { wilson } from "../common/wilson.ts";
import type { Rule } from "./b18-rules.ts";
import { largestShares } from "./burst-classes.ts";
import type { Prepared } from "./prepare.ts";

/** Bursts above this share of memory are no longer small beside it (the paper's class). */
const SMALL = 0.01;
/** Most jobs; ours. */
const MOST = 0.5;

export function unusedMemory(prepared: Prepared): Rule {
  const base = { id: "unused-memory", title: "Memory that I/O leaves unused", from: "B15" };
  const { all } = largestShares(prepared);
  const n = all.length;
  if (n < MINIMUM) return { ...base, applies: undefined };
  const never = all.filter((one) => one <= SMALL).length;
  const part = never / n;
  const [low, high] = wilson(part, n);
  if (low <= MOST) return { ...base, applies: high < MOST ? false : undefined };
  const reading = readers(prepared);
  return {
    ...base,
    applies: true,
    finding: {
      id: base.id,
      title: base.title,
      severity: "info",
      statement: `${formatShare(part)} of ${formatCount(n)} jobs never write a burst above ${formatShare(SMALL)} of their memory; ${formatCount(reading)} jobs read more than they write.`,
      advice:
        "Jobs that read much can hold what comes next in memory: read ahead in large pieces (posix_fadvise, MPI-IO prefetch, a larger llite.*.max_read_ahead_mb), or stage inputs before the run.",
      effect:
        "Reads come from memory where they are known in advance; bursts of writes do not need the room.",
      confidence: "low",
      confidenceReason:
        "Counters tell what is written in a burst, not how much memory the program itself needs.",
      cost: {
        seconds: null,
        shareOfRun: null,
        basis: "unknown",
        atMost: false,
        model: "a rule for a site, not for a job",
        within: null,
      },
      evidence: {
        numbers: [
          { label: "jobs never above 1 % of memory", value: never, unit: "count", of: n },
          { label: "jobs that read more than they write", value: reading, unit: "count" },
        ],
        files: [],
        filesTotal: 0,
        ranks: [],
      },
      threshold: [{ name: "share of jobs", value: MOST, unit: "share", source: "Plimsoll's choice" }],
    },
  };
}

function readers({ jobs, counted }: Prepared): number {
  let count = 0;
  for (const job of counted) if ((jobs.read[job] as number) > (jobs.written[job] as number)) count++;
  return count;
}
