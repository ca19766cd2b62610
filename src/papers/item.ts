/** An item of a paper: its kind and place, the command that computes it, and its value in finished results. */
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
  /** The published value; empty without a comparable one. */
  readonly published: string;
  readonly command: string;
  /** Manual page, used without a report: "docs/study-reuse.md#a08". */
  readonly manual: string;
  answer(results: PaperResults): Answer;
}

/** Origin of a value here. */
export type Origin = "" | "computed" | "measured" | "simulated" | "synthetic";

export interface Answer {
  /** Empty: no value. */
  readonly here: string;
  /** Empty: not judged, and `because` says why. */
  readonly verdict: string;
  readonly because: string;
  readonly origin: Origin;
  /** Test of a part; only for parts, which have no verdict. */
  readonly test?: string;
  /** Place in the report: path and anchor. */
  readonly link?: string;
}

export const notJudged = (because: string, here = "", origin: Origin = ""): Answer => ({
  here,
  verdict: "",
  because,
  origin,
});

/**
 * Parts and methods of a paper: without measurements, so each names its test. Two lines each: kind and id | place
 * | title | published value, if any; then command | test | manual.
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

/** A number that follows from others by arithmetic; `holds` if both are equal. */
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

/** An item that no command computes; `because` is the reason, and `command` the closest one. */
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
