/** Items of the study of a system. */
import { itemMaker, type StudyItem as Item, type StudyResult } from "../common/item.ts";
import type { OptionName } from "./options.ts";
import { SYSTEM_FIGURES } from "./paper-figures.ts";
import type { Prepared } from "./prepare.ts";
import { publishedText } from "./published-text.ts";

export { drawn, share } from "../common/item.ts";
export { table } from "../../../model/index.ts";

/** What the paper prints for its two clusters, or for the one that has minutes. */
export interface Published {
  readonly cab?: number;
  readonly quartz?: number;
}

export type ItemResult = StudyResult<Published>;
export type StudyItem = Item<Prepared, OptionName, Published>;

/** What decides which jobs are studied changes every item. */
export const defineItem = itemMaker<Prepared, OptionName, Published>(
  ["cluster", "from", "to", "zone", "maxHours"],
  { figures: SYSTEM_FIGURES, publishedText },
  (prepared) => prepared.clusterParts(),
);
