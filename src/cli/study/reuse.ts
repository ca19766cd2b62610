/** `plimsoll study reuse`: the study of file reuse (Patel et al., FAST '20) on the logs of a store. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import {
  claimText,
  REUSE_OPTIONS,
  type ReuseOptions,
  reuseOptions,
  runStudy,
  STUDY_ITEMS,
  type Study,
  studyDocument,
  verdictOf,
} from "../../analyze/reuse/index.ts";
import { UsageError } from "../../base/errors.ts";
import { formatBytes, formatCount } from "../../base/units.ts";
import type { Document, Figure } from "../../model/index.ts";
import type { Cell, TableBlock } from "../../model/document.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { writeJson } from "../json.ts";
import { replaceFolder } from "../output-folder.ts";
import { writeFigures, writePage } from "../page-output.ts";
import { ENGINE_OPTIONS, type EngineValues, storeOptions } from "../store/options.ts";
import { version } from "../../../package.json";
import { itemsJson } from "./items-json.ts";
import { kebab, optionSpecs } from "./option-specs.ts";

const STUDY_OPTIONS = optionSpecs(REUSE_OPTIONS);

export default defineCommand({
  name: "study reuse",
  summary: "study how files are reused and shared, and judge ten published findings",
  description:
    "Runs the analyses of Patel et al. (FAST '20) on the logs of a store: which files are I/O-intensive, whether they are read or written, how long they rest, who shares them, how evenly OSTs and hours are loaded, and how much I/O time varies. Every number stands beside the published one, and each of the ten findings gets a verdict for this centre: confirmed, refuted or insufficient. With --output it writes a folder: report.html, the figures as SVG and CSV, tables as CSV, and study.json.",
  options: {
    store: { kind: "string", valueName: "DIR", help: "the store to read" },
    output: {
      kind: "string",
      short: "o",
      valueName: "DIR",
      help: "write report, figures and tables into this folder; an earlier study there is replaced",
    },
    ...ENGINE_OPTIONS,
    memory: {
      ...ENGINE_OPTIONS.memory,
      help: "what the study may hold in memory, half of it in the database; more is read again or spilled to disk [1 GiB]",
    },
    units: {
      kind: "choice",
      choices: ["si", "iec"],
      default: "si",
      help: "what letters of sizes mean: K is 1000 or 1024",
    },
    ...STUDY_OPTIONS,
  },
  examples: [
    { command: "plimsoll study reuse --store centre", does: "verdicts on the ten findings, on the terminal" },
    {
      command: "plimsoll study reuse --store centre --zone America/Los_Angeles -o study",
      does: "the whole report with figures and tables",
    },
    {
      command: "plimsoll study reuse --store centre --min-bytes 10GB --json",
      does: "a smaller centre: more files, as one JSON document",
    },
  ],
  async run({ options: given }, context) {
    const options = given as unknown as Given;
    if (options.store === undefined) throw new UsageError("--store is missing: which store to read");
    const chosen = chosenOptions(options);
    const { Store } = await import("../../store/index.ts");
    const memory = options.memory ?? MEMORY_DEFAULT;
    const database = Math.max(memory / 2, Math.min(memory, DATABASE_LEAST));
    const store = await Store.open(options.store, storeOptions({ ...options, memory: database }));
    const session = await store.query();
    let study: Study;
    try {
      const [row] = await session.rows("select count(*) as runs from runs");
      if (Number(row?.runs ?? 0) === 0) {
        // An empty store has a study too: of nothing. It says so and ends well.
        context.note(
          `${options.store}: the store is empty; fill it with plimsoll ingest PATH --store ${options.store}`,
        );
      }
      const bar = context.progress({ label: "study", total: STUDY_ITEMS.length + 3, unit: "steps" });
      study = await runStudy(session, chosen, {
        step: (done) => bar.update(done),
        now: () => performance.now(),
        details: options.output !== undefined,
        recordBytes: memory / 2,
      });
      bar.end();
    } finally {
      session.close();
      await store.close();
    }
    const command = `plimsoll study reuse --store ${options.store} -o ${options.output ?? "study"}`;
    if (options.output !== undefined) {
      const document = studyDocument({ study, store: options.store, command, madeBy: `Plimsoll ${version}` });
      await writeStudy(study, document, options.output, context);
    }
    if (context.json) context.printJson(studyJson(study));
    else {
      context.out.write(studyText(study, context.columns));
      context.out.write(
        options.output === undefined
          ? `\nThe whole report: ${command}\n`
          : `\nWrote ${options.output}: report.html, figures, tables, study.json\n`,
      );
    }
  },
});

/** Enough for ten million accesses of selected files in one pass; ours. */
const MEMORY_DEFAULT = 1024 ** 3;
/** Millions of accesses are not grouped by file with less; ours. */
const DATABASE_LEAST = 64 * 1024 ** 2;

interface Given extends EngineValues, Readonly<Record<string, unknown>> {
  readonly store?: string;
  readonly output?: string;
  readonly units: "si" | "iec";
}

function chosenOptions(given: Given): ReuseOptions {
  const chosen: Record<string, unknown> = {};
  for (const [name, info] of Object.entries(REUSE_OPTIONS)) {
    const value = given[name];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    // `--exclude-mounts ""` asks for none.
    if (Array.isArray(value)) chosen[name] = value.filter((path) => path !== "");
    else chosen[name] = info.bytes ? parseSize(`--${kebab(name)}`, String(value), given.units) : value;
  }
  return reuseOptions(chosen as Partial<ReuseOptions>);
}

/** 100GB is 100e9 with SI letters and 100 · 2^30 with IEC ones; 100GiB is always the latter. */
export function parseSize(flag: string, text: string, units: "si" | "iec"): number {
  const match = /^(\d+(?:\.\d*)?|\.\d+)\s*(?:([KMGTPE])(i?)B?|B)?$/i.exec(text.trim());
  if (match === null) throw new UsageError(`${flag} ${text}: expected a size such as 100GB, 1.5T or 64MiB`);
  const power = match[2] === undefined ? 0 : "KMGTPE".indexOf(match[2].toUpperCase()) + 1;
  const bytes = Math.round(Number(match[1]) * (match[3] || units === "iec" ? 1024 : 1000) ** power);
  if (!Number.isSafeInteger(bytes)) throw new UsageError(`${flag} ${text}: more than 2^53 bytes`);
  return bytes;
}

/** What --json prints: the contract of all studies. */
export function studyJson({ items, findings, options, files, outputRows, seconds }: Study): unknown {
  return {
    study: "reuse",
    options,
    files,
    items: itemsJson(items),
    findings,
    tables: outputRows,
    seconds,
  };
}

const KEY_VALUES = [
  ["A01", "logs"],
  ["A01", "files"],
  ["A01", "bytes"],
  ["A04", "files"],
  ["A04", "runs"],
  ["A04", "bytes"],
] as const;

/** The terminal's summary: what was studied, then each finding with own beside published. */
export function studyText(study: Study, width: number): string {
  const value = (item: string, key: string) => Number(study.items[item]?.values[key] ?? Number.NaN);
  const [logs, files, bytes, selected, runs, moved] = KEY_VALUES.map(([item, key]) => value(item, key)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const lines = [
    "Reuse of files at this centre",
    `All        ${formatCount(logs)} logs, ${formatCount(files)} files, ${formatBytes(bytes)} moved`,
    `Studied    ${formatCount(selected)} files, ${formatCount(runs)} runs, ${formatBytes(moved)} moved`,
  ];
  const census = study.items.A01?.values;
  const care = [
    [census?.runsWithBadClock, "runs with a wrong clock"],
    [census?.partialAccesses, "accesses of incomplete modules"],
    [study.items.A01?.dropped["accesses on excluded mounts"], "accesses on excluded mounts"],
  ].filter(([count]) => Number(count ?? 0) > 0);
  if (care.length > 0)
    lines.push(
      `Apart      ${care.map(([count, what]) => `${formatCount(Number(count))} ${what}`).join(", ")}`,
    );
  lines.push("", verdictOf(study), "");
  const rows = study.findings.map((one) => {
    const key = one.claims[0]?.key ?? "";
    const [low, high] = one.interval;
    return [
      one.id,
      one.verdict,
      one.title,
      claimText(key, one.measured),
      Number.isNaN(low) ? "" : `${claimText(key, low)} … ${claimText(key, high)}`,
      claimText(key, one.published),
    ];
  });
  const head = ["", "verdict", "finding", "here", "interval", "published"];
  const widths = head.map((text, i) =>
    Math.max(text.length, ...rows.map((row) => (row[i] as string).length)),
  );
  const others = widths.reduce((sum, one, i) => (i === 2 ? sum : sum + one + 2), 0);
  widths[2] = Math.max(20, Math.min(widths[2] as number, width - others));
  const line = (row: readonly string[]) =>
    row
      .map((text, i) =>
        (text.length > (widths[i] as number) ? `${text.slice(0, (widths[i] as number) - 1)}…` : text).padEnd(
          widths[i] as number,
        ),
      )
      .join("  ")
      .trimEnd();
  lines.push(line(head), ...rows.map(line));
  const open = study.findings.filter(({ verdict }) => verdict !== "confirmed");
  if (open.length > 0 && study.files > 0) lines.push("", ...open.map(({ id, reason }) => `${id}: ${reason}`));
  return `${lines.join("\n")}\n`;
}

const STUDY_KIND = "plimsoll study";

async function writeStudy(study: Study, document: Document, path: string, context: Context): Promise<void> {
  const output = { path, what: "study", isOurs: isStudy };
  await replaceFolder(output, context, async (work) => {
    await writePage(document, join(work, "report.html"), context);
    const figures: Figure[] = Object.values(study.items).flatMap((item) => item.figures);
    await writeFigures(figures, work, context);
    const tables = [...Object.values(study.items).flatMap((item) => item.tables), ...study.outputs];
    for (const one of tables) writeFileSync(join(work, `${one.id}.csv`), tableCsv(one));
    const pieces: string[] = [];
    const list = figures.map(({ id, title, caption, definition }) => ({ id, title, caption, definition }));
    const json = {
      kind: STUDY_KIND,
      madeBy: document.madeBy,
      ...(studyJson(study) as object),
      figures: list,
    };
    writeJson(json, (text) => pieces.push(text));
    writeFileSync(join(work, "study.json"), `${pieces.join("")}\n`);
  });
}

function isStudy(folder: string): boolean {
  try {
    return JSON.parse(readFileSync(join(folder, "study.json"), "utf8"))?.kind === STUDY_KIND;
  } catch {
    return false;
  }
}

/** A table as CSV (RFC 4180) with its keys as header; what is not known is an empty field. */
export function tableCsv({ columns, rows }: TableBlock): string {
  const lines = [columns.map(({ key }) => key).join(",")];
  for (const row of rows) lines.push(row.map(field).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

function field(value: Cell): string {
  if (value === null || (typeof value === "number" && Number.isNaN(value))) return "";
  const text = String(value).replace(/\p{Surrogate}/gu, "\ufffd");
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
