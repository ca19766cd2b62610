/** One user or account as a document. */
import { formatBytes, formatCount, formatMany, formatShare } from "../../base/units.ts";
import type { Block, Document, Figure, Role } from "../../model/index.ts";
import { type Amounts, shareOf } from "./amounts.ts";
import { type About, cell, table } from "./blocks.ts";
import type { PersonAnswer } from "./person.ts";
import { localText, windowText } from "./window.ts";

const DAY = 1440;

export function personDocument(
  answer: PersonAnswer,
  { by, name }: { readonly by: "user" | "account"; readonly name: string },
  about: About,
): Document {
  const { total, jobsTotal, window } = answer;
  const small = shareOf(total.smallWriteCalls, total.writeCalls);
  const verdict = `${formatBytes(Number(total.bytesRead))} read, ${formatBytes(Number(total.bytesWritten))} written and ${formatCount(Number(total.metadataCalls))} metadata operations in ${formatMany(jobsTotal, "job")}${Number.isNaN(small) ? "" : `; ${formatShare(small)} of its writes are small`}.`;
  return {
    title: by === "user" ? `User ${name}` : `Account ${name}`,
    facts: [{ label: "Time", text: windowText(window, about.zone) }],
    verdict,
    sections: [
      { id: "numbers", title: "Key figures", blocks: [tiles(answer)] },
      {
        id: "bytes",
        title: "Bytes by day",
        blocks: [
          daysFigure(answer, "bytes-by-day", "Bytes by day", "bytes", [
            ["read", "read", ({ bytesRead }) => bytesRead],
            ["written", "write", ({ bytesWritten }) => bytesWritten],
          ]),
        ],
      },
      {
        id: "metadata",
        title: "Metadata operations by day",
        blocks: [
          daysFigure(answer, "metadata-by-day", "Metadata operations by day", "calls", [
            ["metadata operations", "metadata", ({ metadataCalls }) => metadataCalls],
          ]),
        ],
      },
      {
        id: "small",
        title: "Writes by day",
        blocks: [
          daysFigure(answer, "writes-by-day", "Write calls by day", "calls", [
            ["small writes", "warn", ({ smallWriteCalls }) => smallWriteCalls],
            ["other writes", "context", ({ writeCalls, smallWriteCalls }) => writeCalls - smallWriteCalls],
          ]),
        ],
      },
      { id: "jobs", title: "Jobs", blocks: [jobTable(answer, by, about.zone)] },
    ],
    ...{ command: about.command, madeBy: about.madeBy },
  };
}

/** Without writes there is no size and no share. */
const NO_WRITES = "–";

const perWrite = ({ bytesWritten, writeCalls }: Amounts): number =>
  writeCalls === 0n ? Number.NaN : Number(bytesWritten) / Number(writeCalls);

const ofNoWrites = ({ writeCalls }: Amounts) => (writeCalls === 0n ? { text: NO_WRITES } : {});

function tiles({ total, everybody }: PersonAnswer): Block {
  const bytes = (one: Amounts) => one.bytesRead + one.bytesWritten;
  return {
    kind: "tiles",
    tiles: [
      {
        ...{ label: "Read", value: Number(total.bytesRead), unit: "bytes" },
        note: "by servers",
        about: "Bytes read by its jobs, from server counters.",
      },
      {
        ...{ label: "Written", value: Number(total.bytesWritten), unit: "bytes" },
        note: `${formatShare(shareOf(bytes(total), bytes(everybody)))} of all bytes of jobs`,
        about: "Bytes written by its jobs, from server counters.",
      },
      {
        ...{ label: "Metadata operations", value: Number(total.metadataCalls), unit: "count" },
        note: `${formatShare(shareOf(total.metadataCalls, everybody.metadataCalls))} of those of all jobs`,
        about: "All metadata operations of its jobs.",
      },
      {
        ...{ label: "Bytes per write", value: perWrite(total), unit: "bytes" },
        ...ofNoWrites(total),
        note: Number.isNaN(perWrite(everybody)) ? "" : `all jobs: ${formatBytes(perWrite(everybody))}`,
        about:
          "Bytes written / write calls, and the same for all jobs: small calls cost servers more than large ones.",
      },
      {
        ...{ label: "Small writes", value: shareOf(total.smallWriteCalls, total.writeCalls), unit: "share" },
        ...ofNoWrites(total),
        note: `all jobs: ${formatShare(shareOf(everybody.smallWriteCalls, everybody.writeCalls))}`,
        about: "Share of write calls in minutes with less than 64 KiB per call on average.",
      },
    ],
  };
}

type Series = readonly [name: string, role: Role, of: (one: Amounts) => bigint];

function daysFigure(
  { days, window }: PersonAnswer,
  id: string,
  title: string,
  unit: "bytes" | "calls",
  series: readonly Series[],
): Block {
  const first = Math.floor(window.from / DAY);
  const count = Math.ceil(window.to / DAY) - first;
  const byDay = new Map(days.map((one) => [one.minuteUnix / DAY, one]));
  const figure: Figure = {
    ...{ id, title, definition: "SITE01@1", options: {} },
    caption: `${title} (UTC), from server counters; days without a bar have no counters of its jobs.`,
    summary: `${title} over ${formatMany(count, "day")}.`,
    chart: {
      ...{ kind: "bars", direction: "vertical", stacked: true },
      categories: Array.from({ length: count }, (_, at) =>
        new Date((first + at) * DAY * 60_000).toISOString().slice(5, 10),
      ),
      categoryLabel: "day (UTC)",
      value: { label: title.toLowerCase(), unit },
      series: series.map(([name, role, of]) => ({
        ...{ name, role },
        values: Array.from({ length: count }, (_, at) => {
          const day = byDay.get(first + at);
          return day === undefined ? 0 : Number(of(day));
        }),
      })),
    },
  };
  return { kind: "figure", figure };
}

function jobTable({ jobs, jobsTotal }: PersonAnswer, by: "user" | "account", zone: string): Block {
  return {
    ...table(
      "jobs",
      "Jobs by bytes read and written.",
      [
        ["job", "Job", "text", "Job id."],
        ...(by === "account" ? ([["user", "User", "text", "User, from the scheduler."]] as const) : []),
        ["name", "Name", "text", "Name, from the scheduler."],
        ["state", "State", "text", "Final state."],
        ["start", `Start (${zone})`, "text", "Start, from the scheduler."],
        ["nodes", "Nodes", "count", "Nodes allocated."],
        ["read", "Read", "bytes", "Bytes read."],
        ["written", "Written", "bytes", "Bytes written."],
        ["metadata", "Metadata", "count", "Metadata operations."],
        ["perWrite", "Bytes per write", "bytes", "Bytes written / write calls.", { none: NO_WRITES }],
        [
          "small",
          "Small writes",
          "share",
          "Share of write calls in minutes with less than 64 KiB per call.",
          { none: NO_WRITES },
        ],
      ],
      jobs.map((one) => [
        one.jobId,
        ...(by === "account" ? [one.user] : []),
        ...[one.name, one.state, one.startUnix === null ? null : localText(zone, one.startUnix)],
        ...[one.nodes, one.bytesRead, one.bytesWritten, one.metadataCalls, cell(perWrite(one))],
        cell(shareOf(one.smallWriteCalls, one.writeCalls)),
      ]),
      jobsTotal,
    ),
    searchable: true,
  };
}
