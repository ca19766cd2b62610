/** A week on one printed page. */
import { formatBytes, formatCount, formatMany, formatShare } from "../../base/units.ts";
import type { Block, Cell, Document, Section } from "../../model/index.ts";
import { measured } from "./amounts.ts";
import { type About, cell, type Column, table } from "./blocks.ts";
import { fullName } from "./targets.ts";
import { usualOf, volumeOf, type WeekAnswer, type WeekNumbers } from "./week.ts";
import { weekFindings } from "./week-findings.ts";
import { localText, windowText } from "./window.ts";

const FULLEST_MAX = 5;

export function weekDocument(answer: WeekAnswer, about: About): Document {
  const { week, before, accounts, users } = answer;
  const findings = weekFindings(answer);
  const ratio = volumeOf(week) / usualOf(before, volumeOf);
  const against = Number.isFinite(ratio)
    ? `, ${ratio.toPrecision(2)} times the mean of the ${before.length === 1 ? "week" : `${before.length} weeks`} before`
    : "";
  return {
    title: `Week of ${localText(about.zone, week.window.from * 60).slice(0, 10)}`,
    facts: [
      { label: "Time", text: windowText(week.window, about.zone) },
      { label: "Sampled", text: `${formatShare(week.seen)} of the time` },
      { label: "Jobs", text: formatCount(accounts.jobs) },
      { label: "Users", text: formatCount(users.users) },
    ],
    verdict: `${formatBytes(Number(week.bytesRead))} were read and ${formatBytes(Number(week.bytesWritten))} written${against}.${findings[0] === undefined ? "" : ` ${findings[0].text}`}`,
    sections: [
      {
        id: "findings",
        title: findings.length === 3 ? "Three findings" : "Findings",
        blocks:
          findings.length === 0
            ? [{ kind: "text", text: "Nothing unusual this week." }]
            : findings.map(
                ({ text, advice }, at): Block => ({ kind: "text", text: `${at + 1}. ${text} ${advice}` }),
              ),
      },
      { id: "volumes", title: "Volumes", blocks: [volumeFigure(answer)] },
      weeksSection(answer, about.zone),
      fullnessSection(answer),
      projectsSection(answer),
    ],
    command: about.command,
    madeBy: about.madeBy,
  };
}

function volumeFigure({ days }: WeekAnswer): Block {
  return {
    kind: "figure",
    figure: {
      id: "volume-by-day",
      title: "Bytes by day",
      caption: "Bytes read and written by day, from target counters.",
      summary: `Bytes read and written on ${formatMany(days.length, "day")}.`,
      definition: "L02@1",
      options: {},
      chart: {
        kind: "bars",
        direction: "vertical",
        stacked: true,
        categories: days.map(({ day }) => day.slice(5)),
        categoryLabel: "day",
        value: { label: "bytes", unit: "bytes" },
        series: [
          { name: "read", role: "read", values: days.map(({ bytesRead }) => Number(bytesRead)) },
          { name: "written", role: "write", values: days.map(({ bytesWritten }) => Number(bytesWritten)) },
        ],
      },
    },
  };
}

function weeksSection({ week, before }: WeekAnswer, zone: string): Section {
  const columns: readonly Column[] = [
    ["week", "Week", "text", "First day."],
    ["bytesRead", "Read", "bytes", "Bytes read."],
    ["bytesWritten", "Written", "bytes", "Bytes written."],
    ["metadataCalls", "Metadata", "count", "All metadata operations."],
    ["readUsecs", "Read µs", "count", "Mean time of a read on the servers, in microseconds."],
    ["writeUsecs", "Write µs", "count", "Mean time of a write on the servers, in microseconds."],
    [
      "metadataUsecs",
      "Metadata µs",
      "count",
      "Mean time of a metadata operation on the servers, in microseconds.",
    ],
    ["seen", "Sampled", "share", "Share of the time with samples."],
  ];
  const usecs = (value: number) => (Number.isNaN(value) ? null : Math.round(value));
  const row = (one: WeekNumbers): Cell[] => [
    localText(zone, one.window.from * 60).slice(0, 10),
    ...[one.bytesRead, one.bytesWritten, one.metadataCalls],
    ...[usecs(one.readUsecs), usecs(one.writeUsecs), usecs(one.metadataUsecs)],
    cell(one.seen),
  ];
  const isTimed = [week, ...before].some(
    (one) => !Number.isNaN(one.readUsecs) || !Number.isNaN(one.writeUsecs),
  );
  const missing: Block = {
    kind: "notice",
    level: "missing",
    text: "Call times are not recorded for these weeks.",
    how: "Lustre 2.13 and later count them; plimsoll collect server reads them.",
  };
  return {
    id: "weeks",
    title: "Compared with previous weeks",
    blocks: [
      table("weeks", "This week first.", columns, [week, ...before].map(row)),
      ...(isTimed ? [] : [missing]),
    ],
  };
}

function fullnessSection({ fullness }: WeekAnswer): Section {
  const section = { id: "fullness", title: "Fill levels" };
  if (fullness.length === 0)
    return {
      ...section,
      blocks: [
        {
          kind: "notice",
          level: "missing",
          text: "The store has no sizes of targets for this week.",
          how: "plimsoll collect server reads kbytestotal and kbytesfree.",
        },
      ],
    };
  const columns: readonly Column[] = [
    ["target", "Target", "text", "OST or MDT."],
    ["bytesUsed", "Used", "bytes", "Used at the end of the week."],
    ["bytesTotal", "Size", "bytes", "Size of the target."],
    ["share", "Full", "share", "Used / size."],
    ["inodes", "Inodes", "share", "Used inodes / all inodes."],
    ["grown", "Grown", "bytes", "Change over the week."],
  ];
  const rows = fullness
    .slice(0, FULLEST_MAX)
    .map((one): Cell[] => [
      ...[fullName(one), one.bytesUsed, one.bytesTotal, cell(one.share), cell(one.inodesShare)],
      one.usedBefore === null ? null : one.bytesUsed - one.usedBefore,
    ]);
  const sum = (of: (one: (typeof fullness)[number]) => bigint) =>
    fullness.reduce((all, one) => all + of(one), 0n);
  const [used, total] = [sum((one) => one.bytesUsed), sum((one) => one.bytesTotal)];
  const known = fullness.every(({ usedBefore }) => usedBefore !== null);
  const grown = known ? used - sum((one) => one.usedBefore ?? 0n) : null;
  rows.push([`all ${fullness.length}`, used, total, cell(Number(used) / Number(total)), null, grown]);
  // Growth is unknown without the week before.
  const shown = fullness.some(({ usedBefore }) => usedBefore !== null) ? columns.length : columns.length - 1;
  return {
    ...section,
    blocks: [
      table(
        "fullness",
        "The fullest targets, and the total.",
        columns.slice(0, shown),
        rows.map((row) => row.slice(0, shown)),
      ),
    ],
  };
}

function projectsSection({ accounts }: WeekAnswer): Section {
  const columns: readonly Column[] = [
    ["account", "Project", "text", "Account of the jobs, from the scheduler."],
    ["jobs", "Jobs", "count", "Jobs with I/O in this week."],
    ["bytesRead", "Read", "bytes", "Bytes read."],
    ["bytesWritten", "Written", "bytes", "Bytes written."],
    ["metadataCalls", "Metadata", "count", "All metadata operations."],
    ["share", "Share", "share", "Share of all bytes."],
  ];
  const { rows, others, unexplained } = accounts;
  const line = (name: string, one: Omit<(typeof rows)[number], "id"> | typeof others): Cell[] => [
    ...[name, one.jobs, one.bytesRead, one.bytesWritten, one.metadataCalls, cell(one.share)],
  ];
  const cells = rows.map((one) => line(one.id ?? "unknown account", one));
  if (others.jobs > 0) cells.push(line(`others (${formatMany(others.accounts ?? 0, "account")})`, others));
  if (unexplained !== null && measured(unexplained, "bytes") > 0n)
    cells.push(line("not in job statistics", unexplained));
  return {
    id: "projects",
    title: "Projects",
    blocks: [table("projects", "By bytes read and written.", columns, cells)],
  };
}
