/** Text on its way out as pieces of bytes, handed on by a generator, so that whoever writes them sets the pace. */
import { TextWriter } from "../../base/text-writer.ts";

/** Large enough for a disk and a compressor, small beside the calls. */
const PIECE_BYTES = 1 << 18;

export class Chunks {
  readonly writer: TextWriter;
  readonly #full: Uint8Array[] = [];

  constructor(pieceBytes = PIECE_BYTES) {
    this.writer = new TextWriter((bytes) => this.#full.push(bytes.slice()), pieceBytes);
  }

  /** Pieces that are full. */
  *full(): Generator<Uint8Array> {
    yield* this.#full.splice(0);
  }

  *rest(): Generator<Uint8Array> {
    this.writer.flush();
    yield* this.full();
  }
}
