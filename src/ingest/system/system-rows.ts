/** Differences of counters as rows: from a tracker, and from segments that a collector wrote. */
import { type CounterTable, type Deltas, targetIndex, DeltaReason } from "../../formats/lustre/index.ts";
import type { CounterGrowth } from "../../formats/samples/index.ts";
import type { RowSink } from "../../model/index.ts";
import type { ImportSetting } from "../input-format.ts";
import { count, type IngestNotes } from "../notes.ts";
import { CounterSlots, METADATA_SLOT, NO_SLOT, slotsOf } from "./counter-slots.ts";
import { DifferenceRows } from "./difference-rows.ts";
import { type Identify, JobIds } from "./job-ids.ts";
import { ReadingRows, type TargetFile } from "./reading-rows.ts";
import { StateRows } from "./state-rows.ts";

/** Which of several reasons in one row is told, the first first. */
const RANKS: readonly number[] = [
  DeltaReason.RESET,
  DeltaReason.RESTARTED,
  DeltaReason.BEGUN,
  DeltaReason.PASSED_END,
  DeltaReason.SUSPECT,
  DeltaReason.GROWN,
];
const RANK_OF = Uint8Array.from(DeltaReason.WHY_NAMES, (_, code) => RANKS.indexOf(code));
const PLAIN = RANKS.indexOf(DeltaReason.GROWN);
/** Of rows that are of no job. */
const NO_KEY = new Uint32Array(2);

/** `lustre1-OST0007` as file system and target; undefined when it is neither OST nor MDT. */
export function targetFile(name: string, kind: string, server: string | null): TargetFile | undefined {
  if (targetIndex(name) === undefined) return undefined;
  const dash = name.lastIndexOf("-");
  return { fileSystem: name.slice(0, Math.max(dash, 0)), target: name.slice(dash + 1), kind, server };
}

const roleOf = ({ target }: TargetFile) => (target.startsWith("MDT") ? "MDT" : "OST");

type RowSetting = Pick<ImportSetting, "notes" | "coverage" | "origin">;

export class SystemRows {
  readonly minutes = new DifferenceRows({ withJobs: true });
  readonly targets = new DifferenceRows({ withJobs: false });
  readonly readings: ReadingRows;
  readonly states: StateRows;
  readonly #notes: IngestNotes;
  readonly #printedIds: JobIds;
  readonly #plainIds: JobIds;
  readonly #slots = { OST: new CounterSlots("OST"), MDT: new CounterSlots("MDT") };
  #table: CounterTable | undefined;
  readonly #words = new BigUint64Array(2);
  readonly #wordHalves = new Uint32Array(this.#words.buffer);

  constructor({ notes, coverage, origin }: RowSetting, identify: Identify) {
    this.#notes = notes;
    this.#printedIds = new JobIds({ escaped: true, identify });
    this.#plainIds = new JobIds({ escaped: false, identify });
    this.readings = new ReadingRows(coverage, origin);
    this.states = new StateRows(origin);
  }

  get rows(): number {
    return this.minutes.rows + this.targets.rows + this.states.rows;
  }

  /** Takes what a tracker found between two readings of a file. */
  takeDeltas(file: TargetFile, deltas: Deltas, fromNs: bigint): void {
    const { reading, toNs, gap, changed } = deltas;
    const slots = this.#slotsFor(file, reading.table);
    const isJobs = file.kind === "job_stats";
    const into = isJobs ? this.minutes : this.targets;
    into.begin(file, fromNs, toNs);
    const dropped = new Map<number, number>();
    for (let from = 0; from < changed.count; ) {
      const row = changed.row[from] as number;
      let to = from;
      let rank = PLAIN;
      let any = false;
      for (; to < changed.count && changed.row[to] === row; to++) {
        const column = changed.column[to] as number;
        const sum = slots.sum[column] as number;
        const samples = slots.samples[column] as number;
        const isMetadata = slots.metadata[column] === 1;
        if (sum === NO_SLOT && samples === NO_SLOT && !isMetadata) {
          dropped.set(column, (dropped.get(column) ?? 0) + 1);
          continue;
        }
        any = true;
        if (sum !== NO_SLOT) into.add(sum, changed.sumHalves, to);
        if (samples !== NO_SLOT) into.add(samples, changed.samplesHalves, to);
        if (isMetadata) into.add(METADATA_SLOT, changed.samplesHalves, to);
        const own = RANK_OF[changed.why[to] as number] as number;
        if (own < rank) rank = own;
      }
      from = to;
      if (!any) continue;
      for (let entry = reading.entryFrom[row] as number; entry < (reading.entryTo[row] as number); entry++) {
        const column = reading.column[entry] as number;
        const sum = slots.sum[column] as number;
        const samples = slots.samples[column] as number;
        if (sum !== NO_SLOT) into.present(sum);
        if (samples !== NO_SLOT) into.present(samples);
        if (slots.metadata[column] === 1) into.present(METADATA_SLOT);
      }
      const reason = deltaReason(rank, gap);
      if (isJobs) {
        const id = this.#printedIds.find(
          reading.ids,
          reading.idFrom[row] as number,
          reading.idTo[row] as number,
          reading.idHash[row] as number,
        );
        const { keyHalves } = this.#printedIds;
        into.end(this.#printedIds.job(id), keyHalves, id, reason);
      } else into.end(undefined, NO_KEY, 0, reason);
    }
    let left = 0;
    for (const [column, times] of dropped) {
      count(this.#notes.dropped, counterName(reading.table, column), times);
      left += times;
    }
    this.readings.add(file, fromNs, toNs, gap, left);
  }

  /** One line of a segment, as one row; gives the number of differences that no table has. `id`: of a job. */
  takeGrowths(
    file: TargetFile,
    id: Uint8Array | undefined,
    growths: readonly CounterGrowth[],
    gap: boolean,
  ): number {
    const into = id === undefined ? this.targets : this.minutes;
    let rank = PLAIN;
    let [any, left] = [false, 0];
    for (const { name, unit, samples, sum, why: reason } of growths) {
      const slots = slotsOf(name, unit, roleOf(file));
      if (slots === undefined) {
        count(this.#notes.dropped, unit === "" ? name : `${name} [${unit}]`);
        left++;
        continue;
      }
      any = true;
      this.#words[0] = samples;
      this.#words[1] = sum;
      if (slots.sum !== NO_SLOT) into.add(slots.sum, this.#wordHalves, 1);
      if (slots.samples !== NO_SLOT) into.add(slots.samples, this.#wordHalves, 0);
      if (slots.metadata) into.add(METADATA_SLOT, this.#wordHalves, 0);
      rank = Math.min(rank, RANK_OF[DeltaReason.WHY_NAMES.indexOf(reason)] as number);
    }
    if (!any) return left;
    const reason = deltaReason(rank, gap);
    if (id === undefined) into.end(undefined, NO_KEY, 0, reason);
    else {
      const number = this.#plainIds.find(id, 0, id.length);
      const ids = this.#plainIds;
      into.end(ids.job(number), ids.keyHalves, number, reason);
    }
    return left;
  }

  #slotsFor(file: TargetFile, table: CounterTable): CounterSlots {
    if (this.#table !== table) {
      this.#table = table;
      this.#slots.OST = new CounterSlots("OST");
      this.#slots.MDT = new CounterSlots("MDT");
    }
    const slots = this.#slots[roleOf(file)];
    slots.follow(table);
    return slots;
  }

  async flush(sink: RowSink): Promise<void> {
    count(this.#notes.counts, "minuteRows", this.minutes.rows);
    count(this.#notes.counts, "targetRows", this.targets.rows);
    count(this.#notes.counts, "stateRows", this.states.rows);
    await this.states.flush(sink);
    for (const rows of [this.minutes, this.targets]) {
      await rows.flush(sink);
      count(this.#notes.counts, "tooLarge", rows.tooLarge);
      rows.tooLarge = 0;
    }
  }
}

function deltaReason(rank: number, gap: boolean): string | null {
  if (rank !== PLAIN) return DeltaReason.WHY_NAMES[RANKS[rank] as number] as string;
  return gap ? "gap" : null;
}

function counterName({ names, units }: CounterTable, column: number): string {
  const unit = units[column] as string;
  return unit === "" ? (names[column] as string) : `${names[column]} [${unit}]`;
}
