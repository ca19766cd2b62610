/** The options of a study as the command line takes them. Bytes are text: in studies letters are powers of 1000. */
import type { OptionInfo } from "../../analyze/study/common/options.ts";
import { formatBytes } from "../../base/units.ts";
import type { OptionSpec } from "../command.ts";

export const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const optionSpecs = (
  options: Readonly<Record<string, OptionInfo>>,
): Readonly<Record<string, OptionSpec>> =>
  Object.fromEntries(Object.entries(options).map(([name, info]) => [kebab(name), specOf(info)]));

function specOf(info: OptionInfo): OptionSpec {
  const shown = Array.isArray(info.default)
    ? info.default.join(", ")
    : info.bytes
      ? formatBytes(Number(info.default))
      : String(info.default);
  const valueName = info.valueName === undefined ? {} : { valueName: info.valueName };
  const texts = { help: info.help, shownDefault: shown };
  if (info.choices) return { kind: "choice", choices: info.choices, ...texts };
  if (Array.isArray(info.default)) return { kind: "list", ...texts, ...valueName };
  if (info.bytes) return { kind: "string", valueName: "SIZE", ...texts };
  if (typeof info.default === "number")
    return {
      kind: "number",
      ...texts,
      ...(info.integer ? { integer: true } : {}),
      ...(info.min === undefined ? {} : { min: info.min }),
      ...(info.max === undefined ? {} : { max: info.max }),
    };
  return { kind: "string", ...texts, ...valueName };
}
