/** What traces say beyond counters: which bytes, how often, by whom, when and for how long. */
import { commonLength } from "../../base/interval-set.ts";
import { Operation, type StripeLayout } from "../../model/index.ts";
import { type BatchListener, CallTimes, GroupLevels, TIME_LIMIT_NS } from "../metric/call-times.ts";
import { GroupUnions } from "../metric/group-unions.ts";
import { concurrencyOf } from "../metric/level-times.ts";
import { busyNsOf } from "../metric/sweep.ts";
import { CALL_KINDS, CallPairs, FileOrder, NO_FILE } from "./file-order.ts";
import { type CriticalPath, isInTurn, Phases, type TraceTurns } from "./phases.ts";
import { type CallStretch, isSound, type SoundCalls } from "./run-calls.ts";
import { LayerTraces, type TraceWay, WayTraces } from "./trace-way.ts";

export type { TraceWay } from "./trace-way.ts";

export interface TraceFacts {
  /** Calls of each layer; a layer's calls contain those of the layer below. */
  readonly layers: readonly TraceLayerFacts[];
  readonly files: readonly TraceFileFacts[];
  /** Calls with times or sizes that make no sense, left out. */
  readonly dropped: number;
  /** What the job waits for in these calls, metadata calls among them where they were recorded. */
  readonly path: CriticalPath;
  /** Seconds in metadata calls, summed. */
  readonly metaSeconds: number;
  /** Pauses up to this long count as time in calls, since there were too many calls to keep each; 0 when all are kept. */
  readonly joinedSeconds: number;
}

interface TraceLayerFacts {
  readonly layer: string;
  readonly read: TraceWay;
  readonly write: TraceWay;
  /** Seconds with a call of either direction under way. */
  readonly busySeconds: number;
  /** Calls under way at once: at most, and on average over `busySeconds`. */
  readonly concurrency: { readonly max: number; readonly mean: number | null };
}

/** One file in one layer. */
export interface TraceFileFacts {
  readonly fileId: string;
  readonly layer: string;
  readonly read: TraceWay;
  readonly write: TraceWay;
  readonly busySeconds: number;
  /** Bytes that were written and, at any time, read. */
  readonly writtenAndReadBytes: number;
  /** Reads of a place that the rank wrote next, and their time. */
  readonly rewrites: { readonly calls: number; readonly readSeconds: number };
  readonly turns: TraceTurns;
}

/** When the run was, for its phases. */
interface TraceSpan {
  readonly runSeconds: number;
  /** Processes are ranks of MPI, which live as long as the job. */
  readonly hasRanks: boolean;
}

/** Gathers facts from blocks of calls; memory is some bytes for each call, up to a limit. */
export class TraceFactsBuilder {
  readonly #files = new Map<string, FileTraces>();
  readonly #osts = new Map<number, OstSums>();
  /** What has calls of a rank of which more may come. */
  readonly #open = new Map<number, WayTraces[]>();
  readonly #pairs = new CallPairs();
  readonly #times = new CallTimes();
  #places = new Float64Array(0);
  #dropped = 0;
  #metaNs = 0;

  get empty(): boolean {
    return this.#files.size === 0;
  }

  /** `sound` has the reads or writes of the stretch that can be used. */
  add(calls: CallStretch, sound: SoundCalls): void {
    const { fileId } = calls.file;
    const key = `${calls.layer} ${fileId}`;
    let file = this.#files.get(key);
    if (file === undefined) {
      file = new FileTraces(fileId, calls.layer, this.#files.size);
      this.#files.set(key, file);
    }
    const isWrite = calls.operation === Operation.write;
    const way = isWrite ? file.write : file.read;
    if (way.beginRank(calls.rank)) {
      const open = this.#open.get(calls.rank);
      if (open === undefined) this.#open.set(calls.rank, [way]);
      else open.push(way);
    }
    const tally = CALL_KINDS * this.#pairs.of(file.number, calls.rank) + (isWrite ? 1 : 0);
    this.#dropped += sound.dropped;
    way.add(sound, calls.rank, this.#pairs.lifeOf(calls.rank));
    this.#times.addAll(sound.startNs, sound.endNs, tally, this.#placesOf(sound), sound.count);
    const { layout } = calls.file;
    if (layout !== undefined && calls.layer === "POSIX") this.#addOsts(file, sound, layout, isWrite);
  }

  /** One more than the offset; 0 when it is not known. */
  #placesOf({ count, offset }: SoundCalls): Float64Array {
    if (this.#places.length < count) this.#places = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      const place = offset[i] as number;
      this.#places[i] = Number.isInteger(place) ? place + 1 : 0;
    }
    return this.#places;
  }

  /** Metadata calls: only their time counts. */
  addMetadata(calls: CallStretch): void {
    const tally = CALL_KINDS * this.#pairs.of(NO_FILE, calls.rank) + 2;
    const life = this.#pairs.lifeOf(calls.rank);
    for (let i = calls.from; i < calls.to; i++) {
      if (!isSound(calls, i)) continue;
      const start = Math.round((calls.startNs[i] as number) + calls.shiftNs);
      const end = Math.round((calls.endNs[i] as number) + calls.shiftNs);
      if (!(start >= 0 && end < TIME_LIMIT_NS)) continue;
      this.#metaNs += end - start;
      life.firstNs = Math.min(life.firstNs, start);
      life.lastNs = Math.max(life.lastNs, end);
      this.#times.add(start, end, tally, 0);
    }
  }

  /** No more calls of this rank will come: what was kept to tell its bytes from others' is let go. */
  endRank(rank: number): void {
    for (const way of this.#open.get(rank) ?? []) way.endRank(rank);
    this.#open.delete(rank);
  }

  #addOsts(file: FileTraces, calls: SoundCalls, layout: StripeLayout, isWrite: boolean): void {
    const { stripeBytes } = layout;
    const cycle = layout.osts.length;
    const sums = file.ostsOf(layout);
    for (let i = 0; i < calls.count; i++) {
      const offset = calls.offset[i] as number;
      const bytes = calls.bytes[i] as number;
      if (Number.isNaN(offset) || bytes === 0) continue;
      const seconds = ((calls.endNs[i] as number) - (calls.startNs[i] as number)) / 1e9;
      const first = Math.floor(offset / stripeBytes);
      const last = Math.floor((offset + bytes - 1) / stripeBytes);
      if (first === last) {
        this.#ostOf(sums, layout, first % cycle).add(isWrite, bytes, seconds, 1);
        continue;
      }
      // Each of the first stripes stands for all later ones of its OST: whole rounds, and the end of the last one.
      for (let stripe = first; stripe <= Math.min(last, first + cycle - 1); stripe++) {
        const rounds = Math.floor((last - stripe) / cycle);
        const from = Math.max(offset, stripe * stripeBytes);
        const end = Math.min(offset + bytes, (stripe + rounds * cycle + 1) * stripeBytes);
        const to = rounds === 0 ? end : (stripe + 1) * stripeBytes;
        const later =
          rounds === 0 ? 0 : (rounds - 1) * stripeBytes + end - (stripe + rounds * cycle) * stripeBytes;
        const amount = to - from + later;
        const share = amount / bytes;
        this.#ostOf(sums, layout, stripe % cycle).add(isWrite, amount, seconds * share, share);
      }
    }
  }

  #ostOf(sums: OstSums[], { osts }: StripeLayout, place: number): OstSums {
    return (sums[place] ??= this.#ost(osts[place] as number));
  }

  #ost(ost: number): OstSums {
    let sums = this.#osts.get(ost);
    if (sums === undefined) this.#osts.set(ost, (sums = new OstSums()));
    return sums;
  }

  /** Load per OST of the traced calls; empty when no layout was known. */
  get osts(): ReadonlyMap<number, OstSums> {
    return this.#osts;
  }

  finish(
    { runSeconds, hasRanks }: TraceSpan = { runSeconds: Number.NaN, hasRanks: true },
    listenerOf?: (rankOf: (tally: number) => number) => BatchListener,
  ): TraceFacts | undefined {
    if (this.#files.size === 0) return undefined;
    const all = [...this.#files.values()];
    const layers = new Map<string, LayerFiles>();
    for (const file of all) {
      let layer = layers.get(file.layer);
      if (layer === undefined) layers.set(file.layer, (layer = new LayerFiles(layers.size)));
      layer.read.add(file.read);
      layer.write.add(file.write);
    }
    const layerOf = (file: number) => layers.get((all[file] as FileTraces).layer) as LayerFiles;
    const pairs = this.#pairs;
    const unions = (count: number, groupOf: (file: number, kind: number) => number) =>
      new GroupUnions(pairs.groups(count, groupOf), count + 1);
    const ways = unions(2 * all.length, (file, kind) => 2 * file + kind);
    const levels = new GroupLevels(
      pairs.groups(layers.size, (file) => layerOf(file).number),
      layers.size,
    );
    const phases = new Phases(pairs.rankOfTallies(), {
      ranks: pairs.ranks,
      spanNs: runSeconds >= 0 ? runSeconds * 1e9 : 0,
      ...(hasRanks ? {} : { lives: pairs.lives() }),
    });
    const listeners: BatchListener[] = [ways, levels, phases];
    const addListener = <T extends BatchListener>(listener: T): T => {
      listeners.push(listener);
      return listener;
    };
    const isMixed = (file: number) => isReadAndWritten(all[file] as FileTraces);
    // Where there is one direction, its T is that of the file or layer.
    const mixed = all.some(isReadAndWritten)
      ? addListener(unions(all.length, (file) => (isMixed(file) ? file : all.length)))
      : undefined;
    const layerWays = [...layers.values()].some(isReadAndWritten)
      ? addListener(unions(2 * layers.size, (file, kind) => 2 * layerOf(file).number + kind))
      : undefined;
    const ordered = all.map((file) => isReadAndWritten(file) || mayTakeTurns(file));
    const order = new FileOrder(pairs, ordered);
    if (ordered.includes(true)) listeners.push(order);
    const [numberOf, rankNumbers] = [pairs.rankOfTallies(), pairs.rankNumbers()];
    const more = listenerOf?.((tally) => rankNumbers[numberOf[tally] as number] as number);
    if (more !== undefined) listeners.push(more);
    this.#times.sweep(listeners);
    const found = all.map((file): TraceFileFacts => {
      const { number, read, write } = file;
      const [readNs, writeNs] = [ways.ioTimeNs(2 * number), ways.ioTimeNs(2 * number + 1)];
      return {
        fileId: String(file.fileId),
        layer: file.layer,
        read: read.facts(readNs / 1e9),
        write: write.facts(writeNs / 1e9),
        busySeconds: (isMixed(number) && mixed ? mixed.ioTimeNs(number) : readNs + writeNs) / 1e9,
        writtenAndReadBytes: commonLength(read.finishOffsets(), write.finishOffsets()),
        ...order.facts(number),
      };
    });
    return {
      layers: [...layers].map(([layer, { number, read, write }]) => {
        const times = levels.levels(number);
        const { max, mean } = concurrencyOf(times);
        const busyNs = busyNsOf(times.levelNs);
        const wayNs = (way: LayerTraces, kind: number) =>
          way.calls === 0 ? 0 : (layerWays?.ioTimeNs(2 * number + kind) ?? busyNs);
        return {
          layer,
          read: read.facts(wayNs(read, 0) / 1e9),
          write: write.facts(wayNs(write, 1) / 1e9),
          busySeconds: busyNs / 1e9,
          concurrency: { max, mean },
        };
      }),
      files: found,
      dropped: this.#dropped,
      path: withTurns(phases.finish(pairs.rankNumbers()), hasRanks ? found : []),
      metaSeconds: this.#metaNs / 1e9,
      joinedSeconds: this.#times.joinedNs / 1e9,
    };
  }
}

/** Ranks that take turns in a file wait for all turns, also where others work meanwhile. */
function withTurns(path: CriticalPath, files: readonly TraceFileFacts[]): CriticalPath {
  const below = new Set(files.filter(({ layer }) => layer === "MPI-IO").map(({ fileId }) => fileId));
  let seconds = path.seconds;
  for (const { layer, fileId, turns, busySeconds, read, write } of files) {
    if (layer !== "MPI-IO" && below.has(fileId)) continue;
    const callSeconds = read.seconds + write.seconds;
    if (busySeconds > seconds && isInTurn(turns, { callSeconds, busySeconds })) seconds = busySeconds;
  }
  return { ...path, seconds };
}

export class OstSums {
  bytesRead = 0;
  bytesWritten = 0;
  seconds = 0;
  calls = 0;

  add(isWrite: boolean, bytes: number, seconds: number, calls: number): void {
    if (isWrite) this.bytesWritten += bytes;
    else this.bytesRead += bytes;
    this.seconds += seconds;
    this.calls += calls;
  }
}

const isReadAndWritten = ({ read, write }: FileTraces | LayerFiles) => read.calls > 0 && write.calls > 0;

/** Calls that take far longer than from the first to the last overlap: no turns. */
const TURNS_OVERLAP_MAX = 2;

function mayTakeTurns({ read, write }: FileTraces): boolean {
  const { nanoseconds, firstNs, lastNs } = read.calls > 0 ? read : write;
  return nanoseconds <= TURNS_OVERLAP_MAX * (lastNs - firstNs);
}

class FileTraces {
  readonly fileId: bigint;
  readonly layer: string;
  /** Among the files, in order of their first call. */
  readonly number: number;
  readonly read = new WayTraces();
  readonly write = new WayTraces();
  #layout: StripeLayout | undefined;
  /** By place in the layout, where known already. */
  #osts: OstSums[] = [];

  constructor(fileId: bigint, layer: string, number: number) {
    this.fileId = fileId;
    this.layer = layer;
    this.number = number;
  }

  ostsOf(layout: StripeLayout): OstSums[] {
    if (layout !== this.#layout) this.#osts = [];
    this.#layout = layout;
    return this.#osts;
  }
}

class LayerFiles {
  readonly number: number;
  readonly read = new LayerTraces();
  readonly write = new LayerTraces();

  constructor(number: number) {
    this.number = number;
  }
}
