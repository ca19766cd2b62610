/** From paths to BPS and related metrics. */
import { type CollectorOptions, type Metrics, originOf, type Variant } from "../../analyze/metric/index.ts";
import { UsageError } from "../../base/errors.ts";
import type { Listener } from "../../base/listener.ts";
import { isSynthetic, type Provenance } from "../../model/index.ts";
import { isPipe } from "../held-pipes.ts";
import { findInputs, withoutTwins } from "../job/index.ts";
import { nodeHost } from "../node.ts";
import { collectInputs, type ReadSetting } from "./collect.ts";

/** Part of the time, from the first call on. */
export interface TimeRange {
  readonly fromNs: number;
  readonly toNs: number;
}

/** Each input by itself, as one way to do the same work. */
export async function measureVariants(
  names: readonly string[],
  options: CollectorOptions,
  setting: ReadSetting,
  listener: Listener,
): Promise<{ readonly variants: readonly Variant[]; readonly origin: Provenance }> {
  const variants: Variant[] = [];
  let synthetic = 0;
  for (const name of names) {
    const metrics = await measurePaths([name], options, undefined, setting, listener);
    variants.push({ name, values: metrics });
    synthetic += Number(isSynthetic(originOf(metrics)));
  }
  return { variants, origin: { synthetic, of: variants.length, unit: "variants" } };
}

/** Of all calls, or of those in a range, whose first call an earlier reading finds. */
export async function measurePaths(
  paths: readonly string[],
  options: CollectorOptions,
  range: TimeRange | undefined,
  setting: ReadSetting,
  listener: Listener,
): Promise<Metrics> {
  const pipe = range === undefined ? undefined : paths.find(isPipe);
  if (pipe !== undefined)
    throw new UsageError(
      `--from and --to read the input twice, which is impossible for a pipe (${pipe}); save it to a file`,
    );
  const inputs = withoutTwins(findInputs(paths, ["calls"], nodeHost, listener), nodeHost, listener);
  if (range === undefined) return (await collectInputs(inputs, options, setting, listener)).metrics;
  const { everyNs: _, ...whole } = { ...options, by: [], picture: false };
  const { metrics, used } = await collectInputs(inputs, whole, setting, listener);
  const chosen = { ...options, range: { ...range, origin: metrics.clock.origin } };
  return (await collectInputs(used, chosen, setting, listener)).metrics;
}
