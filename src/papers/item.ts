/** An item of a paper: what it is, where it stands, which command gives it, and what finished results say of it. */
import type { PaperResults } from "./results.ts";

type PaperId = "reuse" | "metric" | "adaptive" | "system" | "ncio";
export type ItemKind = "component" | "algorithm" | "figure" | "table" | "finding" | "number";

export interface Paper {
  readonly id: PaperId;
  /** Who and where: "Patel et al., FAST '20". */
  readonly short: string;
  readonly title: string;
  readonly items: readonly PaperItem[];
}

export interface PaperItem {
  /** "F03", "A08.readMeanHours", "fig-5a": unique in its paper. */
  readonly id: string;
  readonly kind: ItemKind;
  /** Section, figure or table of the paper. */
  readonly place: string;
  readonly title: string;
  /** What the paper prints; empty where it prints nothing that could be compared. */
  readonly published: string;
  readonly command: string;
  /** Manual that describes it, for when there is no report to lead to: "docs/study-reuse.md#a08". */
  readonly manual: string;
  answer(results: PaperResults): Answer;
}

/** Where a value here is from. */
export type Origin = "" | "computed" | "measured" | "simulated" | "synthetic";

export interface Answer {
  /** Empty: nothing to show. */
  readonly here: string;
  /** Empty: not judged, and `because` says why. */
  readonly verdict: string;
  readonly because: string;
  readonly origin: Origin;
  /** Test that shows a part at work; only of parts, which have nothing to judge. */
  readonly test?: string;
  /** Where the report shows it: path and anchor. */
  readonly link?: string;
}

export const notJudged = (because: string, here = "", origin: Origin = ""): Answer => ({
  here,
  verdict: "",
  because,
  origin,
});

/**
 * Parts and methods of a paper: nothing to measure, so each names the test that shows it at work. Two lines each:
 * kind and id | place | title | what the paper prints, if anything; then command | test | manual.
 */
export function parts(lines: string): PaperItem[] {
  const fields = lines
    .trim()
    .split("\n")
    .map((line) => line.trim().split(" | "));
  return fields.flatMap(([head = "", place = "", title = "", published = ""], index): PaperItem[] => {
    if (index % 2 === 1) return [];
    const [kind, id = ""] = head.split(" ");
    const [command = "", test = "", manual = ""] = fields[index + 1] as string[];
    const answer = { ...notJudged(`the paper gives no number for it; ${test} shows it`), test };
    return [{ id, kind: kind as ItemKind, place, title, published, command, manual, answer: () => answer }];
  });
}

/** A number that follows from others by arithmetic; `holds` where both are the same. */
export const computed = (
  id: string,
  place: string,
  title: string,
  published: string,
  here: string,
  command: string,
  manual: string,
  holds = true,
): PaperItem => ({
  ...{ id, kind: "number", place, title, published, command, manual },
  answer: () => ({
    here,
    verdict: holds ? "adds up" : "contradiction",
    because: "computed from other numbers of the paper",
    origin: "computed",
  }),
});

/** What no command gives; `because` says why, and `command` comes nearest to it. */
export const unjudged = (
  kind: ItemKind,
  id: string,
  place: string,
  title: string,
  because: string,
  [command, manual]: readonly [command: string, manual: string],
  published = "",
): PaperItem => ({
  ...{ id, kind, place, title, published, command, manual },
  answer: () => notJudged(because),
});
