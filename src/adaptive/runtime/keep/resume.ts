/** Selects valid pieces of an interrupted write: every byte is read and compared. */
import type { Backend, TargetFile } from "../../backend/index.ts";
import { CHUNK_BYTES, layOutGroup } from "../../../formats/bp/index.ts";
import { crc32 } from "../../../node/crc32.ts";
import { type PieceEntry, unpackStatistics } from "../piece/piece-info.ts";
import { groupOf, type Stage } from "../stage/stage.ts";

/** Pieces with unchanged data, without duplicates. */
export async function goodPieces(
  stage: Stage,
  noted: readonly PieceEntry[],
  backend: Backend,
  progress: (bytes: number) => void,
): Promise<PieceEntry[]> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  const good: PieceEntry[] = [];
  let end = 0;
  let open: { path: string; file: TargetFile; identity: string } | undefined;
  try {
    // Of two overlapping pieces the first is taken; a piece written twice is recorded twice.
    for (const piece of noted.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
      if (piece.from < end || piece.to > stage.bytes || piece.to <= piece.from) continue;
      if (open?.path !== piece.path) {
        await open?.file.close();
        open = undefined;
        const file = await backend.open(piece.path, piece.target).catch(() => undefined);
        if (file === undefined) continue;
        open = { path: piece.path, file, identity: await file.identity() };
      }
      if (!(await isGood(stage, piece, open.file, buffer))) continue;
      good.push({ ...piece, info: { ...piece.info, identity: open.identity } });
      end = piece.to;
      progress(piece.to - piece.from);
    }
  } finally {
    await open?.file.close();
  }
  return good;
}

async function isGood(
  stage: Stage,
  piece: PieceEntry,
  file: TargetFile,
  buffer: Uint8Array,
): Promise<boolean> {
  try {
    const { plan, slabs } = groupOf(stage, piece, unpackStatistics(stage, piece));
    const layout = layOutGroup(plan);
    let [at, sum] = [piece.info.group, 0];
    for (const part of layout.parts) {
      if (part.kind === "bytes") {
        const found = new Uint8Array(part.bytes.length);
        if ((await file.read(found, at)) < found.length || Buffer.compare(found, part.bytes) !== 0)
          return false;
        at += found.length;
        continue;
      }
      const { bytes } = slabs[part.variable] as (typeof slabs)[number];
      for (let done = 0; done < bytes; done += CHUNK_BYTES) {
        const chunk = buffer.subarray(0, Math.min(CHUNK_BYTES, bytes - done));
        if ((await file.read(chunk, at + done)) < chunk.length) return false;
        if (crc32(chunk) !== piece.info.sums[sum++]) return false;
      }
      at += bytes;
    }
    return true;
  } catch {
    return false;
  }
}
