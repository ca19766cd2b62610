/** A sweep, and advice on a pattern, for the terminal. */
import { formatRate } from "../../base/units.ts";
import type { NcioSweep } from "../../model/index.ts";
import type { Advice } from "./advice.ts";
import type { Claim } from "./claims.ts";
import type { Leaders } from "./crossover.ts";
import type { Guideline } from "./guideline.ts";
import { CASE_WORDS, methodName, VARIABLE_WORDS } from "./methods.ts";
import { ratioText } from "./ratio.ts";
import { judgeSweep } from "./verdict.ts";
import { crossoverText, leadsText, regionsText } from "./words.ts";

/** The guidelines with their numbers, and crossovers. */
export function adviceLines(sweep: NcioSweep, columns: number): string[] {
  const { verdict, guidelines, claims, leaders, cautions } = judgeSweep(sweep);
  return [
    ...wrap(verdict, columns, ""),
    "",
    ...guidelines.flatMap((guideline) => guidelineLines(guideline, columns)),
    ...claimLines(claims, columns),
    ...leaderLines(leaders, columns),
    ...(cautions.length === 0
      ? []
      : ["", ...cautions.flatMap((text) => wrap(`Note: ${text}`, columns, "  "))]),
  ];
}

function guidelineLines(
  { number, title, verdict, statement, measures }: Guideline,
  columns: number,
): string[] {
  return [
    ...wrap(`${number}. ${title}: ${verdict.toUpperCase()}`, columns, "   "),
    ...wrap(`   ${statement}`, columns, "   "),
    ...measures
      .filter(({ where }) => where !== "")
      .flatMap(({ label, where, measured, published }) =>
        wrap(
          `   - ${label}: ${measured}${published === "" ? "" : `; paper ${published}`} (${where})`,
          columns,
          "     ",
        ),
      ),
    "",
  ];
}

function claimLines(claims: readonly Claim[], columns: number): string[] {
  const measured = claims.filter(({ verdict }) => verdict !== "not measured");
  if (measured.length === 0) return [];
  return [
    "Published and measured numbers",
    ...measured.flatMap(({ id, title, published, measured: here, verdict }) =>
      wrap(`  ${id} ${title}: ${here}; paper ${published}: ${verdict.toUpperCase()}`, columns, "     "),
    ),
    "",
  ];
}

function leaderLines(leaders: readonly Leaders[], columns: number): string[] {
  if (leaders.length === 0) return [];
  const several = new Set(leaders.map(({ direction }) => direction)).size > 1;
  return [
    "Fastest method and crossovers",
    ...leaders.flatMap((one) => [
      ...wrap(
        `  ${VARIABLE_WORDS[one.variable].label}, ${one.case}${several ? ` (${one.direction})` : ""}: ${leadsText(one)}${one.crossovers.length === 0 ? "; no crossover in the range" : ""}`,
        columns,
        "    ",
      ),
      ...one.crossovers.flatMap((crossover) =>
        wrap(`    crossover: ${crossoverText(one.variable, crossover)}`, columns, "      "),
      ),
    ]),
  ];
}

export function patternLines(advice: Advice, columns: number): string[] {
  const { query, near, best, ties, changes, hints, how } = advice;
  const [first] = near;
  const equal = ties.length === 0 ? "" : `; no difference seen to ${ties.map(methodName).join(" and ")}`;
  return [
    ...wrap(
      `Pattern    ${query.case} ${query.direction}, ${regionsText(query, query.case)}, ${query.ranks} ranks (${CASE_WORDS[query.case]})`,
      columns,
      INDENT,
    ),
    ...wrap(
      `Use        ${methodName(best)}: ${formatRate(advice.bandwidthBytesPerSecond)} at ${first === undefined ? "" : regionsText(first.regions, query.case)}${equal}`,
      columns,
      INDENT,
    ),
    ...wrap(`How        ${how}`, columns, INDENT),
    ...wrap(`Hints      ${hints.join(" ")}`, columns, INDENT),
    ...wrap(
      `Trust      ${advice.confidence}: ${advice.confidenceReason}; ${agreeText(advice)}`,
      columns,
      INDENT,
    ),
    "",
    "Gain of a change",
    ...(changes.length === 0 ? ["  no comparable point was measured"] : changeLines(changes, columns)),
    "",
    "Nearest measured patterns, fast to slow",
    ...near.flatMap(({ regions, points }) =>
      wrap(
        `  ${regionsText(regions, query.case)}: ${points.map((point) => `${methodName(point.method)} ${formatRate(point.bandwidthBytesPerSecond)}`).join(", ")}`,
        columns,
        "    ",
      ),
    ),
  ];
}

const INDENT = " ".repeat(11);

const agreeText = ({ near, agree, best }: Advice): string =>
  near.length < 2
    ? "no other pattern is near"
    : `${methodName(best)} is best, or not seen to be slower, in ${agree} of the ${near.length} nearest patterns`;

function changeLines(changes: Advice["changes"], columns: number): string[] {
  return changes.flatMap(({ text, ratio, seen }) =>
    wrap(
      `  ${seen === "no difference seen" ? `no difference seen, ${ratioText(ratio)}` : ratioText(ratio)}  ${text}`,
      columns,
      "    ",
    ),
  );
}

/** Wraps to this many columns; continuation lines are indented. A longer word has its own line. */
function wrap(text: string, columns: number, indent: string): string[] {
  const start = /^ */.exec(text)?.[0] ?? "";
  const lines: string[] = [];
  let line = start;
  let empty = true;
  // Columns of labels keep their blanks.
  for (const word of text.slice(start.length).split(/(?<=\S) (?=\S)/)) {
    if (!empty && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = indent + word;
    } else line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
}
