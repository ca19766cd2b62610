/** From what rules claim to seconds, severities and order. */
import type { Cost, Severity } from "../../../model/index.ts";
import type { Job } from "../job.ts";
import type { CostClaim, Judgement, Rule } from "../rule.ts";
import type { Remedy } from "./ledger.ts";

/** Severity by part of the run time: six minutes of every hour are worth a change of the program. */
export const HIGH_SHARE = 0.1;
/** Below a hundredth of the run a change can hardly be measured. */
export const WARN_SHARE = 0.01;
/** Runs that lose less are tests, whatever they spend their time on. */
export const WARN_SECONDS = 0.1;
/** Two findings name the same time when one leaves less than this part of the other's cost. */
const OWN_PART = 0.5;
/** A symptom speaks only where no cause explains this part of the I/O time. */
export const EXPLAINED = 0.5;

interface Judged {
  readonly rule: Rule;
  readonly judgement: Judgement;
  readonly cost: Cost;
}

export function costOf(job: Job, claim: CostClaim): Cost {
  if (claim.kind !== "remedy")
    return {
      seconds: null,
      shareOfRun: null,
      basis: "unknown",
      atMost: false,
      model: claim.kind === "unknown" ? claim.why : "informative only: no cost is claimed",
      within: null,
    };
  const seconds = job.ledger.gain(claim);
  return {
    seconds,
    shareOfRun: job.runSeconds > 0 ? Math.min(1, seconds / job.runSeconds) : null,
    basis: claim.basis === "slowest-rank" && job.ledger.isTraced ? "critical-path" : claim.basis,
    atMost: claim.atMost === true,
    model: claim.model,
    within: null,
  };
}

/** Without a run time the I/O time stands for it: what a cause costs of it is known. */
export function severityOf(job: Job, cost: Cost, claim: CostClaim): Severity {
  if (claim.kind === "none") return "info";
  if (claim.kind === "unknown") return claim.severity;
  const seconds = cost.seconds ?? 0;
  const share = cost.shareOfRun ?? seconds / job.ledger.seconds;
  if (!(seconds >= WARN_SECONDS && share >= WARN_SHARE)) return "info";
  return share >= HIGH_SHARE ? "high" : "warn";
}

const remedyOf = ({ judgement }: Judged): Remedy | undefined =>
  judgement.cost.kind === "remedy" ? judgement.cost : undefined;

/** Largest cost first; then unknown ones, then notes. A symptom comes after causes that cost much and before the rest. */
export function byCost<One extends Judged>(job: Job, list: readonly One[]): One[] {
  const place = ({ rule, judgement, cost }: Judged) => {
    const severity = severityOf(job, cost, judgement.cost);
    if (rule.isSymptom === true) return 1;
    if (judgement.cost.kind === "none") return 5;
    if (judgement.cost.kind === "unknown") return severity === "warn" ? 3 : 5;
    return { high: 0, warn: 2, info: 4 }[severity];
  };
  return list
    .map((one, index) => ({ one, index, place: place(one) }))
    .sort(
      (a, b) =>
        a.place - b.place || (b.one.cost.seconds ?? 0) - (a.one.cost.seconds ?? 0) || a.index - b.index,
    )
    .map(({ one }) => one);
}

/** Marks each above info whose time a costlier one before it explains already. */
export function markOverlaps(job: Job, ordered: readonly Judged[]): Cost[] {
  return ordered.map((one, at) => {
    const remedy = remedyOf(one);
    const isLoud = severityOf(job, one.cost, one.judgement.cost) !== "info";
    if (remedy === undefined || !isLoud) return one.cost;
    const explains = ordered.slice(0, at).find((before) => {
      const other = before.rule.isSymptom === true ? undefined : remedyOf(before);
      if (other === undefined || !((before.cost.seconds ?? 0) >= (one.cost.seconds ?? 0))) return false;
      const left = job.ledger.without(other) - job.ledger.without(other, remedy);
      return left < OWN_PART * (one.cost.seconds as number);
    });
    return explains === undefined ? one.cost : { ...one.cost, within: explains.rule.id };
  });
}

/** All causes above info gone at once. */
export function together(job: Job, list: readonly Judged[]): Cost {
  const loud = list.filter(({ cost, judgement }) => severityOf(job, cost, judgement.cost) !== "info");
  const remedies = loud.flatMap((one) => remedyOf(one) ?? []);
  const seconds = job.ledger.gain(...remedies);
  return {
    seconds,
    shareOfRun: job.runSeconds > 0 ? Math.min(1, seconds / job.runSeconds) : null,
    basis: remedies.length === 0 ? "unknown" : "estimated",
    atMost: loud.some(({ cost }) => cost.atMost),
    model: "all causes removed together; costs of single causes overlap and do not add up",
    within: null,
  };
}
