/** Rules on opens, stats and closes. */
import { formatBytes } from "../../../base/units.ts";
import type { Healthy } from "../cost/ledger.ts";
import { estimatedCost, fewerOperations, largerCalls, unknownCost } from "../cost/remedies.ts";
import { fewerMetadataCalls } from "../cost/call-remedies.ts";
import type { Job, JobFile } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { type Action, type CostClaim, defineRule, limit, type Rule } from "../rule.ts";
import { programOf, SNIPPETS, snippetFor, wayOf } from "../snippets/index.ts";
import { COUNTERS, trust, worstFiles } from "./evidence.ts";
import { metadataFacts } from "./file-facts.ts";
import { lateInCalls } from "./late-ranks.ts";
import { accessesOf, bytesMoved, KIB, known, sum } from "./measures.ts";
import { OPEN_RULES } from "./files-opens.ts";
import { askOnce, metadataAction, metadataCause } from "./metadata-advice.ts";
import {
  CALLS,
  isWaiting,
  metadataEvidence,
  metadataUses,
  metaSecondsOf,
  OPERATIONS,
  WAITING_SECONDS,
} from "./metadata-calls.ts";
import { callsPerOpen, fileCalls, realFiles } from "./per-job.ts";
import {
  costSentence,
  grouped,
  many,
  partOf,
  partOfIoTime,
  rough,
  secondsText,
  theseFiles,
} from "./wording.ts";

const SECONDS = limit`0.1 seconds | mean metadata time of a rank | Plimsoll's choice: less is negligible in any run`;
const SHARE_OF_RUN = limit`0.05 share | mean metadata time of a rank as part of the run time | Plimsoll's choice: below 5 % of the run a change is hard to measure`;

const metadataStorm = defineRule({
  id: "metadata-storm",
  title: "Metadata storm",
  subject: { text: "a metadata storm" },
  picture: { kind: "time", of: "metadata" },
  meaning:
    "The time goes into creates, opens, stats and removals of many files instead of into moving data; all jobs share the metadata servers. " +
    "The files are nearly empty, or are created again and again.",
  needs: CALLS,
  drishti: "P17",
  thresholds: {
    share: limit`0.5 share | metadata time as part of the time in these files | Plimsoll's choice: more than moving the data; Drishti requires 30 s of one rank (metadata_time_rank)`,
    operations: OPERATIONS,
    repeats: limit`10 ratio | operations per file and rank, or | Plimsoll's choice: an open, a close and some stats are needed; below that, metadata-time or many-files applies`,
    bytes: limit`${4 * KIB} bytes, at most | mean bytes moved per open, at most, if operations are not repeated | Plimsoll's choice: less than a block; metadata benchmarks write nothing or a few kilobytes`,
    names: limit`16 files | files per rank; half as many if each open writes the file from its beginning | Plimsoll's choice: with fewer, the same files are reopened (open-churn)`,
  },
  judge(job, limits) {
    const storm = stormOf(job, limits);
    if (storm === undefined) return undefined;
    const { files, operations, seconds, again } = storm;
    const uses = sum(files, ({ called }) => called.ranks);
    const cut = job.partialModules.size > 0;
    return {
      cost: stormCost(job, storm),
      measured: {
        share: seconds / sum(files, (file) => file.seconds),
        operations,
        repeats: operations / uses,
        bytes: sum(files, bytesMoved) / sum(files, (file) => fileCalls(job, file).opens),
        names: files.length / Math.min(job.ranks, Math.max(1, ranksOf(files))),
      },
      statement:
        `${many(files.length, "file")} get ${grouped(operations)} ${callsPerOpen(job) === 2 ? "opens, closes and stats" : "opens and stats"}, ${rough(operations / uses)} per file and rank, for ${formatBytes(sum(files, bytesMoved))} of data.` +
        `${costSentence(job, seconds, "These calls take")}${cut ? " The log reached its record limit: there were more." : ""}`,
      evidence: {
        ...metadataEvidence(job),
        ...worstFiles(
          files,
          (file) => fileCalls(job, file).metaSeconds,
          (file) =>
            `${many(fileCalls(job, file).opens, "open")}, ${many(fileCalls(job, file).stats, "stat")}, ${formatBytes(bytesMoved(file))}`,
        ),
      },
      action: again ? keptOpen(job) : fewerCalls(job, files),
      effect: "Less time for the job, and less load on the metadata server that all jobs share.",
      ...trust(
        job,
        COUNTERS,
        again ? "medium" : "high",
        again
          ? "counts and times of opens and closes are recorded; Darshan does not time removals, which are assumed to cost as much"
          : "counts and times of these calls are recorded",
      ),
      claims: files.map(({ fileId }) => ({ fileId })),
    };
  },
});

const keptOpen = (job: Job): Action => ({
  change: "Keep scratch files open",
  advice:
    "Keep one scratch file open per rank, or keep its content in memory, instead of creating small files again and again; if they must be files, node-local storage (/dev/shm, $TMPDIR) spares the metadata server.",
  snippet: snippetFor(job, SNIPPETS.openOnce, { way: wayOf([job.io]) }),
});

/** Opens and stats both repeat; what is more of them is told first, with its code. */
function fewerCalls(job: Job, files: readonly JobFile[]): Action {
  const stats = sum(files, (file) => fileCalls(job, file).stats);
  const opens = sum(files, (file) => fileCalls(job, file).opens);
  const shared = programOf(job).mpi ? ", or let one rank call it and broadcast the result" : "";
  return stats > 2 * opens
    ? askOnce(job, "; put related data into one file")
    : {
        change: "Open and stat less often",
        advice: `Put related data into one file; open each file once and close it at the end; keep the results of stat${shared}.`,
        snippet: snippetFor(job, SNIPPETS.openOnce, { way: wayOf([job.io]) }),
      };
}

/** Ours: nobody keeps data in as many files of a few kilobytes; metadata benchmarks make them. */
const BENCHMARK_FILES = 10_000;
/** Ours: a state or a mark, less than a sector. */
const NEXT_TO_NOTHING_BYTES = 512;

interface Storm {
  readonly files: readonly JobFile[];
  readonly operations: number;
  /** Metadata time over all ranks. */
  readonly seconds: number;
  /** Each open writes the file from its beginning: it was made again each time. */
  readonly again: boolean;
}

function stormOf(
  job: Job,
  limits: { share: number; operations: number; repeats: number; bytes: number; names: number },
): Storm | undefined {
  const isBenchmark = realFiles(job).length >= BENCHMARK_FILES;
  const made = (file: JobFile) => callsPerOpen(job) * fileCalls(job, file).opens + fileCalls(job, file).stats;
  const files = realFiles(job).filter((file) => {
    const { opens, stats, metaSeconds } = fileCalls(job, file);
    const repeated = made(file) >= limits.repeats * file.called.ranks;
    // A small file that is written once holds data; names that hold nothing, or are asked for, are the point themselves.
    const asked = 2 * stats >= opens || isBenchmark || bytesMoved(file) <= NEXT_TO_NOTHING_BYTES;
    const empty = opens > 0 && bytesMoved(file) <= limits.bytes * opens && asked;
    if (isWaiting(job, file)) return false;
    return (repeated || empty) && !(file.seconds > 0 && metaSeconds < limits.share * file.seconds);
  });
  const operations = sum(files, made);
  const seconds = metaSecondsOf(job, files);
  const names = files.length / Math.min(job.ranks, Math.max(1, ranksOf(files)));
  // Libraries ask for each file that they open (fstat): where each open moves data, that is no asking of its own.
  const asked = sum(files, (file) => {
    const { opens, stats } = fileCalls(job, file);
    return accessesOf(file.called) >= opens ? Math.max(0, stats - opens) : stats;
  });
  const again = files.filter(isMadeAnew).length >= 0.5 * files.length;
  const isStorm =
    operations >= limits.operations &&
    // Many names, or names that are asked for as often as they are opened.
    (names >= limits.names || (again && 2 * names >= limits.names) || 4 * asked >= operations) &&
    seconds >= limits.share * sum(files, (file) => file.seconds) &&
    seconds < operations * WAITING_SECONDS;
  if (!isStorm) return undefined;
  return { files, operations, seconds, again };
}

/** Ranks that use them, at least. */
const ranksOf = (files: readonly JobFile[]) =>
  Math.max(
    new Set(files.map(({ called }) => called.slowestRank)).size,
    files.reduce((most, { called }) => Math.max(most, called.ranks), 0),
  );

/** As many times written from its beginning as it was opened. */
function isMadeAnew({ called }: JobFile): boolean {
  const perOpen = called.bytesWritten / called.opens;
  return called.opens > called.ranks && perOpen > 0 && Math.abs(perOpen - (called.maxByteWritten + 1)) < 1;
}

/** One file for each rank; where recorders do not see names being removed, that is taken to cost what making them does. */
function stormCost(job: Job, { files, again, seconds }: Storm): CostClaim {
  const records = files.flatMap(({ layers }) => [...layers.values()]);
  const joined = again
    ? largerCalls(
        job,
        records.map((record) => ({ record, way: "write" })),
      )
    : undefined;
  const unseen = again && job.runs.every(({ kind }) => kind === "darshan");
  const model = "one file for each rank, at the mean cost of an open and a close";
  const estimate = estimatedCost(
    [
      ...fewerOpens(job, files, Math.min(1, ranksOf(files) / files.length)),
      ...(joined?.kind === "remedy" ? joined.healthy : []),
    ],
    unseen ? `${model}; removals are not timed and assumed to cost as much as creates` : model,
    unseen ? { unseenSeconds: seconds / ranksOf(files) } : {},
  );
  // Few names that are asked for often stay; of many names one for each rank does.
  const isFew = files.length <= 2 * ranksOf(files);
  return again || !isFew ? estimate : fewerMetadataCalls(files, ["opens", "stats"], estimate);
}

/** Metadata time of files of which only a part is needed, opened once by each rank. */
function fewerOpens(job: Job, files: readonly JobFile[], part: number): Healthy[] {
  return metadataUses(job, files).map(({ record, needed, made }) => ({
    record,
    part: "meta",
    remains: made > 0 ? Math.min(1, (part * needed) / made) : 1,
  }));
}

const excessStats = defineRule({
  id: "excess-stats",
  title: "Many stats per file",
  subject: { text: "repeated stats", plural: true },
  picture: { kind: "files", by: "stats" },
  meaning: "Files get far more stats than opens, for example from loops that poll for a file.",
  needs: [["POSIX", "DFS"]],
  thresholds: {
    ratio: limit`10 ratio | stats per file and rank | Plimsoll's choice: libraries need two or three per open; NASA's and ARSC's Lustre advice: avoid repetitive stat operations`,
    stats: { ...OPERATIONS, meaning: "stats of the job, at least" },
  },
  judge(job, limits, others) {
    const statsOf = (file: JobFile) => fileCalls(job, file).stats;
    const meta = metadataFacts(job);
    const files = realFiles(job).filter((file) => statsOf(file) >= limits.ratio * file.called.ranks);
    const stats = sum(files, statsOf);
    if (!(stats >= limits.stats) || others.speak("metadata-storm")) return undefined;
    const seconds = metaSecondsOf(job, files);
    const uses = sum(files, ({ called }) => called.ranks);
    return {
      cost: fewerMetadataCalls(
        files,
        ["stats"],
        fewerOperations(
          metadataUses(job, files),
          "one stat for each file and rank, at the mean cost of such a call",
        ),
      ),
      measured: { ratio: stats / uses, stats },
      statement: `${partOf(stats, meta.stats, "stats")} go to ${many(files.length, "file")}: ${rough(stats / uses)} per file and rank.${costSentence(job, seconds, `Metadata calls of ${theseFiles(files.length)} take`)}`,
      evidence: {
        ...metadataEvidence(job),
        ...worstFiles(
          files,
          statsOf,
          (file) => `${grouped(statsOf(file))} stats by ${many(file.called.ranks, "rank")}`,
        ),
      },
      action: {
        change: "Stat each file once",
        advice: `Call stat once and keep the result; when polling for a file, use longer intervals${programOf(job).mpi ? ", or let one rank poll and broadcast" : ""}.`,
        snippet: snippetFor(job, SNIPPETS.statOnce),
      },
      effect: `Less load on the metadata server; at most ${secondsText(seconds / job.ranks)} for each rank on average.`,
      ...trust(job, COUNTERS, "high", "stats are counted for each file"),
      claims: files.map(({ fileId }) => ({ fileId })),
    };
  },
});

const metadataTime = defineRule({
  id: "metadata-time",
  title: "Much time in metadata",
  subject: { text: "metadata calls", plural: true },
  picture: { kind: "time", of: "metadata" },
  meaning:
    "A large part of the I/O time goes into opens, stats and closes, though they are not needlessly repeated: each moves little data, or each is slow.",
  needs: CALLS,
  drishti: "P17",
  thresholds: {
    share: limit`0.3 share | metadata time as part of the I/O time | Plimsoll's choice: fast opens take a few percent of the time that the data takes`,
    rank: limit`30 seconds | metadata time of one rank in its private files, which counts as well | Drishti's metadata_time_rank`,
    operations: limit`50 calls | operations of the job | Plimsoll's choice: if fewer are slow, the reason lies elsewhere, and their number cannot be reduced`,
    seconds: SECONDS,
    cost: SHARE_OF_RUN,
  },
  judge(job, limits, others) {
    const meta = metadataFacts(job);
    const most = job.rankLoads
      .filter(({ layer }) => layer !== "MPI-IO" && !/^(H5|PNETCDF)/.test(layer))
      .reduce((a, b) => (known(b.metaSeconds) > a.metaSeconds ? b : a), { rank: Number.NaN, metaSeconds: 0 });
    const slow = most.metaSeconds >= Math.max(limits.rank, limits.cost * job.runSeconds);
    const costs = meta.shareOfRun >= limits.cost && meta.meanSeconds >= limits.seconds;
    if ((!(meta.share >= limits.share && costs) && !slow) || !(meta.operations > 0)) return undefined;
    // Seeks count as metadata, too.
    const repeated = others.claimed(["excess-stats", "repeated-opens", "open-churn", "excess-seeks"]);
    const inRepeated = metaSecondsOf(
      job,
      realFiles(job).filter(({ fileId }) => repeated.has(fileId)),
    );
    const cause = metadataCause(job, meta.seconds);
    const waits = cause.kind === "wait";
    const said = others.speak("metadata-storm", ...FILE_COUNTS) || inRepeated >= 0.5 * meta.seconds;
    if ((said || meta.operations < limits.operations) && !waits) return undefined;
    // An open of MPI-IO is collective, so that it lasts until the last rank is there.
    const late = metaSecondsOf(
      job,
      realFiles(job).filter(({ called }) => called.layer === "MPI-IO" && isOneLate(called)),
    );
    if (late >= 0.5 * meta.seconds) return undefined;
    return {
      cost: waits
        ? unknownCost("a call that waits for another process says nothing about storage")
        : estimatedCost(
            cause.files.flatMap(({ layers }) =>
              [...layers.values()].map((record) => ({ record, part: "meta" as const, remains: 0 })),
            ),
            cause.kind === "program"
              ? "all of the metadata time of the program's own files"
              : "all of the metadata time",
            { atMost: true },
          ),
      measured: {
        share: meta.share,
        rank: most.metaSeconds,
        operations: meta.operations,
        seconds: meta.meanSeconds,
        cost: meta.shareOfRun,
      },
      statement: `${grouped(meta.operations)} ${callsPerOpen(job) === 2 ? "opens, stats and closes" : "opens and stats"} take ${partOfIoTime(job, meta.seconds)}: ${secondsText(meta.operationSeconds)} for each.${slow && job.ranks > 1 ? ` Rank ${most.rank} alone spends ${secondsText(most.metaSeconds)} in its private files.` : ""}${waits ? " An open that takes this long waits for something: the other end of a pipe, a lock, or a hanging server." : ""}${cause.kind === "program" ? ` Most of it goes to ${many(cause.files.length, "file")} of the program itself: the modules and libraries it loads.` : ""}`,
      evidence: { ...metadataEvidence(job), ranks: slow ? [most.rank] : [] },
      action: metadataAction(job, cause),
      effect: waits
        ? "No speed-up if they are pipes or locks; but then the report shows the rest."
        : `Up to ${secondsText(meta.meanSeconds)} for each rank on average.`,
      ...trust(
        job,
        COUNTERS,
        waits ? "low" : "high",
        waits
          ? "the log cannot tell a pipe from a file, and adds up threads that wait at the same time"
          : "counts and times of these calls are recorded, but not why some are slow",
      ),
    };
  },
});

export const METADATA_RULES: readonly Rule[] = [metadataStorm, ...OPEN_RULES, metadataTime, excessStats];

/** Ours: as late-rank has it. */
const isOneLate = (record: LayerRecord) => record.ranks > 2 && lateInCalls(record, 2) !== undefined;

/** Rules for which the operations are those that the number of files needs. */
const FILE_COUNTS = ["many-files", "small-file-set"];
