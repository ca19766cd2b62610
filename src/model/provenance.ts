/**
 * Where data is from. What a generator made proves nothing about a machine, so every document, figure and table that any
 * of it went into says so.
 */
import { formatCount, formatShare } from "../base/units.ts";
import type { Block, Document, TableBlock } from "./document.ts";
import type { Figure } from "./figure.ts";

export interface Provenance {
  /** How many were generated, and of how many. */
  readonly synthetic: number;
  readonly of: number;
  /** What is counted: runs, jobs. */
  readonly unit: string;
}

export const isSynthetic = ({ synthetic }: Provenance): boolean => synthetic > 0;

/** As JSON has it; the share is null when there is nothing. */
export const provenanceJson = ({ synthetic, of, unit }: Provenance) => ({
  ...{ synthetic, of, unit },
  share: of === 0 ? null : synthetic / of,
});

/** Stands before a headline; nothing for what was recorded. */
export function provenancePrefix({ synthetic, of, unit }: Provenance): string {
  if (synthetic === 0) return "";
  if (synthetic >= of) return "Synthetic data: ";
  return `Partly synthetic data (${formatCount(synthetic)} of ${formatCount(of)} ${unit}, ${formatShare(synthetic / of)}): `;
}

/** In a sentence of its own. */
export const originText = ({ synthetic, of, unit }: Provenance): string =>
  synthetic >= of
    ? "synthetic: generated, not recorded on a machine"
    : `${formatCount(synthetic)} of ${formatCount(of)} ${unit} are synthetic: generated, not recorded on a machine`;

/** What a reader must know before the numbers of a figure: they are of a model or a generator. */
export function figureOrigin({
  simulated,
  synthetic = false,
}: Pick<Figure, "simulated" | "synthetic">): "simulated" | "synthetic" | "partly synthetic" | undefined {
  if (simulated === true) return "simulated";
  return synthetic === false ? undefined : synthetic === true ? "synthetic" : "partly synthetic";
}

/** The same word for data that is no figure; undefined for what was recorded. */
export const originWord = (provenance: Provenance) => figureOrigin({ synthetic: madeOf(provenance) });

const madeOf = ({ synthetic, of }: Provenance): boolean | "partly" =>
  synthetic === 0 ? false : synthetic >= of ? true : "partly";

export const markedFigure = (figure: Figure, provenance: Provenance): Figure => ({
  ...figure,
  synthetic: madeOf(provenance),
});

/** A table that has such a column already stays as it is. */
function markedTable(table: TableBlock, provenance: Provenance): TableBlock {
  const origin = originWord(provenance);
  return origin === undefined || table.columns.some(({ key }) => key === "origin")
    ? table
    : { ...table, origin };
}

function markedBlock(block: Block, provenance: Provenance, marked: (figure: Figure) => Figure): Block {
  if (block.kind === "figure") return { ...block, figure: marked(block.figure) };
  if (block.kind === "table") return markedTable(block, provenance);
  if (block.kind !== "findings") return block;
  const findings = block.findings.map((one) =>
    one.figure === undefined ? one : { ...one, figure: marked(one.figure) },
  );
  return { ...block, findings };
}

/** The same document, which says in its headline, its facts and every figure that the data was generated. */
export function markSynthetic(document: Document, provenance: Provenance): Document {
  if (!isSynthetic(provenance)) return document;
  const prefix = provenancePrefix(provenance);
  const { synthetic, of } = provenance;
  const text = originText(provenance);
  const { answers, figure, secondFigure } = document;
  const copies = new Map<Figure, Figure>();
  // A page draws a figure once that stands both beside the headline and in a cause: by being the same.
  const marked = (one: Figure): Figure => {
    const copy = copies.get(one) ?? markedFigure(one, provenance);
    copies.set(one, copy);
    return copy;
  };
  return {
    ...document,
    facts: [
      ...document.facts,
      { label: "Origin", text, inBar: synthetic >= of ? "synthetic" : "partly synthetic" },
    ],
    verdict: document.verdict.startsWith(prefix) ? document.verdict : `${prefix}${document.verdict}`,
    ...(answers === undefined ? {} : { answers: { ...answers, headline: `${prefix}${answers.headline}` } }),
    ...(figure === undefined ? {} : { figure: marked(figure) }),
    ...(secondFigure === undefined ? {} : { secondFigure: marked(secondFigure) }),
    sections: document.sections.map((section) => ({
      ...section,
      blocks: section.blocks.map((block) => markedBlock(block, provenance, marked)),
    })),
  };
}
