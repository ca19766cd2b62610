/** Accesses per time window. */
import { UsageError } from "../../base/errors.ts";
import { formatCount } from "../../base/units.ts";
import { GrowingSums } from "./growing-sums.ts";
import type { WindowRow, WindowTable } from "./metrics.ts";
import { TimeColumns } from "./time-columns.ts";

const WINDOWS_MAX = 100_000;

export class Windows {
  /** Filled by the sweep. */
  readonly columns: TimeColumns;
  readonly #everyNs: number;
  readonly #last: number;
  readonly #accesses: Float64Array;
  readonly #read: GrowingSums;
  readonly #written: GrowingSums;
  readonly #blocks: GrowingSums;

  /** `lastStartNs` and `lastEndNs` are on the axis that begins with the first start. */
  constructor(everyNs: number, lastStartNs: number, lastEndNs: number) {
    // A start at the edge opens a new window; an end does not.
    const count = Math.max(Math.ceil(lastEndNs / everyNs), Math.floor(lastStartNs / everyNs) + 1);
    if (count > WINDOWS_MAX) {
      const least = Math.ceil(lastEndNs / WINDOWS_MAX / 1e6) / 1e3;
      throw new UsageError(
        `windows of ${everyNs / 1e9} s over ${Number((lastEndNs / 1e9).toPrecision(3))} s are ${formatCount(count)}, more than ${formatCount(WINDOWS_MAX)}: take --every ${least}s or more`,
      );
    }
    this.columns = new TimeColumns(count, (at) => at * everyNs);
    this.#everyNs = everyNs;
    this.#last = count - 1;
    this.#accesses = new Float64Array(count);
    this.#read = new GrowingSums(count);
    this.#written = new GrowingSums(count);
    this.#blocks = new GrowingSums(count);
  }

  /** `blocks` are those of the access when each is rounded up, else zero. */
  add(startNs: number, endNs: number, bytes: number, blocks: number, write: boolean): void {
    const [everyNs, lastColumn] = [this.#everyNs, this.#last];
    const first = Math.min(lastColumn, Math.floor(startNs / everyNs));
    this.#accesses[first]!++;
    const sums = write ? this.#written : this.#read;
    if (endNs <= (first + 1) * everyNs || first === lastColumn) {
      sums.add(first, bytes);
      this.#blocks.add(first, blocks);
      return;
    }
    const duration = endNs - startNs;
    let given = 0;
    let givenBlocks = 0;
    for (let column = first; ; column++) {
      const edge = (column + 1) * everyNs;
      const last = edge >= endNs || column === lastColumn;
      // Shares up to an edge are cut to whole bytes, so the differences are whole and sum up to all of it.
      const share = last ? 1 : (edge - startNs) / duration;
      const upTo = last ? bytes : Math.floor(bytes * share);
      const blocksUpTo = last ? blocks : Math.floor(blocks * share);
      sums.add(column, upTo - given);
      this.#blocks.add(column, blocksUpTo - givenBlocks);
      given = upTo;
      givenBlocks = blocksUpTo;
      if (last) return;
    }
  }

  table(blockBytes: number, ceilPerAccess: boolean): WindowTable {
    const { columns } = this;
    const rows: WindowRow[] = [];
    for (let at = 0; at <= this.#last; at++) {
      const readBytes = this.#read.total(at);
      const writtenBytes = this.#written.total(at);
      const bytes = readBytes + writtenBytes;
      const blocks = ceilPerAccess ? Number(this.#blocks.total(at)) : Number(bytes) / blockBytes;
      const accesses = this.#accesses[at] as number;
      const busyNs = columns.busyNs[at] as number;
      const ioTimeSeconds = busyNs / 1e9;
      rows.push({
        startSeconds: (at * this.#everyNs) / 1e9,
        ...{ accesses, bytes, readBytes, writtenBytes, blocks, ioTimeSeconds },
        bps: busyNs > 0 ? blocks / ioTimeSeconds : null,
        iops: busyNs > 0 ? accesses / ioTimeSeconds : null,
        meanConcurrency: busyNs > 0 ? (columns.accessNs[at] as number) / busyNs : null,
      });
    }
    return { everyNs: this.#everyNs, rows };
  }
}
