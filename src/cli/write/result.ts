/** What a finished write was, for people and for programs. */
import { stepFacts } from "../../adaptive/steps/index.ts";
import { formatBytes, formatMany, formatRate, formatSeconds } from "../../base/units.ts";
import type { StepRecord, StepResult } from "../../adaptive/runtime/index.ts";

const TARGET_LINES = 24;

export function resultJson(path: string, result: StepResult): unknown {
  const { record, bytes, seconds, wallSeconds, step, died } = result;
  const { run } = record;
  const facts = stepFacts(run);
  const number = (value: number | null) => (value !== null && Number.isFinite(value) ? value : null);
  return {
    dataset: path,
    step,
    bytes,
    keptBytes: record.keptBytes,
    seconds,
    commitSeconds: number(run.commitSeconds),
    wallSeconds,
    startSeconds: number(record.startSeconds),
    bandwidthBytesPerSecond: number(facts.bytesPerSecond),
    policy: run.policy,
    alreadyComplete: result.alreadyComplete,
    sources: result.sources,
    blocks: result.blocks,
    perTarget: facts.perTarget.map((one) => ({
      target: one.target,
      path: run.targetNames?.[one.target],
      bytes: one.bytes,
      seconds: one.endSeconds,
      busySeconds: one.busySeconds,
      writes: one.writes,
      ...(slowedOf(result, one.target) === "" ? {} : { slowed: slowedOf(result, one.target) }),
    })),
    imbalance: number(facts.imbalance),
    spreadSeconds: number(facts.spreadSeconds),
    adaptiveWrites: facts.movedWrites,
    adaptiveBytes: facts.movedBytes,
    unusedWrites: facts.unusedWrites,
    bps: number(facts.bps),
    messages: (run.messages ?? []).reduce((sum, { count }) => sum + count, 0),
    processesLost: died,
    cpuSeconds: record.cpuSeconds,
    memoryBytes: record.memoryBytes,
  };
}

export function* resultLines(path: string, result: StepResult): Generator<string> {
  const { record, bytes, step } = result;
  const { run } = record;
  if (result.alreadyComplete) {
    yield `${path}: step ${step}, ${formatBytes(bytes)}: already complete, nothing to resume`;
    return;
  }
  if (run.calls.count === 0) {
    yield `${path}: step ${step}, ${formatBytes(bytes)}: all data was already written`;
    return;
  }
  const facts = stepFacts(run);
  const kept = record.keptBytes > 0 ? ` and ${formatBytes(record.keptBytes)} kept` : "";
  yield `${path}: step ${step}, ${formatBytes(run.bytes)} in ${formatSeconds(run.seconds)} (${formatRate(facts.bytesPerSecond)})${kept}, durable after ${formatSeconds(run.commitSeconds)}`;
  const moved = `${formatMany(facts.movedWrites, "write")} moved to another target (${formatBytes(facts.movedBytes)})`;
  const what = `${formatMany(result.sources, "source")} in ${formatMany(result.blocks, "block")}`;
  yield `policy ${run.policy}, ${what}, ${formatMany(facts.perTarget.length, "target")}: ${moved}; slowest writer over fastest ${facts.imbalance.toFixed(2)}`;
  for (const one of facts.perTarget.slice(0, TARGET_LINES)) {
    const slowed = slowedOf(result, one.target);
    const rate =
      one.writes === 0 ? "not used" : `${formatBytes(one.bytes)} until ${formatSeconds(one.endSeconds)}`;
    yield `  target ${one.target} ${run.targetNames?.[one.target] ?? ""}: ${rate}${slowed === "" ? "" : `, ${slowed}`}`;
  }
  const more = facts.perTarget.length - TARGET_LINES;
  if (more > 0) yield `  and ${more} more`;
}

export function baselineJson({ run, cpuSeconds, memoryBytes }: StepRecord): unknown {
  const { bytesPerSecond, imbalance, spreadSeconds, bps } = stepFacts(run);
  const { policy, writers, bytes, seconds, commitSeconds } = run;
  return {
    ...{ policy, writers, bytes, seconds, commitSeconds },
    bandwidthBytesPerSecond: bytesPerSecond,
    ...{ imbalance, spreadSeconds, bps, cpuSeconds, memoryBytes },
  };
}

export function baselineLine({ run }: StepRecord): string {
  const { bytesPerSecond, imbalance } = stepFacts(run);
  return `${run.title}: ${formatBytes(run.bytes)} in ${formatSeconds(run.seconds)} (${formatRate(bytesPerSecond)}), flushed and closed after ${formatSeconds(run.commitSeconds)}; slowest writer over fastest ${imbalance.toFixed(2)}; the file was removed\n`;
}

const slowedOf = ({ record }: StepResult, target: number): string =>
  record.run.slowed?.find((one) => one.target === target)?.how ?? "";
