/** Why a run ended because its ranks heard nothing any more: what the scenario did to those that could have led it. */
import { SILENT_BEATS, makeSetup, policyNamed } from "../../protocol/index.ts";
import { HEARTBEAT_SECONDS, type Scenario } from "./scenario.ts";

const ORPHANED = /hears nothing from any coordinator/;

/** The reason of an abort, with its cause where ranks were left alone. */
export function withCause(reason: string, scenario: Scenario): string {
  return ORPHANED.test(reason) ? `${reason}: ${causeOf(scenario)}` : reason;
}

/** Any rank takes over in the end; what is left are messages and processes that were away for long, and chance. */
function causeOf({ policy, writers, targets, sizes, priorRates, faults, network }: Scenario): string {
  const work = { writers, targets, sizes, priorRates: priorRates ?? undefined };
  const { groups, firstRank } = makeSetup(policyNamed(policy), work).layout;
  const killed = new Set(
    faults.flatMap((fault) => (fault.kind === "kill" || fault.kind === "kill-at-input" ? [fault.rank] : [])),
  );
  const leaders = Array.from(firstRank.subarray(0, groups));
  if (leaders.every((rank) => killed.has(rank)))
    return groups === 1 ? "the leader of its only group was killed" : "the leaders of all groups were killed";
  const silence = SILENT_BEATS * HEARTBEAT_SECONDS;
  const late = (network?.lateShare ?? 0) > 0 && (network?.lateSeconds ?? 0) >= silence;
  const paused = faults.some((fault) => fault.kind === "pause" && fault.seconds > silence);
  if (late || paused)
    return `${late ? "messages" : "processes"} were away for longer than the ${silence} s that count as death`;
  return "some leaders were killed, others not told in time";
}
