/** Reread and overwrite rules: the same bytes are moved more than once. */
import { formatBytes } from "../../../base/units.ts";
import { fewerBytes, unknownCost } from "../cost/remedies.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { defineRule, type Rule } from "../rule.ts";
import { type Listed, spanBetween, spanOf, trust, worstRecords } from "./evidence.ts";
import {
  bytesOf,
  callsOf,
  consecutiveOf,
  endOf,
  heaviest,
  KIB,
  MIB,
  secondsOf,
  sequentialOf,
  sum,
  type Way,
} from "./measures.ts";
import { layerOf, posixFiles, stdioFiles, traceOf } from "./per-job.ts";
import { readOnce } from "./snippets.ts";
import { costSentence, many, theseFiles, times } from "./wording.ts";

interface Again {
  readonly record: LayerRecord;
  readonly bytes: number;
  /** Different bytes; with counters at most this many. */
  readonly distinctBytes: number;
  readonly exact: boolean;
}

/** Files whose bytes a rank moved again; bytes that every rank moved once are another matter. */
function movedAgain(job: Job, way: Way, limits: { ratio: number; bytes: number }): Again[] {
  const records = [...posixFiles(job), ...stdioFiles(job)];
  const found: Again[] = [];
  for (const record of records) {
    const bytes = bytesOf(record, way);
    if (!(bytes >= limits.bytes)) continue;
    const traced = traceOf(job, record)?.[way];
    if (traced !== undefined && traced.bytes >= 0.99 * bytes && traced.distinctByRankBytes > 0) {
      const distinctBytes = traced.distinctByRankBytes;
      if (traced.bytes >= limits.ratio * distinctBytes && traced.bytes - distinctBytes >= limits.bytes)
        found.push({ record, bytes: traced.bytes, distinctBytes, exact: true });
      continue;
    }
    const extent = endOf(record, way);
    if (!(bytes >= limits.ratio * extent && bytes - extent >= limits.bytes)) continue;
    // A call cannot end beyond the highest offset: such a counter was not kept.
    if (!(extent >= bytes / callsOf(record, way))) continue;
    if (sameRankAgain(record, way, limits.ratio))
      found.push({ record, bytes, distinctBytes: extent, exact: false });
  }
  return found;
}

/**
 * Whether ranks moved their own bytes again, or every rank moved the same bytes once. Certain when a rank moved more
 * than there is. Otherwise each pass but the first begins with a step back: as many steps back of each rank as
 * passes, in a file that is otherwise accessed in order.
 */
function sameRankAgain(record: LayerRecord, way: Way, ratio: number): boolean {
  const bytes = bytesOf(record, way);
  const extent = endOf(record, way);
  if (bytes >= ratio * extent * record.ranks) return true;
  const calls = callsOf(record, way);
  const stepsBack = (calls - sequentialOf(record, way) - record.ranks) / record.ranks;
  return stepsBack >= (bytes / extent - 1) / 2 && consecutiveOf(record, way) >= 0.5 * calls;
}

const AGAIN_THRESHOLDS = {
  ratio: {
    value: 2,
    unit: "ratio",
    meaning: "bytes moved over different bytes",
    source:
      "ours: everything at least twice (Drishti P09 and P10 compare with the highest offset, without a limit)",
  },
  bytes: {
    value: 64 * MIB,
    unit: "bytes",
    meaning: "bytes moved again in a file",
    source: "ours: less comes out of the page cache within milliseconds",
  },
} as const;

function again(way: Way): Rule {
  const [done, doing] = way === "read" ? ["read", "Reading"] : ["written", "Writing"];
  return defineRule({
    id: way === "read" ? "re-reads" : "overwrites",
    title: way === "read" ? "Data read again" : "Data overwritten",
    subject:
      way === "read"
        ? { text: "repeated reads", plural: true, change: "Read data once and keep it" }
        : { text: "repeated overwrites", plural: true, change: "Write results once" },
    picture: "files",
    meaning:
      way === "read"
        ? "Ranks read the same bytes of a file several times. An input that every rank reads once is another finding."
        : "The same bytes of a file are written several times, and only what was written last stays.",
    needs: [["POSIX", "STDIO"]],
    thresholds: AGAIN_THRESHOLDS,
    drishti: way === "read" ? "P09" : "P10",
    judge(job, limits) {
      const files = movedAgain(job, way, limits);
      if (files.length === 0) return undefined;
      const bytes = sum(files, (file) => file.bytes);
      const distinct = sum(files, (file) => file.distinctBytes);
      const seconds = sum(files, ({ record }) => secondsOf(record, way));
      const exact = files.every((file) => file.exact);
      const listed: Listed[] = files.map((file) => ({
        record: file.record,
        weight: file.bytes - file.distinctBytes,
        note: `${formatBytes(file.bytes)} ${done} of ${formatBytes(file.distinctBytes)}: ${times(file.bytes / file.distinctBytes)}`,
      }));
      const reopened = files.every(
        (file) => file.record.opens >= 0.9 * file.record.ranks * (file.bytes / file.distinctBytes),
      );
      return {
        cost: fewerBytes(
          files.map((file) => ({ record: file.record, way, needed: file.distinctBytes })),
          `only the first ${way} of each byte, at the rate of all of them`,
        ),
        statement:
          `${formatBytes(bytes)} are ${done} ${way === "read" ? "from" : "to"} ${many(files.length, "file")}, but ${exact ? `only ${formatBytes(distinct)} of them are different bytes within a rank` : `at most ${formatBytes(distinct)} of different bytes`}: ` +
          `each is ${done} ${exact ? "" : "at least "}${times(bytes / distinct)} on average.` +
          costSentence(job, seconds, `${doing} ${theseFiles(files.length)} takes`),
        evidence: {
          numbers: [
            { label: `bytes ${done}`, value: bytes, unit: "bytes" },
            { label: exact ? "different bytes" : "different bytes at most", value: distinct, unit: "bytes" },
            { label: `times each byte was ${done}`, value: bytes / distinct, unit: "ratio" },
            { label: `time in ${way}s of these files, all ranks`, value: seconds, unit: "seconds" },
          ],
          ...worstRecords(listed),
          ...spanOf(listed, way),
        },
        advice:
          way === "read"
            ? `Keep what was read in memory for the next pass; if it does not fit, copy the input once to the node's own disk or memory (often $TMPDIR or /dev/shm) and read it there.${reopened ? " The file is opened again for every pass: open it once." : ""}`
            : `Write a result when it is final, or keep what changes often in memory${reopened ? "; the file is opened and rewritten each time, so write fewer intermediate states" : ""}.`,
        snippet:
          way === "read"
            ? readOnce
            : {
                language: "c",
                code: "/* intermediate states stay in memory; every n-th is written */\nif (step % n == 0 || step == last) write_state(path, state);",
              },
        effect:
          way === "read"
            ? `At best the file system delivers ${formatBytes(distinct)} instead of ${formatBytes(bytes)}; less is gained where the page cache has served the later passes.`
            : `At best ${formatBytes(distinct)} are written instead of ${formatBytes(bytes)}.`,
        ...trust(
          job,
          ["POSIX", "STDIO"],
          exact ? "high" : "medium",
          exact
            ? "from the offsets of every traced call of each rank"
            : "from bytes moved and the highest offset; which bytes were moved again is not recorded",
        ),
      };
    },
  });
}

const overlappingWrites = defineRule({
  id: "overlapping-writes",
  title: "Ranks write the same bytes",
  subject: { text: "overlapping writes", plural: true, change: "Check the offsets of ranks" },
  picture: "files",
  meaning:
    "Different ranks write the same bytes of a file. Their locks collide, and unless they are ordered by the program, which data stays is left to chance.",
  needs: [["POSIX calls"]],
  thresholds: {
    share: {
      value: 0.01,
      unit: "share",
      meaning: "bytes of several ranks, of the different bytes written",
      source: "ours: less is headers that all ranks write alike",
    },
    bytes: {
      value: 64 * KIB,
      unit: "bytes",
      meaning: "bytes that several ranks wrote",
      source: "ours: more than headers and the edges of blocks",
    },
  },
  judge(job, limits) {
    const files = posixFiles(job)
      .map((record) => ({ record, write: traceOf(job, record)?.write }))
      .flatMap(({ record, write }) =>
        write === undefined
          ? []
          : [{ record, write, bytes: write.distinctByRankBytes - write.distinctBytes }],
      )
      .filter(({ bytes, write }) => bytes >= limits.bytes && bytes >= limits.share * write.distinctBytes);
    if (files.length === 0) return undefined;
    const bytes = sum(files, (file) => file.bytes);
    const distinct = sum(files, ({ write }) => write.distinctBytes);
    const seconds = sum(files, ({ record }) => record.writeSeconds);
    const below = files.some(({ record }) => layerOf(job, record, "MPI-IO") !== undefined);
    const worst = heaviest(files, (file) => file.bytes);
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.bytes,
      note: `${formatBytes(file.bytes)} beyond ${formatBytes(file.write.distinctBytes)} of different bytes, by ${many(file.write.ranks, "rank")}`,
    }));
    return {
      cost: unknownCost("what is at stake is the content of the file, not its time"),
      statement:
        `Ranks write ${formatBytes(bytes + distinct)} to ${formatBytes(distinct)} of ${many(files.length, "file")}: ${formatBytes(bytes)} overlap with writes of other ranks. ` +
        `Which rank's data stays depends on the order${below ? "" : ", which POSIX does not fix"}.`,
      evidence: {
        numbers: [
          { label: "bytes also written by other ranks", value: bytes, unit: "bytes", of: distinct },
          { label: "time in writes of these files, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanBetween(worst.write.firstSeconds, worst.write.lastSeconds),
      },
      advice:
        "Check the offsets: each byte should belong to one rank. Where all ranks hold the same data, let one of them write it; ghost cells belong to one owner." +
        (below
          ? " MPI-IO that sieves data also writes the holes between its own pieces: switch it off for writes (romio_ds_write=disable)."
          : ""),
      snippet: {
        language: "c",
        code: [
          "/* bytes before mine: each rank begins where the previous one ends */",
          "MPI_Offset mine = bytes, offset = 0;",
          "MPI_Exscan(&mine, &offset, 1, MPI_OFFSET, MPI_SUM, MPI_COMM_WORLD);",
          "if (rank == 0) offset = 0; /* MPI_Exscan leaves it undefined there */",
        ].join("\n"),
      },
      effect: "A file whose content does not depend on timing, and no waiting for locks of other ranks.",
      ...trust(
        job,
        ["POSIX", "DXT_POSIX"],
        below ? "low" : "medium",
        below
          ? "exact offsets, but MPI-IO may have written holes back unchanged, and ranks may be ordered by the program"
          : "exact offsets; whether the program orders the ranks is not recorded",
      ),
    };
  },
});

export const REREAD_AND_OVERWRITE_RULES: readonly Rule[] = [again("read"), again("write"), overlappingWrites];
