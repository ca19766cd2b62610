/** The whole study: all items, the verdicts on the ten findings, and the tables for later use. */
import type { Queryable, TableBlock } from "../../../model/index.ts";
import { judgeFindings, type StudyFinding } from "./findings.ts";
import { drawnIntervals } from "./intervals.ts";
import type { ItemResult, Source, StudyItem } from "./item.ts";
import { STUDY_ITEMS } from "./items.ts";
import type { ReuseOptions } from "./options.ts";
import { outputTables, type RowCount } from "./outputs.ts";
import { type Means, prepare } from "./prepare.ts";

export interface Study {
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

export interface StudyWatch extends Means {
  /** Figures, and paths in tables of files; they take time of their own. Default: yes. */
  readonly details?: boolean;
  /** Called after each step, with how many there are. */
  step?(done: number, of: number, name: string): void;
  /** Monotonic, in milliseconds; seconds are NaN without it. */
  now?(): number;
  /** Lets answers of the database and of other threads come in. */
  pause?(): Promise<void>;
}

/** The items, and prepare, items as a whole, intervals, findings, outputs. */
export const STUDY_STEPS = STUDY_ITEMS.length + 5;

export async function runStudy(
  given: Queryable,
  options: ReuseOptions,
  { step, now = () => Number.NaN, details = true, pause = async () => {}, ...means }: StudyWatch = {},
): Promise<Study> {
  const db = oneAtATime(given);
  const seconds: Record<string, number> = {};
  let done = 0;
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const began = now();
    const result = await work();
    seconds[name] = (now() - began) / 1000;
    step?.(++done, STUDY_STEPS, name);
    return result;
  };
  const prepared = await timed("prepare", () => prepare(db, options, means));
  const results = new Map<string, ItemResult>();
  const run = async (item: StudyItem) =>
    results.set(item.id, await timed(item.id, () => item.run(db, options, details)));
  const runAll = async (source: Source) => {
    for (const item of STUDY_ITEMS) {
      if ((item.from ?? "store") !== source) continue;
      await run(item);
      await pause();
    }
  };
  // What this thread makes and what it asks the database for go on side by side, so that their seconds overlap.
  await timed("items", () =>
    allOf([
      runAll("store"),
      (async () => {
        await runAll("files");
        await timed("intervals", () => drawnIntervals(prepared, pause));
        await runAll("runs");
      })(),
    ]),
  );
  const items = Object.fromEntries(STUDY_ITEMS.map(({ id }) => [id, results.get(id) as ItemResult]));
  const findings = await timed("findings", () => judgeFindings(db, options, items));
  const outputs = await timed("outputs", () => outputTables(db, options, details));
  const { firstNs, lastNs } = prepared.swept.facts;
  const known = firstNs > 0n;
  return {
    options,
    items,
    findings,
    outputs: outputs.tables,
    outputRows: outputs.counts,
    files: prepared.files,
    fromUnix: known ? Number(firstNs) / 1e9 : Number.NaN,
    toUnix: known ? Number(lastNs) / 1e9 : Number.NaN,
    seconds,
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
    limitMemory: (bytes) => after(() => db.limitMemory(bytes)),
    run: (sql) => after(() => db.run(sql)),
  };
}

export const itemById = (id: string): StudyItem | undefined => STUDY_ITEMS.find((item) => item.id === id);
