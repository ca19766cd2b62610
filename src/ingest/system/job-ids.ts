/** Job ids as texts and keys, made once for bytes that come again and again. */
import { createHash } from "node:crypto";
import { latinText, unescapeJobId } from "../../formats/lustre/job-id.ts";
import { Interner } from "../../formats/text/interner.ts";

/** Ids that are remembered; a server knows some thousands at a time. */
const KNOWN_MAX = 200_000;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** UTF-8 where it is that, else Latin-1; as `decodeJobId`, for bytes that are unescaped already. */
function textOf(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return latinText(bytes);
  }
}

/** First eight bytes of the SHA-256 of the id. */
export function jobKey(id: string): bigint {
  return createHash("sha256").update(id).digest().readBigUInt64BE(0);
}

export class JobIds {
  readonly #escaped: boolean;
  #interner = new Interner();
  #texts: string[] = [];
  #keys: bigint[] = [];

  /** `escaped`: as servers print them. */
  constructor({ escaped }: { readonly escaped: boolean }) {
    this.#escaped = escaped;
  }

  /** The number of an id, valid until the next call. */
  find(bytes: Uint8Array, from: number, to: number): number {
    if (this.#interner.size >= KNOWN_MAX) {
      this.#interner = new Interner();
      this.#texts = [];
      this.#keys = [];
    }
    const known = this.#interner.size;
    const index = this.#interner.intern(bytes, from, to);
    if (index === known) {
      const raw = bytes.subarray(from, to);
      const text = textOf(this.#escaped ? unescapeJobId(raw) : raw);
      this.#texts.push(text);
      this.#keys.push(jobKey(text));
    }
    return index;
  }

  text(index: number): string {
    return this.#texts[index] as string;
  }

  key(index: number): bigint {
    return this.#keys[index] as bigint;
  }
}
