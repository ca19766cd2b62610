/** The experiments of the metric study on this machine: plan, files, runs. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SET_IDS, type Run, type SetId, type StudySetting } from "../../analyze/study/metric/index.ts";
import { UsageError } from "../../base/errors.ts";
import { ShimUnavailable } from "../compiler.ts";
import { DataFiles, isInMemory, MEMORY_FOLDER } from "./data-files.ts";
import { busyNote, checkFolder, lookAround, machineFacts, memoryIsThere } from "./machine.ts";
import { type Machine, type PlannedCase, planCases, type PlanOptions, workloadText } from "./plan.ts";
import { buildPrograms, type Programs } from "./programs.ts";
import { type Measurement, measureCase, type RunContext, runOrder } from "./run.ts";

interface ExperimentOptions extends PlanOptions {
  readonly repeats: number;
  /** Where data files go. */
  readonly dir: string;
  /** Decides the order of the runs. */
  readonly seed: number;
}

/** What the caller lends: how to stop, where to tell, and who cleans up should we not come to it. */
interface Watch {
  readonly signal: AbortSignal;
  say(text: string): void;
  /** This many runs there will be. */
  expect(total: number): void;
  done(count: number): void;
  /** Called after each run with all that were made, so that what was measured is not lost should the study be cut short. */
  measured?(runs: readonly Run[], setting: StudySetting): void;
  /** Called before something is put into a folder that must not stay. */
  folder(path: string): { done(): void };
}

interface Experiment {
  readonly runs: readonly Run[];
  readonly setting: StudySetting;
}

export async function runExperiment(options: ExperimentOptions, watch: Watch): Promise<Experiment> {
  checkFolder(options.dir);
  const wantsMpi = options.sets.some((set) => set.startsWith("4"));
  const built = programsOf(wantsMpi);
  const machine = await lookAround(options.dir, built.workload, watch.folder);
  const cases = planCases(options, machine);
  const notes = [busyNote()].filter((note) => note !== undefined);
  const kept: { done(): void }[] = [];
  const keep = (folder: string) => void kept.push(watch.folder(folder));
  const traces = mkdtempSync(join(memoryIsThere() ? MEMORY_FOLDER : options.dir, "plimsoll-metric-"));
  keep(traces);
  let files: DataFiles | undefined;
  try {
    files = await DataFiles.make(cases, {
      dir: options.dir,
      workload: built.workload,
      keep,
      signal: watch.signal,
    });
    const context = { files, traces, signal: watch.signal };
    const programs = await checkedPrograms(built, cases, context);
    const sieving = sievingText(programs, wantsMpi);
    const setting = () => settingOf(cases, options, machine, sieving, notes);
    const runs = await makeRuns(cases, options, { ...context, programs }, watch, notes, (made) =>
      watch.measured?.(made, setting()),
    );
    return { runs, setting: setting() };
  } finally {
    files?.remove();
    rmSync(traces, { recursive: true, force: true });
    for (const one of kept) one.done();
  }
}

function programsOf(wantsMpi: boolean): Programs {
  try {
    return buildPrograms(wantsMpi);
  } catch (error) {
    if (!(error instanceof ShimUnavailable)) throw error;
    throw new UsageError(`${error.message}; --simulate needs no recorder`, { cause: error });
  }
}

/** An MPI library that does not sieve, or whose reads the recorder does not see, is no use: then our own does it. */
async function checkedPrograms(
  programs: Programs,
  cases: readonly PlannedCase[],
  context: Omit<RunContext, "programs">,
): Promise<Programs> {
  if (programs.mpiSieving === undefined) return programs;
  const one = cases.find(({ work }) => work.kind === "sieve") as PlannedCase;
  try {
    const { bytes, movedBytes } = await measureCase(one, { ...context, programs });
    if (movedBytes > bytes) return programs;
  } catch (error) {
    if (context.signal.aborted) throw error;
  }
  return { ...programs, mpiSieving: undefined };
}

const sievingText = ({ mpiSieving }: Programs, wanted: boolean): string | undefined =>
  !wanted
    ? undefined
    : mpiSieving === undefined
      ? "by built-in data sieving, since no MPI library was found"
      : `by data sieving of ${mpiSieving.library}`;

async function makeRuns(
  cases: readonly PlannedCase[],
  { repeats, seed }: ExperimentOptions,
  context: RunContext,
  watch: Watch,
  notes: string[],
  measured: (runs: readonly Run[]) => void,
): Promise<Run[]> {
  const order = runOrder(cases.length, repeats, seed);
  const first = SET_IDS.map((set) => cases.find((one) => one.set === set)).filter((one) => one !== undefined);
  watch.expect(first.length + order.length);
  let count = 0;
  // Warm-up: programs and libraries come from the disk once.
  for (const one of first) {
    await measureCase(one, context);
    watch.done(++count);
  }
  const runs: Run[] = [];
  const stayed = new Set<SetId>();
  for (const { index, repeat } of order) {
    const one = cases[index] as PlannedCase;
    const { residentPages, ...found }: Measurement = await measureCase(one, context);
    if (residentPages > 0) stayed.add(one.set);
    const { set, label, x, device } = one;
    runs.push({ set, label, x, device, repeat, order: runs.length + 1, ...found });
    measured(runs);
    watch.done(++count);
  }
  if (stayed.size > 0)
    notes.push(
      `Pages of the data files stayed in the page cache before some runs of set ${[...stayed].join(", ")}: their cache was not fully cold.`,
    );
  return runs;
}

function settingOf(
  cases: readonly PlannedCase[],
  { sets, dir, device }: ExperimentOptions,
  machine: Machine,
  sieving: string | undefined,
  notes: readonly string[],
): StudySetting {
  const of = (set: SetId) => cases.filter((one) => one.set === set);
  const told = [...notes];
  if (cases.some(({ source }) => source.kind === "delay"))
    told.push(
      "Devices named delay are emulated: the recorder delays each call by the response time of the device; the data comes from the page cache.",
    );
  const disk = cases.some(({ source }) => source.kind === "direct" || source.kind === "cold");
  if (disk && isInMemory(dir))
    told.push(
      `${dir} is in memory, so the disk cases do not measure a disk. Choose another folder with --dir.`,
    );
  if (disk && !machine.direct)
    told.push(`${dir} does not support O_DIRECT: the disk is read with a cold page cache instead.`);
  if (device === "real" && sets.includes("3a"))
    told.push("Set 3a: the files of all processes are on one disk, not on one device each.");
  if (sieving !== undefined) told.push(`Set 4 reads ${sieving}.`);
  return {
    simulated: false,
    machine: machineFacts(dir),
    workloads: Object.fromEntries(sets.map((set) => [set, workloadText(of(set), sieving ?? "")])),
    notes: told,
  };
}
export { DEVICE_CHOICES, type DeviceChoice } from "./plan.ts";
