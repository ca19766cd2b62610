/** Rules on I/O beside what the application itself says that it does. */
import { formatSeconds } from "../../../base/units.ts";
import { timedRecords } from "../cost/ledger.ts";
import { estimatedCost } from "../cost/remedies.ts";
import type { Job } from "../job.ts";
import { defineRule, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor, wayOf } from "../snippets/index.ts";
import { partOfSeconds, percent } from "./wording.ts";

const unhiddenIo = defineRule({
  id: "unhidden-io",
  title: "I/O not hidden behind computing",
  subject: { text: "I/O without computing" },
  picture: { kind: "time" },
  meaning:
    "Processes do I/O while they do not compute: the job waits for its input or output, though both could run at the same time.",
  needs: [["spans"]],
  thresholds: {
    share: limit`0.05 share | critical I/O time without computing as part of the run time | Plimsoll's choice: below 5 % of the run, loaders and checkpoints are not worth a change`,
    seconds: limit`1 seconds | the same, at least | Plimsoll's choice: shorter runs are tests`,
  },
  judge(job, limits) {
    const { spans } = job;
    if (spans === undefined || !(spans.computeSeconds > 0 && spans.ioSeconds > 0)) return undefined;
    const part = spans.unhiddenSeconds / spans.ioSeconds;
    const critical = job.ledger.seconds * part;
    if (!(critical >= limits.share * job.runSeconds && critical >= limits.seconds)) return undefined;
    const ranks = [...spans.processes]
      .filter(({ unhiddenSeconds }) => unhiddenSeconds > 0)
      .sort((a, b) => b.unhiddenSeconds - a.unhiddenSeconds);
    const way = wayOf([job.io]);
    return {
      cost: estimatedCost(
        remains(job, 1 - part),
        "I/O during computing costs nothing: what remains is the part already hidden behind compute spans",
        { atMost: true },
      ),
      measured: { share: critical / job.runSeconds, seconds: critical },
      statement: `${percent(part)} of the I/O time (${formatSeconds(spans.unhiddenSeconds)} of ${formatSeconds(spans.ioSeconds)} over all processes) does not overlap with computing; on the critical path this is ${partOfSeconds(critical, job.runSeconds, "the run time")}. ${percent(spans.hidingSeconds / spans.computeSeconds)} of the compute time overlaps with I/O.`,
      evidence: {
        numbers: [
          {
            label: "I/O without computing",
            value: spans.unhiddenSeconds,
            unit: "seconds",
            of: spans.ioSeconds,
          },
          { label: "compute time", value: spans.computeSeconds, unit: "seconds" },
          {
            label: "compute time with I/O",
            value: spans.hidingSeconds,
            unit: "seconds",
            of: spans.computeSeconds,
          },
        ],
        ranks: ranks.slice(0, 5).map(({ rank }) => rank),
      },
      action:
        way === "read"
          ? {
              change: "Read ahead while computing",
              advice:
                "Prefetch: let more data-loader workers read the next batches while the model processes this one, or read the next step's input in the background.",
              snippet: snippetFor(job, SNIPPETS.overlap, { way }),
            }
          : {
              change: "Write in the background",
              advice:
                "Write asynchronously: copy a checkpoint to memory or node-local storage and let a thread write it while the next step computes.",
              snippet: snippetFor(job, SNIPPETS.overlap, { way }),
            },
      effect: `Up to ${partOfSeconds(critical, job.runSeconds, "the run time")}, as far as there is computing to hide it behind.`,
      confidence: "medium",
      confidenceReason:
        "span names show when the application computes; whether it needed the data immediately is not in the trace",
    };
  },
});

function* remains(job: Job, part: number) {
  for (const file of job.files) for (const record of timedRecords(file)) yield { record, remains: part };
}

export const SPAN_RULES: readonly Rule[] = [unhiddenIo];
