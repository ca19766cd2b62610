/** Rules on the time that I/O takes, and on what the log cannot tell. Those on phases are in time-phases.ts. */
import { formatBytes } from "../../../base/units.ts";
import { EXPLAINED } from "../cost/cost.ts";
import { NO_COST, unknownCost } from "../cost/remedies.ts";
import type { Job, JobFile } from "../job.ts";
import { isProgramPath } from "../program-files.ts";
import { type Action, defineRule, limit, type Rule } from "../rule.ts";
import { programOf, SNIPPETS, snippetFor } from "../snippets/index.ts";
import { COUNTERS, trust, worstFiles } from "./evidence.ts";
import { ioSeconds, sum, type Way } from "./measures.ts";
import { fileCalls, realFiles } from "./per-job.ts";
import { RECORDING_RULES } from "./recording.ts";
import { PHASE_RULES } from "./time-phases.ts";
import { grouped, many, percent, secondsText, times } from "./wording.ts";

const ANY = [["POSIX", "STDIO", "MPI-IO", "DFS", "DAOS"]] as const;

const ioShare = defineRule({
  id: "io-share",
  title: "Much of the run is I/O",
  picture: { kind: "time" },
  meaning: "I/O takes a large part of the run time, and no cause found in the log explains even half of it.",
  needs: ANY,
  isSymptom: true,
  thresholds: {
    mean: limit`0.25 share | mean I/O time of a rank as part of the run time | Plimsoll's choice: a quarter of the run is worth an hour of tuning`,
    slowest: limit`0.5 share | I/O time of the slowest rank as part of the run time, which counts as well | Plimsoll's choice: half the run`,
    seconds: limit`30 seconds | I/O time, at least | Plimsoll's choice: tests of a few seconds are mostly I/O and show nothing`,
  },
  judge(job, limits, others) {
    const { meanSeconds, slowestSeconds, meanShare, slowestShare, readSeconds, writeSeconds, metaSeconds } =
      job.io;
    const much =
      (meanShare >= limits.mean && meanSeconds >= limits.seconds) ||
      (slowestShare >= limits.slowest && slowestSeconds >= limits.seconds);
    if (!much) return undefined;
    // metadata-time is a better name for the same time.
    if (others.speak("metadata-time")) return undefined;
    for (const { cost } of others.all().values())
      if (cost.kind === "remedy" && job.ledger.gain(cost) >= EXPLAINED * job.ledger.seconds) return undefined;
    const all = ioSeconds(job);
    const bytes = job.io.bytesRead + job.io.bytesWritten;
    const parts = (
      [
        ["reads", readSeconds],
        ["writes", writeSeconds],
        ["metadata", metaSeconds],
      ] as const
    ).filter(([, seconds]) => seconds > 0);
    const shares = `Of this time, ${parts.map(([name, seconds], i) => `${percent(seconds, all)} ${i === 0 ? "is " : ""}in ${name}`).join(", ")}.`;
    return {
      cost: unknownCost(
        "no cause in the log explains half of the I/O time, so the gain of a change is unknown",
      ),
      measured: { mean: meanShare, slowest: slowestShare, seconds: slowestSeconds },
      statement: `I/O takes a rank ${secondsText(meanSeconds)} of ${secondsText(job.runSeconds)} on average (${meanSeconds > job.runSeconds ? "more than the run, since threads do I/O at the same time" : percent(meanShare)}), the slowest up to ${secondsText(slowestSeconds)} (${percent(slowestShare)}). ${shares} ${formatBytes(bytes)} are moved.`,
      evidence: {
        numbers: [
          { label: "mean I/O time of a rank", value: meanSeconds, unit: "seconds", of: job.runSeconds },
          { label: "slowest rank, at most", value: slowestSeconds, unit: "seconds", of: job.runSeconds },
          { label: "reads, over all ranks", value: readSeconds, unit: "seconds", of: all },
          { label: "writes, over all ranks", value: writeSeconds, unit: "seconds", of: all },
          { label: "metadata, over all ranks", value: metaSeconds, unit: "seconds", of: all },
        ],
        ...worstFiles(
          realFiles(job).filter(({ seconds }) => seconds > 0),
          ({ seconds }) => seconds,
          (file) => `${secondsText(file.seconds)} over all ranks`,
        ),
      },
      action: shareAction(job, readSeconds > writeSeconds ? "read" : "write"),
      effect: `At most the ${percent(meanShare)} of the run time that I/O takes.`,
      ...trust(
        job,
        COUNTERS,
        "high",
        "call times are recorded; the slowest ranks of all shared files are added up, which can be too high",
      ),
    };
  },
});

/** Nothing tells the cause: single calls would. Where they are recorded, the rest is to do less, or meanwhile. */
function shareAction(job: Job, way: Way): Action {
  const less =
    "For the files that take most time, check whether all of the output is needed (fewer outputs, lower precision, compression), then whether the I/O can overlap with computing";
  if (job.trace === undefined)
    return {
      change: "Record single calls",
      advice: `Trace single calls in the next run to find the cause: DXT_ENABLE_IO_TRACE=1 for Darshan. ${less}.`,
      snippet: snippetFor(job, SNIPPETS.traceCalls),
    };
  const how = programOf(job).mpi
    ? "non-blocking MPI-IO, HDF5's asynchronous VOL connector, or ADIOS2"
    : "a thread, or non-blocking calls";
  return {
    change: "Start with the slowest files",
    advice: `Start with the files that take most time: their single calls are recorded. ${less}: ${how}.`,
    snippet: snippetFor(job, SNIPPETS.overlap, { way }),
  };
}

const partialData = defineRule({
  id: "partial-data",
  title: "The log is incomplete",
  meaning:
    "The recorder ran out of memory for records, so files or calls are missing. All totals of these modules are lower bounds.",
  needs: [],
  thresholds: {},
  judge(job) {
    if (job.partialModules.size === 0) return undefined;
    const modules = [...job.partialModules];
    const counts = modules
      .map((name) => [name, job.layer(name).length] as const)
      .filter(([, records]) => records > 0);
    const traces = modules.filter((name) => name.startsWith("DXT"));
    return {
      cost: unknownCost("the cost of unrecorded calls cannot be computed"),
      statement: `The log says that ${modules.join(", ")} ${modules.length === 1 ? "is" : "are"} incomplete, since the recorder ran out of memory.${counts.length > 0 ? ` It has ${counts.map(([name, records]) => `${many(records, "file")} in ${name}`).join(", ")}.` : ""} Other findings are based on this part.`,
      evidence: {
        numbers: [
          { label: "incomplete modules", value: modules.length, unit: "count", of: job.modules.size },
          ...counts.map(
            ([name, records]) => ({ label: `files in ${name}`, value: records, unit: "files" }) as const,
          ),
        ],
      },
      action: {
        change: "Record again with more memory",
        advice: `Record again with more memory${traces.length > 0 ? "" : " and more records for each process"}, and exclude files that do not matter, such as those of an interpreter.`,
        snippet: snippetFor(job, SNIPPETS.moreRecords, { modules }),
      },
      effect: "The log then has all files, and the findings can be trusted.",
      confidence: "high",
      confidenceReason: "the recorder itself sets this flag",
    };
  },
});

const noIo = defineRule({
  id: "no-io",
  title: "No I/O recorded",
  meaning:
    "A long run left a log without any I/O. Either it did none, not even to standard output, or the recorder missed it.",
  needs: [],
  thresholds: {
    seconds: limit`600 seconds | run time, at least | Plimsoll's choice: short runs without I/O are common, long ones without any result are not`,
  },
  judge(job, limits) {
    if (job.records.length > 0 || !(job.runSeconds >= limits.seconds)) return undefined;
    return {
      cost: NO_COST,
      measured: { seconds: job.runSeconds },
      statement: `${many(job.ranks, "rank")} ran for ${secondsText(job.runSeconds)}, and the log has no record of any file.`,
      evidence: {
        numbers: [
          { label: "run time", value: job.runSeconds, unit: "seconds" },
          { label: "ranks", value: job.ranks, unit: "ranks" },
        ],
      },
      action: {
        change: "Check what the recorder saw",
        advice:
          "If the job did write files, check whether the recorder excludes their directory, whether modules were switched off, and whether the writing processes were recorded.",
        snippet: snippetFor(job, SNIPPETS.whatIsRecorded),
      },
      effect: "A log with I/O to analyse.",
      confidence: "low",
      confidenceReason: "the log cannot tell no I/O from unrecorded I/O",
    };
  },
});

const mmapIo = defineRule({
  id: "mmap-io",
  title: "Memory-mapped files",
  subject: { text: "memory-mapped files", plural: true },
  picture: { kind: "files", by: "time" },
  meaning:
    "Files are mapped into memory. Traffic through a mapping makes no I/O calls, so the log has neither its bytes nor its time.",
  needs: [["POSIX"]],
  thresholds: {
    files: limit`1 files | mapped files other than the program's executables and libraries | Plimsoll's choice: one is enough to make totals too low`,
  },
  judge(job, limits) {
    const mmapsOf = (file: JobFile) => fileCalls(job, file).mmaps;
    const all = realFiles(job);
    const files = all.filter((file) => mmapsOf(file) > 0 && !isProgramPath(file.path));
    if (files.length < limits.files) return undefined;
    const mmaps = sum(files, mmapsOf);
    const unseen = files.filter(({ bytesRead, bytesWritten }) => !(bytesRead > 0) && !(bytesWritten > 0));
    return {
      cost: NO_COST,
      measured: { files: files.length },
      statement: `${grouped(files.length)} of ${many(all.length, "file")} ${files.length === 1 ? "is" : "are"} mapped into memory, ${times(mmaps)} in all; ${grouped(unseen.length)} of them ${unseen.length === 1 ? "shows" : "show"} no read or write. No number in this report includes the bytes and time of this traffic.`,
      evidence: {
        numbers: [
          { label: "mapped files", value: files.length, unit: "files", of: all.length },
          { label: "mappings", value: mmaps, unit: "calls" },
          {
            label: "mapped files without a read or write",
            value: unseen.length,
            unit: "files",
            of: files.length,
          },
        ],
        ...worstFiles(files, mmapsOf, (file) => many(mmapsOf(file), "mapping")),
      },
      action: {
        change: "Measure what mappings move",
        advice:
          "To see this traffic, look at the job's Lustre client counters (plimsoll collect), or use read calls if the program allows it.",
        snippet: snippetFor(job, SNIPPETS.pageFaults),
      },
      effect: "No speed-up, but reliable totals.",
      confidence: "high",
      confidenceReason: "mappings are counted; their traffic is not",
    };
  },
});

export const TIME_RULES: readonly Rule[] = [
  partialData,
  ...RECORDING_RULES,
  ioShare,
  ...PHASE_RULES,
  noIo,
  mmapIo,
];
