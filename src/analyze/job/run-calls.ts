/** The calls of one run as the job takes them: processes are ranks, files have ids, and calls that are alike come together. */
import { formatMany } from "../../base/units.ts";
import {
  CALL_COLLECTIVE,
  CALL_ERROR,
  CALL_LAYERS,
  CALL_NONFILE,
  type CallBlock,
  type CallClock,
  type CallFile,
  type CallProcess,
  type CallSink,
  MPIIO_LAYER,
  Operation,
  type SpanBlock,
  type StripeLayout,
} from "../../model/index.ts";
import { TIME_LIMIT_NS } from "../metric/index.ts";

export interface CalledFile {
  readonly fileId: bigint;
  readonly layout?: StripeLayout;
}

/** Calls [from, to) of some columns: one rank, one file, one layer, one operation. The arrays are valid only during the call. */
export interface CallStretch {
  readonly from: number;
  readonly to: number;
  readonly rank: number;
  readonly file: CalledFile;
  readonly layer: string;
  readonly operation: number;
  /** Only metadata calls: other failed calls are none of the job's. */
  readonly failed: boolean;
  /** Made by all ranks of the file together. */
  readonly collective: boolean;
  /** Nanoseconds to add to both times. */
  readonly shiftNs: number;
  /** No call starts before. */
  readonly earliestNs: number;
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** Moved by the call where that is known, else requested. */
  readonly bytes: Float64Array;
  /** NaN when not known; undefined when no offset is. */
  readonly offset: Float64Array | undefined;
}

/** How a run of a job numbers what its input names. */
export interface CallNaming {
  /** Nanoseconds from times of this clock to those of the job. */
  shiftNs(clock: CallClock): number;
  rankOf(process: CallProcess): number;
  fileOf(file: CallFile): CalledFile;
  /** What the input says of a process later; `rank` is what `rankOf` gave. */
  learn?(rank: number, facts: Pick<CallProcess, "rank" | "life">): void;
  /** No call starts before, on the clock of the input; 0 where times count from the start of the run. */
  readonly earliestNs: number;
}

interface StretchSink {
  stretch(stretch: CallStretch): void;
  /** No more calls of this rank will come from this input. */
  rankEnds(rank: number): void;
  /** Spans of the application; `ranks` has the rank of each process of the block. */
  spans?(block: SpanBlock, ranks: readonly number[], shiftNs: number): void;
  /** Where a process runs. */
  host?(name: string): void;
  tellsNoDirections?(): void;
}

export class RunCalls implements CallSink {
  readonly #naming: CallNaming;
  readonly #sink: StretchSink;
  readonly #ranks: number[] = [];
  readonly #files: CalledFile[] = [];
  #shiftNs = 0;
  #moved = new Float64Array(0);

  constructor(naming: CallNaming, sink: StretchSink) {
    this.#naming = naming;
    this.#sink = sink;
  }

  clock(clock: CallClock): void {
    this.#shiftNs = this.#naming.shiftNs(clock);
  }

  process(process: CallProcess): number {
    const { host } = process;
    if (host) this.#sink.host?.(host);
    return this.#ranks.push(this.#naming.rankOf(process)) - 1;
  }

  file(file: CallFile): number {
    return this.#files.push(this.#naming.fileOf(file)) - 1;
  }

  note(): void {}

  tellsNoDirections(): void {
    this.#sink.tellsNoDirections?.();
  }

  learn(process: number, facts: Pick<CallProcess, "rank" | "life">): void {
    this.#naming.learn?.(this.#ranks[process] as number, facts);
  }

  spans(block: SpanBlock): void {
    this.#sink.spans?.(block, this.#ranks, this.#shiftNs);
  }

  processEnds(process: number): void {
    this.#sink.rankEnds(this.#ranks[process] as number);
  }

  /** Reads and writes that failed, and calls on pipes and terminals, are none of the job's I/O. */
  block(block: CallBlock): void {
    const { count, process, file, operation, layer, flags, startNs, endNs, offset } = block;
    const bytes = this.#bytesOf(block);
    for (let from = 0; from < count; ) {
      const [ownProcess, ownFile] = [process[from] as number, file[from] as number];
      const [ownOperation, ownLayer] = [operation[from] as number, layer[from] as number];
      const ownFlags = flags[from] as number;
      let to = from + 1;
      while (
        to < count &&
        process[to] === ownProcess &&
        file[to] === ownFile &&
        operation[to] === ownOperation &&
        layer[to] === ownLayer &&
        flags[to] === ownFlags
      )
        to++;
      const isFailedTransfer = ownOperation <= Operation.write && (ownFlags & CALL_ERROR) !== 0;
      if (!isFailedTransfer && (ownFlags & CALL_NONFILE) === 0)
        this.#sink.stretch({
          earliestNs: this.#naming.earliestNs,
          ...{ from, to, operation: ownOperation, shiftNs: this.#shiftNs, startNs, endNs, bytes, offset },
          rank: this.#ranks[ownProcess] as number,
          file: this.#files[ownFile] as CalledFile,
          layer: CALL_LAYERS[ownLayer] as string,
          failed: (ownFlags & CALL_ERROR) !== 0,
          collective: (ownFlags & CALL_COLLECTIVE) !== 0,
        });
      from = to;
    }
  }

  /** A call of MPI-IO moves its bytes through calls below it, so what it requested counts. */
  #bytesOf({ count, bytes, movedBytes, layer }: CallBlock): Float64Array {
    if (movedBytes === undefined) return bytes;
    if (this.#moved.length < count) this.#moved = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      const moved = movedBytes[i] as number;
      this.#moved[i] = layer[i] !== MPIIO_LAYER && moved >= 0 ? moved : (bytes[i] as number);
    }
    return this.#moved;
  }
}

/** The reads or writes of a stretch that can be counted, on the clock of the job. Valid until the next `take`. */
export class SoundCalls {
  count = 0;
  /** Calls whose times or sizes make no sense. */
  dropped = 0;
  /** Whole. */
  startNs = new Float64Array(0);
  endNs = new Float64Array(0);
  bytes = new Float64Array(0);
  /** NaN when not known. */
  offset = new Float64Array(0);
  /** Of all these calls; 0 where no offset is known. */
  endOffset = 0;
  lastEndNs = 0;

  take(calls: CallStretch): void {
    const { from, to, shiftNs } = calls;
    this.#reach(to - from);
    const { startNs, endNs, bytes, offset } = this;
    let count = 0;
    let endOffset = 0;
    let lastEnd = 0;
    for (let i = from; i < to; i++) {
      if (!isSound(calls, i)) continue;
      const start = Math.round((calls.startNs[i] as number) + shiftNs);
      const end = Math.round((calls.endNs[i] as number) + shiftNs);
      if (!(start >= 0 && end < TIME_LIMIT_NS)) continue;
      const size = calls.bytes[i] as number;
      const place = offsetAt(calls, i);
      startNs[count] = start;
      endNs[count] = end;
      bytes[count] = size;
      offset[count++] = place;
      if (end > lastEnd) lastEnd = end;
      if (place + size > endOffset) endOffset = place + size;
    }
    this.dropped = to - from - count;
    this.count = count;
    this.endOffset = endOffset;
    this.lastEndNs = lastEnd;
  }

  #reach(count: number): void {
    if (count <= this.startNs.length) return;
    this.startNs = new Float64Array(count);
    this.endNs = new Float64Array(count);
    this.bytes = new Float64Array(count);
    this.offset = new Float64Array(count);
  }
}

const TEN_YEARS_NS = 3.2e17;

/** Whether a call can be counted: it ends after it starts, within ten years, and its size is known. */
export function isSound({ startNs, endNs, bytes, earliestNs }: CallStretch, i: number): boolean {
  const start = startNs[i] as number;
  const end = endNs[i] as number;
  const size = bytes[i] as number;
  return (
    start >= earliestNs && end >= start && end < TEN_YEARS_NS && size >= 0 && size <= Number.MAX_SAFE_INTEGER
  );
}

export const skippedCalls = (count: number) =>
  `Skipped ${formatMany(count, "call")} with an invalid time or size.`;

/** The offset of a call; NaN when it is not known or beyond what a double holds. */
export function offsetAt({ offset }: CallStretch, i: number): number {
  const value = offset?.[i] ?? Number.NaN;
  return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : Number.NaN;
}
