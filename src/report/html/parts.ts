import type { Figure, Trace, Unit } from "../../model/index.ts";

/** What the page is made with. Everything that draws, encodes or hashes comes in from outside. */
export interface HtmlParts {
  /** The client script, bundled, and all styles. */
  readonly script: string;
  readonly style: string;
  /** SVG text of that many pixels width; trusted to have escaped what it drew. */
  figure(figure: Figure, width: number): string;
  /** The same in a few pixels, without words; empty where nothing can be drawn. */
  spark(figure: Figure): string;
  csv(figure: Figure): string;
  figureTable(figure: Figure): FigureTable;
  /** Base64 text of the encoded, compressed trace. */
  trace(trace: Trace): string;
  /** A value for people, three digits; and with all digits. */
  format(value: number | bigint, unit: Unit): string;
  exact(value: number | bigint, unit: Unit): string;
  /** Of the text as UTF-8; the page allows only the script with this hash. */
  sha256Base64(text: string): string;
}

interface FigureTable {
  readonly columns: readonly { readonly label: string; readonly unit: Unit }[];
  readonly rows: readonly (readonly (number | string | null)[])[];
}
