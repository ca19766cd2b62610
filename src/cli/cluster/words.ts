/** Parsed options of a command as words again, for tasks. */
import type { OptionSpecs } from "../command.ts";
import { camelCase } from "../parse.ts";

/** Options that differ from their default. */
export function optionWords(specs: OptionSpecs, options: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(specs).flatMap(([name, spec]) => {
    const value = options[camelCase(name)];
    if (value === undefined || value === spec.default) return [];
    if (spec.kind === "boolean")
      return value === true ? [`--${name}`] : spec.default === true ? [`--no-${name}`] : [];
    if (spec.kind === "list") return (value as readonly string[]).flatMap((one) => [`--${name}=${one}`]);
    return [`--${name}=${String(value)}`];
  });
}
