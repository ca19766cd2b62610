/**
 * Gathers accesses of any number of inputs into one collection and computes its metrics. Accesses are counted as they come
 * and only their times are kept (time-runs.ts; with owner and size where that is asked for, access-runs.ts), so memory is
 * a few bytes an access.
 *
 *   const collector = new AccessCollector({ by: ["process"] });
 *   reader.read(source, collector.sink("a.csv"));      // any reader that fills an CallSink
 *   const metrics = collector.finish();
 */
import { assert } from "../../base/assert.ts";
import { LimitError, UsageError } from "../../base/errors.ts";
import { formatBytes, formatCount } from "../../base/units.ts";
import type { CallBlock, CallClock, CallSink } from "../../model/index.ts";
import { AccessRuns } from "./access-runs.ts";
import type { CallSweepInput, CallSweepResult } from "./call-sweep.ts";
import { BlockKernel, type Counts, noCounts } from "./block-kernel.ts";
import { Clocks, Source } from "./clocks.ts";
import { type DuplicateTable, Duplicates } from "./duplicates.ts";
import { Entities } from "./entities.ts";
import { measure, sweepInputOf } from "./measure.ts";
import type { CollectorOptions, Metrics, UsedOptions } from "./metrics.ts";
import type { InputNote } from "./notes.ts";
import type { CollectedPart, PartOptions, PartOrigin } from "./parts.ts";
import { Tallies } from "./tallies.ts";

/** So few accesses are swept before threads have got their jobs. */
const SHARED_MIN = 2 ** 20;

/** What was counted, as `measure` takes it. */
export interface Collection {
  readonly options: UsedOptions;
  readonly inputs: readonly string[];
  readonly clocks: Clocks;
  readonly entities: Entities;
  readonly tallies: Tallies;
  readonly runs: AccessRuns;
  readonly duplicates: Duplicates;
  readonly notes: readonly InputNote[];
  readonly counts: Counts;
}

/** Takes accesses of one reader; or parts of them that were collected elsewhere. */
export interface CollectorSink extends CallSink {
  /** What is to be known to collect a part elsewhere, once the clock is set. */
  partOrigin(pid: number): PartOrigin;
  /** Adds a part; `files` has the number that `file` gave for each of its files. */
  absorb(part: CollectedPart, process: number, files: Uint32Array): void;
}

export class AccessCollector {
  readonly #options: UsedOptions;
  readonly #inputs: string[] = [];
  readonly #clocks: Clocks;
  readonly #entities: Entities;
  readonly #tallies = new Tallies();
  readonly #runs: AccessRuns;
  readonly #duplicates = new Duplicates();
  readonly #notes: InputNote[] = [];
  readonly #counts: Counts = noCounts();
  /** Whose accesses are in the chunk of `#runs`. */
  #current = -1;
  #finished = false;

  /** `shared`: whether other threads are to see the times, for `sweepInput`. */
  constructor(options: CollectorOptions = {}, { shared = false }: { readonly shared?: boolean } = {}) {
    const used = (this.#options = withDefaults(options));
    this.#clocks = new Clocks(used.align);
    this.#entities = new Entities(used.file ?? (() => true));
    this.#runs = new AccessRuns({ shared, detail: hasDetail(used) });
  }

  /** Takes the accesses of one reader. Several may share the name of an input, such as the files of a folder. */
  sink(input: string): CollectorSink {
    let number = this.#inputs.indexOf(input);
    if (number < 0) number = this.#inputs.push(input) - 1;
    const source = new Source(number, input);
    const at = this.#clocks.sources.length;
    this.#clocks.add(source);
    const take = this.#taker(source, at);
    return {
      clock: (clock) => {
        this.#clocks.set(source, clock);
        this.#setRange(source, clock);
      },
      process: (process) => this.#entities.process(number, process),
      file: (file) => this.#entities.file(number, file),
      block: take,
      note: (note) => void this.#notes.push({ ...note, input }),
      partOrigin: (pid) => ({ pid, offsetNs: source.offsetNs, fromNs: source.fromNs, toNs: source.toNs }),
      absorb: (part, process, files) => this.#absorb(source, at, part, process, files),
    };
  }

  /** How many accesses were taken so far. */
  get accesses(): number {
    return this.#counts.accesses;
  }

  /** What parts of inputs are to be collected with; undefined when the options need to know the names of files. */
  get partOptions(): Omit<PartOptions, "records"> | undefined {
    const { blockBytes, ceilPerAccess, includeNonFile, only, file } = this.#options;
    if (file !== undefined) return undefined;
    const kernel = { blockBytes, ceilPerAccess, includeNonFile, ...(only === undefined ? {} : { only }) };
    return { ...kernel, detail: hasDetail(this.#options) };
  }

  /** Adds the duplicates that were found in parts. */
  addDuplicates(table: DuplicateTable): void {
    this.#duplicates.merge(table);
  }

  /** What is to be swept, for others who do it; undefined when that is a matter of `finish`. */
  sweepInput(): CallSweepInput | undefined {
    this.#flush();
    if (this.#options.everyNs !== undefined || this.#counts.accesses < SHARED_MIN) return undefined;
    return sweepInputOf(this.#collection(), this.#clocks.axis());
  }

  /** `swept` is what was found about `sweepInput`. */
  finish(swept?: CallSweepResult): Metrics {
    assert(!this.#finished, "a collection is finished once");
    this.#finished = true;
    this.#flush();
    return measure(this.#collection(), swept);
  }

  #collection(): Collection {
    return {
      options: this.#options,
      inputs: this.#inputs,
      clocks: this.#clocks,
      entities: this.#entities,
      tallies: this.#tallies,
      runs: this.#runs,
      duplicates: this.#duplicates,
      notes: this.#notes,
      counts: this.#counts,
    };
  }

  #flush(): void {
    if (this.#current >= 0) this.#runs.flush(this.#current);
  }

  #absorb(source: Source, at: number, part: CollectedPart, process: number, files: Uint32Array): void {
    this.#switchTo(at, source);
    const map = this.#tallies.append(part.tallies, process, files, at);
    this.#runs.append(part.packed, at, map);
    for (const name of Object.keys(this.#counts) as (keyof Counts)[]) this.#counts[name] += part.counts[name];
    source.minStartNs = Math.min(source.minStartNs, part.minStartNs);
    source.maxStartNs = Math.max(source.maxStartNs, part.maxStartNs);
    source.maxEndNs = Math.max(source.maxEndNs, part.maxEndNs);
    this.#checkMemory(source);
  }

  #taker(source: Source, at: number): (block: CallBlock) => void {
    const kernel = new BlockKernel(
      this.#tallies,
      this.#runs,
      this.#duplicates,
      this.#entities,
      this.#options,
    );
    return (block) => {
      if (block.count === 0) return;
      assert(source.clock !== undefined, `the reader of ${source.name} gave accesses before its clock`);
      this.#switchTo(at, source);
      for (let from = 0; from < block.count; ) {
        from = kernel.take(block, from, source, this.#counts);
        if (this.#runs.count < this.#runs.start.length) continue;
        this.#runs.makeRoom(at);
        this.#checkMemory(source);
      }
    };
  }

  /** A chunk holds times of one clock. */
  #switchTo(at: number, source: Source): void {
    if (this.#current === at) return;
    if (this.#current >= 0) {
      this.#runs.flush(this.#current);
      this.#checkMemory(source);
    }
    this.#current = at;
  }

  #checkMemory({ name }: Source): void {
    const used = this.#runs.memoryBytes + this.#tallies.memoryBytes + this.#duplicates.memoryBytes;
    if (used <= this.#options.memoryBytes) return;
    const limit = formatBytes(this.#options.memoryBytes);
    throw new LimitError(
      name,
      {},
      `${formatCount(this.#counts.accesses)} accesses need more than ${limit}; raise --memory, omit --by, --every and the report, or select a part with --from and --to`,
    );
  }

  /** Puts the range of the options on the clock of the source. */
  #setRange(source: Source, { epochNs }: CallClock): void {
    const { range } = this.#options;
    if (range === undefined) return;
    const axisNs = Number(epochNs - (range.origin.inputs.get(source.name) ?? range.origin.ns));
    source.fromNs = range.fromNs - axisNs;
    source.toNs = range.toNs - axisNs;
  }
}

/** Groups, windows and pictures go through accesses with their owners and sizes; sums are counted on the way. */
const hasDetail = ({ by, everyNs, picture }: UsedOptions): boolean =>
  by.length > 0 || everyNs !== undefined || picture === true;

function withDefaults(options: CollectorOptions): UsedOptions {
  const used: UsedOptions = {
    ...{ blockBytes: 512, ceilPerAccess: false, align: "clock", includeNonFile: false },
    ...{ by: [], top: 10, memoryBytes: 2 ** 31 },
    ...options,
  };
  const { blockBytes, executionSeconds, everyNs } = used;
  if (!Number.isSafeInteger(blockBytes) || blockBytes <= 0)
    throw new UsageError(`block size ${blockBytes} is not a positive whole number of bytes`);
  if (executionSeconds !== undefined && !(executionSeconds > 0 && Number.isFinite(executionSeconds)))
    throw new UsageError(`execution time ${executionSeconds} s is not positive`);
  if (everyNs !== undefined && !(Number.isSafeInteger(everyNs) && everyNs > 0))
    throw new UsageError(`windows of ${everyNs} ns are not a positive whole number of nanoseconds`);
  return used;
}
