/** Days as calendars, and shares of a day's bytes. */
import { mean, quantileOf } from "../../../base/statistics.ts";
import { type CalendarLabels, monthCalendar, weekCalendar } from "./charts.ts";
import { clusterId, clusterTitle } from "./cluster-parts.ts";
import { type Day, PAPER_YEAR, yearNotes, yearOf } from "./days.ts";
import { drawn, share } from "./item.ts";
import type { SystemOptions } from "./options.ts";
import type { Prepared } from "./prepare.ts";

/** Of each cluster by month and by weekday; none where the days are not of one year. */
export function calendars(
  id: string,
  what: string,
  prepared: Prepared,
  daysOf: (part: Prepared) => ReadonlyMap<number, number>,
  labels: CalendarLabels,
  note: (days: ReadonlyMap<number, number>) => string,
) {
  return prepared.clusterParts().flatMap(({ name, prepared: part }) => {
    const days = daysOf(part);
    return calendarsOf(id, what, name, days, part.options, labels, note(days));
  });
}

function calendarsOf(
  id: string,
  what: string,
  cluster: string,
  days: ReadonlyMap<number, number>,
  options: SystemOptions,
  labels: CalendarLabels,
  note: string,
) {
  const year = yearOf(days.keys(), options);
  if (Number.isNaN(year) || yearNotes(days.keys(), options).length > 0) return [];
  const why = yearText(year, options);
  return [
    drawn({
      id: clusterId(`${id}a-months`, cluster),
      title: clusterTitle(`${what} by day, ${year}`, cluster),
      caption: `Days of ${year} in ${options.zone}, month × day. ${why}${note}`,
      summary: `${what} of the days of ${year}.`,
      chart: monthCalendar(days, year, labels),
    }),
    drawn({
      id: clusterId(`${id}b-weeks`, cluster),
      title: clusterTitle(`${what} by weekday, ${year}`, cluster),
      caption: `The same days, weekday × week. ${why}${note}`,
      summary: `${what} of the days of ${year} by weekday.`,
      chart: weekCalendar(days, year, labels),
    }),
  ];
}

/** Why it is this year, unless it was asked for. */
const yearText = (year: number, options: SystemOptions): string =>
  options.year !== 0
    ? ""
    : year === PAPER_YEAR
      ? `The year of the paper. `
      : `The paper covers ${PAPER_YEAR}, for which there is no data here. `;

/** Figures 7 and 8 have shares of days; the bars beside them are sums, which only help to compare. */
export const SHARE_LABELS = (name: string): CalendarLabels => ({
  value: { label: "share of the day's bytes", unit: "share" },
  name,
  role: "neutral",
  top: "shares, summed over the rows",
  right: "summed",
});

export const longestShare = ({ longestBytes, bytes }: Day) => longestBytes / bytes;

export function shareValues<T extends Day>(days: readonly T[], of: (day: T) => number) {
  const shares = Float64Array.from(days, of);
  const above = (limit: number) => share(shares.filter((one) => one > limit).length, shares.length);
  return {
    days: days.length,
    meanShare: mean(shares),
    medianShare: quantileOf(shares, 0.5),
    daysAbove10Percent: above(0.1),
    daysAbove50Percent: above(0.5),
  };
}

export const SHARE_VALUES = {
  meanShare: ["share", "share of a day, mean"],
  medianShare: ["share", "share of a day, median"],
  daysAbove10Percent: ["share", "days with more than 10 %"],
  daysAbove50Percent: ["share", "days with more than 50 %"],
} as const;
