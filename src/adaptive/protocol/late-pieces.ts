/** Selects writes in flight that are worth a second copy in an idle file. */
import type { Piece } from "./block-queue.ts";
import type { OwnedFiles } from "./owned-files.ts";
import type { FileId, Seconds } from "./step.ts";

/** Expected speed-up required of a copy. */
const SPEEDUP_MIN = 1.5;

/** Pieces that a copy at `rate` would clearly overtake, latest first. */
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
    // A write beyond its expected duration is expected to need as long again; so is one to a file without a finished write,
    // whose rate is unknown (NaN).
    const left = age < expected ? expected - age : age;
    if (left > SPEEDUP_MIN * copySeconds && age > copySeconds) late.push({ piece, left });
  }
  late.sort((a, b) => b.left - a.left || a.piece.piece - b.piece.piece);
  return late.map(({ piece }) => piece);
}
