/** Samples the counters of a server: the deltas since the last sample become a segment. */
import { FormatError } from "../../base/errors.ts";
import {
  CounterTable,
  DeltaTracker,
  type Deltas,
  type LustreItem,
  LustreParser,
  NO_STAMP,
  Reading,
  type TableReading,
} from "../../formats/lustre/index.ts";
import { SegmentWriter, writeDeltas } from "../../formats/samples/index.ts";
import { codeOf, readFirst, fileReason } from "../files.ts";
import { cleanupFiles, type LustreFile, serverFiles } from "../lustre-files.ts";
import { SequentialFile } from "../sequential-file.ts";
import { SampleClock, type TimeSource } from "./clock.ts";
import { CollectorFolder, type OnStep, segmentName } from "./folder.ts";
import { Health, Troubles } from "./health.ts";
import { EXPORT_STATS, exportsAreDue, readExports } from "./exports.ts";
import type { CollectorState } from "./state-file.ts";
import { type ServerStates, StateReader } from "./states.ts";

/** Listener for the deltas. A sample counts only after `commit`. */
export interface DeltaListener {
  add(deltas: Deltas): void;
  table(reading: TableReading): void;
  states(states: ServerStates): void;
  commit(): void;
  abort(): void;
}

export interface CollectorOptions {
  readonly root: string;
  readonly dir: string;
  readonly host: string;
  /** `plimsoll 0.2.0` */
  readonly collector: string;
  readonly everyNs: bigint;
  readonly keepNs?: bigint | undefined;
  readonly keepBytes?: number | undefined;
  readonly withBrw?: boolean | undefined;
  readonly time: TimeSource;
  readonly listener?: DeltaListener | undefined;
  readonly onStep?: OnStep | undefined;
  note(message: string): void;
  /** Frees unused memory. */
  cleanUp?(): void;
}

export interface SampleResult {
  /** Undefined: nothing to read. */
  readonly segment: string | undefined;
  readonly files: number;
  /** Jobs in the counters of all targets, counted per target. */
  readonly jobs: number;
  readonly bytes: number;
  readonly unreadable: number;
}

/** How long a target is remembered that may be running on another server. */
const FORGET_NS = 3_650n * 86_400n * 1_000_000_000n;
const SECOND = 1_000_000_000n;
/** Columns that grew leave this much behind before memory is cleaned up; all targets grow at once when many jobs begin. */
const REPLACED_BYTES_MAX = 1 << 20;

export class ServerCollector {
  readonly health = new Health();
  readonly #options: CollectorOptions;
  readonly #folder: CollectorFolder;
  readonly #troubles: Troubles;
  readonly #source = new SequentialFile();
  #clock: SampleClock;
  #tracker!: DeltaTracker;
  /** Client counters, read once an hour. */
  #exports!: DeltaTracker;
  #parser!: LustreParser;
  #states!: StateReader;
  #sinceNs = 0n;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#folder = new CollectorFolder(options.dir, options.onStep);
    this.#troubles = new Troubles((message) => options.note(message));
    const state = this.#recover();
    this.#clock = new SampleClock(options.time, options.everyNs, state?.lastNs);
    this.#begin(state);
  }

  /** One sample. Throws when it cannot be stored; the next one then covers its time too. */
  sample(): SampleResult {
    const { health } = this;
    const options = this.#options;
    const began = options.time.monotonicMs();
    try {
      const result = this.#take();
      health.samples++;
      health.lastSampleNs = this.#clock.lastNs;
      this.#retain();
      return result;
    } catch (error) {
      health.failedSamples++;
      options.listener?.abort();
      // The tracker has seen a sample that was not stored: reload the state from disk.
      this.#begin(this.#recover());
      throw error;
    } finally {
      health.clockJumps = this.#clock.jumps;
      health.cutFiles = this.#tracker.counts.cut;
      health.lastDurationMs = options.time.monotonicMs() - began;
      this.#troubles.turn();
      // Before a long pause.
      options.cleanUp?.();
    }
  }

  #recover(): CollectorState | undefined {
    try {
      return this.#folder.recover();
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#options.note(
        `${error.message}; the file was moved aside, and the counts since the last sample are lost`,
      );
      this.#folder.setStateAside();
      return this.#folder.recover();
    }
  }

  #begin(state: CollectorState | undefined): void {
    const { root, everyNs, time } = this.#options;
    this.#sinceNs = state?.sinceNs ?? this.#sinceNs;
    if (this.#sinceNs === 0n) this.#sinceNs = time.wallNs();
    const table = state?.table ?? new CounterTable();
    this.#parser = new LustreParser(table);
    this.#tracker = new DeltaTracker(table, {
      sinceNs: this.#sinceNs,
      everyNs,
      forgetNs: FORGET_NS,
      cleanupNs: cleanupNs(root),
    });
    const hourNs = 3600n * SECOND;
    const exportOptions = { sinceNs: this.#sinceNs, everyNs: hourNs, forgetNs: FORGET_NS, cleanupNs: hourNs };
    this.#exports = new DeltaTracker(table, exportOptions);
    for (const [key, target] of state?.targets ?? [])
      (key.split("\n")[1] === EXPORT_STATS ? this.#exports : this.#tracker).states.set(key, target);
    this.#states = new StateReader(root, everyNs);
    for (const [key, small] of state?.small ?? []) this.#states.counters.states.set(key, small);
  }

  #take(): SampleResult {
    const options = this.#options;
    const { root, host, collector, withBrw, listener } = options;
    const shiftNs = this.#clock.begin();
    if (shiftNs > 0n) this.#moveBack(shiftNs);
    const { files, unreadable } = serverFiles(root, withBrw);
    for (const { path, code } of unreadable)
      this.#troubles.add(`cannot list ${path}: ${fileReason({ code })}`);
    this.#notHere(files, unreadable.length > 0);
    const segment = this.#folder.newSegment();
    try {
      const stamp = this.#clock.nowNs();
      const head = { host, collector, fromNs: stamp, toNs: stamp };
      const writer = new SegmentWriter(head, (text) => segment.append(text));
      const found = { files: 0, jobs: 0, unreadable: unreadable.length, fromNs: stamp };
      const targets = new Set<string>();
      let replaced = 0;
      for (const file of files) {
        const deltas = this.#read(file, found, (one) => {
          const since = this.#firstFromNs(one);
          writeDeltas(writer, one, since);
          const fromNs = one.fromNs ?? since;
          if (fromNs < found.fromNs) found.fromNs = fromNs;
          found.jobs += one.reading.kind === "job_stats" ? one.reading.rows : 0;
          this.#invalid(file, one);
          listener?.add(one);
        });
        if (deltas) targets.add(file.folder);
        replaced += this.#tracker.takeReplacedBytes();
        if (replaced <= REPLACED_BYTES_MAX) continue;
        options.cleanUp?.();
        replaced = 0;
      }
      if (found.files > 0) this.#readStates(targets, writer);
      this.health.lastFiles = found.files;
      this.health.lastTargets = targets.size;
      this.health.lastJobs = found.jobs;
      this.health.lastUnreadable = found.unreadable;
      const { files: count, jobs, unreadable: bad } = found;
      if (count === 0) {
        segment.drop();
        this.#troubles.add(`no Lustre counters below ${root}: no mdt/*/job_stats, no obdfilter/*/job_stats`);
        listener?.commit();
        return { segment: undefined, files: 0, jobs, bytes: 0, unreadable: bad };
      }
      writer.end();
      const toNs = this.#clock.lastNs ?? stamp;
      // The first line holds times of 19 digits, so it is as long as before.
      new SegmentWriter({ ...head, fromNs: found.fromNs, toNs }, (text) =>
        segment.replaceStart(new TextEncoder().encode(text)),
      );
      const name = segmentName(host, toNs);
      const bytes = this.#folder.commit(segment, this.#state(name, toNs));
      listener?.commit();
      this.health.writtenBytes += bytes;
      return { segment: name, files: count, jobs, bytes, unreadable: bad };
    } catch (error) {
      segment.drop();
      throw error;
    }
  }

  #state(segment: string, lastNs: bigint): CollectorState {
    const { host } = this.#options;
    const targets = new Map([...this.#tracker.states, ...this.#exports.states]);
    const small = this.#states.counters.states;
    return { host, segment, sinceNs: this.#sinceNs, lastNs, table: this.#parser.table, targets, small };
  }

  #moveBack(ns: bigint): void {
    for (const tracker of [this.#tracker, this.#exports])
      for (const state of tracker.states.values()) state.readAtNs -= ns;
    this.#states.counters.moveBack(ns);
  }

  /** Counters without jobs: states of the server and its targets, and once an hour the clients of each target. */
  #readStates(targets: ReadonlySet<string>, writer: SegmentWriter): void {
    const { root, everyNs, listener } = this.#options;
    const states = this.#states.read([...targets], this.#clock.nowNs(), (state) => writer.state(state));
    listener?.states(states);
    for (const target of targets) {
      const nowNs = this.#clock.nowNs();
      const last = this.#exports.states.get(`\n${EXPORT_STATS}\n${target}\n`)?.readAtNs;
      if (!exportsAreDue(nowNs, last, everyNs)) continue;
      readExports(this.#parser, root, target, nowNs, (reading) => {
        const deltas = this.#exports.feed(reading);
        if (deltas !== undefined) writeDeltas(writer, deltas, this.#firstFromNs(deltas));
      });
    }
  }

  /** Reads one file; true on success. */
  #read(
    file: LustreFile,
    found: { files: number; unreadable: number },
    use: (deltas: Deltas) => void,
  ): boolean {
    let fault: unknown;
    for (const path of file.paths) {
      const readAtNs = this.#clock.nowNs();
      const items: LustreItem[] = [];
      try {
        const source = this.#source.open(path);
        try {
          this.#parser.parse(source, { readAtNs, path: file.param }, (item) => {
            if (item instanceof Reading) {
              const deltas = this.#tracker.feed(item);
              if (deltas !== undefined) {
                found.files++;
                use(deltas);
              }
            } else items.push(item);
          });
        } finally {
          source.close();
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).syscall === undefined && !(error instanceof FormatError))
          throw error;
        if ((error as NodeJS.ErrnoException).syscall === "write") throw error;
        fault = fault === undefined || codeOf(fault) === "ENOENT" ? error : fault;
        continue;
      }
      for (const item of items) if (item.form === "table") this.#options.listener?.table(item);
      return true;
    }
    this.#fault(file, fault, found);
    return false;
  }

  #invalid({ param }: LustreFile, { invalid: { count, name } }: Deltas): void {
    if (count === 0) return;
    this.health.invalidCounters += count;
    this.#troubles.add(`${param}: ${name} is negative; skipped until it is valid again`);
  }

  #fault({ param }: LustreFile, error: unknown, found: { unreadable: number }): void {
    const code = codeOf(error);
    // A target has only some of the files, and each can disappear with the target.
    if (code === "ENOENT" || code === "ENOTDIR") {
      if (param.endsWith("job_stats")) this.health.vanishedFiles++;
      return;
    }
    if (code === "ENODEV" || code === "ESTALE" || code === "ENXIO") this.health.vanishedFiles++;
    else {
      this.health.unreadableFiles++;
      found.unreadable++;
    }
    this.#troubles.add(`cannot read ${param}: ${fileReason(error)}`);
  }

  /**
   * A target that is not on this server now: its counters start from zero here, so that samples of another server in
   * the meantime do not overlap with ours.
   */
  #notHere(files: readonly LustreFile[], partly: boolean): void {
    if (partly) return;
    const here = new Set(files.map(({ folder }) => folder));
    const nowNs = this.#clock.nowNs();
    for (const [key, state] of [...this.#tracker.states, ...this.#exports.states])
      if (!here.has(key.split("\n")[2] as string) && state.readAtNs < nowNs) state.readAtNs = nowNs;
    const { states } = this.#states.counters;
    for (const [key, { values }] of states)
      if (key !== "" && !here.has(key)) states.set(key, { atNs: nowNs, values });
  }

  /** Start time of the deltas of a first reading: its entries began after the collection did. */
  #firstFromNs({ reading, toNs }: Deltas): bigint {
    let first = toNs - 1n;
    for (let row = 0; row < reading.rows; row++) {
      const start = reading.startNs[row] as bigint;
      if (start !== NO_STAMP && start > this.#sinceNs && start < first) first = start;
    }
    return first;
  }

  #retain(): void {
    const { host, keepNs, keepBytes } = this.#options;
    const now = this.#clock.lastNs ?? 0n;
    const oldest = keepNs === undefined ? undefined : now - keepNs;
    try {
      const { removed, bytes, segments } = this.#folder.retain(host, oldest, keepBytes);
      this.health.removedSegments += removed;
      this.health.lastSegmentsBytes = bytes;
      this.health.lastSegments = segments;
    } catch (error) {
      this.#troubles.add(`cannot remove old segments: ${fileReason(error)}`);
    }
  }
}

/** The longest time that a target of this server keeps idle jobs: an entry that comes back sooner continues. */
function cleanupNs(root: string): bigint {
  let longest = 0n;
  for (const { paths } of cleanupFiles(root).files) {
    try {
      const text = new TextDecoder("latin1").decode(readFirst(paths) ?? new Uint8Array());
      const seconds = /^(\d{1,9})\s*$/.exec(text.replace(/\0+$/, ""))?.[1];
      if (seconds !== undefined && BigInt(seconds) * SECOND > longest) longest = BigInt(seconds) * SECOND;
    } catch {
      // The usual 600 s then.
    }
  }
  return longest === 0n ? 600n * SECOND : longest;
}
