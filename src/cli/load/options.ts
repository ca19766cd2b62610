/** What the questions about load have in common: a store, targets, a time, and how answers are shown. */
import {
  answerable,
  askedWindow,
  checkZone,
  chooseTargets,
  chosenZone,
  fullName,
  storedTargetNames,
  storedTime,
  type TargetName,
  targetCondition,
  targetsText,
  type Window,
} from "../../analyze/load/index.ts";
import { commandLine, flag } from "../../base/command-line.ts";
import { csvText, type CsvValue } from "../../base/csv.ts";
import { UsageError } from "../../base/errors.ts";
import {
  type Document,
  isSynthetic,
  markSynthetic,
  type Provenance,
  provenanceJson,
  type Queryable,
} from "../../model/index.ts";
import { renderText } from "../../report/text/index.ts";
import { version } from "../../../package.json";
import type { OptionSpecs } from "../command.ts";
import type { Context } from "../context.ts";
import { writePage } from "../page-output.ts";
import { ENGINE_OPTIONS } from "../store/options.ts";

export { originOf, withStore } from "../store/options.ts";
import { didYouMean } from "../../base/choice.ts";
import { option } from "../option.ts";

export const STORE_OPTIONS = {
  store: option.text("DIR", "store to read"),
  zone: option.text(
    "TEXT",
    "time zone of input and output times, such as America/Los_Angeles (default: time zone of the store, else UTC)",
  ),
  output: option.output("FILE.html", "write the answer as one HTML file"),
  ...ENGINE_OPTIONS,
} as const satisfies OptionSpecs;

export const TARGET_OPTION = {
  target: option.list("NAME", "OST0007, OST*, MDT000?, lustre1-OST*; comma-separated (default: all)"),
} as const satisfies OptionSpecs;

export const TIME_OPTIONS = {
  from: option.text(
    "TIME",
    "2018-06-07T10:00, -2h, yesterday, end-2h, seconds since 1970 (default: first minute of the store)",
  ),
  to: option.text("TIME", "end time, exclusive (default: end of the store)"),
} as const satisfies OptionSpecs;

export interface LoadQuery {
  readonly window: Window;
  readonly condition: string;
  readonly targets: readonly TargetName[];
  readonly targetsText: string;
}

/** The options with the zone that is meant: as asked, else that of the store. */
export async function zoned<Options extends { readonly zone?: string | undefined }>(
  db: Queryable,
  options: Options,
): Promise<Options & { readonly zone: string }> {
  const asked = options.zone ?? "";
  if (asked !== "") checkZone(asked);
  return { ...options, zone: (await chosenZone(db, asked)).zone };
}

interface LoadValues {
  readonly target: readonly string[];
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly zone: string;
}

/** The targets that are meant, and the time that the store has. */
export async function askedTargets(db: Queryable, target: readonly string[]) {
  if (target.length > 0 && target.every((one) => /^[\s,]*$/.test(one)))
    throw new UsageError(
      "--target is empty: expected a name such as OST0007, or 'OST*'; omit it for all targets",
    );
  const stored = await storedTime(db);
  const all = await storedTargetNames(db);
  const { targets, unknown } = chooseTargets(all, target);
  if (unknown.length > 0) throw unknownTarget(unknown[0] as string, all);
  return {
    stored,
    targets,
    condition: targetCondition(all, targets),
    targetsText: targetsText(all, targets),
  };
}

/** The targets and the minutes that are meant; what does not exist is an error that names what does. */
export async function askedOf(db: Queryable, { target, from, to, zone }: LoadValues): Promise<LoadQuery> {
  checkZone(zone);
  const { stored, ...asked } = await askedTargets(db, target);
  const window = askedWindow({ from, to, zone, nowUnix: Date.now() / 1000 }, stored);
  return { ...asked, window: await answerable(db, window, stored) };
}

function unknownTarget(word: string, all: readonly TargetName[]): UsageError {
  const names = all.map(({ target }) => target);
  const shown = names.slice(0, 3).join(", ");
  const guess = didYouMean(word, [...names, ...all.map(fullName)]);
  const count = names.length > 3 ? `, … ${names.at(-1)} (${names.length} in all)` : "";
  return new UsageError(`--target ${word}: the store has no such target${guess}; it has ${shown}${count}`);
}

/** Targets that are all metadata targets are compared by operations, others by bytes. */
export const usualMeasure = (targets: readonly TargetName[]): "bytes" | "metadata" =>
  targets.length > 0 && targets.every(({ target }) => /^MDT/i.test(target)) ? "metadata" : "bytes";

export const isoTime = (minute: number): string => new Date(minute * 60_000).toISOString();

/** A window in JSON. */
export const windowJson = (window: Window | undefined) =>
  window === undefined ? null : { from: isoTime(window.from), to: isoTime(window.to) };

export const aboutOf = (command: string, zone: string) => ({ command, madeBy: `Plimsoll ${version}`, zone });

interface ShownAs {
  readonly output?: string | undefined;
  readonly origin: Provenance;
  /** The first table instead. */
  readonly csv?: boolean;
}

/** The first table of a document, with whether any of its data was generated. */
function documentCsv({ sections }: Document, synthetic: boolean): string {
  const table = sections.flatMap(({ blocks }) => blocks).find((block) => block.kind === "table");
  if (table === undefined) return "";
  const shown = table.columns
    .map(({ key: id }, at) => ({ id, at }))
    .filter(({ id }) => id !== "when" && id !== "bar");
  return csvText([
    [...shown.map(({ id }) => id), "synthetic"],
    ...table.rows.map((row) => [...shown.map(({ at }) => row[at] as CsvValue), synthetic ? 1 : 0]),
  ]);
}

/** JSON, a page, or text, as asked. `full` also prints sections of detail on the terminal. */
export async function show(
  plainDocument: Document,
  json: object,
  { output, origin, csv = false }: ShownAs,
  context: Context,
): Promise<void> {
  const document = markSynthetic(plainDocument, origin);
  if (csv) {
    context.out.write(documentCsv(document, isSynthetic(origin)));
    return;
  }
  if (output !== undefined) await writePage(document, output, context);
  if (context.json) context.printJson({ ...json, origin: provenanceJson(origin) });
  else if (output !== undefined) context.out.write(`Wrote ${output}\n`);
  else context.out.write(renderText(document, { width: context.columns, color: context.color, full: false }));
}

/** The command with the options that were given, for a shell. */
export const commandOf = (words: string, options: Readonly<Record<string, unknown>>, names: string): string =>
  commandLine([
    ...words.split(" "),
    ...names.split(" ").flatMap((name) => [options[name]].flat().flatMap((one) => flag(name, one as string))),
  ]);
