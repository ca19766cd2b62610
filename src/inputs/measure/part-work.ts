/** What a thread of `plimsoll bps` does: reads parts of traces, and sweeps slices of time. */
import {
  type CallSweepInput,
  type CollectedPart,
  type DuplicateTable,
  PartCollector,
  type PartOptions,
  type PartOrigin,
  type Slice,
  sweepCalls,
  type CallSliceResult,
} from "../../analyze/metric/index.ts";
import {
  readTracePart,
  type RecordRange,
  type TraceHeader,
  type TracePartFacts,
} from "../../formats/trace/index.ts";
import { type FileSource, openFile } from "../../node/file-source.ts";

export interface WorkerStart {
  readonly options: PartOptions;
}

export interface PartJob {
  readonly kind: "part";
  readonly path: string;
  readonly header: TraceHeader;
  readonly range: RecordRange;
  readonly origin: PartOrigin;
}

export interface PartResult {
  readonly part: CollectedPart;
  readonly facts: TracePartFacts;
}

export interface SliceJob {
  readonly kind: "slice";
  readonly input: CallSweepInput;
  readonly slice: Slice;
}

/** All duplicates of the parts so far. */
interface DuplicatesJob {
  readonly kind: "duplicates";
}

export type Job = PartJob | SliceJob | DuplicatesJob;

export class PartWorker {
  readonly #collector: PartCollector;
  #open: { path: string; source: FileSource } | undefined;

  /** `shared`: whether other threads are to see the times. */
  constructor(options: PartOptions, shared: boolean) {
    this.#collector = new PartCollector(options, shared);
  }

  do(job: Job): PartResult | CallSliceResult | DuplicateTable {
    if (job.kind === "part") return this.part(job);
    this.close();
    if (job.kind === "duplicates") return this.duplicates;
    return sweepCalls(job.input, job.slice);
  }

  part({ path, header, range, origin }: PartJob): PartResult {
    const source = this.#sourceOf(path);
    let facts: TracePartFacts | undefined;
    const part = this.#collector.collect(origin, (take, takeWords) => {
      facts = readTracePart(source, header, range, take, takeWords);
    });
    return { part, facts: facts as unknown as TracePartFacts };
  }

  get duplicates(): DuplicateTable {
    return this.#collector.duplicates.table;
  }

  close(): void {
    this.#open?.source.close();
    this.#open = undefined;
  }

  #sourceOf(path: string): FileSource {
    if (this.#open?.path !== path) {
      this.close();
      this.#open = { path, source: openFile(path) };
    }
    return this.#open.source;
  }
}
