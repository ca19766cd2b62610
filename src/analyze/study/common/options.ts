/** Options of a study as data: their defaults, their limits, and the checks that all studies share. */
import { UsageError } from "../../../base/errors.ts";

export interface OptionInfo {
  readonly default: string | number | readonly string[];
  readonly choices?: readonly string[];
  readonly integer?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly bytes?: boolean;
  readonly valueName?: string;
  /** One line, lower case, no full stop. */
  readonly help: string;
}

type Range = Pick<OptionInfo, "min" | "max">;

/** One of several words; the first is the default. */
export const choice = <const Word extends string>(choices: readonly [Word, ...Word[]], help: string) => ({
  default: choices[0],
  choices,
  help,
});
export const text = (preset: string, valueName: string, help: string) => ({
  default: preset,
  valueName,
  help,
});
/** May be repeated. */
export const list = (preset: readonly string[], valueName: string, help: string) => ({
  default: preset,
  valueName,
  help,
});
export const number = (preset: number, help: string, range: Range = {}) => ({
  default: preset,
  help,
  ...range,
});
export const whole = (preset: number, help: string, range: Range = {}) => ({
  ...number(preset, help, range),
  integer: true,
});
export const bytes = (preset: number, help: string) => ({ ...number(preset, help, { min: 0 }), bytes: true });

/** The values of options: what their table says, so that nobody writes it twice. */
export type OptionsOf<Infos extends Readonly<Record<string, OptionInfo>>> = {
  readonly [Name in keyof Infos]: ValueOf<Infos[Name]>;
};

type ValueOf<Info extends OptionInfo> = Info extends { readonly choices: readonly string[] }
  ? Info["choices"][number]
  : Info["default"] extends number
    ? number
    : Info["default"] extends string
      ? string
      : readonly string[];

/** Of the confidence intervals, the same in every study. */
export const INTERVAL_OPTIONS = {
  replicates: whole(1000, "random draws per confidence interval", { min: 10, max: 100_000 }),
  level: number(0.95, "level of the confidence intervals", { min: 0.5, max: 0.999 }),
};

export const defaultsOf = <T>(infos: Readonly<Record<keyof T, OptionInfo>>): T =>
  Object.fromEntries(
    Object.entries<OptionInfo>(infos).map(([name, info]) => [name, info.default]),
  ) as unknown as T;

/** Choices and numbers; a bad one is a UsageError. `hint` tells more of a wrong choice. */
export function checkOptions<T>(
  infos: Readonly<Record<keyof T, OptionInfo>>,
  options: T,
  hint: (name: string, value: unknown) => string = () => "",
): void {
  for (const [name, info] of Object.entries<OptionInfo>(infos)) {
    const value: unknown = options[name as keyof T];
    if (info.choices && !info.choices.includes(value as string))
      throw new UsageError(
        `${name} ${String(value)}: not one of ${info.choices.join(", ")}${hint(name, value)}`,
      );
    if (typeof info.default === "number") checkNumber(name, info, value);
  }
}

function checkNumber(name: string, { integer, min, max }: OptionInfo, value: unknown): void {
  const fine =
    typeof value === "number" &&
    Number.isFinite(value) &&
    (!integer || Number.isSafeInteger(value)) &&
    (min === undefined || value >= min) &&
    (max === undefined || value <= max);
  const range = `${integer ? "a whole number" : "a number"}${min === undefined ? "" : ` from ${min}`}${max === undefined ? "" : ` to ${max}`}`;
  if (!fine) throw new UsageError(`${name} ${String(value)}: expected ${range}`);
}

/** Nothing is asked where it is empty: then the store says it. */
export function checkZone(zone: string): void {
  if (zone === "") return;
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
  } catch (cause) {
    throw new UsageError(`zone ${zone}: not a time zone such as UTC or America/Los_Angeles`, { cause });
  }
}

/** A size such as 100GB: letters are powers of 1000, or of 1024 with `iec`; with an i, as in 64GiB, always of 1024. */
export function sizeOf(name: string, text: string, units: "si" | "iec" = "si"): number {
  const match = /^(\d+(?:\.\d*)?|\.\d+)\s*(?:([KMGTPE])(i?)B?|B)?$/i.exec(text.trim());
  if (match === null) throw new UsageError(`${name} ${text}: expected a size such as 100GB, 1.5T or 64GiB`);
  const power = match[2] === undefined ? 0 : "KMGTPE".indexOf(match[2].toUpperCase()) + 1;
  const bytes = Math.round(Number(match[1]) * (match[3] || units === "iec" ? 1024 : 1000) ** power);
  if (!Number.isSafeInteger(bytes)) throw new UsageError(`${name} ${text}: more than 2^53 bytes`);
  return bytes;
}
