/** A document as asked for: an HTML file, a folder of figures, JSON, or text on the terminal. */
import type { Document } from "../model/index.ts";
import { plain, renderText } from "../report/text/index.ts";
import type { Context } from "./context.ts";
import { writeFigureFolder, writePage } from "./page-output.ts";

interface Wanted {
  readonly output?: string | undefined;
  readonly figures?: string | undefined;
  /** Sections of detail on the terminal, too. */
  readonly full: boolean;
  /** What --json prints. */
  json(): unknown;
  /** Stands below the text on the terminal: how to get all of it. */
  readonly more?: string;
}

export async function showDocument(document: Document, wanted: Wanted, context: Context): Promise<void> {
  const { output, figures, full, more = "" } = wanted;
  if (output !== undefined) await writePage(document, output, context);
  if (figures !== undefined) await writeFigureFolder(document, figures, context);
  if (context.json) context.printJson(wanted.json());
  else if (output === undefined && figures === undefined)
    context.out.write(
      `${renderText(document, { width: context.columns, color: context.color, full })}${more}`,
    );
  else {
    context.out.write(`${plain(document.verdict)}\n`);
    if (output !== undefined) context.out.write(`Wrote ${plain(output)}\n`);
    if (figures !== undefined) context.out.write(`Wrote figures to ${plain(figures)}\n`);
  }
}
