/** What the page can save of an opened job. A new kind of file is one entry. */
import { jsonText } from "../../src/base/json.ts";
import { base64Text, Sha256 } from "../../src/base/sha256.ts";
import { composePage, type PageHost } from "../../src/report/compose.ts";
import type { Result } from "./opening.ts";
import { deflateRaw } from "./zlib.ts";

interface Saver {
  readonly id: string;
  readonly label: string;
  readonly about: string;
  /** Name of the file. */
  name(result: Result): string;
  readonly type: string;
  make(result: Result): string | Uint8Array;
}

const baseName = ({ isComparison }: Result) => (isComparison ? "diff" : "report");

export const SAVERS: readonly Saver[] = [
  {
    id: "html",
    label: "Report as HTML",
    about: "one file that opens anywhere, equal to plimsoll report -o",
    name: (result) => `${baseName(result)}.html`,
    type: "text/html",
    make: ({ document }) => pageHtml(document),
  },
  {
    id: "json",
    label: "Numbers as JSON",
    about: "findings and metrics, equal to plimsoll report --json",
    name: (result) => `${baseName(result)}.json`,
    type: "application/json",
    make: (result) => `${jsonText(result.json())}\n`,
  },
];

const browserPage: PageHost = {
  deflateRaw,
  base64: base64Text,
  sha256Base64: (text) => base64Text(new Sha256().update(new TextEncoder().encode(text)).digest()),
};

export const pageHtml = (document: Result["document"]): string =>
  composePage(document, REPORT_ASSETS, browserPage);
