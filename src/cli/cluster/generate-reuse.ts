/** `plimsoll cluster generate reuse`: a synthetic centre in slices, as an array job. */
import { defineCommand, type OptionSpecs } from "../command.ts";
import generate from "../generate/reuse.ts";
import { CLUSTER_OPTIONS, type ClusterValues } from "./engine.ts";
import { clusterGenerate } from "./generate.ts";

const { slice: _, join: __, damage: ___, ...OWN } = generate.options;

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
  run: ({ options }, context) =>
    clusterGenerate("reuse", OWN, options as unknown as ClusterValues & { output?: string }, context),
});
