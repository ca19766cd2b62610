/** `plimsoll study system`: the study of job I/O (Paul et al. 2020) on the jobs and minutes of a store. */
import { notesOf, SYSTEM_OPTIONS, systemOptions } from "../../analyze/study/system/index.ts";
import { systemStudy } from "../../studies/system.ts";
import { defineCommand } from "../command.ts";
import { ENGINE_OPTIONS } from "../store/options.ts";
import { optionSpecs } from "./option-specs.ts";
import { givenOptions, runStoreStudy, STUDY_OPTIONS, type StudyCliOptions } from "./store-study.ts";
import { studyText } from "./system-text.ts";

export default defineCommand({
  name: "study system",
  description:
    "Repeats the analyses of Paul et al. (2020) on the jobs of a store and their per-minute server counters: job length and size, reads and writes, write efficiency, metadata load, dominant days, users and hours, share of run time in I/O, and period and size of write bursts. Shows every number next to the published one, gives a verdict on each observation for this system (confirmed, refuted or insufficient), and lists the contradictions of the paper. With --output it writes a folder: report.html, figures as SVG and CSV, tables as CSV, and study.json.",
  options: {
    ...STUDY_OPTIONS,
    memory: {
      ...ENGINE_OPTIONS.memory,
      help: "database memory limit; beyond it, spill to disk; plus about 150 bytes per job (default: 1 GiB)",
    },
    ...optionSpecs(SYSTEM_OPTIONS),
  },
  examples: {
    "plimsoll study system --store site --zone America/Los_Angeles":
      "verdicts on the observations on the terminal",
    "plimsoll study system --store site --cluster quartz --node-memory 128GB -o study":
      "full report of one cluster, with figures and tables",
    "plimsoll study system --store site --population withWrites --user-per-call sumOfRatios --json":
      "limits over jobs with writes, users by the sum of their jobs' bytes per call, as JSON",
  },
  async run({ options: given }, context) {
    const options = given as unknown as StudyCliOptions;
    const chosen = systemOptions(givenOptions(SYSTEM_OPTIONS, options));
    await runStoreStudy(systemStudy(chosen, options), options, { notes: notesOf, text: studyText }, context);
  },
});
