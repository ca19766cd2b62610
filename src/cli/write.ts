/** `plimsoll write`: drains files onto storage targets, as one dataset. */
import { existsSync } from "node:fs";
import { runsDocument } from "../adaptive/steps/index.ts";
import { UsageError } from "../base/errors.ts";
import { formatRate } from "../base/units.ts";
import {
  addRun,
  openAdaptive,
  opsCsv,
  planWorkload,
  readRuns,
  type StepInput,
  type StepProgress,
  type StepResult,
  stepInput,
  type WriterOptions,
  WriteFailure,
  WORKLOADS,
} from "../adaptive/runtime/index.ts";
import { version } from "../../package.json";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { CheckFailed } from "./failure.ts";
import { writePage } from "./page-output.ts";
import { parseOsts, parseSpeeds } from "./write/options.ts";
import { previewJson, previewLines } from "./write/preview.ts";
import { type Ranks, withRanks } from "./write/ranks.ts";
import { resultJson, resultLines } from "./write/result.ts";
import { writeFile } from "../node/write-file.ts";

export default defineCommand({
  name: "write",
  description:
    "Drains the output of many processes (files, or folders with one file a rank) through writer processes onto storage targets, one folder each, and makes one BP dataset of it that plimsoll ls, read and verify and ADIOS's bpls read. While it writes, it measures each target and moves work from slow ones to fast ones. Every block carries its least and greatest value and checksums. The dataset appears under its name when all of it is durable, or not at all; what was cut short is gone on with by --resume. --array says what each source holds: the global array is the sources joined along the first dimension in the order given. Without --array and --layout each source is a variable of bytes of its own, named after its file (run1/out and run2/out where file names are alike).",
  arguments: [
    {
      name: "source",
      help: "a file, or a folder with one file a rank",
      kind: "file",
      variadic: true,
      optional: true,
    },
  ],
  options: {
    output: { kind: "string", short: "o", valueName: "NAME.bp", help: "the dataset" },
    targets: {
      kind: "string",
      valueName: "DIR[,DIR…]",
      help: "a folder on each storage target; NAME.bp.dir unless given",
    },
    array: {
      kind: "list",
      valueName: "NAME:TYPE:DIMS",
      help: "what each source holds, in order; the first dimension may be * (a variable of bytes per source unless given)",
    },
    layout: {
      kind: "string",
      valueName: "FILE.json",
      help: "a full decomposition: variables, sources and their blocks",
    },
    append: { kind: "boolean", help: "add an output step to the dataset" },
    resume: {
      kind: "boolean",
      help: "complete a write that was cut short; when it is complete, say so and end with 0",
    },
    force: { kind: "boolean", help: "replace the dataset, and throw away what was cut short" },
    "dry-run": { kind: "boolean", help: "only tell what would be written where" },
    policy: {
      kind: "choice",
      choices: ["plimsoll", "paper"],
      default: "plimsoll",
      help: "who writes where and how much at a time: ours, or that of the adaptive I/O paper",
    },
    method: {
      kind: "choice",
      choices: ["adaptive", "static"],
      default: "adaptive",
      help: "static: each block stays on the target it is given to, for comparison",
    },
    writers: {
      kind: "number",
      integer: true,
      min: 1,
      max: 1024,
      help: "writer processes (twice the cores, 16 at most)",
    },
    "per-target": {
      kind: "number",
      integer: true,
      min: 1,
      max: 1024,
      help: "writers at once per target (measured)",
    },
    memory: { kind: "bytes", min: 2 ** 21, default: 2 ** 28, help: "of all buffers in all processes" },
    lustre: {
      kind: "string",
      valueName: "OSTS",
      help: "a target per OST, such as 0-15; sets the stripe with lfs",
    },
    "target-speed": {
      kind: "list",
      valueName: "T:SPEED",
      help: "hold target T to a speed (20M a second), or to a share of --base-speed (0.125), to see what happens",
    },
    "base-speed": {
      kind: "bytes",
      min: 1,
      help: "hold every target to so much a second (100M with a share)",
    },
    workload: {
      kind: "choice",
      choices: Object.keys(WORKLOADS),
      help: "instead of sources: output of a program of the paper, made up in memory",
    },
    processes: {
      kind: "number",
      short: "n",
      integer: true,
      min: 1,
      max: 1_000_000,
      default: 16,
      help: "of the workload",
    },
    scale: { kind: "number", min: 1e-6, max: 1024, default: 1, help: "times the size of the workload" },
    history: { kind: "string", valueName: "FILE", help: "where target speeds are remembered, or none" },
    backend: {
      kind: "choice",
      choices: ["posix", "null"],
      default: "posix",
      help: "null: everything but the storage",
    },
    ops: { kind: "string", valueName: "FILE.csv", help: "every write, for plimsoll bps" },
    report: { kind: "string", valueName: "FILE.html", help: "what each target and writer did, as a page" },
    runs: {
      kind: "string",
      valueName: "FILE.jsonl",
      help: "add the record of this run to a file; the report then shows all runs of that file beside each other",
    },
  },
  examples: [
    {
      command:
        "plimsoll write -o checkpoint.bp --targets /ost0,/ost1 --array temperature:float64:*,64 ranks/",
      does: "one array of all files in a folder",
    },
    {
      command: "plimsoll write -o results.bp --targets /ost0,/ost1 mesh.bin fields.bin",
      does: "the variables mesh.bin and fields.bin, each with the bytes of its file",
    },
    {
      command:
        "plimsoll write --append -o checkpoint.bp --targets /ost0,/ost1 --array temperature:float64:*,64 ranks/",
      does: "a further step",
    },
    {
      command: "plimsoll write --resume -o checkpoint.bp",
      does: "completes what was cut short; may be repeated",
    },
    {
      command:
        "plimsoll write -o try.bp --targets a,b,c,d --workload pixie3d-large --scale 0.25 --target-speed 0:0.125 --report try.html",
      does: "what a target at an eighth of the speed does to a write",
    },
    {
      command:
        "plimsoll write --force -o try.bp --targets a,b,c,d --workload ior --scale 0.1 --method static --runs runs.jsonl --report try.html",
      does: "again, by another method; the page has all runs of the file beside each other",
    },
  ],
  ranksTogether: true,
  async run({ arguments: words, options }, context) {
    if (options.output === undefined)
      throw new UsageError("the dataset has no name: give it with -o NAME.bp");
    const path = options.output;
    await withRanks(options.writers, context, (ranks) =>
      drain(path, words, { ...options, ...ranks }, context),
    );
  },
});

async function drain(
  path: string,
  words: readonly string[],
  options: Asked & Ranks,
  context: Context,
): Promise<void> {
  const earlier = options.runs !== undefined && existsSync(options.runs) ? readRuns(options.runs) : [];
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
    if (options.ops !== undefined) writeFile(options.ops, opsCsv(result.record));
    if (options.runs !== undefined) addRun(options.runs, result.record);
    if (options.report !== undefined) {
      const document = runsDocument([...earlier, result.record.run], {
        command: ["plimsoll write -o", path, ...words].join(" "),
        madeBy: `Plimsoll ${version}`,
      });
      await writePage(document, options.report, context);
    }
  } else if (options.ops ?? options.runs ?? options.report)
    context.note("nothing was written now, so --ops, --runs and --report have nothing to add");
  if (context.json) context.printJson(resultJson(path, result));
  else for (const line of resultLines(path, result)) context.out.write(`${line}\n`);
}

interface Asked {
  readonly targets?: string | undefined;
  readonly array: readonly string[];
  readonly layout?: string | undefined;
  readonly append: boolean;
  readonly resume: boolean;
  readonly force: boolean;
  readonly policy: string;
  readonly method: string;
  readonly writers?: number | undefined;
  readonly perTarget?: number | undefined;
  readonly memory: number;
  readonly lustre?: string | undefined;
  readonly targetSpeed: readonly string[];
  readonly baseSpeed?: number | undefined;
  readonly workload?: string | undefined;
  readonly processes: number;
  readonly scale: number;
  readonly history?: string | undefined;
  readonly backend: string;
  readonly dryRun: boolean;
  readonly ops?: string | undefined;
  readonly report?: string | undefined;
  readonly runs?: string | undefined;
}

/** Undefined for a write that goes on by the plan it left. */
function inputOf(words: readonly string[], asked: Asked): StepInput | undefined {
  const { workload, layout, array, resume } = asked;
  if (workload !== undefined) {
    if (words.length > 0 || layout !== undefined || array.length > 0)
      throw new UsageError("--workload makes up its data; give no sources, --array or --layout");
    const plan = planWorkload(workload, asked.processes, asked.scale);
    return { plan, data: () => ({ kind: "synthetic" }) };
  }
  if (words.length === 0 && layout === undefined) {
    if (resume) return undefined;
    throw new UsageError("no sources: name files or folders, or use --layout or --workload");
  }
  return stepInput(words, { arrays: array, layout });
}

function settingOf(path: string, asked: Asked, context: Context): WriterOptions {
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
    if (now.phase === "checking") progress.relabel?.("checking what was kept");
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
