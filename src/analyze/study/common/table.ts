/** A table of a report from short rows. */
import type { Cell, TableBlock, TableColumn } from "../../../model/index.ts";

export type Column = readonly [key: string, label: string, unit: TableColumn["unit"], about: string];

export function table(
  id: string,
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  rowsTotal?: number,
): TableBlock {
  return {
    kind: "table",
    id,
    caption,
    columns: columns.map(([key, label, unit, about]) => ({ key, label, unit, about })),
    rows,
    ...(rowsTotal === undefined ? {} : { rowsTotal }),
  };
}
