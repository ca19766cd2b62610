/** Reread and overwrite rules: the same bytes are moved more than once. */
import { formatBytes } from "../../../base/units.ts";
import { fewerBytes, NO_COST, unknownCost } from "../cost/remedies.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { type Action, defineRule, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor } from "../snippets/index.ts";
import { readByOne } from "./files-use.ts";
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
import { askedIn, layerOf, posixFiles, stdioFiles, traceOf } from "./per-job.ts";
import { costSentence, many, theseFiles, times } from "./wording.ts";

interface Again {
  readonly record: LayerRecord;
  /** rank: ranks moved their own bytes again; ranks: every rank moved the same bytes. */
  readonly by: "rank" | "ranks";
  readonly bytes: number;
  /** Different bytes; with counters at most this many. */
  readonly distinctBytes: number;
  readonly exact: boolean;
}

/** Files whose bytes are moved again, by a rank or, of reads, by every rank. */
function movedAgain(
  job: Job,
  way: Way,
  limits: { ratio: number; bytes: number; calls: number },
  said: ReadonlySet<string>,
): Again[] {
  const found: Again[] = [];
  for (const record of [...posixFiles(job), ...stdioFiles(job)]) {
    if (said.has(record.fileId) || askedIn(job, record, way) === undefined) continue;
    const again = againIn(job, record, way);
    if (again === undefined || (again.by === "ranks" && way === "write")) continue;
    const more = again.bytes - again.distinctBytes;
    // Many tiny calls on the same bytes take time too.
    const much = more >= limits.bytes || callsOf(record, way) >= limits.calls;
    if (again.bytes >= limits.ratio * again.distinctBytes && more > 0 && much) found.push(again);
  }
  return found;
}

function againIn(job: Job, record: LayerRecord, way: Way): Again | undefined {
  const bytes = bytesOf(record, way);
  const traced = traceOf(job, record)?.[way];
  if (traced !== undefined && traced.bytes >= 0.99 * bytes && traced.distinctByRankBytes > 0) {
    const own = traced.bytes >= 2 * traced.distinctByRankBytes;
    const distinctBytes = own ? traced.distinctByRankBytes : traced.distinctBytes;
    return { record, by: own ? "rank" : "ranks", bytes: traced.bytes, distinctBytes, exact: true };
  }
  const extent = endOf(record, way);
  // A call cannot end beyond the highest offset: such a counter was not kept.
  if (!(bytes > extent && extent >= bytes / callsOf(record, way))) return undefined;
  const by = sameRankAgain(record, way, 2) ? "rank" : "ranks";
  return { record, by, bytes, distinctBytes: extent, exact: false };
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
  ratio: limit`2 ratio | bytes moved / distinct bytes | Plimsoll's choice: all data at least twice (Drishti P09 and P10 compare with the highest offset, without a limit)`,
  bytes: limit`${16 * MIB} bytes | bytes moved again in a file, or | Plimsoll's choice: less takes milliseconds, unless there are many calls`,
  calls: limit`10000 calls | calls on such a file | Plimsoll's choice: each costs a microsecond or more`,
} as const;

/** Rules that say why the same bytes are moved again. */
const EXPLAINED = ["read-after-write", "open-churn", "hdf5-chunk-cache"];

function again(way: Way): Rule {
  const [done, doing] = way === "read" ? ["read", "Reading"] : ["written", "Writing"];
  return defineRule({
    id: way === "read" ? "re-reads" : "overwrites",
    title: way === "read" ? "Data read again" : "Data overwritten",
    subject:
      way === "read"
        ? { text: "repeated reads", plural: true }
        : { text: "repeated overwrites", plural: true },
    picture: { kind: "numbers", words: [`Bytes ${done}, and different bytes among them`, done, "different"] },
    meaning:
      way === "read"
        ? "The same bytes of a file are read several times, by a rank or by every rank."
        : "The same bytes of a file are written several times, and only the last version stays.",
    needs: [["POSIX", "STDIO"]],
    thresholds: AGAIN_THRESHOLDS,
    drishti: way === "read" ? "P09" : "P10",
    judge(job, limits, others) {
      const files = movedAgain(
        job,
        way,
        limits,
        others.claimed([...EXPLAINED, ...(way === "write" ? ["hdf5-fill"] : [])], way),
      );
      if (files.length === 0) return undefined;
      const bytes = sum(files, (file) => file.bytes);
      const distinct = sum(files, (file) => file.distinctBytes);
      const seconds = sum(files, ({ record }) => secondsOf(record, way));
      const exact = files.every((file) => file.exact);
      const byRanks = heaviest(files, (file) => file.bytes - file.distinctBytes).by === "ranks";
      const listed: Listed[] = files.map((file) => ({
        record: file.record,
        weight: file.bytes - file.distinctBytes,
        note: `${formatBytes(file.bytes)} ${done} of ${formatBytes(file.distinctBytes)}: ${times(file.bytes / file.distinctBytes)}`,
      }));
      const firstPart = way === "read" && !byRanks ? firstReads(job, bytes, distinct) : 0;
      const reopened = files.every(
        (file) => file.record.opens >= 0.9 * file.record.ranks * (file.bytes / file.distinctBytes),
      );
      return {
        cost:
          way === "write" && reopened
            ? NO_COST
            : fewerBytes(
                files.map((file) => ({
                  ...{ record: askedIn(job, file.record, way) ?? file.record, way },
                  needed: Math.max(file.distinctBytes, firstPart * file.bytes),
                })),
                firstPart > distinct / bytes
                  ? "only the first read of each byte, which the heat map shows to be the slow ones"
                  : `only the first ${way} of each byte, at the overall rate`,
              ),
        measured: {
          ratio: bytes / distinct,
          bytes: bytes - distinct,
          calls: sum(files, ({ record }) => callsOf(record, way)),
        },
        statement:
          `${formatBytes(bytes)} are ${done} ${way === "read" ? "from" : "to"} ${many(files.length, "file")}, but ${exact ? `only ${formatBytes(distinct)} of them are distinct${byRanks ? "" : " within a rank"}` : `at most ${formatBytes(distinct)} of them are distinct`}: ` +
          `each is ${done} ${exact ? "" : "at least "}${times(bytes / distinct)} on average.` +
          costSentence(job, seconds, `${doing} ${theseFiles(files.length)} takes`),
        evidence: {
          numbers: [
            { label: `bytes ${done}`, value: bytes, unit: "bytes" },
            { label: exact ? "different bytes" : "distinct bytes, at most", value: distinct, unit: "bytes" },
            { label: `times each byte was ${done}`, value: bytes / distinct, unit: "ratio" },
            { label: `time in ${way}s of these files, all ranks`, value: seconds, unit: "seconds" },
          ],
          ...worstRecords(listed),
          ...spanOf(listed, way),
        },
        action:
          way === "write"
            ? whenFinal(job, reopened)
            : byRanks
              ? readByOne(job, heaviest(files, (file) => file.bytes).record.path)
              : keepInMemory(job, reopened),
        effect:
          way === "read"
            ? `At best the file system delivers ${formatBytes(distinct)} instead of ${formatBytes(bytes)}; the gain is smaller if the page cache served the later passes.`
            : `At best ${formatBytes(distinct)} are written instead of ${formatBytes(bytes)}.`,
        ...trust(
          job,
          ["POSIX", "STDIO"],
          exact ? "high" : "medium",
          exact
            ? "from the offsets of every traced call of each rank"
            : "from bytes moved and the highest offset; which bytes were moved more than once is not recorded",
        ),
        claims: files.map(({ record: { fileId } }) => ({ fileId, way })),
      };
    },
  });
}

/** Ours: the files must be nearly all that is read, or the bins show the others. */
const MAIN_PART = 0.9;
/** Ours: less is the width of bins. */
const SLOWER = 1.5;

/**
 * Part of the time with reads that passes until each row of the heat map has read as much as there is different: what comes
 * later may be cached.
 */
function firstReads({ activity }: Job, bytes: number, distinct: number): number {
  if (activity === undefined) return 0;
  const { cellsRead, rows } = activity;
  const columns = cellsRead.length / rows;
  let [first, all, moved] = [0, 0, 0];
  for (let row = 0; row < rows; row++) {
    const bins = cellsRead.subarray(row * columns, (row + 1) * columns).filter((cell) => cell > 0);
    const read = sum(bins, (cell) => cell);
    let left = (read * distinct) / bytes;
    for (const [at, cell] of bins.entries()) {
      // The bin in which the first pass ends: up to there as fast as in those before.
      const usual = at > 0 && left < cell ? (read * distinct - left * bytes) / bytes / at : cell;
      first += Math.min(1, left / Math.min(cell, usual));
      left -= Math.min(left, cell);
    }
    all += bins.length;
    moved += read;
  }
  const isSlower = first >= SLOWER * all * (distinct / bytes);
  return all > 0 && isSlower && bytes >= MAIN_PART * moved ? first / all : 0;
}

const keepInMemory = (job: Job, reopened: boolean): Action => ({
  change: "Read data once and keep it",
  advice: `Keep the data in memory for the next pass; if it does not fit, copy the input once to the node's local disk or memory (often $TMPDIR or /dev/shm) and read it there.${reopened ? " The file is opened again for every pass: open it once." : ""}`,
  snippet: snippetFor(job, SNIPPETS.readOnce),
});

const whenFinal = (job: Job, reopened: boolean): Action => ({
  change: "Write results once",
  advice: `Write a result once it is final, or keep frequently changing data in memory${reopened ? "; the file is opened and rewritten each time, so write fewer intermediate states" : ""}.`,
  snippet: snippetFor(job, SNIPPETS.everyNth),
});

/** What libraries write beyond the program's bytes, such as holes of collective buffers and fill values: no race. */
function libraryBytes(job: Job, record: LayerRecord): number {
  const asked = layerOf(job, record, "MPI-IO")?.bytesWritten ?? record.bytesWritten;
  const datasets = job.layer("H5D").filter(({ parentId }) => parentId === record.fileId);
  const data =
    datasets.length === 0
      ? asked
      : Math.min(
          asked,
          sum(datasets, (one) => one.bytesWritten),
        );
  return Math.max(0, record.bytesWritten - data);
}

const overlappingWrites = defineRule({
  id: "overlapping-writes",
  title: "Ranks write the same bytes",
  subject: { text: "overlapping writes", plural: true },
  picture: { kind: "files", by: "bytes" },
  meaning:
    "Different ranks write the same bytes of a file. Their locks collide, and unless the program orders the writes, it is left to chance which data stays.",
  needs: [["POSIX calls"]],
  thresholds: {
    share: limit`0.01 share | bytes written by several ranks, as part of the distinct bytes written | Plimsoll's choice: less is headers that all ranks write identically`,
    bytes: limit`${64 * KIB} bytes | bytes that several ranks wrote | Plimsoll's choice: more than headers and the edges of blocks`,
  },
  judge(job, limits, others) {
    // Whose fill values are overwritten is no race.
    const filled = others.claimed(["hdf5-fill"]);
    const files = posixFiles(job)
      .filter(({ fileId }) => !filled.has(fileId))
      .map((record) => ({ record, write: traceOf(job, record)?.write }))
      .flatMap(({ record, write }) =>
        write === undefined
          ? []
          : [
              {
                record,
                write,
                bytes: write.distinctByRankBytes - write.distinctBytes - libraryBytes(job, record),
              },
            ],
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
      cost: unknownCost("the risk is wrong file content, not lost time"),
      measured: { share: bytes / distinct, bytes },
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
      action: {
        change: "Check the offsets of ranks",
        advice:
          "Check the offsets: each byte should belong to one rank. If all ranks hold the same data, let one of them write it; each ghost cell has one owner." +
          (below
            ? " Data sieving in MPI-IO also writes the holes between the pieces: switch it off for writes (romio_ds_write=disable)."
            : ""),
        snippet: snippetFor(job, SNIPPETS.ownOffsets),
      },
      effect: "The file's content no longer depends on timing, and ranks do not wait for each other's locks.",
      ...trust(
        job,
        ["POSIX", "DXT_POSIX"],
        below ? "low" : "medium",
        below
          ? "exact offsets, but MPI-IO may have written holes back unchanged, and the program may order the ranks"
          : "exact offsets; whether the program orders the ranks is not recorded",
      ),
    };
  },
});

export const REREAD_AND_OVERWRITE_RULES: readonly Rule[] = [again("read"), again("write"), overlappingWrites];
