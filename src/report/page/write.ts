import type { Listener } from "../../base/listener.ts";
import type { Document } from "../../model/index.ts";
import { createOutput, temporaryPath } from "../../node/output-file.ts";
import { renderPage } from "./render.ts";

/** One HTML file, which appears under its name when it is whole. */
export function writePage(document: Document, path: string, listener: Listener = {}): void {
  const partial = listener.partialOutput?.(temporaryPath(path));
  const file = createOutput(path);
  try {
    file.append(Buffer.from(renderPage(document)));
    file.commit();
  } catch (error) {
    file.abort();
    throw error;
  }
  partial?.done();
}
