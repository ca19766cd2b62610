/** Finds and reads what was measured: a sweep's folder, its sweep.json, the file of `plimsoll ncio -o`, or an unfinished sweep. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readPoint, readSweep } from "../../ncio/judge/index.ts";
import { FormatError, UsageError } from "../../base/errors.ts";
import type { NcioPoint, NcioSweep } from "../../model/index.ts";
import { PAPER_DEFAULTS, sweepPoints } from "../../ncio/run/plan.ts";
import { patternOf } from "../../ncio/pattern/index.ts";
import { type Common, casesOf, directionsOf, methodsOf } from "./options.ts";
import { variablesOf } from "./sweep.ts";

export interface Loaded {
  readonly sweep: NcioSweep;
  /** Points that the sweep still has to measure. */
  readonly missing: number;
  readonly path: string;
}

const SWEEP = "sweep.json";
const JOURNAL = "journal.ndjson";

export function loadSweep(path: string): Loaded {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`${path}: there is no such file or folder`);
  if (!found.isDirectory()) return path.endsWith(".ndjson") ? readJournal(path) : readWhole(path);
  if (existsSync(join(path, SWEEP))) return readWhole(join(path, SWEEP));
  if (existsSync(join(path, JOURNAL))) return readJournal(join(path, JOURNAL));
  throw new UsageError(
    `${path}: no ${SWEEP} and no ${JOURNAL} found; give the folder of plimsoll ncio sweep`,
  );
}

/** Larger than any sweep; a file of another kind is not read into memory for nothing. */
const BYTES_MAX = 256 * 1024 * 1024;

function textOf(path: string): string {
  const { size } = statSync(path);
  if (size > BYTES_MAX)
    throw new FormatError(path, {}, `${size} bytes; no sweep is larger than ${BYTES_MAX}`);
  return readFileSync(path, "utf8");
}

function readWhole(path: string): Loaded {
  let value: unknown;
  try {
    value = JSON.parse(textOf(path));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FormatError(path, {}, "not JSON; expected sweep.json of plimsoll ncio sweep", { cause: error });
  }
  return { sweep: readSweep(value, path), missing: 0, path };
}

type Setting = Common & { readonly vary: string; readonly maxCount?: number };

/** A truncated last line is a missing point. */
function readJournal(path: string): Loaded {
  const text = textOf(path);
  const lines = text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "");
  const parsed = lines.map((line, i) => parse(path, i + 1, line));
  const [head, ...rest] = parsed;
  if (head?.plimsoll !== "ncio-journal" || head.version !== 1)
    throw new FormatError(path, { line: 1 }, "not a journal of plimsoll ncio sweep");
  const points = new Map<string, NcioPoint>();
  for (const [i, { key, point }] of rest.entries())
    points.set(String(key), readPoint(point, path, "point", i + 2));
  if (points.size === 0)
    throw new FormatError(path, {}, "no point measured yet; repeat the sweep command to continue");
  const setting = settingOf(path, head.setting);
  const sweep: NcioSweep = {
    ...setting.axes,
    plimsoll: "ncio-sweep",
    version: 1,
    machine: "not recorded",
    startedUnixMs: typeof head.startedUnixMs === "number" ? head.startedUnixMs : Number.NaN,
    layout: setting.layout,
    complete: points.size >= setting.planned,
    points: [...points.values()],
  };
  return { sweep, missing: Math.max(0, setting.planned - points.size), path };
}

/** The options of the run, as its journal keeps them, to know what it was going to measure. */
function settingOf(path: string, value: unknown) {
  try {
    const setting = value as Setting;
    const { count, size, spacing } = { ...PAPER_DEFAULTS, ...setting };
    const variables = variablesOf(setting.vary, setting.maxCount);
    const defaults = { count, size, spacing };
    const planned = sweepPoints({
      variables,
      defaults,
      cases: casesOf(setting),
      methods: methodsOf(setting),
      directions: directionsOf(setting),
      ranks: setting.ranks,
    });
    const { layout } = patternOf((planned[0] as (typeof planned)[number]).pattern);
    return { axes: { variables, defaults }, planned: planned.length, layout };
  } catch (error) {
    throw new FormatError(path, { line: 1 }, "its options are not those of plimsoll ncio sweep", {
      cause: error,
    });
  }
}

function parse(path: string, line: number, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Said below, as for what is JSON and no object.
  }
  throw new FormatError(path, { line }, "not a line of a journal of plimsoll ncio sweep");
}
