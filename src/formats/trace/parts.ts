/**
 * A trace read in parts, in any order and perhaps by several threads: `planTrace` cuts it, `readTracePart` reads a part, and
 * `TraceParts` puts together what they say about files and the trace, in the order of the parts.
 */
import type { ByteSource } from "../../base/source.ts";
import type { CallBlock, CallFile, CallSink, CallWords } from "../../model/index.ts";
import { isTrace, readHeader, type TraceHeader } from "./header.ts";
import { introduce, recordsIn, unnamedFile } from "./introduce.ts";
import { HEADER_BYTES, KIND, RECORD_BYTES } from "./layout.ts";
import { type Counts, tellFacts } from "./notes.ts";
import { RecordReader, type RecordRange } from "./reader.ts";

export interface TracePlan {
  readonly header: TraceHeader;
  readonly parts: readonly RecordRange[];
  /** Records that the header counts and the file does not have. */
  readonly missing: number;
}

/** What a part says beside its accesses: plain data. Files in its blocks have their place in `files` as number. */
export interface TracePartFacts {
  readonly counts: Counts;
  /** Files in the order of their first access, with the name if the part says it before that. */
  readonly files: readonly { readonly file: number; readonly named?: CallFile }[];
  /** All names in the part. */
  readonly names: readonly (readonly [number, CallFile])[];
}

/** Records that continue the one before are not parted from it: there are at most this many. */
const CONTINUED_MAX = 4096;

/** Cuts a trace into parts of about `records`; undefined when it is no trace or has fewer. */
export function planTrace(source: ByteSource, records: number): TracePlan | undefined {
  if (!isTrace(source.read(0, HEADER_BYTES))) return undefined;
  const header = readHeader(source);
  const { available, missing } = recordsIn(source, header);
  if (available < records) return undefined;
  const edges = [0];
  for (let at = records; at < available; at += records) {
    const edge = at + continued(source, at);
    if (edge > (edges.at(-1) as number) && edge < available) edges.push(edge);
  }
  const parts = edges.map((from, at) => ({ from, to: edges[at + 1] ?? available }));
  return { header, parts, missing };
}

/** How many records from `at` on belong to the one before. */
function continued(source: ByteSource, at: number): number {
  const bytes = source.read(HEADER_BYTES + at * RECORD_BYTES, CONTINUED_MAX * RECORD_BYTES);
  let count = 0;
  for (; (count + 1) * RECORD_BYTES <= bytes.length; count++) {
    const kind = bytes[count * RECORD_BYTES + 4];
    if (kind !== KIND.namePart && kind !== KIND.moved) break;
  }
  return count;
}

/** The process of all accesses is 0. */
export function readTracePart(
  source: ByteSource,
  header: TraceHeader,
  part: RecordRange,
  take: (block: CallBlock) => void,
  takeWords?: (calls: CallWords) => void,
): TracePartFacts {
  const files: { file: number; named?: CallFile }[] = [];
  const file = (number: number, named: CallFile | undefined) =>
    files.push({ file: number, ...(named === undefined ? {} : { named }) }) - 1;
  const reader = new RecordReader(source, header, 0, {
    ...{ block: take, file },
    ...(takeWords === undefined ? {} : { words: takeWords }),
  });
  reader.read(part);
  return { counts: reader.counts, files, names: [...reader.names] };
}

export class TraceParts {
  /** What the sink calls the process. */
  readonly process: number;
  readonly #plan: TracePlan;
  readonly #sink: CallSink;
  readonly #counts: Counts[] = [];
  readonly #names = new Map<number, CallFile>();
  readonly #numbers = new Map<number, number>();

  constructor(plan: TracePlan, sink: CallSink) {
    this.#plan = plan;
    this.#sink = sink;
    this.process = introduce(plan.header, sink);
  }

  /** What the sink calls the files of the next part. */
  add({ counts, files, names }: TracePartFacts): Uint32Array {
    this.#counts.push(counts);
    const numbers = Uint32Array.from(files, ({ file, named }) => this.#numberOf(file, named));
    for (const [file, name] of names) this.#names.set(file, name);
    return numbers;
  }

  /** After the last part. */
  end(): void {
    const total = { ...(this.#counts[0] as Counts) };
    for (const counts of this.#counts.slice(1))
      for (const name of Object.keys(total) as (keyof Counts)[]) total[name] += counts[name];
    total.missing += this.#plan.missing;
    tellFacts([{ header: this.#plan.header, counts: total }], this.#sink);
  }

  #numberOf(file: number, named: CallFile | undefined): number {
    let number = this.#numbers.get(file);
    if (number === undefined) {
      number = this.#sink.file(named ?? this.#names.get(file) ?? unnamedFile(file));
      this.#numbers.set(file, number);
    }
    return number;
  }
}
