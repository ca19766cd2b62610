/** Steps of every study over a store: open the store or its parts, run, write the result. */
import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import type { StudyFinding } from "../analyze/study/common/finding.ts";
import type { StudyResult } from "../analyze/study/common/item.ts";
import { type HandOver, partOr } from "../analyze/study/common/parts.ts";
import { markedFindings, type StudyDocumentInput } from "../analyze/study/common/sections.ts";
import type { StudyWatch } from "../analyze/study/common/study.ts";
import { commandLine } from "../base/command-line.ts";
import { csvText } from "../base/csv.ts";
import type { Listener } from "../base/listener.ts";
import {
  type Document,
  isSynthetic,
  markedFigure,
  originWord,
  type Provenance,
  provenanceJson,
  type Queryable,
  type TableBlock,
} from "../model/index.ts";
import type { ResultFolder } from "../report/page/index.ts";
import type { OriginTable, StoreOptions } from "../store/index.ts";

export interface StudyOutcome {
  readonly items: Readonly<Record<string, StudyResult<unknown>>>;
  readonly findings: readonly StudyFinding[];
}

export interface StoreStudy<Study extends StudyOutcome> {
  /** As in `plimsoll study NAME`. */
  readonly name: string;
  /** Kind in study.json. */
  readonly kind: string;
  readonly steps: number;
  /** Memory limit of the database. */
  readonly databaseBytes: number;
  /** SQL for the rows that can be studied, and the text for a store without any. */
  readonly rows: string;
  readonly empty: string;
  /** Tables that record whether rows were generated. */
  readonly origin: readonly OriginTable[];
  run(session: Queryable, watch: StudyWatch): Promise<Study>;
  /** Options of the study, without those of the engine. */
  readonly options: unknown;
  /** Hands over the partial result of a bucket. */
  part(session: Queryable, write: HandOver): Promise<void>;
  document(input: StudyDocumentInput<Study>): Document;
  /** Tables in addition to those of the items. */
  tables(study: Study): readonly TableBlock[];
  /** Its part of study.json. */
  json(study: Study): object;
}

interface StudySource {
  readonly store: string;
  /** Folder with the partial results of the store's buckets: studied in place of the store. */
  readonly parts?: string | undefined;
  readonly engine: StoreOptions;
}

interface StudiedStore<Study> {
  readonly study: Study;
  readonly origin: Provenance;
}

/** `details`: also figures, and tables of files. */
export async function studyStore<Study extends StudyOutcome>(
  kind: StoreStudy<Study>,
  source: StudySource,
  details: boolean,
  listener: Listener,
): Promise<StudiedStore<Study>> {
  const { provenanceOf } = await import("../store/index.ts");
  return withRows(kind, source, async (session) => {
    const [row] = await session.rows(
      `select sum(rows) as count from ${partOr(session, "rows", `select (${kind.rows}) as rows`)}`,
    );
    // The study of an empty store has no items; it prints a note and ends with exit code 0.
    if (Number(row?.count ?? 0) === 0)
      listener.note?.(
        `${source.store}: the store ${kind.empty}; fill it with ${commandLine(["plimsoll", "ingest", "PATH", "--store", source.store])}`,
      );
    const bar = listener.progress?.({ label: "study", total: kind.steps, unit: "steps" });
    const study = await kind.run(session, {
      step: (done) => bar?.update(done),
      now: () => performance.now(),
      pause: () => setImmediate(),
      details,
    });
    bar?.end();
    return { study, origin: await provenanceOf(session, kind.origin) };
  });
}

/** Whether the store has anything to study. */
export async function hasRows(
  { rows }: Pick<StoreStudy<never>, "rows">,
  { store, engine }: StudySource,
): Promise<boolean> {
  const { askStore } = await import("../store/index.ts");
  return askStore(store, engine, async (session) => {
    const [row] = await session.rows(`select (${rows}) as count`);
    return Number(row?.count ?? 0) > 0;
  });
}

/** Opens the store, or its partial results. */
async function withRows<T>(
  { name, options, databaseBytes }: Pick<StoreStudy<never>, "name" | "options" | "databaseBytes">,
  { store, parts, engine }: StudySource,
  ask: (db: Queryable) => Promise<T>,
): Promise<T> {
  const { askStore, openParts, partFolders } = await import("../store/index.ts");
  const setting = { ...engine, memoryBytes: databaseBytes };
  if (parts === undefined) return askStore(store, setting, ask);
  const session = await openParts(partFolders(parts, name, options), setting);
  try {
    return await ask(session);
  } finally {
    session.close();
  }
}

/** Hands over the partial result of a bucket; returns its folder. */
export async function studyPart(
  { name, options, databaseBytes, part }: Omit<StoreStudy<never>, "run" | "document" | "tables" | "json">,
  { store, parts = "", engine }: StudySource,
  { index, of }: { readonly index: number; readonly of: number },
  listener: Listener,
): Promise<string> {
  const { makePart } = await import("../store/index.ts");
  return makePart({
    ...{ store, parts, index, of, options },
    engine: { ...engine, memoryBytes: databaseBytes },
    study: name,
    make: part,
    partial: (path) => listener.partialOutput?.(path) ?? { done() {} },
  });
}

/** Contents of study.json: every verdict on generated data is marked as such. */
export function studyResult<Study extends StudyOutcome>(
  kind: StoreStudy<Study>,
  { study, origin }: StudiedStore<Study>,
): object {
  const word = origin.synthetic < origin.of ? "partly synthetic" : "synthetic";
  const findings = isSynthetic(origin) ? markedFindings(study.findings, "synthetic", word) : study.findings;
  return { ...kind.json(study), findings, origin: provenanceJson(origin) };
}

interface StudyFolder {
  readonly path: string;
  readonly store: string;
  readonly command: string;
  readonly madeBy: string;
}

/** Report, figures, tables and study.json. */
export function studyFolder<Study extends StudyOutcome>(
  kind: StoreStudy<Study>,
  studied: StudiedStore<Study>,
  { path, ...about }: StudyFolder,
): ResultFolder {
  const { study, origin } = studied;
  const items = Object.values(study.items);
  const figures = items.flatMap((item) => item.figures);
  const tables = [...items.flatMap((item) => item.tables), ...kind.tables(study)];
  return {
    ...{ path, what: "study", json: "study.json", kind: kind.kind },
    document: kind.document({ ...about, study, origin }),
    figures: isSynthetic(origin) ? figures.map((figure) => markedFigure(figure, origin)) : figures,
    files: Object.fromEntries(tables.map((table) => [`${table.id}.csv`, tableCsv(table, origin)])),
    result: studyResult(kind, studied),
  };
}

/**
 * A table as CSV (RFC 4180) with its keys as header; unknown values are empty fields. For synthetic data a
 * last column
 * `origin` says so, and marks rows that a paper prints.
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
