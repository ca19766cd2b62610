/**
 * The folder of a collector: `segments/` for ingest, `work/` for the state and unfinished files.
 *
 * A sample is committed by one rename, that of the state. Before it the segment lies whole and synced in `work/`; after it the
 * segment gets its place. Who is killed before the rename has done nothing, and the next sample covers that time too. Who is
 * killed after it finds, in the state, the name of the segment that still has to be moved.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { syncFolder } from "../../node/durable.ts";
import { makeFolder } from "../../node/folders.ts";
import { GrowingFile } from "../../node/output-file.ts";
import { codeOf, FILE_MODE, fileNamePart, FOLDER_MODE, readToEnd } from "../files.ts";
import { type CollectorState, readState, writeState } from "./state-file.ts";

const STATE = "state";
const ENDING = ".ndjson";
const STATE_BYTES_MAX = 2 ** 31;

/** Called after each step of a commit; tests stop there. */
export type OnStep = (step: string) => void;

export class CollectorFolder {
  readonly segments: string;
  readonly #work: string;
  readonly #onStep: OnStep;

  constructor(dir: string, onStep: OnStep = () => {}) {
    this.segments = join(dir, "segments");
    this.#work = join(dir, "work");
    this.#onStep = onStep;
    for (const folder of [this.segments, this.#work]) makeFolder(folder, FOLDER_MODE);
  }

  /**
   * Completes the commit of an earlier run, removes uncommitted files, and returns the state; undefined: none. Throws a
   * FormatError if the state is damaged.
   */
  recover(): CollectorState | undefined {
    const path = join(this.#work, STATE);
    let state: CollectorState | undefined;
    try {
      state = readState(readToEnd(path, STATE_BYTES_MAX), path);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
    if (state !== undefined) this.#finish(state.segment);
    for (const name of readdirSync(this.#work))
      if (name.endsWith(".part")) rmSync(join(this.#work, name), { force: true });
    return state;
  }

  /** Moves a damaged state aside for inspection. */
  setStateAside(): void {
    renameSync(join(this.#work, STATE), join(this.#work, `${STATE}.damaged`));
  }

  newSegment(): GrowingFile {
    return new GrowingFile(join(this.#work, "segment.part"), { mode: FILE_MODE });
  }

  /** Commits segment and state. Returns the bytes of the segment. */
  commit(file: GrowingFile, state: CollectorState): number {
    const bytes = file.finish();
    this.#onStep("segment written");
    renameSync(file.path, this.#ready(state.segment));
    syncFolder(this.#work);
    this.#onStep("segment ready");
    const part = join(this.#work, `${STATE}.part`);
    const out = new GrowingFile(part, { mode: FILE_MODE });
    try {
      writeState(state, (piece) => out.append(piece));
      this.#onStep("state begun");
      out.finish();
    } catch (error) {
      out.drop();
      throw error;
    }
    this.#onStep("state written");
    renameSync(part, join(this.#work, STATE));
    this.#onStep("state renamed");
    syncFolder(this.#work);
    this.#finish(state.segment);
    this.#onStep("segment in place");
    return bytes;
  }

  /** Removes the oldest segments of this host beyond the limits; returns their number and the remaining bytes. */
  retain(host: string, oldestNs: bigint | undefined, bytesMax: number | undefined): Retained {
    const own = `${fileNamePart(host)}-`;
    const stampOf = (name: string) => /^(\d{8}T\d{6}\.\d{9}Z)\.ndjson$/.exec(name.slice(own.length))?.[1];
    const names = readdirSync(this.segments).filter(
      (name) => name.startsWith(own) && stampOf(name) !== undefined,
    );
    names.sort();
    const sizes = names.map(
      (name) => statSync(join(this.segments, name), { throwIfNoEntry: false })?.size ?? 0,
    );
    let bytes = sizes.reduce((sum, size) => sum + size, 0);
    const limit = oldestNs === undefined ? "" : stampText(oldestNs);
    let removed = 0;
    for (const [i, name] of names.entries()) {
      const isOld = (stampOf(name) ?? "") < limit;
      // The last one stays, however large it is.
      const isTooMuch = bytesMax !== undefined && bytes > bytesMax && i < names.length - 1;
      if (!isOld && !isTooMuch) continue;
      rmSync(join(this.segments, name), { force: true });
      bytes -= sizes[i] as number;
      removed++;
    }
    return { removed, bytes, segments: names.length - removed };
  }

  #ready(segment: string): string {
    return join(this.#work, `${segment}.part`);
  }

  #finish(segment: string): void {
    const ready = this.#ready(segment);
    if (segment === "" || !existsSync(ready)) return;
    renameSync(ready, join(this.segments, segment));
    syncFolder(this.segments);
  }
}

interface Retained {
  readonly removed: number;
  readonly bytes: number;
  readonly segments: number;
}

/** `oss1-20261115T173047.123456789Z.ndjson`: names sort by time. */
export function segmentName(host: string, toNs: bigint): string {
  return `${fileNamePart(host)}-${stampText(toNs)}${ENDING}`;
}

function stampText(ns: bigint): string {
  const seconds = new Date(Number(ns / 1_000_000_000n) * 1000)
    .toISOString()
    .slice(0, 19)
    .replace(/[-:]/g, "");
  return `${seconds}.${String(ns % 1_000_000_000n).padStart(9, "0")}Z`;
}
