import { formatCount } from "../../../base/units.ts";
import type { Cell, Section, TableColumn } from "../../../model/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import { groupByPattern } from "../file-patterns.ts";
import type { ReportInput } from "../input.ts";
import { isBelowDfs } from "../io-times.ts";
import type { JobFile } from "../job.ts";
import { sumOf } from "../records.ts";
import { counted } from "./counted.ts";
import { known } from "./layers.ts";

/** Rows in the page; a log may have a million files. */
const ROWS_MAX = 2000;

export function files({ job }: ReportInput): Section {
  const common = { id: "files", title: "Files" };
  if (job.files.length === 0)
    return {
      ...common,
      detail: true,
      blocks: [{ kind: "notice", level: "missing", text: "No file was opened while the log was recorded." }],
    };
  const weight = (file: JobFile) => file.seconds || 0;
  const bytes = (file: JobFile) => (file.bytesRead || 0) + (file.bytesWritten || 0);
  const sorted = [...job.files].sort((a, b) => weight(b) - weight(a) || bytes(b) - bytes(a));
  const shown = sorted.slice(0, ROWS_MAX);
  const places = new Map(shown.map((file, place) => [file, place]));
  const groups = [...groupByPattern(sorted)];
  return {
    ...common,
    intro: `${counted(job.files.length, "file")}, longest I/O time first. Files whose names differ only in numbers are one group (${DEFINITIONS.patterns.id}); open it to see them.`,
    detail: true,
    blocks: [
      {
        kind: "table",
        id: "files",
        caption:
          sorted.length > shown.length
            ? `The ${formatCount(shown.length)} files with most I/O time of ${formatCount(sorted.length)}; groups sum up all of them.`
            : sorted.length === 1
              ? "The only file."
              : `All ${formatCount(sorted.length)} files.`,
        columns: COLUMNS,
        rows: shown.map(fileCells),
        rowsTotal: sorted.length,
        ...(groups.length < sorted.length
          ? {
              groups: groups.map(([pattern, group]) => ({
                cells: groupCells(pattern, group),
                rows: group.flatMap((file) => places.get(file) ?? []),
              })),
            }
          : {}),
        sortedBy: "seconds",
        rowKey: "id",
        searchable: true,
      },
    ],
  };
}

const COLUMNS: readonly TableColumn[] = [
  { key: "path", label: "Path", unit: "text", about: "Name as recorded." },
  { key: "layer", label: "Layer", unit: "text", about: "Layer that the application calls for this file." },
  { key: "ranks", label: "Ranks", unit: "ranks", about: "Ranks with a record; all ranks for a shared file." },
  {
    key: "shared",
    label: "Shared",
    unit: "text",
    about: "Whether the records of all ranks were reduced to one.",
  },
  { key: "read", label: "Read", unit: "bytes", about: DEFINITIONS.bytes.text },
  { key: "written", label: "Written", unit: "bytes", about: DEFINITIONS.bytes.text },
  { key: "reads", label: "Reads", unit: "calls", about: "Read calls below MPI-IO." },
  { key: "writes", label: "Writes", unit: "calls", about: "Write calls below MPI-IO." },
  {
    key: "seconds",
    label: "Time, all ranks",
    unit: "seconds",
    about: "Read + write + metadata time in the called layer, summed over ranks.",
  },
  {
    key: "slowest",
    label: "Slowest rank",
    unit: "seconds",
    about: "Time of the slowest rank in the called layer.",
  },
  {
    key: "size",
    label: "Frequent size",
    unit: "bytes",
    about: "Most frequent size of reads and writes (ACCESS1_ACCESS).",
  },
  {
    key: "misaligned",
    label: "Not aligned",
    unit: "share",
    about: "POSIX_FILE_NOT_ALIGNED / (reads + writes).",
  },
  {
    key: "stripes",
    label: "Stripes",
    unit: "index",
    about: "Stripe count of the first layout component (LUSTRE).",
  },
  {
    key: "stripeBytes",
    label: "Stripe size",
    unit: "bytes",
    about: "Stripe size of the first layout component.",
  },
  { key: "osts", label: "OSTs", unit: "text", about: "OST indexes of the layout." },
  { key: "mount", label: "File system", unit: "text", about: "Mount point and type." },
  { key: "id", label: "Record", unit: "text", about: "Record id.", hidden: true },
];

function fileCells(file: JobFile): Cell[] {
  const movers = moversOf(file);
  const calls = sumOf(movers, ({ reads }) => reads) + sumOf(movers, ({ writes }) => writes);
  const notAligned = file.layers.get("POSIX")?.fileNotAligned ?? Number.NaN;
  return [
    file.path,
    file.called.layer,
    known(file.called.ranks),
    file.called.shared ? "all ranks" : "no",
    known(file.bytesRead),
    known(file.bytesWritten),
    known(sumOf(movers, ({ reads }) => reads)),
    known(sumOf(movers, ({ writes }) => writes)),
    known(file.seconds),
    known(file.slowestSeconds),
    file.called.accesses[0]?.bytes ?? null,
    calls > 0 ? known(notAligned / calls) : null,
    known(file.stripeCount),
    known(file.stripeBytes),
    file.osts.length === 0 ? null : ostText(file.osts),
    file.mount === null ? null : `${file.mount} (${file.fsType ?? "unknown type"})`,
    file.fileId,
  ];
}

function groupCells(pattern: string, group: readonly JobFile[]): Cell[] {
  if (group.length === 1) return fileCells(group[0] as JobFile);
  const sum = (value: (file: JobFile) => number) => {
    const values = group.map(value).filter((one) => !Number.isNaN(one));
    return values.length === 0 ? null : values.reduce((a, b) => a + b, 0);
  };
  const same = (value: (file: JobFile) => Cell) => {
    const first = value(group[0] as JobFile);
    return group.every((file) => value(file) === first) ? first : "several";
  };
  const calls = (way: "reads" | "writes") => sum((file) => sumOf(moversOf(file), (record) => record[way]));
  const all = (calls("reads") ?? 0) + (calls("writes") ?? 0);
  const notAligned = sum((file) => file.layers.get("POSIX")?.fileNotAligned ?? Number.NaN);
  return [
    `${pattern} (${formatCount(group.length)} files)`,
    same(({ called }) => called.layer),
    sum(({ called }) => called.ranks),
    group.every(({ called }) => called.shared)
      ? "all ranks"
      : group.some(({ called }) => called.shared)
        ? "some"
        : "no",
    sum(({ bytesRead }) => bytesRead),
    sum(({ bytesWritten }) => bytesWritten),
    calls("reads"),
    calls("writes"),
    sum(({ seconds }) => seconds),
    group.reduce((most, { slowestSeconds }) => Math.max(most, slowestSeconds || 0), 0),
    same(({ called }) => called.accesses[0]?.bytes ?? null),
    all > 0 && notAligned !== null ? notAligned / all : null,
    same(({ stripeCount }) => known(stripeCount)),
    same(({ stripeBytes }) => known(stripeBytes)),
    same(({ osts }) => (osts.length === 0 ? null : ostText(osts))),
    same(({ mount, fsType }) => (mount === null ? null : `${mount} (${fsType ?? "unknown type"})`)),
    null,
  ];
}

const moversOf = (file: JobFile) => {
  const movers = ["POSIX", "STDIO", "DFS", "DAOS"]
    .filter((layer) => !isBelowDfs(layer, file.layers))
    .flatMap((layer) => file.layers.get(layer) ?? []);
  return movers.length > 0 ? movers : [file.called];
};

/** `0 1 2 3 9` as `0-3 9`. */
function ostText(osts: readonly number[]): string {
  const parts: string[] = [];
  const sorted = [...new Set(osts)].sort((a, b) => a - b);
  for (let i = 0; i < sorted.length; ) {
    let j = i;
    while (sorted[j + 1] === (sorted[j] as number) + 1) j++;
    parts.push(j > i + 1 ? `${sorted[i]}-${sorted[j]}` : sorted.slice(i, j + 1).join(" "));
    i = j + 1;
  }
  return parts.join(" ");
}
