/** The whole study: all items, the verdicts on the observations, and the recommendations. */
import { type Finding, type Queryable, SEVERITIES } from "../../../model/index.ts";
import { type ChosenZone, chosenZone } from "../common/stored-zone.ts";
import { StudySteps, type StudyWatch } from "../common/study.ts";
import type { StudyFinding } from "../common/finding.ts";
import { b18, rulesOf } from "./b18-rules.ts";
import { judge } from "./findings.ts";
import type { ItemResult } from "./item.ts";
import { SYSTEM_ITEMS } from "./items.ts";
import type { SystemOptions } from "./options.ts";
import { prepare } from "./prepare.ts";

export interface Study extends Pick<ChosenZone, "zoneFrom"> {
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

/** The parts of prepare, and findings. */
export const STUDY_STEPS = SYSTEM_ITEMS.length + 5;

export async function runStudy(db: Queryable, asked: SystemOptions, watch: StudyWatch = {}): Promise<Study> {
  const { zone, zoneFrom } = await chosenZone(db, asked.zone);
  const options = { ...asked, zone };
  const steps = new StudySteps(STUDY_STEPS, watch);
  const prepared = await prepare(db, options, steps);
  const measured = await steps.run(
    SYSTEM_ITEMS.filter((item) => item !== b18),
    prepared,
  );
  const findings = await steps.timed("findings", () => judge(prepared, measured));
  const rules = rulesOf(prepared, findings);
  const advice = await steps.run([b18], { ...prepared, rules });
  const inOrder = { ...measured, ...advice };
  const items = Object.fromEntries(
    SYSTEM_ITEMS.flatMap(({ id }) => (inOrder[id] ? [[id, inOrder[id]]] : [])),
  );
  return {
    options,
    zoneFrom,
    items,
    findings,
    recommendations: rules
      .flatMap(({ finding, applies }) => (applies === true && finding !== undefined ? [finding] : []))
      .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)),
    clusters: prepared.jobs.clusters,
    jobs: prepared.studied.length,
    series: prepared.series.count,
    fromUnix: prepared.fromUnix,
    toUnix: prepared.toUnix,
    seconds: steps.seconds,
  };
}

/** What was asked for and is not in the store: the cluster, or the year of a calendar. */
export function notesOf({ options, clusters, items }: Study): string[] {
  const { cluster } = options;
  const have = clusters.map((name) => name || "(no name)").join(", ") || "none";
  const isKnown = cluster === "" || clusters.includes(cluster);
  const calendars = SYSTEM_ITEMS.filter((item) => item.options.includes("year"));
  return [
    ...(isKnown ? [] : [`cluster ${cluster}: not in the store (it has ${have})`]),
    ...new Set(calendars.flatMap(({ id }) => items[id]?.notes ?? [])),
  ];
}
