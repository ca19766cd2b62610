/** Quiet hours as a document. */
import { formatBytes, formatMany, formatScaled, formatShare } from "../../base/units.ts";
import type { Block, Cell, Document } from "../../model/index.ts";
import { MEASURE_WORDS, measureUnit } from "./amounts.ts";
import { type About, bar, cell, spark, table } from "./blocks.ts";
import type { QuietAnswer, QuietWindow, Spread } from "./quiet.ts";
import { windowText } from "./window.ts";

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

/** 75 is 01:15. */
const clockText = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

const windowName = ({ startMinute, endMinute }: QuietWindow) =>
  `${clockText(startMinute)} to ${clockText(endMinute)}`;

/** Hours in which jobs should not start, from the system study; if none, with the reason. */
interface ContentionHours {
  readonly hours: readonly number[];
  readonly verdict: string;
  readonly reason: string;
}

export function quietDocument(
  answer: QuietAnswer,
  targets: string,
  /** Null: not computed. */
  contention: ContentionHours | null,
  about: About,
): Document {
  const { window, zone, days, source, measure } = answer;
  return {
    title: `Quiet hours of ${targets}`,
    facts: [
      { label: "Targets", text: targets },
      { label: "Time", text: windowText(window, zone) },
      { label: "Days", text: String(days) },
      {
        label: "Counted by",
        text: source === "targets" ? "targets, all load" : "targets, per job (job_stats)",
      },
      { label: "Load", text: MEASURE_WORDS[measure] },
    ],
    verdict: verdictOf(answer),
    sections: [
      ...(answer.quietest === null
        ? []
        : [{ id: "answer", title: "Windows", blocks: answerBlocks(answer, contention) }]),
      ...(days === 0
        ? []
        : [
            { id: "hours", title: "By hour of day", blocks: hourBlocks(answer) },
            { id: "hours-figure", title: "Figure by hour", detail: true, blocks: [hourFigure(answer)] },
            { id: "weekdays", title: "By weekday", blocks: weekdayBlocks(answer) },
          ]),
    ],
    command: about.command,
    madeBy: about.madeBy,
  };
}

const amount = ({ measure }: QuietAnswer, value: number) =>
  Number.isNaN(value)
    ? "unknown"
    : measureUnit(measure) === "bytes"
      ? formatBytes(value)
      : `${formatScaled(value, "").trim()} ${MEASURE_WORDS[measure]}`;

function verdictOf(answer: QuietAnswer): string {
  const { quietest, quieterBy, sureness, zone, lengthMinutes } = answer;
  const { verdict, leastDays, quieterDays, testedDays } = sureness;
  if (quietest === null)
    return `Not enough data: no day has samples for a complete window of ${formatMany(lengthMinutes, "minute")}.`;
  if (verdict === "not enough data")
    return `Not enough data: ${formatMany(quietest.days, "day")} with samples for the whole window; naming quiet hours takes at least ${leastDays}.`;
  const tested = `chosen on half of the days and tested on the other half, it was quieter than the median window on ${quieterDays} of ${testedDays} days`;
  if (verdict === "not sure")
    return `No hours are reliably quiet: ${windowName(quietest)} (${zone}) has the least load, but ${tested}, which may be chance.`;
  return `Quietest is ${windowName(quietest)} (${zone}): ${formatShare(quieterBy)} less than a typical window; ${tested}.`;
}

function answerBlocks(answer: QuietAnswer, contention: ContentionHours | null): Block[] {
  const { quietest, busiest, typical, busyHours, busyRatio, lengthMinutes, zone } = answer;
  const row = (name: string, one: QuietWindow | null): Cell[][] =>
    one === null
      ? []
      : [[name, windowName(one), cell(one.median), cell(one.p90), cell(one.median / typical), one.days]];
  const unit = measureUnit(answer.measure) === "bytes" ? "bytes" : "count";
  const named = (hours: readonly number[]) => hours.map((hour) => clockText(hour * 60)).join(", ");
  return [
    table(
      "windows",
      `Load of a window of ${formatMany(lengthMinutes, "minute")}, over days; a typical window has ${amount(answer, typical)}.`,
      [
        ["which", "Window", "text", "Least and most load by the median over days."],
        ["time", `Time (${zone})`, "text", "From and to."],
        ["median", "Median", unit, "Median over days."],
        ["p90", "90 % of days", unit, "90th percentile over days."],
        ["ratio", "vs typical", "ratio", "Median / median of all windows."],
        ["days", "Days", "count", "Days with samples for the whole window."],
      ],
      [...row("quietest", quietest), ...row("busiest", busiest)],
    ),
    {
      kind: "text",
      text:
        answer.sureness.verdict === "not enough data"
          ? `Busy hours: not enough data (at least ${answer.sureness.leastDays} days).`
          : busyHours.length === 0
            ? `Busy hours: none has ${busyRatio} times the load of the median hour.`
            : `Busy hours (at least ${busyRatio} times the median hour): ${named(busyHours)}.`,
    },
    {
      kind: "text",
      text:
        contention === null
          ? "Contention hours are not computed here, since they need all minutes of the store; see plimsoll study system."
          : contention.hours.length > 0
            ? `Contention hours (jobs that start then move more data and take longer for the same I/O, as in study system): ${named(contention.hours)}.`
            : contention.verdict === "insufficient"
              ? `Contention hours cannot be judged (O15 of study system). ${contention.reason}`
              : "Contention hours: none; jobs do not take longer at high load (O15 of study system).",
    },
  ];
}

function spreadTable(
  id: string,
  label: string,
  names: readonly string[],
  spreads: readonly Spread[],
  answer: QuietAnswer,
): Block {
  const most = spreads.reduce((all, { median }) => Math.max(all, median || 0), 0);
  return table(
    id,
    `${sentence(MEASURE_WORDS[answer.measure])} per hour: median and 90th percentile over days.`,
    [
      [id, label, "text", "Local time."],
      ["median", "Median", measureUnit(answer.measure) === "bytes" ? "bytes" : "count", "Median over days."],
      [
        "p90",
        "90 % of days",
        measureUnit(answer.measure) === "bytes" ? "bytes" : "count",
        "90th percentile over days.",
      ],
      ["days", "Days", "count", "Days with samples."],
      ["bar", "Median", "text", "The median as a bar."],
    ],
    spreads.map(({ median, p90, days }, at) => [
      names[at] as string,
      cell(median),
      cell(p90),
      days,
      bar(median / most, 20),
    ]),
  );
}

const HOURS = Array.from({ length: 24 }, (_, hour) => clockText(hour * 60));

function hourBlocks(answer: QuietAnswer): Block[] {
  return [spreadTable("hour", `Hour (${answer.zone})`, HOURS, answer.hours, answer)];
}

function hourFigure({ hours, measure, zone, lengthMinutes, days }: QuietAnswer): Block {
  return {
    kind: "figure",
    figure: {
      id: "load-by-hour",
      title: "Load by hour of day",
      caption: `${sentence(MEASURE_WORDS[measure])} per hour over ${formatMany(days, "day")}: median and 90th percentile.`,
      summary: "Median and 90th percentile of each hour of the day.",
      definition: "L02@1",
      options: { zone, lengthMinutes },
      chart: {
        kind: "bars",
        direction: "vertical",
        stacked: false,
        categories: HOURS,
        categoryLabel: `hour (${zone})`,
        value: { label: MEASURE_WORDS[measure], unit: measureUnit(measure) },
        series: [
          { name: "median", role: "neutral", values: hours.map(({ median }) => median) },
          { name: "90 % of days", role: "other", values: hours.map(({ p90 }) => p90) },
        ],
      },
    },
  };
}

function weekdayBlocks(answer: QuietAnswer): Block[] {
  const { weekdayHours, zone } = answer;
  const rows = WEEKDAYS.map((name, day) => [name, spark(weekdayHours.slice(24 * day, 24 * day + 24))]);
  return [
    spreadTable("weekday", "Weekday", WEEKDAYS, answer.weekdays, answer),
    table(
      "weekday-hours",
      `Medians by hour, 00 to 23 (${zone}), each weekday on its own scale.`,
      [
        ["weekday", "Weekday", "text", "Weekday."],
        ["hours", "00    06    12    18", "text", "One character per hour."],
      ],
      rows,
    ),
  ];
}
