/** Job ids as texts and keys, made once for bytes that come again and again. */
import { createHash } from "node:crypto";
import { type JobIdentity, latinText, unescapeJobId } from "../../formats/lustre/index.ts";
import { hashOf, Interner } from "../../formats/text/interner.ts";

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

/** The job of an id. */
export type Identify = (id: string) => JobIdentity;

export class JobIds {
  readonly #escaped: boolean;
  readonly #identify: Identify;
  #interner = new Interner();
  #jobs: JobIdentity[] = [];
  #keys = new BigUint64Array(1024);
  /** Key `index` in halves, for bulk copies. */
  keyHalves = new Uint32Array(this.#keys.buffer);

  /** `escaped`: as servers print them. */
  constructor({ escaped, identify }: { readonly escaped: boolean; readonly identify: Identify }) {
    this.#escaped = escaped;
    this.#identify = identify;
  }

  /** The number of an id, valid until the next call. `hash`: its `hashOf`, where that is known. */
  find(bytes: Uint8Array, from: number, to: number, hash = hashOf(bytes, from, to)): number {
    if (this.#interner.size >= KNOWN_MAX) {
      this.#interner = new Interner();
      this.#jobs = [];
    }
    const known = this.#interner.size;
    const index = this.#interner.internHashed(bytes, from, to, hash);
    if (index === known) this.#learn(bytes.subarray(from, to));
    return index;
  }

  #learn(raw: Uint8Array): void {
    const index = this.#jobs.length;
    const job = this.#identify(textOf(this.#escaped ? unescapeJobId(raw) : raw));
    this.#jobs.push(job);
    if (index === this.#keys.length) {
      const keys = new BigUint64Array(2 * index);
      keys.set(this.#keys);
      this.#keys = keys;
      this.keyHalves = new Uint32Array(keys.buffer);
    }
    this.#keys[index] = jobKey(job.jobId);
  }

  job(index: number): JobIdentity {
    return this.#jobs[index] as JobIdentity;
  }
}
