/** Ranks by I/O time, slowest first: who holds the others up. */
import { formatCount, formatMany } from "../../../base/units.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { secondsText } from "../rules/index.ts";
import type { Drawn, Evident } from "./picture.ts";

/** More are thinned: a pixel can show one. */
const ITEMS_MAX = 512;
/** A line further away than this many times the highest value would leave nothing of the values. */
const LINE_MAX = 4;

export const ranks = (job: Job, finding: Evident): Drawn | undefined =>
  ownTimes(job, finding) ?? sharedTimes(job, finding);

/** Every rank, where ranks have files of their own. */
function ownTimes(job: Job, { evidence }: Evident) {
  const own = job.ledger.ownSeconds;
  if (job.ranks < 2 || own.size === 0 || job.ledger.sharedSeconds > greatest(own.values())) return undefined;
  const sorted = [...own].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const idle = Math.max(0, job.ranks - sorted.length);
  const culprits = new Set(evidence.ranks.filter((rank) => own.has(rank)));
  if (culprits.size === 0) culprits.add((sorted[0] as [number, number])[0]);
  const every = Math.ceil(job.ranks / ITEMS_MAX);
  const shown = sorted.filter(([rank], at) => at % every === 0 || culprits.has(rank));
  const items = shown.map(([rank, seconds]) => ({ name: String(rank), value: seconds }));
  // Each rank that did nothing keeps its place, and its number where few have one.
  const isNumbered = every === 1 && !(job.rankEnd > job.ranks);
  let next = -1;
  for (let at = 0; at < Math.floor(idle / every); at++) {
    do next++;
    while (isNumbered && own.has(next));
    items.push({ name: isNumbered ? String(next) : "without I/O", value: 0 });
  }
  const marked = shown.flatMap(([rank], at) => (culprits.has(rank) ? [at] : []));
  const slow = sorted.filter(([rank]) => culprits.has(rank)).map(([, seconds]) => seconds);
  const rest = sorted.filter(([rank]) => !culprits.has(rank)).map(([, seconds]) => seconds);
  const [most, least] = [greatest(slow), Math.min(...slow)];
  const others = job.ranks - slow.length;
  const restMost = greatest(rest);
  const who = slow.length === 1 ? `rank ${[...culprits][0]}` : formatMany(slow.length, "rank");
  const range =
    most - least > 0.05 * most ? `${secondsText(least)} to ${secondsText(most)}` : secondsText(most);
  const restText = `${formatMany(others, "other rank")}: ${restMost > 0 ? `at most ${secondsText(restMost)}` : "no I/O"}`;
  return {
    title: "I/O time of each rank, slowest first",
    caption: `${formatMany(job.ranks, "rank")}${every > 1 ? `, one of every ${formatCount(every)} drawn` : ""}; time in files that not all ranks share.`,
    summary: `${who}: ${range}; ${restText}.`,
    definition: DEFINITIONS.share.id,
    chart: {
      direction: "vertical" as const,
      itemLabel: "rank",
      items,
      value: { label: "I/O time", unit: "seconds" as const },
      marked,
      markLabel: `${who}: ${range}`,
      restLabel: restText,
      ...runEnd(job, most),
      ...(most > 2 * restMost && { emptyLabel: `waiting, up to ${secondsText(most - restMost)}` }),
    },
  };
}

/** Of a file that all ranks share a log knows the slowest, the fastest and the mean. */
function sharedTimes(job: Job, { evidence }: Evident) {
  const named = evidence.files.flatMap(({ fileId }) => job.file(fileId)?.called ?? []);
  const all = named.length > 0 ? named : job.files.map(({ called }) => called);
  let record: LayerRecord | undefined;
  for (const one of all)
    if (one.ranks > 1 && one.slowestSeconds > (record?.slowestSeconds ?? 0)) record = one;
  if (record === undefined) return undefined;
  const { readSeconds, writeSeconds, metaSeconds, ranks: count, slowestRank, fastestRank } = record;
  const mean = ((readSeconds || 0) + (writeSeconds || 0) + (metaSeconds || 0)) / count;
  const { slowestSeconds, fastestSeconds } = record;
  const items = [
    { name: `rank ${slowestRank}, the slowest`, value: slowestSeconds },
    { name: `mean of ${formatCount(count)} ranks`, value: mean },
    ...(fastestSeconds >= 0 ? [{ name: `rank ${fastestRank}, the fastest`, value: fastestSeconds }] : []),
  ];
  return {
    title: "I/O time of ranks in the shared file",
    caption: `${record.path}: for a file that all ranks share, the log has the slowest rank, the fastest and the sum.`,
    summary: items.map(({ name, value }) => `${name}: ${secondsText(value)}`).join("; "),
    definition: DEFINITIONS.share.id,
    chart: {
      direction: "horizontal" as const,
      itemLabel: "rank",
      items,
      value: { label: "I/O time", unit: "seconds" as const },
      marked: [0],
      markLabel: `rank ${slowestRank}: ${secondsText(slowestSeconds)}, the mean ${secondsText(mean)}`,
      ...runEnd(job, slowestSeconds),
    },
  };
}

const runEnd = (job: Job, most: number) =>
  job.runSeconds > 0 && job.runSeconds <= LINE_MAX * most
    ? { line: { value: job.runSeconds, label: `end of the run, ${secondsText(job.runSeconds)}` } }
    : {};

function greatest(values: Iterable<number>): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
}
