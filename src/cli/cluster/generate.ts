/** What `plimsoll cluster generate …` commands share: slices of an array job, and a task that joins them. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { mapAndMerge } from "../../cluster/index.ts";
import type { OptionSpecs } from "../command.ts";
import type { Context } from "../context.ts";
import { requiredOutput } from "../generate/answers.ts";
import { type ClusterValues, runCluster } from "./engine.ts";
import { optionWords } from "./words.ts";

/** `own`: options of the command that every task gets, too. */
export async function clusterGenerate(
  what: string,
  own: OptionSpecs,
  options: ClusterValues & { readonly output?: string },
  context: Context,
): Promise<void> {
  const output = resolve(requiredOutput(options.output));
  if (!options.resume && existsSync(output))
    throw new UsageError(`${output} exists; choose another folder, or continue a run with --resume`);
  const words = ["generate", what, ...optionWords(own, { ...options, output })];
  const plan = mapAndMerge(
    `generate ${what}`,
    options.tasks,
    (index, of) => [...words, `--slice=${index}/${of}`],
    [...words, `--join=${options.tasks}`],
  );
  await runCluster({ plan, options, next: () => `made ${output}\n` }, context);
}
