/** Puts a page together: document, drawings, script and styles become one HTML text. Runs in Node and in a browser. */
import type { Document, Figure } from "../model/index.ts";
import {
  figureCsv,
  figureTable,
  formatExact,
  formatValue,
  renderSvg,
  sparkSvg,
  themeCss,
} from "../plot/index.ts";
import { type HtmlParts, renderHtml } from "./html/index.ts";
import { encodeTrace } from "./trace/encode.ts";

/** The client script, bundled, and its styles. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/** What Node and browsers do in different ways. */
export interface PageHost {
  deflateRaw(bytes: Uint8Array): Uint8Array;
  base64(bytes: Uint8Array): string;
  /** Of the text as UTF-8. */
  sha256Base64(text: string): string;
}

/** One HTML text that needs nothing else. */
export function composePage(document: Document, { script, style }: PageAssets, host: PageHost): string {
  return renderHtml(document, {
    ...DRAWING,
    script,
    style: withTheme(style),
    trace: (trace) => host.base64(host.deflateRaw(encodeTrace(trace))),
    sha256Base64: (text) => host.sha256Base64(text),
  });
}

const DRAWING = {
  figure: (figure: Figure, width: number) => renderSvg(figure, { width }),
  spark: sparkSvg,
  csv: figureCsv,
  figureTable,
  format: formatValue,
  exact: formatExact,
};

/** Styles with the colours of figures. */
export const withTheme = (style: string): string => `${themeCss()}\n${style}`;

/** For pages that a server gives: script and styles are files of their own, and there are no traces. */
export const siteParts: HtmlParts = {
  ...DRAWING,
  ...{ script: "", style: "", trace: () => "", sha256Base64: () => "" },
};

/** A figure as files: its picture, what is drawn, and what it says of itself. */
export function figureFiles(figure: Figure): { readonly svg: string; readonly csv: string } {
  return { svg: renderSvg(figure, { standalone: true }), csv: figureCsv(figure) };
}

/** The figures of a document: those of its first screen, of sections and of findings, each once. */
export const figuresOf = ({ sections, figure, secondFigure }: Document): Figure[] => {
  const all = sections.flatMap(({ blocks }) =>
    blocks.flatMap((block) => {
      if (block.kind === "findings") return block.findings.flatMap((finding) => finding.figure ?? []);
      return block.kind === "figure" ? [block.figure] : [];
    }),
  );
  const first = [figure, secondFigure].filter((one) => one !== undefined && !all.includes(one)) as Figure[];
  return [...first, ...all];
};
