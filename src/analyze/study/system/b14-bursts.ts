import { mean } from "../../../base/statistics.ts";
import type { Role } from "../../../model/index.ts";
import { bars } from "./charts.ts";
import type { ValueInfos } from "../common/values.ts";
import { defineItem, drawn, type Published, share, table } from "./item.ts";
import type { Prepared } from "./prepare.ts";
import { BYTE_NAMES, GAPS, MEMORY_NAMES } from "./series.ts";

const MEMORY_LABELS: Readonly<Record<string, string>> = {
  none: "no write",
  below1: "< 1 %",
  from1To5: "1–5 %",
  from5To10: "5–10 %",
  from10To50: "10–50 %",
  from50To100: "50–100 %",
  above100: "> 100 %",
};
const BYTE_LABELS = ["0 B", "< 1 KB", "1 KB–1 MB", "1 MB–1 GB", "1 GB–1 TB", "≥ 1 TB"];

/** For each class of sizes: its minutes, and their mean share of a job's minutes. */
const classInfos = (
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

const unknownMemory = ({ series }: Prepared): number => {
  let count = 0;
  for (let i = 0; i < series.count; i++) if (Number.isNaN(series.memory[i])) count++;
  return count;
};

/** Where the memory of no job is known there is nothing to compare bursts with. */
function memoryNotes(prepared: Prepared): string[] {
  const { count } = prepared.series;
  return count > 0 && unknownMemory(prepared) === count
    ? [
        "The memory of no job with minutes is known, so bursts cannot be compared with it; give it with nodeMemory.",
      ]
    : [];
}

export const b14 = defineItem({
  id: "B14",
  definition: "B14@1",
  title: "Bursts of writes and memory",
  section: "bursts",
  about:
    "A burst is a maximal run of minutes with writes, with at most maxGapMinutes without one between two; its size is the sum of their bytes. Memory of a job is that of a node times its nodes. Per job with minutes the largest burst as a share of memory; jobs without writes count with 0, as in the paper, and are left out of the values of writers. bursts are those of all jobs whose run time is known, with or without a known memory.",
  reading:
    "Sums of servers may exceed the memory: a burst can be several outputs one after the other. The table shows how the gap rule moves the numbers.",
  options: ["maxGapMinutes", "nodeMemory", "lateMinutes"],
  values: {
    jobs: ["count", "jobs", { quartz: 16_795 }],
    bursts: ["count", "bursts"],
    above50: ["count", "jobs above 50 % of memory", { quartz: 170 }],
    above100: ["count", "jobs above 100 % of memory"],
    below15: ["count", "jobs below 15 % of memory", { quartz: 16_485 }],
    below5: ["count", "jobs below 5 % of memory", { quartz: 16_173 }],
    above50Share: ["share", "above 50 % of memory"],
    below15Share: ["share", "below 15 % of memory"],
    below5Share: ["share", "below 5 % of memory", { quartz: 16_173 / 16_795 }],
    writers: ["count", "jobs that write"],
    writersBelow5: ["count", "jobs that write, below 5 % of memory"],
    writersBelow5Share: ["share", "below 5 % of memory, of jobs that write"],
    meanLargestShare: ["share", "largest burst over memory, mean"],
  },
  narrative: ({ text }) =>
    `${text("below5Share")} of ${text("jobs")} jobs write no burst of 5 % of their memory and more, ${text("below15Share")} none of 15 %, and ${text("above50")} write one above 50 % (paper: 96.3 %, 98.2 %, and 170 of 16,795). Of the jobs that write at all ${text("writersBelow5Share")} stay below 5 %.`,
  measure(prepared) {
    const { series } = prepared;
    const { all, writer } = largestShares(prepared);
    const count = (test: (one: number, i: number) => boolean) =>
      all.length === 0 ? Number.NaN : all.filter(test).length;
    const writers = all.length === 0 ? Number.NaN : writer.reduce((sum, one) => sum + one, 0);
    let [bursts, known] = [0, 0];
    for (let i = 0; i < series.count; i++) {
      if ((series.job[i] as number) < 0) continue;
      known++;
      bursts += series.bursts[i] as number;
    }
    const below5 = count((one) => one < 0.05);
    const writersBelow5 = count((one, i) => one < 0.05 && writer[i] === 1);
    return {
      n: all.length,
      unit: "jobs with minutes",
      dropped: { "jobs whose memory is not known (see nodeMemory)": unknownMemory(prepared) },
      values: {
        jobs: all.length,
        bursts: known === 0 ? Number.NaN : bursts,
        above50: count((one) => one > 0.5),
        above100: count((one) => one > 1),
        below15: count((one) => one < 0.15),
        below5,
        above50Share: share(
          count((one) => one > 0.5),
          all.length,
        ),
        below15Share: share(
          count((one) => one < 0.15),
          all.length,
        ),
        below5Share: share(below5, all.length),
        writers,
        writersBelow5,
        writersBelow5Share: share(writersBelow5, writers),
        meanLargestShare: mean(all),
      },
      tables:
        all.length === 0
          ? []
          : [
              table(
                "burst-gaps",
                "How the numbers move with the gap that a burst may have.",
                [
                  ["gap", "Gap", "count", "Minutes without a write within a burst."],
                  ["bursts", "Bursts", "count", "Of all jobs with minutes."],
                  ["below5", "Below 5 %", "count", "Jobs whose largest burst is below 5 % of memory."],
                ],
                GAPS.map((gap, i) => [gap, series.burstsByGap[i] as number, series.below5ByGap[i] as number]),
              ),
            ],
      notes: memoryNotes(prepared),
    };
  },
});

/** Shares of a job's minutes by class, side by side; jobs without such minutes are left out. */
function classShares(
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

function classSums(classes: Float64Array, names: readonly string[], count: number): Record<string, number> {
  const sums = new Float64Array(names.length);
  for (let i = 0; i < count * names.length; i++) sums[i % names.length]! += classes[i] as number;
  return Object.fromEntries(names.map((name, i) => [name, sums[i] as number]));
}

/** Per class: the mean share over jobs, and how many jobs have most and all of their minutes in it. */
function classBars(
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
    caption: `${n} jobs. For each class of size: the mean share of a job's minutes, and the shares of jobs with more than half and with all of their minutes in it.`,
    summary: `Most minutes are in bursts of ${names[shares.map((list) => mean(list)).reduce((best, one, i, list) => (one > (list[best] as number) ? i : best), 0)]}.`,
    chart: bars(names, label, { label: "share", unit: "share" }, series),
  });
}

export const b15 = defineItem({
  id: "B15",
  definition: "B15@1",
  title: "I/O minutes by burst size relative to memory (figure 12)",
  section: "bursts",
  about:
    "Minutes with writes by the size of their burst as a share of memory: below 1 %, [1, 5), [5, 10), [10, 50), [50, 100] % and above, which the paper lacks. Counts are minutes of all jobs together. Shares of a job's minutes add up to one; with memoryMinutes io minutes that only read are a class of their own (none). neverBeyond1: jobs with minutes without a burst above 1 % of memory, jobs without writes included.",
  reading:
    "Most jobs have all of their minutes in the first class: memory says little about the size of a burst.",
  options: ["maxGapMinutes", "burst", "memoryMinutes", "nodeMemory"],
  values: {
    neverBeyond1: ["count", "jobs never above 1 % of memory"],
    neverBeyond1Share: ["share", "never above 1 % of memory", { quartz: 0.9 }],
    allBelow1Share: ["share", "all minutes below 1 % of memory"],
    ...classInfos(["none", ...MEMORY_NAMES], (name) => MEMORY_LABELS[name] ?? name),
  },
  narrative: ({ text }) =>
    `${text("neverBeyond1Share")} of the jobs never write a burst above 1 % of memory (paper: 90 %); ${text("allBelow1Share")} of those that write have all their minutes in bursts below 1 %.`,
  measure(prepared) {
    const { options } = prepared;
    const { series } = prepared;
    const width = MEMORY_NAMES.length;
    const known = (job: number) => !Number.isNaN(series.memory[job]);
    const { all } = largestShares(prepared);
    const never = all.length === 0 ? Number.NaN : all.filter((one) => one <= 0.01).length;
    let [classes, names]: [Float64Array, readonly string[]] = [series.memoryClass, MEMORY_NAMES];
    if (options.memoryMinutes === "io") {
      names = ["none", ...MEMORY_NAMES];
      classes = new Float64Array(series.count * (width + 1));
      for (let job = 0; job < series.count; job++) {
        if (!known(job)) continue;
        classes[job * (width + 1)] = (series.ioMinutes[job] as number) - (series.writeMinutes[job] as number);
        for (let k = 0; k < width; k++)
          classes[job * (width + 1) + k + 1] = series.memoryClass[job * width + k] as number;
      }
    }
    const shares = classShares(classes, names.length, series.count, 0, known);
    const n = shares[0]?.length ?? 0;
    const first = shares[names.indexOf("below1")] ?? new Float64Array();
    return {
      n: all.length,
      unit: "jobs with minutes",
      dropped: {
        "jobs whose memory is not known (see nodeMemory)": unknownMemory(prepared),
        "jobs without such minutes (shares)": all.length - n,
      },
      values: {
        neverBeyond1: never,
        neverBeyond1Share: share(never, all.length),
        allBelow1Share: share(first.filter((one) => one === 1).length, n),
        ...(all.length === 0
          ? Object.fromEntries(names.map((name) => [name, Number.NaN]))
          : classSums(classes, names, series.count)),
        ...Object.fromEntries(names.map((name, i) => [`${name}MeanShare`, mean(shares[i] ?? [])])),
      },
      notes: memoryNotes(prepared),
      figures: () =>
        n === 0
          ? []
          : [
              classBars(
                "figure-12-bursts-and-memory",
                "I/O minutes by burst size relative to memory",
                "size of the burst, of memory",
                names.map((name) => MEMORY_LABELS[name] ?? name),
                shares,
                n,
              ),
            ],
    };
  },
});

interface Mostly {
  readonly small: Uint8Array;
  readonly medium: Uint8Array;
}

/** Of jobs with I/O: more than half of the I/O minutes in bursts of 1 KB to 1 MB; more than 90 % in 1 MB to 1 GB. */
export function mostlyFlags({ series }: Prepared): Mostly {
  const shares = classShares(series.byteClass, BYTE_NAMES.length, series.count);
  return {
    small: Uint8Array.from(shares[2] ?? [], (one) => (one > 0.5 ? 1 : 0)),
    medium: Uint8Array.from(shares[3] ?? [], (one) => (one > 0.9 ? 1 : 0)),
  };
}

export const b16 = defineItem({
  id: "B16",
  definition: "B16@1",
  title: "I/O minutes by burst size (figure 13)",
  section: "bursts",
  about:
    "Minutes with I/O by the size of their burst of writes: none, below 1 KB, [1 KB, 1 MB), [1 MB, 1 GB), [1 GB, 1 TB), and more. The size is that of the whole burst, or with burst minute of the minute itself. Counts are minutes of all jobs together; mostlySmall are jobs with more than half of their I/O minutes in bursts of 1 KB to 1 MB, mostlyMedium with more than 90 % in 1 MB to 1 GB.",
  reading: "Minutes without writes are a class, so that shares of a job add up to one.",
  options: ["maxGapMinutes", "burst"],
  values: {
    mostlySmall: ["count", "jobs mostly at 1 KB to 1 MB"],
    mostlyMedium: ["count", "jobs mostly at 1 MB to 1 GB"],
    mostlySmallShare: ["share", "mostly at 1 KB to 1 MB", { quartz: 0.73 }],
    mostlyMediumShare: ["share", "mostly at 1 MB to 1 GB"],
    ...classInfos(BYTE_NAMES, (_, i) => BYTE_LABELS[i] as string),
  },
  narrative: ({ text }) =>
    `${text("mostlySmallShare")} of the jobs with I/O spend more than half of their I/O minutes in bursts of 1 KB to 1 MB (paper: 73 %), and ${text("mostlyMediumShare")} more than 90 % in bursts of 1 MB to 1 GB.`,
  measure(prepared) {
    const { series } = prepared;
    const shares = classShares(series.byteClass, BYTE_NAMES.length, series.count);
    const n = shares[0]?.length ?? 0;
    const { small, medium } = mostlyFlags(prepared);
    const ones = (flags: Uint8Array) => flags.reduce((sum, flag) => sum + flag, 0);
    return {
      n,
      unit: "jobs with I/O",
      dropped: { "jobs with minutes without bytes": series.count - n },
      values: {
        mostlySmall: ones(small),
        mostlyMedium: ones(medium),
        mostlySmallShare: share(ones(small), n),
        mostlyMediumShare: share(ones(medium), n),
        ...classSums(series.byteClass, BYTE_NAMES, series.count),
        ...Object.fromEntries(BYTE_NAMES.map((name, i) => [`${name}MeanShare`, mean(shares[i] ?? [])])),
      },
      figures: () =>
        n === 0
          ? []
          : [
              classBars(
                "figure-13-bursts",
                "I/O minutes by burst size",
                "size of the burst",
                BYTE_LABELS,
                shares,
                n,
              ),
            ],
    };
  },
});
