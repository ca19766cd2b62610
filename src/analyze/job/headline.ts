/**
 * The first screen of a report: is I/O to blame, what would the job gain, what to change first, how sure is that. One
 * headline with the cause and its cost, and at most two sentences more.
 */
import { firstSentence } from "../../base/cut.ts";
import { formatCount, formatMany } from "../../base/units.ts";
import type { Answers, Cost, Finding } from "../../model/index.ts";
import { HIGH_SHARE, WARN_SECONDS, WARN_SHARE } from "./cost/cost.ts";
import { needsText } from "./facts.ts";
import type { Job } from "./job.ts";
import type { Rule, Subject, Verdicts } from "./rule.ts";
import { RULES } from "./rules/index.ts";
import { usesMpi } from "./snippets/index.ts";
import { percentText, timeUnit, withoutAsides, withShortPaths } from "./headline-words.ts";

const WORDS_MAX = 12;
/** From this part of the run on I/O is what the job waits for; from HIGH_SHARE on it is worth a look. */
const BLAMED_SHARE = 0.5;
const LEAD_CHARACTERS_MAX = 110;

const RULES_BY_ID: ReadonlyMap<string, Rule> = new Map(RULES.map((rule) => [rule.id, rule]));

/** What a report, its JSON and its Markdown say first. */
export function answersOf(job: Job, verdicts: Verdicts): Answers {
  if (job.files.length === 0) return withoutIo(job, verdicts);
  const loud = verdicts.findings.filter(({ severity }) => severity !== "info");
  const [first] = loud;
  if (verdicts.findings.length + verdicts.quiet.length === 0) return withoutRules(job, verdicts);
  const cause = loud.find((one) => !isSymptom(one) && one.cost.seconds !== null);
  if (first !== undefined && isSymptom(first)) return withSymptom(job, verdicts, first, cause);
  if (cause !== undefined) return withCause(job, verdicts, cause);
  const share = shareOf(job);
  const suspect = loud.find(({ id }) => RULES_BY_ID.get(id)?.subject !== undefined);
  if (suspect !== undefined && !(share < WARN_SHARE)) return withSuspect(job, suspect);
  return withoutCause(job, verdicts, loud);
}

/** Headline and lead as one text. */
export function verdictOf(job: Job, verdicts: Verdicts): string {
  const { headline, lead } = answersOf(job, verdicts);
  return [headline, ...lead].join(" ");
}

/** What the slowest rank spends in I/O, as part of the run; NaN when the log has no run time. */
const shareOf = (job: Job) =>
  job.runSeconds > 0 ? Math.min(1, job.ledger.seconds / job.runSeconds) : Number.NaN;

const isSymptom = ({ id }: Finding) => RULES_BY_ID.get(id)?.isSymptom === true;

function withCause(job: Job, verdicts: Verdicts, finding: Finding): Answers {
  return {
    headline: causeHeadline(job, finding),
    lead: [why(finding), what(finding)],
    level: finding.severity,
    finding: finding.id,
    blame: blame(job, finding.cost),
    gain: gain(job, verdicts, finding),
    change: change(finding),
    sure: sure(finding),
  };
}

/** No cause explains most of the time: where one explains a part, it says how much. */
function withSymptom(job: Job, verdicts: Verdicts, symptom: Finding, cause: Finding | undefined): Answers {
  const share = shareOf(job);
  const isRecorded = job.trace !== undefined || cause === undefined;
  const rest = isRecorded ? "no cause stands out" : "its cause is not recorded";
  return {
    headline: Number.isNaN(share)
      ? `The job waits for I/O; ${rest}.`
      : `I/O takes ${percentText(share)} of the run; ${rest}.`,
    lead: [cause === undefined ? mostText(job) : partText(job, cause), what(cause ?? symptom)],
    level: symptom.severity,
    finding: symptom.id,
    blame: blame(job),
    gain:
      cause === undefined
        ? noGain(job, `Unknown: ${withoutAsides(symptom.cost.model)}.`)
        : gain(job, verdicts, cause),
    change: change(cause ?? symptom),
    sure:
      cause === undefined
        ? { confidence: "low", text: "The I/O time is measured, its reason is not." }
        : sure(cause),
  };
}

/** A cause whose cost is not known: nothing is promised. */
function withSuspect(job: Job, finding: Finding): Answers {
  const { text, plural } = subjectOf(finding) as Subject;
  return {
    headline: `${capital(text)} ${plural ? "stand out; their cost" : "stands out; its cost"} is unknown.`,
    lead: [why(finding), what(finding)],
    level: finding.severity,
    finding: finding.id,
    // Metadata has no cost where opens wait for somebody: of the storage their time says nothing.
    blame:
      finding.id === "metadata-time"
        ? { answer: "unknown", text: "Unknown: opens that wait for another process take most of the time." }
        : blame(job),
    gain: noGain(job, `Unknown: ${withoutAsides(finding.cost.model)}.`),
    change: change(finding),
    sure: sure(finding),
  };
}

function withoutCause(job: Job, { findings, quiet, unjudged }: Verdicts, loud: readonly Finding[]): Answers {
  const share = shareOf(job);
  const isKnown = !Number.isNaN(share);
  const isSmall = share < HIGH_SHARE;
  const applied = formatMany(quiet.length + findings.length, "rule");
  const { isIncomplete } = job;
  const nothing =
    loud.length > 0
      ? why(loud[0] as Finding)
      : `None of ${applied} found a cause worth ${leastText(findings)} or more.`;
  const more =
    !isSmall && isKnown && job.trace === undefined
      ? ["Single calls, with DXT_ENABLE_IO_TRACE=1 for Darshan, would show more."]
      : [];
  return {
    headline: isSmall
      ? isIncomplete
        ? `Recorded I/O takes ${percentText(share)} of the run; part is not recorded.`
        : `I/O is not the problem: ${percentText(share)} of the run.`
      : isKnown
        ? `I/O takes ${percentText(share)} of the run; no cause stands out.`
        : "No I/O problem stands out; the run time is not recorded.",
    lead: [nothing, ...more],
    level: isSmall && loud.length === 0 && !isIncomplete ? "good" : "unknown",
    finding: loud[0]?.id ?? null,
    blame: blame(job),
    gain: noGain(
      job,
      isSmall && !isIncomplete
        ? `Nothing to gain: I/O is ${percentText(share)} of the run.`
        : largestText(findings),
    ),
    change:
      loud[0] === undefined
        ? { text: isSmall && !isIncomplete ? "Nothing" : "Nothing found in this log", finding: null }
        : change(loud[0]),
    sure: {
      confidence: isIncomplete
        ? "low"
        : job.partialModules.size > 0 || unjudged.length > quiet.length
          ? "medium"
          : "high",
      text: `${isIncomplete ? "Calls are missing: see the warnings. " : ""}${applied} applied${unjudged.length === 0 ? "" : `, ${formatCount(unjudged.length)} need data that this log lacks`}.`,
    },
  };
}

/** What is too little for a finding: a part of the run, or of a short run a time. */
const leastText = (findings: readonly Finding[]) =>
  findings.some(({ cost }) => (cost.shareOfRun ?? 0) >= WARN_SHARE)
    ? `${WARN_SECONDS} s`
    : `${100 * WARN_SHARE} % of the run`;

/** `Under 0.1 s: small writes are the largest.` */
function largestText(findings: readonly Finding[]): string {
  const cause = findings.find((one) => !isSymptom(one) && (one.cost.shareOfRun ?? 0) > 0);
  if (cause === undefined) return "Unknown: no cause was found.";
  const { text, plural } = subjectOf(cause) ?? { text: `"${cause.title}"` };
  return `Under ${leastText(findings)}: ${text} ${plural ? "are" : "is"} the largest.`;
}

/** The input has calls, but not what rules ask of them. */
function withoutRules(job: Job, { unjudged }: Verdicts): Answers {
  const share = shareOf(job);
  const lacking = [...new Set(unjudged.flatMap(({ lacks }) => lacks.map((group) => needsText([group], ""))))];
  return {
    headline: Number.isNaN(share)
      ? "The causes cannot be judged: the input lacks data."
      : `I/O takes ${percentText(share)} of the run; its causes cannot be judged.`,
    lead: [`No rule was applied: the input lacks ${lacking.slice(0, 3).join(", ")}.`],
    level: "unknown",
    finding: null,
    blame: blame(job),
    gain: noGain(job, "Unknown: no rule was applied."),
    change: { text: "The input: add what it lacks, and run this again", finding: null },
    sure: { confidence: "low", text: "Only sums of calls, bytes and times are known." },
  };
}

function withoutIo(job: Job, { findings }: Verdicts): Answers {
  const [finding] = findings;
  return {
    headline: job.runs.length > 1 ? "These logs have no I/O." : "This log has no I/O.",
    lead: ["No file was opened through a layer that was recorded."],
    level: "unknown",
    finding: finding?.id ?? null,
    blame: { answer: "unknown", text: "Unknown: nothing was recorded." },
    gain: noGain(job, "Unknown: nothing was recorded."),
    change: finding === undefined ? { text: "Nothing", finding: null } : change(finding),
    sure: { confidence: "low", text: "A log without I/O can also mean that the recorder missed it." },
  };
}

/** `One slow storage target costs this job 760 of its 794 seconds.` The longest form that is short enough. */
function causeHeadline(job: Job, finding: Finding): string {
  const subject = subjectOf(finding);
  const { amount, of, unit } = costWords(job, finding.cost);
  const verb = subject?.plural ? "cost" : "costs";
  const name = capital(subject?.text ?? finding.title);
  const forms = [
    ...(subject === undefined
      ? []
      : [
          `${name} ${verb} this job ${amount}${of === "" ? "" : ` of its ${of}`}${unit}.`,
          `${name} ${verb} ${amount}${of === "" ? "" : ` of ${of}`}${unit}.`,
        ]),
    `${name}: ${amount}${of === "" ? "" : ` of ${of}`}${unit}.`,
  ];
  return forms.find((form) => form.split(" ").length <= WORDS_MAX) ?? (forms.at(-1) as string);
}

/** `96 % of the I/O time goes to writes.` */
function mostText({ io }: Job): string {
  const parts = [
    [io.readSeconds, "reads"],
    [io.writeSeconds, "writes"],
    [io.metaSeconds, "metadata calls"],
  ] as const;
  const all = parts.reduce((sum, [seconds]) => sum + (seconds || 0), 0);
  const [seconds, name] = parts.reduce((most, part) => ((part[0] || 0) > (most[0] || 0) ? part : most));
  const share = (seconds || 0) / (all || 1);
  return `${share > 0.995 ? "Nearly all" : percentText(share)} of the I/O time goes to ${name}.`;
}

/** `Misaligned accesses explain about 43 of these 85 seconds.` */
function partText(job: Job, finding: Finding): string {
  const subject = subjectOf(finding);
  const { amount, sooner: unit } = costWords(job, finding.cost);
  return subject === undefined
    ? `${finding.title}: ${amount}${unit} of it.`
    : `${capital(subject.text)} ${subject.plural ? "explain" : "explains"} ${amount}${unit} of it.`;
}

interface CostWords {
  /** `about 760`, or with its unit where that of the run is too large for it. */
  readonly amount: string;
  /** The run time in the same unit; empty when it is not known. */
  readonly of: string;
  /** With a blank before it. */
  readonly unit: string;
  /** That of the amount alone. */
  readonly sooner: string;
}

/** Estimates have two digits and say so. */
function costWords(job: Job, { seconds, basis, atMost }: Cost): CostWords {
  const hasRun = job.runSeconds > 0;
  const { unit, one, scale } = timeUnit(hasRun ? job.runSeconds : (seconds as number));
  const run = hasRun ? Number((job.runSeconds / scale).toPrecision(3)) : Number.POSITIVE_INFINITY;
  const isEstimate = basis === "estimated";
  const rounded = Number(((seconds as number) / scale).toPrecision(isEstimate ? 2 : 3));
  const amount = Math.min(rounded, run);
  const much = atMost ? "at most " : isEstimate ? "about " : "";
  // A quarter of a minute is 15 seconds.
  if (amount < 1 && scale > 1) {
    const small = timeUnit(seconds as number);
    const value = Number(((seconds as number) / small.scale).toPrecision(isEstimate ? 2 : 3));
    const of = `${run} ${run === 1 ? one : unit}`;
    const its = value === 1 ? small.one : small.unit;
    return { amount: `${much}${value} ${its}`, of, unit: "", sooner: "" };
  }
  return {
    amount: `${much}${amount}`,
    of: hasRun ? String(run) : "",
    unit: ` ${(hasRun ? run : amount) === 1 ? one : unit}`,
    sooner: ` ${amount === 1 ? one : unit}`,
  };
}

function blame(job: Job, cost?: Cost): Answers["blame"] {
  const timed = shareOf(job);
  const untimed = timed < (cost?.shareOfRun ?? 0);
  const share = untimed ? (cost?.shareOfRun as number) : timed;
  if (Number.isNaN(share))
    return { answer: "unknown", text: "Unknown: the log has no run time to compare with." };
  // Processes without MPI may follow one another.
  const who =
    job.ranks <= 1 ? "The program spends" : usesMpi(job) ? "The slowest rank spends" : "The processes spend";
  const answer = share >= BLAMED_SHARE ? "yes" : share >= HIGH_SHARE ? "partly" : "no";
  const more = untimed ? " that was timed; other calls come on top" : "";
  const text = `${who} ${percentText(timed)} of the run in I/O`;
  if (job.isIncomplete && answer === "no")
    return { answer: "unknown", text: `Unknown: by what was recorded, ${text.replace(/^T/, "t")}.` };
  return { answer, text: `${text}${more}.` };
}

function gain(job: Job, { together, findings }: Verdicts, finding: Finding): Answers["gain"] {
  const { seconds, shareOfRun, basis, atMost } = finding.cost;
  const { amount, sooner: unit } = costWords(job, finding.cost);
  const part = shareOfRun === null ? "" : `, ${percentText(shareOfRun)} of the run`;
  const causes = findings.filter(
    (one) => !isSymptom(one) && one.severity !== "info" && one.cost.seconds !== null,
  );
  const all = causes.length > 1 ? together.seconds : null;
  return {
    seconds,
    shareOfRun,
    ...runTimes(job, seconds),
    basis,
    atMost,
    togetherSeconds: all,
    text: `${capital(amount)}${unit} sooner${part}.`,
  };
}

const noGain = (job: Job, text: string): Answers["gain"] => ({
  seconds: null,
  shareOfRun: null,
  ...runTimes(job, null),
  basis: "unknown",
  atMost: false,
  togetherSeconds: null,
  text,
});

function runTimes(job: Job, seconds: number | null) {
  const runSeconds = job.runSeconds > 0 ? job.runSeconds : null;
  return {
    runSeconds,
    withoutSeconds: runSeconds === null || seconds === null ? null : Math.max(0, runSeconds - seconds),
  };
}

const change = ({ id, inShort, title }: Finding): Answers["change"] => ({
  text: inShort ?? title,
  finding: id,
});

function sure({ confidence, confidenceReason, cost }: Finding): Answers["sure"] {
  const estimate = cost.basis === "estimated" ? "; the seconds are an estimate" : "";
  return {
    confidence,
    text: `${capital(withoutStop(firstSentence(confidenceReason)))}${estimate}.`,
  };
}

const subjectOf = ({ id }: Finding): Subject | undefined => RULES_BY_ID.get(id)?.subject;

const why = ({ statement }: Finding) => short(statement);
const what = ({ advice }: Finding) => short(advice);

/** The first sentence without asides; of a long one what comes before the first semicolon or colon. */
function short(text: string): string {
  const sentence = withShortPaths(firstSentence(withoutAsides(text)));
  if (sentence.length <= LEAD_CHARACTERS_MAX) return `${withoutStop(sentence)}.`;
  return `${withoutStop(/^.{30,}?(?=[;:] )/.exec(sentence)?.[0] ?? sentence)}.`;
}

const withoutStop = (text: string) => text.replace(/[.;:]$/, "");
const capital = (text: string) => text.replace(/^[a-z]/, (letter) => letter.toUpperCase());
