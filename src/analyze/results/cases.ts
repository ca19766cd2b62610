/** Benchmark cases: spread over repetitions, and comparison of two result sets. */
import type { FoundResult, Unit } from "../../model/index.ts";

/** One benchmark, case, operation and size, over all result files. */
export interface ResultCase {
  readonly benchmark: string;
  readonly name: string;
  readonly operation: string;
  readonly unit: Extract<Unit, "bytes/s" | "calls/s">;
  readonly transferBytes: number;
  readonly results: readonly FoundResult[];
  readonly spread: Spread;
}

/** Over all repetitions of all results. */
interface Spread {
  readonly count: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

export interface ComparedCase {
  readonly before: ResultCase;
  readonly after: ResultCase;
  /** Ratio of the means, after / before, and its lower and upper bound from both spreads. */
  readonly ratio: number;
  readonly least: number;
  readonly most: number;
}

/** The rate to compare: bytes/s, or operations/s if a benchmark moves no bytes. */
const unitOf = ({ bytesPerSecond }: FoundResult) => (Number.isNaN(bytesPerSecond) ? "calls/s" : "bytes/s");

export function casesOf(results: readonly FoundResult[]): ResultCase[] {
  const groups = new Map<string, FoundResult[]>();
  for (const result of results) {
    const key = keyOf(result);
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group as [FoundResult, ...FoundResult[]];
    const { benchmark, name, operation, transferBytes } = first;
    return {
      ...{ benchmark, name, operation, transferBytes },
      unit: unitOf(first),
      results: group,
      spread: spreadOf(group),
    };
  });
}

const keyOf = (result: FoundResult) =>
  JSON.stringify([result.benchmark, result.name, result.operation, result.transferBytes, unitOf(result)]);

function spreadOf(results: readonly FoundResult[]): Spread {
  const known = results.map(({ repetitions }) => repetitions).filter(({ mean }) => !Number.isNaN(mean));
  const count = known.reduce((sum, one) => sum + one.count, 0);
  return {
    count,
    min: known.reduce((least, one) => Math.min(least, one.min), Number.POSITIVE_INFINITY),
    mean: known.reduce((sum, one) => sum + one.mean * one.count, 0) / count,
    max: known.reduce((most, one) => Math.max(most, one.max), Number.NEGATIVE_INFINITY),
  };
}

/** Cases in both sets; `unmatched` counts the others. */
export function compareCases(
  before: readonly ResultCase[],
  after: readonly ResultCase[],
): { readonly compared: readonly ComparedCase[]; readonly unmatched: number } {
  const byKey = new Map(before.map((one) => [keyOf(one.results[0] as FoundResult), one]));
  const compared = after.flatMap((one) => {
    const other = byKey.get(keyOf(one.results[0] as FoundResult));
    if (other === undefined) return [];
    return [
      {
        ...{ before: other, after: one },
        ratio: one.spread.mean / other.spread.mean,
        least: one.spread.min / other.spread.max,
        most: one.spread.max / other.spread.min,
      },
    ];
  });
  return { compared, unmatched: before.length + after.length - 2 * compared.length };
}

export const caseName = ({
  benchmark,
  name,
  operation,
}: Pick<ResultCase, "benchmark" | "name" | "operation">) =>
  [benchmark, name, operation].filter((word) => word !== "").join(" ");
