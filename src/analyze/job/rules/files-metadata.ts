/** Rules on opens, stats and closes. */
import { estimatedCost, fewerOperations, unknownCost } from "../cost/remedies.ts";
import type { Job, JobFile } from "../job.ts";
import { defineRule, type Rule } from "../rule.ts";
import { COUNTERS, trust, worstFiles } from "./evidence.ts";
import { metadataFacts } from "./file-facts.ts";
import { ioSeconds, known, sum } from "./measures.ts";
import { fileCalls, realFiles } from "./per-job.ts";
import {
  costSentence,
  grouped,
  many,
  partOf,
  partOfIoTime,
  percent,
  rough,
  secondsText,
  theseFiles,
  times,
} from "./wording.ts";

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
  source: "ours: less is negligible, however short the run",
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
  subject: { text: "a metadata storm", change: "Make fewer opens and stats" },
  picture: "time",
  meaning:
    "Most of the I/O time goes into repeated opens, stats and closes instead of data transfer; all jobs share the metadata servers.",
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
    repeats: {
      value: 10,
      unit: "ratio",
      meaning: "operations per file and rank that uses it",
      source:
        "ours: an open, a close and some stats are needed; with fewer, metadata-time or many-files speaks",
    },
    seconds: SECONDS,
    cost: SHARE_OF_RUN,
  },
  judge(job, limits) {
    const meta = metadataFacts(job);
    const again = meta.operations >= limits.operations && meta.operations >= limits.repeats * meta.uses;
    const costs = meta.shareOfRun >= limits.cost && meta.meanSeconds >= limits.seconds;
    if (!(meta.share >= limits.share && again && costs)) return undefined;
    if (meta.operationSeconds >= WAITING_SECONDS) return undefined;
    return {
      cost: fewerOperations(
        metadataUses(job, realFiles(job)),
        "an open and a close for each file and rank, at the mean cost of such a call",
      ),
      statement: `Metadata takes ${partOfIoTime(job, meta.seconds)}: ${grouped(meta.opens)} opens, as many closes and ${many(meta.stats, "stat")}, ${rough(meta.operations / meta.uses)} per file and rank that uses it. A rank spends ${secondsText(meta.meanSeconds)} on average, ${percent(meta.shareOfRun)} of the run time.`,
      evidence: metadataEvidence(job),
      advice:
        "Open each file once, keep it open, and close it at the end; cache stat results; let one rank call stat and broadcast the result.",
      snippet: { language: "c", code: OPEN_ONCE },
      effect: `Up to ${secondsText(meta.meanSeconds)} for each rank, and a metadata server that is free for others.`,
      ...trust(job, COUNTERS, "high", "counts and times of these calls are recorded"),
    };
  },
});

const excessStats = defineRule({
  id: "excess-stats",
  title: "Many stats per file",
  subject: { text: "repeated stats", plural: true, change: "Ask for each file once" },
  picture: "files",
  meaning: "Files get far more stats than opens, as in loops that poll for a file.",
  needs: [["POSIX", "DFS"]],
  thresholds: {
    ratio: {
      value: 10,
      unit: "ratio",
      meaning: "stats per file and rank that uses it",
      source:
        "ours: libraries need two or three for an open; NASA's and ARSC's Lustre advice: avoid repetitive stat operations",
    },
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
      cost: fewerOperations(
        metadataUses(job, files),
        "one stat for each file and rank, at the mean cost of such a call",
      ),
      statement: `${partOf(stats, meta.stats, "stats")} go to ${many(files.length, "file")}: ${rough(stats / uses)} per file and rank that uses it.${costSentence(job, seconds, `Metadata calls of ${theseFiles(files.length)} take`)}`,
      evidence: {
        ...metadataEvidence(job),
        ...worstFiles(
          files,
          statsOf,
          (file) => `${grouped(statsOf(file))} stats by ${many(file.called.ranks, "rank")}`,
        ),
      },
      advice:
        "Call stat once and keep the result; when polling for a file, use longer intervals, or let one rank poll and broadcast.",
      snippet: { language: "c", code: STAT_ONCE },
      effect: `Less load on the metadata server; at most ${secondsText(seconds / job.ranks)} for each rank on average.`,
      ...trust(job, COUNTERS, "high", "stats are counted for each file"),
      claims: files.map(({ fileId }) => ({ fileId })),
    };
  },
});

const repeatedOpens = defineRule({
  id: "repeated-opens",
  title: "Files opened repeatedly",
  subject: { text: "repeated opens", plural: true, change: "Open each file once" },
  picture: "files",
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
  judge(job, limits, others) {
    const opensOf = (file: JobFile) => fileCalls(job, file).opens;
    const files = realFiles(job).filter((file) => opensOf(file) >= limits.ratio * file.called.ranks);
    const opens = sum(files, opensOf);
    if (!(opens >= limits.opens) || others.speak("metadata-storm")) return undefined;
    const meta = metadataFacts(job);
    const seconds = metaSecondsOf(job, files);
    const uses = sum(files, ({ called }) => called.ranks);
    return {
      cost: fewerOperations(
        metadataUses(job, files),
        "one open and close for each file and rank, at the mean cost of such a call",
      ),
      statement: `${many(files.length, "file")} ${files.length === 1 ? "is" : "are"} opened ${grouped(opens)} times, ${times(opens / uses)} by each rank that uses ${files.length === 1 ? "it" : "them"} (the job has ${grouped(meta.opens)} opens).${costSentence(job, seconds, `Metadata calls of ${theseFiles(files.length)} take`)}`,
      evidence: {
        ...metadataEvidence(job),
        ...worstFiles(
          files,
          opensOf,
          (file) => `${grouped(opensOf(file))} opens by ${many(file.called.ranks, "rank")}`,
        ),
      },
      advice:
        "Open the file before the loop and close it after it; flush where others must see the data in between.",
      snippet: { language: "c", code: OPEN_ONCE },
      effect: `${grouped(opens - uses)} of ${grouped(meta.opens)} opens and as many closes less.`,
      ...trust(job, COUNTERS, "high", "opens are counted for each file"),
      claims: files.map(({ fileId }) => ({ fileId })),
    };
  },
});

const metadataTime = defineRule({
  id: "metadata-time",
  title: "Much time in metadata",
  subject: { text: "metadata calls", plural: true, change: "Make fewer metadata calls" },
  picture: "time",
  meaning:
    "A large part of the I/O time goes into opens, stats and closes that are not repeated without need: there is little data for each of them, or each is slow.",
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
      meaning: "metadata time of one rank in its private files, which counts as well",
      source: "Drishti's metadata_time_rank",
    },
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
    const repeated = others.claimed(["excess-stats", "repeated-opens"]);
    const inRepeated = metaSecondsOf(
      job,
      realFiles(job).filter(({ fileId }) => repeated.has(fileId)),
    );
    if (others.speak("metadata-storm", ...FILE_COUNTS) || inRepeated >= 0.5 * meta.seconds) return undefined;
    // Opens of named pipes and of locked files last until the other side is there.
    const waits = meta.operationSeconds >= WAITING_SECONDS;
    return {
      cost: waits
        ? unknownCost("a call that waits for somebody says nothing of the storage")
        : estimatedCost(
            realFiles(job).flatMap(({ layers }) =>
              [...layers.values()].map((record) => ({ record, part: "meta" as const, remains: 0 })),
            ),
            "all of the metadata time",
            { atMost: true },
          ),
      statement: `${grouped(meta.operations)} opens, stats and closes take ${partOfIoTime(job, meta.seconds)}: ${secondsText(meta.operationSeconds)} for each.${slow && job.ranks > 1 ? ` Rank ${most.rank} alone spends ${secondsText(most.metaSeconds)} in its private files.` : ""}${waits ? " That long, an open waits for somebody: the other end of a pipe, a lock, or a server that hangs." : ""}`,
      evidence: { ...metadataEvidence(job), ranks: slow ? [most.rank] : [] },
      advice: waits
        ? "Look at the files named here first: if they are pipes or lock files, nothing is wrong with the storage."
        : "Let one rank open small inputs and broadcast them; open shared files through MPI-IO, which can leave the opening to its aggregators; do not create many files in one directory at the same moment.",
      snippet: {
        language: "c",
        code: `/* ROMIO: only the aggregators open the file; independent reads and writes are then not allowed */\nMPI_Info_set(info, "romio_cb_write", "enable");\nMPI_Info_set(info, "romio_cb_read", "enable");\nMPI_Info_set(info, "romio_no_indep_rw", "true");\nMPI_File_open(comm, path, mode, info, &file);`,
      },
      effect: `Up to ${secondsText(meta.meanSeconds)} for each rank on average.`,
      ...trust(
        job,
        COUNTERS,
        waits ? "low" : "high",
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

/** Rules for which the operations are those that the number of files needs. */
const FILE_COUNTS = ["many-files", "small-file-set"];

/** Metadata time over all ranks, in the layer that is called. */
const metaSecondsOf = (job: Job, files: readonly JobFile[]) =>
  sum(files, (file) => fileCalls(job, file).metaSeconds);

/** Operations of each record that keeps their time, and those that it needs: one open, close and stat for each rank. */
const metadataUses = (job: Job, files: readonly JobFile[]) =>
  files.flatMap((file) => {
    const { opens, stats } = fileCalls(job, file);
    const made = 2 * opens + stats;
    const needed = file.called.ranks * ((opens > 0 ? 2 : 0) + (stats > 0 ? 1 : 0));
    return [...file.layers.values()].map((record) => ({ record, needed, made }));
  });

function metadataEvidence(job: Job) {
  const meta = metadataFacts(job);
  const metaOf = (file: JobFile) => fileCalls(job, file).metaSeconds;
  const files = realFiles(job).filter((file) => metaOf(file) > 0);
  return {
    numbers: [
      { label: "metadata time", value: meta.seconds, unit: "seconds", of: ioSeconds(job) },
      { label: "opens", value: meta.opens, unit: "calls" },
      { label: "stats", value: meta.stats, unit: "calls" },
      { label: "mean metadata time of a rank", value: meta.meanSeconds, unit: "seconds", of: job.runSeconds },
    ],
    ...worstFiles(files, metaOf, (file) => `${secondsText(metaOf(file))} in metadata over all ranks`),
  } as const;
}
