/** `plimsoll cluster generate reuse`: a synthetic centre in slices, as an array job. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { mapAndMerge } from "../../cluster/index.ts";
import { defineCommand, type OptionSpecs } from "../command.ts";
import generate from "../generate/reuse.ts";
import { requiredOutput } from "../generate/answers.ts";
import { CLUSTER_OPTIONS, type ClusterValues, runCluster } from "./engine.ts";
import { optionWords } from "./words.ts";

const { slice: _, join: __, damage: ___, ...OWN } = generate.options;

interface Values extends ClusterValues {
  readonly output?: string;
  readonly tables: boolean;
}

export default defineCommand({
  name: "cluster generate reuse",
  description:
    "Generates the synthetic centre of plimsoll generate reuse on a Slurm cluster: an array job of --tasks slices, and a dependent job that joins them into one centre and writes answers.json. The centre has the same runs, files and answers as that of one process, in another order. A repeated slice replaces its earlier output.",
  options: { ...(OWN as OptionSpecs), ...CLUSTER_OPTIONS },
  examples: {
    "plimsoll cluster generate reuse -o centre --scale 1 --background 1 --tables --tasks 64 --wait":
      "84 million runs as a store",
    "plimsoll cluster generate reuse -o centre --tables --tasks 4 --local 2": "without Slurm",
  },
  async run({ options: given }, context) {
    const options = given as unknown as Values;
    const output = resolve(requiredOutput(options.output));
    if (!options.resume && existsSync(output))
      throw new UsageError(`${output} exists; choose another folder, or continue a run with --resume`);
    const words = ["generate", "reuse", ...optionWords(OWN, { ...options, output })];
    const plan = mapAndMerge(
      "generate reuse",
      options.tasks,
      (index, of) => [...words, `--slice=${index}/${of}`],
      [...words, `--join=${options.tasks}`],
    );
    await runCluster({ plan, options, next: `made ${output}\n` }, context);
  },
});
