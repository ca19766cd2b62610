/**
 * The ten findings of the paper, judged for this centre. Each is one or more claims "this number lies beyond that bound",
 * put as weakly as the sentence of the paper allows. A claim holds when the number and its whole interval lie beyond the
 * bound, fails when both lie short of it, and is open when the interval covers the bound. A finding is confirmed when all its
 * claims hold, refuted when one fails, and insufficient when one is open or there is too little data to judge.
 */
import type { Interval } from "../../base/bootstrap.ts";
import type { Cell } from "../../model/document.ts";
import type { Queryable } from "../../model/query.ts";
import {
  fileIntervals,
  hourInterval,
  larger,
  layerIntervals,
  ostInterval,
  runIntervals,
  around,
  type DrawnInterval,
} from "./intervals.ts";
import { type ItemResult, steady } from "./item.ts";
import type { ReuseOptions } from "./options.ts";
import { prepare } from "./prepare.ts";

export type Verdict = "confirmed" | "refuted" | "insufficient";

export interface Claim {
  /** Key of the value, with its item: "A05.readWriteShare". */
  readonly key: string;
  readonly text: string;
  readonly published: number | null;
  readonly measured: number;
  readonly interval: readonly [number, number];
  /** `above` or `below` this. */
  readonly side: "above" | "below";
  readonly bound: number;
  readonly state: "holds" | "fails" | "open";
}

export interface StudyFinding {
  readonly id: string;
  readonly title: string;
  readonly statement: string;
  readonly published: number | null;
  readonly measured: number;
  readonly interval: readonly [number, number];
  readonly verdict: Verdict;
  /** Why it is so, in a sentence. */
  readonly reason: string;
  readonly n: number;
  readonly minimum: number;
  /** What n counts. */
  readonly unit: string;
  readonly claims: readonly Claim[];
  /** How the number moves with the thresholds. */
  readonly sensitivity: readonly Sensitivity[];
}

export interface Sensitivity {
  readonly setting: string;
  readonly value: number;
  /** Whose unit it has: "A11.readMeanBytes". */
  readonly key: string;
}

/** Fewer files or runs than this say nothing about a centre; ours. */
const MINIMUM = 30;
const OSTS_MIN = 4;

type Results = Readonly<Record<string, ItemResult>>;

interface Draft {
  readonly id: string;
  readonly title: string;
  readonly statement: string;
  readonly n: number;
  readonly minimum: number;
  readonly unit: string;
  readonly claims: readonly {
    readonly key: string;
    readonly text: string;
    readonly side: "above" | "below";
    readonly bound: number;
    readonly interval: DrawnInterval;
    readonly published?: number;
    readonly measured?: number;
    /** Where the number must lie; an interval scaled from a part of the files may pass its ends. */
    readonly range?: readonly [number, number];
  }[];
  readonly sensitivity: readonly Sensitivity[];
}

export async function judgeFindings(
  db: Queryable,
  options: ReuseOptions,
  results: Results,
): Promise<StudyFinding[]> {
  const prepared = await prepare(db, options);
  const files = fileIntervals(prepared);
  const runs = runIntervals(prepared);
  const osts = await ostInterval(prepared);
  const layers = layerIntervals(prepared);
  const hours = hourInterval(prepared);
  const value = (key: string) => {
    const [item = "", name = ""] = key.split(".");
    return Number(results[item]?.values[name] ?? Number.NaN);
  };
  const published = (key: string) => {
    const [item = "", name = ""] = key.split(".");
    const known = results[item]?.published[name];
    return known === undefined ? null : Number(known);
  };
  const nFiles = prepared.files;
  const sharesOf = (key: string, tableId: string, column: number) =>
    (results[key.slice(0, 3)]?.tables.find((one) => one.id === tableId)?.rows ?? []).map(
      (row: readonly Cell[]) => ({ setting: String(row[0]), value: Number(row[column]), key }),
    );
  const settings = (list: readonly (readonly [string, string])[]) =>
    list.map(([setting, key]) => ({ setting, value: value(key), key }));

  const drafts: Draft[] = [
    {
      id: "F01",
      title: "Files are read-heavy, write-heavy or both",
      statement:
        "Most files are both read and written heavily; of the others more are read-heavy than write-heavy.",
      n: results.A05?.n ?? 0,
      minimum: MINIMUM,
      unit: "files",
      claims: [
        claim("A05.readWriteShare", "more than half of the files are both", "above", 0.5, files.readWrite),
        {
          ...claim(
            "A05.readHeavyOverWriteHeavy",
            "more are read-heavy than write-heavy",
            "above",
            1,
            files.heavyRatio,
          ),
          measured: value("A05.readHeavy") / value("A05.writeHeavy"),
          published: 22 / 7,
        },
      ],
      sensitivity: sharesOf("A05.readWriteShare", "class-sensitivity", 3),
    },
    {
      id: "F02",
      title: "Runs do one type of I/O",
      statement: "Most runs only read or only write, and more read than write.",
      n: results.A06?.n ?? 0,
      minimum: MINIMUM,
      unit: "runs",
      claims: [
        claim("A06.oneSided95", "more than half of the runs are one-sided", "above", 0.5, runs.oneSided),
        claim("A06.readOverWrite", "read runs outnumber write runs", "above", 1, runs.readOverWrite),
      ],
      sensitivity: settings([
        ["|r - w|/(r + w) >= 0.9", "A06.oneSided90"],
        ["|r - w|/(r + w) >= 0.95", "A06.oneSided95"],
        ["|r - w|/(r + w) >= 0.99", "A06.oneSided99"],
      ]),
    },
    {
      id: "F03",
      title: "Files rest for days between runs of a type",
      statement:
        "Read runs and write runs of a file have similar gaps, of two days and more at the 80th percentile.",
      n: Math.min(value("A08.readFiles") || 0, value("A08.writeFiles") || 0),
      minimum: MINIMUM,
      unit: "files",
      claims: [
        claim(
          "A08.readP80Hours",
          "80th percentile of the read gaps beyond two days",
          "above",
          48,
          files.readP80,
        ),
        claim(
          "A08.writeP80Hours",
          "80th percentile of the write gaps beyond two days",
          "above",
          48,
          files.writeP80,
        ),
        {
          ...claim(
            "A08.gapDifference",
            "mean gaps differ by less than a factor of two",
            "below",
            2,
            files.gapRatio,
          ),
          measured: larger(value("A08.readMeanHours"), value("A08.writeMeanHours")),
          published: 55 / 47,
        },
      ],
      sensitivity: settings([
        ["mean gap, read", "A08.readMeanHours"],
        ["mean gap, write", "A08.writeMeanHours"],
        ["median gap, read", "A08.readMedianHours"],
        ["median gap, write", "A08.writeMedianHours"],
        [`share of files from ${options.gapHours} h on, read`, "A08.readLongShare"],
        [`share of files from ${options.gapHours} h on, write`, "A08.writeLongShare"],
      ]),
    },
    {
      id: "F04",
      title: "Data is produced a few times and consumed many times",
      statement: "Read runs follow each other in longer rows than write runs do.",
      n: results.A09?.n ?? 0,
      minimum: MINIMUM,
      unit: "files",
      claims: [
        claim(
          "A09.readOverWrite",
          "read streaks are longer than write streaks",
          "above",
          1,
          files.streakRatio,
        ),
        claim(
          "A09.readAtLeast2",
          "more than half of the files see two read runs in a row",
          "above",
          0.5,
          files.readTwo,
        ),
      ],
      sensitivity: settings([
        ["mean read streak", "A09.readMean"],
        ["mean write streak", "A09.writeMean"],
        ["two or more read runs, rounded mean", "A09.readRoundedAtLeast2"],
        ["two or more write runs", "A09.writeAtLeast2"],
        ["two or more write runs, rounded mean", "A09.writeRoundedAtLeast2"],
      ]),
    },
    {
      id: "F05",
      title: "Files are shared by several applications",
      statement:
        "Most files are touched by two or more applications, whose runs lie hours apart; most shared files are both read and written.",
      n: results.A10?.n ?? 0,
      minimum: MINIMUM,
      unit: "files",
      claims: [
        claim("A10.sharedByTwoOrMore", "more than half of the files are shared", "above", 0.5, files.shared),
        claim(
          "A10.sharedReadWrite",
          "more than half of the shared files are both",
          "above",
          0.5,
          files.sharedReadWrite,
        ),
        claim(
          "A10.applicationMeanHours",
          "runs of an application lie more than two hours apart",
          "above",
          2,
          files.applicationHours,
        ),
      ],
      sensitivity: settings([
        ["two or more applications", "A10.sharedByTwoOrMore"],
        ["three or more applications", "A10.sharedByThreeOrMore"],
        ["median gap of an application", "A10.applicationMedianHours"],
      ]),
    },
    {
      id: "F06",
      title: "Write runs move more data than read runs",
      statement: "A write run moves more data than a read run on average.",
      n: results.A11?.n ?? 0,
      minimum: MINIMUM,
      unit: "runs",
      claims: [
        {
          ...claim(
            "A11.writeOverRead",
            "mean of write runs over mean of read runs",
            "above",
            1,
            runs.writeOverRead,
          ),
          published: 25 / 17,
        },
      ],
      sensitivity: settings([
        ["mean, read runs", "A11.readMeanBytes"],
        ["mean, write runs", "A11.writeMeanBytes"],
        ["median, read runs", "A11.readMedianBytes"],
        ["median, write runs", "A11.writeMedianBytes"],
      ]),
    },
    {
      id: "F07",
      title: "OSTs carry very different loads",
      statement: "Files are spread evenly over the OSTs, but the data that they move is not.",
      n: results.A12?.n ?? 0,
      minimum: OSTS_MIN,
      unit: "OSTs",
      claims: [
        claim(
          "A12.leastOverMost",
          "the least active OST moves less than half of the most active",
          "below",
          0.5,
          osts.least,
        ),
        {
          ...claim(
            "A12.dataOverFiles",
            "data is less even than files (ratio of their least over most)",
            "below",
            1,
            osts.ratio,
          ),
          measured: value("A12.leastOverMost") / value("A12.filesLeastOverMost"),
        },
      ],
      sensitivity: settings([
        ["least over most, data", "A12.leastOverMost"],
        ["least over most, files", "A12.filesLeastOverMost"],
        ["least over most, applications", "A12.applicationsLeastOverMost"],
        ["least over most, users", "A12.usersLeastOverMost"],
        ["95th over 5th percentile, data", "A12.p95OverP5"],
        ["Gini, data", "A12.gini"],
      ]),
    },
    {
      id: "F08",
      title: "Ranks of POSIX runs wait for each other",
      statement: "Ranks move nearly the same amounts, but their I/O times differ, most of all with POSIX.",
      n: Math.min(value("A13.posixFiles") || 0, value("A13.mpiioFiles") || 0),
      minimum: MINIMUM,
      unit: "files with each interface",
      claims: [
        {
          ...claim(
            "A13.posixOverMpiio",
            "spread of I/O time over ranks, POSIX over MPI-IO",
            "above",
            1,
            layers.timeRatio,
          ),
          measured: value("A13.posixSdSeconds") / value("A13.mpiioSdSeconds"),
        },
        {
          ...claim(
            "A13.posixBytesSpread",
            "spread of bytes over ranks is below 5 % of the data",
            "below",
            0.05,
            layers.bytesRatio,
          ),
          measured: value("A13.posixSdBytes") / value("A13.posixBytesPerRun"),
          published: 1.5 / 260,
        },
      ],
      sensitivity: settings([
        ["sd of time, POSIX", "A13.posixSdSeconds"],
        ["sd of time, MPI-IO", "A13.mpiioSdSeconds"],
        ["sd of time, STDIO", "A13.stdioSdSeconds"],
      ]),
    },
    {
      id: "F09",
      title: "Busy hours are slow but steady",
      statement: "Where I/O takes long, its time varies less; over the day it varies by more than a fifth.",
      n: value("A14.cells") || 0,
      minimum: MINIMUM,
      unit: "pairs of file and hour",
      claims: [
        {
          ...claim(
            "A14.spearman",
            "I/O time and its variation fall apart over the day",
            "below",
            0,
            hours.rho,
          ),
          range: [-1, 1],
        },
        {
          ...claim("A14.meanCov", "variation above 20 %, mean over the hours", "above", 0.2, hours.meanCov),
          published: 0.2,
        },
      ],
      sensitivity: settings([
        ["least variation of an hour", "A14.lowestHourCov"],
        ["hour with most data", "A14.peakHour"],
        ["hour with the longest I/O", "A14.slowestHour"],
        ["hour with the least variation", "A14.steadiestHour"],
      ]),
    },
    {
      id: "F10",
      title: "Amounts repeat, times do not",
      statement:
        "From run to run the data of a file changes little and its I/O time much; read-heavy files vary most in time.",
      n: results.A15?.n ?? 0,
      minimum: MINIMUM,
      unit: "files",
      claims: [
        {
          ...claim(
            "A15.timeOverBytes",
            "variation of time over variation of data",
            "above",
            1,
            files.covRatio,
          ),
          measured: value("A15.meanCovTime") / value("A15.meanCovBytes"),
          published: 39 / 12,
        },
        {
          ...claim(
            "A15.readHeavyOverAll",
            "variation of time, read-heavy files over all",
            "above",
            1,
            files.readHeavyTime,
          ),
          measured: value("A15.readHeavyMeanCovTime") / value("A15.meanCovTime"),
          published: 68 / 39,
        },
      ],
      sensitivity: settings([
        ["mean CoV of data", "A15.meanCovBytes"],
        ["median CoV of data", "A15.medianCovBytes"],
        ["mean CoV of time", "A15.meanCovTime"],
        ["median CoV of time", "A15.medianCovTime"],
        ["share of files with a CoV of data below 5 %", "A15.below5PercentBytes"],
      ]),
    },
  ];
  return drafts.map((draft) => finish(draft, value, published, nFiles));
}

const claim = (
  key: string,
  text: string,
  side: "above" | "below",
  bound: number,
  interval: DrawnInterval,
) => ({
  key,
  text,
  side,
  bound,
  interval,
});

const EVERYWHERE = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

function finish(
  draft: Draft,
  value: (key: string) => number,
  published: (key: string) => number | null,
  files: number,
): StudyFinding {
  const claims = draft.claims.map(({ interval: drawn, range: [least, most] = EVERYWHERE, ...one }): Claim => {
    const measured = steady(one.measured ?? value(one.key));
    const { low, high } = around(measured, drawn);
    const interval = { low: Math.max(least, low), high: Math.min(most, high) };
    return {
      ...one,
      measured,
      published: one.published ?? published(one.key),
      interval: [steady(interval.low), steady(interval.high)],
      state: stateOf(measured, interval, one.side, one.bound),
    };
  });
  const first = claims[0] as Claim;
  const enough = files > 0 && draft.n >= draft.minimum;
  const failed = claims.find(({ state }) => state === "fails");
  const open = claims.find(({ state }) => state === "open");
  const [verdict, reason]: [Verdict, string] = !enough
    ? ["insufficient", `Not enough data: ${draft.n} ${draft.unit}, at least ${draft.minimum} are needed.`]
    : failed
      ? ["refuted", `Does not hold here: ${failed.text}.`]
      : open
        ? [
            "insufficient",
            Number.isNaN(open.measured)
              ? `Cannot be measured here: ${open.text}.`
              : `The interval covers the bound: ${open.text}.`,
          ]
        : ["confirmed", "Holds here, with the whole interval."];
  return {
    id: draft.id,
    title: draft.title,
    statement: draft.statement,
    published: first.published,
    measured: first.measured,
    interval: first.interval,
    verdict,
    reason,
    n: draft.n,
    minimum: draft.minimum,
    unit: draft.unit,
    claims,
    sensitivity: draft.sensitivity,
  };
}

function stateOf(
  measured: number,
  { low, high }: Interval,
  side: "above" | "below",
  bound: number,
): Claim["state"] {
  // A quotient by zero is as far beyond a bound as can be; what cannot be measured stays open.
  if (Number.isNaN(measured) || Number.isNaN(low) || Number.isNaN(high)) return "open";
  const [near, far] =
    side === "above"
      ? [Math.min(low, measured), Math.max(high, measured)]
      : [-Math.max(high, measured), -Math.min(low, measured)];
  const limit = side === "above" ? bound : -bound;
  return near > limit ? "holds" : far < limit ? "fails" : "open";
}
