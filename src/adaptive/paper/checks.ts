/** Every published number that the simulator answers to, in the order of the paper's list (J1 to P8). */

import { ADAPTIVE } from "./adaptive.ts";
import type { Check, Evidence, Judgement } from "./check.ts";
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

export const judgeAll = (evidence: Evidence, checks: readonly Check[] = CHECKS): Judged[] =>
  checks.map((check) => ({ check, ...check.judge(evidence) }));
export { MACHINE_FACTS } from "./facts.ts";
