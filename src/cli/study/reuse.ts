/** `plimsoll study reuse`: the study of file reuse (Patel et al., FAST '20) on the logs of a store. */
import { numberOf } from "../../analyze/study/common/values.ts";
import {
  BYTES_PER_SELECTED,
  REUSE_STUDY,
  REUSE_OPTIONS,
  REUSE_ROWS,
  reuseOptions,
  reusePart,
  runStudy,
  STUDY_STEPS,
  type Study,
  studyDocument,
  verdictOf,
} from "../../analyze/study/reuse/index.ts";
import { UsageError } from "../../base/errors.ts";
import { formatBytes, formatCount, formatMany } from "../../base/units.ts";
import { isSynthetic, type Provenance } from "../../model/index.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { ENGINE_OPTIONS } from "../store/options.ts";
import { itemsJson } from "./items-json.ts";
import { optionSpecs } from "./option-specs.ts";
import { collectGarbage, groupRunsBeside } from "./reuse-thread.ts";
import {
  givenOptions,
  runStoreStudy,
  STUDY_FOLDERS,
  type StoreStudy,
  storeStudyResult,
  type StudyCliOptions,
} from "./store-study.ts";
import { PART_OPTIONS } from "./study-parts.ts";
import { findingLines, linesText } from "./study-output.ts";
import { option } from "../option.ts";

const STUDY_OPTIONS = optionSpecs(REUSE_OPTIONS);

export default defineCommand({
  name: "study reuse",
  description:
    "Repeats the analyses of Patel et al. (FAST '20) on the logs of a store: I/O-intensive files, read or write dominance, time between runs, sharing between applications, load balance over OSTs and hours, and variation of I/O time. Shows every number next to the published one and gives a verdict on each of the ten findings for this centre: confirmed, refuted or insufficient. With --output it writes a folder: report.html, figures as SVG and CSV, tables as CSV, and study.json.",
  options: {
    ...STUDY_FOLDERS,
    ...ENGINE_OPTIONS,
    ...PART_OPTIONS,
    memory: {
      ...ENGINE_OPTIONS.memory,
      help: "memory limit of database and accesses; beyond it, data is read in parts (default: 2 GiB)",
    },
    units: option.choice(["si", "iec"], "size suffixes: K is 1000 (si) or 1024 (iec)", { default: "si" }),
    ...STUDY_OPTIONS,
  },
  examples: {
    "plimsoll study reuse --store centre": "verdicts on the ten findings on the terminal",
    "plimsoll study reuse --store centre --zone America/Los_Angeles -o study":
      "full report with figures and tables",
    "plimsoll study reuse --store centre --min-bytes 10GB --json":
      "a smaller centre: more files, as one JSON document",
  },
  async run({ options: given }, context) {
    const options = given as unknown as ReuseCliOptions;
    await runStoreStudy(reuseStudy(options), options, context);
  },
});

/** The study with its defaults, without output: what --json prints, or undefined for a store without runs. */
export const reuseResult = (options: StudyCliOptions, context: Context): Promise<object | undefined> =>
  storeStudyResult(reuseStudy({ ...options, units: "si" }), options, context);

function reuseStudy(options: ReuseCliOptions): StoreStudy<Study> {
  const chosen = reuseOptions(givenOptions(REUSE_OPTIONS, options, options.units));
  const memory = options.memory ?? MEMORY_DEFAULT;
  const database = databaseBytes(memory);
  const resources = {
    databaseBytes: database,
    recordBytes: Math.max(memory - database, memory / 2),
    accessBytes: (files: number) => accessBytes(memory, files),
    groupRuns: groupRunsBeside(options.threads),
    collect: collectGarbage,
  };
  return {
    name: "reuse",
    kind: "plimsoll study",
    steps: STUDY_STEPS,
    databaseBytes: database,
    rows: REUSE_ROWS,
    empty: "has no runs of Darshan logs",
    origin: ["runs"],
    run: (session, watch) => runStudy(session, chosen, { ...watch, ...resources }),
    options: chosen,
    part: (session, write) => reusePart(session, chosen, resources, write),
    document: studyDocument,
    tables: ({ outputs }) => outputs,
    json: studyJson,
    text: studyText,
  };
}

const GIBIBYTE = 1024 ** 3;
/** Enough for thirty million accesses of selected files in one pass; ours. */
const MEMORY_DEFAULT = 2 * GIBIBYTE;
/** Millions of accesses are not grouped by file with less; ours. */
const DATABASE_LEAST = 64 * 1024 ** 2;
/** For tables of selected files, and three readers of their accesses; beyond it, accesses need the memory more. */
const DATABASE_ENOUGH = 512 * 1024 ** 2;

/** What the database gets of the memory: half of it while that is little, later a quarter. */
export function databaseBytes(memory: number): number {
  const part = Math.max(memory / 4, Math.min(memory / 2, DATABASE_ENOUGH));
  return Math.max(part, Math.min(memory, DATABASE_LEAST));
}

/** Accesses are read in as many passes as their memory asks for; with a smaller share of it there would be too many. Ours. */
const ACCESS_SHARE = 1 / 8;

/** What accesses may take of the memory, beside the database and what is kept of each selected file. */
export function accessBytes(memory: number, files: number): number {
  const left = (bytes: number) =>
    bytes - Math.min(databaseBytes(bytes), bytes / 2) - files * BYTES_PER_SELECTED;
  if (left(memory) >= ACCESS_SHARE * memory) return left(memory);
  let gibibytes = 1;
  while (left(gibibytes * GIBIBYTE) < ACCESS_SHARE * gibibytes * GIBIBYTE) gibibytes++;
  throw new UsageError(
    `${formatMany(files, "selected file")} do not fit into --memory: give the study --memory ${gibibytes}GiB, or select fewer files with a larger --min-bytes or --min-runs`,
  );
}

interface ReuseCliOptions extends StudyCliOptions {
  readonly units: "si" | "iec";
}

/** What --json prints: the contract of all studies. */
function studyJson({ items, findings, options, files, outputRows, seconds }: Study): object {
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

/** The terminal's summary: what was studied, then each finding with own beside published. */
function studyText(study: Study, width: number, origin: Provenance): string {
  const value = (key: string) => numberOf(study.items, key);
  const many = (key: string, one: string) => formatMany(value(key), one);
  const census = study.items.A01;
  const care = [
    [census?.values.runsWithBadClock, "runs with a wrong clock"],
    [census?.values.partialAccesses, "accesses of incomplete modules"],
    [census?.dropped["accesses on excluded mounts"], "accesses on excluded mounts"],
  ].filter(([number]) => Number(number ?? 0) > 0);
  const apart = care.map(([number, what]) => `${formatCount(Number(number))} ${what}`).join(", ");
  return linesText([
    "File reuse at this centre",
    `All        ${many("A01.logs", "log")}, ${many("A01.files", "file")}, ${formatBytes(value("A01.bytes"))} moved`,
    `Studied    ${many("A04.files", "file")}, ${many("A04.runs", "run")}, ${formatBytes(value("A04.bytes"))} moved`,
    ...(apart === "" ? [] : [`Left out   ${apart}`]),
    "",
    verdictOf(study, origin),
    "",
    ...findingLines(study.findings, {
      ...{ kind: REUSE_STUDY, word: "finding", width },
      isEmpty: study.files === 0,
      synthetic: isSynthetic(origin),
    }),
  ]);
}
