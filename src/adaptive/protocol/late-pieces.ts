/** Which writes under way are worth a second copy in a file that has nothing to do. */
import type { Piece } from "./block-queue.ts";
import type { OwnedFiles } from "./owned-files.ts";
import type { FileId, Seconds } from "./step.ts";

/** The copy must be expected to end this much sooner. */
const WORTH = 1.5;

/** Pieces that a copy at `rate` would overtake by far, the latest first. */
export function latePieces(
  outstanding: Iterable<Piece>,
  owned: OwnedFiles,
  file: FileId,
  rate: number,
  now: Seconds,
): Piece[] {
  const late: { piece: Piece; left: Seconds }[] = [];
  for (const piece of outstanding) {
    if (piece.copyFile !== -1 || piece.writtenFile !== -1 || piece.file === file) continue;
    const own = owned.find(piece.file);
    const share = own === undefined ? rate : own.policy.rateAt(now) / Math.max(1, own.active.size);
    const copySeconds = piece.length / rate;
    const age = now - piece.since;
    const expected = piece.length / share;
    // A write that is older than it should have become is expected to need as long again; so is one to a file that has
    // not ended any yet, of which nothing is known (NaN).
    const left = age < expected ? expected - age : age;
    if (left > WORTH * copySeconds && age > copySeconds) late.push({ piece, left });
  }
  late.sort((a, b) => b.left - a.left || a.piece.piece - b.piece.piece);
  return late.map(({ piece }) => piece);
}
