/** A folder of results: report.html, figures as SVG and CSV, other files, and a JSON file that says what the folder is. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { jsonText } from "../base/json.ts";
import type { Document, Figure } from "../model/index.ts";
import { replaceFolder } from "../node/output-folder.ts";
import { writeFile } from "../node/write-file.ts";
import type { Context } from "./context.ts";
import { writeFigures, writePage } from "./page-output.ts";

interface ResultFolder {
  readonly path: string;
  /** What an earlier one is called in a message. */
  readonly what: string;
  /** The name of the JSON file, and the field `kind` in it: only a folder with such a file is replaced. */
  readonly json: string;
  readonly kind: string;
  readonly document: Document;
  readonly figures: readonly Figure[];
  /** Texts of other files by name. */
  readonly files: Readonly<Record<string, string>>;
  /** What --json prints. */
  readonly result: object;
}

export async function writeResultFolder(folder: ResultFolder, context: Context): Promise<void> {
  const { path, what, json, kind, document, figures, files, result } = folder;
  const isOurs = (earlier: string) => readResult(earlier, json)?.kind === kind;
  await replaceFolder({ path, what, isOurs }, context, async (work) => {
    await writePage(document, join(work, "report.html"), context);
    await writeFigures(figures, work, context);
    for (const [name, text] of Object.entries(files)) writeFile(join(work, name), text);
    const list = figures.map(({ id, title, caption, definition }) => ({ id, title, caption, definition }));
    const whole = { kind, madeBy: document.madeBy, ...result, figures: list };
    writeFile(join(work, json), `${jsonText(whole)}\n`);
  });
}

/** The JSON file of an earlier result; undefined where there is none. */
export function readResult(folder: string, json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, json), "utf8")) ?? undefined;
  } catch {
    return undefined;
  }
}
