/** What the questions about load have in common: a store, targets, a time, and how answers are shown. */
import type { Window } from "../../analyze/load/index.ts";
import { csvText, type CsvValue } from "../../base/csv.ts";
import {
  type Document,
  isSynthetic,
  markSynthetic,
  type Provenance,
  provenanceJson,
} from "../../model/index.ts";
import { renderText } from "../../report/text/index.ts";
import { version } from "../../../package.json";
import type { OptionSpecs } from "../command.ts";
import type { Context } from "../context.ts";
import { writePage } from "../page-output.ts";
import { ENGINE_OPTIONS } from "../store/options.ts";

export { originOf, withStore } from "../store/options.ts";
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

export const isoTime = (unix: number): string => new Date(unix * 1000).toISOString();

/** A window in JSON. */
export const windowJson = (window: Window | undefined) =>
  window === undefined ? null : { from: isoTime(60 * window.from), to: isoTime(60 * window.to) };

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
