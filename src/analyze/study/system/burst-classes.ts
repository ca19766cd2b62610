/** Bursts of jobs over their memory, and minutes by class of burst size. */
import { mean } from "../../../base/statistics.ts";
import type { Role } from "../../../model/index.ts";
import type { ValueInfos } from "../common/values.ts";
import { bars } from "./charts.ts";
import { drawn, type Published, share } from "./item.ts";
import type { Prepared } from "./prepare.ts";

/** For each class of sizes: its minutes, and their mean share of a job's minutes. */
export const classInfos = (
  names: readonly string[],
  label: (name: string, i: number) => string,
): ValueInfos<Published> =>
  Object.fromEntries([
    ...names.map((name, i) => [name, ["count", `minutes, ${label(name, i)}`] as const]),
    ...names.map((name, i) => [`${name}MeanShare`, ["share", `mean share, ${label(name, i)}`] as const]),
  ]);

/** Largest burst of each job over its memory, of jobs whose memory is known; -1 marks jobs without writes as 0 with a flag. */
export function largestShares({ series }: Prepared): { all: Float64Array; writer: Uint8Array } {
  const [all, writer]: [number[], number[]] = [[], []];
  for (let i = 0; i < series.count; i++) {
    if (Number.isNaN(series.memory[i])) continue;
    all.push((series.largest[i] as number) / (series.memory[i] as number));
    writer.push((series.writeMinutes[i] as number) > 0 ? 1 : 0);
  }
  return { all: Float64Array.from(all), writer: Uint8Array.from(writer) };
}

export const unknownMemory = ({ series }: Prepared): number => {
  let count = 0;
  for (let i = 0; i < series.count; i++) if (Number.isNaN(series.memory[i])) count++;
  return count;
};

/** Where the memory of no job is known there is nothing to compare bursts with. */
export function memoryNotes(prepared: Prepared): string[] {
  const { count } = prepared.series;
  return count > 0 && unknownMemory(prepared) === count
    ? ["No job with minutes has a known memory size to compare bursts with; set nodeMemory."]
    : [];
}

/** Shares of a job's minutes by class, side by side; jobs without such minutes are left out. */
export function classShares(
  classes: Float64Array,
  width: number,
  count: number,
  first = 0,
  only?: (job: number) => boolean,
): Float64Array[] {
  const lists: number[][] = Array.from({ length: width }, () => []);
  for (let job = 0; job < count; job++) {
    if (only !== undefined && !only(job)) continue;
    let all = 0;
    for (let k = first; k < width; k++) all += classes[job * width + k] as number;
    if (all === 0) continue;
    for (let k = first; k < width; k++) lists[k]?.push((classes[job * width + k] as number) / all);
  }
  return lists.map((list) => Float64Array.from(list));
}

export function classSums(
  classes: Float64Array,
  names: readonly string[],
  count: number,
): Record<string, number> {
  const sums = new Float64Array(names.length);
  for (let i = 0; i < count * names.length; i++) sums[i % names.length]! += classes[i] as number;
  return Object.fromEntries(names.map((name, i) => [name, sums[i] as number]));
}

/** Per class: the mean share over jobs, and how many jobs have most and all of their minutes in it. */
export function classBars(
  id: string,
  title: string,
  label: string,
  names: readonly string[],
  shares: readonly Float64Array[],
  n: number,
) {
  const of = (test: (one: number) => boolean) => shares.map((list) => share(list.filter(test).length, n));
  const series: { name: string; role: Role; values: number[] }[] = [
    { name: "mean share of I/O minutes", role: "neutral", values: shares.map((list) => mean(list)) },
    { name: "jobs with more than half of them", role: "write", values: of((one) => one > 0.5) },
    { name: "jobs with all of them", role: "metadata", values: of((one) => one === 1) },
  ];
  return drawn({
    id,
    title,
    caption: `${n} jobs. Per size class: the mean share of a job's minutes, and the shares of jobs with more than half and with all of their minutes in it.`,
    summary: `Most minutes are in bursts of ${names[shares.map((list) => mean(list)).reduce((best, one, i, list) => (one > (list[best] as number) ? i : best), 0)]}.`,
    chart: bars(names, label, { label: "share", unit: "share" }, series),
  });
}
