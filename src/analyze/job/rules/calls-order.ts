/** Rules on how calls of ranks follow one another; only single calls show that. */
import { recordedCost, unknownCost } from "../cost/remedies.ts";
import type { Job } from "../job.ts";
import { isInTurn, TURN_LIMITS } from "../phases.ts";
import type { LayerRecord } from "../records.ts";
import { defineRule, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor } from "../snippets/index.ts";
import type { TraceFileFacts } from "../trace-facts.ts";
import { type Listed, spanBetween, trust, worstRecords } from "./evidence.ts";
import { heaviest, sum } from "./measures.ts";
import { traceOf } from "./per-job.ts";
import { grouped, many, partOfSeconds, secondsText, theseFiles } from "./wording.ts";

interface LockStep {
  readonly record: LayerRecord;
  readonly trace: TraceFileFacts;
  /** All turns and the pauses between them. */
  readonly seconds: number;
}

const lockStep = defineRule({
  id: "lock-step",
  title: "Ranks wait for one another's turn",
  subject: { text: "ranks that take turns", plural: true },
  picture: { kind: "timeline" },
  meaning:
    "In a file, each rank starts only when another has finished: messages, barriers or locks pass the turn on, and all other ranks wait.",
  needs: [["ranks"], ["POSIX calls", "MPI-IO calls"]],
  thresholds: {
    ranks: limit`${TURN_LIMITS.ranks} count | ranks that take turns in a file, at least | Plimsoll's choice: two ranks can follow each other by chance`,
    overlap: limit`${TURN_LIMITS.overlap} share, at most | time in which calls of several ranks overlap, as part of the time in the file, at most | Plimsoll's choice: a rank that starts slightly early still takes its turn`,
    pause: limit`${TURN_LIMITS.pause} ratio, at most | pauses between turns / time of turns, at most | Plimsoll's choice: ranks that do not wait for each other start at any time, not right after one another`,
  },
  judge(job, limits, others) {
    const files = lockStepFiles(job, limits);
    // That all ranks take turns in all of their I/O is a finding of its own.
    if (files.length === 0 || others.speak("serial-io-phase")) return undefined;
    const worst = heaviest(files, (file) => file.seconds);
    const { turns, busySeconds } = worst.trace;
    const way = worst.trace.write.seconds > worst.trace.read.seconds ? "write" : "read";
    const seconds = sum(files, (file) => file.seconds);
    const handOffs = sum(files, ({ trace }) => trace.turns.handOffs);
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.seconds,
      note: `${many(file.trace.turns.ranks, "rank")} in turn, ${grouped(file.trace.turns.handOffs)} hand-offs, ${secondsText(file.seconds)} in all`,
    }));
    return {
      cost: job.ledger.isTraced
        ? recordedCost([], "all ranks at once: the time of the rank with the longest turns remains", {
            turnsAtOnce: true,
            atMost: true,
          })
        : unknownCost("calls of some files are missing, so the waiting time of ranks is unknown"),
      measured: {
        ranks: turns.ranks,
        overlap: Math.max(0, 1 - busySeconds / (worst.trace.read.seconds + worst.trace.write.seconds)),
        pause: turns.pauseSeconds / busySeconds,
      },
      statement: `In ${many(files.length, "file")}, ranks work one after another: ${grouped(handOffs)} times, a rank starts when another has finished. ${files.length === 1 ? "The" : "In the longest, the"} turns of ${many(turns.ranks, "rank")} take ${secondsText(worst.seconds)}, the longest of one rank ${partOfSeconds(turns.longestRankSeconds, busySeconds, "that")}.`,
      evidence: {
        numbers: [
          { label: "times a rank began after another's end", value: handOffs, unit: "count" },
          { label: "time of all turns", value: seconds, unit: "seconds", of: job.runSeconds },
          {
            label: "pauses between turns",
            value: sum(files, ({ trace }) => trace.turns.pauseSeconds),
            unit: "seconds",
          },
          { label: "longest turns of one rank", value: turns.longestRankSeconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanBetween(Math.min(...starts(worst.trace)), Math.max(...ends(worst.trace))),
      },
      action: {
        change: "Let ranks work at the same time",
        advice: `Let ranks work on ${theseFiles(files.length)} at the same time: each ${way}s its own part at a computed offset, all in one collective MPI-IO call. If the turns protect an append or a header, let one rank reserve the space for all first.`,
        snippet: snippetFor(job, SNIPPETS.allAtOnce, { way }),
      },
      effect: `At best ${secondsText(turns.longestRankSeconds)} instead of ${secondsText(worst.seconds)} for ${worst.record.path}, if storage can serve the ranks in parallel.`,
      ...trust(
        job,
        ["DXT_POSIX", "DXT_MPIIO"],
        "medium",
        "every call is traced; that ranks wait, and what for, is inferred from the order",
      ),
      claims: files.map(({ record: { fileId } }) => ({ fileId })),
    };
  },
});

const starts = ({ read, write }: TraceFileFacts) =>
  [read.firstSeconds, write.firstSeconds].filter((one) => !Number.isNaN(one));
const ends = ({ read, write }: TraceFileFacts) =>
  [read.lastSeconds, write.lastSeconds].filter((one) => !Number.isNaN(one));

/** Files whose ranks never work at once and follow one another closely, in the layer that the program calls. */
function lockStepFiles(
  job: Job,
  limits: { readonly ranks: number; readonly overlap: number; readonly pause: number },
): LockStep[] {
  return job.files.flatMap((file) => {
    const trace = traceOf(job, file.called);
    if (trace === undefined) return [];
    const { turns, busySeconds, read, write } = trace;
    const inTurn = isInTurn(turns, { callSeconds: read.seconds + write.seconds, busySeconds }, limits);
    return inTurn ? [{ record: file.called, trace, seconds: busySeconds + turns.pauseSeconds }] : [];
  });
}

export const CALL_ORDER_RULES: readonly Rule[] = [lockStep];
