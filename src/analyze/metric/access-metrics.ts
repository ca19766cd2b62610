/**
 * BPS and the metrics it is compared with, over accesses: C02, C03 and C04 of study C (He, Sun and Yin, "BPS: A
 * Performance Metric of I/O System", IPDPSW 2013).
 *
 *   T      seconds with an access under way: union of all [start, end], over all processes
 *   BPS    blocks that the application asked for / T
 *   IOPS   accesses / T
 *   BW     bytes that the file system moved / T
 *   ARPT   mean of end - start
 *
 * Layers nest: one MPI-IO call makes POSIX calls. Over rows of several layers the same data counts twice, so name
 * the layer that the application calls in `layer`, and the one below in `movedLayer` for its bytes. T is that of
 * the calling layer for both; with a T of their own, the costs above the lower layer would vanish from BW.
 */
import { assert } from "../../base/assert.ts";
import { UsageError } from "../../base/errors.ts";
import { isInterval, unionLengthOfPairs } from "../../base/intervals.ts";
import { allocateWords, LOW, unsignedNumber } from "../../base/words.ts";
import { ops } from "../../model/schema.ts";
import type { ColumnData, Table } from "../../model/tables.ts";
import { ratesOf } from "./rates.ts";

export const ACCESS_METRICS_DEFINITIONS = ["C02@1", "C03@1", "C04@1"] as const;

/** Whole numbers of bytes. Negative, fractional, NaN or `MISSING_I64`: not known. */
export type Amounts = BigInt64Array | Float64Array | readonly number[];
type Times = Float64Array | readonly number[];
type Texts = readonly (string | null)[];

/** One entry per access in each; columns of the table `ops`, or plain arrays. Times are on one clock. */
export interface AccessColumns {
  readonly startNs: Times;
  readonly endNs: Times;
  /** Asked for by the application, whether or not the access succeeded. */
  readonly bytes: Amounts;
  readonly movedBytes?: Amounts;
  readonly layer?: Texts;
  readonly direction?: Texts;
  readonly fileId?: BigUint64Array | readonly bigint[];
}

export interface AccessMetricsOptions {
  /** Bytes of a block; 512 as in the paper. */
  readonly blockBytes?: number;
  /** Round each access up to whole blocks, as records of the paper do; else blocks are bytes / blockBytes. */
  readonly ceilPerAccess?: boolean;
  /** For IOPS over the execution time instead of T, which the published pairs of set 2 fit. */
  readonly executionSeconds?: number;
  /** Count only accesses of this layer. */
  readonly layer?: string;
  /** Moved bytes are those of the accesses of this layer: their moved bytes, else what they asked for. */
  readonly movedLayer?: string;
  readonly groupBy?: "layer" | "direction" | "file";
}

export interface AccessMetrics {
  /** All there were: accesses + innerAccesses + what was dropped. */
  readonly rows: number;
  readonly accesses: number;
  /** Rows of `movedLayer`, which give moved bytes only. */
  readonly innerAccesses: number;
  readonly bytes: bigint;
  /** Null when it is not known of some access. */
  readonly movedBytes: bigint | null;
  /** Exact below 2^53 blocks. */
  readonly blocks: number;
  /** T, with overlap counted once and idle time not at all. */
  readonly ioTimeSeconds: number;
  /** Blocks per second. */
  readonly bps: number | null;
  readonly iops: number | null;
  readonly bandwidthBytesPerSecond: number | null;
  /** Which bytes the bandwidth is of; `requested` when the moved ones are not known. */
  readonly bandwidthOf: "moved" | "inner layer" | "requested";
  readonly arptSeconds: number | null;
  readonly dropped: {
    /** Ends before it starts, or a time is missing. */
    readonly interval: number;
    /** Size missing or negative. */
    readonly bytes: number;
    /** Neither of `layer` nor of `movedLayer`. */
    readonly otherLayer: number;
  };
}

export interface AccessMetricsResult {
  readonly definitions: typeof ACCESS_METRICS_DEFINITIONS;
  /** As used, with defaults filled in. */
  readonly options: AccessMetricsOptions;
  /** Layers of the counted accesses. When there are several, `overall` may count the same data twice. */
  readonly layers: readonly string[];
  readonly overall: AccessMetrics;
  /** In order of appearance; none without `groupBy`. A row without a layer or direction has the key null. */
  readonly groups: readonly { readonly key: string | bigint | null; readonly metrics: AccessMetrics }[];
}

/** The metrics over all accesses, and over each layer, direction or file. */
export function accessMetrics(
  columns: AccessColumns,
  options: AccessMetricsOptions = {},
): AccessMetricsResult {
  const used = withDefaults(options);
  checkOptions(columns, used);
  const rows = rowsOf(columns, used);
  const { groupBy } = used;
  const [overall] = measure(rows, { keys: [null], groupOf: () => 0 }, used);
  const grouping = groupBy === undefined ? undefined : groupingBy(columns, groupBy);
  const groups = grouping === undefined ? [] : measure(rows, grouping, used);
  return {
    definitions: ACCESS_METRICS_DEFINITIONS,
    options: used,
    layers: layersOf(rows, columns.layer),
    overall: overall as AccessMetrics,
    groups: groups.map((metrics, index) => ({ key: grouping?.keys[index] ?? null, metrics })),
  };
}

/**
 * Columns of the table `ops`, of one run. Times count from the start of the run, so T over several runs would be
 * wrong: when the table holds more than one, name it.
 */
export function opsColumns(table: Table, runId?: string): AccessColumns {
  assert(table.schema === ops, `accesses come from the table ops, not ${table.schema.name}`);
  const runs = table.column("run_id") as Texts;
  const ids = new Set(runs);
  if (runId === undefined && ids.size > 1)
    throw new UsageError(`ops of ${ids.size} runs have no common clock; name one (${listed([...ids])})`);
  if (runId !== undefined && !ids.has(runId))
    throw new UsageError(`no ops of run ${runId} (have: ${listed([...ids])})`);
  const all = runId === undefined || ids.size === 1;
  const column = <T extends ColumnData>(name: string): T => {
    const data = table.column(name) as Float64Array;
    return (all ? data : data.filter((_, row) => runs[row] === runId)) as ColumnData as T;
  };
  return {
    startNs: column<Float64Array>("start_ns"),
    endNs: column<Float64Array>("end_ns"),
    bytes: column<BigInt64Array>("bytes"),
    movedBytes: column<BigInt64Array>("moved_bytes"),
    layer: column<Texts>("layer"),
    direction: column<Texts>("direction"),
    fileId: column<BigUint64Array>("file_id"),
  };
}

const listed = (ids: readonly (string | null)[]) =>
  ids.slice(0, 5).join(", ") + (ids.length > 5 ? ", …" : "");

type UsedOptions = AccessMetricsOptions & { readonly blockBytes: number; readonly ceilPerAccess: boolean };

const withDefaults = (options: AccessMetricsOptions): UsedOptions => ({
  blockBytes: 512,
  ceilPerAccess: false,
  ...options,
});

function checkOptions(columns: AccessColumns, options: UsedOptions): void {
  const { blockBytes, executionSeconds, layer, movedLayer, groupBy } = options;
  if (!Number.isSafeInteger(blockBytes) || blockBytes <= 0)
    throw new UsageError(`block size ${blockBytes} is not a positive whole number of bytes`);
  if (
    executionSeconds !== undefined &&
    !(executionSeconds > 0 && executionSeconds < Number.POSITIVE_INFINITY)
  )
    throw new UsageError(`execution time ${executionSeconds} s is not positive`);
  if (movedLayer !== undefined && layer === undefined)
    throw new UsageError(`moved bytes of layer ${movedLayer} need the layer that the application calls`);
  if (movedLayer !== undefined && groupBy === "layer")
    throw new UsageError("moved bytes of another layer cannot be grouped by layer");
  const needed = { layer: columns.layer, direction: columns.direction, file: columns.fileId };
  if (groupBy !== undefined && needed[groupBy] === undefined)
    throw new UsageError(`grouping by ${groupBy} needs the ${groupBy} of each access`);
  if (layer !== undefined && columns.layer === undefined)
    throw new UsageError(`choosing layer ${layer} needs the layer of each access`);
}

/** What a row is for. Those from `BAD_INTERVAL` on are dropped. */
const Use = { ACCESS: 0, INNER: 1, BAD_INTERVAL: 2, BAD_BYTES: 3, OTHER_LAYER: 4 } as const;

interface Rows {
  readonly count: number;
  readonly uses: Uint8Array;
  readonly startNs: Times;
  readonly endNs: Times;
  /** 64-bit words in halves, as amounts are read much faster than as BigInts. */
  readonly bytes: Uint32Array;
  readonly movedBytes: Uint32Array | undefined;
}

function rowsOf(columns: AccessColumns, { layer, movedLayer }: UsedOptions): Rows {
  const { startNs, endNs } = columns;
  const count = startNs.length;
  for (const [name, column] of Object.entries(columns) as [string, ArrayLike<unknown> | undefined][])
    assert(column === undefined || column.length === count, `${column?.length} ${name}, ${count} startNs`);
  const bytes = amountWords(columns.bytes);
  const uses = new Uint8Array(count);
  for (let row = 0; row < count; row++) {
    const own = layer === undefined ? undefined : columns.layer?.[row];
    if (own !== layer && (movedLayer === undefined || own !== movedLayer)) uses[row] = Use.OTHER_LAYER;
    // Of an inner access only the bytes are used, so its times may be anything.
    else if (own === layer && !isInterval(startNs[row] as number, endNs[row] as number))
      uses[row] = Use.BAD_INTERVAL;
    else if (!isKnown(bytes, row)) uses[row] = Use.BAD_BYTES;
    else uses[row] = own === layer ? Use.ACCESS : Use.INNER;
  }
  const movedBytes = columns.movedBytes === undefined ? undefined : amountWords(columns.movedBytes);
  return { count, uses, startNs, endNs, bytes, movedBytes };
}

function layersOf({ uses }: Rows, layer: Texts | undefined): string[] {
  const layers = new Set<string>();
  layer?.forEach((name, row) => {
    if (uses[row] === Use.ACCESS && name !== null) layers.add(name);
  });
  return [...layers];
}

interface Grouping {
  readonly keys: readonly (string | bigint | null)[];
  groupOf(row: number): number;
}

function groupingBy(columns: AccessColumns, groupBy: "layer" | "direction" | "file"): Grouping {
  const values = groupBy === "file" ? columns.fileId : columns[groupBy];
  assert(values !== undefined, `no column to group by ${groupBy}`);
  const numbers = new Map<string | bigint | null, number>();
  const groups = new Uint32Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const key = values[row] as string | bigint | null;
    let group = numbers.get(key);
    if (group === undefined) numbers.set(key, (group = numbers.size));
    groups[row] = group;
  }
  return { keys: [...numbers.keys()], groupOf: (row) => groups[row] as number };
}

/** The metrics of each group, in the order of its keys. */
function measure(rows: Rows, { keys, groupOf }: Grouping, options: UsedOptions): AccessMetrics[] {
  const sums = keys.map(() => new GroupSums());
  for (let row = 0; row < rows.count; row++) (sums[groupOf(row)] as GroupSums).add(rows, row, options);
  // All intervals in one array, those of a group side by side.
  const total = sums.reduce((sum, { accesses }) => sum + accesses, 0);
  const pairs = new Float64Array(2 * total);
  let place = 0;
  for (const group of sums) {
    group.place = place;
    place += 2 * group.accesses;
  }
  for (let row = 0; row < rows.count; row++) {
    if (rows.uses[row] !== Use.ACCESS) continue;
    const group = sums[groupOf(row)] as GroupSums;
    pairs[group.place++] = rows.startNs[row] as number;
    pairs[group.place++] = rows.endNs[row] as number;
  }
  return sums.map((group) =>
    group.metrics(pairs.subarray(group.place - 2 * group.accesses, group.place), options),
  );
}

class GroupSums {
  accesses = 0;
  /** Where in the array of intervals the next one goes. */
  place = 0;
  readonly #uses = [0, 0, 0, 0, 0];
  readonly #bytes = new AmountSum();
  readonly #moved = new AmountSum();
  #movedKnown = 0;
  #movedUnknown = 0;
  #blocks = 0;
  #durationNs = 0;
  /** Rounding errors of the sum of durations (Neumaier), which would else grow with the number of accesses. */
  #durationErrorNs = 0;

  add(rows: Rows, row: number, { layer, movedLayer, blockBytes, ceilPerAccess }: UsedOptions): void {
    const use = rows.uses[row] as number;
    this.#uses[use] = (this.#uses[use] as number) + 1;
    if (use === Use.ACCESS) {
      this.accesses++;
      this.#bytes.add(rows.bytes, row);
      if (ceilPerAccess) this.#blocks += wholeBlocks(rows.bytes, row, blockBytes);
      this.#addDuration((rows.endNs[row] as number) - (rows.startNs[row] as number));
    } else if (use !== Use.INNER) return;
    if (use === Use.ACCESS && movedLayer !== undefined && movedLayer !== layer) return;
    const known = rows.movedBytes !== undefined && isKnown(rows.movedBytes, row);
    if (known || movedLayer !== undefined) {
      this.#movedKnown++;
      this.#moved.add(known ? (rows.movedBytes as Uint32Array) : rows.bytes, row);
    } else this.#movedUnknown++;
  }

  #addDuration(durationNs: number): void {
    const sum = this.#durationNs + durationNs;
    this.#durationErrorNs +=
      this.#durationNs >= durationNs
        ? this.#durationNs - sum + durationNs
        : durationNs - sum + this.#durationNs;
    this.#durationNs = sum;
  }

  /** Sorts `pairs`, the intervals of the group, on the way. */
  metrics(pairs: Float64Array, options: UsedOptions): AccessMetrics {
    const { accesses } = this;
    const union = unionLengthOfPairs(pairs);
    assert(union.rejected === 0, `${union.rejected} intervals were accepted before and rejected now`);
    const ioTimeSeconds = union.length / 1e9;
    const bytes = this.#bytes.total();
    const movedBytes = this.#movedUnknown > 0 || this.#movedKnown === 0 ? null : this.#moved.total();
    const blocks = options.ceilPerAccess ? this.#blocks : Number(bytes) / options.blockBytes;
    const [, innerAccesses = 0, interval = 0, badBytes = 0, otherLayer = 0] = this.#uses;
    return {
      rows: this.#uses.reduce((sum, count) => sum + count, 0),
      accesses,
      innerAccesses,
      bytes,
      movedBytes,
      blocks,
      ioTimeSeconds,
      ...ratesOf({
        accesses,
        blocks,
        bytes: Number(movedBytes ?? bytes),
        ioTimeSeconds,
        callNs: this.#durationNs + this.#durationErrorNs,
        ...(options.executionSeconds === undefined ? {} : { executionSeconds: options.executionSeconds }),
      }),
      bandwidthOf:
        movedBytes === null ? "requested" : options.movedLayer === undefined ? "moved" : "inner layer",
      dropped: { interval, bytes: badBytes, otherLayer },
    };
  }
}

/** Exact sum of 64-bit amounts: halves are summed as doubles and go to a BigInt before they lose a digit. */
class AmountSum {
  #low = 0;
  #high = 0;
  #total = 0n;

  add(words: Uint32Array, row: number): void {
    this.#low += words[2 * row + LOW] as number;
    this.#high += words[2 * row + 1 - LOW] as number;
    if (this.#low >= 2 ** 52 || this.#high >= 2 ** 52) this.total();
  }

  total(): bigint {
    this.#total += BigInt(this.#low) + (BigInt(this.#high) << 32n);
    this.#low = 0;
    this.#high = 0;
    return this.#total;
  }
}

/** The word is not negative; `MISSING_I64` is. */
function isKnown(words: Uint32Array, row: number): boolean {
  return (words[2 * row + 1 - LOW] as number) < 2 ** 31;
}

/** Remainders are exact where quotients are rounded, so a byte above a block always counts. */
function wholeBlocks(words: Uint32Array, row: number, blockBytes: number): number {
  const low = words[2 * row + LOW] as number;
  const high = words[2 * row + 1 - LOW] as number;
  if (high >= 2 ** 21) {
    const bytes = (BigInt(high) << 32n) | BigInt(low);
    return Number((bytes + BigInt(blockBytes) - 1n) / BigInt(blockBytes));
  }
  const bytes = unsignedNumber(low, high);
  const rest = bytes % blockBytes;
  return (bytes - rest) / blockBytes + (rest > 0 ? 1 : 0);
}

/** The amounts as 64-bit words in halves. Numbers that are no amount become negative words. */
function amountWords(amounts: Amounts): Uint32Array {
  if (amounts instanceof BigInt64Array)
    return new Uint32Array(amounts.buffer, amounts.byteOffset, 2 * amounts.length);
  const { u32 } = allocateWords(amounts.length);
  for (let row = 0; row < amounts.length; row++) {
    const amount = amounts[row] as number;
    const valid = Number.isInteger(amount) && amount >= 0 && amount < 2 ** 63;
    u32[2 * row + LOW] = valid ? amount % 2 ** 32 : 0;
    u32[2 * row + 1 - LOW] = valid ? Math.floor(amount / 2 ** 32) : 2 ** 31;
  }
  return u32;
}
