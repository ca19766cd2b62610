/** What the storage makes of it: loads of OSTs, waiting ranks, hours of the day, times that vary. */
import { above, below, type Draft } from "../../common/judge.ts";
import { type Evidence, OSTS_MIN } from "./draft.ts";

export const f07 = ({ count, osts, value }: Evidence): Draft => ({
  id: "F07",
  title: "OSTs carry very different loads",
  statement: "Files are spread evenly over the OSTs, but their traffic is not.",
  n: count("A12"),
  minimum: OSTS_MIN,
  unit: "OSTs",
  claims: [
    below(
      "A12.leastOverMost",
      0.5,
      "the least active OST moves less than half of the most active",
      osts.least,
    ),
    {
      ...below("A12.dataOverFiles", 1, "data is less even than files (ratio of their min / max)", osts.ratio),
      measured: value("A12.leastOverMost") / value("A12.filesLeastOverMost"),
    },
  ],
  sensitivity: [
    ["min / max, data", "A12.leastOverMost"],
    ["min / max, files", "A12.filesLeastOverMost"],
    ["min / max, applications", "A12.applicationsLeastOverMost"],
    ["min / max, users", "A12.usersLeastOverMost"],
    ["95th / 5th percentile, data", "A12.p95OverP5"],
    ["Gini, data", "A12.gini"],
  ],
});

export const f08 = ({ layers, value }: Evidence): Draft => ({
  id: "F08",
  title: "Ranks of POSIX runs wait for each other",
  statement: "Ranks move nearly the same amounts, but their I/O times differ, most of all with POSIX.",
  n: Math.min(value("A13.posixFiles") || 0, value("A13.mpiioFiles") || 0),
  unit: "files with each interface",
  claims: [
    {
      ...above("A13.posixOverMpiio", 1, "spread of I/O time over ranks, POSIX / MPI-IO", layers.timeRatio),
      measured: value("A13.posixSdSeconds") / value("A13.mpiioSdSeconds"),
    },
    {
      ...below(
        "A13.posixBytesSpread",
        0.05,
        "spread of bytes over ranks is below 5 % of the data",
        layers.bytesRatio,
      ),
      measured: value("A13.posixSdBytes") / value("A13.posixBytesPerRun"),
      published: 1.5 / 260,
    },
  ],
  sensitivity: [
    ["sd of time, POSIX", "A13.posixSdSeconds"],
    ["sd of time, MPI-IO", "A13.mpiioSdSeconds"],
    ["sd of time, STDIO", "A13.stdioSdSeconds"],
  ],
});

export const f09 = ({ hours, value }: Evidence): Draft => ({
  id: "F09",
  title: "Busy hours are slow but steady",
  statement: "In hours with slow I/O, I/O time varies less; over the day it varies by more than 20 %.",
  n: value("A14.cells") || 0,
  unit: "pairs of file and hour",
  claims: [
    {
      ...below("A14.spearman", 0, "I/O time and its variation diverge over the day", hours.rho),
      range: [-1, 1],
    },
    {
      ...above("A14.meanCov", 0.2, "variation above 20 %, mean over the hours", hours.meanCov),
      published: 0.2,
    },
  ],
  sensitivity: [
    ["least variation of an hour", "A14.lowestHourCov"],
    ["hour with most data", "A14.peakHour"],
    ["hour with the longest I/O", "A14.slowestHour"],
    ["hour with the least variation", "A14.steadiestHour"],
  ],
});

export const f10 = ({ count, files, value }: Evidence): Draft => ({
  id: "F10",
  title: "Bytes repeat, times do not",
  statement:
    "From run to run the data of a file changes little and its I/O time much; read-heavy files vary most in time.",
  n: count("A15"),
  unit: "files",
  claims: [
    {
      ...above("A15.timeOverBytes", 1, "variation of time / variation of data", files.covRatio),
      measured: value("A15.meanCovTime") / value("A15.meanCovBytes"),
      published: 39 / 12,
    },
    {
      ...above(
        "A15.readHeavyOverAll",
        1,
        "variation of time, read-heavy files / all files",
        files.readHeavyTime,
      ),
      measured: value("A15.readHeavyMeanCovTime") / value("A15.meanCovTime"),
      published: 68 / 39,
    },
  ],
  sensitivity: [
    ["mean CoV of data", "A15.meanCovBytes"],
    ["median CoV of data", "A15.medianCovBytes"],
    ["mean CoV of time", "A15.meanCovTime"],
    ["median CoV of time", "A15.medianCovTime"],
    ["share of files with a CoV of data below 5 %", "A15.below5PercentBytes"],
  ],
});
