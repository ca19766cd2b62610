/** What traces say beyond counters: which bytes, how often, by whom, when and for how long. */
import { commonLength } from "../../base/interval-set.ts";
import { Operation } from "../../model/index.ts";
import { type BatchListener, CallTimes, TIME_LIMIT_NS } from "../metric/index.ts";
import { CALL_KINDS, CallPairs, NO_FILE } from "./file-order.ts";
import { type CriticalPath, isInTurn, Phases, type TraceTurns } from "./phases.ts";
import { type CallStretch, isSound, type SoundCalls } from "./run-calls.ts";
import { TraceTimes } from "./trace-times.ts";
import { LayoutOsts, type OstSums } from "./traced-osts.ts";
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
    if (layout === undefined || calls.layer !== "POSIX") return;
    if (file.osts?.layout !== layout) file.osts = new LayoutOsts(layout, this.#osts);
    file.osts.add(sound, isWrite);
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
    const pairs = this.#pairs;
    const times = new TraceTimes(all, layers, pairs);
    const phases = new Phases(pairs.rankOfTallies(), {
      ranks: pairs.ranks,
      spanNs: runSeconds >= 0 ? runSeconds * 1e9 : 0,
      ...(hasRanks ? {} : { lives: pairs.lives() }),
    });
    const [numberOf, rankNumbers] = [pairs.rankOfTallies(), pairs.rankNumbers()];
    const more = listenerOf?.((tally) => rankNumbers[numberOf[tally] as number] as number);
    this.#times.sweep([...times.listeners, phases, ...(more ? [more] : [])]);
    const found = all.map((file): TraceFileFacts => {
      const { read, write } = file;
      const { readNs, writeNs, busyNs } = times.ofFile(file);
      return {
        fileId: String(file.fileId),
        layer: file.layer,
        read: read.facts(readNs / 1e9),
        write: write.facts(writeNs / 1e9),
        busySeconds: busyNs / 1e9,
        writtenAndReadBytes: commonLength(read.finishOffsets(), write.finishOffsets()),
        ...times.orderOf(file),
      };
    });
    return {
      layers: [...layers].map(([layer, files]) => {
        const { readNs, writeNs, busyNs, concurrency } = times.ofLayer(files);
        return {
          layer,
          read: files.read.facts(readNs / 1e9),
          write: files.write.facts(writeNs / 1e9),
          busySeconds: busyNs / 1e9,
          concurrency: { max: concurrency.max, mean: concurrency.mean },
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

class FileTraces {
  readonly fileId: bigint;
  readonly layer: string;
  /** Among the files, in order of their first call. */
  readonly number: number;
  readonly read = new WayTraces();
  readonly write = new WayTraces();
  /** Of its layout, as the calls before had it. */
  osts: LayoutOsts | undefined;

  constructor(fileId: bigint, layer: string, number: number) {
    this.fileId = fileId;
    this.layer = layer;
    this.number = number;
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
