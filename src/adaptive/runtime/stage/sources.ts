/** Reads the line of bytes from its sources. */
import type { BigIntStats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { assert } from "../../../base/assert.ts";
import { systemReason } from "../../../base/errors.ts";
import { changeBetween, stampOf } from "./file-stamp.ts";
import type { Stage, StagedSource } from "./stage.ts";

/** A source cannot be read. */
export class SourceFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SourceFailure";
  }
}

/** A source has changed since the write was planned; data read before does not fit the rest. */
export class SourceChanged extends SourceFailure {}

const OPEN_MAX = 64;
/** Sources checked at a time; one by one each would cost a round trip to the file system. */
const CHECKED_AT_ONCE = 16;

/** Fails when any source has changed since the write was planned. */
export async function requireUnchanged({ sources }: Stage): Promise<void> {
  const files = sources.filter(({ data }) => data.kind === "file").values();
  const look = async () => {
    for (const source of files)
      try {
        checkStamp(source, await stat(source.path, { bigint: true }));
      } catch (error) {
        throw failureOf(source, error);
      }
  };
  await Promise.all(Array.from({ length: CHECKED_AT_ONCE }, look));
}

export class SourceReader {
  readonly #stage: Stage;
  /** Open files, least recently used first. */
  readonly #open = new Map<number, Promise<FileHandle>>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Fills `into` with bytes of the line from position `at`. */
  async read(into: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < into.length; ) {
      const index = sourceAt(this.#stage.sources, at + done);
      const source = this.#stage.sources[index] as StagedSource;
      const inside = at + done - source.start;
      const length = Math.min(into.length - done, source.bytes - inside);
      assert(length > 0, `byte ${at + done} is in no source`);
      const part = into.subarray(done, done + length);
      if (source.data.kind === "synthetic") fillSynthetic(part, at + done);
      else if (source.data.kind === "memory") part.set(source.data.data.subarray(inside, inside + length));
      else await this.#readFile(index, source, part, inside);
      done += length;
    }
  }

  async close(): Promise<void> {
    for (const one of this.#open.values()) await one.then((handle) => handle.close()).catch(() => {});
    this.#open.clear();
  }

  async #readFile(index: number, source: StagedSource, part: Uint8Array, at: number): Promise<void> {
    const handle = await this.#handle(index, source);
    try {
      for (let done = 0; done < part.length; ) {
        const { bytesRead } = await handle.read(part, done, part.length - done, at + done);
        if (bytesRead === 0) throw changed(source, `it ends at byte ${at + done}`);
        done += bytesRead;
      }
    } catch (error) {
      throw failureOf(source, error);
    }
  }

  #handle(index: number, source: StagedSource): Promise<FileHandle> {
    const known = this.#open.get(index);
    if (known !== undefined) {
      this.#open.delete(index);
      this.#open.set(index, known);
      return known;
    }
    const opening = openChecked(source);
    this.#open.set(index, opening);
    if (this.#open.size > OPEN_MAX) {
      const [oldest, handle] = this.#open.entries().next().value as [number, Promise<FileHandle>];
      this.#open.delete(oldest);
      // A read in flight keeps the descriptor until it ends; closing waits for it.
      void handle.then((one) => one.close()).catch(() => {});
    }
    return opening;
  }
}

async function openChecked(source: StagedSource): Promise<FileHandle> {
  try {
    const handle = await open(source.path, "r");
    try {
      checkStamp(source, await handle.stat({ bigint: true }));
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw failureOf(source, error);
  }
}

function checkStamp(source: StagedSource, now: BigIntStats): void {
  if (source.data.kind !== "file") return;
  const change = changeBetween(source.data.stamp, stampOf(now));
  if (change !== undefined) throw changed(source, change);
}

const changed = ({ path }: StagedSource, how: string): SourceChanged =>
  new SourceChanged(`${path} changed since the write was planned: ${how}`);

function failureOf({ path }: StagedSource, error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const why = systemReason(error) ?? code ?? message;
  return new SourceFailure(`cannot read ${path}: ${why}`, { cause: error });
}

/** The source that holds the position; never an empty one. */
function sourceAt(sources: readonly StagedSource[], position: number): number {
  let [low, high] = [0, sources.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((sources[middle] as StagedSource).start <= position) low = middle;
    else high = middle;
  }
  return low;
}

/** Period of synthetic data: element n of eight bytes is n modulo this. */
const SYNTHETIC_PERIOD = 1_000_003;

/** Doubles computed from their position, so that any part can be generated and checked by itself. */
function fillSynthetic(into: Uint8Array, at: number): void {
  if (at % 8 !== 0 || into.byteOffset % 8 !== 0 || into.length % 8 !== 0) {
    fillUnaligned(into, at);
    return;
  }
  const values = new Float64Array(into.buffer, into.byteOffset, into.length / 8);
  let value = (at / 8) % SYNTHETIC_PERIOD;
  for (let i = 0; i < values.length; i++) {
    values[i] = value++;
    if (value === SYNTHETIC_PERIOD) value = 0;
  }
}

function fillUnaligned(into: Uint8Array, at: number): void {
  const first = Math.floor(at / 8) * 8;
  const whole = new Uint8Array(Math.ceil((at + into.length - first) / 8) * 8);
  fillSynthetic(whole, first);
  into.set(whole.subarray(at - first, at - first + into.length));
}
