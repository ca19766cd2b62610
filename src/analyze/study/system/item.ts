/** What an item of the study of a system is, and what it returns. */
import type { Figure, TableBlock } from "../../../model/index.ts";
import {
  counted,
  type ItemFacts,
  optionText,
  type StudyResult,
  steadyTables,
  steadyValues,
} from "../common/item.ts";
import type { OptionName, SystemOptions } from "./options.ts";
import type { Prepared } from "./prepare.ts";

export { drawn, share, type Value, type Values } from "../common/item.ts";
export { table } from "../common/table.ts";

/** What the paper prints for its two clusters, or for the one that has minutes. */
export interface Printed {
  readonly cab?: number;
  readonly quartz?: number;
}
export type Published = Readonly<Record<string, Printed>>;

export type ItemResult = StudyResult<Published>;

export interface StudyItem extends ItemFacts<OptionName, Published> {
  /** Figures take time of their own; without `draw` there are none. */
  run(prepared: Prepared, options: SystemOptions, draw?: boolean): ItemResult;
}

export interface Outcome extends Pick<ItemResult, "n" | "unit" | "values"> {
  readonly dropped?: Readonly<Record<string, number>>;
  readonly tables?: readonly TableBlock[];
  readonly notes?: readonly string[];
  /** Called when figures are wanted. */
  readonly figures?: () => readonly Figure[];
}

/** What decides which jobs are studied changes every item. */
const COMMON: readonly OptionName[] = ["cluster", "from", "to", "zone", "maxHours"];

/** Makes an item: what all results share is filled in here. */
export function defineItem(
  item: Omit<StudyItem, "run" | "published"> & {
    readonly published?: Published;
    measure(prepared: Prepared, options: SystemOptions): Outcome;
  },
): StudyItem {
  const { measure, published = {}, ...rest } = item;
  const options = [...new Set([...COMMON, ...item.options])];
  return {
    ...rest,
    options,
    published,
    run(prepared, chosen, draw = true) {
      const used = Object.fromEntries(options.map((name) => [name, chosen[name]]));
      const { figures, dropped = {}, tables = [], notes = [], ...outcome } = measure(prepared, chosen);
      const shown = Object.fromEntries(
        Object.entries(used)
          .map(([name, value]) => [name, optionText(value)] as const)
          .filter(([, value]) => value !== ""),
      );
      return {
        definition: item.definition,
        options: used,
        published,
        notes,
        n: outcome.n,
        unit: outcome.unit,
        values: steadyValues(outcome.values),
        tables: steadyTables(tables),
        dropped: counted(dropped),
        figures:
          draw && figures !== undefined
            ? figures().map((figure) => ({ ...figure, definition: item.definition, options: shown }))
            : [],
      };
    },
  };
}
