/** `/run/ID`: one run compared with the other runs of its program. */
import { byApplication, type RankedRow, runsLike } from "../../analyze/load/index.ts";
import { formatCount, formatMany } from "../../base/units.ts";
import { type Block, type Cell, type Figure, table } from "../../model/index.ts";
import { escapeHtml, prose } from "../../report/html/index.ts";
import { originOf, sqlCommand } from "../requested.ts";
import { addressOf } from "../links.ts";
import { type Ask, NotFound, type Page, type PageContent } from "../site.ts";
import { blocksCsv } from "./document.ts";
import { ownIds } from "./runs.ts";

export const runPage: Page = { path: "/run/:id", make: runContent };

type Value = readonly [
  key: string,
  label: string,
  unit: "bytes" | "seconds" | "count" | "bytes/s",
  of: (row: RankedRow) => number,
];
const number = (key: string) => (row: RankedRow) => (typeof row[key] === "number" ? row[key] : Number.NaN);
const VALUES: readonly Value[] = [
  ["runSeconds", "Run time", "seconds", number("runSeconds")],
  ["bytesRead", "Read", "bytes", number("bytesRead")],
  ["bytesWritten", "Written", "bytes", number("bytesWritten")],
  ["seconds", "I/O time, all ranks", "seconds", number("seconds")],
  ["metadataSeconds", "Metadata time", "seconds", number("metadataSeconds")],
  ["files", "Files", "count", number("files")],
  ["opens", "Opens", "count", number("opens")],
  [
    "rate",
    "Throughput",
    "bytes/s",
    (row) => (number("bytesRead")(row) + number("bytesWritten")(row)) / number("slowestSeconds")(row),
  ],
];

async function runContent(ask: Ask): Promise<PageContent> {
  const id = ask.names[0] ?? "";
  const ids = await ownIds(ask);
  const kin = await ask.answer(`runs like ${id} ${ids?.join() ?? "all"}`, (db) => runsLike(db, id, ids));
  const run = kin.find((row) => row.runId === id);
  if (run === undefined)
    throw new NotFound(`the store has no run ${id}${ids === undefined ? "" : " of yours"}`);
  const application = String(run.application ?? "");
  const history = table(
    "history",
    `This run compared with ${formatMany(kin.length, "run")} of ${application}.`,
    [
      ["what", "What", "text", "Value of this run or of all runs."],
      ["here", "This run", "text", "Its value."],
      ["p10", "10th percentile", "text", "10 % of the runs are below."],
      ["median", "Median", "text", "Half of the runs are below."],
      ["p90", "90th percentile", "text", "10 % of the runs are above."],
      ["place", "Above", "share", "Share of runs with a smaller value."],
    ],
    VALUES.map(([, label, unit, of]): Cell[] => {
      const values = kin
        .map(of)
        .filter(Number.isFinite)
        .sort((a, b) => a - b);
      const here = of(run);
      const at = (share: number) => values[Math.round(share * (values.length - 1))] ?? Number.NaN;
      const show = (value: number) => (Number.isFinite(value) ? shown(value, unit) : null);
      const below = values.filter((value) => value < here).length / Math.max(1, values.length);
      return [
        label,
        show(here),
        show(at(0.1)),
        show(at(0.5)),
        show(at(0.9)),
        Number.isFinite(here) ? below : null,
      ];
    }),
  );
  const sql = `select run_id, start_unix_ns, run_seconds, bytes_read, bytes_written, files from runs where application = '${application.replaceAll("'", "''")}' order by start_unix_ns`;
  const [sum] = byApplication(kin);
  const report = `${addressOf(ask.root, "run", id)}/report`;
  const blocks: Block[] = [history, ...timesFigure(kin, run, application)];
  const links = `<p class="links"><a href="${escapeHtml(report)}">Open its report</a>${run.jobId === null ? "" : ` · <a href="${escapeHtml(addressOf(ask.root, "job", String(run.jobId)) ?? "")}">Job ${prose(String(run.jobId))}</a>`} · <a href="${escapeHtml(`${ask.root}runs?${new URLSearchParams({ application })}`)}">All runs of ${prose(application)}</a></p>`;
  return {
    ...{ title: `Run of ${application}`, origin: await originOf(ask, "runs") },
    head: `<div class="page-head"><h1>${prose(`Run of ${application}`)}</h1><p>${prose(`${formatMany(Number(run.ranks ?? 0), "rank")}, started ${new Date(Number(run.startUnixSeconds ?? 0) * 1000).toISOString().slice(0, 16)} UTC; the store has ${formatMany(Number(sum?.runs ?? 1), "run")} of this program.`)}</p>${links}</div>`,
    panels: [
      {
        ...{ id: "history", title: "Against its history", content: blocks, csv: blocksCsv(blocks) },
        ...{ sql, command: sqlCommand(ask, sql) },
      },
    ],
  };
}

function shown(value: number, unit: Value[2]): string {
  const text =
    value >= 100 || value === 0 ? formatCount(Math.round(value)) : String(Number(value.toPrecision(3)));
  if (unit === "count") return text;
  if (unit === "seconds") return `${text} s`;
  if (value === 0) return unit === "bytes" ? "0 B" : "0 B/s";
  const at = value > 0 ? Math.min(5, Math.max(0, Math.floor(Math.log10(value) / 3))) : 0;
  return `${(value / 1000 ** at).toPrecision(3)} ${["", "k", "M", "G", "T", "P"][at]}${unit === "bytes" ? "B" : "B/s"}`;
}

function timesFigure(kin: readonly RankedRow[], run: RankedRow, application: string): Block[] {
  const some = kin.filter((row) => Number(row.runSeconds) > 0 && Number(row.startUnixSeconds) > 0);
  if (some.length < 2) return [];
  const first = some.reduce(
    (least, row) => Math.min(least, Number(row.startUnixSeconds)),
    Number.POSITIVE_INFINITY,
  );
  const figure: Figure = {
    ...{ id: "run-times", title: "Run times of this program", definition: "SITE03@1", options: {} },
    caption: `Run time of ${formatMany(some.length, "run")} of ${application} by start, in days after the first.`,
    summary: `Run times of ${formatMany(some.length, "run")}.`,
    chart: {
      kind: "points",
      names: { context: "other runs", high: "this run" },
      x: { label: "days after the first run", unit: "count" },
      y: { label: "run time", unit: "seconds" },
      points: some.slice(0, 500).map((row) => ({
        x: (Number(row.startUnixSeconds) - first) / 86_400,
        y: Number(row.runSeconds),
        label: row === run ? "this run" : "",
        role: row === run ? "high" : "context",
      })),
    },
  };
  return [{ kind: "figure", figure }];
}
