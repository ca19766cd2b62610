/** Statistics by their textbook definitions, for the twin of the study of a system. */

export const totalOf = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0);
export const meanOf = (list: readonly number[]): number =>
  list.length === 0 ? Number.NaN : totalOf(list) / list.length;

export function medianOf(list: readonly number[]): number {
  const rising = [...list].sort((a, b) => a - b);
  const middle = rising.length >> 1;
  if (rising.length === 0) return Number.NaN;
  return rising.length % 2 === 1
    ? (rising[middle] as number)
    : ((rising[middle - 1] as number) + (rising[middle] as number)) / 2;
}

export function pearsonOf(x: readonly number[], y: readonly number[]): number {
  const [mx, my] = [meanOf(x), meanOf(y)];
  const xy = totalOf(x.map((one, i) => (one - mx) * ((y[i] as number) - my)));
  const [xx, yy] = [totalOf(x.map((one) => (one - mx) ** 2)), totalOf(y.map((one) => (one - my) ** 2))];
  return xx === 0 || yy === 0 || x.length < 2 ? Number.NaN : xy / Math.sqrt(xx * yy);
}

/** One more than the smaller ones, and half of the equal ones. */
export const ranks = (list: readonly number[]): number[] =>
  list.map(
    (one) =>
      list.filter((other) => other < one).length + (list.filter((other) => other === one).length + 1) / 2,
  );

export const spearmanOf = (x: readonly number[], y: readonly number[]): number =>
  pearsonOf(ranks(x), ranks(y));

export function giniOf(list: readonly number[]): number {
  const differences = totalOf(list.flatMap((a) => list.map((b) => Math.abs(a - b))));
  return differences / (2 * list.length * totalOf(list));
}

export function kolmogorov(shares: readonly number[]): number {
  if (shares.length === 0) return Number.NaN;
  return Math.max(
    ...shares.flatMap((x) => [
      shares.filter((one) => one <= x).length / shares.length - x,
      x - shares.filter((one) => one < x).length / shares.length,
    ]),
  );
}

/** Kruskal and Wallis' H as the spread of mean ranks between groups over the spread of ranks. */
export function hOf(groups: readonly (readonly number[])[]): number {
  const all = groups.flat();
  const rank = ranks(all);
  const middle = (all.length + 1) / 2;
  let [at, between] = [0, 0];
  for (const group of groups) {
    const own = rank.slice(at, at + group.length);
    at += group.length;
    if (own.length > 0) between += own.length * (meanOf(own) - middle) ** 2;
  }
  return ((all.length - 1) * between) / totalOf(rank.map((one) => (one - middle) ** 2));
}

/** Local seconds since 1970 as the platform's calendar has them. */
export function localOf(zone: string, unix: number): number {
  const text = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  }).format(new Date(unix * 1000));
  return Date.parse(`${text.replace(" ", "T")}Z`) / 1000;
}

/** The largest whole power that is not above. */
export function logInt(value: number, base: number): number {
  let power = 0;
  while (base ** (power + 1) <= value) power++;
  return power;
}

/** Highest local maximum of the autocorrelation from a distance of 2 to half of the series. */
export function autocorrelationPeak(series: readonly number[]): { lag: number; r: number } | undefined {
  const mean = meanOf(series);
  const centred = series.map((one) => one - mean);
  const zero = totalOf(centred.map((one) => one * one));
  if (zero < 1e-12) return undefined;
  const r = (lag: number) =>
    totalOf(centred.slice(0, series.length - lag).map((one, i) => one * (centred[i + lag] as number))) / zero;
  let best: { lag: number; r: number } | undefined;
  for (let lag = 2; lag <= Math.floor(series.length / 2); lag++) {
    const here = r(lag);
    if (here <= 0 || here - r(lag - 1) <= 1e-9 || here < r(lag + 1) - 1e-9) continue;
    if (best === undefined || here > best.r + 1e-9) best = { lag, r: here };
  }
  return best;
}
