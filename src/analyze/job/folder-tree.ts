/**
 * Folders of a job's files as a tree with sums, folded to what matters: chains with a single child are one line, and of many
 * folders those with most I/O time are shown, the others summed up. Memory is bounded: beyond a limit of folders, files
 * count with the nearest folder above that is known.
 */
import type { JobFile } from "./job.ts";
import { MOVING_LAYERS } from "./job-files.ts";
import { isBelowDfs, plus } from "./records.ts";

export interface FolderSums {
  readonly files: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** I/O time and its metadata part, summed over ranks; NaN where none is known. */
  readonly seconds: number;
  readonly metadataSeconds: number;
}

export interface Folder extends FolderSums {
  /** Empty for names that are no absolute paths, such as standard output. */
  readonly path: string;
  /** Shown below it, most time first. */
  readonly children: readonly Folder[];
  /** Folders below it that are not shown, in one. */
  readonly other: (FolderSums & { readonly folders: number }) | null;
}

/** Ours: folders that are kept apart while files pass by, and those that people read. */
const FOLDERS_MAX = 100_000;
const SHOWN_MAX = 40;
const DEPTH_MAX = 64;
/** Ours: less of the I/O time is not worth a line. */
const SHARE_MIN = 0.01;

class Node implements FolderSums {
  files = 0;
  bytesRead = 0;
  bytesWritten = 0;
  seconds = Number.NaN;
  metadataSeconds = Number.NaN;
  readonly path: string;
  children: Node[] = [];
  /** Folders below it. */
  below = 0;

  constructor(path: string) {
    this.path = path;
  }

  addFile(file: JobFile): void {
    this.files++;
    this.bytesRead += file.bytesRead || 0;
    this.bytesWritten += file.bytesWritten || 0;
    this.seconds = plus(this.seconds, file.seconds);
    this.metadataSeconds = plus(this.metadataSeconds, metadataOf(file));
  }

  add(sums: FolderSums): void {
    this.files += sums.files;
    this.bytesRead += sums.bytesRead;
    this.bytesWritten += sums.bytesWritten;
    this.seconds = plus(this.seconds, sums.seconds);
    this.metadataSeconds = plus(this.metadataSeconds, sums.metadataSeconds);
  }
}

/** Undefined without files. */
export function folderTree(
  job: { readonly files: readonly JobFile[] },
  shownMax = SHOWN_MAX,
  foldersMax = FOLDERS_MAX,
): Folder | undefined {
  if (job.files.length === 0) return undefined;
  const root = linked(ownSums(job.files, foldersMax));
  const shown = chosen(root, shownMax);
  return folded(root, shown);
}

/** Sums of the files that lie in each folder itself. */
function ownSums(files: readonly JobFile[], foldersMax: number): Map<string, Node> {
  const folders = new Map<string, Node>([["", new Node("")]]);
  let last = folders.get("") as Node;
  for (const file of files) {
    const folder = folderOf(file.path);
    // Files of a folder mostly follow one another.
    if (folder !== last.path) last = nodeOf(folders, folder, foldersMax);
    last.addFile(file);
  }
  return folders;
}

/** `/a/b` of `/a/b/c`, `/` of `/c`, nothing of what is no absolute path. */
function folderOf(path: string): string {
  if (!path.startsWith("/")) return "";
  const end = path.lastIndexOf("/");
  return end === 0 ? "/" : path.slice(0, end);
}

function nodeOf(folders: Map<string, Node>, folder: string, foldersMax: number): Node {
  let path = folder;
  if (path.length > 2 * DEPTH_MAX) path = path.split("/", DEPTH_MAX + 1).join("/");
  let known = folders.get(path);
  while (known === undefined && folders.size >= foldersMax) known = folders.get((path = above(path)));
  if (known === undefined) folders.set(path, (known = new Node(path)));
  // Those above are known from now on, so that later folders find one of them.
  for (let up = above(path); up !== "" && !folders.has(up); up = above(up)) folders.set(up, new Node(up));
  return known;
}

const above = (path: string): string => (path === "/" || path === "" ? "" : folderOf(path));

/** Hangs each below the next one above, and adds up from the leaves. */
function linked(folders: ReadonlyMap<string, Node>): Node {
  // Longer paths first: a folder is whole before it is added to the one above.
  const order = [...folders.values()].sort((a, b) => b.path.length - a.path.length);
  for (const node of order) {
    if (node.path === "") continue;
    const parent = folders.get(above(node.path)) as Node;
    parent.children.push(node);
    parent.below += 1 + node.below;
    parent.add(node);
  }
  return folders.get("") as Node;
}

/** Without chains: a folder that holds one folder and no file of its own is that folder. */
function endOfChain(node: Node): Node {
  let end = node;
  while (end.children.length === 1 && end.children[0]?.files === end.files) end = end.children[0] as Node;
  return end;
}

const heavierFirst = (a: Node, b: Node): number =>
  (b.seconds || 0) - (a.seconds || 0) ||
  b.bytesRead + b.bytesWritten - a.bytesRead - a.bytesWritten ||
  b.files - a.files ||
  (a.path < b.path ? -1 : 1);

/** The heaviest folders whose folders above are shown, too. */
function chosen(root: Node, shownMax: number): Set<Node> {
  const start = endOfChain(root);
  const shown = new Set<Node>([start]);
  // The children of each folder that is shown, the heaviest last.
  const open = [sortedChildren(start)];
  while (shown.size < shownMax) {
    const heads = open.filter((list) => list.length > 0);
    if (heads.length === 0) break;
    const best = heads.reduce((a, b) => (heavierFirst(b.at(-1) as Node, a.at(-1) as Node) < 0 ? b : a));
    const node = best.pop() as Node;
    if (node.seconds < SHARE_MIN * start.seconds) break;
    shown.add(node);
    open.push(sortedChildren(node));
  }
  return shown;
}

const sortedChildren = (node: Node): Node[] =>
  node.children.map(endOfChain).sort((a, b) => heavierFirst(b, a));

function folded(root: Node, shown: ReadonlySet<Node>): Folder {
  const node = endOfChain(root);
  const ends = node.children.map(endOfChain);
  const rest = new Node("");
  let folders = 0;
  for (const child of ends) {
    if (shown.has(child)) continue;
    rest.add(child);
    folders += 1 + child.below;
  }
  return {
    path: node.path,
    ...sumsOf(node),
    children: ends
      .filter((child) => shown.has(child))
      .sort(heavierFirst)
      .map((child) => folded(child, shown)),
    other: folders === 0 ? null : { folders, ...sumsOf(rest) },
  };
}

const sumsOf = ({ files, bytesRead, bytesWritten, seconds, metadataSeconds }: FolderSums): FolderSums => ({
  ...{ files, bytesRead, bytesWritten, seconds, metadataSeconds },
});

/** The metadata part of a file's time: in the called layer, or in those that reach the file system. */
function metadataOf({ layers, called }: JobFile): number {
  if (called.layer === "MPI-IO" || layers.size === 1) return called.metaSeconds;
  let seconds = Number.NaN;
  for (const [layer, record] of layers)
    if (MOVING_LAYERS.includes(layer) && !isBelowDfs(layer, layers))
      seconds = plus(seconds, record.metaSeconds);
  return seconds;
}
