/** Texts of Lustre's counters: readings one after the other, each with its time. */
import { type ByteSource, HEAD_BYTES } from "../../base/source.ts";
import { describeParam, NO_STAMP, Reading, recognizeLustre } from "../../formats/lustre/index.ts";
import { type Piece, partOf, piecesOf, timing } from "../../formats/text/dump-pieces.ts";
import { headLines } from "../../formats/text/windows.ts";
import type { SeriesFile, SeriesReader } from "../input-format.ts";
import { count } from "../notes.ts";
import { paramPath, targetInPath } from "./bare-path.ts";

export const lustreTexts: SeriesReader = {
  /**
   * Files of one server have the same target first, whatever folders of days they lie in; so their readings meet in one
   * thread, in order.
   */
  place(head, path) {
    const first = headLines(head)
      .map((line) => /^([\w-]+\.[^\s=]+)=/.exec(line)?.[1])
      .find((param) => param !== undefined && describeParam(param).target !== "");
    const target = first === undefined ? describeParam(path).target : describeParam(first).target;
    return { key: target || (targetInPath(path) ?? ""), firstNs: timing(head, path).firstNs };
  },

  async read(source, file) {
    const head = source.read(0, HEAD_BYTES);
    const isJobs = recognizeLustre(head, file.path) === "job_stats";
    const path = paramPath(file.path, isJobs, headLines(head));
    const { by } = timing(head, file.path);
    const pieces = piecesOf(source, by);
    for (const [index, piece] of pieces.entries()) {
      readPiece(source, piece, path, file, file.isLast && index === pieces.length - 1);
      await file.yieldToEvents();
    }
    if (source.byteLength > 0 && source.read(source.byteLength - 1, 1)[0] === 0)
      count(file.notes.counts, "paddedFiles");
  },
};

function readPiece(source: ByteSource, piece: Piece, path: string, file: SeriesFile, isLast: boolean): void {
  const { counts, leftOut } = file.notes;
  const part = partOf(source, piece);
  const readAtNs = piece.timeNs ?? printedTime(part, path, file);
  const options = { path, firstLine: piece.line, ...(readAtNs !== undefined && { readAtNs }) };
  const found = file.parser.parse(part, options, (item) => {
    if (!(item instanceof Reading)) return;
    count(counts, "counterLines", item.entries);
    // The line that a cut leaves is broken too.
    if (item.cut) file.damaged(`the text of ${item.target || item.kind} ends within a line or a job`);
    const { brokenLines, firstBrokenLine } = item.notes;
    if (brokenLines > 0) {
      count(counts, "brokenLines", brokenLines);
      file.damaged(`${brokenLines} counter lines cannot be read, the first is line ${firstBrokenLine}`);
    }
    if (item.cut && isLast) {
      count(counts, "cut");
      return;
    }
    // A file without rows has its own time inside, should nothing else tell.
    if (item.readAtNs === NO_STAMP && item.kind !== "job_stats" && item.rows > 0)
      item.readAtNs = item.snapshotNs[0] as bigint;
    file.take(item);
  });
  for (const [name, times] of found.skipped)
    if (name !== "") {
      count(counts, "otherParameters", times);
      count(leftOut, name, times);
    }
  count(counts, "errorLines", found.errorLines);
}

/** The latest time that Lustre printed in a pass over many parameters. */
function printedTime(source: ByteSource, path: string, { parser }: SeriesFile): bigint | undefined {
  let latest: bigint | undefined;
  parser.parse(source, { path }, (item) => {
    if (!(item instanceof Reading) || item.kind === "job_stats" || item.rows === 0) return;
    const stamp = item.snapshotNs[0] as bigint;
    if (stamp !== NO_STAMP && (latest === undefined || stamp > latest)) latest = stamp;
  });
  return latest;
}
