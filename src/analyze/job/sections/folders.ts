import { formatMany } from "../../../base/units.ts";
import { type Cell, type Section, type ShortColumn, table } from "../../../model/index.ts";
import type { Folder, FolderSums } from "../folder-tree.ts";
import type { ReportInput } from "../input.ts";
import { counted } from "./counted.ts";
import { known } from "./layers.ts";

const COLUMNS: readonly ShortColumn[] = [
  [
    "folder",
    "Folder",
    "text",
    "With everything below it. A chain of folders that hold no files themselves is one line.",
  ],
  ["files", "Files", "files", "Files below it."],
  ["read", "Read", "bytes", "Bytes read below MPI-IO."],
  ["written", "Written", "bytes", "Bytes written below MPI-IO."],
  [
    "seconds",
    "I/O time, all ranks",
    "seconds",
    "Read + write + metadata time in the called layer, summed over ranks.",
  ],
  ["metadata", "Metadata time", "seconds", "The part of it in metadata calls."],
  ["share", "Share of I/O time", "share", "Of the I/O time of all files."],
];

/** What is left of a folder has a line when it has this share of the I/O time; the folder itself counts it in any case. */
const OTHER_SHARE_MIN = 0.01;

/** Where in the file system the time goes. */
export function folders({ job }: ReportInput): Section {
  const common = { id: "folders", title: "Folders", detail: true };
  const tree = job.folders();
  if (tree === undefined)
    return {
      ...common,
      blocks: [{ kind: "notice", level: "missing", text: "No file was opened while the log was recorded." }],
    };
  const rows = [...rowsOf(tree, tree.seconds)];
  return {
    ...common,
    intro: `${counted(tree.files, "file")} by folder, most I/O time first. A folder includes everything below it.`,
    blocks: [
      table(
        "folders",
        "Folders with the most I/O time, each below its parent; the parent's other folders are one line if they have at least 1 % of the time.",
        COLUMNS,
        rows,
      ),
    ],
  };
}

function* rowsOf(folder: Folder, total: number): Generator<Cell[]> {
  const name = folder.path === "" ? "(all files)" : folder.path;
  yield [name, ...cellsOf(folder, total)];
  for (const child of folder.children) yield* rowsOf(child, total);
  if (folder.other === null || folder.other.seconds < OTHER_SHARE_MIN * total) return;
  const place = folder.path === "" || folder.path === "/" ? folder.path : `${folder.path}/`;
  yield [`${place}(${formatMany(folder.other.folders, "other folder")})`, ...cellsOf(folder.other, total)];
}

const cellsOf = (
  { files, bytesRead, bytesWritten, seconds, metadataSeconds }: FolderSums,
  total: number,
): Cell[] => [
  ...[files, bytesRead, bytesWritten, known(seconds), known(metadataSeconds)],
  total > 0 ? seconds / total : null,
];
