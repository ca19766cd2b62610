/** The figures of a document as a folder of SVG and CSV, with a list of what they are. */
import { join } from "node:path";
import type { Listener } from "../../base/listener.ts";
import { type Document, type Figure, figureOrigin } from "../../model/index.ts";
import { readResult, replaceFolder } from "../../node/output-folder.ts";
import { writeFile } from "../../node/write-file.ts";
import { figureFiles, figuresOf } from "../compose.ts";

const FIGURES_KIND = "plimsoll figures";

/** Replaces earlier figures there, and nothing else. */
export async function writeFigureFolder(
  document: Document,
  path: string,
  listener: Listener = {},
): Promise<void> {
  const output = { path, what: "folder of figures", isOurs: isFigures };
  await replaceFolder(output, listener, async (work) => {
    const figures = figuresOf(document);
    await writeFigures(figures, work, listener);
    const list = {
      kind: FIGURES_KIND,
      title: document.title,
      madeBy: document.madeBy,
      figures: figures.map(listed),
    };
    writeFile(join(work, "figures.json"), `${JSON.stringify(list, null, 2)}\n`);
  });
}

/** Each figure as SVG and CSV into a folder of results. */
export async function writeFigures(
  figures: readonly Figure[],
  folder: string,
  listener: Listener = {},
): Promise<void> {
  for (const figure of figures) {
    const { svg, csv } = figureFiles(figure);
    writeFile(join(folder, `${figure.id}.svg`), svg);
    writeFile(join(folder, `${figure.id}.csv`), csv);
    await listener.yieldToEvents?.();
  }
}

function listed(figure: Figure) {
  const { id, title, caption, summary, definition, options } = figure;
  const origin = figureOrigin(figure);
  return {
    ...{ id, title, caption, summary, definition, options },
    ...(origin === undefined ? {} : { origin }),
    files: [`${id}.svg`, `${id}.csv`],
  };
}

const isFigures = (folder: string): boolean => readResult(folder, "figures.json")?.kind === FIGURES_KIND;
