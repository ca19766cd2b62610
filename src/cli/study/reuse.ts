/** `plimsoll study reuse`: the study of file reuse (Patel et al., FAST '20) on the logs of a store. */
import { numberOf } from "../../analyze/study/common/values.ts";
import {
  REUSE_OPTIONS,
  REUSE_STUDY,
  reuseOptions,
  type Study,
  verdictOf,
} from "../../analyze/study/reuse/index.ts";
import { formatBytes, formatCount, formatMany } from "../../base/units.ts";
import { isSynthetic, type Provenance } from "../../model/index.ts";
import { reuseStudy } from "../../studies/reuse.ts";
import { defineCommand } from "../command.ts";
import { option } from "../option.ts";
import { ENGINE_OPTIONS } from "../store/options.ts";
import { optionSpecs } from "./option-specs.ts";
import { givenOptions, runStoreStudy, STUDY_OPTIONS, type StudyCliOptions } from "./store-study.ts";
import { findingLines, linesText } from "./study-output.ts";

export default defineCommand({
  name: "study reuse",
  description:
    "Repeats the analyses of Patel et al. (FAST '20) on the logs of a store: I/O-intensive files, read or write dominance, time between runs, sharing between applications, load balance over OSTs and hours, and variation of I/O time. Shows every number next to the published one and gives a verdict on each of the ten findings for this centre: confirmed, refuted or insufficient. With --output it writes a folder: report.html, figures as SVG and CSV, tables as CSV, and study.json.",
  options: {
    ...STUDY_OPTIONS,
    memory: {
      ...ENGINE_OPTIONS.memory,
      help: "memory limit of database and accesses; beyond it, data is read in parts (default: 2 GiB)",
    },
    units: option.choice(["si", "iec"], "size suffixes: K is 1000 (si) or 1024 (iec)", { default: "si" }),
    ...optionSpecs(REUSE_OPTIONS),
  },
  examples: {
    "plimsoll study reuse --store centre": "verdicts on the ten findings on the terminal",
    "plimsoll study reuse --store centre --zone America/Los_Angeles -o study":
      "full report with figures and tables",
    "plimsoll study reuse --store centre --min-bytes 10GB --json":
      "a smaller centre: more files, as one JSON document",
  },
  async run({ options: given }, context) {
    const { units, ...options } = given as unknown as StudyCliOptions & { readonly units: "si" | "iec" };
    const chosen = reuseOptions(givenOptions(REUSE_OPTIONS, options, units));
    await runStoreStudy(reuseStudy(chosen, options), options, { text: studyText }, context);
  },
});

/** The terminal's summary: what was studied, then each finding with own beside published. */
function studyText(study: Study, width: number, origin: Provenance): string {
  const value = (key: string) => numberOf(study.items, key);
  const many = (key: string, one: string) => formatMany(value(key), one);
  const census = study.items.A01;
  const care = [
    [census?.values.runsWithBadClock, "runs with a wrong clock"],
    [census?.values.partialAccesses, "accesses of incomplete modules"],
    [census?.dropped["accesses on excluded mounts"], "accesses on excluded mounts"],
  ].filter(([number]) => Number(number ?? 0) > 0);
  const apart = care.map(([number, what]) => `${formatCount(Number(number))} ${what}`).join(", ");
  return linesText([
    "File reuse at this centre",
    `All        ${many("A01.logs", "log")}, ${many("A01.files", "file")}, ${formatBytes(value("A01.bytes"))} moved`,
    `Studied    ${many("A04.files", "file")}, ${many("A04.runs", "run")}, ${formatBytes(value("A04.bytes"))} moved`,
    ...(apart === "" ? [] : [`Left out   ${apart}`]),
    "",
    verdictOf(study, origin),
    "",
    ...findingLines(study.findings, {
      ...{ kind: REUSE_STUDY, word: "finding", width },
      isEmpty: study.files === 0,
      synthetic: isSynthetic(origin),
    }),
  ]);
}
