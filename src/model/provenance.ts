/**
 * Where data is from. What a generator made proves nothing about a machine, so every document, figure and table that any
 * of it went into says so.
 */
import { formatCount, formatShare } from "../base/units.ts";
import type { Block, Document } from "./document.ts";
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
export const figureOrigin = ({ simulated, synthetic }: Figure): "simulated" | "synthetic" | undefined =>
  simulated === true ? "simulated" : synthetic === true ? "synthetic" : undefined;

const marked = new WeakMap<Figure, Figure>();

/** The same copy each time: a page draws a figure once that stands both beside the headline and in a cause. */
export function markedFigure(figure: Figure): Figure {
  const copy = marked.get(figure) ?? { ...figure, synthetic: true };
  marked.set(figure, copy);
  return copy;
}

function markedBlock(block: Block): Block {
  if (block.kind === "figure") return { ...block, figure: markedFigure(block.figure) };
  if (block.kind !== "findings") return block;
  const findings = block.findings.map((one) =>
    one.figure === undefined ? one : { ...one, figure: markedFigure(one.figure) },
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
  return {
    ...document,
    facts: [
      ...document.facts,
      { label: "Origin", text, inBar: synthetic >= of ? "synthetic" : "partly synthetic" },
    ],
    verdict: document.verdict.startsWith(prefix) ? document.verdict : `${prefix}${document.verdict}`,
    ...(answers === undefined ? {} : { answers: { ...answers, headline: `${prefix}${answers.headline}` } }),
    ...(figure === undefined ? {} : { figure: markedFigure(figure) }),
    ...(secondFigure === undefined ? {} : { secondFigure: markedFigure(secondFigure) }),
    sections: document.sections.map((section) => ({ ...section, blocks: section.blocks.map(markedBlock) })),
  };
}
