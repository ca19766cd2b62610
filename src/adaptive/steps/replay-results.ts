/** A replay as data for other programs. */
import { csvText } from "../../base/csv.ts";
import type { ReplayCheck, ReplayData } from "../../model/index.ts";
import { replayVerdict } from "./replay-document.ts";

interface ReplayResult extends ReplayData {
  /** With the numbers behind `measured`. */
  readonly checks: readonly (ReplayCheck & { readonly values: readonly number[] })[];
}

/** A replay as JSON: what scripts rely on. */
export function replayJson(replay: ReplayResult) {
  return {
    simulated: true,
    seed: replay.seed,
    parts: replay.parts,
    verdict: replayVerdict(replay.checks),
    checks: replay.checks.map(({ id, published, measured, tolerance, verdict, ...rest }) => ({
      id,
      published,
      measured: verdict === "not run" ? null : measured,
      tolerance,
      verdict,
      ...rest,
      values: rest.values.map((value) => (Number.isFinite(value) ? value : null)),
    })),
    contradictions: replay.contradictions,
    series: replay.series.map(({ results, ...series }) => ({
      ...series,
      meanBandwidthMb: mean(results.map(({ bandwidth }) => bandwidth)),
      meanSeconds: mean(results.map(({ seconds }) => seconds)),
    })),
    policies: replay.policies,
    tradeoff: replay.tradeoff,
    runs: replay.runs,
    events: replay.events,
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Every simulated run of the figures and of Table I. */
export function samplesCsv({ series }: ReplayData): string {
  const head =
    "machine,method,size_mb,writers,targets,interference,two_jobs,hourly,sample,seconds,bandwidth_mb_s,writer_bandwidth_mb_s,imbalance,origin".split(
      ",",
    );
  const rows = series.flatMap((one) =>
    one.results.map((sample, i) => [
      one.machine,
      one.method,
      one.sizeMb,
      one.writers,
      one.targets,
      Number(one.interference),
      Number(one.twoJobs),
      Number(one.hourly),
      i,
      sample.seconds,
      sample.bandwidth,
      sample.writerBandwidth,
      sample.imbalance,
      "simulated",
    ]),
  );
  return csvText([head, ...rows]);
}
