import { quantileOf } from "../../../base/statistics.ts";

/** Weighted median; default: equal weights; NaN without values. */
export function weightedMedian(values: readonly number[], weights?: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  if (weights === undefined) return quantileOf(values, 0.5);
  const order = Uint32Array.from(values, (_, i) => i).sort(
    (a, b) => (values[a] as number) - (values[b] as number),
  );
  let all = 0;
  for (const weight of weights) all += weight;
  let below = 0;
  for (const i of order) {
    below += weights[i] as number;
    if (below >= all / 2) return values[i] as number;
  }
  return Number.NaN;
}
