/** T, concurrency and turns of files and layers, from one pass over their calls in order of time. */
import { type BatchListener, busyNsOf, concurrencyOf, GroupLevels, GroupUnions } from "../metric/index.ts";
import { type CallPairs, FileOrder } from "./file-order.ts";
import type { LayerTraces, WayTraces } from "./trace-way.ts";

interface TracedFile {
  readonly layer: string;
  /** Its place among the files. */
  readonly number: number;
  readonly read: WayTraces;
  readonly write: WayTraces;
}

interface TracedLayer {
  readonly number: number;
  readonly read: LayerTraces;
  readonly write: LayerTraces;
}

export class TraceTimes {
  readonly #ways: GroupUnions;
  readonly #levels: GroupLevels;
  readonly #order: FileOrder;
  /** Only of files and layers with reads and writes: T of one direction is that of the whole. */
  readonly #mixedFiles: GroupUnions | undefined;
  readonly #mixedLayers: GroupUnions | undefined;
  /** For the pass over the calls, before anything is asked. */
  readonly listeners: readonly BatchListener[];

  constructor(files: readonly TracedFile[], layers: ReadonlyMap<string, TracedLayer>, pairs: CallPairs) {
    const layerOf = (file: number) => (layers.get((files[file] as TracedFile).layer) as TracedLayer).number;
    const unions = (count: number, groupOf: (file: number, kind: number) => number) =>
      new GroupUnions(pairs.groups(count, groupOf), count + 1);
    const isMixed = files.map(isReadAndWritten);
    this.#ways = unions(2 * files.length, (file, kind) => 2 * file + kind);
    this.#levels = new GroupLevels(pairs.groups(layers.size, layerOf), layers.size);
    if (isMixed.includes(true))
      this.#mixedFiles = unions(files.length, (file) => (isMixed[file] ? file : files.length));
    if ([...layers.values()].some(isReadAndWritten))
      this.#mixedLayers = unions(2 * layers.size, (file, kind) => 2 * layerOf(file) + kind);
    const isOrdered = files.map((file, number) => isMixed[number] === true || mayTakeTurns(file));
    this.#order = new FileOrder(pairs, isOrdered);
    this.listeners = [
      this.#ways,
      this.#levels,
      ...(isOrdered.includes(true) ? [this.#order] : []),
      ...[this.#mixedFiles, this.#mixedLayers].filter((one) => one !== undefined),
    ];
  }

  ofFile(file: TracedFile) {
    const { number } = file;
    const [readNs, writeNs] = [this.#ways.busyOf(2 * number), this.#ways.busyOf(2 * number + 1)];
    const ownNs = isReadAndWritten(file) ? this.#mixedFiles?.busyOf(number) : undefined;
    return { readNs, writeNs, busyNs: ownNs ?? readNs + writeNs };
  }

  orderOf({ number }: TracedFile): ReturnType<FileOrder["facts"]> {
    return this.#order.facts(number);
  }

  ofLayer({ number, read, write }: TracedLayer) {
    const levels = this.#levels.levels(number);
    const busyNs = busyNsOf(levels.levelNs);
    const wayNs = (way: LayerTraces, kind: number) =>
      way.calls === 0 ? 0 : (this.#mixedLayers?.busyOf(2 * number + kind) ?? busyNs);
    return { readNs: wayNs(read, 0), writeNs: wayNs(write, 1), busyNs, concurrency: concurrencyOf(levels) };
  }
}

const isReadAndWritten = ({ read, write }: TracedFile | TracedLayer) => read.calls > 0 && write.calls > 0;

/** Calls that take far longer than from the first to the last overlap: no turns. */
const TURNS_OVERLAP_MAX = 2;

function mayTakeTurns({ read, write }: TracedFile): boolean {
  const { nanoseconds, firstNs, lastNs } = read.calls > 0 ? read : write;
  return nanoseconds <= TURNS_OVERLAP_MAX * (lastNs - firstNs);
}
