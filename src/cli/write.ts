/** `plimsoll write`: drains files onto storage targets, as one dataset. */
import { thisCommand } from "./again.ts";
import { existsSync } from "node:fs";
import { runsDocument } from "../adaptive/steps/index.ts";
import { CheckFailed, UsageError } from "../base/errors.ts";
import { formatRate } from "../base/units.ts";
import {
  addRun,
  baselineUnderMpi,
  openAdaptive,
  opsCsv,
  planWorkload,
  type Ranks,
  readRuns,
  type StepInput,
  type StepProgress,
  type StepRecord,
  type StepResult,
  stepInput,
  withRanks,
  type WriterOptions,
  WriteFailure,
  WORKLOADS,
  writeBaseline,
} from "../adaptive/runtime/index.ts";
import { version } from "../../package.json";
import { defineCommand, type OptionValues } from "./command.ts";
import type { Context } from "./context.ts";
import { EXIT } from "./failure.ts";
import { launchedBy } from "../launch/environment.ts";
import type { WriteRun } from "../model/index.ts";
import { writePage } from "./page-output.ts";
import { parseOsts, parseSpeeds } from "./write/options.ts";
import { previewJson, previewLines } from "./write/preview.ts";
import { baselineJson, baselineLine, resultJson, resultLines } from "./write/result.ts";
import { writeFile } from "../node/write-file.ts";
import { option } from "./option.ts";

const OPTIONS = {
  output: option.output("NAME.bp", "output dataset"),
  targets: option.text("DIR[,DIR…]", "one folder per storage target (default: NAME.bp.dir)"),
  array: option.list(
    "NAME:TYPE:DIMS",
    "contents of each source, in order; the first dimension may be * (default: one byte variable per source)",
  ),
  layout: option.text("FILE.json", "full decomposition: variables, sources and their blocks"),
  append: option.flag("append an output step to the dataset"),
  resume: option.flag("continue an interrupted write; exit code 0 if it is already complete"),
  force: option.flag("replace the dataset and discard an interrupted write"),
  "dry-run": option.flag("print the plan, write nothing"),
  policy: option.choice(
    ["plimsoll", "paper"],
    "scheduling policy: plimsoll, or that of the adaptive I/O paper",
    { default: "plimsoll" },
  ),
  method: option.choice(
    ["adaptive", "static", "mpi-io"],
    "baselines: static (no rescheduling), or mpi-io (MPI ranks write a --workload into one shared file, which is measured and removed)",
    { default: "adaptive" },
  ),
  mpiexec: option.text(
    "PROGRAM",
    "launcher of the ranks of --method mpi-io (default: mpiexec.mpich, mpiexec)",
  ),
  writers: option.whole("writer processes (default: twice the cores, max 16)", { min: 1, max: 1024 }),
  "per-target": option.whole("concurrent writers per target (default: measured)", { min: 1, max: 1024 }),
  memory: option.bytes("buffer memory of all processes together", { min: 2 ** 21, default: 2 ** 28 }),
  lustre: option.text("OSTS", "one target per OST, such as 0-15; sets the stripe with lfs"),
  "target-speed": option.list(
    "T:SPEED",
    "throttle target T to a rate (20M per second) or to a fraction of --base-speed (0.125), for experiments",
  ),
  "base-speed": option.bytes(
    "throttle every target to this rate per second (default with a fraction: 100M)",
    { min: 1 },
  ),
  workload: option.choice(
    Object.keys(WORKLOADS),
    "instead of sources: synthetic output of one of the paper's programs",
  ),
  processes: option.whole("processes of the workload", { short: "n", min: 1, max: 1_000_000, default: 16 }),
  scale: option.number("scale factor of the workload size", { min: 1e-6, max: 1024, default: 1 }),
  history: option.text("FILE", "file that keeps target speeds between runs, or none"),
  backend: option.choice(["posix", "null"], "null: discard data", { default: "posix" }),
  ops: option.text("FILE.csv", "log every write, for plimsoll bps"),
  report: option.text("FILE.html", "write an HTML report on targets and writers"),
  runs: option.text("FILE.jsonl", "append this run to a file; the report then compares all runs in it"),
};

type WriteValues = OptionValues<typeof OPTIONS>;

export default defineCommand({
  name: "write",
  description:
    "Writes the output of many processes (files, or folders with one file per rank) to several storage targets, one folder each, as one BP dataset for plimsoll ls, read and verify and for bpls of ADIOS. While writing, it measures each target and moves work from slow to fast targets. Every block has min, max and checksums. The dataset appears under its name only when all of it is durable; --resume continues an interrupted write. --array declares the contents of each source: the global array joins the sources along the first dimension in the given order. Without --array and --layout each source becomes a byte variable named after its file (run1/out and run2/out if file names are equal).",
  arguments: [
    {
      name: "source",
      help: "a file, or a folder with one file per rank",
      kind: "file",
      variadic: true,
      optional: true,
    },
  ],
  options: OPTIONS,
  examples: {
    "plimsoll write -o checkpoint.bp --targets /ost0,/ost1 --array temperature:float64:*,64 ranks/":
      "one array from all files of a folder",
    "plimsoll write -o results.bp --targets /ost0,/ost1 mesh.bin fields.bin":
      "two byte variables, mesh.bin and fields.bin",
    "plimsoll write --append -o checkpoint.bp --targets /ost0,/ost1 --array temperature:float64:*,64 ranks/":
      "append a step",
    "plimsoll write --resume -o checkpoint.bp": "continue an interrupted write; may be repeated",
    "plimsoll write -o try.bp --targets a,b,c,d --workload pixie3d-large --scale 0.25 --target-speed 0:0.125 --report try.html":
      "effect of a target at an eighth of the speed",
    "plimsoll write --force -o try.bp --targets a,b,c,d --workload ior --scale 0.1 --method static --runs runs.jsonl --report try.html":
      "compare with another method in one report",
  },
  ranksTogether: true,
  async run({ arguments: words, options }, context) {
    if (options.method === "mpi-io") return baseline(words, options, context);
    if (options.output === undefined)
      throw new UsageError("--output is missing: name the dataset with -o NAME.bp");
    const path = options.output;
    const listener = {
      note: (line: string) => context.note(line),
      // Launchers make one exit code of all.
      interrupted: () => context.exitWith(EXIT.SIGINT),
    };
    await withRanks(options.writers, listener, (ranks) =>
      drain(path, words, { ...options, ...ranks }, context),
    );
  },
});

/** No dataset comes of it: its run is shown, kept and compared as that of any other method. */
async function baseline(words: readonly string[], options: WriteValues, context: Context): Promise<void> {
  const { workload, processes, scale, targets, memory } = options;
  if (words.length > 0 || options.output !== undefined)
    throw new UsageError(
      "--method mpi-io writes no dataset; omit sources and -o, and keep the run with --runs",
    );
  const earlier = earlierRuns(options);
  if (workload === undefined)
    throw new UsageError("--method mpi-io measures the output of a --workload; it writes no dataset");
  if (options.targetSpeed.length > 0 || options.baseSpeed !== undefined)
    throw new UsageError(
      "--method mpi-io writes at the speed of the folder; omit --target-speed and --base-speed",
    );
  const [folder = "."] = targets?.split(",") ?? [];
  const asked = { workload, processes, scale, folder, memoryBytes: memory };
  if (launchedBy(process.env) === undefined)
    return context.exitWith(await baselineUnderMpi(asked, options.mpiexec, context));
  const record = await writeBaseline(asked);
  if (record === undefined) return;
  await keepRun(record, earlier, options, context);
  if (context.json) context.printJson(baselineJson(record));
  else context.out.write(baselineLine(record));
}

async function drain(
  path: string,
  words: readonly string[],
  options: WriteValues & Ranks,
  context: Context,
): Promise<void> {
  const earlier = earlierRuns(options);
  const input = inputOf(words, options);
  const setting = settingOf(path, options, context);
  if (options.dryRun) {
    if (input === undefined) throw new UsageError("--dry-run needs sources, --layout or --workload");
    if (context.json) context.printJson(previewJson(setting, input));
    else for (const line of previewLines(setting, input)) context.out.write(`${line}\n`);
    return;
  }
  const result = await write({ ...setting, transport: options.transport }, input, context);
  if (!result.alreadyComplete) {
    await keepRun(result.record, earlier, options, context);
  } else if (options.ops ?? options.runs ?? options.report)
    context.note("nothing was written, so --ops, --runs and --report have no effect");
  if (context.json) context.printJson(resultJson(path, result));
  else for (const line of resultLines(path, result)) context.out.write(`${line}\n`);
}

/** Read before anything is written, so that a damaged file costs no time. */
const earlierRuns = ({ runs }: WriteValues): WriteRun[] =>
  runs !== undefined && existsSync(runs) ? readRuns(runs) : [];

async function keepRun(
  record: StepRecord,
  earlier: readonly WriteRun[],
  { ops, runs, report }: WriteValues,
  context: Context,
): Promise<void> {
  if (ops !== undefined) writeFile(ops, opsCsv(record));
  if (runs !== undefined) addRun(runs, record);
  if (report === undefined) return;
  const about = { command: thisCommand(context), madeBy: `Plimsoll ${version}` };
  await writePage(runsDocument([...earlier, record.run], about), report, context);
}

/** Undefined for a write that goes on by the plan it left. */
function inputOf(words: readonly string[], asked: WriteValues): StepInput | undefined {
  const { workload, layout, array, resume } = asked;
  if (workload !== undefined) {
    if (words.length > 0 || layout !== undefined || array.length > 0)
      throw new UsageError("--workload generates its data; omit sources, --array and --layout");
    const plan = planWorkload(workload, asked.processes, asked.scale);
    return { plan, data: () => ({ kind: "synthetic" }) };
  }
  if (words.length === 0 && layout === undefined) {
    if (resume) return undefined;
    throw new UsageError("no sources: name files or folders, or use --layout or --workload");
  }
  return stepInput(words, { arrays: array, layout });
}

function settingOf(path: string, asked: WriteValues, context: Context): WriterOptions {
  const folders = asked.targets?.split(",").map((one) => one.trim());
  const osts = asked.lustre === undefined ? undefined : parseOsts(asked.lustre);
  const count = osts?.length ?? folders?.length ?? 1;
  return {
    path,
    targets: folders,
    policy: asked.method === "static" ? "static" : asked.policy,
    writers: asked.writers,
    perTarget: asked.perTarget,
    memoryBytes: asked.memory,
    append: asked.append,
    resume: asked.resume,
    force: asked.force,
    history: asked.history === "none" ? false : asked.history,
    osts,
    speeds: parseSpeeds(asked.targetSpeed, asked.baseSpeed, count),
    backend: asked.backend === "null" ? { kind: "null" } : undefined,
    onNote: (line) => context.note(line),
    signal: context.signal,
  };
}

async function write(
  setting: WriterOptions,
  input: StepInput | undefined,
  context: Context,
): Promise<StepResult> {
  const progress = context.progress({ label: "writing", unit: "bytes" });
  const rates = new LiveRates();
  const onProgress = (now: StepProgress) => {
    progress.expect(now.totalBytes);
    if (now.phase === "checking") progress.relabel?.("verifying existing data");
    else progress.relabel?.(rates.label(now.perTarget));
    progress.update(now.bytes);
  };
  const writer = await openAdaptive({ ...setting, onProgress });
  try {
    return await writer.writeInput(input);
  } catch (error) {
    throw error instanceof WriteFailure ? new CheckFailed(error.message) : error;
  } finally {
    await writer.close();
    progress.end();
  }
}

const RATES_SHOWN = 8;
const WINDOW_MS = 1000;

/** Bytes per second of each target over the last second. */
class LiveRates {
  #since = performance.now();
  #before: number[] = [];
  #text = "writing";

  label(perTarget: readonly number[]): string {
    const elapsed = performance.now() - this.#since;
    if (elapsed < WINDOW_MS) return this.#text;
    const rates = perTarget.map((bytes, target) => ((bytes - (this.#before[target] ?? 0)) * 1000) / elapsed);
    this.#since = performance.now();
    this.#before = [...perTarget];
    const shown = rates.slice(0, RATES_SHOWN).map((rate) => formatRate(rate));
    this.#text = `writing [${shown.join(", ")}${rates.length > RATES_SHOWN ? ", …" : ""}]`;
    return this.#text;
  }
}
