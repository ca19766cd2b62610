/** The study of a system as JSON and on the terminal. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { claimText, type Study, verdictOf } from "../../analyze/system/index.ts";
import { formatBytes, formatCount, formatShare } from "../../base/units.ts";
import { itemsJson } from "./items-json.ts";

export const SYSTEM_KIND = "plimsoll system study";

export function isSystemStudy(folder: string): boolean {
  try {
    return JSON.parse(readFileSync(join(folder, "study.json"), "utf8"))?.kind === SYSTEM_KIND;
  } catch {
    return false;
  }
}

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
}: Study): unknown {
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
    `Jobs       ${formatCount(study.jobs)} of ${formatCount(value("B02", "users"))} users; clients were read for ${share(value("B02", "counterCoverage"))}: ${formatBytes(value("B02", "bytes"))} moved`,
    `Minutes    ${formatCount(study.series)} jobs, ${share(value("B02", "minuteCoverage"))} of those that ran meanwhile`,
  ];
  const apart = Object.entries(study.items.B02?.dropped ?? {});
  if (apart.length > 0)
    lines.push(
      `Apart      ${apart.map(([what, count]) => `${formatCount(count)} ${what}`).join("\n           ")}`,
    );
  lines.push("", verdictOf(study), "", ...findingLines(study, width));
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

function findingLines(study: Study, width: number): string[] {
  const rows = study.findings.map((one) => {
    const key = one.claims[0]?.key ?? "";
    const [low, high] = one.interval;
    return [
      one.id,
      one.verdict,
      one.title,
      claimText(key, one.measured),
      Number.isNaN(low) ? "" : `${claimText(key, low)} … ${claimText(key, high)}`,
      one.published === null ? "" : claimText(key, one.published),
    ];
  });
  const head = ["", "verdict", "observation", "here", "interval", "published"];
  const widths = head.map((text, i) =>
    Math.max(text.length, ...rows.map((row) => (row[i] as string).length)),
  );
  const others = widths.reduce((sum, one, i) => (i === 2 ? sum : sum + one + 2), 0);
  widths[2] = Math.max(20, Math.min(widths[2] as number, width - others));
  const line = (row: readonly string[]) =>
    row
      .map((text, i) => {
        const room = widths[i] as number;
        return (text.length > room ? `${text.slice(0, room - 1)}…` : text).padEnd(room);
      })
      .join("  ")
      .trimEnd();
  return [line(head), ...rows.map(line)];
}
