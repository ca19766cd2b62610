/** A machine as data: its targets, its limits, and the parameters of its storage with their origin. */

import { FormatError } from "../../../base/errors.ts";
import {
  PARAMETER_NAMES,
  PARAMETERS,
  type ParameterName,
  type StorageParameters,
  withDefaults,
} from "../storage/index.ts";

const MACHINE_KIND = "plimsoll machine";
/** Incremented when the meaning of a parameter changes. */
const MACHINE_VERSION = 1;

type Origin = "published" | "calibrated" | "assumed";

export interface Machine {
  readonly name: string;
  readonly title: string;
  readonly targets: number;
  /** Max targets of one shared file; all targets of the machine without a limit. */
  readonly targetsPerFile: number;
  readonly parameters: StorageParameters;
  /** Origin of each parameter's value; default: assumed. */
  readonly origins: Readonly<Partial<Record<ParameterName, Origin>>>;
  /** Quality of the fit, if the parameters were fitted. */
  readonly fit?: MachineFit | undefined;
}

interface MachineFit {
  readonly loss: number;
  readonly seed: number;
  readonly samples: number;
}

const FIELDS = [
  "kind",
  "version",
  "name",
  "title",
  "targets",
  "targetsPerFile",
  "parameters",
  "origins",
  "fit",
];
const ORIGINS: readonly string[] = ["published", "calibrated", "assumed"];

/** Reads a machine file (JSON). `source` names it in messages. */
export function readMachine(text: string, source: string): Machine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new FormatError(source, {}, `expected JSON: ${(error as Error).message}`);
  }
  return machineOf(value, source);
}

/** Checks what a machine file holds. */
export function machineOf(value: unknown, source: string): Machine {
  const fail = (detail: string): never => {
    throw new FormatError(source, {}, detail);
  };
  if (!isObject(value) || value.kind !== MACHINE_KIND)
    return fail(`expected a machine file: an object with "kind": "${MACHINE_KIND}"`);
  if (value.version !== MACHINE_VERSION)
    return fail(
      `parameter file of version ${String(value.version)}; this program reads version ${MACHINE_VERSION}`,
    );
  for (const field of Object.keys(value))
    if (!FIELDS.includes(field)) fail(`unknown field "${field}" (known: ${FIELDS.join(", ")})`);
  const { name, title = name, targets, targetsPerFile = targets } = value;
  if (typeof name !== "string" || name === "") return fail(`"name": expected a string`);
  if (typeof title !== "string") return fail(`"title": expected a string`);
  return {
    name,
    title,
    targets: wholeNumber(targets, "targets", fail),
    targetsPerFile: wholeNumber(targetsPerFile, "targetsPerFile", fail),
    parameters: parametersOf(value.parameters ?? {}, fail),
    origins: originsOf(value.origins ?? {}, fail),
    fit: value.fit === undefined ? undefined : fitOf(value.fit, fail),
  };
}

/** Checks a set of parameters by name and range; missing ones get default values. */
function parametersOf(value: unknown, fail: (detail: string) => never): StorageParameters {
  if (!isObject(value)) return fail(`"parameters": expected an object`);
  for (const [name, one] of Object.entries(value)) {
    refuseUnknown(name, fail);
    const { min, max, unit } = PARAMETERS[name as ParameterName];
    if (typeof one !== "number" || !(one >= min && one <= max))
      fail(
        `parameter "${name}": expected a number from ${min} to ${max}${unit === "" ? "" : ` ${unit}`}, found ${JSON.stringify(one)}`,
      );
  }
  return withDefaults(value as Partial<Record<ParameterName, number>>);
}

function originsOf(value: unknown, fail: (detail: string) => never): Machine["origins"] {
  if (!isObject(value)) return fail(`"origins": expected an object`);
  for (const [name, origin] of Object.entries(value)) {
    refuseUnknown(name, fail);
    if (!ORIGINS.includes(origin as string))
      fail(`origin of "${name}": expected one of ${ORIGINS.join(", ")}, found ${JSON.stringify(origin)}`);
  }
  return value as Machine["origins"];
}

function fitOf(value: unknown, fail: (detail: string) => never): MachineFit {
  if (!isObject(value)) return fail(`"fit": expected an object`);
  const { loss, seed, samples } = value;
  if (typeof loss !== "number" || typeof seed !== "number" || typeof samples !== "number")
    return fail(`"fit": expected the numbers loss, seed and samples`);
  return { loss, seed, samples };
}

function refuseUnknown(name: string, fail: (detail: string) => never): void {
  if (!PARAMETER_NAMES.includes(name as ParameterName))
    fail(`unknown parameter "${name}" (known: ${PARAMETER_NAMES.join(", ")})`);
}

function wholeNumber(value: unknown, field: string, fail: (detail: string) => never): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1) return value;
  return fail(`"${field}": expected a whole number from 1, found ${JSON.stringify(value) ?? "nothing"}`);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A machine with other parameters, for sweeps and searches. */
export const withParameters = (
  machine: Machine,
  changes: Readonly<Partial<Record<ParameterName, number>>>,
): Machine => ({ ...machine, parameters: { ...machine.parameters, ...changes }, fit: undefined });
