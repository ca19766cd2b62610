/** Whether a replay reproduces the recorded times: otherwise its answers are worthless. */
import { formatSeconds, formatShare } from "../../../base/units.ts";
import type { Answer } from "./answer.ts";
import type { PolicyAnswer } from "./policy.ts";

/** Max error for the runs in question: beyond it, differences between two replays say nothing about the machine (our choice). */
const ERROR_MOST = 0.25;
/**
 * Max median error of held-out runs: the aim of the model. On generated centres answers are right within 15 % below it, and off
 * by half or more at 13 %, since a model with such errors has not captured the cost of sharing.
 */
const HELD_OUT_MOST = 0.1;

interface Reproduced {
  readonly reproduced: boolean;
  /** The reason, as the end of a sentence. */
  readonly why: string | undefined;
}

/** Checks held-out runs, and the runs in question. */
export function reproduction(
  heldOutError: number,
  { answer, policy }: { answer?: Answer; policy?: PolicyAnswer },
): Reproduced {
  const why = fitTrouble(heldOutError) ?? answerTrouble(answer) ?? policyTrouble(policy);
  return { reproduced: why === undefined, why };
}

const limit = `limit ${formatShare(ERROR_MOST)}`;

function fitTrouble(error: number): string | undefined {
  // NaN without held-out runs.
  if (!(error > HELD_OUT_MOST)) return undefined;
  return `half of the runs left out of the fit are off by ${formatShare(error)} or more (limit ${formatShare(HELD_OUT_MOST)})`;
}

function answerTrouble(answer: Answer | undefined): string | undefined {
  if (answer === undefined) return undefined;
  const about = [...answer.changed, ...(answer.removed === undefined ? [] : [answer.removed])];
  const sum = (of: (one: (typeof about)[number]) => number) => about.reduce((all, one) => all + of(one), 0);
  const recorded = sum(({ recordedSeconds }) => recordedSeconds);
  const off = sum(({ recordedSeconds, before }) => Math.abs(before - recordedSeconds));
  if (off <= ERROR_MOST * recorded) return undefined;
  return `the ${about.length === 1 ? "run" : `${about.length} runs`} in question recorded ${formatSeconds(recorded)} of I/O and the replay is off by ${formatSeconds(off)} (${limit})`;
}

function policyTrouble(policy: PolicyAnswer | undefined): string | undefined {
  if (policy === undefined) return undefined;
  const { recordedSeconds, replayedSeconds } = policy;
  if (Math.abs(replayedSeconds - recordedSeconds) <= ERROR_MOST * recordedSeconds) return undefined;
  return `run ${policy.run.id} recorded ${formatSeconds(recordedSeconds)} of writing and is replayed as ${formatSeconds(replayedSeconds)} (${limit})`;
}
