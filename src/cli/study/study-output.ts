/** A study over a store as lines on the terminal; the same for all of them. */
import { wholeText } from "../again.ts";
import type { Context } from "../context.ts";
import type { StudyFinding } from "../../analyze/study/common/finding.ts";
import { HELD } from "../../analyze/study/common/judge.ts";
import {
  claimPublished,
  claimText,
  type StudyKind,
  verdictText,
} from "../../analyze/study/common/sections.ts";
import { textTable } from "../../base/text-table.ts";

export const linesText = (lines: readonly string[]): string => `${lines.join("\n")}\n`;

interface FindingLook<Published> {
  readonly kind: StudyKind<Published>;
  /** What the study calls a finding. */
  readonly word: string;
  readonly width: number;
  /** With nothing to study there is no reason to give for each. */
  readonly isEmpty: boolean;
  readonly synthetic: boolean;
}

/** Each finding with own beside published, then why some do not hold; titles are cut to the width. */
export function findingLines<Published>(
  findings: readonly StudyFinding[],
  { kind, word, width, isEmpty, synthetic }: FindingLook<Published>,
): string[] {
  const rows = findings.map((one) => {
    const key = one.decidedBy;
    const [low, high] = one.interval;
    return [
      one.id,
      verdictText(one.verdict, synthetic),
      one.title,
      claimText(kind, key, one.measured),
      Number.isNaN(low) ? "" : `${claimText(kind, key, low)} … ${claimText(kind, key, high)}`,
      one.published === null ? "" : claimPublished(kind, key, one.published),
    ];
  });
  const head = ["", "verdict", word, "here", "interval", "published"];
  const lines = textTable(
    head.map((label) => ({ label, ...(label === word && { rest: 0, min: 20 }) })),
    rows,
    { width },
  );
  const open = isEmpty
    ? []
    : findings.filter(({ verdict, reason }) => verdict !== "confirmed" || reason !== HELD);
  const reasons = open.map(({ id, reason }) => `${id}: ${reason}`);
  return [...lines, ...(reasons.length === 0 ? [] : ["", ...reasons])];
}

/** What the command says at its end: where the report is, or how to get it. */
export function whereText(context: Context, output: string | undefined): string {
  return output === undefined
    ? wholeText("report", context, "study")
    : `\nWrote ${output}: report.html, figures, tables, study.json\n`;
}
