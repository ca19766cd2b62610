/** Pages as a scraper gets them, and what Prometheus makes of them: by hand where no estimate is involved, by promtool elsewhere. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Family, parseExposition } from "./exposition-checker.ts";

/** One value of a series for each scrape; undefined where the page did not have it. */
export type Recorded = ReadonlyMap<string, readonly (string | undefined)[]>;

/** A scraper: reads the page and keeps counters whose name matches. */
export class Recorder {
  readonly #names: RegExp;
  readonly #series = new Map<string, (string | undefined)[]>();
  scrapes = 0;

  constructor(names: RegExp) {
    this.#names = names;
  }

  read(page: string): void {
    for (const family of parseExposition(page).values()) this.#add(family);
    this.scrapes++;
  }

  #add({ name, samples }: Family): void {
    if (!this.#names.test(name)) return;
    for (const { labels, text } of samples) {
      const key = seriesName(name, labels);
      const values = this.#series.get(key) ?? [];
      this.#series.set(key, values);
      while (values.length < this.scrapes) values.push(undefined);
      values.push(text);
    }
  }

  get series(): Recorded {
    return this.#series;
  }
}

function seriesName(name: string, labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${parts.join(",")}}`;
}

/** How much all series that match grew between scrapes, from scrape `from` on: what a counter of Prometheus can know at best. */
export function growth(series: Recorded, matches: RegExp, from = 0): bigint {
  let sum = 0n;
  for (const [name, values] of series) {
    if (!matches.test(name)) continue;
    let last: bigint | undefined;
    for (const text of values.slice(from)) {
      if (text === undefined) continue;
      const value = BigInt(text);
      // A value that fell began again at 0.
      if (last !== undefined) sum += value < last ? value : value - last;
      last = value;
    }
  }
  return sum;
}

/** Series that grew although nobody had seen where they began; the first scrape does not count. */
export function beginAboveZero(series: Recorded): string[] {
  return [...series]
    .filter(([, values]) => values[0] === undefined && firstOf(values) !== "0")
    .map(([name]) => name);
}

const firstOf = (values: readonly (string | undefined)[]) => values.find((value) => value !== undefined);

export interface Question {
  /** True or false in PromQL: `… < bool 1`. */
  readonly expr: string;
  readonly atSeconds: number;
}

/** Asks the engine of Prometheus itself about recorded scrapes; every answer must be 1. */
export function askPromtool(
  folder: string,
  series: Recorded,
  everySeconds: number,
  questions: readonly Question[],
): void {
  const inputs = [...series].map(
    ([name, values]) =>
      `      - series: ${JSON.stringify(name)}\n        values: ${JSON.stringify(valuesText(values))}\n`,
  );
  const tests = questions.map(
    ({ expr, atSeconds }) =>
      `      - expr: ${JSON.stringify(expr)}\n        eval_time: ${atSeconds}s\n        exp_samples: [{labels: '{}', value: 1}]\n`,
  );
  const path = join(folder, "prometheus-questions.yml");
  writeFileSync(
    path,
    `tests:\n  - interval: ${everySeconds}s\n    input_series:\n${inputs.join("")}    promql_expr_test:\n${tests.join("")}`,
  );
  const { code, said } = promtool(["test", "rules", path]);
  expect(code, said).toBe(0);
}

/** A series that goes has a mark of its end, as after a scrape without it. */
function valuesText(values: readonly (string | undefined)[]): string {
  return values
    .map((value, i) => value ?? (i > 0 && values[i - 1] !== undefined ? "stale" : "_"))
    .concat("stale")
    .join(" ");
}

export function promtool(words: readonly string[], input?: string): { code: number | null; said: string } {
  const { error, status, stdout, stderr } = spawnSync("promtool", words, { encoding: "utf8", input });
  if (error !== undefined) throw new Error(`promtool cannot run (${error.message}); install prometheus`);
  return { code: status, said: stdout + stderr };
}
