/** Documents and figures as files. What draws them is loaded when the first is written. */
import { join } from "node:path";
import type { Document, Figure } from "../model/index.ts";
import { createOutput, temporaryPath } from "../node/output-file.ts";
import type { Context } from "./context.ts";
import { writeFile } from "../node/write-file.ts";

/** One HTML file, which appears under its name when it is whole. */
export async function writePage(document: Document, path: string, context: Context): Promise<void> {
  const { builtAssets, pageOf } = await import("./page.ts");
  const partial = context.partialOutput(temporaryPath(path));
  const file = createOutput(path);
  try {
    file.append(Buffer.from(pageOf(document, builtAssets())));
    file.commit();
  } catch (error) {
    file.abort();
    throw error;
  }
  partial.done();
}

/** Each figure as SVG and CSV into a folder of results. */
export async function writeFigures(
  figures: readonly Figure[],
  folder: string,
  context: Context,
): Promise<void> {
  const { figureFiles } = await import("./page.ts");
  for (const figure of figures) {
    const { svg, csv } = figureFiles(figure);
    writeFile(join(folder, `${figure.id}.svg`), svg);
    writeFile(join(folder, `${figure.id}.csv`), csv);
    await context.yieldToEvents();
  }
}
