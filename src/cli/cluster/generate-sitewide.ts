/** `plimsoll cluster generate sitewide`: a synthetic site in slices, as an array job. */
import { UsageError } from "../../base/errors.ts";
import { defineCommand, type OptionSpecs } from "../command.ts";
import generate from "../generate/sitewide.ts";
import { CLUSTER_OPTIONS, type ClusterValues } from "./engine.ts";
import { clusterGenerate } from "./generate.ts";

/** Options of what is generated; the others are about files and live trees. */
const NAMES = ["output", "scale", "seed", "cluster", "weekend", "contention", "start", "tables"];
const OWN: OptionSpecs = Object.fromEntries(
  Object.entries(generate.options).filter(([name]) => NAMES.includes(name)),
);

export default defineCommand({
  name: "cluster generate sitewide",
  description:
    "Generates the store of plimsoll generate sitewide --tables on a Slurm cluster: an array job of --tasks slices, and a dependent job that joins them into one store and writes answers.json. Rows and answers are those of one process. Every task draws all jobs and writes the rows of its own time range. A repeated slice replaces its earlier output.",
  options: { ...OWN, ...CLUSTER_OPTIONS },
  examples: {
    "plimsoll cluster generate sitewide -o site --scale 1 --tables --tasks 16 --wait":
      "4.26 million jobs and 84 million minutes as a store",
    "plimsoll cluster generate sitewide -o site --tables --tasks 4 --local 2": "without Slurm",
  },
  async run({ options: given }, context) {
    const options = given as unknown as ClusterValues & { output?: string; tables: boolean };
    if (!options.tables)
      throw new UsageError(
        "files of a site are made in one process; add --tables, or run plimsoll generate sitewide",
      );
    await clusterGenerate("sitewide", OWN, options, context);
  },
});
