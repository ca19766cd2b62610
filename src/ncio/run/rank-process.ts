/** A rank of a benchmark run as a separate process. */
import { beRank } from "../../launch/processes/child.ts";
import { openPerformer } from "./backends.ts";
import type { RunPlan } from "./plan.ts";
import { runPoints } from "./rank.ts";

beRank<RunPlan>(async ({ communicator, data: plan, tell }) => {
  const performer = await openPerformer(communicator, plan);
  try {
    await runPoints(communicator, plan, performer, tell);
  } finally {
    await performer.close();
  }
});
