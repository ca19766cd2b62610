/** Rule on tiny appends, by the time that just these calls took. */
import { recordedCost } from "../cost/remedies.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { defineRule, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor } from "../snippets/index.ts";
import type { TraceWay } from "../trace-facts.ts";
import { BLOCK_BYTES } from "./access-patterns.ts";
import { type Listed, spanBetween, trust, worstRecords } from "./evidence.ts";
import { heaviest, MIB, sum } from "./measures.ts";
import { posixFiles, traceOf } from "./per-job.ts";
import { costSentence, grouped, many, rough, secondsText, sizeText } from "./wording.ts";

interface Appended {
  readonly record: LayerRecord;
  readonly write: TraceWay;
}

const tinyAppends = defineRule({
  id: "tiny-appends",
  title: "Slow tiny appends",
  subject: { text: "tiny appends", plural: true },
  picture: { kind: "sizes", way: "write", upTo: MIB },
  meaning:
    "Lines or records smaller than a block are appended one by one with slow calls: too few for small-writes, but each waits for storage or a lock.",
  needs: [["POSIX calls"]],
  thresholds: {
    calls: limit`20 calls | appends below 4 KiB to a file, at least | Plimsoll's choice: a log of fewer lines does not matter`,
    share: limit`0.5 share | such appends as part of all writes to the file | Plimsoll's choice: with fewer, the file is data with a header`,
    seconds: limit`0.001 seconds | mean time of such an append, at least | Plimsoll's choice: the page cache takes microseconds, so a millisecond is a wait`,
  },
  judge(job, limits, others) {
    const files = appendedFiles(job, limits);
    if (files.length === 0 || others.speak("small-writes", "excess-syncs", "fsync-per-write"))
      return undefined;
    const calls = sum(files, ({ write }) => write.tinyAppends.calls);
    const bytes = sum(files, ({ write }) => write.tinyAppends.bytes);
    const seconds = sum(files, ({ write }) => write.tinyAppends.seconds);
    const worst = heaviest(files, ({ write }) => write.tinyAppends.seconds);
    const listed: Listed[] = files.map(({ record, write }) => ({
      record,
      weight: write.tinyAppends.seconds,
      note: `${many(write.tinyAppends.calls, "append")} of ${rough(write.tinyAppends.bytes / write.tinyAppends.calls)} bytes on average, ${secondsText(write.tinyAppends.seconds)}`,
    }));
    return {
      cost: recordedCost(
        files.map(({ record, write }) => ({ record, part: "write", remains: remainsJoined(record, write) })),
        "calls of 1 MiB in their place, each at the mean time of one append; times come from single calls",
      ),
      measured: { calls, share: calls / sum(files, ({ write }) => write.calls), seconds: seconds / calls },
      statement: `${many(calls, "write")} of less than ${sizeText(BLOCK_BYTES)} are appended to ${many(files.length, "file")} one by one, ${secondsText(seconds / calls)} each.${costSentence(job, seconds)}`,
      evidence: {
        numbers: [
          { label: "tiny appends", value: calls, unit: "calls", of: sum(files, ({ write }) => write.calls) },
          { label: "bytes appended this way", value: bytes, unit: "bytes" },
          { label: "time in these calls, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanBetween(worst.write.firstSeconds, worst.write.lastSeconds),
      },
      action: {
        change: "Collect records before writing",
        advice: `Collect lines in memory and append them together, at the latest at the end of a step or of the program${worst.record.ranks > 1 ? "; let one rank write a log that several share" : ""}.`,
        snippet: snippetFor(job, SNIPPETS.writeBuffer),
      },
      effect: `${grouped(calls)} calls become ${grouped(sum(files, ({ record, write }) => joinedCalls(record, write)))}.`,
      ...trust(job, ["POSIX", "DXT_POSIX"], "high", "size, place and time of every call were recorded"),
      claims: files.map(({ record: { fileId } }) => ({ fileId, way: "write" })),
    };
  },
});

/** Calls of a megabyte that would do, one for each rank at least. */
const joinedCalls = ({ ranks }: LayerRecord, { tinyAppends: { calls, bytes } }: TraceWay) =>
  Math.min(calls, Math.max(ranks || 1, Math.ceil(bytes / MIB)));

function remainsJoined(record: LayerRecord, write: TraceWay): number {
  const { calls, seconds } = write.tinyAppends;
  const gone = seconds * (1 - joinedCalls(record, write) / calls);
  return record.writeSeconds > 0 ? 1 - Math.min(1, gone / record.writeSeconds) : 1;
}

function appendedFiles(job: Job, limits: { calls: number; share: number; seconds: number }): Appended[] {
  return posixFiles(job).flatMap((record) => {
    const write = traceOf(job, record)?.write;
    if (write === undefined) return [];
    const { calls, seconds } = write.tinyAppends;
    const isHabit = calls >= limits.calls && calls >= limits.share * write.calls;
    return isHabit && seconds >= limits.seconds * calls ? [{ record, write }] : [];
  });
}

export const CALL_APPEND_RULES: readonly Rule[] = [tinyAppends];
