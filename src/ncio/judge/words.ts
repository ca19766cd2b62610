/** Patterns, factors and places in sentences. */
import { formatCount } from "../../base/units.ts";
import type { NcioCase, NcioVariable } from "../../model/index.ts";
import type { Crossover, Leaders } from "./crossover.ts";
import { methodName, VARIABLE_WORDS } from "./methods.ts";
import { factor } from "./ratio.ts";
import type { Regions } from "./series.ts";

export const timesText = (value: number): string => `${factor(value)}×`;

/** `4,096 regions of 8 B every 128 B`; without holes the spacing is omitted. */
export function regionsText({ count, size, spacing }: Regions, accessCase?: NcioCase): string {
  const every = accessCase === "c-c" ? "" : ` every ${formatCount(spacing)} B`;
  return `${formatCount(count)} regions of ${formatCount(size)} B${every}`;
}

export const whereText = (point: Regions & { readonly case: NcioCase }): string =>
  `${point.case}, ${regionsText(point, point.case)}`;

/** `16,384 regions`, `512 B spacing`. */
export function valueText(variable: NcioVariable, value: number): string {
  const rounded = value >= 100 ? Number(value.toPrecision(3)) : Number(value.toPrecision(2));
  const exact = Number.isInteger(value) ? value : rounded;
  return `${formatCount(exact)}${VARIABLE_WORDS[variable].unit || " regions"}`;
}

export function crossoverText(variable: NcioVariable, { from, to, at, between }: Crossover): string {
  const [low, high] = between;
  return `${methodName(from)} below and ${methodName(to)} above about ${valueText(variable, at)} (between ${valueText(variable, low)} and ${valueText(variable, high)})`;
}

/** `datatype I/O up to 16,384 regions, two phase from 32,768 regions on`. */
export function leadsText({ variable, leads, values }: Leaders): string {
  const [least, most] = [values[0] as number, values.at(-1) as number];
  const named = ({ method, ties }: Leaders["leads"][number]) =>
    ties.length === 0
      ? methodName(method)
      : `${[method, ...ties].map(methodName).join(" or ")} (no difference seen)`;
  if (leads.length === 1)
    return `${named(leads[0] as Leaders["leads"][number])} from ${valueText(variable, least)} to ${valueText(variable, most)}`;
  return leads
    .map((lead, i) => {
      if (i === 0) return `${named(lead)} up to ${valueText(variable, lead.last)}`;
      if (i === leads.length - 1) return `${named(lead)} from ${valueText(variable, lead.first)} on`;
      return lead.first === lead.last
        ? `${named(lead)} at ${valueText(variable, lead.first)}`
        : `${named(lead)} from ${valueText(variable, lead.first)} to ${valueText(variable, lead.last)}`;
    })
    .join(", ");
}
