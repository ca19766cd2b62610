/** Runs of a metric study (measured on this machine, kept by an earlier study, or simulated), and its folder of results. */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  isSetting,
  type MetricStudy,
  parseRunsCsv,
  type Run,
  runsCsv,
  type SetId,
  simulateRuns,
  type StudySetting,
  studyDocument,
  studyFigures,
  studyJson,
} from "../analyze/study/metric/index.ts";
import { commandLine } from "../base/command-line.ts";
import { FormatError, UsageError } from "../base/errors.ts";
import { jsonText } from "../base/json.ts";
import type { Listener } from "../base/listener.ts";
import { formatMany } from "../base/units.ts";
import { writeWhole } from "../node/durable.ts";
import { readResult } from "../node/output-folder.ts";
import type { ResultFolder } from "../report/page/index.ts";
import type { DeviceChoice } from "../record/experiment/index.ts";

/** Kind in study.json. */
const STUDY_KIND = "plimsoll study";
const STUDY_JSON = "study.json";

interface Measured {
  readonly runs: readonly Run[];
  readonly setting: StudySetting;
}

export function simulatedRuns(sets: readonly SetId[], repeats: number, seed: number): Measured {
  return {
    runs: simulateRuns({ sets, repeats, seed }),
    setting: {
      simulated: true,
      machine: [{ label: "Device", text: "simulated: latency, bandwidth, server queues, shared link" }],
      workloads: {},
      notes: [
        "Simulated. Latency and bandwidth of HDD and SSD are derived from the published points; servers, link and the cost of a sieved region are guesses. Data size is 1/64 of the paper's. The model was built to show the effects that the paper describes: agreement checks the model and is no evidence for the paper.",
      ],
    },
  };
}

interface RealOptions {
  readonly sets: readonly SetId[];
  readonly repeats: number;
  readonly quick: boolean;
  readonly size?: number | undefined;
  readonly device: DeviceChoice;
  readonly dir: string;
  readonly seed: number;
  /** Output folder; measured runs are kept beside it until the results are written. */
  readonly keepIn: string | undefined;
}

export async function measuredRuns(options: RealOptions, listener: Listener): Promise<Measured> {
  const { runExperiment } = await import("../record/experiment/index.ts");
  const bar = listener.progress?.({ label: "study metric", unit: "runs" });
  const kept = options.keepIn === undefined ? undefined : new KeptRuns(options.keepIn);
  const work = runExperiment(options, {
    signal: listener.signal ?? new AbortController().signal,
    measured: (runs, setting) => kept?.save(runs, setting),
    say: (text) => listener.note?.(text),
    expect: (total) => bar?.expect?.(total),
    done: (count) => bar?.update(count),
    /** On failure and on Ctrl-C it is removed. */
    folder: (path) => listener.partialOutput?.(path) ?? { done() {} },
  });
  try {
    const result = await work;
    bar?.end();
    kept?.remove();
    return result;
  } catch (error) {
    const note = kept?.note();
    if (note !== undefined) listener.note?.(note);
    throw error;
  }
}

export function earlierRuns(folder: string, sets: readonly SetId[]): Measured {
  const path = join(folder, "runs.csv");
  const study = readStudy(folder);
  if (study === undefined)
    throw new UsageError(`--from ${folder}: no study.json of an earlier study metric is there`);
  const { setting } = study;
  if (!isSetting(setting))
    throw new FormatError(join(folder, "study.json"), {}, "its setting has missing or wrong fields");
  const all = parseRunsCsv(readFileSync(path, "utf8"), path);
  const runs = all.filter(({ set }) => sets.includes(set));
  if (runs.length === 0)
    throw new FormatError(
      path,
      {},
      `no runs of set ${sets.join(", ")}; it has ${[...new Set(all.map(({ set }) => set))].join(", ") || "none"}`,
    );
  return { runs, setting };
}

function readStudy(folder: string): { readonly setting?: unknown } | undefined {
  const json = readResult(folder, STUDY_JSON);
  return json?.kind === STUDY_KIND && json.study === "metric" ? json : undefined;
}

/** Report, figures, runs and study.json. */
export const metricFolder = (
  study: MetricStudy,
  { path, command, madeBy }: { readonly path: string; readonly command: string; readonly madeBy: string },
): ResultFolder => ({
  ...{ path, what: "study", json: STUDY_JSON, kind: STUDY_KIND },
  document: studyDocument(study, command, madeBy),
  figures: studyFigures(study),
  files: { "runs.csv": runsCsv(study.runs, study.setting.simulated) },
  result: studyJson(study),
});

/** Said before minutes of runs, not after them. */
export function checkOutput(path: string): void {
  const folder = path.replace(/(?<=.)\/+$/, "");
  if (existsSync(folder) && readStudy(folder) === undefined)
    throw new UsageError(`${folder} exists and is not an earlier study; choose another with --output`);
}

/** Runs of an unfinished study, in a folder beside its output: after an interruption `--from` judges them. */
export class KeptRuns {
  readonly #folder: string;
  #count = 0;

  constructor(output: string) {
    this.#folder = `${output.replace(/(?<=.)\/+$/, "")}.partial`;
  }

  /** Some hundred rows at most: written whole each time. */
  save(runs: readonly Run[], setting: StudySetting): void {
    mkdirSync(this.#folder, { recursive: true });
    writeWhole(join(this.#folder, "runs.csv"), runsCsv(runs));
    const study = { kind: STUDY_KIND, study: "metric", complete: false, setting };
    writeWhole(join(this.#folder, STUDY_JSON), `${jsonText(study)}\n`);
    this.#count = runs.length;
  }

  /** Message with their folder; undefined without runs. */
  note(): string | undefined {
    return this.#count === 0
      ? undefined
      : `kept ${formatMany(this.#count, "run")} in ${this.#folder}; ${commandLine(["plimsoll", "study", "metric", "--from", this.#folder])} judges them`;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
