/** `/store`: tables and batches of the store, growth, times with counters, duplicates and import warnings. */
import { commandLine } from "../../base/command-line.ts";
import { formatBytes, formatCount, formatMany } from "../../base/units.ts";
import { type Block, type Cell, table } from "../../model/index.ts";
import type { BatchInfo } from "../../store/index.ts";
import { originOf, sqlCommand } from "../requested.ts";
import type { Ask, Page, PageContent, Panel } from "../site.ts";
import { blocksCsv } from "./document.ts";

export const storePage: Page = { path: "/store", nav: "Store", adminsOnly: true, make: storeContent };

const BATCHES = 200;
const rowsIn = ({ tables }: BatchInfo): number =>
  sum(
    Object.values(tables)
      .flat()
      .map(({ rows }) => rows),
  );
const bytesIn = ({ tables }: BatchInfo): number =>
  sum(
    Object.values(tables)
      .flat()
      .map(({ bytes }) => bytes),
  );
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const TIMES = `select file_system, count(distinct target) as targets, min(from_unix_ns) / 1e9 as first, max(to_unix_ns) / 1e9 as last,
  sum(readings) as readings, coalesce(sum(gaps), 0) as gaps, coalesce(sum(dropped), 0) as dropped from readings group by all order by all`;
const SKIPPED =
  "select warnings as warning, count(*) as readings, count(distinct target) as targets from readings where warnings is not null group by all order by 2 desc limit 100";

async function storeContent(ask: Ask): Promise<PageContent> {
  const { batches } = ask;
  const origin = await originOf(ask, "runs", "jobs", "readings");
  const [times, sources] = await Promise.all([
    ask.answer("store times", (db) => db.rows(TIMES)),
    ask.answer("store sources", (db) => db.rows(SKIPPED)),
  ]);
  const command = commandLine(["plimsoll", "store", "check", ask.store, "--json"]);
  const bytes = sum(batches.map(bytesIn));
  return {
    ...{ title: "Store", origin },
    verdict: `${formatMany(batches.length, "batch", "batches")}, ${formatCount(sum(batches.map(rowsIn)))} rows, ${formatBytes(bytes)}.`,
    panels: [
      panel("tables", "Tables", tableOf(batches), "", command),
      panel("growth", "Growth by day", growthOf(batches), "", command),
      panel("batches", "Batches", batchTable(batches), "", command),
      panel(
        "readings",
        "Times with counters",
        times.length === 0
          ? [{ kind: "notice", level: "missing", text: "The store has no counters of targets." }]
          : [
              table(
                "readings",
                "Counter intervals by file system.",
                [
                  ["fileSystem", "File system", "text", "File system."],
                  ["targets", "Targets", "count", "OSTs and MDTs."],
                  ["first", "First sample (UTC)", "text", "First sample."],
                  ["last", "Last sample (UTC)", "text", "Last sample."],
                  ["readings", "Samples", "count", "Deltas between two samples."],
                  ["gaps", "Gaps", "count", "Deltas over more than 1.5 times the usual sampling interval."],
                  ["dropped", "Left out", "count", "Counter deltas dropped (no column)."],
                ],
                times.map((row): Cell[] => [
                  ...[row.file_system as string | null, Number(row.targets), iso(row.first), iso(row.last)],
                  ...[Number(row.readings ?? 0), Number(row.gaps ?? 0), Number(row.dropped ?? 0)],
                ]),
              ),
            ],
        TIMES,
        sqlCommand(ask, TIMES),
      ),
      panel(
        "skipped",
        "Overlaps and warnings",
        sources.length === 0
          ? [
              {
                kind: "text",
                text: "No counter interval is in the store twice, and there are no import warnings. Intervals in two batches count once.",
              },
            ]
          : [
              table(
                "skipped",
                "Import warnings, most frequent first.",
                [
                  ["warning", "Warning", "text", "Text of the warning."],
                  ["readings", "Stretches", "count", "Sample intervals with it."],
                  ["targets", "Targets", "count", "Targets with it."],
                ],
                sources.map((row): Cell[] => [
                  String(row.warning),
                  Number(row.readings),
                  Number(row.targets),
                ]),
              ),
            ],
        SKIPPED,
        sqlCommand(ask, SKIPPED),
      ),
    ],
  };
}

const iso = (unix: unknown): string | null =>
  unix === null || unix === undefined ? null : new Date(Number(unix) * 1000).toISOString().slice(0, 16);

const panel = (
  id: string,
  title: string,
  blocks: readonly Block[] | Block,
  sql: string,
  command: string,
): Panel => {
  const content = Array.isArray(blocks) ? (blocks as readonly Block[]) : [blocks as Block];
  return { id, title, content, csv: blocksCsv(content), sql, command };
};

function tableOf(batches: readonly BatchInfo[]): Block {
  const names = [...new Set(batches.flatMap(({ tables }) => Object.keys(tables)))].sort();
  return table(
    "tables",
    "Rows and bytes of each table on disk.",
    [
      ["table", "Table", "text", "Table."],
      ["rows", "Rows", "count", "Rows."],
      ["segments", "Segments", "count", "Parquet files."],
      ["bytes", "Bytes", "bytes", "Bytes on disk."],
      ["perRow", "Bytes per row", "bytes", "Bytes / rows."],
    ],
    names.map((name): Cell[] => {
      const segments = batches.flatMap(({ tables }) => tables[name] ?? []);
      const [rows, bytes] = [sum(segments.map((one) => one.rows)), sum(segments.map((one) => one.bytes))];
      return [name, rows, segments.length, bytes, rows === 0 ? null : bytes / rows];
    }),
  );
}

function growthOf(batches: readonly BatchInfo[]): Block {
  const days = new Map<string, number>();
  for (const batch of batches) {
    const day = batch.created.slice(0, 10);
    days.set(day, (days.get(day) ?? 0) + bytesIn(batch));
  }
  const shown = [...days].sort(([a], [b]) => (a < b ? -1 : 1)).slice(-60);
  return {
    kind: "figure",
    figure: {
      ...{ id: "growth", title: "Bytes by day of commit", definition: "SITE04@1", options: {} },
      caption:
        "Bytes of the current batches, by the day of their commit (UTC); a compaction merges many days into one.",
      summary: `${formatMany(shown.length, "day")}.`,
      chart: {
        ...{ kind: "bars", direction: "vertical", stacked: true, categoryLabel: "day (UTC)" },
        categories: shown.map(([day]) => day),
        value: { label: "bytes", unit: "bytes" },
        series: [{ name: "bytes", role: "context", values: shown.map(([, bytes]) => bytes) }],
      },
    },
  };
}

function batchTable(batches: readonly BatchInfo[]): Block {
  const shown = [...batches].reverse().slice(0, BATCHES);
  return {
    ...table(
      "batches",
      "Newest first.",
      [
        ["id", "Batch", "text", "Id, for store drop-batch."],
        ["created", "Committed (UTC)", "text", "Time of the commit."],
        ["writer", "Writer", "text", "Program that wrote it."],
        ["tables", "Tables", "text", "Tables with rows."],
        ["rows", "Rows", "count", "Rows of all tables."],
        ["bytes", "Bytes", "bytes", "Bytes on disk."],
        ["replaces", "Replaces", "count", "Batches that it replaces."],
      ],
      shown.map((one): Cell[] => [
        ...[one.id, one.created.slice(0, 19), one.writer, Object.keys(one.tables).join(", ")],
        ...[rowsIn(one), bytesIn(one), one.replaces.length],
      ]),
      batches.length,
    ),
    searchable: true,
  };
}
