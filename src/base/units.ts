/**
 * Numbers for people: three significant digits. Exact values go to JSON and CSV.
 *
 * Amounts and rates of data have SI prefixes (1.07 GB, 1.39 GB/s). Sizes that people choose in powers of two, of a call,
 * stripe, chunk, block or buffer, have binary ones (4 KiB). A sentence uses one of the two: where it names a size, its
 * amounts have binary prefixes too.
 */

const PREFIXES = ["", "k", "M", "G", "T", "P", "E"];

/** `1.07 GB`, `512 B`, `24.4 kB`. */
export function formatBytes(bytes: number): string {
  return formatScaled(bytes, "B");
}

const BINARY_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** `4 KiB`, `46.4 KiB`, `512 B`: sizes, and amounts in a sentence with one. */
export function formatSize(bytes: number): string {
  let scaled = bytes;
  let power = 0;
  // 1023.5 would round to 1024: it belongs to the next unit.
  while (Math.abs(scaled) >= 1023.5 && power < BINARY_UNITS.length - 1) {
    scaled /= 1024;
    power++;
  }
  return `${fewDigits(Math.abs(scaled) >= 1000 ? Math.round(scaled) : scaled, 1024)} ${BINARY_UNITS[power]}`;
}

/** `1.39 GB/s`. */
export function formatRate(bytesPerSecond: number): string {
  return formatScaled(bytesPerSecond, "B/s");
}

/** `390.9 kB` with four digits; three without. */
export function formatScaled(value: number, unit: string, digits = 3): string {
  let scaled = value;
  let power = 0;
  // 999.5 would round to 1000: it belongs to the next prefix.
  while (Math.abs(scaled) >= 999.5 && power < PREFIXES.length - 1) {
    scaled /= 1000;
    power++;
  }
  return `${fewDigits(scaled, 1000, digits)} ${PREFIXES[power]}${unit}`;
}

/** Seconds with three digits: `6.17 s`. */
export function formatSeconds(seconds: number): string {
  return `${fewDigits(seconds)} s`;
}

/** `41.3 %`; a share that is not known is `not recorded`. */
export function formatShare(share: number): string {
  return Number.isNaN(share) ? "not recorded" : `${fewDigits(100 * share)} %`;
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

/** Seconds without a unit, else with one letter: `14`, `4m`, `3h`, `2d`, `8y`. As short as a cell is wide. */
export function formatAge(seconds: number): string {
  const units = [
    [63_115_200, 31_557_600, "y"],
    [172_800, 86_400, "d"],
    [7200, 3600, "h"],
    [120, 60, "m"],
  ] as const;
  const [, length, letter] = units.find(([from]) => seconds >= from) ?? [0, 1, ""];
  return `${Math.max(0, Math.round(seconds / length))}${letter}`;
}

function fewDigits(value: number, wholeBelow = 1000, digits = 3): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  return Number.isInteger(value) && Math.abs(value) < wholeBelow
    ? String(value)
    : Number(value.toPrecision(digits)).toString();
}
