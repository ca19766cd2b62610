/** Every published number that the simulator checks, in the order of the paper (J1 to P8). */

import { ADAPTIVE } from "./adaptive.ts";
import { Random } from "../../base/prng.ts";
import { quantileOf } from "../../base/statistics.ts";
import { type Check, type Evidence, type Judgement, percent } from "./check.ts";
import { EXTERNAL } from "./external.ts";
import { MACHINE_FACTS } from "./facts.ts";
import { INTERNAL } from "./internal.ts";

export { type Check, Evidence, judged, offValue, withinPercent } from "./check.ts";

const ORDER = "J F X N I E A P";

export const CHECKS: readonly Check[] = [...MACHINE_FACTS, ...INTERNAL, ...EXTERNAL, ...ADAPTIVE].sort(
  (a, b) =>
    ORDER.indexOf(a.row[0]!) - ORDER.indexOf(b.row[0]!) || Number(a.row.slice(1)) - Number(b.row.slice(1)),
);

export interface Judged extends Judgement {
  readonly check: Check;
}

const DRAWS = 100;
const DRAWS_SEED = 2010;
/** Share of resamples that may give the other verdict. */
const OTHER_VERDICT_MAX = 0.05;
/** "At least five samples" behind each point of the paper. Fewer show too little of their spread to decide a miss. */
const PAPER_LEAST = 5;

/**
 * As `judgeAll`, for fewer samples than the experiments had: `planned` says how many. A check that looks at such a series is
 * met or missed only if nearly all resamples agree.
 */
export function judgeFew(
  evidence: Evidence,
  checks: readonly Check[],
  planned: ReadonlyMap<string, number>,
): Judged[] {
  const random = new Random(DRAWS_SEED);
  const draws: Evidence[] = [];
  return checks.map((check) => {
    let [isFew, least] = [false, Number.POSITIVE_INFINITY];
    const judgement = check.judge(
      evidence.heard((key, samples) => {
        isFew ||= samples < (planned.get(key) ?? 0);
        least = Math.min(least, samples);
      }),
    );
    const { verdict } = judgement;
    if (!isFew || (verdict !== "met" && verdict !== "missed")) return { check, ...judgement };
    while (draws.length < DRAWS) draws.push(evidence.resampled(random));
    const otherwise = otherVerdictShare(
      judgement.misfit,
      draws.map((one) => check.judge(one).misfit),
    );
    if (otherwise <= OTHER_VERDICT_MAX && (verdict === "met" || least >= PAPER_LEAST))
      return { check, ...judgement };
    const why =
      otherwise > OTHER_VERDICT_MAX
        ? `${percent(otherwise)} of the resamples give the other verdict`
        : `fewer than ${PAPER_LEAST} samples per point show too little of the spread`;
    const note = `${verdict} with these samples; ${why}`;
    return { check, ...judgement, verdict: "not enough samples", note };
  });
}

/**
 * Share of resamples on the other side of one tolerance. Resampled extremes are biased, since resampling adds variation; so
 * they are shifted by their median to the number itself.
 */
function otherVerdictShare(misfit: number, drawn: readonly number[]): number {
  const middle = quantileOf(drawn, 0.5);
  const shift = Number.isFinite(middle) ? misfit - middle : 0;
  return drawn.filter((one) => one + shift <= 1 !== misfit <= 1).length / drawn.length;
}

export const judgeAll = (evidence: Evidence, checks: readonly Check[] = CHECKS): Judged[] =>
  checks.map((check) => ({ check, ...check.judge(evidence) }));
export { MACHINE_FACTS } from "./facts.ts";
