/** `plimsoll job`: one job of a store. */
import {
  PER_CALL,
  POPULATIONS,
  WRITE_CLASS_DEFAULTS,
  checkZone,
  jobAnswer,
  jobDocument,
  jobLine,
  jobShares,
  zoned,
} from "../../analyze/load/index.ts";
import { LATE_MINUTES } from "../../analyze/study/common/run-minutes.ts";
import { commandLine } from "../../base/command-line.ts";
import { UsageError } from "../../base/errors.ts";
import { provenanceJson, provenancePrefix } from "../../model/index.ts";
import { thisCommand } from "../again.ts";
import { defineCommand } from "../command.ts";
import { parseBytes } from "../values.ts";
import { aboutOf, originOf, show, STORE_OPTIONS, withStore } from "./options.ts";
import { option } from "../option.ts";

export default defineCommand({
  name: "job",
  description:
    "Looks up a job in a store: scheduler data, bytes and metadata operations per minute, write bursts (the largest one compared with node memory), write period, share of minutes with I/O, call sizes compared with the other jobs of its cluster, its targets, other jobs on the same target in the same minute, and its Darshan logs. If an id was used more than once, each run is shown. If several clusters have this job id, counters go to the cluster they name or whose job ran in that minute; counters that fit neither are reported and count in no run.",
  arguments: [{ name: "id", help: "job id of the scheduler or of Lustre", kind: "text" }],
  options: {
    population: option.choice(POPULATIONS, "reference jobs for the limits of large and small", {
      default: WRITE_CLASS_DEFAULTS.population,
    }),
    "per-call": option.choice(
      PER_CALL,
      "bytes per call limit: mean over jobs, or total bytes over total calls",
      { default: WRITE_CLASS_DEFAULTS.perCall },
    ),
    threshold: option.text("LIMIT", "limit for heavy writes: mean, median, or bytes such as 10G", {
      default: WRITE_CLASS_DEFAULTS.threshold,
    }),
    "max-gap": option.whole("minutes without writes allowed inside a burst", {
      min: 0,
      max: 1440,
      default: 0,
    }),
    "late-minutes": option.whole("count samples up to N minutes after the job end in its last minute", {
      min: 0,
      max: 60,
      default: LATE_MINUTES,
    }),
    line: option.flag(
      "print one sentence for the user: volume, rate, share of the file system, what to change",
    ),
    cluster: option.text("NAME", "only the job of this cluster, if several clusters have this id"),
    limit: option.whole("number of other jobs", { min: 1, max: 10_000, default: 10 }),
    ...STORE_OPTIONS,
  },
  examples: {
    "plimsoll job 815871 --store centre": "job summary on the terminal",
    "plimsoll job 815871 --store centre -o job.html": "the same as HTML with figures",
    "plimsoll job 815871 --store centre --line": "one sentence, for an epilog, a mail or AdminComment",
  },
  async run({ arguments: [id = ""], options }, context) {
    if (options.zone !== undefined) checkZone(options.zone);
    const { population, perCall, maxGap: maxGapMinutes, lateMinutes, limit: neighbours } = options;
    const threshold =
      options.threshold === "mean" || options.threshold === "median"
        ? options.threshold
        : parseBytes("--threshold", options.threshold);
    if (options.line && options.output !== undefined)
      throw new UsageError("--line and --output: a sentence is not a page; choose one");
    await withStore(options, async (db) => {
      const { zone } = await zoned(db, options);
      const answer = await jobAnswer(db, id, {
        population,
        perCall,
        threshold,
        maxGapMinutes,
        lateMinutes,
        neighbours: options.line ? 0 : neighbours,
        cluster: options.cluster,
      });
      if (answer.runs.length === 0 && answer.clusters.length > 0)
        throw new UsageError(
          `--cluster ${options.cluster}: job ${id} is on ${answer.clusters.join(" and ")}; name one of them`,
        );
      if (answer.runs.length === 0)
        throw new UsageError(
          id === ""
            ? "the job id is empty, and the store has no counters without a job id; name a job"
            : `${id}: the store knows no job of this id; ${commandLine(["plimsoll", "top", "jobs", "--store", options.store])} lists some`,
        );
      const last = answer.runs.at(-1);
      if (options.line && last !== undefined) {
        const origin = await originOf(db, "jobs", "readings");
        const { line, ...rest } = jobLine(last, await jobShares(db, last));
        const marked = `${provenancePrefix(origin)}${line}`;
        if (context.json)
          context.printJson({ jobId: id, line: marked, ...rest, origin: provenanceJson(origin) });
        else context.out.write(`${marked}\n`);
        return;
      }
      const command = thisCommand(context);
      const shown = { output: options.output, origin: await originOf(db, "jobs", "readings") };
      await show(jobDocument(answer, aboutOf(command, zone)), answer, shown, context);
    });
  },
});
