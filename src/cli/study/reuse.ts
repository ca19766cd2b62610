/** `plimsoll study reuse`: the study of file reuse (Patel et al., FAST '20) on the logs of a store. */
import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import {
  claimText,
  REUSE_OPTIONS,
  type ReuseOptions,
  reuseOptions,
  runStudy,
  STUDY_STEPS,
  type Study,
  studyDocument,
  verdictOf,
} from "../../analyze/study/reuse/index.ts";
import { sizeOf } from "../../analyze/study/common/options.ts";
import { UsageError } from "../../base/errors.ts";
import { formatBytes, formatCount } from "../../base/units.ts";
import { defineCommand } from "../command.ts";
import { ENGINE_OPTIONS, type EngineValues, storeOptions } from "../store/options.ts";
import { version } from "../../../package.json";
import { itemsJson } from "./items-json.ts";
import { kebab, optionSpecs } from "./option-specs.ts";
import { findingLines, whereText, writeStudy } from "./study-output.ts";
import { collectGarbage, groupRunsBeside } from "./reuse-thread.ts";

const STUDY_OPTIONS = optionSpecs(REUSE_OPTIONS);

export default defineCommand({
  name: "study reuse",
  description:
    "Repeats the analyses of Patel et al. (FAST '20) on the logs of a store: I/O-intensive files, read or write dominance, time between runs, sharing between applications, load balance over OSTs and hours, and variation of I/O time. Shows every number next to the published one and gives a verdict on each of the ten findings for this centre: confirmed, refuted or insufficient. With --output it writes a folder: report.html, figures as SVG and CSV, tables as CSV, and study.json.",
  options: {
    store: { kind: "string", valueName: "DIR", help: "store to read" },
    output: {
      kind: "string",
      short: "o",
      valueName: "DIR",
      help: "write report, figures and tables to this folder; replaces an earlier study",
    },
    ...ENGINE_OPTIONS,
    memory: {
      ...ENGINE_OPTIONS.memory,
      help: "memory limit of database and accesses; beyond it, data is read in parts [2 GiB]",
    },
    units: {
      kind: "choice",
      choices: ["si", "iec"],
      default: "si",
      help: "size suffixes: K is 1000 (si) or 1024 (iec)",
    },
    ...STUDY_OPTIONS,
  },
  examples: [
    { command: "plimsoll study reuse --store centre", does: "verdicts on the ten findings on the terminal" },
    {
      command: "plimsoll study reuse --store centre --zone America/Los_Angeles -o study",
      does: "full report with figures and tables",
    },
    {
      command: "plimsoll study reuse --store centre --min-bytes 10GB --json",
      does: "a smaller centre: more files, as one JSON document",
    },
  ],
  async run({ options: given }, context) {
    const options = given as unknown as Given;
    if (options.store === undefined) throw new UsageError("--store is missing: name a store folder");
    const chosen = chosenOptions(options);
    const { Store } = await import("../../store/index.ts");
    const memory = options.memory ?? MEMORY_DEFAULT;
    const database = databaseBytes(memory);
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
      const bar = context.progress({ label: "study", total: STUDY_STEPS, unit: "steps" });
      study = await runStudy(session, chosen, {
        step: (done) => bar.update(done),
        now: () => performance.now(),
        pause: () => setImmediate(),
        details: options.output !== undefined,
        databaseBytes: database,
        recordBytes: Math.max(memory - database, memory / 2),
        groupRuns: groupRunsBeside(options.threads),
        collect: collectGarbage,
      });
      bar.end();
    } finally {
      session.close();
      await store.close();
    }
    const command = `plimsoll study reuse --store ${options.store} -o ${options.output ?? "study"}`;
    if (options.output !== undefined) {
      const document = studyDocument({ study, store: options.store, command, madeBy: `Plimsoll ${version}` });
      const items = Object.values(study.items);
      const figures = items.flatMap((item) => item.figures);
      const tables = [...items.flatMap((item) => item.tables), ...study.outputs];
      const json = studyJson(study);
      await writeStudy(options.output, { kind: STUDY_KIND, document, figures, tables, json }, context);
    }
    if (context.json) context.printJson(studyJson(study));
    else {
      context.out.write(studyText(study, context.columns));
      context.out.write(whereText(command, options.output));
    }
  },
});

/** Enough for thirty million accesses of selected files in one pass; ours. */
const MEMORY_DEFAULT = 2 * 1024 ** 3;
/** Millions of accesses are not grouped by file with less; ours. */
const DATABASE_LEAST = 64 * 1024 ** 2;
/** For tables of selected files, and three readers of their accesses; beyond it, accesses need the memory more. */
const DATABASE_ENOUGH = 512 * 1024 ** 2;

/** What the database gets of the memory: half of it while that is little, later a quarter. */
export function databaseBytes(memory: number): number {
  const part = Math.max(memory / 4, Math.min(memory / 2, DATABASE_ENOUGH));
  return Math.max(part, Math.min(memory, DATABASE_LEAST));
}

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
    else chosen[name] = info.bytes ? sizeOf(`--${kebab(name)}`, String(value), given.units) : value;
  }
  return reuseOptions(chosen as Partial<ReuseOptions>);
}

/** What --json prints: the contract of all studies. */
export function studyJson({ items, findings, options, files, outputRows, seconds }: Study): object {
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
    "File reuse at this centre",
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
      `Left out   ${care.map(([count, what]) => `${formatCount(Number(count))} ${what}`).join(", ")}`,
    );
  lines.push("", verdictOf(study), "");
  lines.push(...findingLines(study.findings, "finding", claimText, width));
  const open = study.findings.filter(({ verdict }) => verdict !== "confirmed");
  if (open.length > 0 && study.files > 0) lines.push("", ...open.map(({ id, reason }) => `${id}: ${reason}`));
  return `${lines.join("\n")}\n`;
}

const STUDY_KIND = "plimsoll study";
