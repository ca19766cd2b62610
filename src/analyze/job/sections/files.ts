import { largestFirst } from "../../../base/order.ts";
import { formatCount } from "../../../base/units.ts";
import { type Cell, type Section, type TableColumn, tableColumns } from "../../../model/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import { namePattern } from "../file-patterns.ts";
import type { ReportInput } from "../input.ts";
import { ioRanksOf, moversOf } from "../io-ranks.ts";
import type { Job, JobFile } from "../job.ts";
import { frequentSizeOf, type LayerRecord, sumOf } from "../records.ts";
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
  const { shown, groups } = grouped(job.files);
  return {
    ...common,
    intro: `${counted(job.files.length, "file")}, longest I/O time first. Files whose names differ only in numbers form a group (${DEFINITIONS.patterns.id}); open it to see them.`,
    detail: true,
    blocks: [
      {
        kind: "table",
        id: "files",
        caption:
          job.files.length > shown.length
            ? `The ${formatCount(shown.length)} files with the most I/O time, of ${formatCount(job.files.length)}; groups cover all of them.`
            : job.files.length === 1
              ? "The only file."
              : `All ${formatCount(job.files.length)} files.`,
        columns: COLUMNS,
        rows: shown.map((file) => fileCells(job, file)),
        rowsTotal: job.files.length,
        ...(groups.length < job.files.length
          ? { groups: groups.map((group) => ({ cells: group.cells(job), rows: group.rows })) }
          : {}),
        sortedBy: "seconds",
        rowKey: "id",
        searchable: true,
      },
    ],
  };
}

const COLUMNS: readonly TableColumn[] = tableColumns`
  path | Path | text | Name as recorded.
  layer | Layer | text | Layer that the application calls for this file.
  ranks | Ranks | ranks | Ranks with a record, or all ranks for a shared file; for a group, per file.
  ioRanks | Ranks with I/O | ranks | Ranks that read or write it below MPI-IO. If the log has only one record for all ranks, only the slowest and the fastest rank are known.
  shared | Shared | text | Whether the records of all ranks were reduced to one.
  read | Read | bytes | ${DEFINITIONS.bytes.text}
  written | Written | bytes | ${DEFINITIONS.bytes.text}
  reads | Reads | calls | Read calls below MPI-IO.
  writes | Writes | calls | Write calls below MPI-IO.
  seconds | Time, all ranks | seconds | Read + write + metadata time in the called layer, summed over ranks.
  slowest | Slowest rank | seconds | Time of the slowest rank in the called layer.
  size | Frequent size | bytes | Most frequent size of reads and writes (ACCESS1_ACCESS).
  misaligned | Not aligned | share | POSIX_FILE_NOT_ALIGNED / (reads + writes).
  stripes | Stripes | index | Stripe count of the first layout component (LUSTRE).
  stripeBytes | Stripe size | bytes | Stripe size of the first layout component.
  osts | OSTs | text | OST indexes of the layout.
  mount | File system | text | Mount point and type.
  slowestRank | Number of the slowest rank | index | Rank with the most time in the called layer. | hidden
  fastestRank | Number of the fastest rank | index | Rank with the least time in the called layer. | hidden
  id | Record | text | Record id. | hidden
`;

function fileCells(job: Job, file: JobFile): Cell[] {
  const movers = moversOf(file);
  const calls = sumOf(movers, readsOf) + sumOf(movers, writesOf);
  const notAligned = file.layers.get("POSIX")?.fileNotAligned ?? Number.NaN;
  return [
    file.path,
    file.called.layer,
    known(file.called.ranks),
    known(ioRanksOf(job, file).ranks),
    file.called.shared ? "all ranks" : "no",
    known(file.bytesRead),
    known(file.bytesWritten),
    known(sumOf(movers, readsOf)),
    known(sumOf(movers, writesOf)),
    known(file.seconds),
    known(file.slowestSeconds),
    sizeCell(file),
    calls > 0 ? known(notAligned / calls) : null,
    known(file.stripeCount),
    known(file.stripeBytes),
    ostCell(file),
    mountCell(file),
    known(file.called.slowestRank),
    known(file.called.fastestRank),
    file.fileId,
  ];
}

interface Grouped {
  /** Longest I/O time first. */
  readonly shown: readonly JobFile[];
  /** In the order of their longest file. */
  readonly groups: readonly FileGroup[];
}

/** A million files are read in their own order, which is that of memory; only times are needed in the order of times. */
function grouped(list: readonly JobFile[]): Grouped {
  const byPattern = new Map<string, FileGroup>();
  const groupOf: FileGroup[] = list.map((file) => {
    const pattern = namePattern(file.path);
    let group = byPattern.get(pattern);
    if (group === undefined) byPattern.set(pattern, (group = new FileGroup(pattern, file)));
    else group.add(file);
    return group;
  });
  const seconds = Float64Array.from(list, (file) => file.seconds);
  const order = largestFirst(
    list,
    (_, index) => seconds[index] || 0,
    ({ bytesRead, bytesWritten }) => (bytesRead || 0) + (bytesWritten || 0),
  );
  const shown: JobFile[] = [];
  const groups = new Set<FileGroup>();
  for (const index of order) {
    const group = groupOf[index] as FileGroup;
    groups.add(group);
    group.addSeconds(seconds[index] as number);
    if (shown.length < ROWS_MAX) group.rows.push(shown.push(list[index] as JobFile) - 1);
  }
  return { shown, groups: [...groups] };
}

/** Files of one pattern, summed up as they come. */
class FileGroup {
  readonly #pattern: string;
  readonly #first: JobFile;
  #count = 1;
  #seconds: Sum = null;
  #sums: GroupSums | undefined;
  /** Those of its files that are in the table. */
  readonly rows: number[] = [];

  constructor(pattern: string, first: JobFile) {
    this.#pattern = pattern;
    this.#first = first;
  }

  add(file: JobFile): void {
    if (this.#sums === undefined) this.#sums = new GroupSums(this.#first);
    this.#sums.add(file);
    this.#count++;
  }

  addSeconds(seconds: number): void {
    this.#seconds = plus(this.#seconds, seconds);
  }

  cells(job: Job): Cell[] {
    if (this.#sums === undefined) return fileCells(job, this.#first);
    return [`${this.#pattern} (${formatCount(this.#count)} files)`, ...this.#sums.cells(this.#seconds)];
  }
}

/** Null until there is something to add. */
type Sum = number | null;

const plus = (sum: Sum, value: number): Sum => (Number.isNaN(value) ? sum : (sum ?? 0) + value);

class GroupSums {
  #bytesRead: Sum = null;
  #bytesWritten: Sum = null;
  #reads: Sum = null;
  #writes: Sum = null;
  #notAligned: Sum = null;
  #slowest = 0;
  #shared = 0;
  #files = 0;
  readonly #layer: Cell[] = [];
  readonly #ranks: Cell[] = [];
  readonly #size: Cell[] = [];
  readonly #stripes: Cell[] = [];
  readonly #stripeBytes: Cell[] = [];
  readonly #osts: Cell[] = [];
  readonly #mount: Cell[] = [];

  readonly #first: JobFile;

  constructor(first: JobFile) {
    this.#first = first;
    this.add(first);
  }

  add(file: JobFile): void {
    const { called, layers } = file;
    const isOne = layers.size === 1;
    const movers = isOne ? NO_RECORDS : moversOf(file);
    this.#files++;
    if (called.shared) this.#shared++;
    compare(this.#ranks, file, ranksCell);
    this.#bytesRead = plus(this.#bytesRead, file.bytesRead);
    this.#bytesWritten = plus(this.#bytesWritten, file.bytesWritten);
    this.#reads = plus(this.#reads, isOne ? called.reads : sumOf(movers, readsOf));
    this.#writes = plus(this.#writes, isOne ? called.writes : sumOf(movers, writesOf));
    this.#slowest = Math.max(this.#slowest, file.slowestSeconds || 0);
    this.#notAligned = plus(this.#notAligned, layers.get("POSIX")?.fileNotAligned ?? Number.NaN);
    compare(this.#layer, file, layerCell);
    compare(this.#size, file, sizeCell);
    compare(this.#stripes, file, stripesCell);
    compare(this.#stripeBytes, file, stripeBytesCell);
    compare(this.#osts, file, ostCell);
    // Its text is the same where mount and type are.
    if (this.#files === 1 || file.mount !== this.#first.mount || file.fsType !== this.#first.fsType)
      compare(this.#mount, file, mountCell);
  }

  /** All but the first. */
  cells(seconds: Sum): Cell[] {
    const calls = (this.#reads ?? 0) + (this.#writes ?? 0);
    return [
      same(this.#layer),
      same(this.#ranks),
      // Files of a group may have the same ranks or others.
      "-",
      this.#shared === this.#files ? "all ranks" : this.#shared > 0 ? "some" : "no",
      ...[this.#bytesRead, this.#bytesWritten, this.#reads, this.#writes, seconds, this.#slowest],
      same(this.#size),
      calls > 0 && this.#notAligned !== null ? this.#notAligned / calls : null,
      ...[this.#stripes, this.#stripeBytes, this.#osts, this.#mount].map(same),
      ...[null, null, null],
    ];
  }
}

/** Different values of a column; more than two need not be known. */
function compare(values: Cell[], file: JobFile, cell: (file: JobFile) => Cell): void {
  if (values.length > 1) return;
  const one = cell(file);
  if (values.length === 0 || values[0] !== one) values.push(one);
}

const same = (values: readonly Cell[]): Cell => (values.length > 1 ? "several" : (values[0] ?? null));

const NO_RECORDS: readonly LayerRecord[] = [];
const readsOf = ({ reads }: LayerRecord) => reads;
const writesOf = ({ writes }: LayerRecord) => writes;
const ranksCell = ({ called }: JobFile) => known(called.ranks);
const layerCell = ({ called }: JobFile) => called.layer;
const sizeCell = ({ called }: JobFile) => frequentSizeOf(called);
const stripesCell = ({ stripeCount }: JobFile) => known(stripeCount);
const stripeBytesCell = ({ stripeBytes }: JobFile) => known(stripeBytes);
const ostCell = ({ osts }: JobFile) => (osts.length === 0 ? null : ostText(osts));
const mountCell = ({ mount, fsType }: JobFile) =>
  mount === null ? null : `${mount} (${fsType ?? "unknown type"})`;

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
