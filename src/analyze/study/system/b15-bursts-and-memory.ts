import { mean } from "../../../base/statistics.ts";
import {
  classBars,
  classInfos,
  classShares,
  classSums,
  largestShares,
  memoryNotes,
  unknownMemory,
} from "./burst-classes.ts";
import { defineItem, share } from "./item.ts";
import { MEMORY_NAMES } from "./series.ts";

const MEMORY_LABELS: Readonly<Record<string, string>> = {
  none: "no write",
  below1: "< 1 %",
  from1To5: "1–5 %",
  from5To10: "5–10 %",
  from10To50: "10–50 %",
  from50To100: "50–100 %",
  above100: "> 100 %",
};

export const b15 = defineItem({
  id: "B15",
  definition: "B15@1",
  title: "I/O minutes by burst size relative to memory",
  place: "figure 12",
  section: "bursts",
  about:
    "Minutes with writes by the size of their burst as a share of memory: below 1 %, [1, 5), [5, 10), [10, 50), [50, 100] % and above, which the paper lacks. Counts are minutes of all jobs together. Shares of a job's minutes add up to one; with memoryMinutes io, minutes that only read are a separate class (none). neverBeyond1: jobs with minutes without a burst above 1 % of memory, jobs without writes included.",
  reading:
    "Most jobs have all their minutes in the first class: memory says little about the size of a burst.",
  options: ["maxGapMinutes", "burst", "memoryMinutes", "nodeMemory"],
  values: {
    neverBeyond1: ["count", "jobs never above 1 % of memory"],
    neverBeyond1Share: ["share", "never above 1 % of memory", { quartz: 0.9 }],
    allBelow1Share: ["share", "all minutes below 1 % of memory", undefined, "most jobs"],
    all10To50Share: ["share", "all minutes at 10 to 50 % of memory", undefined, "few jobs"],
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
    const whole = (name: string) =>
      share((shares[names.indexOf(name)] ?? new Float64Array()).filter((one) => one === 1).length, n);
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
        allBelow1Share: whole("below1"),
        all10To50Share: whole("from10To50"),
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
                "burst size / memory",
                names.map((name) => MEMORY_LABELS[name] ?? name),
                shares,
                n,
              ),
            ],
    };
  },
});
