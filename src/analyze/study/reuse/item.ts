/** What an item of the study is, and what it returns. */
import type { Figure, Queryable } from "../../../model/index.ts";
import {
  counted,
  type ItemFacts,
  optionText,
  type StudyResult,
  steadyTables,
  steadyValues,
  type Values,
} from "../common/item.ts";
import type { OptionName, ReuseOptions } from "./options.ts";

export {
  type Drawing,
  drawn,
  exact,
  number,
  share,
  steady,
  type Value,
  type Values,
} from "../common/item.ts";
export { table } from "../common/table.ts";

export type ItemResult = StudyResult<Values>;

/** What an item waits for: accesses gone through file by file, those grouped by run, or answers of the database. */
export type Source = "files" | "runs" | "store";

export interface StudyItem extends ItemFacts<OptionName, Values> {
  /** The database unless said. */
  readonly from?: Source;
  /** Figures take time of their own; without `draw` there are none. */
  run(db: Queryable, options: ReuseOptions, draw?: boolean): Promise<ItemResult>;
}

type Outcome = Pick<ItemResult, "n" | "unit" | "values"> &
  Partial<Pick<ItemResult, "dropped" | "published" | "tables" | "notes">> & {
    /** Called when figures are wanted. */
    readonly figures?: () => readonly Figure[] | Promise<readonly Figure[]>;
  };

/** Makes an item: what all results share is filled in here. */
export function defineItem(
  item: Omit<StudyItem, "run" | "published"> & {
    readonly published?: Values;
    measure(db: Queryable, options: ReuseOptions): Promise<Outcome>;
  },
): StudyItem {
  const { measure, published = {}, ...rest } = item;
  return {
    ...rest,
    published,
    async run(db, options, draw = true) {
      const used = Object.fromEntries(item.options.map((name) => [name, options[name]]));
      const { figures, ...outcome } = await measure(db, options);
      const shown = Object.fromEntries(item.options.map((name) => [name, optionText(options[name])]));
      const stamp = (figure: Figure): Figure => ({ ...figure, definition: item.definition, options: shown });
      return {
        definition: item.definition,
        options: used,
        published,
        notes: [],
        ...outcome,
        values: steadyValues(outcome.values),
        tables: steadyTables(outcome.tables ?? []),
        dropped: counted(outcome.dropped ?? {}),
        figures: draw && figures !== undefined ? (await figures()).map(stamp) : [],
      };
    },
  };
}
