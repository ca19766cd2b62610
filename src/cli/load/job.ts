/** `plimsoll job`: one job of a store. */
import { PER_CALL, POPULATIONS, checkZone, jobAnswer, jobDocument } from "../../analyze/load/index.ts";
import { LATE_MINUTES } from "../../analyze/study/common/run-minutes.ts";
import { UsageError } from "../../base/errors.ts";
import { defineCommand } from "../command.ts";
import { parseBytes } from "../values.ts";
import { aboutOf, commandLine, flag, show, STORE_OPTIONS, withStore } from "./options.ts";

export default defineCommand({
  name: "job",
  description:
    "Looks up a job in a store: what the scheduler says of it, bytes and metadata operations by minute, bursts of writes and the largest one beside the memory of its nodes, the period of its writes, the share of minutes with I/O, whether it writes in large or small calls against the other jobs of its cluster, the targets it used, other jobs on the same target in the same minute, and Darshan logs of the same job. An id that came more than once shows each run. Where several clusters have a job of this number, counters go to the one that they name or whose job ran at that minute; what nobody can tell is said and is in none of the runs.",
  arguments: [{ name: "id", help: "job id as the scheduler or Lustre has it", kind: "text" }],
  options: {
    population: {
      kind: "choice",
      choices: POPULATIONS,
      default: "withWrites",
      help: "jobs that the limits of large and small are taken from",
    },
    "per-call": {
      kind: "choice",
      choices: PER_CALL,
      default: "meanOfRatios",
      help: "limit of bytes per call: mean of every job's, or all bytes over all calls",
    },
    threshold: {
      kind: "string",
      default: "mean",
      valueName: "LIMIT",
      help: "above which a job writes much: mean, median, or bytes such as 10G",
    },
    "max-gap": {
      kind: "number",
      integer: true,
      min: 0,
      max: 1440,
      default: 0,
      help: "minutes without writes that do not end a burst",
    },
    "late-minutes": {
      kind: "number",
      integer: true,
      min: 0,
      max: 60,
      default: LATE_MINUTES,
      help: "minutes up to so many after the end of the job count in its last minute",
    },
    cluster: {
      kind: "string",
      valueName: "NAME",
      help: "only the job of this cluster, where several have one of this number",
    },
    limit: { kind: "number", integer: true, min: 1, max: 10_000, default: 10, help: "other jobs to show" },
    ...STORE_OPTIONS,
  },
  examples: [
    { command: "plimsoll job 815871 --store centre", does: "one job on the terminal" },
    { command: "plimsoll job 815871 --store centre -o job.html", does: "the same as a page with figures" },
  ],
  async run({ arguments: [id = ""], options }, context) {
    checkZone(options.zone);
    const { population, perCall, maxGap: maxGapMinutes, lateMinutes, limit: neighbours } = options;
    const threshold =
      options.threshold === "mean" || options.threshold === "median"
        ? options.threshold
        : parseBytes("--threshold", options.threshold);
    await withStore(options, async (db) => {
      const answer = await jobAnswer(db, id, {
        population,
        perCall,
        threshold,
        maxGapMinutes,
        lateMinutes,
        neighbours,
        cluster: options.cluster,
      });
      if (answer.runs.length === 0 && answer.clusters.length > 0)
        throw new UsageError(
          `--cluster ${options.cluster}: job ${id} is on ${answer.clusters.join(" and ")}; name one of them`,
        );
      if (answer.runs.length === 0)
        throw new UsageError(
          id === ""
            ? "the job id is empty, and the store has no counters without a job id; give the id of a job"
            : `${id}: the store knows no job of this id; plimsoll top jobs --store ${options.store} lists some`,
        );
      const command = commandLine([
        ...["plimsoll", "job", id, "--store", options.store],
        ...flag("cluster", options.cluster),
        ...flag("zone", options.zone),
        ...flag("output", options.output),
      ]);
      await show(jobDocument(answer, aboutOf(command, options.zone)), answer, options.output, context);
    });
  },
});
