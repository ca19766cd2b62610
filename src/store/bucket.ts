/**
 * Buckets: rows of a table by the remainder of a number that says what they belong to. All accesses of a file are in one
 * bucket, all minutes and rows of a job, all targets of a minute. The numbers are hashes already, so the remainder spreads them.
 */
import { assert } from "../base/assert.ts";
import type { Segment } from "./manifest.ts";

/** Bucket `index` of `of`, from 1. */
export interface Bucket {
  readonly index: number;
  readonly of: number;
}

/** Tables whose rows have buckets, with the column that gives them. Rows of others are all in the first. */
export const BUCKET_KEYS: Readonly<Record<string, string>> = {
  accesses: "file_id",
  files: "file_id",
  runs: "run_id",
  jobs: "job_key",
  minutes: "job_key",
  targets: "minute_unix",
};

/** The column that says when, of tables with buckets; and how many of its units a month has, of 30 days. */
const MONTHS: Readonly<Record<string, string>> = {
  accesses: "start_unix_ns // 2592000000000000",
  runs: "start_unix_ns // 2592000000000000",
  jobs: "start_unix_ns // 2592000000000000",
  minutes: "minute_unix // 43200",
  targets: "minute_unix // 43200",
};

/** How a compaction parts the rows of a table. */
export interface Parting {
  readonly buckets: number;
  /** Also by months of 30 days, so that questions about a time open few segments. */
  readonly byMonth: boolean;
}

/** Rows of a query with the columns `bucket` and `month`; undefined: the table is not parted. */
export function partedQuery(table: string, query: string, { buckets, byMonth }: Parting): string | undefined {
  assert(Number.isSafeInteger(buckets) && buckets >= 1, "there is at least one bucket");
  const key = BUCKET_KEYS[table];
  const month = byMonth ? MONTHS[table] : undefined;
  if (key === undefined) return undefined;
  return `select *, ${key} % ${buckets} + 1 as bucket, coalesce(${month ?? "0"}, 0) as month from (${query})`;
}

/** The buckets that batches have, where all agree; a compaction keeps them. */
export function bucketsOf(segments: readonly Pick<Segment, "bucket">[]): number | undefined {
  const numbers = new Set(segments.flatMap(({ bucket }) => bucket?.of ?? []));
  return numbers.size === 1 ? [...numbers][0] : undefined;
}

/** Whether a row of a segment can be in the bucket; segments without a bucket hold rows of all. */
export function mayHold({ bucket }: Pick<Segment, "bucket">, wanted: Bucket): boolean {
  assert(wanted.index >= 1 && wanted.index <= wanted.of, "a bucket is one of its number");
  if (bucket === undefined) return true;
  const common = divisor(bucket.of, wanted.of);
  return (bucket.index - wanted.index) % common === 0;
}

/** Whether all rows of a segment are in the bucket. */
const isWithin = ({ bucket }: Pick<Segment, "bucket">, wanted: Bucket): boolean =>
  bucket !== undefined && bucket.of % wanted.of === 0 && mayHold({ bucket }, wanted);

/** The condition for rows of these segments to be in the bucket; undefined when all are. */
export function bucketCondition(
  table: string,
  segments: readonly Pick<Segment, "bucket">[],
  wanted: Bucket,
): string | undefined {
  const key = BUCKET_KEYS[table];
  if (key === undefined || segments.every((segment) => isWithin(segment, wanted))) return undefined;
  return `${key} % ${wanted.of} = ${wanted.index - 1}`;
}

/** A bucket as text in a manifest entry is right when it is one of its number. */
export function isBucket(bucket: Bucket | undefined | null): boolean {
  if (bucket === undefined) return true;
  const { index, of } = bucket ?? {};
  return (
    Number.isSafeInteger(index) &&
    Number.isSafeInteger(of) &&
    (index as number) >= 1 &&
    (index as number) <= (of as number)
  );
}

function divisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
