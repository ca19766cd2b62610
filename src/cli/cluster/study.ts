/** Studies over a store in tasks: each hands over what its bucket knows, and one studies what they handed over. */
import { resolve } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { mapAndMerge } from "../../cluster/index.ts";
import { type Command, defineCommand, type OptionSpecs } from "../command.ts";
import { CLUSTER_OPTIONS, type ClusterValues, runCluster, runPath } from "./engine.ts";
import { optionWords } from "./words.ts";

interface Values extends ClusterValues {
  readonly store?: string;
  readonly output?: string;
}

/** The study `name` as a command of the cluster; `example` are options to show. */
export function clusterStudy(name: string, study: Command, example: string): Command {
  const { part: _, parts: __, ...own } = study.options;
  return defineCommand({
    name: `cluster study ${name}`,
    description: `Runs plimsoll study ${name} on a Slurm cluster: an array job of --tasks buckets, and a dependent job that combines their results. Every value equals that of one process on the same store, to the last digit. In a store with buckets (plimsoll store compact --buckets) a task reads only its own segments; --tasks should divide the number of buckets. All tasks read the batches that are in the store when the run starts.`,
    options: { ...(own as OptionSpecs), ...CLUSTER_OPTIONS },
    examples: {
      [`plimsoll cluster study ${name} --store centre --tasks 64 --wait ${example}`]:
        "64 tasks, with a report",
      [`plimsoll cluster study ${name} --store centre --tasks 8 --local 2 --json`]:
        "without Slurm, two processes at a time",
    },
    async run({ options: given }, context) {
      const options = given as unknown as Values;
      const { store, output } = options;
      if (store === undefined) throw new UsageError("--store is missing: name a store folder");
      const what = `study ${name}`;
      const parts = `${runPath(what, options)}/parts`;
      const words = [
        ...["study", name, `--parts=${parts}`],
        ...optionWords(own, {
          ...options,
          store: resolve(store),
          ...(output === undefined ? {} : { output: resolve(output) }),
        }),
      ];
      const plan = mapAndMerge(
        what,
        options.tasks,
        (index, of) => [...words, `--part=${index}/${of}`],
        words,
      );
      const next = () =>
        `result ${runPath(what, options)}/out/merge-1.json${output === undefined ? "" : `, report ${output}`}\n`;
      const { takeSnapshot } = await import("../../store/index.ts");
      await runCluster({ plan, options, begin: () => takeSnapshot(store, parts), next }, context);
    },
  });
}
