/** The HTML form of a document, with everything that it carries inside. */
import { createHash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import type { Document, Figure } from "../../model/index.ts";
import {
  figureCsv,
  figureTable,
  formatExact,
  formatValue,
  renderSvg,
  sparkSvg,
  themeCss,
} from "../../plot/index.ts";
import { renderHtml } from "../html/index.ts";
import { encodeTrace } from "../trace/encode.ts";
import { builtAssets } from "./assets.ts";

/** One HTML text that needs nothing else. */
export function renderPage(document: Document): string {
  const assets = builtAssets();
  return renderHtml(document, {
    script: assets.script,
    style: `${themeCss()}\n${assets.style}`,
    figure: (figure, width) => renderSvg(figure, { width }),
    spark: sparkSvg,
    csv: figureCsv,
    figureTable,
    trace: (trace) => deflateRawSync(encodeTrace(trace), { level: 6 }).toString("base64"),
    format: formatValue,
    exact: formatExact,
    sha256Base64: (text) => createHash("sha256").update(text).digest("base64"),
  });
}

/** A figure as files: its picture, what is drawn, and what it says of itself. */
export function figureFiles(figure: Figure): { readonly svg: string; readonly csv: string } {
  return { svg: renderSvg(figure, { standalone: true }), csv: figureCsv(figure) };
}
