/** Findings of a week: at most three, by how far each exceeds its limit. */
import { commandLine } from "../../base/command-line.ts";
import { formatBytes, formatCount, formatShare } from "../../base/units.ts";
import { measured } from "./amounts.ts";
import { fullName } from "./targets.ts";
import { usualOf, volumeOf, type WeekAnswer, type WeekNumbers } from "./week.ts";

interface WeekFinding {
  readonly id: string;
  /** Value / limit. */
  readonly weight: number;
  readonly text: string;
  readonly advice: string;
}

const LIMITS = {
  /** Volume / mean of the previous weeks, up or down. */
  volume: 1.25,
  latency: 1.3,
  full: 0.8,
  account: 0.3,
  metadata: 0.25,
  /** First target / mean of its kind. */
  target: 1.5,
  /** Share of the week without samples. */
  gaps: 0.02,
};
const MOST = 3;

export function weekFindings(answer: WeekAnswer): WeekFinding[] {
  return [
    ...volume(answer),
    ...latencies(answer),
    ...fullest(answer),
    ...accounts(answer),
    ...metadata(answer),
    ...unevenTargets(answer),
    ...gaps(answer),
  ]
    .filter(({ weight }) => weight >= 1)
    .sort((a, b) => b.weight - a.weight || (a.id < b.id ? -1 : 1))
    .slice(0, MOST);
}

function volume({ week, before }: WeekAnswer): WeekFinding[] {
  const ratio = volumeOf(week) / usualOf(before, volumeOf);
  if (!(ratio > 0) || !Number.isFinite(ratio)) return [];
  const isMore = ratio >= 1;
  return [
    {
      id: isMore ? "more-volume" : "less-volume",
      weight: (isMore ? ratio : 1 / ratio) / LIMITS.volume,
      text: `The file system moved ${ratio.toPrecision(2)} times the bytes of the previous weeks.`,
      advice: "plimsoll compare --a last-week --b week shows whose load changed.",
    },
  ];
}

function latencies({ week, before }: WeekAnswer): WeekFinding[] {
  const kinds: readonly [string, (one: WeekNumbers) => number][] = [
    ["read", (one) => one.readUsecs],
    ["write", (one) => one.writeUsecs],
    ["metadata operation", (one) => one.metadataUsecs],
  ];
  return kinds.flatMap(([name, of]) => {
    const ratio = of(week) / usualOf(before, of);
    if (!(ratio > 0) || !Number.isFinite(ratio)) return [];
    return [
      {
        id: `slow-${name.split(" ")[0]}`,
        weight: ratio / LIMITS.latency,
        text: `A ${name} took ${formatCount(of(week))} µs on the servers, ${ratio.toPrecision(2)} times the mean of the previous weeks.`,
        advice: "Look at the busiest targets and the jobs with small calls.",
      },
    ];
  });
}

function fullest({ fullness: [first] }: WeekAnswer): WeekFinding[] {
  if (first === undefined) return [];
  const grown = first.usedBefore === null ? 0 : Number(first.bytesUsed - first.usedBefore);
  const weeks = grown > 0 ? Number(first.bytesTotal - first.bytesUsed) / grown : Number.NaN;
  const soon = weeks < 52 ? `, and at this rate will be full in ${Math.max(1, Math.round(weeks))} weeks` : "";
  return [
    {
      id: "full",
      // Above the limit every percent counts: a full target stops jobs.
      weight: first.share >= LIMITS.full ? 1 + (first.share - LIMITS.full) / 0.05 : 0,
      text: `${fullName(first)} is ${formatShare(first.share)} full${soon}.`,
      advice:
        first.share < 0.9
          ? "Clean up or move data (lfs_migrate) before it reaches 90 %."
          : "Clean up or move data (lfs_migrate) now: writes slow down above 90 %, and a full target stops jobs.",
    },
  ];
}

function accounts({ accounts: { rows } }: WeekAnswer): WeekFinding[] {
  const first = rows.find(({ id }) => id !== null);
  if (first === undefined || rows.length < 2) return [];
  return [
    {
      id: "one-account",
      weight: first.share / LIMITS.account,
      text: `Account ${first.id} moved ${formatShare(first.share)} of all bytes (${formatBytes(Number(measured(first, "bytes")))}).`,
      advice: "Ask whether this is planned, and whether the load can be spread over time.",
    },
  ];
}

function metadata({ metadataUsers: { rows } }: WeekAnswer): WeekFinding[] {
  const first = rows.find(({ id }) => id !== null);
  if (first === undefined) return [];
  return [
    {
      id: "one-user-metadata",
      weight: first.share / LIMITS.metadata,
      text: `User ${first.id} caused ${formatShare(first.share)} of all metadata operations (${formatCount(Number(first.metadataCalls))}).`,
      advice: "Recommend fewer, larger files; plimsoll top jobs --order metadata lists the jobs.",
    },
  ];
}

function unevenTargets({ targets: { rows, comparison } }: WeekAnswer): WeekFinding[] {
  const [first] = rows;
  if (first === undefined || comparison === null || comparison.targets < 2) return [];
  return [
    {
      id: "uneven-targets",
      weight: (comparison.firstOverMean || 0) / LIMITS.target,
      text: `${fullName(first)} had ${comparison.firstOverMean.toPrecision(2)} times the mean load of ${comparison.targets} ${comparison.kind}s.`,
      advice: `${commandLine(["plimsoll", "who", "--target", first.target])} shows who loaded it.`,
    },
  ];
}

function gaps({ week }: WeekAnswer): WeekFinding[] {
  const missing = 1 - week.seen;
  return [
    {
      id: "gaps",
      weight: missing / LIMITS.gaps,
      text: `${formatShare(missing)} of the week has no samples; volumes are lower bounds.`,
      advice: "Check the collectors and the ingest (plimsoll alerts).",
    },
  ];
}
