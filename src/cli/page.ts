/** The HTML form of a document, with everything that it carries inside. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { builtFile } from "../node/built.ts";
import type { Document, Figure } from "../model/index.ts";
import { svgDocument } from "../node/svg-document.ts";
import { figureCsv, figureTable, formatExact, formatValue, renderSvg, themeCss } from "../plot/index.ts";
import { renderHtml } from "../report/html/index.ts";
import { encodeTrace } from "../report/trace/encode.ts";

export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/** The script and styles as the build left them: beside the program, or beside its folder of chunks. */
export function builtAssets(): PageAssets {
  const read = (name: string) => readFileSync(builtFile(name), "utf8");
  return { script: read("report-page.js"), style: read("report-page.css") };
}

export function pageOf(document: Document, assets: PageAssets): string {
  const drawing = svgDocument();
  return renderHtml(document, {
    script: assets.script,
    style: `${themeCss()}\n${assets.style}`,
    figure: (figure, width) => renderSvg(figure, { document: drawing, width }),
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
  return { svg: renderSvg(figure, { document: svgDocument(), standalone: true }), csv: figureCsv(figure) };
}
