/** Large traces of the recorder are read in parts, by several threads; the answer does not depend on how many. */
import { statSync } from "node:fs";
import {
  type AccessCollector,
  type CollectorSink,
  joinCallSlices,
  slicesOf,
  type CallSweepResult,
} from "../../analyze/metric/index.ts";
import {
  HEADER_BYTES,
  planTrace,
  RECORD_BYTES,
  TraceParts,
  type TracePlan,
} from "../../formats/trace/index.ts";
import { withFile } from "../../node/file-source.ts";
import { fsPath } from "../../node/raw-path.ts";
import type { InputFile } from "../job/index.ts";
import { type BpsThreads, startThreads } from "./threads.ts";
import type { PartResult } from "./part-work.ts";

/** Records of a part; a trace with fewer is read as it is. */
const PART_RECORDS = 2 ** 20;

interface Reading {
  readonly parts: TraceParts;
  readonly sink: CollectorSink;
  readonly results: readonly Promise<PartResult>[];
}

export class LargeTraces {
  readonly #collector: AccessCollector;
  readonly #plans = new Map<InputFile, TracePlan>();
  readonly #readings = new Map<InputFile, Reading>();
  readonly #inputs: readonly InputFile[];
  readonly #wanted: number;
  #threads: BpsThreads | undefined;

  /** Looks at the inputs. Whatever is wrong with one is left to whoever reads it. */
  constructor(
    inputs: readonly InputFile[],
    collector: AccessCollector,
    { threads, format }: { readonly threads: number; readonly format?: string },
  ) {
    this.#inputs = inputs;
    this.#collector = collector;
    this.#wanted = threads;
    if (collector.partOptions === undefined || (format !== undefined && format !== "trace")) return;
    for (const input of inputs) {
      const plan = planOf(input);
      if (plan !== undefined) this.#plans.set(input, plan);
    }
  }

  has(input: InputFile): boolean {
    return this.#plans.has(input);
  }

  /** All parts of an input, in order. Large traces right behind it are begun on the way, so that no thread waits. */
  async read(input: InputFile): Promise<void> {
    if (!this.#readings.has(input)) this.#begin(input);
    const { parts, sink, results } = this.#readings.get(input) as Reading;
    this.#readings.delete(input);
    for (const result of results) {
      const { part, facts } = await result;
      sink.absorb(part, parts.process, parts.add(facts));
    }
    parts.end();
  }

  /** Begins this one and those behind it, up to one that is read elsewhere: clocks are told in the order of inputs. */
  #begin(first: InputFile): void {
    this.#threads ??= this.#start();
    for (const input of this.#inputs.slice(this.#inputs.indexOf(first))) {
      const plan = this.#plans.get(input);
      if (plan === undefined) return;
      this.#readings.set(input, this.#readingOf(input, plan, this.#threads));
    }
  }

  #readingOf(input: InputFile, plan: TracePlan, threads: BpsThreads): Reading {
    const sink = this.#collector.sink(input.name);
    const parts = new TraceParts(plan, sink);
    const origin = sink.partOrigin(plan.header.pid);
    const results = plan.parts.map((range) =>
      threads.part({ kind: "part", path: input.path as string, header: plan.header, range, origin }),
    );
    return { parts, sink, results };
  }

  #start(): BpsThreads {
    let [parts, records] = [0, 0];
    for (const plan of this.#plans.values()) {
      parts += plan.parts.length;
      records += plan.parts.at(-1)?.to ?? 0;
    }
    const options = this.#collector.partOptions as NonNullable<AccessCollector["partOptions"]>;
    return startThreads(Math.min(this.#wanted, parts), { ...options, records });
  }

  /** After the last input: what threads know beside the parts, and the sweep if they can do it. */
  async finish(): Promise<CallSweepResult | undefined> {
    const threads = this.#threads;
    if (threads === undefined) return undefined;
    for (const table of await threads.duplicates()) this.#collector.addDuplicates(table);
    if (threads.count === 1) return undefined;
    const input = this.#collector.sweepInput();
    if (input === undefined) return undefined;
    const slices = slicesOf(input.runs, input.shift, threads.count);
    return joinCallSlices(
      await Promise.all(slices.map((slice) => threads.slice({ kind: "slice", input, slice }))),
    );
  }

  async end(): Promise<void> {
    await this.#threads?.end();
  }
}

function planOf({ path }: InputFile): TracePlan | undefined {
  if (path === undefined) return undefined;
  try {
    const stat = statSync(fsPath(path));
    if (!stat.isFile() || stat.size < HEADER_BYTES + PART_RECORDS * RECORD_BYTES) return undefined;
    return withFile(path, (source) => planTrace(source, PART_RECORDS));
  } catch {
    return undefined;
  }
}
