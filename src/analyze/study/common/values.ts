/** Values of items: unit, label and published number are declared with the item, and decide how people read them. */
import { assert } from "../../../base/assert.ts";
import { formatBytes, formatCount, formatScaled, formatShare } from "../../../base/units.ts";

/** Shares and coefficients of variation are fractions, bytes exact. NaN: not enough data to say. */
export type Value = number | bigint | string;
export type Values = Readonly<Record<string, Value>>;

/** `hours` and `minutes` are lengths of time, `hour` is one of the day, `none` a bare number. */
export type ValueUnit =
  | "bytes"
  | "share"
  | "ratio"
  | "seconds"
  | "minutes"
  | "hours"
  | "hour"
  | "count"
  | "none";

/**
 * The unit of a value, what people call it, what the paper prints for it, and its words where they say more than the
 * number ("over 80 %"), or where the number only follows from others.
 */
export type ValueInfo<Published = unknown> = readonly [
  unit: ValueUnit,
  label: string,
  published?: Published | undefined,
  words?: string,
];
export type ValueInfos<Published = unknown> = Readonly<Record<string, ValueInfo<Published>>>;

/** Values of an item as text: with their unit, or as a bare number of three digits. */
export interface Formatters<Key extends string> {
  text(key: Key): string;
  number(key: Key): string;
}

/** What the paper prints, by key. */
export const publishedOf = <Published>(infos: ValueInfos<Published>): Record<string, Published> =>
  Object.fromEntries(
    Object.entries(infos).flatMap(([key, [, , number]]) => (number === undefined ? [] : [[key, number]])),
  );

export function formatters(infos: ValueInfos, values: Values): Formatters<string> {
  const known = (key: string, text: (value: Value) => string) => {
    const value = values[key];
    return value === undefined || Number.isNaN(value) ? "(not known)" : text(value);
  };
  return {
    text: (key) => known(key, (value) => valueText(infos[key]?.[0] ?? "none", value)),
    number: (key) => known(key, (value) => String(Number(Number(value).toPrecision(3)))),
  };
}

/** A value with its unit, for people. */
export function valueText(unit: ValueUnit, value: Value): string {
  if (typeof value === "string") return value;
  const number = Number(value);
  if (Number.isNaN(number)) return "not enough data";
  if (!Number.isFinite(number)) return "infinite";
  const digits = (count: number) => String(Number(number.toPrecision(count)));
  switch (unit) {
    case "bytes":
      return formatBytes(number);
    case "share":
      return formatShare(number);
    case "ratio":
      return `${digits(3)}×`;
    case "seconds":
      return `${digits(3)} s`;
    case "minutes":
      return `${digits(4)} min`;
    case "hours":
      return `${digits(4)} h`;
    case "hour":
      return `${number} h`;
    case "count":
      return Number.isInteger(number) ? formatCount(number) : digits(4);
    case "none":
      return digits(4);
  }
}

/** A number of a paper with all of its digits. */
export function printedText(unit: ValueUnit, value: Value): string {
  const number = Number(value);
  if (typeof value === "string" || !Number.isFinite(number)) return valueText(unit, value);
  if (unit === "bytes") return formatScaled(number, "B", 5);
  return unit === "none" ? String(number) : valueText(unit, value);
}

/** What a paper prints for a value; empty where it prints nothing. */
export function publishedText<Published>(
  [unit, , published, words]: ValueInfo<Published>,
  text: (unit: ValueUnit, published: Published) => string,
): string {
  return words ?? (published === undefined ? "" : text(unit, published));
}

interface Described<Published = unknown> {
  readonly values: ValueInfos<Published>;
  readonly tabled?: ValueInfos<Published>;
  readonly others?: ValueInfos<Published>;
}

/** What an item says of one of its values. */
export const valueInfo = <Published>(
  { values, tabled, others }: Described<Published>,
  key: string,
): ValueInfo<Published> | undefined => values[key] ?? tabled?.[key] ?? others?.[key];

/** "B06.users.sumOfRatios.tie" as item and key of its value. */
export function itemAndKey(full: string): readonly [item: string, key: string] {
  const at = full.indexOf(".");
  return [full.slice(0, at), full.slice(at + 1)];
}

/** What an item says of a value, by its full key: "A05.readWriteShare". */
export function infoOf<Published>(
  items: readonly (Described<Published> & { readonly id: string })[],
  full: string,
): ValueInfo<Published> {
  const [id, key] = itemAndKey(full);
  const item = items.find((one) => one.id === id);
  const info = item && valueInfo(item, key);
  assert(info !== undefined, `${full}: no item declares this value`);
  return info;
}

/** The value of a full key; NaN where there is none. */
export function numberOf(
  results: Readonly<Record<string, { readonly values: Values }>>,
  full: string,
): number {
  const [item, key] = itemAndKey(full);
  return Number(results[item]?.values[key] ?? Number.NaN);
}
