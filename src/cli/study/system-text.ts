/** The study of a system as JSON and on the terminal. */
import { claimText, type Study, verdictOf } from "../../analyze/study/system/index.ts";
import { formatBytes, formatCount, formatShare } from "../../base/units.ts";
import { itemsJson } from "./items-json.ts";
import { findingLines } from "./study-output.ts";

/** What --json prints: the contract of all studies. */
export function studyJson({
  items,
  findings,
  recommendations,
  options,
  jobs,
  series,
  clusters,
  seconds,
}: Study): object {
  return {
    study: "system",
    options,
    jobs,
    seriesJobs: series,
    clusters,
    items: itemsJson(items),
    findings,
    recommendations,
    seconds,
  };
}

/** The terminal's summary: what was studied, then each observation with own beside published, then what to do. */
export function studyText(study: Study, width: number): string {
  const value = (item: string, key: string) => Number(study.items[item]?.values[key] ?? Number.NaN);
  const share = (number: number) => (Number.isNaN(number) ? "none" : formatShare(number));
  const lines = [
    "Job I/O of this system",
    `Jobs       ${formatCount(study.jobs)} of ${formatCount(value("B02", "users"))} users; client counters for ${share(value("B02", "counterCoverage"))}: ${formatBytes(value("B02", "bytes"))} moved`,
    `Minutes    ${formatCount(study.series)} jobs, ${share(value("B02", "minuteCoverage"))} of the jobs that ran in this period`,
  ];
  const apart = Object.entries(study.items.B02?.dropped ?? {});
  if (apart.length > 0)
    lines.push(
      `Left out   ${apart.map(([what, count]) => `${formatCount(count)} ${what}`).join("\n           ")}`,
    );
  lines.push("", verdictOf(study), "", ...findingLines(study.findings, "observation", claimText, width));
  const open = study.findings.filter(({ verdict }) => verdict !== "confirmed");
  if (open.length > 0 && study.jobs + study.series > 0)
    lines.push("", ...open.map(({ id, reason }) => `${id}: ${reason}`));
  if (study.recommendations.length > 0)
    lines.push(
      "",
      "What to do",
      ...study.recommendations.flatMap((one) => [`- ${one.title}: ${one.statement}`, `  ${one.advice}`]),
    );
  return `${lines.join("\n")}\n`;
}
