import type { Listener } from "../../base/listener.ts";
import type { Document } from "../../model/index.ts";
import { writeOutput } from "../../node/output-file.ts";
import { renderPage } from "./render.ts";

/** One HTML file, which appears under its name when it is whole. */
export function writePage(document: Document, path: string, listener: Listener = {}): void {
  writeOutput(path, renderPage(document), listener);
}
