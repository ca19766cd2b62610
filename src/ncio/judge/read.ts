/** Reads sweeps and points from JSON, with checks: input is untrusted. */
import { FormatError } from "../../base/errors.ts";
import type { NcioPoint, NcioSweep, NcioVariable } from "../../model/index.ts";
import { CASE_ORDER, METHOD_ORDER, VARIABLE_ORDER } from "./methods.ts";

const BACKENDS = ["posix", "servers", "mpiio", "memory", "null"];

/** `sweep.json` of a sweep, or the points that `plimsoll ncio -o` keeps. `source` names the file in messages. */
export function readSweep(value: unknown, source: string): NcioSweep {
  const fail = (text: string): never => {
    throw new FormatError(source, {}, text);
  };
  if (!isRecord(value) || !Array.isArray(value.points))
    return fail("no points; expected sweep.json of plimsoll ncio sweep, or the file of plimsoll ncio -o");
  if (value.plimsoll !== undefined && value.plimsoll !== "ncio-sweep")
    fail(`a file of kind ${show(value.plimsoll)}; expected ncio-sweep`);
  if (value.version !== undefined && value.version !== 1)
    fail(`sweep of version ${show(value.version)}; this program reads version 1`);
  const points = value.points.map((point, i) => readPoint(point, source, `point ${i + 1}`));
  const [first] = points;
  if (first === undefined) return fail("no points; the run measured nothing");
  const text = (key: string) => (typeof value[key] === "string" ? value[key] : "not recorded");
  return {
    plimsoll: "ncio-sweep",
    version: 1,
    ...axesOf(value, points, fail),
    machine: text("machine"),
    startedUnixMs: typeof value.startedUnixMs === "number" ? value.startedUnixMs : Number.NaN,
    layout: text("layout"),
    complete: value.complete !== false,
    points,
  };
}

type Axes = Pick<NcioSweep, "variables" | "defaults">;

/** From the file; without a sweep from the points. */
function axesOf(
  value: Readonly<Record<string, unknown>>,
  points: readonly NcioPoint[],
  fail: (text: string) => never,
): Axes {
  const [first] = points as [NcioPoint];
  if (value.variables === undefined && value.defaults === undefined) {
    const { count, size, spacing } = first;
    return { variables: {}, defaults: { count, size, spacing } };
  }
  const { variables, defaults } = value;
  if (!isRecord(variables)) return fail(`variables is ${show(variables)}; expected an object`);
  if (!isRecord(defaults)) return fail(`defaults is ${show(defaults)}; expected an object`);
  const found: Partial<Record<NcioVariable, number[]>> = {};
  for (const variable of VARIABLE_ORDER) {
    const list = variables[variable];
    if (list === undefined) continue;
    if (!Array.isArray(list) || !list.every(isPositive))
      return fail(`variables.${variable} is ${show(list)}; expected numbers above 0`);
    found[variable] = [...new Set(list as number[])].sort((a, b) => a - b);
  }
  const { count, size, spacing } = defaults;
  if (!isPositive(count) || !isPositive(size) || !isPositive(spacing))
    return fail("defaults need count, size and spacing, each above 0");
  return { variables: found, defaults: { count, size, spacing } };
}

type Check = readonly [what: string, test: (value: unknown) => boolean];

const isPositive = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value > 0;
const isAmount = (value: unknown): boolean =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;

const POSITIVE: Check = ["a number above 0", isPositive];
const AMOUNT: Check = ["a number from 0 on", isAmount];
const KNOWN_OR_NULL: Check = ["a number from 0 on, or null", (value) => value === null || isAmount(value)];
const TEXT: Check = ["text", (value) => typeof value === "string"];
const oneOf = (choices: readonly string[]): Check => [
  `one of ${choices.join(", ")}`,
  (value) => choices.includes(value as string),
];

const FIELDS: Readonly<
  Record<Exclude<keyof NcioPoint, "servers" | "lateSeconds" | "punctualSeconds" | "modes">, Check>
> = {
  method: oneOf(METHOD_ORDER),
  case: oneOf(CASE_ORDER),
  direction: oneOf(["write", "read"]),
  pattern: TEXT,
  count: POSITIVE,
  size: POSITIVE,
  spacing: POSITIVE,
  ranks: POSITIVE,
  backend: oneOf(BACKENDS),
  launch: TEXT,
  requests: KNOWN_OR_NULL,
  messages: KNOWN_OR_NULL,
  expectedRequests: KNOWN_OR_NULL,
  expectedMessages: KNOWN_OR_NULL,
  bytes: POSITIVE,
  movedBytes: KNOWN_OR_NULL,
  bandwidthBytesPerSecond: POSITIVE,
  bandwidthWithoutSyncBytesPerSecond: POSITIVE,
  seconds: POSITIVE,
  syncSeconds: AMOUNT,
  spread: [
    "an object with low, high and relative, low above 0 and high not below it",
    (value) =>
      isRecord(value) &&
      isPositive(value.low) &&
      isPositive(value.high) &&
      value.high >= value.low &&
      isAmount(value.relative),
  ],
  repeats: POSITIVE,
  warmUps: AMOUNT,
  bps: AMOUNT,
  iops: AMOUNT,
  arptSeconds: AMOUNT,
  verified: ["true or false", (value) => typeof value === "boolean"],
  notes: [
    "a list of texts",
    (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  ],
};

/** Fields of some points only. */
const OPTIONAL: Readonly<Record<string, Check>> = {
  servers: POSITIVE,
  lateSeconds: POSITIVE,
  punctualSeconds: POSITIVE,
  modes: [
    "a list of texts",
    (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  ],
};

export function readPoint(value: unknown, source: string, where: string, line?: number): NcioPoint {
  const place = line === undefined ? {} : { line };
  if (!isRecord(value))
    throw new FormatError(source, place, `${where} is ${show(value)}; expected an object`);
  for (const [name, [what, test]] of Object.entries(FIELDS))
    if (!test(value[name]))
      throw new FormatError(source, place, `${where}: ${name} is ${show(value[name])}; expected ${what}`);
  for (const [name, [what, test]] of Object.entries(OPTIONAL))
    if (value[name] !== undefined && !test(value[name]))
      throw new FormatError(source, place, `${where}: ${name} is ${show(value[name])}; expected ${what}`);
  return value as unknown as NcioPoint;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Shortened: values can be of any size. */
function show(value: unknown): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}
