import { type Cell, type Section, type Table, tableColumns } from "../../../model/index.ts";
import type { ReportInput } from "../input.ts";

export function rawCounters({ tables }: ReportInput): Section {
  const table = tables.get("counters");
  const common = { id: "counters", title: "Raw counters", detail: true };
  if (table === undefined || table.rows === 0)
    return { ...common, blocks: [{ kind: "notice", level: "missing", text: "No counters were recorded." }] };
  const merged = mergeRuns(table);
  const modules = [...new Set(merged.map(({ module }) => module))];
  const rows = merged.map((one): Cell[] => [one.name, one.value, one.unit, one.rule, one.meaning]);
  return {
    ...common,
    intro:
      "Every counter of every module over all records, combined as darshan-parser --total does; hover for all digits. Values of single files: plimsoll darshan parse.",
    blocks: [
      {
        kind: "table",
        id: "counters",
        caption: "Counters over all records. Open a module to see them.",
        columns: tableColumns`
          name | Counter | text | Name in the log.
          value | Value | index | Over all records, by the rule beside it.
          unit | Unit | text | Unit as the log counts.
          rule | Rule | text | sum, max, first (smallest above zero), last, common (most frequent), paired (belongs to another counter).
          meaning | Meaning | text | What it counts.
        `,
        rows,
        groups: modules.map((module) => ({
          cells: [module, "", "", "", `${merged.filter((one) => one.module === module).length} counters`],
          rows: merged.flatMap((one, row) => (one.module === module ? [row] : [])),
        })),
        searchable: true,
        pale: merged.map(({ value }) => value === null || Number(value) === 0),
      },
    ],
  };
}

interface MergedCounter {
  readonly module: string;
  readonly name: string;
  readonly unit: string;
  readonly rule: string;
  readonly meaning: string;
  value: Cell;
}

/** Of several logs: sums add up, maxima and first times are compared, anything else is not one value any more. */
export function mergeRuns(table: Table): MergedCounter[] {
  const merged = new Map<string, MergedCounter>();
  for (let row = 0; row < table.rows; row++) {
    const text = (name: string) => String(table.value(name, row) ?? "");
    const value = (table.value("integer", row) ?? table.value("real", row)) as Cell;
    const key = `${text("module")} ${text("name")}`;
    const known = merged.get(key);
    if (known === undefined)
      merged.set(key, {
        module: text("module"),
        name: text("name"),
        unit: text("unit"),
        rule: text("rule"),
        meaning: text("meaning"),
        value,
      });
    else known.value = put(known.rule, known.value, value);
  }
  return [...merged.values()];
}

function put(rule: string, a: Cell, b: Cell): Cell {
  if (a === null || b === null) return a ?? b;
  if (rule === "sum") return typeof a === "bigint" && typeof b === "bigint" ? a + b : Number(a) + Number(b);
  if (rule === "max") return b > a ? b : a;
  if (rule === "first") return a === 0 ? b : b === 0 ? a : b < a ? b : a;
  return a === b ? a : null;
}
