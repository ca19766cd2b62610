/** A study over a store as a command: open the store, run, write the folder, print. The same for all of them. */
import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import type { StudyFinding } from "../../analyze/study/common/finding.ts";
import type { StudyResult } from "../../analyze/study/common/item.ts";
import { type OptionInfo, sizeOf } from "../../analyze/study/common/options.ts";
import { markedFindings, type StudyDocumentInput } from "../../analyze/study/common/sections.ts";
import type { StudyWatch } from "../../analyze/study/common/study.ts";
import { type HandOver, partOr } from "../../analyze/study/common/parts.ts";
import { csvText } from "../../base/csv.ts";
import { UsageError } from "../../base/errors.ts";
import {
  type Document,
  isSynthetic,
  markedFigure,
  originWord,
  type Provenance,
  provenanceJson,
  type Queryable,
  type TableBlock,
} from "../../model/index.ts";
import type { OriginTable } from "../../store/index.ts";
import type { OptionSpec } from "../command.ts";
import type { Context } from "../context.ts";
import { originOf, storeOptions, withStore } from "../store/options.ts";
import { version } from "../../../package.json";
import { kebab } from "./option-specs.ts";
import { writeResultFolder } from "../page-output.ts";
import { type PartValues, writePart } from "./study-parts.ts";
import { whereText } from "./study-output.ts";
import { option } from "../option.ts";

/** What every study over a store is asked. */
export const STUDY_FOLDERS = {
  store: option.text("DIR", "store to read"),
  output: option.output("DIR", "write report, figures and tables to this folder; replaces an earlier study"),
} as const satisfies Readonly<Record<string, OptionSpec>>;

export interface StudyCliOptions extends PartValues, Readonly<Record<string, unknown>> {
  readonly output?: string;
}

interface StudyOutcome {
  readonly items: Readonly<Record<string, StudyResult<unknown>>>;
  readonly findings: readonly StudyFinding[];
}

export interface StoreStudy<Study extends StudyOutcome> {
  /** As in `plimsoll study NAME`. */
  readonly name: string;
  /** What study.json calls itself. */
  readonly kind: string;
  readonly steps: number;
  /** What the database may hold in memory. */
  readonly databaseBytes: number;
  /** Rows of the store that can be studied, as SQL, and what to call a store without any. */
  readonly rows: string;
  readonly empty: string;
  /** Tables that say whether its rows were generated. */
  readonly origin: readonly OriginTable[];
  run(session: Queryable, watch: StudyWatch): Promise<Study>;
  /** Options of the study, without those of the engine. */
  readonly options: unknown;
  /** Hands over what a bucket knows. */
  part(session: Queryable, write: HandOver): Promise<void>;
  /** Called before anything is written. */
  note?(study: Study): void;
  document(input: StudyDocumentInput<Study>): Document;
  /** Tables beside those of the items. */
  tables(study: Study): readonly TableBlock[];
  /** What --json prints. */
  json(study: Study): object;
  text(study: Study, width: number, origin: Provenance): string;
}

export async function runStoreStudy<Study extends StudyOutcome>(
  kind: StoreStudy<Study>,
  given: StudyCliOptions,
  context: Context,
): Promise<void> {
  const { store, output } = given;
  if (store === undefined) throw new UsageError("--store is missing: name a store folder");
  if (given.part !== undefined) {
    const { name, options, databaseBytes, part } = kind;
    return writePart(given, { study: name, options, databaseBytes, make: part }, context);
  }
  const { study, origin } = await studyOf(kind, given, store, context);
  const synthetic = isSynthetic(origin);
  const result = resultJson(kind, study, origin);
  kind.note?.(study);
  const command = `plimsoll study ${kind.name} --store ${store} -o ${output ?? "study"}`;
  if (output !== undefined) {
    const items = Object.values(study.items);
    const tables = [...items.flatMap((item) => item.tables), ...kind.tables(study)];
    const folder = {
      path: output,
      what: "study",
      json: "study.json",
      kind: kind.kind,
      document: kind.document({ study, store, command, origin, madeBy: `Plimsoll ${version}` }),
      figures: items.flatMap((item) =>
        synthetic ? item.figures.map((figure) => markedFigure(figure, origin)) : item.figures,
      ),
      files: Object.fromEntries(tables.map((table) => [`${table.id}.csv`, tableCsv(table, origin)])),
      result,
    };
    await writeResultFolder(folder, context);
  }
  if (context.json) context.printJson(result);
  else context.out.write(`${kind.text(study, context.columns, origin)}${whereText(command, output)}`);
}

/** What --json prints, without printing it; undefined where the store has nothing to study. */
export async function storeStudyResult<Study extends StudyOutcome>(
  kind: StoreStudy<Study>,
  given: StudyCliOptions,
  context: Context,
): Promise<object | undefined> {
  const { store } = given;
  if (store === undefined) throw new UsageError("--store is missing: name a store folder");
  const rows = await withStore(given, async (session) => {
    const [row] = await session.rows(`select (${kind.rows}) as count`);
    return Number(row?.count ?? 0);
  });
  if (rows === 0) return undefined;
  const { study, origin } = await studyOf(kind, given, store, context);
  return resultJson(kind, study, origin);
}

/**
 * A table as CSV (RFC 4180) with its keys as header; what is not known is an empty field. A last column says that a
 * generator made some of what it is of, and which rows a paper prints.
 */
function tableCsv({ columns, rows, publishedFrom = rows.length }: TableBlock, origin: Provenance): string {
  const keys = columns.map(({ key }) => key);
  const word = originWord(origin);
  if (word === undefined) return csvText([keys, ...rows]);
  return csvText([
    [...keys, "origin"],
    ...rows.map((row, i) => [...row, i < publishedFrom ? word : "published"]),
  ]);
}

/** What --json prints: of generated data every verdict says so beside its word. */
function resultJson<Study extends StudyOutcome>(
  kind: StoreStudy<Study>,
  study: Study,
  origin: Provenance,
): object {
  const findings = isSynthetic(origin)
    ? markedFindings(
        study.findings,
        "synthetic",
        origin.synthetic < origin.of ? "partly synthetic" : "synthetic",
      )
    : study.findings;
  return { ...kind.json(study), findings, origin: provenanceJson(origin) };
}

async function studyOf<Study extends StudyOutcome>(
  kind: StoreStudy<Study>,
  given: StudyCliOptions,
  path: string,
  context: Context,
): Promise<{ readonly study: Study; readonly origin: Provenance }> {
  return withRows(kind, given, async (session) => {
    const [row] = await session.rows(
      `select sum(rows) as count from ${partOr(session, "rows", `select (${kind.rows}) as rows`)}`,
    );
    // An empty store has a study too: of nothing. It says so and ends well.
    if (Number(row?.count ?? 0) === 0)
      context.note(`${path}: the store ${kind.empty}; fill it with plimsoll ingest PATH --store ${path}`);
    const bar = context.progress({ label: "study", total: kind.steps, unit: "steps" });
    const study = await kind.run(session, {
      step: (done) => bar.update(done),
      now: () => performance.now(),
      pause: () => setImmediate(),
      details: given.output !== undefined,
    });
    bar.end();
    return { study, origin: await originOf(session, ...kind.origin) };
  });
}

/** Opens the store, or the parts that were made of it. */
async function withRows<T>(
  { name, options, databaseBytes }: Pick<StoreStudy<never>, "name" | "options" | "databaseBytes">,
  given: StudyCliOptions,
  ask: (db: Queryable) => Promise<T>,
): Promise<T> {
  const engine = { ...given, memory: databaseBytes };
  if (given.parts === undefined) return withStore(engine, ask);
  const { openParts, partFolders } = await import("../../store/index.ts");
  const session = await openParts(partFolders(given.parts, name, options), storeOptions(engine));
  try {
    return await ask(session);
  } finally {
    session.close();
  }
}

/** The options of a study that the command line gives. */
export function givenOptions(
  infos: Readonly<Record<string, OptionInfo>>,
  given: StudyCliOptions,
  units?: "si" | "iec",
): Record<string, unknown> {
  const chosen: Record<string, unknown> = {};
  for (const [name, info] of Object.entries(infos)) {
    const value = given[name];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    // `--exclude-mounts ""` asks for none.
    if (Array.isArray(info.default) && info.default.length > 0)
      chosen[name] = (value as readonly string[]).filter((one) => one !== "");
    else chosen[name] = info.bytes ? sizeOf(`--${kebab(name)}`, String(value), units) : value;
  }
  return chosen;
}
