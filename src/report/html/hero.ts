/** The first screen: the answer on the left, the picture that shows it on the right. */
import type { Answers, Document, Fact } from "../../model/index.ts";
import { runTimeText } from "./amounts.ts";
import { figureHtml, type PageBuild } from "./blocks.ts";
import { attribute, name, prose } from "./escape.ts";
import { costBasis } from "./findings.ts";
import { severityHtml } from "./words.ts";

export function heroHtml(document: Document, build: PageBuild): string {
  const { answers, figure, secondFigure } = document;
  if (answers === undefined) return plainHero(document, build);
  const pictures = [figure, secondFigure].flatMap((one) =>
    one === undefined ? [] : [figureHtml(one, build, "proof")],
  );
  const picture =
    pictures.length > 1 ? `<div class="proofs">${pictures.join("\n")}</div>` : (pictures[0] ?? "");
  return `<div class="hero${figure === undefined ? " alone" : ""}"><div class="answer"><div class="verdict">${severityHtml(answers.level)}
<h1>${prose(answers.headline)}</h1>
<p class="lead">${answers.lead.map((sentence) => prose(sentence)).join(" ")}</p></div>
${answersHtml(answers, build)}</div>
${picture}</div>`;
}

/** Documents that answer other questions: what they are about, what they found, and from what. */
function plainHero({ title, verdict, facts, figure }: Document, build: PageBuild): string {
  const [first, rest] = sentences(verdict);
  const picture = figure === undefined ? "" : figureHtml(figure, build, "proof");
  return `<div class="hero${picture === "" ? " plain" : ""}"><div class="answer"><h1 class="eyebrow">${name(title, 160)}</h1>
<div class="verdict"><p class="headline">${prose(first)}</p>${rest === "" ? "" : `<p class="lead">${prose(rest)}</p>`}</div>
${factsHtml(facts)}</div>
${picture}</div>`;
}

/** A stop ends a sentence when a capital follows; where the data come from belongs to what is said of them. */
function sentences(text: string): readonly [first: string, rest: string] {
  const first =
    /^(?:[^.:]*\b(?:[Ss]ynthetic|[Ss]imulated)\b[^.:]*: )?.*?(?:[.:](?= [A-Z])|\.(?= \d|$))/s.exec(
      text,
    )?.[0] ?? text;
  return [first, text.slice(first.length).trim()];
}

const ANSWER_WORDS = { yes: "Yes.", partly: "In part.", no: "No.", unknown: "" } as const;
const DOTS = { high: 3, medium: 2, low: 1 } as const;

function answersHtml(answers: Answers, { findingPlaces }: PageBuild): string {
  const { blame, change, sure } = answers;
  const word = ANSWER_WORDS[blame.answer];
  const place = change.finding === null ? undefined : findingPlaces.get(change.finding);
  const what = `<b>${prose(change.text)}</b>`;
  const dots = sure.confidence === null ? 0 : DOTS[sure.confidence];
  const dotsHtml = [1, 2, 3].map((at) => `<i${at <= dots ? ' class="on"' : ""}></i>`).join("");
  const level = sure.confidence ?? "";
  return `<dl class="answers">
<div><dt>I/O to blame?</dt><dd>${word === "" ? "" : `<b>${word}</b> `}${prose(blame.text)}</dd></div>
<div><dt>Gain</dt><dd>${gainHtml(answers)}</dd></div>
<div><dt>Change first</dt><dd>${place === undefined ? what : `<a href="#finding-${place}">${what}</a>`}</dd></div>
<div><dt>How sure</dt><dd><span class="dots" aria-hidden="true">${dotsHtml}</span>${level === "" ? "" : `<b>${level.replace(/^./, (letter) => letter.toUpperCase())}.</b> `}${prose(sure.text)}</dd></div>
</dl>`;
}

/** The run as it is, and without the cause, as two bars of the same scale. */
function gainHtml({ gain, level }: Answers): string {
  const text = prose(gain.text).replace(/^.*?(?=[,.:] |[.:]$)/, (part) => `<b>${part}</b>`);
  const { runSeconds, withoutSeconds, seconds } = gain;
  if (runSeconds === null || withoutSeconds === null || seconds === null) return `<p>${text}</p>`;
  const left = Math.max(0, Math.min(100, (100 * withoutSeconds) / runSeconds));
  const amount = runTimeText(runSeconds);
  const about = gain.basis === "estimated" || gain.atMost ? (gain.atMost ? "≥ " : "≈ ") : "";
  const more =
    gain.togetherSeconds === null || gain.togetherSeconds <= 1.05 * seconds
      ? ""
      : `; all causes together ${amount(gain.togetherSeconds)}`;
  const tone = level === "high" || level === "warn" ? level : "info";
  return `<p>${text}${gain.atMost ? "" : ` <span class="basis">(${costBasis(gain)})</span>`}</p>
<div class="gain ${tone}" style="--left:${left.toFixed(1)}%"><i class="now" title="This run"></i><b>${amount(runSeconds)}</b><i class="then" title="Without the cause"></i><b>${about}${amount(withoutSeconds)}</b></div>
<small>this run, and without the cause${more}</small>`;
}

function factsHtml(facts: readonly Fact[]): string {
  if (facts.length === 0) return "";
  const items = facts.map(({ label, text, exact }) => {
    const title = exact === undefined ? "" : ` title="${attribute(exact)}"`;
    return `<div><dt>${prose(label)}</dt><dd${title}>${name(text, 120)}</dd></div>`;
  });
  return `<dl class="facts">${items.join("")}</dl>`;
}
