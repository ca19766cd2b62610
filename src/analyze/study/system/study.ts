/** The whole study: all items, the verdicts on the observations, and the recommendations. */
import type { Finding, Queryable } from "../../../model/index.ts";
import { rulesOf } from "./b18-rules.ts";
import { judge, type StudyFinding } from "./findings.ts";
import type { ItemResult } from "./item.ts";
import { SYSTEM_ITEMS } from "./items.ts";
import type { SystemOptions } from "./options.ts";
import { prepare } from "./prepare.ts";

export interface Study {
  readonly options: SystemOptions;
  readonly items: Readonly<Record<string, ItemResult>>;
  readonly findings: readonly StudyFinding[];
  readonly recommendations: readonly Finding[];
  readonly clusters: readonly string[];
  /** Studied jobs, and jobs with minutes; without any there is nothing to say. */
  readonly jobs: number;
  readonly series: number;
  /** First start and last end of studied jobs, seconds since 1970; NaN without any. */
  readonly fromUnix: number;
  readonly toUnix: number;
  /** Seconds per step, for those who wonder where the time goes. */
  readonly seconds: Readonly<Record<string, number>>;
}

export interface StudyWatch {
  /** Figures take time of their own. Default: yes. */
  readonly details?: boolean;
  /** Called after each step, with how many there are. */
  step?(done: number, of: number, name: string): void;
  /** Monotonic, in milliseconds; seconds are NaN without it. */
  now?(): number;
}

const READING_STEPS = 4;
export const STEPS = SYSTEM_ITEMS.length + READING_STEPS + 1;

export async function runStudy(
  db: Queryable,
  options: SystemOptions,
  { step, now = () => Number.NaN, details = true }: StudyWatch = {},
): Promise<Study> {
  const seconds: Record<string, number> = {};
  let done = 0;
  let began = now();
  const mark = (name: string) => {
    const at = now();
    seconds[name] = (at - began) / 1000;
    began = at;
    step?.(++done, STEPS, name);
  };
  const prepared = await prepare(db, options, mark);
  began = now();
  const items: Record<string, ItemResult> = {};
  for (const item of SYSTEM_ITEMS) {
    items[item.id] = item.run(prepared, options, details);
    mark(item.id);
  }
  const findings = judge(prepared, options, items);
  mark("findings");
  return {
    options,
    items,
    findings,
    recommendations: rulesOf(prepared, options).flatMap(({ finding, applies }) =>
      applies === true && finding !== undefined ? [finding] : [],
    ),
    clusters: prepared.jobs.clusters,
    jobs: prepared.studied.length,
    series: prepared.series.count,
    fromUnix: prepared.fromUnix,
    toUnix: prepared.toUnix,
    seconds,
  };
}
