/** The files of a job that are wanted, and what the others held. */
import type { AppliedFilter } from "../../analyze/job/index.ts";
import { NameFilter, type NamePatterns } from "../../base/glob.ts";
import { IdIndex } from "../../base/id-index.ts";
import { PackedNumbers } from "../../base/packed.ts";
import type { FileChoice } from "../../formats/darshan/file-gate.ts";
import {
  CALL_ERROR,
  CALL_LAYERS,
  CALL_NONFILE,
  type CallBlock,
  type CallSink,
  Operation,
  sinkWithout,
} from "../../model/index.ts";

/** Layers whose bytes are added; MPI-IO counts where nothing below it is known, DAOS where no DFS is above it. */
const COLUMN_OF: Readonly<Record<string, number>> = { POSIX: 0, STDIO: 0, DFS: 1, DAOS: 2, "MPI-IO": 3 };

/** One job's use of a filter: the same file counts once, whatever number of logs names it. */
export class JobFilter implements FileChoice {
  readonly #filter: NameFilter;
  readonly #ids = new IdIndex();
  readonly #paths = new Map<string, number>();
  /** Bytes by file, in the columns of `COLUMN_OF`. */
  readonly #read = [0, 1, 2, 3].map(() => new PackedNumbers());
  readonly #written = [0, 1, 2, 3].map(() => new PackedNumbers());

  constructor(filter: NameFilter) {
    this.#filter = filter;
  }

  keeps(path: string): boolean {
    return this.#filter.keeps(path);
  }

  leaveOut(low: number, high: number, layer: string, bytesRead: number, bytesWritten: number): void {
    this.#add(this.#ids.numberOf(low, high), layer, bytesRead, bytesWritten);
  }

  /** Hands on the calls on files that are wanted; with `counts`, what the others moved is added up. */
  sink(sink: CallSink, counts: boolean): CallSink {
    return sinkWithout(
      sink,
      ({ path }) => !this.keeps(path),
      counts ? ({ path }, block, i) => this.#leaveOutCall(path, block, i) : undefined,
    );
  }

  get applied(): AppliedFilter {
    const { include, exclude } = this.#filter;
    const files = this.#ids.count + this.#paths.size;
    let [bytesRead, bytesWritten] = [0, 0];
    for (let file = 0; file < files; file++) {
      bytesRead += movedBy(this.#read, file);
      bytesWritten += movedBy(this.#written, file);
    }
    return {
      include,
      exclude,
      filesLeftOut: files,
      bytesReadLeftOut: bytesRead,
      bytesWrittenLeftOut: bytesWritten,
    };
  }

  #leaveOutCall(path: string, { flags, operation, bytes, movedBytes, layer }: CallBlock, i: number): void {
    const way = operation[i] as number;
    // What failed, and what is no file, would not have counted either.
    if (((flags[i] as number) & CALL_NONFILE) !== 0) return;
    let file = this.#paths.get(path);
    if (file === undefined) this.#paths.set(path, (file = this.#paths.size));
    if (way > Operation.write || ((flags[i] as number) & CALL_ERROR) !== 0) return;
    const name = CALL_LAYERS[layer[i] as number] as string;
    const moved = name === "MPI-IO" ? -1 : (movedBytes?.[i] ?? -1);
    const size = moved >= 0 ? moved : (bytes[i] as number);
    if (!(size >= 0)) return;
    this.#add(file, name, way === Operation.read ? size : 0, way === Operation.read ? 0 : size);
  }

  #add(file: number, layer: string, bytesRead: number, bytesWritten: number): void {
    const column = COLUMN_OF[layer];
    if (column === undefined) return;
    (this.#read[column] as PackedNumbers).add(file, bytesRead);
    (this.#written[column] as PackedNumbers).add(file, bytesWritten);
  }
}

function movedBy(columns: readonly PackedNumbers[], file: number): number {
  const [plain, dfs, daos, mpi] = columns.map((column) => column.at(file)) as [
    number,
    number,
    number,
    number,
  ];
  const below = Number.isNaN(dfs) ? daos : dfs;
  if (Number.isNaN(plain) && Number.isNaN(below)) return mpi || 0;
  return (plain || 0) + (below || 0);
}

/** Undefined without a pattern. */
export function nameFilter(patterns: NamePatterns): NameFilter | undefined {
  return patterns.include.length + patterns.exclude.length === 0 ? undefined : new NameFilter(patterns);
}
