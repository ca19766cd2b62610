/** The document of an analysis as panels: one per section, with a CSV of its values. */
import type { CsvValue } from "../../base/csv.ts";
import {
  type Block,
  type Document,
  markedFigure,
  type Provenance,
  isSynthetic,
  type TableBlock,
} from "../../model/index.ts";
import { figureTable } from "../../plot/index.ts";
import { prose } from "../../report/html/index.ts";
import { linked, type Place } from "../links.ts";
import type { Ask, PageContent, Panel } from "../site.ts";

interface DocumentPage {
  readonly origin: Provenance;
  /** Of a section. */
  sql(id: string): string;
  /** For sections whose values the document's command does not print. */
  command?(id: string): string;
  /** Page that names in a column link to, by column key; per section where they differ. */
  links(id: string): Readonly<Record<string, Place>>;
  readonly spans?: PageContent["spans"];
}

export function documentContent(ask: Ask, document: Document, page: DocumentPage): PageContent {
  const facts = document.facts
    .map(({ label, text }) => `<div><dt>${prose(label)}</dt><dd>${prose(text)}</dd></div>`)
    .join("");
  return {
    title: document.title,
    head: `<div class="page-head"><h1>${prose(document.title)}</h1><p>${prose(document.verdict)}</p>${facts === "" ? "" : `<dl class="facts">${facts}</dl>`}</div>`,
    origin: page.origin,
    ...(page.spans === undefined ? {} : { spans: page.spans }),
    panels: document.sections.map((section): Panel => {
      const links = page.links(section.id);
      const blocks = section.blocks.map((block) =>
        block.kind === "table" ? linked(block, ask.root, links, isOne) : marked(block, page.origin),
      );
      return {
        ...{ id: section.id, title: section.title, content: blocks, csv: blocksCsv(section.blocks) },
        ...{ sql: page.sql(section.id), command: page.command?.(section.id) ?? document.command },
      };
    }),
  };
}

/** Sums have no page. */
export const isOne = (cell: unknown): boolean =>
  typeof cell === "string" &&
  !/^(?:others \(|not in job statistics$|all |\(empty|.* not known$|\d+ (?:others?|users?|accounts?)$)/.test(
    cell,
  );

const marked = (block: Block, origin: Provenance): Block =>
  block.kind === "figure" && isSynthetic(origin)
    ? { ...block, figure: markedFigure(block.figure, origin) }
    : block;

/** The first table, else the data of the first figure, else the tiles. */
export function blocksCsv(blocks: readonly Block[]): readonly (readonly CsvValue[])[] {
  const table = blocks.find((block) => block.kind === "table");
  if (table !== undefined) return tableCsv(table);
  const figure = blocks.find((block) => block.kind === "figure")?.figure;
  if (figure !== undefined) {
    const { columns, rows } = figureTable(figure);
    return [columns.map(({ label }) => label), ...rows];
  }
  const tiles = blocks.find((block) => block.kind === "tiles")?.tiles ?? [];
  return tiles.length === 0
    ? []
    : [["what", "value", "unit"], ...tiles.map((one) => [one.label, one.value, one.unit])];
}

const tableCsv = ({ columns, rows }: TableBlock): readonly (readonly CsvValue[])[] => {
  const shown = columns.flatMap(({ key }, at) => (key === "when" || key === "bar" ? [] : [at]));
  return [shown.map((at) => columns[at]?.key), ...rows.map((row) => shown.map((at) => row[at]))];
};
