/** The figures of a document as a folder of SVG and CSV, with a list of what they are. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Document, Figure } from "../model/index.ts";
import type { Context } from "./context.ts";
import { replaceFolder } from "./output-folder.ts";
import { writeFigures } from "./page-output.ts";
import { writeFile } from "../node/write-file.ts";

const FIGURES_KIND = "plimsoll figures";

/** Replaces earlier figures there, and nothing else. */
export async function writeFigureFolder(document: Document, path: string, context: Context): Promise<void> {
  const output = { path, what: "folder of figures", isOurs: isFigures };
  await replaceFolder(output, context, async (work) => {
    const figures = document.sections.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === "figure" ? [block.figure] : [])),
    );
    await writeFigures(figures, work, context);
    const list = {
      kind: FIGURES_KIND,
      title: document.title,
      madeBy: document.madeBy,
      figures: figures.map(listed),
    };
    writeFile(join(work, "figures.json"), `${JSON.stringify(list, null, 2)}\n`);
  });
}

const listed = ({ id, title, caption, summary, definition, options }: Figure) => ({
  id,
  title,
  caption,
  summary,
  definition,
  options,
  files: [`${id}.svg`, `${id}.csv`],
});

function isFigures(folder: string): boolean {
  try {
    return JSON.parse(readFileSync(join(folder, "figures.json"), "utf8"))?.kind === FIGURES_KIND;
  } catch {
    return false;
  }
}
