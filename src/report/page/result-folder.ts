/** A folder of results: report.html, figures as SVG and CSV, other files, and a JSON file that says what the folder is. */
import { join } from "node:path";
import { jsonText } from "../../base/json.ts";
import type { Listener } from "../../base/listener.ts";
import type { Document, Figure } from "../../model/index.ts";
import { readResult, replaceFolder } from "../../node/output-folder.ts";
import { writeFile } from "../../node/write-file.ts";
import { figuresOf } from "../compose.ts";
import { writeFigures } from "./figures.ts";
import { writePage } from "./write.ts";

export interface ResultFolder {
  readonly path: string;
  /** What an earlier one is called in a message. */
  readonly what: string;
  /** The name of the JSON file, and the field `kind` in it: only a folder with such a file is replaced. */
  readonly json: string;
  readonly kind: string;
  readonly document: Document;
  /** Those of the document, unless given. */
  readonly figures?: readonly Figure[];
  /** Texts of other files by name. */
  readonly files: Readonly<Record<string, string>>;
  /** What --json prints. */
  readonly result: object;
}

export async function writeResultFolder(folder: ResultFolder, listener: Listener): Promise<void> {
  const { path, what, json, kind, document, figures = figuresOf(document), files, result } = folder;
  const isOurs = (earlier: string) => readResult(earlier, json)?.kind === kind;
  await replaceFolder({ path, what, isOurs }, listener, async (work) => {
    writePage(document, join(work, "report.html"), listener);
    await writeFigures(figures, work, listener);
    for (const [name, text] of Object.entries(files)) writeFile(join(work, name), text);
    const list = figures.map(({ id, title, caption, definition }) => ({ id, title, caption, definition }));
    const whole = { kind, madeBy: document.madeBy, ...result, figures: list };
    writeFile(join(work, json), `${jsonText(whole)}\n`);
  });
}
