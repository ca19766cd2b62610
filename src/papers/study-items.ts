/** Items of the two papers with store studies: numbers from the items of the study, findings, and figures. */
import { assert } from "../base/assert.ts";
import type { StudyKind } from "../analyze/study/common/sections.ts";
import { infoOf, itemAndKey, publishedText, type Value, valueText } from "../analyze/study/common/values.ts";
import { type Answer, notJudged, type Origin, type PaperItem } from "./item.ts";
import type { FindingResult, PaperResults, StudyOutcome } from "./results.ts";

/** A study as used for the items of its paper. */
export interface StudyPaper<Published> {
  readonly paper: "reuse" | "system";
  readonly kind: StudyKind<Published>;
  readonly command: string;
  readonly manual: string;
}

/** Every number of the study with a published counterpart. */
export function numberItems<Published>(study: StudyPaper<Published>): PaperItem[] {
  return study.kind.items.flatMap((item) =>
    Object.entries({ ...item.values, ...item.tabled, ...item.others }).flatMap(([key, info]): PaperItem[] => {
      const full = `${item.id}.${key}`;
      if (info[2] === undefined || item.repeats?.includes(key)) return [];
      return [
        {
          id: full,
          kind: "number",
          place: item.place ?? "",
          title: `${item.title}: ${info[1]}`,
          published: publishedText(info, study.kind.publishedText),
          command: study.command,
          manual: `${study.manual}#${item.id.toLowerCase()}`,
          answer: (results) => numberAnswer(study, full, results[study.paper]),
        },
      ];
    }),
  );
}

/** A statement without a number in the paper, with a value of the study. */
export function valueItem<Published>(
  study: StudyPaper<Published>,
  full: string,
  place: string,
  title: string,
): PaperItem {
  const [, , number, words] = infoOf(study.kind.items, full);
  assert(number === undefined && words !== undefined, `${full}: a number, or no words of the paper`);
  return {
    ...{ id: `said.${full}`, kind: "number", place, title, published: words, command: study.command },
    manual: `${study.manual}#${itemAndKey(full)[0].toLowerCase()}`,
    answer: (results) => numberAnswer(study, full, results[study.paper]),
  };
}

const NO_RESULT: Answer = notJudged("no study was given");

const originOf = ({ synthetic, simulated }: StudyOutcome): Origin =>
  simulated ? "simulated" : synthetic ? "synthetic" : "measured";

/** The number here, and the claim of a finding that uses it. */
function numberAnswer<Published>(
  { kind }: StudyPaper<Published>,
  full: string,
  outcome: StudyOutcome | undefined,
): Answer {
  if (outcome === undefined) return NO_RESULT;
  const [id, key] = itemAndKey(full);
  const claimed = outcome.findings.flatMap((finding) =>
    finding.claims.filter((claim) => claim.key === full).map((claim) => ({ finding, claim })),
  )[0];
  const value = outcome.items[id]?.[key] ?? claimed?.claim.measured;
  const apart = Object.entries(outcome.clusters[id] ?? {}).map(
    ([name, own]) => [name, hereText(kind, full, own[key])] as const,
  );
  const here =
    apart.length > 1 && apart.every(([, text]) => text !== "")
      ? apart.map(([name, text]) => `${text} (${name})`).join(", ")
      : hereText(kind, full, value);
  const origin = originOf(outcome);
  const link = linkTo(outcome, `table-${id.toLowerCase()}-values`);
  if (here === "") return notJudged("only the paper has this number", "", "");
  if (claimed === undefined)
    return {
      ...notJudged("no claim of a finding uses it; compare the two numbers", here, origin),
      ...link,
    };
  const { finding, claim } = claimed;
  if (claim.state === "open")
    return {
      ...notJudged(`the claim of ${finding.id} stays open: ${finding.reason}`, here, origin),
      ...link,
    };
  return {
    here,
    verdict: verdictWord(claim.state, outcome),
    because: `claim of ${finding.id}`,
    origin,
    ...link,
  };
}

function hereText<Published>(kind: StudyKind<Published>, full: string, value: unknown): string {
  const [unit] = infoOf(kind.items, full);
  if (value === null || value === undefined) return "";
  // Byte sums beyond 2^53 are strings in JSON.
  const number = typeof value === "string" && /^\d+$/.test(value) ? BigInt(value) : (value as Value);
  return typeof number === "number" && Number.isNaN(number) ? "" : valueText(unit, number);
}

/** Generated data cannot confirm a claim. */
function verdictWord(word: string, { synthetic, mixed, simulated }: StudyOutcome): string {
  if (word === "fails") return "refuted";
  const held = word === "holds" || word === "confirmed";
  if (!held) return word;
  if (!synthetic && !simulated) return "confirmed";
  return `reproduced on ${simulated ? "simulated" : mixed ? "partly synthetic" : "synthetic"} data`;
}

const linkTo = ({ report }: StudyOutcome, anchor: string): { readonly link?: string } =>
  report === undefined ? {} : { link: `${report}#${anchor}` };

/** A finding with its published numbers; `judgedBy` is that of the study. */
export function findingItem<Published>(
  study: StudyPaper<Published>,
  id: string,
  place: string,
  title: string,
  keys: readonly string[],
  judgedBy = id,
): PaperItem {
  const published = keys.map((full) => {
    const info = infoOf(study.kind.items, full);
    assert(info[2] !== undefined, `${full}: the paper prints no such number`);
    return `${info[1]} ${publishedText(info, study.kind.publishedText)}`;
  });
  return {
    id,
    kind: "finding",
    place,
    title,
    published: published.join("; "),
    command: study.command,
    manual: study.manual,
    answer: (results) => {
      const outcome = results[study.paper];
      return outcome === undefined
        ? NO_RESULT
        : findingAnswer(outcome, judgedBy, (finding) =>
            finding.claims.map(({ key, measured }) => hereText(study.kind, key, measured)).join("; "),
          );
    },
  };
}

export function findingAnswer(
  outcome: StudyOutcome,
  id: string,
  here: (finding: FindingResult) => string,
  anchor = "table-findings",
): Answer {
  const finding = outcome.findings.find((one) => one.id === id);
  const origin = originOf(outcome);
  if (finding === undefined) return notJudged(`${outcome.source} has no finding ${id}`);
  const link = linkTo(outcome, anchor);
  if (finding.verdict === "insufficient")
    return { ...notJudged(finding.reason, here(finding), origin), ...link };
  return {
    here: here(finding),
    verdict: verdictWord(finding.verdict, outcome),
    because: finding.reason,
    origin,
    ...link,
  };
}

/** A figure of a paper, drawn by its command under ids with this prefix. */
export function figureItem(
  paper: keyof PaperResults,
  id: string,
  place: string,
  title: string,
  figure: string,
  command: string,
  manual: string,
): PaperItem {
  return {
    id,
    kind: "figure",
    place,
    title,
    published: "",
    command,
    manual,
    answer: (results) => figureAnswer(results[paper], figure),
  };
}

type WithFigures = NonNullable<PaperResults[keyof PaperResults]>;

function figureAnswer(outcome: WithFigures | undefined, figure: string): Answer {
  if (outcome === undefined) return NO_RESULT;
  const { figures, report } = outcome;
  if (figures === undefined) return notJudged(`${outcome.source} lists no figures; create it with -o`);
  // "figure-1" is not "figure-10a".
  const drawn = figures.filter((one) => one.startsWith(figure) && !/^\d/.test(one.slice(figure.length)));
  if (drawn.length === 0) return notJudged(`${outcome.source} has no such figure: no data for it`);
  const answer = notJudged(
    "figures have no verdict; their numbers have separate rows",
    drawn.length === 1 ? "drawn" : `drawn, ${drawn.length} panels`,
    originOfAny(outcome),
  );
  return report === undefined ? answer : { ...answer, link: `${report}#figure-${drawn[0]}` };
}

function originOfAny(outcome: WithFigures): Origin {
  if ("checks" in outcome) return "simulated";
  return "sweep" in outcome ? "measured" : originOf(outcome);
}
