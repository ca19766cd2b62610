/** What the page can save of an opened job. A new kind of file is one entry. */
import { version } from "../../package.json";
import { jsonText } from "../../src/base/json.ts";
import { base64Text, Sha256 } from "../../src/base/sha256.ts";
import { callsCsv, callsParquet, type OrderedCalls, perfettoTrace } from "../../src/formats/export/index.ts";
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
  /** Whether there is anything of it. */
  has?(result: Result): boolean;
  make(result: Result): string | Uint8Array | Promise<Uint8Array>;
}

const MADE_BY = `Plimsoll ${version}`;

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
  callSaver("perfetto", "Calls for Perfetto", "opens in ui.perfetto.dev", "json", (calls) =>
    perfettoTrace(calls, { by: "rank", madeBy: MADE_BY }),
  ),
  callSaver("parquet", "Calls as Parquet", "for DuckDB, pandas and others", "parquet", (calls) =>
    callsParquet(calls, MADE_BY),
  ),
  callSaver("csv", "Calls as CSV", "one line per call", "csv", callsCsv),
];

/** What `plimsoll export` writes, with the same bytes. */
function callSaver(
  id: string,
  label: string,
  about: string,
  ending: string,
  encode: (calls: OrderedCalls) => Iterable<Uint8Array>,
): Saver {
  return {
    ...{ id, label, about },
    name: () => `calls.${ending}`,
    type: "application/octet-stream",
    has: (result) => result.calls !== undefined,
    async make(result) {
      const calls = await result.calls?.();
      return joined(calls === undefined ? [] : [...encode(calls)]);
    },
  };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

const browserPage: PageHost = {
  deflateRaw,
  base64: base64Text,
  sha256Base64: (text) => base64Text(new Sha256().update(new TextEncoder().encode(text)).digest()),
};

export const pageHtml = (document: Result["document"]): string =>
  composePage(document, REPORT_ASSETS, browserPage);
