/** Whether a replay gives back what was recorded: an answer from one that does not is worth nothing. */
import { formatSeconds, formatShare } from "../../../base/units.ts";
import type { Answer } from "./answer.ts";
import type { PolicyAnswer } from "./policy.ts";

/** Runs that an answer is about: beyond this, differences between two replays say nothing about the machine (our choice). */
const ERROR_MOST = 0.25;
/**
 * Median of held-out runs: the aim of the model. On generated centres answers are right within 15 % below it, and off by half and more
 * at 13 %, since a model that misses by so much has not seen what runs cost each other.
 */
const HELD_OUT_MOST = 0.1;

interface Reproduced {
  readonly reproduced: boolean;
  /** Why not, as the end of a sentence. */
  readonly why: string | undefined;
}

/** Looks at runs that were held out of the fit, and at those that the answer is about. */
export function reproduction(
  heldOutError: number,
  { answer, policy }: { answer?: Answer; policy?: PolicyAnswer },
): Reproduced {
  const why = fitTrouble(heldOutError) ?? answerTrouble(answer) ?? policyTrouble(policy);
  return { reproduced: why === undefined, why };
}

const limit = `more than ${formatShare(ERROR_MOST)}`;

function fitTrouble(error: number): string | undefined {
  // Not a number where nothing was held out.
  if (!(error > HELD_OUT_MOST)) return undefined;
  return `half of the runs left out of the fit are off by ${formatShare(error)} and more (more than ${formatShare(HELD_OUT_MOST)})`;
}

function answerTrouble(answer: Answer | undefined): string | undefined {
  if (answer === undefined) return undefined;
  const about = [...answer.changed, ...(answer.removed === undefined ? [] : [answer.removed])];
  const sum = (of: (one: (typeof about)[number]) => number) => about.reduce((all, one) => all + of(one), 0);
  const recorded = sum(({ recordedSeconds }) => recordedSeconds);
  const off = sum(({ recordedSeconds, before }) => Math.abs(before - recordedSeconds));
  if (off <= ERROR_MOST * recorded) return undefined;
  return `the ${about.length === 1 ? "run" : `${about.length} runs`} that the question is about recorded ${formatSeconds(recorded)} of I/O and the replay is off by ${formatSeconds(off)} (${limit})`;
}

function policyTrouble(policy: PolicyAnswer | undefined): string | undefined {
  if (policy === undefined) return undefined;
  const { recordedSeconds, replayedSeconds } = policy;
  if (Math.abs(replayedSeconds - recordedSeconds) <= ERROR_MOST * recordedSeconds) return undefined;
  return `run ${policy.run.id} recorded ${formatSeconds(recordedSeconds)} of writing and is replayed as ${formatSeconds(replayedSeconds)} (${limit})`;
}
