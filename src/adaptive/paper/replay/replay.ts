/** Replays the paper's experiments: all samples, all checks, and the policies side by side. */
import { MISSED_BECAUSE } from "../missed.ts";
import { performance } from "node:perf_hooks";
import { assert } from "../../../base/assert.ts";
import type { ReplayCheck, ReplayData } from "../../../model/index.ts";
import { HOURLY, hourlySeries } from "../../sim/experiments/plans.ts";
import { type Sample, type Series, seriesKey } from "../../sim/experiments/series.ts";
import type { Machine } from "../../sim/machines/index.ts";
import { COMPARED, type PolicyRun, type PolicyStep, policySettings } from "../../sim/policies/compare.ts";
import { CHECKS, Evidence, judgeFew, MACHINE_FACTS } from "../checks.ts";
import { contradictions } from "./contradictions.ts";
import { type Job, type JobResult, samplesJobs, writesOf } from "./jobs.ts";
import { machineAmong } from "./machines.ts";
import { type Effort, PAPER_EFFORT, seriesOf, type Selection } from "./parts.ts";
import { type PoolOptions, runJobs } from "./pool.ts";
import { tradeoffRows, tradeoffs } from "./tradeoff.ts";

interface ReplayOptions extends Omit<PoolOptions, "onProgress"> {
  readonly selection: Selection;
  readonly effort: Effort;
  readonly seed: number;
  /** Done and total, in simulated writes. */
  readonly onProgress?: ((writes: number, all: number) => void) | undefined;
}

export interface JudgedCheck extends ReplayCheck {
  /** The numbers behind `measured`. */
  readonly values: readonly number[];
}

interface MeasuredSeries extends Series {
  readonly results: readonly Sample[];
}

interface PolicyResult extends PolicyRun {
  readonly results: readonly PolicyStep[];
}

export interface Replay extends ReplayData {
  readonly machines: readonly Machine[];
  readonly checks: readonly JudgedCheck[];
  readonly series: readonly MeasuredSeries[];
  readonly policies: readonly PolicyResult[];
  readonly wallSeconds: number;
  readonly busySeconds: number;
  readonly threads: number;
}

export async function runReplay(options: ReplayOptions): Promise<Replay> {
  const { selection, effort, seed, machines, threads } = options;
  const began = performance.now();
  const series = uniqueSeries(selection, effort, seed);
  const policyRuns = selection.parts.includes("policies") ? policyRunsOf(effort, seed) : [];
  const machine = machineAmong(machines);
  const sweep = selection.parts.includes("tradeoff")
    ? tradeoffs(machine("jaguar"), effort.tradeoff, seed)
    : [];
  const sweepJobs = sweep.flatMap((one) => one.jobs);
  const jobs: Job[] = [
    ...series.flatMap((one) => samplesJobs(one)),
    ...policyRuns.map((run): Job => ({ kind: "policy", run })),
    ...sweepJobs,
  ];
  const all = jobs.reduce((sum, job) => sum + writesOf(job), 0);
  const { onProgress, ...pool } = options;
  const progress = onProgress && ((writes: number) => onProgress(writes, all));
  const first = await runJobs(jobs, { ...pool, onProgress: progress });
  const measured = gather(series, jobs, first.results);
  const pairJobs = selection.parts.includes("fig3") ? pairJobsOf(measured, effort, seed) : [];
  const second = await runJobs(pairJobs, pool);
  const evidence = new Evidence(new Map(measured.map((one) => [seriesKey(one), one.results])), machine);
  const steps = first.results.filter((one) => one.kind === "policy");
  assert(steps.length === policyRuns.length, "every policy run has a result");
  const policies = policyRuns.map((run, i) => ({ ...run, results: steps[i]!.steps }));
  return {
    seed,
    machines,
    parts: selection.parts,
    checks: checksOf(evidence, selection, seed),
    series: measured,
    pairs: second.results.flatMap((one) => (one.kind === "pair" ? [one.pair] : [])),
    policies,
    tradeoff: tradeoffRows(sweep, first.results.slice(jobs.length - sweepJobs.length)),
    contradictions: contradictions(machine),
    runs:
      countRuns(measured, policies) +
      2 * pairJobs.length +
      sweepJobs.reduce((sum, { from, to }) => sum + to - from, 0),
    events: eventsOf(measured, policies),
    wallSeconds: (performance.now() - began) / 1000,
    busySeconds: first.busySeconds + second.busySeconds,
    threads,
  };
}

/** Parts share series: Figs 5 and 7, Table I and Fig 2. */
function uniqueSeries({ parts }: Selection, effort: Effort, seed: number): Series[] {
  const byKey = new Map<string, Series>();
  for (const part of parts)
    for (const series of seriesOf(part, effort, seed)) byKey.set(seriesKey(series), series);
  return [...byKey.values()];
}

function policyRunsOf({ seeds, steps }: Effort, seed: number): PolicyRun[] {
  return policySettings().flatMap((setting) =>
    Array.from({ length: seeds }, (_, i) => seed + 100 + i).flatMap((one) =>
      COMPARED.filter((policy) => isCompared(policy, setting)).map((policy) => ({
        ...setting,
        policy,
        steps,
        seed: one,
      })),
    ),
  );
}

/** The value of history is measured without interference only, since interference hits the same targets at every step. */
const isCompared = (policy: string, { interference }: { interference: boolean }): boolean =>
  policy !== "plimsoll, no history" || !interference;

function gather(
  series: readonly Series[],
  jobs: readonly Job[],
  results: readonly JobResult[],
): MeasuredSeries[] {
  const bySeries = new Map<Series, Sample[]>(series.map((one) => [one, []]));
  jobs.forEach((job, i) => {
    const result = results[i] as JobResult;
    // Jobs of a series are in the order of their samples.
    if (job.kind === "samples" && job.tried === undefined && result.kind === "samples")
      bySeries.get(job.series)?.push(...result.samples);
  });
  return series.map((one) => {
    const samples = bySeries.get(one) as Sample[];
    assert(samples.length === one.samples, `${seriesKey(one)}: ${samples.length} of ${one.samples} samples`);
    return { ...one, results: samples };
  });
}

/** The published factor of the first test; pairs start with the tests nearest to it. */
const FIRST_IMBALANCE = 3.44;

function pairJobsOf(measured: readonly MeasuredSeries[], { tests, pairs }: Effort, seed: number): Job[] {
  const [line] = HOURLY;
  const series = hourlySeries(line, Math.min(line.tests, tests), seed + 1);
  const found = measured.find((one) => seriesKey(one) === seriesKey(series));
  const distance = ({ imbalance }: Sample) => Math.abs(Math.log(imbalance / FIRST_IMBALANCE));
  const nearest = (found?.results ?? [])
    .map((sample, index) => ({ index, distance: distance(sample) }))
    .sort((a, b) => a.distance - b.distance || a.index - b.index)
    .slice(0, pairs);
  return nearest.map(({ index }) => ({ kind: "pair", series, sample: index }));
}

/** A check whose runs were not selected is "not run"; with `--only` such checks are omitted. */
function checksOf(evidence: Evidence, selection: Selection, seed: number): JudgedCheck[] {
  const { rows } = selection;
  const asked = CHECKS.filter(({ row }) => rows === undefined || rows.has(row));
  const planned = uniqueSeries(selection, PAPER_EFFORT, seed);
  const counts = new Map(planned.map((one) => [seriesKey(one), one.samples]));
  return judgeFew(evidence, asked, counts).map(({ check, simulated, values, verdict, note = "" }) => ({
    id: check.id,
    row: check.row,
    place: check.place,
    claim: check.claim,
    published: check.published,
    measured: verdict === "not run" ? "" : simulated,
    tolerance: check.tolerance,
    method: check.method,
    verdict,
    computed: MACHINE_FACTS.includes(check),
    why: verdict === "missed" ? (MISSED_BECAUSE[check.id] ?? "") : "",
    note,
    values,
  }));
}

const countRuns = (series: readonly MeasuredSeries[], policies: readonly PolicyResult[]): number =>
  series.reduce((sum, one) => sum + one.results.length, 0) +
  policies.reduce((sum, one) => sum + one.results.length, 0);

function eventsOf(series: readonly MeasuredSeries[], policies: readonly PolicyResult[]): number {
  let events = 0;
  for (const { results } of series) for (const one of results) events += one.events;
  for (const { results } of policies) for (const one of results) events += one.events;
  return events;
}
