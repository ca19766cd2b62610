/** Rules on opens, stats and closes. */
import { formatSeconds } from "../../../base/units.ts";
import type { Job, JobFile } from "../job.ts";
import { defineRule, type Rule } from "../rule.ts";
import { dataFiles, type MetadataFacts, metadataFacts } from "./file-facts.ts";
import { manyFilesLeast, smallFileBytes, smallFilesLeast } from "./files-limits.ts";
import {
  count,
  fires,
  known,
  lowestRecords,
  many,
  percent,
  realFiles,
  severityOf,
  shareOfSeconds,
  sum,
  times,
  unlessPartial,
  worstFiles,
} from "./words-b.ts";

const CALLS = [["POSIX", "STDIO", "DFS"]] as const;
const OPERATIONS = {
  value: 1000,
  unit: "calls",
  meaning: "operations of the job, at least",
  source: "ours: at about a millisecond each, fewer take no second",
} as const;
const SECONDS = {
  value: 1,
  unit: "seconds",
  meaning: "mean metadata time of a rank",
  source: "ours: less cannot be felt, however short the run",
} as const;
/** Metadata servers answer in milliseconds; an open that takes a second waits for somebody. */
const WAITING_SECONDS = 1;
const SHARE_OF_RUN = {
  value: 0.05,
  unit: "share",
  meaning: "mean metadata time of a rank as part of the run time",
  source: "ours: below a twentieth of the run a change is hard to measure",
} as const;

const metadataStorm = defineRule({
  id: "metadata-storm",
  title: "Metadata storm",
  meaning:
    "Most of the I/O time goes into opening, looking at and closing files again and again instead of moving data; all jobs share the metadata servers.",
  needs: CALLS,
  drishti: "P17",
  thresholds: {
    share: {
      value: 0.5,
      unit: "share",
      meaning: "metadata's part of the I/O time",
      source: "ours: more than moving the data; Drishti asks for 30 s of one rank (metadata_time_rank)",
    },
    operations: OPERATIONS,
    seconds: SECONDS,
    cost: SHARE_OF_RUN,
  },
  judge(job, limits) {
    const meta = metadataFacts(job);
    const storm = meta.share >= limits.share && meta.operations >= limits.operations;
    const costs = meta.shareOfRun >= limits.cost && meta.meanSeconds >= limits.seconds;
    if (!storm || !costs || meta.operationSeconds >= WAITING_SECONDS || isFileCount(job, meta))
      return undefined;
    return {
      severity: severityOf(meta.shareOfRun, meta.meanSeconds),
      statement: `${percent(meta.share)} of the I/O time (${formatSeconds(meta.seconds)} of ${formatSeconds(meta.ioSeconds)} over all ranks) goes into metadata: ${count(meta.opens)} opens and as many closes, ${count(meta.stats)} stats${meta.syncs > 0 ? `, ${count(meta.syncs)} syncs` : ""}, ${times(meta.operations / meta.uses)} for each file and rank that uses it. A rank spends ${formatSeconds(meta.meanSeconds)} on average, ${percent(meta.shareOfRun)} of the run time.`,
      evidence: metadataEvidence(job, meta),
      advice:
        "Open each file once, keep it open, and close it at the end; remember what stat says instead of asking again; let one rank look and broadcast the answer.",
      snippet: { language: "c", code: OPEN_ONCE },
      effect: `Up to ${formatSeconds(meta.meanSeconds)} for each rank, and a metadata server that is free for others.`,
      confidence: job.partialModules.size > 0 ? "medium" : "high",
      confidenceReason: unlessPartial(job, "counts and times of these calls are recorded"),
    };
  },
});

const excessStats = defineRule({
  id: "excess-stats",
  title: "Many stats for each file",
  meaning:
    "Files are looked at (stat) far more often than they are opened, as loops that poll for a file do.",
  needs: [["POSIX", "DFS"]],
  thresholds: {
    ratio: {
      value: 10,
      unit: "ratio",
      meaning: "stats for each file and rank that uses it",
      source:
        "ours: libraries need two or three for an open; NASA's and ARSC's Lustre advice: avoid repetitive stat operations",
    },
    stats: { ...OPERATIONS, meaning: "stats of the job, at least" },
  },
  judge(job, limits) {
    const meta = metadataFacts(job);
    const files = realFiles(job).filter((file) => statsOf(file) >= limits.ratio * file.called.ranks);
    const stats = sum(files, statsOf);
    if (!(stats >= limits.stats) || fires(metadataStorm, job)) return undefined;
    const seconds = sum(files, metaOf);
    const uses = sum(files, ({ called }) => called.ranks);
    return {
      severity: severityOf(seconds / job.ranks / job.runSeconds, seconds / job.ranks),
      statement: `${count(stats)} of ${count(meta.stats)} stats go to ${many(files.length, "file")}: ${times(stats / uses)} for each file and rank that uses it. Metadata calls of these files take ${shareOfSeconds(seconds, meta.ioSeconds)} of the I/O time over all ranks.`,
      evidence: {
        ...metadataEvidence(job, meta),
        ...worstFiles(
          files,
          statsOf,
          (file) => `${count(statsOf(file))} stats by ${many(file.called.ranks, "rank")}`,
        ),
      },
      advice:
        "Stat once and keep the answer; when waiting for a file, wait longer between looks, or let one rank look and tell the others.",
      snippet: { language: "c", code: STAT_ONCE },
      effect: "Less load on the metadata server; time to win only as far as metadata time says.",
      confidence: "high",
      confidenceReason: unlessPartial(job, "stats are counted for each file"),
    };
  },
});

const repeatedOpens = defineRule({
  id: "repeated-opens",
  title: "The same files opened again and again",
  meaning: "Ranks open and close the same file many times instead of keeping it open.",
  needs: CALLS,
  thresholds: {
    ratio: {
      value: 10,
      unit: "ratio",
      meaning: "opens of a file by each rank that uses it",
      source:
        "ours: a file for each phase is opened a few times; ARSC's and NASA's Lustre advice: avoid repetitive open and close",
    },
    opens: { ...OPERATIONS, meaning: "such opens of the job, at least" },
  },
  judge(job, limits) {
    const files = realFiles(job).filter((file) => opensOf(file) >= limits.ratio * file.called.ranks);
    const opens = sum(files, opensOf);
    if (!(opens >= limits.opens) || fires(metadataStorm, job)) return undefined;
    const meta = metadataFacts(job);
    const seconds = sum(files, metaOf);
    const uses = sum(files, ({ called }) => called.ranks);
    return {
      severity: severityOf(seconds / job.ranks / job.runSeconds, seconds / job.ranks),
      statement: `${many(files.length, "file")} ${files.length === 1 ? "is" : "are"} opened ${count(opens)} times, ${times(opens / uses)} times by each rank that uses ${files.length === 1 ? "it" : "them"} (the job has ${count(meta.opens)} opens). Their metadata calls take ${shareOfSeconds(seconds, meta.ioSeconds)} of the I/O time over all ranks.`,
      evidence: {
        ...metadataEvidence(job, meta),
        ...worstFiles(
          files,
          opensOf,
          (file) => `${count(opensOf(file))} opens by ${many(file.called.ranks, "rank")}`,
        ),
      },
      advice:
        "Open the file before the loop and close it after; flush where others must see the data in between.",
      snippet: { language: "c", code: OPEN_ONCE },
      effect: `${count(opens - uses)} of ${count(meta.opens)} opens and as many closes less.`,
      confidence: "high",
      confidenceReason: unlessPartial(job, "opens are counted for each file"),
    };
  },
});

const metadataTime = defineRule({
  id: "metadata-time",
  title: "Much time in metadata",
  meaning:
    "A large part of the I/O time goes into opens, stats and closes that are not repeated without need: each of them is slow.",
  needs: CALLS,
  drishti: "P17",
  thresholds: {
    share: {
      value: 0.3,
      unit: "share",
      meaning: "metadata's part of the I/O time",
      source: "ours: opens that are quick take a few hundredths of the time that the data takes",
    },
    rank: {
      value: 30,
      unit: "seconds",
      meaning: "metadata time of one rank in files of its own, which counts as well",
      source: "Drishti's metadata_time_rank",
    },
    seconds: SECONDS,
    cost: SHARE_OF_RUN,
  },
  judge(job, limits) {
    const meta = metadataFacts(job);
    const most = job.rankLoads
      .filter(({ layer }) => layer !== "MPI-IO" && !/^(H5|PNETCDF)/.test(layer))
      .reduce((a, b) => (known(b.metaSeconds) > a.metaSeconds ? b : a), { rank: Number.NaN, metaSeconds: 0 });
    const slow = most.metaSeconds >= Math.max(limits.rank, limits.cost * job.runSeconds);
    const costs = meta.shareOfRun >= limits.cost && meta.meanSeconds >= limits.seconds;
    if (!(meta.share >= limits.share && costs) && !slow) return undefined;
    if (fires(metadataStorm, job) || isFileCount(job, meta) || isRepetition(job, meta)) return undefined;
    const cost = Math.max(meta.shareOfRun, slow ? most.metaSeconds / job.runSeconds : 0);
    // Opens of named pipes and of locked files last until the other side is there.
    const waits = meta.operationSeconds >= WAITING_SECONDS;
    return {
      severity: cost >= 0.1 && !waits ? "high" : "warn",
      statement: `${percent(meta.share)} of the I/O time (${formatSeconds(meta.seconds)} of ${formatSeconds(meta.ioSeconds)} over all ranks) goes into ${meta.operations < OPERATIONS.value ? "only " : ""}${count(meta.operations)} opens, stats and closes: ${formatSeconds(meta.operationSeconds)} for each.${slow && job.ranks > 1 ? ` Rank ${most.rank} alone spends ${formatSeconds(most.metaSeconds)} in files of its own.` : ""}${waits ? " That long, an open waits for somebody: the other end of a pipe, a lock, or a server that hangs." : ""}`,
      evidence: { ...metadataEvidence(job, meta), ranks: slow ? [most.rank] : [] },
      advice: waits
        ? "Look at the files below first: if they are pipes or lock files, nothing is wrong with the storage."
        : "Let one rank open small inputs and broadcast them; open shared files through MPI-IO, which opens once and shares the handle where it can; do not create many files in one directory at the same moment.",
      snippet: {
        language: "c",
        code: `/* ROMIO: only the aggregators open the file */\nMPI_Info_set(info, "romio_no_indep_rw", "true");\nMPI_File_open(comm, path, mode, info, &file);`,
      },
      effect: `Up to ${formatSeconds(meta.meanSeconds)} for each rank on average.`,
      confidence: waits ? "low" : job.partialModules.size > 0 ? "medium" : "high",
      confidenceReason: unlessPartial(
        job,
        waits
          ? "the log does not tell a pipe from a file, and adds up threads that wait at the same time"
          : "counts and times of these calls are recorded; the reason for slow ones is not",
      ),
    };
  },
});

export const METADATA_RULES: readonly Rule[] = [metadataStorm, metadataTime, excessStats, repeatedOpens];

const OPEN_ONCE = `FILE *file = fopen(path, "ab");          /* once, before the loop */
for (int step = 0; step < steps; step++) {
  compute(step);
  fwrite(result, 1, bytes, file);
  fflush(file);                          /* where others must see it */
}
fclose(file);                            /* once, after the loop */`;

const STAT_ONCE = `struct stat status;
if (rank == 0) found = stat(path, &status) == 0;
MPI_Bcast(&found, 1, MPI_INT, 0, comm);  /* one stat instead of one for each rank */`;

/** The operations are those that the number of files needs: many-files or small-file-set says so. */
function isFileCount(job: Job, { operations, uses }: MetadataFacts): boolean {
  const { files, meanBytes } = dataFiles(job);
  const isMany = realFiles(job).length >= manyFilesLeast;
  const isSmall = files.length >= smallFilesLeast && meanBytes <= smallFileBytes;
  return (isMany || isSmall) && operations < 10 * uses;
}

/** Most of the metadata time lies in files for which excess-stats or repeated-opens speaks. */
function isRepetition(job: Job, meta: MetadataFacts): boolean {
  return [excessStats, repeatedOpens].some((rule) => {
    const { ratio } = rule.thresholds;
    const files = realFiles(job).filter(
      (file) => Math.max(statsOf(file), opensOf(file)) >= (ratio?.value ?? Number.NaN) * file.called.ranks,
    );
    return fires(rule, job) && sum(files, metaOf) >= 0.5 * meta.seconds;
  });
}

const statsOf = (file: JobFile) => sum(lowestRecords(file), ({ stats }) => stats);
const opensOf = (file: JobFile) => sum(lowestRecords(file), ({ opens }) => opens);

/** Metadata time over all ranks, in the layer that is called. */
const metaOf = (file: JobFile) =>
  known(
    file.called.layer === "MPI-IO"
      ? file.called.metaSeconds
      : sum(lowestRecords(file), ({ metaSeconds }) => metaSeconds),
  );

function metadataEvidence(job: Job, meta: MetadataFacts) {
  const files = realFiles(job).filter((file) => metaOf(file) > 0);
  return {
    numbers: [
      { label: "metadata time", value: meta.seconds, unit: "seconds", of: meta.ioSeconds },
      { label: "opens", value: meta.opens, unit: "calls" },
      { label: "stats", value: meta.stats, unit: "calls" },
      { label: "syncs", value: meta.syncs, unit: "calls" },
      { label: "mean metadata time of a rank", value: meta.meanSeconds, unit: "seconds", of: job.runSeconds },
    ],
    ...worstFiles(files, metaOf, (file) => `${formatSeconds(metaOf(file))} in metadata over all ranks`),
  } as const;
}
