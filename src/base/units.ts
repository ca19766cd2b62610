/** Numbers for people: three significant digits, SI prefixes. Exact values go to JSON and CSV. */

const PREFIXES = ["", "k", "M", "G", "T", "P", "E"];

/** `1.07 GB`, `512 B`, `24.4 kB`. */
export function formatBytes(bytes: number): string {
  return formatScaled(bytes, "B");
}

/** `1.39 GB/s`. */
export function formatRate(bytesPerSecond: number): string {
  return formatScaled(bytesPerSecond, "B/s");
}

export function formatScaled(value: number, unit: string): string {
  let scaled = value;
  let power = 0;
  // 999.5 would round to 1000: it belongs to the next prefix.
  while (Math.abs(scaled) >= 999.5 && power < PREFIXES.length - 1) {
    scaled /= 1000;
    power++;
  }
  return `${threeDigits(scaled)} ${PREFIXES[power]}${unit}`;
}

/** Seconds with three digits: `6.17 s`. */
export function formatSeconds(seconds: number): string {
  return `${threeDigits(seconds)} s`;
}

/** `41.3 %`; a share that is not known is `not recorded`. */
export function formatShare(share: number): string {
  return Number.isNaN(share) ? "not recorded" : `${threeDigits(100 * share)} %`;
}

/** `30512` as `30,512`. */
export function formatCount(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** `1,024 writes`, `1 write`. */
export const formatMany = (count: number, one: string, several = `${one}s`): string =>
  `${formatCount(count)} ${Math.round(count) === 1 ? one : several}`;

function threeDigits(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  return Number.isInteger(value) && Math.abs(value) < 1000
    ? String(value)
    : Number(value.toPrecision(3)).toString();
}
