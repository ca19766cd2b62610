/** Finds and reads measurements: a sweep's folder, its sweep.json, the file of `plimsoll ncio -o`, or an unfinished sweep. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { FormatError, UsageError } from "../../base/errors.ts";
import type { NcioSweep } from "../../model/index.ts";
import { type PointReader, readJournal } from "./journal.ts";
import { layoutOf, type PointPlan, type SweepPlan, sweepPoints } from "./plan.ts";
import type { Measured } from "./measure.ts";
import { type SweepSetting, sweepPlan } from "./sweep-setting.ts";

interface Loaded {
  readonly sweep: NcioSweep;
  /** Points that the sweep still has to measure. */
  readonly missing: number;
  readonly path: string;
}

/** Readers that check untrusted input. */
interface SweepReaders {
  readonly point: PointReader;
  sweep(value: unknown, source: string): NcioSweep;
}

const SWEEP = "sweep.json";
export const JOURNAL = "journal.ndjson";
/** Larger than any sweep; avoids reading huge files of another kind into memory. */
const BYTES_MAX = 256 * 1024 * 1024;

/** The folder of a sweep is new, empty, or has an earlier sweep. */
export function checkSweepFolder(folder: string): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (names.length > 0 && !names.includes(JOURNAL))
    throw new UsageError(`${folder} exists and is not an earlier sweep; choose another with --output`);
}

export function loadSweep(path: string, readers: SweepReaders): Loaded {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`${path}: no such file or folder`);
  const names = found.isDirectory() ? [SWEEP, JOURNAL].map((name) => join(path, name)) : [path];
  const file = names.find((name) => existsSync(name));
  if (file === undefined)
    throw new UsageError(
      `${path}: no ${SWEEP} and no ${JOURNAL} found; give the folder of plimsoll ncio sweep`,
    );
  const { size } = statSync(file);
  if (size > BYTES_MAX) throw new FormatError(file, {}, `${size} bytes; sweeps have at most ${BYTES_MAX}`);
  return file.endsWith(".ndjson") ? unfinished(file, readers) : whole(file, readers);
}

function whole(path: string, readers: SweepReaders): Loaded {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FormatError(path, {}, "not JSON; expected sweep.json of plimsoll ncio sweep", { cause: error });
  }
  return { sweep: readers.sweep(value, path), missing: 0, path };
}

function unfinished(path: string, readers: SweepReaders): Loaded {
  const { head, points } = readJournal(path, readers.point);
  if (points.size === 0)
    throw new FormatError(path, {}, "no point measured yet; repeat the sweep command to continue");
  const { plan, planned } = planOf(path, head.setting);
  const { startedUnixMs } = head;
  const measured = { machine: "not recorded", startedUnixMs, points: [...points.values()] };
  return {
    sweep: sweepOf(plan, planned, measured),
    missing: Math.max(0, planned.length - points.size),
    path,
  };
}

/** What was measured of the planned points of a sweep. */
export function sweepOf(
  { variables, defaults }: SweepPlan,
  planned: readonly PointPlan[],
  { machine, startedUnixMs, points }: Pick<Measured, "machine" | "startedUnixMs" | "points">,
): NcioSweep {
  return {
    plimsoll: "ncio-sweep",
    version: 1,
    ...{ variables, defaults, machine, startedUnixMs },
    layout: layoutOf(planned),
    complete: points.length >= planned.length,
    points,
  };
}

/** The points planned by the run. */
function planOf(path: string, setting: unknown) {
  try {
    const plan = sweepPlan(setting as SweepSetting);
    return { plan, planned: sweepPoints(plan) };
  } catch (cause) {
    throw new FormatError(path, { line: 1 }, "its options are not those of plimsoll ncio sweep", { cause });
  }
}
