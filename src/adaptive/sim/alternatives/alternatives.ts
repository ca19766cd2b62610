/**
 * The alternatives that the adaptive I/O paper names (II.3), on the same machine, background and output as the adaptive method:
 * asynchronous output, data staging, and output split into as many files as cover all targets. Also its future work: adaptive
 * writing on Franklin and XTP, and inside a staging area.
 */
import { AssertionError } from "../../../base/assert.ts";
import { mean } from "../../../base/statistics.ts";
import type { EventQueue } from "../events.ts";
import type { RunSpec } from "../experiments/run.ts";
import { checkSpec, worldOf } from "../experiments/run.ts";
import { paperInterference, usualTargets } from "../experiments/series.ts";
import { runStatic } from "../experiments/static.ts";
import { runAdaptive } from "../host/index.ts";
import type { Machine } from "../machines/index.ts";
import { MB, sampleSeed } from "../storage/index.ts";
import { asynchronousWaits, stagingWaits } from "./buffers.ts";
import { METADATA_SERVER, openFiles, type OpenResult, staggersOf } from "./opens.ts";

export interface AlternativesSetting {
  readonly machine: Machine;
  readonly writers: number;
  readonly bytes: number;
  readonly targets: number;
  readonly steps: number;
  readonly seed: number;
  /** Computing between two output steps. */
  readonly periodSeconds: number;
  /** Steps that fit into free memory of the compute nodes. */
  readonly bufferedSteps: number;
  readonly stagingNodes: number;
  readonly stagingMemoryBytes: number;
}

type UsualFields = "targets" | "writers" | "stagingNodes";

/** Defaults are those of the paper's largest runs: 32 writers per target; a staging node serves 64 writers. */
export function alternativesSetting(
  given: Omit<AlternativesSetting, UsualFields> & {
    readonly [Field in UsualFields]: number | undefined;
  },
): AlternativesSetting {
  const { targets = usualTargets(given.machine) } = given;
  const { writers = 32 * targets } = given;
  const { stagingNodes = Math.max(1, Math.round(writers / 64)) } = given;
  return { ...given, targets, writers, stagingNodes };
}

/** Opens at a metadata server: of a file per target and of one per writer, with staggers around the time of an open. */
export const compareOpens = ({ targets, writers }: AlternativesSetting): OpenResult[] =>
  [...new Set([targets, writers])].flatMap((files) =>
    staggersOf(METADATA_SERVER).map((apart) => openFiles(files, apart, METADATA_SERVER)),
  );

/** Description of each; `storage` names the method that gives its write times. */
const ALTERNATIVES = [
  { id: "mpi-io", label: "MPI-IO, one file", storage: "mpi-io" },
  { id: "several-files", label: "MPI-IO, one file per part of the targets", storage: "several-files" },
  { id: "posix", label: "one file per writer", storage: "posix" },
  { id: "asynchronous", label: "MPI-IO, asynchronous", storage: "mpi-io" },
  { id: "staging", label: "staging", storage: "staging" },
  { id: "staging-adaptive", label: "staging, adaptive (plimsoll) inside", storage: "staging-adaptive" },
  { id: "paper", label: "adaptive (paper)", storage: "paper" },
  { id: "plimsoll", label: "adaptive (plimsoll)", storage: "plimsoll" },
] as const;

type AlternativeId = (typeof ALTERNATIVES)[number]["id"];
type StorageMethod = (typeof ALTERNATIVES)[number]["storage"];

export interface AlternativeResult {
  readonly id: AlternativeId;
  readonly label: string;
  readonly interference: boolean;
  /** Per step: time of the storage, and wait of the application. */
  readonly storageSeconds: readonly number[];
  readonly waitSeconds: readonly number[];
  readonly meanWaitSeconds: number;
  readonly worstWaitSeconds: number;
  /** Waiting / (waiting + computing). */
  readonly waitShare: number;
}

export function runAlternatives(
  setting: AlternativesSetting,
  onStep: () => void = () => {},
  queue?: EventQueue,
): AlternativeResult[] {
  checkSpec(specOf(setting, 0, false));
  return [false, true].flatMap((interference) => {
    const seconds = new Map<StorageMethod, number[]>();
    const storageSeconds = (method: StorageMethod): number[] => {
      const known = seconds.get(method);
      if (known !== undefined) return known;
      const found = Array.from({ length: setting.steps }, (_, step) => {
        onStep();
        return stepSeconds(method, setting, specOf(setting, step, interference), queue);
      });
      seconds.set(method, found);
      return found;
    };
    return ALTERNATIVES.map(({ id, label, storage }) => {
      const times = storageSeconds(storage);
      const waits = waitsOf(id, times, setting);
      const waited = waits.reduce((sum, one) => sum + one, 0);
      return {
        ...{ id, label, interference },
        storageSeconds: times,
        waitSeconds: waits,
        meanWaitSeconds: mean(waits),
        worstWaitSeconds: Math.max(...waits),
        waitShare: waited / (waited + setting.steps * setting.periodSeconds),
      };
    });
  });
}

/** Number of calls of `onStep`. */
export const stepsOf = ({ steps }: AlternativesSetting): number =>
  2 * steps * new Set(ALTERNATIVES.map(({ storage }) => storage)).size;

function specOf(setting: AlternativesSetting, step: number, interference: boolean): RunSpec {
  const { machine, writers, bytes, targets, seed, steps } = setting;
  return {
    ...{ machine, writers, bytes, targets },
    run: { seed, sample: step, samples: steps },
    interference: interference ? paperInterference(targets) : undefined,
  };
}

function stepSeconds(
  method: StorageMethod,
  setting: AlternativesSetting,
  spec: RunSpec,
  queue: EventQueue | undefined,
): number {
  const { machine, targets } = spec;
  switch (method) {
    case "mpi-io":
      return runStatic(
        { ...spec, targets: Math.min(targets, machine.targetsPerFile), sharedFile: true },
        queue,
      ).seconds;
    case "several-files":
      return runStatic({ ...spec, sharedFile: true }, queue).seconds;
    case "posix":
      return runStatic(spec, queue).seconds;
    case "staging":
      return runStatic(staged(setting, spec), queue).seconds;
    case "staging-adaptive":
      // The paper's policy moves whole blocks, of which a staging node has one.
      return adaptiveSeconds(staged(setting, spec), "plimsoll", queue);
    default:
      return adaptiveSeconds(spec, method, queue);
  }
}

/** The same data, written by the staging nodes in separate files; few nodes write several at a time, so that no target is idle. */
function staged({ stagingNodes }: AlternativesSetting, spec: RunSpec): RunSpec {
  const writers = Math.min(spec.writers, Math.max(stagingNodes, spec.targets));
  return { ...spec, writers, bytes: Math.ceil((spec.bytes * spec.writers) / writers) };
}

function adaptiveSeconds(spec: RunSpec, policy: string, queue: EventQueue | undefined): number {
  const { machine, writers, bytes, run } = spec;
  const result = runAdaptive({
    world: worldOf(spec, queue),
    ...{ policy, writers, bytes },
    targets: Math.min(spec.targets, policy === "paper" ? writers : spec.targets),
    seed: sampleSeed(run),
    jitterSeconds: machine.parameters.startJitter,
  });
  if (result.outcome !== "complete") throw new AssertionError(`a run without faults ended: ${result.reason}`);
  return result.seconds;
}

function waitsOf(id: AlternativeId, times: readonly number[], setting: AlternativesSetting): number[] {
  const { periodSeconds, bufferedSteps, stagingNodes, stagingMemoryBytes, writers, bytes, machine } = setting;
  if (id === "asynchronous") return asynchronousWaits(times, periodSeconds, bufferedSteps);
  if (id !== "staging" && id !== "staging-adaptive") return [...times];
  return stagingWaits(times, periodSeconds, {
    bytes: writers * bytes,
    memoryBytes: Math.min(stagingNodes, writers) * stagingMemoryBytes,
    networkBytesPerSecond: machine.parameters.networkRate * MB,
  });
}
