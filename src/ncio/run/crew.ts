/** The ranks of a benchmark run, for any launcher. The leader has the command line and the results. */
import { builtFile } from "../../node/built.ts";
import type { Communicator } from "../../launch/communicator.ts";
import { runTasks } from "../../launch/in-process.ts";
import { runRanks } from "../../launch/processes/parent.ts";
import { openPerformer } from "./backends.ts";
import type { RunPlan } from "./plan.ts";
import { type RunEvent, runPoints } from "./rank.ts";

export interface Crew {
  readonly ranks: number;
  /** `child processes`, or the name of an MPI. */
  readonly launch: string;
  run(plan: RunPlan, tell: (event: RunEvent) => void, signal: AbortSignal): Promise<void>;
  /** Ends the ranks after the last run. */
  end(): Promise<void>;
}

/** One local process per rank. */
export function processCrew(ranks: number): Crew {
  return {
    ranks,
    launch: "child processes",
    run: (plan, tell, signal) =>
      runRanks({
        program: builtFile("ncio-rank.js"),
        ranks,
        data: plan,
        signal,
        heard: (event) => tell(event as RunEvent),
      }),
    end: async () => {},
  };
}

/** All ranks in this process: memory storage cannot be shared with others. */
export function taskCrew(ranks: number): Crew {
  return {
    ranks,
    launch: "tasks of one process",
    async run(plan, tell, signal) {
      await runTasks(ranks, async (communicator) => {
        const performer = await openPerformer(communicator, plan);
        await runPoints(communicator, plan, performer, (event) => {
          signal.throwIfAborted();
          tell(event);
        });
      });
    },
    end: async () => {},
  };
}

type Order = { readonly kind: "run"; readonly plan: RunPlan } | { readonly kind: "end" };

/** Ranks of an external launcher; this is rank 0. */
export function leadCrew(communicator: Communicator): Crew {
  const order = (what: Order) => communicator.broadcast(Buffer.from(JSON.stringify(what)), 0);
  return {
    ranks: communicator.size,
    launch: communicator.name,
    async run(plan, tell) {
      await order({ kind: "run", plan });
      await runOne(communicator, plan, tell);
    },
    async end() {
      await order({ kind: "end" });
      await communicator.close();
    },
  };
}

/** Loop of the other ranks. */
export async function followCrew(communicator: Communicator): Promise<void> {
  for (;;) {
    const bytes = await communicator.broadcast(undefined, 0);
    const order = JSON.parse(Buffer.from(bytes).toString()) as Order;
    if (order.kind === "end") break;
    await runOne(communicator, order.plan, () => {});
  }
  await communicator.close();
}

async function runOne(
  communicator: Communicator,
  plan: RunPlan,
  tell: (event: RunEvent) => void,
): Promise<void> {
  const performer = await openPerformer(communicator, plan);
  await runPoints(communicator, plan, performer, tell);
  await performer.close();
}
