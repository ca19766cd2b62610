/** Blocks that the chapters of a replay have in common. */
import type { Block, Cell, Figure, ReplayCheck, ReplayData, TableBlock } from "../../model/index.ts";

/** Published beside simulated. */
export function checkTable(
  id: string,
  caption: string,
  checks: readonly ReplayCheck[],
  searchable = false,
): TableBlock {
  return {
    kind: "table",
    id,
    caption,
    columns: [
      { key: "id", label: "Check", unit: "text", about: "Row of the list of published numbers." },
      { key: "verdict", label: "Verdict", unit: "text", about: "met, missed, not run, or contradiction." },
      { key: "published", label: "Published", unit: "text", about: "In the paper." },
      { key: "measured", label: "Simulated", unit: "text", about: "Here." },
      { key: "tolerance", label: "Tolerance", unit: "text", about: "Up to which it is met." },
      { key: "claim", label: "What", unit: "text", about: "The number or relation." },
      { key: "place", label: "Place", unit: "text", about: "Section, table or figure of the paper." },
      { key: "note", label: "Note", unit: "text", about: "What else to know.", hidden: true },
    ],
    rows: checks.map((one): Cell[] => [
      one.id,
      one.verdict,
      one.published,
      one.measured === "" ? null : one.measured,
      one.tolerance,
      one.note === "" ? one.claim : `${one.claim} (${one.note})`,
      one.place,
      one.note,
    ]),
    rowKey: "id",
    searchable,
    pale: checks.map(({ verdict }) => verdict === "not run"),
  };
}

/** Checks of the rows that a chapter is about. */
export const rowsOf = (data: ReplayData, pattern: RegExp): ReplayCheck[] =>
  data.checks.filter(({ row }) => pattern.test(row));

export const figures = (list: readonly Figure[]): Block[] =>
  list.map((figure) => ({ kind: "figure", figure }));
