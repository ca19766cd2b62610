import { type ValueUnit, printedText } from "../common/values.ts";
import type { Published } from "./item.ts";

/** Numbers of the paper's clusters: one where they agree, else each with its name. */
export function publishedText(unit: ValueUnit, { cab, quartz }: Published): string {
  const text = (value: number) => printedText(unit, value);
  if (cab === undefined) return quartz === undefined ? "–" : `${text(quartz)} (Quartz)`;
  if (quartz === undefined) return `${text(cab)} (Cab)`;
  return cab === quartz ? text(cab) : `${text(cab)} (Cab), ${text(quartz)} (Quartz)`;
}
