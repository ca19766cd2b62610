/** Cause of a run that ended without a coordinator: the scenario's faults on the ranks that could have led it. */
import { SILENT_BEATS, makeSetup, policyNamed } from "../../protocol/index.ts";
import { HEARTBEAT_SECONDS, type Scenario } from "./scenario.ts";

const ORPHANED = /has no answer from any coordinator/;

/** The reason of an abort, with its cause if ranks lost their coordinator. */
export function withCause(reason: string, scenario: Scenario): string {
  return ORPHANED.test(reason) ? `${reason}: ${causeOf(scenario)}` : reason;
}

/** Any rank takes over in the end; the remaining causes are long delays of messages, long pauses of processes, and chance. */
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
    return `${late ? "messages were delayed" : "processes were paused"} beyond the silence of ${silence} s that counts as death`;
  return "some leaders were killed, others not informed in time";
}
