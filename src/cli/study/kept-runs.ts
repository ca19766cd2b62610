/** Runs of a metric study that is under way, in a folder beside its output: should it be cut short, `--from` judges them. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Run, runsCsv, type StudySetting } from "../../analyze/study/metric/index.ts";
import { formatMany } from "../../base/units.ts";
import { jsonText } from "../../base/json.ts";
import { writeWhole } from "../../node/durable.ts";

/** What study.json calls itself. */
export const STUDY_KIND = "plimsoll study";
export const STUDY_JSON = "study.json";

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

  /** Where they are; undefined when there are none. */
  told(): string | undefined {
    return this.#count === 0
      ? undefined
      : `kept ${formatMany(this.#count, "run")} in ${this.#folder}; plimsoll study metric --from ${this.#folder} judges them`;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
