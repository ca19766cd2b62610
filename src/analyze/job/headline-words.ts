/** Words of headlines: at most three digits, one unit, no asides. */

/** Without what stands in brackets. */
export const withoutAsides = (text: string) => text.replace(/ \([^()]*\)/g, "");

/** `/gpfs/alpine/…/samples/8a_parallel.h5` is `8a_parallel.h5`: the finding below has the whole path. */
export const withShortPaths = (text: string) =>
  text.replace(/(?<=^| )\/[^ ,;]{24,}\/([^ ,;/]+?)(?=[.:]?(?: |$|[,;]))/g, "$1");

/** `96 %`, `4.3 %`, `0.4 %`: whole from ten percent on, two digits below. */
export function percentText(share: number): string {
  const percent = 100 * share;
  if (percent === 0) return "0 %";
  if (percent < 0.1) return "less than 0.1 %";
  return `${percent >= 9.95 ? Math.round(percent) : Number(percent.toPrecision(2))} %`;
}

interface TimeUnit {
  readonly unit: string;
  readonly one: string;
  /** Seconds in one. */
  readonly scale: number;
}

/** So that three digits in front of the point are enough. */
export function timeUnit(seconds: number): TimeUnit {
  if (seconds < 999.5) return { unit: "seconds", one: "second", scale: 1 };
  if (seconds < 60 * 999.5) return { unit: "minutes", one: "minute", scale: 60 };
  return { unit: "hours", one: "hour", scale: 3600 };
}
