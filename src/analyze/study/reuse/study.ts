/** The whole study: all items, the verdicts on the ten findings, and the tables for later use. */
import type { Queryable, TableBlock } from "../../../model/index.ts";
import { type ChosenZone, chosenZone } from "../common/stored-zone.ts";
import { StudySteps, type StudyWatch } from "../common/study.ts";
import type { StudyFinding } from "../common/finding.ts";
import { judgeFindings } from "./findings.ts";
import type { ItemResult, Source } from "./item.ts";
import { STUDY_ITEMS } from "./items.ts";
import type { ReuseOptions } from "./options.ts";
import { outputTables, type RowCount } from "./outputs.ts";
import { prepare, type StudyResources } from "./prepare.ts";

export interface Study extends Pick<ChosenZone, "zoneFrom"> {
  readonly options: ReuseOptions;
  readonly items: Readonly<Record<string, ItemResult>>;
  readonly findings: readonly StudyFinding[];
  /** Only with details; how many rows they have is always known. */
  readonly outputs: readonly TableBlock[];
  readonly outputRows: Readonly<Record<string, RowCount>>;
  /** Selected files; with none there is nothing to say. */
  readonly files: number;
  /** First and last start of accesses of selected files, seconds since 1970; NaN without any. */
  readonly fromUnix: number;
  readonly toUnix: number;
  /** Seconds per step, for those who wonder where the time goes. Items and intervals are made side by side in `items`. */
  readonly seconds: Readonly<Record<string, number>>;
}

interface ReuseWatch extends StudyWatch, StudyResources {}

/** The items, and prepare, items as a whole, intervals, findings, outputs. */
export const STUDY_STEPS = STUDY_ITEMS.length + 5;

export async function runStudy(
  given: Queryable,
  asked: ReuseOptions,
  watch: ReuseWatch = {},
): Promise<Study> {
  const db = oneAtATime(given);
  const { zone, zoneFrom } = await chosenZone(db, asked.zone);
  const options = { ...asked, zone };
  const steps = new StudySteps(STUDY_STEPS, watch);
  const prepared = await steps.timed("prepare", () => prepare(db, options, watch));
  const results: Record<string, ItemResult> = {};
  const runAll = async (source: Source) => {
    const items = STUDY_ITEMS.filter((item) => (item.from ?? "store") === source);
    Object.assign(results, await steps.run(items, prepared));
  };
  // What this thread makes and what it asks the database for go on side by side, so that their seconds overlap.
  await steps.timed("items", () =>
    allOf([
      runAll("store"),
      (async () => {
        await runAll("files");
        await steps.timed("intervals", () => prepared.intervals());
        await runAll("runs");
      })(),
    ]),
  );
  const items = Object.fromEntries(STUDY_ITEMS.map(({ id }) => [id, results[id] as ItemResult]));
  const findings = await steps.timed("findings", () => judgeFindings(prepared, items));
  const outputs = await steps.timed("outputs", () => outputTables(prepared, watch.details));
  const { firstNs, lastNs } = prepared.scan.facts;
  const known = firstNs > 0n;
  return {
    options,
    zoneFrom,
    items,
    findings,
    outputs: outputs.tables,
    outputRows: outputs.counts,
    files: prepared.files,
    fromUnix: known ? Number(firstNs) / 1e9 : Number.NaN,
    toUnix: known ? Number(lastNs) / 1e9 : Number.NaN,
    seconds: steps.seconds,
  };
}

/** Waits for all of them, also when one fails: none may go on by itself. */
async function allOf(works: readonly Promise<void>[]): Promise<void> {
  for (const end of await Promise.allSettled(works)) if (end.status === "rejected") throw end.reason;
}

/** Statements of a connection must not overlap: each waits for those before it. */
function oneAtATime(db: Queryable): Queryable {
  let last: Promise<unknown> = Promise.resolve();
  const after = <T>(ask: () => Promise<T>): Promise<T> => {
    const answer = last.then(ask);
    last = answer.catch(() => {});
    return answer;
  };
  return {
    rows: (sql) => after(() => db.rows(sql)),
    columns: (sql) => after(() => db.columns(sql)),
    scan: (sql, take) => after(() => db.scan(sql, take)),
    shares: (table) => after(() => db.shares(table)),
    part: (name) => db.part?.(name),
    spill: () => db.spill?.(),
    limitMemory: (bytes) => after(() => db.limitMemory(bytes)),
    run: (sql) => after(() => db.run(sql)),
  };
}
