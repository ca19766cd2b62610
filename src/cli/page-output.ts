/** Documents and figures as files. What draws them is loaded when the first is written. */
import type { Document, Figure } from "../model/index.ts";
import type { ResultFolder } from "../report/page/index.ts";
import type { Context } from "./context.ts";

const drawing = () => import("../report/page/index.ts");

/** One HTML file, which appears under its name when it is whole. */
export async function writePage(document: Document, path: string, context: Context): Promise<void> {
  (await drawing()).writePage(document, path, context);
}

/** Each figure as SVG and CSV into a folder of results. */
export async function writeFigures(
  figures: readonly Figure[],
  folder: string,
  context: Context,
): Promise<void> {
  await (await drawing()).writeFigures(figures, folder, context);
}

/** A report with its figures and a JSON file as a folder; replaces an earlier one of its kind, and nothing else. */
export async function writeResultFolder(folder: ResultFolder, context: Context): Promise<void> {
  await (await drawing()).writeResultFolder(folder, context);
}

/** The figures of a document as a folder; replaces earlier figures there, and nothing else. */
export async function writeFigureFolder(document: Document, path: string, context: Context): Promise<void> {
  await (await drawing()).writeFigureFolder(document, path, context);
}
