/** `plimsoll cluster ingest`: an ingest in slices, as an array job. */
import { commandLine } from "../../base/command-line.ts";
import { resolve } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { mapAndMerge } from "../../cluster/index.ts";
import { type IngestSummary, prepareIngest } from "../../ingest/index.ts";
import { defineCommand, type OptionSpecs } from "../command.ts";
import ingest from "../ingest.ts";
import { CLUSTER_OPTIONS, type ClusterValues, runCluster, runPath } from "./engine.ts";
import { totalText } from "./total.ts";
import { optionWords } from "./words.ts";

const { slice: _, ...INGEST_OPTIONS } = ingest.options;

export default defineCommand({
  name: "cluster ingest",
  description:
    "Ingests Darshan logs on a Slurm cluster: an array job of --tasks slices that fill one store, and a dependent job that sums up the results. Tasks may fail, be requeued or be killed: repeating one never stores a log twice, and --resume runs only missing tasks. Counter dumps form series and are not sliced; ingest them with plimsoll ingest.",
  arguments: ingest.arguments,
  options: { ...(INGEST_OPTIONS as OptionSpecs), ...CLUSTER_OPTIONS },
  examples: {
    "plimsoll cluster ingest /darshan/logs/2026 --store centre --tasks 64 --wait":
      "64 tasks; wait for the result",
    'plimsoll cluster ingest /darshan/logs --store centre --tasks 64 --sbatch "-p io -t 1:00:00 -c 2" --threads 2':
      "with sbatch options of the site",
    "plimsoll cluster ingest /darshan/logs --store centre --tasks 64 --resume --wait": "rerun failed tasks",
    "plimsoll cluster ingest /darshan/logs --store centre --tasks 8 --local 2":
      "without Slurm, two processes at a time",
  },
  async run({ arguments: paths, options: given }, context) {
    const options = given as unknown as ClusterValues & { readonly store?: string };
    const { store } = options;
    if (store === undefined) throw new UsageError("name the store with --store DIR");
    const more = optionWords(INGEST_OPTIONS, { ...options, store: resolve(store) });
    const inputs = paths.map((path) => resolve(path));
    const plan = mapAndMerge(
      "ingest",
      options.tasks,
      (index, of) => ["ingest", ...more, `--slice=${index}/${of}`, "--", ...inputs],
      ["cluster", "total", runPath("ingest", options)],
    );
    const next = (total: unknown) =>
      `${totalText(total as IngestSummary)}\n${commandLine(["plimsoll", "store", "compact", store])} joins the batches of the tasks\n`;
    await runCluster({ plan, options, begin: () => prepareIngest(inputs, store), next }, context);
  },
});
