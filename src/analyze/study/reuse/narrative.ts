/** The sentences of the paper with the reader's own numbers in them. */
import { formatBytes, formatCount, formatShare } from "../../../base/units.ts";
import type { ItemResult } from "./item.ts";

/** Texts of a value of the item, by key. */
interface Told {
  share(key: string): string;
  bytes(key: string): string;
  count(key: string): string;
  number(key: string): string;
}

const TELL: Readonly<Record<string, (told: Told) => string>> = {
  A01: ({ count, bytes }) =>
    `The store holds ${count("logs")} logs, one per execution, with information on ${count("files")} unique files, ${count("applications")} applications and ${count("users")} users, and ${bytes("bytes")} of data transfer (${bytes("bytesRead")} read, ${bytes("bytesWritten")} written). The paper had 84 million logs, 52 million files, 8,489 applications, 651 users and 12.8 PB.`,
  A02: ({ share }) =>
    `${share("below1GB")} of the files transferred less than 1 GB, and ${share("oneRun")} were accessed by only one run; ${share("below1GBAndOneRun")} are both. In the paper over 99 % transferred less than 1 GB.`,
  A03: ({ count, share }) =>
    `${count("files")} files are I/O-intensive. They carry ${share("shareOfBytes")} of all data; the paper's 8,500 files carried 61 %.`,
  A04: ({ count, bytes, share, number }) =>
    `The selection spans ${count("runs")} runs, ${count("applications")} applications, ${count("users")} users, ${count("files")} files and ${bytes("bytes")} (${bytes("bytesRead")} read, ${bytes("bytesWritten")} written). ${share("usersOfMoreThan2Files")} of the users perform I/O to more than 2 files, with ${number("filesPerUser")} files per user on average (paper: over 70 %, 57 files). The top user moves ${share("topUserShare")} of the data, the top ten ${share("top10UsersShare")}.`,
  A05: ({ share, count }) =>
    `${share("readHeavyShare")} of the files (${count("readHeavy")}) transferred mostly read data, ${share("writeHeavyShare")} (${count("writeHeavy")}) mostly written data, and ${share("readWriteShare")} (${count("readWrite")}) are both read- and write-heavy. The paper has 22 %, 7 % and 71 %.`,
  A06: ({ share, number }) =>
    `${share("oneSided95")} of all runs have a value very close to 1: they either read or write. ${share("readShare")} are read runs and ${share("writeShare")} write runs, ${number("readOverWrite")} times as many. The paper has over 82 %, 69 % and 31 %.`,
  A07: ({ count }) =>
    `There are ${count("readGaps")} gaps between read runs and ${count("writeGaps")} between write runs of a file, and ${count("readStreaks")} streaks of read runs and ${count("writeStreaks")} of write runs.`,
  A08: ({ number, share }) =>
    `The mean inter-arrival time of read runs experienced by a file is ${number("readMeanHours")} hours, that of write runs ${number("writeMeanHours")} hours (paper: 47 and 55). 80 % of the files have at most ${number("readP80Hours")} hours between read runs and ${number("writeP80Hours")} between write runs (paper: 50 to 55); ${share("readLongShare")} and ${share("writeLongShare")} of the files are beyond the limit of gapHours.`,
  A09: ({ number, share }) =>
    `${share("readAtLeast2")} of the files experience 2 or more consecutive read runs and ${share("writeAtLeast2")} 2 or more consecutive write runs (paper: over 80 % and over 65 %); 2 is the rounded mean of ${share("readExactly2")} and ${share("writeExactly2")} (65 % and 50 %). The mean is ${number("readMean")} read runs and ${number("writeMean")} write runs, a factor of ${number("readOverWrite")} (over 14, below 4, 4.3).`,
  A10: ({ share, number, count }) =>
    `${share("sharedByTwoOrMore")} of the files are accessed by at least 2 applications (paper: over 67 %). The mean inter-arrival time of each application is ${number("applicationMeanHours")} hours (31). Of the shared files ${share("sharedReadWrite")} are both read- and write-heavy, ${share("sharedReadHeavy")} read-heavy, ${share("sharedWriteHeavy")} write-heavy (86 %, 12 %, 2 %). ${count("filesOfSeveralUsers")} files were touched by more than one user.`,
  A11: ({ bytes, number }) =>
    `A read run moves ${bytes("readMeanBytes")} on average, a write run ${bytes("writeMeanBytes")}, ${number("writeOverRead")} times as much. From the totals of the paper follow 17 GB and 25 GB.`,
  A12: ({ share, number, count }) =>
    `The least active of ${count("osts")} OSTs is ${share("leastOverMost")} as active as the most active (paper: 13 %). For the number of files this is ${share("filesLeastOverMost")}, for applications ${share("applicationsLeastOverMost")}, for users ${share("usersLeastOverMost")}. The Gini coefficient of the data is ${number("gini")}. ${share("stripeWidth1")} of the files lie on one OST.`,
  A13: ({ bytes, number }) =>
    `With POSIX ${bytes("posixBytesPerRun")} are moved per run and file on average (paper: 260 GB), with a standard deviation over ranks of ${bytes("posixSdBytes")} (below 1.5 GB). The standard deviation of I/O time over ranks is ${number("posixSdSeconds")} s with POSIX, ${number("mpiioSdSeconds")} s with MPI-IO and ${number("stdioSdSeconds")} s with STDIO.`,
  A14: ({ number, share }) =>
    `Most data moves in runs that start at ${number("peakHour")} h (paper: 3 to 5 h); I/O takes longest in those that start at ${number("slowestHour")} h. I/O time and its variation have a Spearman correlation of ${number("spearman")} (-0.94). The variation is ${share("meanCov")} over the hours, and ${share("lowestHourCov")} in the steadiest (above 20 % in all).`,
  A15: ({ share }) =>
    `${share("below5PercentBytes")} of the files have a variation of data below 5 % from run to run (paper: over 80 %). The mean variation of data is ${share("meanCovBytes")} (12 %), that of I/O time ${share("meanCovTime")} (39 %). Write-heavy files vary by ${share("writeHeavyMeanCovBytes")} in data (35 %), read-heavy files by ${share("readHeavyMeanCovTime")} in time (68 %).`,
  A16: ({ share }) =>
    `${share("sequential")} of the calls that tell are sequential; ${share("stripeWidth1")} of the selected files have one stripe; ${share("logsWithoutLustre")} of the logs have no Lustre records.`,
};

/** One paragraph on an item; empty when there is nothing to tell. */
export function narrative(id: string, { values, n }: ItemResult): string {
  const tell = TELL[id];
  if (tell === undefined || n === 0) return "";
  const of = (key: string) => Number(values[key] ?? Number.NaN);
  const known = (key: string, text: (value: number) => string) =>
    Number.isNaN(of(key)) ? "(not known)" : text(of(key));
  return tell({
    share: (key) => known(key, formatShare),
    bytes: (key) => known(key, formatBytes),
    count: (key) => known(key, formatCount),
    number: (key) => known(key, (value) => String(Number(value.toPrecision(3)))),
  });
}
