/**
 * Standard normal value below which the share `p` lies (P. J. Acklam's approximation, relative error below 1.2e-9);
 * within ±38 for any p.
 */
export function normalQuantile(p: number): number {
  if (p < 0.02425) return -tail(Math.sqrt(-2 * Math.log(Math.max(p, 1e-300))));
  if (p > 1 - 0.02425) return tail(Math.sqrt(-2 * Math.log(Math.max(1 - p, 1e-300))));
  const q = p - 0.5;
  const r = q * q;
  return (
    ((((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r + 138.357751867269) * r -
      30.66479806614716) *
      r +
      2.506628277459239) *
      q) /
    (((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r + 66.80131188771972) * r -
      13.28068155288572) *
      r +
      1)
  );
}

function tail(q: number): number {
  return -(
    (((((-0.007784894002430293 * q - 0.3223964580411365) * q - 2.400758277161838) * q - 2.549732539343734) *
      q +
      4.374664141464968) *
      q +
      2.938163982698783) /
    ((((0.007784695709041462 * q + 0.3224671290700398) * q + 2.445134137142996) * q + 3.754408661907416) * q +
      1)
  );
}
