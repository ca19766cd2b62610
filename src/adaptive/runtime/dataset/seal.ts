/** Ends a data file: appends its own index and tail, so that it can be opened alone; then makes it durable. */
import { assert } from "../../../base/assert.ts";
import type { Backend, TargetFile } from "../../backend/index.ts";
import { layOutGroup } from "../../../formats/bp/index.ts";
import type { PieceEntry } from "../piece/piece-info.ts";
import { groupOf, type Stage } from "../stage/stage.ts";
import { encodeParts, indexOfPieces } from "./build-index.ts";
import { folderSynced } from "../../../node/durable.ts";
import { dirname } from "node:path";

/** A late write of an abandoned piece can still extend the file; then the index is appended again. */
const TRIES = 4;

export async function sealFile(file: TargetFile, stage: Stage, pieces: readonly PieceEntry[]): Promise<void> {
  const parts = indexOfPieces(stage, pieces);
  for (let i = 0; i < TRIES; i++) {
    const start = await file.size();
    const index = encodeParts(parts, { start, global: false });
    await file.write(index, start);
    await file.sync();
    if ((await file.size()) === start + index.length) return;
  }
}

/** The same for a file without other writers: bytes after the last piece are cut off first. */
export async function sealPath(
  backend: Backend,
  path: string,
  target: number,
  stage: Stage,
  pieces: readonly PieceEntry[],
): Promise<void> {
  const file = await backend.open(path, target);
  try {
    const identity = await file.identity();
    if (pieces.some(({ info }) => info.identity !== identity)) throw new Error("another file has its name");
    assert(pieces.length > 0, "a kept file holds data");
    await file.truncate(Math.max(...pieces.map((piece) => endOf(stage, piece))));
    await sealFile(file, stage, pieces);
    await folderSynced(dirname(path));
  } finally {
    await file.close();
  }
}

const endOf = (stage: Stage, piece: PieceEntry): number =>
  piece.info.group + layOutGroup(groupOf(stage, piece).plan).length;
