import { quantileOf } from "../../../base/statistics.ts";
import { formatBytes, formatCount, formatShare } from "../../../base/units.ts";
import type { Cost, EvidenceNumber, Finding, ThresholdUse } from "../../../model/index.ts";
import type { StudyFinding } from "../common/finding.ts";
import { MINIMUM } from "../common/judge.ts";
import { hourCorrelation, shareByHour } from "./contention.ts";
import { contentionHoursOf } from "./contention-hours.ts";
import { defineItem, share, table } from "./item.ts";
import { NO_USER } from "./jobs.ts";
import type { Prepared } from "./prepare.ts";
import { unusedMemory } from "./unused-memory.ts";
import { chosen } from "./writers.ts";

/** What the rules are judged by; ours. */
const LIMITS = {
  inefficient: 0.5,
  mostOverMean: 1.5,
  topUser: 0.25,
  closed: 0.99,
  correlation: 0,
} as const;
const OURS = "Plimsoll's choice";

export interface Rule {
  readonly id: string;
  readonly title: string;
  readonly from: string;
  /** Undefined: not enough data. */
  readonly applies: boolean | undefined;
  readonly finding?: Finding;
}

/** No advice from what could not be judged: a rule asks whether the claim that it rests on holds here. */
export function rulesOf(prepared: Prepared, findings: readonly StudyFinding[]): readonly Rule[] {
  const holds: Holds = (key, enough) => {
    const finding = findings.find(({ claims }) => claims.some((claim) => claim.key === key));
    const state = finding?.claims.find((claim) => claim.key === key)?.state;
    if (finding === undefined || state === "open") return undefined;
    return (enough ?? finding.n >= finding.minimum) ? state === "holds" : undefined;
  };
  return [smallWrites, unbalanced, dominant, contention, unclosed, unusedMemory].map((rule) =>
    rule(prepared, holds),
  );
}

/** Whether a claim holds; undefined where it could not be judged. `enough` where it needs other units than its finding. */
type Holds = (key: string, enough?: boolean) => boolean | undefined;

const threshold = (name: string, value: number, unit: ThresholdUse["unit"]): ThresholdUse => ({
  name,
  value,
  unit,
  source: OURS,
});

/** A site has no run time that a cause could shorten. */
const NOT_A_JOB: Cost = {
  seconds: null,
  shareOfRun: null,
  basis: "unknown",
  atMost: false,
  model: "a rule for a site, not for a job",
  within: null,
};

function ruleFinding(
  given: Pick<
    Finding,
    "id" | "title" | "severity" | "statement" | "advice" | "effect" | "confidence" | "confidenceReason"
  > & {
    readonly numbers: readonly EvidenceNumber[];
    readonly limits: readonly ThresholdUse[];
  },
): Finding {
  const { numbers, limits, ...rest } = given;
  return {
    ...rest,
    cost: NOT_A_JOB,
    evidence: { numbers, files: [], filesTotal: 0, ranks: [] },
    threshold: limits,
  };
}

/** Users by bytes written in heavy jobs with small calls, largest first. */
function smallWriters({ jobs }: Prepared, { writers, limits }: ReturnType<typeof chosen>) {
  const users = new Map<number, number>();
  let bytes = 0;
  writers.places.forEach((job, i) => {
    const own = writers.bytes[i] as number;
    if (!(own > limits.bytes && (writers.ratios[i] as number) < limits.perCall)) return;
    bytes += own;
    const user = jobs.user[job] as number;
    if (user !== NO_USER) users.set(user, (users.get(user) ?? 0) + own);
  });
  return { bytes, users: [...users].sort(([a, x], [b, y]) => y - x || a - b) };
}

function smallWrites(prepared: Prepared, holds: Holds): Rule {
  const base = { id: "small-writes", title: "Small writes per call", from: "B06" };
  const all = chosen(prepared);
  const applies = holds("B06.inefficientShare", all.jobs.heavy >= MINIMUM);
  if (applies !== true) return { ...base, applies };
  const part = all.jobs.inefficient / all.jobs.heavy;
  const { bytes, users } = smallWriters(prepared, all);
  const names = users.slice(0, 3).map(([user, own]) => `${prepared.userName(user)} (${formatBytes(own)})`);
  const finding = ruleFinding({
    id: base.id,
    title: base.title,
    severity: share(bytes, all.writers.total) > 0.25 ? "high" : "warn",
    statement: `${formatShare(part)} of the ${formatCount(all.jobs.heavy)} heavy writers use calls below ${formatBytes(all.limits.perCall)}; they write ${formatShare(share(bytes, all.writers.total))} of all bytes.${names.length > 0 ? ` Top users: ${names.join(", ")}.` : ""}`,
    numbers: [
      {
        label: "heavy jobs with small calls",
        value: all.jobs.inefficient,
        unit: "count",
        of: all.jobs.heavy,
      },
      { label: "bytes written by them", value: bytes, unit: "bytes", of: all.writers.total },
    ],
    limits: [
      threshold("share of heavy jobs", LIMITS.inefficient, "share"),
      {
        name: "bytes per call",
        value: all.limits.perCall,
        unit: "bytes",
        source: `${prepared.options.perCall} of this site`,
      },
    ],
    advice:
      "Talk to these users first: larger buffers, collective I/O, or one writer per node make larger calls.",
    effect: "Fewer calls for the same data; the speedup depends on how much the servers merge already.",
    confidence: "medium",
    confidenceReason:
      "The limits are means of this site, as in the paper, not sizes that a file system needs.",
  });
  return { ...base, applies, finding };
}

const NO_TARGET = { name: "", opens: 0 };

function unbalanced({ mdts: { targets } }: Prepared, holds: Holds): Rule {
  const base = { id: "unbalanced-mdts", title: "Unbalanced metadata targets", from: "B08" };
  const judged = holds("B08.gini");
  const all = targets.reduce((sum, { opens }) => sum + opens, 0);
  const top = targets.reduce((most, one) => (one.opens > most.opens ? one : most), targets[0] ?? NO_TARGET);
  const over = top.opens / (all / targets.length);
  if (judged !== true || over <= LIMITS.mostOverMean) return { ...base, applies: judged && false };
  const finding = ruleFinding({
    id: base.id,
    title: base.title,
    severity: over > 2 * LIMITS.mostOverMean ? "high" : "warn",
    statement: `${top.name} handles ${over.toFixed(1)} times as many opens as the mean of ${targets.length} MDTs.`,
    numbers: [
      { label: `opens on ${top.name}`, value: top.opens, unit: "count", of: all },
      { label: "max / mean", value: over, unit: "ratio" },
    ],
    limits: [threshold("max / mean", LIMITS.mostOverMean, "ratio")],
    advice:
      "Place new projects on less loaded MDTs (lfs mkdir -i), or stripe busy directories over several (lfs mkdir -c).",
    effect: "Metadata operations wait less on the busiest target.",
    confidence: "high",
    confidenceReason: "It is a count, not an estimate.",
  });
  return { ...base, applies: true, finding };
}

function dominant(prepared: Prepared, holds: Holds): Rule {
  const base = { id: "dominant-user", title: "One user dominates a day", from: "B11" };
  const applies = holds("B11.medianShare");
  if (applies !== true) return { ...base, applies };
  const days = prepared.userDays();
  const middle = quantileOf(
    days.map(({ topBytes, bytes }) => topBytes / bytes),
    0.5,
  );
  const { verdict, movedShare: moved } = prepared.lightJobs();
  const helps = verdict === "helps";
  const users = [...prepared.users()].sort((a, b) => b.read + b.written - a.read - a.written).slice(0, 3);
  const finding = ruleFinding({
    id: base.id,
    title: base.title,
    severity: middle > 0.5 ? "high" : "warn",
    statement: `On the median of ${formatCount(days.length)} days the top user moves ${formatShare(middle)} of all bytes. Over the period: ${users.map((one) => `${prepared.userName(one.user)} (${formatBytes(one.read + one.written)})`).join(", ")}.`,
    numbers: [
      { label: "share of the top user, median day", value: middle, unit: "share" },
      {
        label: "days above 50 %",
        value: days.filter(({ topBytes, bytes }) => topBytes > bytes / 2).length,
        unit: "count",
        of: days.length,
      },
    ],
    limits: [threshold("share of the top user", LIMITS.topUser, "share")],
    advice: `Improve the I/O of these users first${helps ? ", and schedule jobs with little I/O next to theirs" : ""}.`,
    effect: `Few users cause most of the load, so a few changes are enough. ${
      helps
        ? `Light jobs next to them would have moved away ${formatShare(moved)} of the bytes of other heavy jobs (B19).`
        : verdict === "does not help"
          ? "Light jobs next to them would have changed little here (B19)."
          : "Whether light jobs next to them help cannot be determined from these jobs (B19)."
    }`,
    confidence: "high",
    confidenceReason:
      "It is a count, not an estimate; it leaves out jobs without counters or without a user.",
  });
  return { ...base, applies: true, finding };
}

function contention(prepared: Prepared, holds: Holds): Rule {
  const base = { id: "contention-hours", title: "Hours that are busy and slow", from: "B17" };
  const judged = holds("B17.spearman");
  const { hours: busy, load } = contentionHoursOf(prepared);
  const rho = hourCorrelation(load, shareByHour(prepared.similar()).shares);
  if (judged !== true || busy.length === 0) return { ...base, applies: judged && false };
  const all = load.reduce((sum, one) => sum + one, 0);
  const finding = ruleFinding({
    id: base.id,
    title: base.title,
    severity: rho > 0.5 ? "warn" : "info",
    statement: `Jobs that start at ${busy.join(", ")} h (${prepared.options.zone}) move more than the mean hour and take longer for the same I/O.`,
    numbers: [
      { label: "correlation of data and I/O time over the hours", value: rho, unit: "none" },
      {
        label: "data of these hours",
        value: busy.reduce((sum, hour) => sum + (load[hour] as number), 0),
        unit: "bytes",
        of: all,
      },
    ],
    limits: [threshold("correlation", LIMITS.correlation, "none")],
    advice: "Start I/O-intensive jobs at other hours (see `plimsoll quiet-hours`).",
    effect: "Shorter I/O waits for load that can move.",
    confidence: "low",
    confidenceReason: "I/O time is counted in minutes, and there are only 24 hours.",
  });
  return { ...base, applies: true, finding };
}

function unclosed({ mdts: { targets } }: Prepared, holds: Holds): Rule {
  const base = { id: "unclosed-files", title: "Files opened and not closed", from: "B08" };
  const opens = targets.reduce((sum, one) => sum + one.opens, 0);
  const closes = targets.reduce((sum, one) => sum + one.closes, 0);
  const judged = holds("B08.closesOverOpens");
  if (judged !== true || closes / opens >= LIMITS.closed) return { ...base, applies: judged && false };
  const finding = ruleFinding({
    id: base.id,
    title: base.title,
    severity: closes / opens < 0.9 ? "warn" : "info",
    statement: `${formatCount(opens - closes)} of ${formatCount(opens)} opens have no close.`,
    numbers: [{ label: "closes", value: closes, unit: "count", of: opens }],
    limits: [threshold("closes / opens", LIMITS.closed, "share")],
    advice: "Find the programs that leave files open; check also killed jobs, whose closes carry no job id.",
    effect: "Fewer locks and open handles on the metadata servers.",
    confidence: "low",
    confidenceReason: "Opens for stat only, and closes after the end of a job, look the same.",
  });
  return { ...base, applies: true, finding };
}

export const b18 = defineItem({
  id: "B18",
  definition: "B18@2",
  title: "Recommendations",
  about:
    "Six rules from the items: small writes per call (B06), unbalanced MDTs (B08), a dominant user (B11), contention hours (B17), unclosed files (B08), memory that I/O leaves unused (B15). Each applies if its number and the interval of that number lie beyond the printed limit; observations that could not be judged give no advice.",
  reading: "Plimsoll sets the limits; the paper's advice has none.",
  options: ["population", "perCall", "threshold", "zone", "similarity", "groupJobs"],
  values: {
    rules: ["count", "rules"],
    rulesThatApply: ["count", "rules that apply"],
    rulesWithoutData: ["count", "rules without enough data"],
  },
  narrative: ({ text }) => `${text("rulesThatApply")} of ${text("rules")} rules apply here.`,
  measure(prepared) {
    const { rules } = prepared;
    return {
      n: rules.filter(({ applies }) => applies !== undefined).length,
      unit: "rules with enough data",
      values: {
        rules: rules.length,
        rulesThatApply: rules.filter(({ applies }) => applies === true).length,
        rulesWithoutData: rules.filter(({ applies }) => applies === undefined).length,
      },
      tables: [
        table(
          "recommendations",
          "Rules, with result.",
          [
            ["rule", "Rule", "text", "Name."],
            ["item", "From", "text", "Item of the study."],
            ["applies", "Applies", "text", "yes, no, or not enough data."],
            ["evidence", "Evidence", "text", "Finding."],
            ["advice", "Advice", "text", "Recommendation."],
          ],
          rules.map(({ title, from, applies, finding }) => [
            title,
            from,
            applies === undefined ? "not enough data" : applies ? "yes" : "no",
            finding?.statement ?? "",
            finding?.advice ?? "",
          ]),
        ),
      ],
    };
  },
});
