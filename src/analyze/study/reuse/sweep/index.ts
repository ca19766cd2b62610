/**
 * One pass over the accesses of the selected files that answers all that is asked of them. They are read once, put side by
 * side by file, and gone through file by file. What does not fit in the memory given is read in several passes, some
 * files at a time.
 */
import { withRoom } from "../../../../base/room.ts";
import type { Queryable, RawColumn } from "../../../../model/index.ts";
import { noLayouts } from "../layout-texts.ts";
import type { ReuseOptions } from "../options.ts";
import { ClassTypes, type FileClasses } from "./class-types.ts";
import type { Pages } from "./column.ts";
import { Hours } from "./hours.ts";
import { Layers } from "./layers.ts";
import { Layouts } from "./layouts.ts";
import { type AccessSql, accessSql, runSql } from "./query.ts";
import { Facts, Moved, Names, READ_KNOWN, readRecords, wordsPerRow, WRITTEN_KNOWN } from "./records.ts";
import { plainRunRows, RUN_STRIDE, type RunRows, runRows, SpilledRuns } from "./run-rows.ts";
import { Runs, type RunsState } from "./runs.ts";
import { Sequences } from "./sequences.ts";
import { Sharing } from "./sharing.ts";
import { Spreads } from "./spreads.ts";

export interface ScanResult {
  readonly accesses: number;
  readonly facts: Facts;
  readonly names: Names;
  readonly sequences: Sequences;
  readonly spreads: Spreads;
  readonly sharing: Sharing;
  readonly hours: Hours;
  readonly layouts: Layouts;
  readonly layers: Layers;
  readonly types: ClassTypes;
  /** Another thread may still group them. */
  readonly runs: Promise<Runs>;
}

type FileScanResult = Omit<ScanResult, "runs">;

interface Sweep extends AccessSql {
  readonly db: Queryable;
  /** Accesses of each selected file, by its number. */
  readonly counts: Uint32Array;
  readonly classes: FileClasses;
  /** Local hour of a time of two words. */
  readonly hour: (low: number, high: number) => number;
  /** All accesses of the store, selected or not. */
  readonly allAccesses: number;
  /** What the accesses that are held at a time may take. */
  readonly bytes: number;
  /** Where what is known of each file is kept, where there are more of them than memory is for. */
  readonly pages?: Pages | undefined;
  /** Files whose pairs of file and hour are kept, for intervals. */
  readonly kept: (file: number) => boolean;
  readonly groupRuns?: GroupRuns | undefined;
  /** Called when much memory can be given back. */
  readonly collect?: (() => void) | undefined;
}

/** Groups accesses by run beside this thread, as `groupedRuns` does. Their words are shared memory. */
export type GroupRuns = (work: RunsWork) => Promise<RunsState>;

export interface RunsWork {
  readonly rows: RunRows;
  readonly oneSided: number;
}

export const groupedRuns = (work: RunsWork): RunsState => runsOf(work).state;

function runsOf({ rows, oneSided }: RunsWork): Runs {
  const grouped = (kept?: number) => {
    const runs = new Runs(oneSided, kept);
    runs.add(rows);
    return runs;
  };
  const runs = grouped();
  return runs.medians === undefined ? grouped(rows.rows) : runs;
}

/** Places in the records of a part have to fit in 31 bits. */
const PART_MOST = 4 * 1024 ** 3;
/** What a file costs beside its accesses: its places in the tables of a part. */
const BYTES_PER_FILE = 96;

export async function sweep(given: Sweep): Promise<ScanResult> {
  const { options, counts, pages } = given;
  const names = new Names(await noLayouts(given.db));
  const withIdle = options.metadataOnly === "include";
  const { ddof, minRunsPerCell } = options;
  const scan: FileScanResult = {
    accesses: counts.reduce((sum, count) => sum + count, 0),
    facts: new Facts(),
    names,
    sequences: new Sequences(options.gap === "end-start", pages),
    spreads: new Spreads({ ddof, withIdle, perType: options.covRuns === "per-type" }, pages),
    sharing: new Sharing(
      names,
      {
        withIdle,
        perUser: options.application === "exe-uid",
        handovers: options.applicationGap === "different",
      },
      pages,
    ),
    hours: new Hours(
      {
        ddof,
        withIdle,
        minRunsPerCell,
        medians: options.hourStatistic === "median",
        kept: given.kept,
      },
      pages,
    ),
    layouts: new Layouts(names, pages),
    layers: new Layers(pages),
    types: new ClassTypes(),
  };
  const stride = wordsPerRow(options.gap === "end-start");
  const parts = partsOf(counts, Math.min(given.bytes, PART_MOST), 4 * stride);
  const runsHere = parts.length === 1 && options.runBytes === "selected";
  const rows = options.runBytes === "all" ? given.allAccesses : scan.accesses;
  const slices = Math.max(1, Math.ceil((rows * RUN_STRIDE * 4 * 2) / given.bytes));
  const spill = runsHere || options.runBytes === "all" ? undefined : given.db.spill?.();
  const spilled = spill && new SpilledRuns(spill, slices);
  let grouping: Grouping | undefined;
  for (const [from, to] of parts)
    grouping = await sweepPart(given, scan, { from, to, stride, runsHere, spilled });
  scan.sequences.end(counts.length);
  scan.sharing.end(counts.length);
  const runs =
    grouping?.runs ??
    Promise.resolve(
      await sweepRuns(
        options.oneSided,
        rows,
        spilled?.slices ?? slices,
        async (slice, of) => spilled?.slice(slice) ?? readRuns(given.db, options, slice, of),
      ),
    );
  // Its failure is told to who waits for it.
  runs.catch(() => {});
  return { ...scan, runs };
}

/** Files in parts that fit: [from, to). A file that does not fit at all is a part of its own. */
function partsOf(counts: Uint32Array, bytes: number, perAccess: number): [from: number, to: number][] {
  const parts: [number, number][] = [];
  let [from, used] = [0, 0];
  for (let file = 0; file < counts.length; file++) {
    const need = (counts[file] as number) * perAccess + BYTES_PER_FILE;
    if (used + need > bytes && file > from) {
      parts.push([from, file]);
      [from, used] = [file, 0];
    }
    used += need;
  }
  if (counts.length > from) parts.push([from, counts.length]);
  return parts;
}

interface Part {
  readonly from: number;
  readonly to: number;
  readonly stride: number;
  readonly runsHere: boolean;
  /** Where accesses wait until those of all parts can be grouped by run. */
  readonly spilled: SpilledRuns | undefined;
}

/** Runs that are being grouped; a promise that is returned as it is would be waited for. */
interface Grouping {
  readonly runs: Promise<Runs>;
}

/** Gives the runs when they can be told from this part alone. */
async function sweepPart(
  given: Sweep,
  scan: FileScanResult,
  { from, to, stride, runsHere, spilled }: Part,
): Promise<Grouping | undefined> {
  const { names, facts, layers, sequences, spreads, sharing, hours, layouts, types } = scan;
  layers.begin(to - from);
  const records = await readRecords({
    db: given.db,
    sql: accessSql(given, from, to),
    counts: given.counts.subarray(from, to),
    stride,
    names,
    facts,
    layers,
    hour: given.hour,
    shared: runsHere && given.groupRuns !== undefined,
  });
  // Of what was read piece by piece; what follows takes room of its own.
  given.collect?.();
  const work = { rows: runRows(records), oneSided: given.options.oneSided };
  const beside = runsHere ? given.groupRuns?.(work) : undefined;
  beside?.catch(() => {});
  spilled?.add(work.rows);
  layers.end(from);
  sharing.begin();
  layouts.begin();
  const moved = new Moved();
  for (let i = 0; i < to - from; i++) {
    const [first, last] = [records.starts[i] as number, records.starts[i + 1] as number];
    const file = from + i;
    const bytes = moved.of(records, first, last);
    sequences.add(file, records, first, last);
    const longest = spreads.add(file, records, first, last, bytes);
    hours.add(file, records, first, last, bytes, longest);
    sharing.add(file, records, first, last, bytes);
    layouts.add(file, records, first, last, bytes, records.widths[i] as number);
    types.add(given.classes[file] as number, records, first, last, bytes);
  }
  if (!runsHere) return undefined;
  return { runs: beside?.then((state) => Runs.of(work.oneSided, state)) ?? Promise.resolve(runsOf(work)) };
}

/** Runs whose accesses lie in several parts, or beyond the selected files: some runs at a time. */
async function sweepRuns(
  oneSided: number,
  rows: number,
  slices: number,
  read: (slice: number, of: number) => Promise<RunRows>,
): Promise<Runs> {
  const grouped = async (kept?: number) => {
    const runs = new Runs(oneSided, kept);
    for (let slice = 0; slice < slices; slice++) runs.add(await read(slice, slices));
    return runs;
  };
  const runs = await grouped();
  return runs.medians === undefined ? grouped(rows) : runs;
}

async function readRuns(db: Queryable, options: ReuseOptions, slice: number, of: number): Promise<RunRows> {
  let words = new Uint32Array(RUN_STRIDE * 65_536);
  let rows = 0;
  const all = db.part?.("run_rows");
  await db.scan(runSql(options, slice, of, all), (count: number, columns: readonly RawColumn[]) => {
    const [run, read, written, flags] = columns as [RawColumn, RawColumn, RawColumn, RawColumn];
    if ((rows + count) * RUN_STRIDE > words.length) words = withRoom(words, words.length * 2);
    for (let i = 0; i < count; i++) {
      const at = (rows + i) * RUN_STRIDE;
      const high = 2 * i + 1;
      words[at] = run[high - 1] as number;
      words[at + 1] = run[high] as number;
      words[at + 2] = read[high - 1] as number;
      words[at + 3] = read[high] as number;
      words[at + 4] = written[high - 1] as number;
      words[at + 5] = written[high] as number;
      words[at + 6] =
        (flags[i] as number) |
        ((read[high] as number) < 0x80000000 ? READ_KNOWN : 0) |
        ((written[high] as number) < 0x80000000 ? WRITTEN_KNOWN : 0);
    }
    rows += count;
  });
  return plainRunRows(words, rows);
}
export { type FileClasses, NO_CLASS } from "./class-types.ts";
export { type Column, eachPage, Pages } from "./column.ts";
export type { Layers } from "./layers.ts";
export { completeSql } from "./query.ts";
export { BALANCED_TYPE, LAYER_NAMES, READ_TYPE, WRITE_TYPE } from "./records.ts";
export type { Runs, RunsState } from "./runs.ts";
export { Codes, WordSums } from "./words.ts";
