/** Rules on what the recording lacks, so that nobody takes a part for the whole. */
import { formatBytes } from "../../../base/units.ts";
import { unknownCost } from "../cost/remedies.ts";
import type { Job, JobFile } from "../job.ts";
import { defineRule, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor } from "../snippets/index.ts";
import { type Listed, worstFiles, worstRecords } from "./evidence.ts";
import { bytesMoved, sum } from "./measures.ts";
import { fileCalls, posixFiles, realFiles, traceOf } from "./per-job.ts";
import { grouped, many, partOf, partOfBytes } from "./wording.ts";

const PYTHON = /(^|[\s/])(python[\d.]*|ipython|torchrun|jupyter)(\s|$)|\.py(\s|$)/;
const CODE =
  /\.(py|pyc|pyi|so(\.\d+)*|pth|dist-info|egg-info|json|toml|ya?ml|cfg|ini|txt|conf|zip|whl)$|\/(site|dist)-packages\/|\/lib\/python/;

/** What an MPI library makes to pass messages and to try out locks. */
const OF_MPI = /\/(ompi|openmpi-sessions|pmix|prte)[^/]*\/|\.locktest\.\d+$/;

const isPython = (job: Job) =>
  job.runs.some(({ commandLine, application }) => PYTHON.test(commandLine) || PYTHON.test(application));

const isTouchedOnly = (job: Job, file: JobFile) => {
  const { opens, stats, mmaps } = fileCalls(job, file);
  return opens + stats > 0 && !(mmaps > 0) && bytesMoved(file) === 0;
};

const missingWorkerIo = defineRule({
  id: "missing-worker-io",
  title: "Reads of worker processes are missing",
  subject: {
    text: "unrecorded reads of workers",
    plural: true,
  },
  picture: { kind: "files", by: "time" },
  meaning:
    "A Python program stats and opens data files, but the log has no reads of them: forked workers, such as those of a data loader, read them without being recorded.",
  needs: [["POSIX", "STDIO"]],
  thresholds: {
    files: limit`3 files | data files with an open or stat but no read | Plimsoll's choice: some probes are normal`,
    share: limit`0.5 share | part of the data files | Plimsoll's choice: most of the data`,
  },
  judge(job, limits) {
    // A recording or a trace has every process; a log of Darshan has those that it was loaded into.
    if (!isPython(job) || job.runs.some(({ kind }) => kind !== "darshan")) return undefined;
    const data = realFiles(job).filter(
      ({ path }) => !CODE.test(path) && !OF_MPI.test(path) && !/^\/(dev|proc|sys|etc)\//.test(path),
    );
    const files = data.filter((file) => isTouchedOnly(job, file));
    if (files.length < limits.files || files.length < limits.share * data.length) return undefined;
    return {
      cost: unknownCost("the log does not show what workers read and how long they wait"),
      measured: { files: files.length, share: files.length / data.length },
      statement: `${partOf(files.length, data.length, "data files")} are opened or have a stat, but no read of them is recorded; only the main process was recorded.`,
      evidence: {
        numbers: [
          { label: "data files without a read", value: files.length, unit: "files", of: data.length },
          { label: "bytes of data files in the log", value: sum(data, bytesMoved), unit: "bytes" },
        ],
        ...worstFiles(
          files,
          (file) => fileCalls(job, file).opens + fileCalls(job, file).stats,
          (file) =>
            `${many(fileCalls(job, file).opens, "open")}, ${many(fileCalls(job, file).stats, "stat")}, no read`,
        ),
      },
      action: {
        change: "Record the workers too",
        advice:
          "Record the workers too: plimsoll record follows child processes; Darshan needs DARSHAN_ENABLE_NONMPI=1 and workers that exit by themselves (not killed); spawned (not forked) workers have their own logs.",
        snippet: snippetFor(job, SNIPPETS.recordWorkers),
      },
      effect: "The reads can then be judged.",
      confidence: "medium",
      confidenceReason: "that workers read these files is inferred from opens without reads",
      claims: files.map(({ fileId }) => ({ fileId })),
    };
  },
});

const traceIncomplete = defineRule({
  id: "trace-incomplete",
  title: "The trace lost calls",
  subject: { text: "calls that the trace lost", plural: true },
  picture: { kind: "files", by: "time" },
  meaning:
    "For some files the trace of single calls has fewer bytes than the counters: timelines and findings on order and overlap see only part of the I/O.",
  needs: [["POSIX calls"], ["POSIX"]],
  thresholds: {
    share: limit`0.01 share | bytes missing in the trace, as part of the bytes counted | Plimsoll's choice: less is rounding and calls at the end`,
  },
  judge(job, limits) {
    const listed: Listed[] = [];
    let [counted, lost] = [0, 0];
    for (const record of posixFiles(job)) {
      const bytes = bytesMoved(record);
      if (!(bytes > 0)) continue;
      const trace = traceOf(job, record);
      const traced = (trace?.read.bytes ?? 0) + (trace?.write.bytes ?? 0);
      counted += bytes;
      const missing = bytes - traced;
      if (!(missing >= limits.share * bytes)) continue;
      lost += missing;
      listed.push({
        record,
        weight: missing,
        note: `${formatBytes(traced)} of ${formatBytes(bytes)} traced`,
      });
    }
    if (listed.length === 0 || !(lost >= limits.share * counted)) return undefined;
    const isDarshan = job.runs.some(({ kind }) => kind === "darshan");
    return {
      cost: unknownCost(
        "the cost of untraced calls cannot be computed; totals come from counters and are complete",
      ),
      measured: { share: lost / counted },
      statement: `The trace misses ${partOfBytes(lost, counted, "the bytes in the counters")}, in ${many(listed.length, "file")}. Timelines are incomplete; counts, bytes and times in this report are complete.`,
      evidence: {
        numbers: [
          { label: "bytes missing in the trace", value: lost, unit: "bytes", of: counted },
          { label: "files with lost calls", value: listed.length, unit: "files" },
        ],
        ...worstRecords(listed),
      },
      action: isDarshan
        ? {
            change: "Record again with more memory",
            advice: `Give the trace more memory and exclude files that do not matter; by default Darshan keeps a few megabytes per process and module. Here ${grouped(listed.length)} ${listed.length === 1 ? "file is" : "files are"} incomplete.`,
            snippet: snippetFor(job, SNIPPETS.moreRecords, { modules: ["DXT_POSIX", "DXT_MPIIO"] }),
          }
        : {
            change: "Record again",
            advice: "Record again, and check the notes of the recording for calls it could not keep.",
          },
      effect: "Timelines and findings on order then see every call.",
      confidence: "high",
      confidenceReason: "bytes of the trace and of the counters are compared file by file",
    };
  },
});

export const RECORDING_RULES: readonly Rule[] = [missingWorkerIo, traceIncomplete];
