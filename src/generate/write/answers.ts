/** Folders of generators: what they are, the answers in them, and a store that is filled at once. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFile } from "../../node/write-file.ts";
import type { RowSink } from "../../model/index.ts";
import type { Store } from "../../store/index.ts";

/** Tasks of a cluster share a node, so that half of its memory is too much for each. */
const COMPACT_MEMORY_BYTES = 2 ** 30;

type Sinks = readonly [RowSink, ...RowSink[]];

function bucketsOf(batch: ReturnType<Store["beginBatch"]>, of: number): Sinks {
  const [first, ...others] = Array.from({ length: of }, (_, i) => batch.inBucket({ index: i + 1, of }));
  return [first ?? batch, ...others];
}

/** Whether a folder's README begins with the mark; only such a folder is replaced. */
export function isMarked(folder: string, mark: string): boolean {
  try {
    return readFileSync(join(folder, "README.txt"), "utf8").startsWith(mark);
  } catch {
    return false;
  }
}

/** Writes JSON: a bigint is a number as long as that is exact, and what is no number is null. */
export function writeAnswers(path: string, value: unknown): void {
  writeFile(path, `${JSON.stringify(value, exactNumbers, 2)}\n`);
}

/** What `writeAnswers` wrote; whole numbers beyond 2^53 are texts. */
export const readAnswers = (path: string): unknown =>
  JSON.parse(readFileSync(path, "utf8"), (_, value) => value ?? Number.NaN);

function exactNumbers(_: string, value: unknown): unknown {
  if (typeof value === "number" && Number.isNaN(value)) return null;
  if (typeof value !== "bigint") return value;
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
}

/**
 * Fills a new store at `path` in one batch, its rows by `buckets` where given; a failure leaves none of it. `fill` gets the batch,
 * or one sink for each bucket where they are few.
 */
export async function fillStore<T>(
  path: string,
  writer: string,
  fill: (sinks: Sinks) => Promise<T>,
  buckets?: number,
): Promise<T> {
  const { BUCKETS_AT_ONCE, compactStore, Store: Stores } = await import("../../store/index.ts");
  const store = await Stores.create(path);
  const atOnce = buckets !== undefined && buckets <= BUCKETS_AT_ONCE;
  try {
    const batch = store.beginBatch({ writer });
    let result: T;
    try {
      result = await fill(atOnce ? bucketsOf(batch, buckets) : [batch]);
      await batch.commit();
    } catch (error) {
      await batch.abort();
      throw error;
    }
    // Nobody else reads a store that is being made.
    if (buckets !== undefined && !atOnce)
      await compactStore(store, { buckets, graceMs: 0, memoryBytes: COMPACT_MEMORY_BYTES });
    return result;
  } finally {
    await store.close();
  }
}
