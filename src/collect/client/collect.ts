/** Before a job, saves the counters of its node; after it, writes one document with both readings. */
import { join } from "node:path";
import { bytesSource } from "../../base/source.ts";
import {
  type ClientReading,
  type ClientSide,
  clientReadingText,
  readClientReading,
} from "../../formats/samples/index.ts";
import { makeFolder } from "../../node/folders.ts";
import { writeWhole } from "../../node/durable.ts";
import { FILE_MODE, FOLDER_MODE, fileReason } from "../files.ts";
import { type JobFacts, nodeMemoryBytes } from "./facts.ts";
import { readSide } from "./side.ts";
import { nameOf, type Waiting, WaitingFolder } from "./waiting.ts";

export interface ClientOptions {
  readonly root: string;
  readonly dir: string;
  /** Who writes it: `plimsoll 0.2.0`. */
  readonly collector: string;
  /** Age at which waiting documents are removed. */
  readonly staleMs: number;
  nowMs(): number;
  /** Warnings; never thrown, so that the rest still happens. */
  warn(message: string): void;
}

const SHARED_NOTE = "another job ran on the node at the same time; its calls are included";

export function collectBefore(facts: JobFacts, options: ClientOptions): void {
  const { side, notes } = readSide(options.root, () => BigInt(options.nowMs()) * 1_000_000n);
  for (const note of notes) options.warn(note);
  const reading: ClientReading = { ...facts, collector: options.collector, before: side, notes };
  new WaitingFolder(options.dir, options.nowMs).put(facts, clientReadingText(reading));
}

/** Returns the path of the document. */
export function collectAfter(facts: JobFacts, options: ClientOptions): string {
  // Counters first, so that our own work is not counted.
  const { side, notes } = readSide(options.root, () => BigInt(options.nowMs()) * 1_000_000n);
  const waiting = new WaitingFolder(options.dir, options.nowMs);
  const then = readBefore(waiting, facts, options);
  const all = [...new Set([...then.notes, ...notes, ...(then.shared ? [SHARED_NOTE] : [])])];
  for (const note of all) options.warn(note);
  const reading: ClientReading = {
    ...facts,
    nodeMemoryBytes: nodeMemoryBytes(options.root),
    collector: options.collector,
    before: then.before,
    after: side,
    notes: all,
  };
  const folder = join(options.dir, "readings");
  makeFolder(folder, FOLDER_MODE);
  const path = join(folder, `${nameOf(facts)}~${side.atNs / 1_000_000n}.json`);
  writeWhole(path, clientReadingText(reading), { mode: FILE_MODE });
  waiting.remove(facts);
  return path;
}

interface Before {
  readonly before: ClientSide | undefined;
  readonly notes: readonly string[];
  readonly shared: boolean;
}

function readBefore(waiting: WaitingFolder, facts: JobFacts, { warn }: ClientOptions): Before {
  let shared = false;
  try {
    const found = waiting.get(facts);
    shared = found.shared;
    if (found.bytes === undefined) {
      warn("no sample before the job: the node is dropped (is PrologFlags=Alloc set in slurm.conf?)");
      return { before: undefined, notes: [], shared };
    }
    const { before, notes = [] } = readClientReading(bytesSource(found.bytes, nameOf(facts)));
    return { before, notes, shared };
  } catch (error) {
    warn(`the sample before the job cannot be used: ${fileReason(error)}`);
    return { before: undefined, notes: ["the sample before the job is damaged"], shared };
  }
}

/** Removes and returns documents of jobs that never ended here. */
export function cleanWaiting({ dir, staleMs, nowMs }: ClientOptions): Waiting[] {
  return new WaitingFolder(dir, nowMs).clean(staleMs);
}

export function listWaiting({ dir, nowMs }: Pick<ClientOptions, "dir" | "nowMs">): Waiting[] {
  return new WaitingFolder(dir, nowMs).list();
}
