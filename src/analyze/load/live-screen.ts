/** Current load of a file system on a terminal: a line of sums, targets, jobs. */
import { formatCount, formatRate, formatScaled, formatSeconds, formatShare } from "../../base/units.ts";
import { type TextColumn, textTable } from "../../base/text-table.ts";
import {
  addRates,
  type LiveJob,
  type LiveLoad,
  type LiveTarget,
  type LoadRates,
  NO_RATES,
} from "../../model/index.ts";
import { localText } from "./window.ts";

export const LIVE_ORDERS = ["bytes", "write", "read", "operations"] as const;
export type LiveOrder = (typeof LIVE_ORDERS)[number];

const AMOUNTS: Readonly<Record<LiveOrder, (rates: LoadRates) => number>> = {
  bytes: (one) => one.bytesRead + one.bytesWritten,
  write: (one) => one.bytesWritten,
  read: (one) => one.bytesRead,
  operations: (one) => one.operations,
};

interface ScreenOptions {
  readonly order: LiveOrder;
  readonly width: number;
  /** Total lines; rows that do not fit are counted. */
  readonly height: number;
  readonly zone: string;
  readonly nowUnix: number;
  /** Data source and keys. */
  readonly source: string;
  readonly keys?: string;
}

/** Busiest first; ties by name. */
export function ordered(load: LiveLoad, order: LiveOrder): LiveLoad {
  const amount = AMOUNTS[order];
  const by = <T extends LoadRates>(name: (one: T) => string) => {
    return (a: T, b: T) => amount(b) - amount(a) || (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0);
  };
  return {
    ...load,
    targets: [...load.targets].sort(by<LiveTarget>((one) => `${one.fileSystem ?? ""}-${one.target}`)),
    jobs: [...load.jobs].sort(by<LiveJob>((one) => one.id)),
  };
}

/** No line is longer than the width. */
export function liveLines(load: LiveLoad, options: ScreenOptions): string[] {
  const { width, height, order, source, keys } = options;
  const { targets, jobs } = ordered(load, order);
  const head = [
    `${load.synthetic ? "synthetic: " : ""}${source}  ${timeText(load, options)}`,
    totalText(targets, jobs),
    ...load.notices.map((notice) => `note: ${notice}`),
  ];
  const foot = keys === undefined ? [] : [`by ${order}; ${keys}`];
  // Headings, an empty line before each table, and a line for rows that do not fit.
  const room = Math.max(2, height - head.length - foot.length - 6);
  const busy = jobs.filter((one) => Object.keys(NO_RATES).some((key) => one[key as keyof LoadRates] > 0));
  const forTargets = Math.min(targets.length, Math.max(room - busy.length, Math.ceil(room / 2)));
  const shownTargets = targets.slice(0, forTargets);
  const shownJobs = busy.slice(0, Math.max(1, room - forTargets));
  const lines = [
    ...head,
    "",
    ...table(TARGET_COLUMNS, shownTargets, width),
    ...leftOut(targets.length - shownTargets.length, "target"),
    "",
    ...table(JOB_COLUMNS, shownJobs, width),
    ...leftOut(busy.length - shownJobs.length, "job"),
    ...foot,
  ];
  return lines.map((line) => line.slice(0, width));
}

const leftOut = (count: number, what: string): string[] =>
  count <= 0 ? [] : [`… ${count} more ${what}${count === 1 ? "" : "s"}`];

function timeText({ fromUnix, toUnix }: LiveLoad, { zone, nowUnix }: ScreenOptions): string {
  const seconds = toUnix - fromUnix;
  const age = nowUnix - toUnix;
  const silent = age > Math.max(300, 3 * seconds) ? " (silent)" : "";
  return `${localText(zone, toUnix)} ${zone}, over ${formatSeconds(seconds)}, ${age < 0 ? "by a clock that is ahead" : `${ageText(age)} ago${silent}`}`;
}

function ageText(seconds: number): string {
  const [size, unit] =
    seconds < 120
      ? [1, "s"]
      : seconds < 7200
        ? [60, "min"]
        : seconds < 172_800
          ? [3600, "h"]
          : [86_400, "days"];
  return `${formatCount(seconds / size)} ${unit}`;
}

function totalText(targets: readonly LiveTarget[], jobs: readonly LiveJob[]): string {
  const sum = targets.reduce<LoadRates>(addRates, NO_RATES);
  const ofMdts = targets.filter(({ target }) => /^MDT/i.test(target)).reduce<LoadRates>(addRates, NO_RATES);
  const recovering = targets.filter(
    ({ recovery }) => recovery !== null && /^(RECOVERING|WAITING)/.test(recovery),
  );
  return `${targets.length} targets: ${formatRate(sum.bytesRead)} read, ${formatRate(sum.bytesWritten)} written, ${count(ofMdts.operations)} metadata operations/s; ${jobs.length} jobs${recovering.length > 0 ? `; ${recovering.length} recovering` : ""}`;
}

interface Shown<T> extends TextColumn {
  readonly text: (one: T) => string;
  /** Columns with higher numbers are dropped first on narrow terminals. */
  readonly place: number;
}

const count = (value: number) => formatScaled(value, "").trim();
const rate = (value: number) => (value === 0 ? "0" : formatRate(value));
const time = (value: number | null) => {
  if (value === null) return "-";
  const [scaled, unit] = value < 1e-3 ? [1e6 * value, "us"] : value < 1 ? [1e3 * value, "ms"] : [value, "s"];
  return `${scaled.toPrecision(3).replace(/\.?0+$/, "")} ${unit}`;
};
const share = (value: number | null) => (value === null ? "-" : formatShare(value));
const plain = (text: string) => text.replace(/[\x00-\x1f\x7f-\x9f]+/g, " ");

const TARGET_COLUMNS: readonly Shown<LiveTarget>[] = [
  {
    ...{ label: "target", place: 0, max: 28 },
    text: (one) => plain(one.fileSystem === null ? one.target : `${one.fileSystem}-${one.target}`),
  },
  { label: "server", place: 8, max: 16, text: (one) => plain(one.server ?? "-") },
  { label: "read", place: 1, right: true, text: (one) => rate(one.bytesRead) },
  { label: "written", place: 1, right: true, text: (one) => rate(one.bytesWritten) },
  { label: "ops/s", place: 2, right: true, text: (one) => count(one.operations) },
  { label: "a read", place: 6, right: true, text: (one) => time(one.secondsPerRead) },
  { label: "a write", place: 5, right: true, text: (one) => time(one.secondsPerWrite) },
  { label: "an op", place: 7, right: true, text: (one) => time(one.secondsPerOperation) },
  { label: "full", place: 3, right: true, text: (one) => share(one.bytesUsedShare) },
  { label: "inodes", place: 4, right: true, text: (one) => share(one.inodesUsedShare) },
  {
    ...{ label: "state", place: 9, max: 20 },
    text: (one) =>
      one.recovery === null || one.recovery === "COMPLETE" ? "" : plain(one.recovery.toLowerCase()),
  },
];

const JOB_COLUMNS: readonly Shown<LiveJob>[] = [
  { label: "job", place: 0, max: 32, text: (one) => (one.id === "" ? "(no job id)" : plain(one.id)) },
  { label: "user", place: 3, max: 16, text: (one) => plain(one.user ?? "-") },
  { label: "read", place: 1, right: true, text: (one) => rate(one.bytesRead) },
  { label: "written", place: 1, right: true, text: (one) => rate(one.bytesWritten) },
  { label: "ops/s", place: 2, right: true, text: (one) => count(one.operations) },
  { label: "writes/s", place: 4, right: true, text: (one) => count(one.writes) },
  {
    label: "targets",
    place: 5,
    right: true,
    text: (one) => (one.targets === null ? "-" : String(one.targets)),
  },
];

/** As many columns as fit, the less important ones left out. */
function table<T>(columns: readonly Shown<T>[], rows: readonly T[], width: number): string[] {
  let shown = columns;
  for (;;) {
    const lines = textTable(
      shown,
      rows.map((row) => shown.map(({ text }) => text(row))),
    );
    const worst = Math.max(...shown.map(({ place }) => place));
    if (shown.length <= 2 || Math.max(...lines.map((line) => line.length)) <= width) return lines;
    shown = shown.filter(({ place }) => place !== worst);
  }
}
