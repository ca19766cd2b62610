/** The study of a system on the terminal. */
import { numberOf } from "../../analyze/study/common/values.ts";
import { type Study, SYSTEM_STUDY, verdictOf } from "../../analyze/study/system/index.ts";
import { formatBytes, formatCount, formatShare } from "../../base/units.ts";
import { findingLines, linesText } from "./study-output.ts";
import { isSynthetic, type Provenance } from "../../model/index.ts";

/** The terminal's summary: what was studied, then each observation with own beside published, then what to do. */
export function studyText(study: Study, width: number, origin: Provenance): string {
  const value = (key: string) => numberOf(study.items, key);
  const share = (key: string) => (Number.isNaN(value(key)) ? "none" : formatShare(value(key)));
  const apart = Object.entries(study.items.B02?.dropped ?? {}).map(
    ([what, count]) => `${formatCount(count)} ${what}`,
  );
  const advice = study.recommendations.flatMap((one) => [
    `- ${one.title}: ${one.statement}`,
    `  ${one.advice}`,
  ]);
  const isEmpty = study.jobs + study.series === 0;
  return linesText([
    "Job I/O of this system",
    `Jobs       ${formatCount(study.jobs)} of ${formatCount(value("B02.users"))} users; client counters for ${share("B02.counterCoverage")}: ${formatBytes(value("B02.bytes"))} moved`,
    `Minutes    ${formatCount(study.series)} jobs, ${share("B02.minuteCoverage")} of the jobs that ran in this period`,
    ...(apart.length === 0 ? [] : [`Left out   ${apart.join("\n           ")}`]),
    "",
    verdictOf(study, origin),
    "",
    ...findingLines(study.findings, {
      ...{ kind: SYSTEM_STUDY, word: "observation", width, isEmpty },
      synthetic: isSynthetic(origin),
    }),
    ...(advice.length === 0 ? [] : ["", "Recommendations", ...advice]),
  ]);
}
