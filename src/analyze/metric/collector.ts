/**
 * Gathers accesses of any number of inputs into one collection and computes its metrics. Accesses are counted as they come
 * and only their times are kept, packed (access-runs.ts), so memory is a few bytes an access.
 *
 *   const collector = new AccessCollector({ by: ["process"] });
 *   reader.read(source, collector.sink("a.csv"));      // any reader that fills an AccessSink
 *   const metrics = collector.finish();
 */
import { assert } from "../../base/assert.ts";
import { LimitError, UsageError } from "../../base/errors.ts";
import { formatBytes, formatCount } from "../../base/units.ts";
import type { AccessBlock, AccessClock, AccessSink } from "../../model/access-stream.ts";
import { AccessRuns } from "./access-runs.ts";
import { BlockKernel, type Counts } from "./block-kernel.ts";
import { Clocks, Source } from "./clocks.ts";
import { Duplicates } from "./duplicates.ts";
import { Entities } from "./entities.ts";
import { measure } from "./measure.ts";
import type { CollectionNote, CollectorOptions, Metrics, UsedOptions } from "./metrics.ts";
import { Tallies } from "./tallies.ts";

export type { CollectorOptions, Metrics } from "./metrics.ts";

/** What was counted, as `measure` takes it. */
export interface Collection {
  readonly options: UsedOptions;
  readonly inputs: readonly string[];
  readonly clocks: Clocks;
  readonly entities: Entities;
  readonly tallies: Tallies;
  readonly runs: AccessRuns;
  readonly duplicates: Duplicates;
  readonly notes: readonly CollectionNote[];
  readonly counts: Counts;
}

export class AccessCollector {
  readonly #options: UsedOptions;
  readonly #inputs: string[] = [];
  readonly #clocks: Clocks;
  readonly #entities: Entities;
  readonly #tallies = new Tallies();
  readonly #runs: AccessRuns;
  readonly #duplicates = new Duplicates();
  readonly #notes: CollectionNote[] = [];
  readonly #counts: Counts = {
    ...{ accesses: 0, nested: 0, failed: 0 },
    ...{ endBeforeStart: 0, timeUnknown: 0, sizeNegative: 0, sizeUnknown: 0 },
    ...{ nonFile: 0, direction: 0, file: 0, time: 0 },
  };
  /** Whose accesses are in the chunk of `#runs`. */
  #current = -1;
  #finished = false;

  constructor(options: CollectorOptions = {}) {
    const used = (this.#options = withDefaults(options));
    this.#clocks = new Clocks(used.align);
    this.#entities = new Entities(used.file ?? (() => true));
    const detail = used.by.length > 0 || used.everyNs !== undefined || used.picture === true;
    this.#runs = new AccessRuns(detail);
  }

  /** Takes the accesses of one reader. Several may share the name of an input, such as the files of a folder. */
  sink(input: string): AccessSink {
    let number = this.#inputs.indexOf(input);
    if (number < 0) number = this.#inputs.push(input) - 1;
    const source = new Source(number, input);
    const at = this.#clocks.sources.length;
    this.#clocks.add(source);
    const take = this.#taker(source, at);
    return {
      clock: (clock) => this.#clocks.set(source, clock),
      process: (process) => this.#entities.process(number, process),
      file: (file) => this.#entities.file(number, file),
      block: take,
      note: (note) => void this.#notes.push({ ...note, input }),
    };
  }

  /** How many accesses were taken so far. */
  get accesses(): number {
    return this.#counts.accesses;
  }

  finish(): Metrics {
    assert(!this.#finished, "a collection is finished once");
    this.#finished = true;
    if (this.#current >= 0) this.#runs.flush(this.#current);
    return measure({
      options: this.#options,
      inputs: this.#inputs,
      clocks: this.#clocks,
      entities: this.#entities,
      tallies: this.#tallies,
      runs: this.#runs,
      duplicates: this.#duplicates,
      notes: this.#notes,
      counts: this.#counts,
    });
  }

  #taker(source: Source, at: number): (block: AccessBlock) => void {
    const kernel = new BlockKernel(
      this.#tallies,
      this.#runs,
      this.#duplicates,
      this.#entities,
      this.#options,
    );
    return (block) => {
      if (block.count === 0) return;
      const clock = source.clock;
      assert(clock !== undefined, `the reader of ${source.name} gave accesses before its clock`);
      this.#switchTo(at, source);
      const axisNs = this.#axisNs(source, clock);
      for (let from = 0; from < block.count; ) {
        from = kernel.take(block, from, axisNs, source, this.#counts);
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
      `${formatCount(this.#counts.accesses)} accesses need more than ${limit}; raise --memory, leave out --by, --every and the report, or choose a part of them`,
    );
  }

  /** From the clock of the source to the axis of `range`. */
  #axisNs({ name }: Source, { epochNs }: AccessClock): number {
    const { range } = this.#options;
    if (range === undefined) return 0;
    return Number(epochNs - (range.origin.inputs.get(name) ?? range.origin.ns));
  }
}

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
