/** Items of the study of file reuse. */
import { itemMaker, type StudyItem as Item, type StudyResult } from "../common/item.ts";
import type { OptionName } from "./options.ts";
import { printedText } from "../common/values.ts";
import { REUSE_FIGURES } from "./paper-figures.ts";
import type { Prepared } from "./prepare.ts";

export { drawn, exact, number, share } from "../common/item.ts";
export { table } from "../../../model/index.ts";

export type Published = number | bigint;
export type ItemResult = StudyResult<Published>;

/** What an item waits for: accesses gone through file by file, those grouped by run, or answers of the database. */
export type Source = "files" | "runs" | "store";

interface Order {
  /** The database by default. */
  readonly from?: Source;
}

export type StudyItem = Item<Prepared, OptionName, Published> & Order;

export const defineItem = itemMaker<Prepared, OptionName, Published, Order>([], {
  figures: REUSE_FIGURES,
  publishedText: printedText,
});
