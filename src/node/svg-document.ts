/** The DOM that plot/ draws with in Node: linkedom, made on first use and then kept. */

// The same code in one file, without shims for canvas: a fifth of the time to load.
import { parseHTML } from "linkedom/worker";

let made: Document | undefined;

/** Always the same document. Figures are read out of it as text, so nothing stays in it. */
export function svgDocument(): Document {
  made ??= parseHTML("<!doctype html><html><head></head><body></body></html>").document;
  return made;
}
