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

/** A part or a method of a paper: nothing to measure, so it names the test that shows it at work. */
export const part = (
  kind: "component" | "algorithm" | "table" | "figure",
  id: string,
  place: string,
  title: string,
  [command, test, manual]: readonly [command: string, test: string, manual: string],
  published = "",
): PaperItem => ({
  id,
  kind,
  place,
  title,
  published,
  command,
  manual,
  answer: () => ({ ...notJudged(`the paper gives no number for it; ${test} shows it`), test }),
});

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
    verdict: holds ? "confirmed" : "refuted",
    because: "computed",
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
