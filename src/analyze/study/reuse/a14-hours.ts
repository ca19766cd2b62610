import { mean, quantileOf, spearman } from "../../../base/statistics.ts";
import type { BarsChart } from "../../../model/index.ts";
import { defineItem, drawn, share, table } from "./item.ts";
import type { Prepared } from "./prepare.ts";

interface Hour {
  readonly hour: number;
  readonly bytes: bigint;
  readonly accesses: number;
  /** I/O time over the longest of the same file; mean or median. */
  readonly timeShare: number;
  readonly cov: number;
  /** Pairs of file and hour behind the variation. */
  readonly cells: number;
}

/** For ρ: fewer hours than this with both values say nothing. */
export const HOURS_MIN = 6;

export const a14 = defineItem({
  id: "A14",
  from: "files",
  definition: "A14@1",
  title: "Hour of the day",
  place: "figures 9a to 9c, finding 9",
  section: "hours",
  about:
    "By the local hour in which the run started: (a) bytes; (b) I/O time of an access over the longest I/O time over all runs of its file, mean per hour; (c) per file and hour with at least minRunsPerCell runs the CoV of I/O time, mean per hour. Spearman's ρ over the hours that have (b) and (c). When clocks go back, the extra hour has the same label as the hour before.",
  reading:
    "Only 24 points, and both measures depend on the number of runs per cell: read ρ with its interval.",
  options: ["zone", "ioTime", "ddof", "hourStatistic", "minRunsPerCell", "metadataOnly", "partial"],
  values: {
    spearman: ["none", "Spearman's ρ of I/O time and CoV", -0.94],
    hoursWithBoth: ["count", "hours with I/O time and CoV"],
    peakHour: ["hour", "hour with most data", 4, "3 to 5 h"],
    slowestHour: ["hour", "slowest hour", undefined, "3 to 5 h and a few hours after"],
    steadiestHour: ["hour", "steadiest hour", undefined, "peak hours"],
    meanCov: ["share", "mean CoV of the hours"],
    lowestHourCov: ["share", "lowest CoV of an hour", 0.2, "over 20 % at all times"],
    bytes: ["bytes", "bytes"],
    cells: ["count", "pairs of file and hour"],
  },
  narrative: ({ number, text }) =>
    `Most data moves in runs that start at ${number("peakHour")} h (paper: 3 to 5 h); I/O takes longest in those that start at ${number("slowestHour")} h. I/O time and its variation have a Spearman correlation of ${number("spearman")} (-0.94). The variation is ${text("meanCov")} over the hours, and ${text("lowestHourCov")} in the steadiest (above 20 % in all).`,
  async measure(prepared) {
    const { options } = prepared;
    const { hours, dropped, cells } = hoursOfDay(prepared);
    const both = hours.filter(({ timeShare, cov }) => !Number.isNaN(timeShare) && !Number.isNaN(cov));
    const rho =
      both.length < HOURS_MIN
        ? Number.NaN
        : spearman(
            both.map(({ timeShare }) => timeShare),
            both.map(({ cov }) => cov),
          );
    const n = hours.reduce((sum, { accesses }) => sum + accesses, 0);
    return {
      n,
      unit: "accesses",
      dropped,
      values: {
        spearman: rho,
        hoursWithBoth: both.length,
        peakHour: n === 0 ? Number.NaN : highest(hours, ({ bytes }) => Number(bytes)),
        slowestHour: both.length === 0 ? Number.NaN : highest(hours, ({ timeShare }) => timeShare),
        steadiestHour: both.length === 0 ? Number.NaN : highest(hours, ({ cov }) => -cov),
        meanCov: mean(both.map(({ cov }) => cov)),
        lowestHourCov: both.length === 0 ? Number.NaN : Math.min(...both.map(({ cov }) => cov)),
        bytes: hours.reduce((sum, { bytes }) => sum + bytes, 0n),
        cells,
      },
      tables: n === 0 ? [] : [hoursTable(hours)],
      figures: () => (n === 0 ? [] : figures(hours, rho, options.zone)),
    };
  },
});

function highest(hours: readonly Hour[], of: (hour: Hour) => number): number {
  let best = Number.NaN;
  let most = -Infinity;
  for (const hour of hours)
    if (of(hour) > most) {
      most = of(hour);
      best = hour.hour;
    }
  return best;
}

/** Hours of the day, with what each of them stands on. */
function hoursOfDay({ options, scan }: Prepared) {
  const { hours: found, facts } = scan;
  const median = options.hourStatistic === "median";
  const hours: Hour[] = Array.from({ length: 24 }, (_, hour) => ({
    hour,
    bytes: found.bytes.value(hour),
    accesses: found.accesses[hour] as number,
    timeShare: median
      ? quantileOf(found.allShares[hour]?.values() ?? [], 0.5)
      : share(found.shares[hour] as number, found.timed[hour] as number),
    cov: median
      ? quantileOf(found.allCovs[hour]?.values() ?? [], 0.5)
      : share(found.covs[hour] as number, found.cells[hour] as number),
    cells: found.cells[hour] as number,
  }));
  const cells = found.cells.reduce((sum, count) => sum + count, 0);
  return {
    hours,
    cells,
    dropped: {
      "accesses with a wrong clock": facts.badClock,
      "accesses without I/O time": facts.timedNoIo,
      "accesses of incomplete modules (times)": facts.timedPartial,
      "pairs of file and hour with too few runs or no I/O time": found.pairs - cells,
    },
  };
}

/** Busy and slow: more bytes and longer I/O than the mean hour. */
function avoidable(hours: readonly Hour[]): boolean[] {
  const bytes = mean(hours.map((hour) => Number(hour.bytes)));
  const times = hours.map(({ timeShare }) => timeShare).filter((time) => !Number.isNaN(time));
  const slow = mean(times);
  return hours.map((hour) => Number(hour.bytes) > bytes && hour.timeShare > slow);
}

function hoursTable(hours: readonly Hour[]) {
  const avoid = avoidable(hours);
  return table(
    "hours",
    "Hours of the day by run start; to avoid: more data and longer I/O than in the mean hour.",
    [
      ["hour", "Hour", "index", "Local hour in which the run started."],
      ["bytes", "Data", "bytes", "Bytes of accesses of runs that started in this hour."],
      ["accesses", "Accesses", "count", "Accesses of selected files."],
      ["timeShare", "I/O time", "share", "Relative to the longest I/O time of the same file."],
      ["cov", "CoV", "share", "Variation of I/O time within file and hour."],
      ["cells", "Cells", "count", "Pairs of file and hour behind the variation."],
      ["avoid", "Avoid", "text", "yes: busy and slow."],
    ],
    hours.map((hour, index) => [
      hour.hour,
      hour.bytes,
      hour.accesses,
      hour.timeShare,
      hour.cov,
      hour.cells,
      avoid[index] ? "yes" : "no",
    ]),
  );
}

function figures(hours: readonly Hour[], rho: number, zone: string) {
  const bars = (label: string, unit: BarsChart["value"]["unit"], values: readonly number[]): BarsChart => ({
    kind: "bars",
    direction: "vertical",
    stacked: false,
    categories: hours.map(({ hour }) => String(hour)),
    categoryLabel: `hour of the start, ${zone}`,
    value: { label, unit },
    series: [{ name: label, role: "neutral", values }],
  });
  const n = hours.reduce((sum, { accesses }) => sum + accesses, 0);
  const cells = hours.reduce((sum, hour) => sum + hour.cells, 0);
  return [
    drawn({
      id: "figure-9a-data-by-hour",
      title: "Data by hour of the day",
      caption: `${n} accesses by the local hour in which their run started.`,
      summary: `Most data moves in runs that start at ${highest(hours, ({ bytes }) => Number(bytes))} h.`,
      chart: bars(
        "data",
        "bytes",
        hours.map(({ bytes }) => Number(bytes)),
      ),
    }),
    drawn({
      id: "figure-9b-time-by-hour",
      title: "I/O time by hour of the day",
      caption: "I/O time of an access / longest I/O time of the same file, mean per hour.",
      summary: `I/O takes longest in runs that start at ${highest(hours, ({ timeShare }) => timeShare)} h.`,
      chart: bars(
        "I/O time, relative to longest",
        "share",
        hours.map(({ timeShare }) => timeShare),
      ),
    }),
    drawn({
      id: "figure-9c-variation-by-hour",
      title: "Variation of I/O time by hour of the day",
      caption: `Coefficient of variation over ${cells} pairs of file and hour; Spearman's ρ with the I/O time ${rho.toFixed(2)}.`,
      summary: `Spearman's ρ between I/O time and its variation is ${rho.toFixed(2)}.`,
      chart: bars(
        "CoV of I/O time",
        "share",
        hours.map(({ cov }) => cov),
      ),
    }),
    drawn({
      id: "figure-9d-runs-by-hour",
      title: "Accesses by hour of the day",
      caption: "Number of accesses per hour in the figures above.",
      summary: `${n} accesses in total.`,
      chart: bars(
        "accesses",
        "count",
        hours.map(({ accesses }) => accesses),
      ),
    }),
  ];
}
