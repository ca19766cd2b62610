/**
 * A job from single calls alone, for inputs without counters. A first reading surveys the calls: it numbers processes and
 * files, finds the span of the run, and computes the counters that a log would have. What calls cannot say stays "not
 * recorded". A second reading feeds the streams of the job (`naming`).
 */
import { formatMany } from "../../base/units.ts";
import {
  type CallClock,
  type CallFile,
  type CallProcess,
  type CallSink,
  Operation,
  rankLoads,
  type SpanBlock,
  runs,
  layers as layersTable,
  type TablesBuilder,
} from "../../model/index.ts";
import type { RunSpan } from "./build.ts";
import { FileLayer, type Ranks, type RankSums } from "./call-counters.ts";
import type { SpanProcess } from "./spans.ts";
import {
  type CallNaming,
  type CallStretch,
  type CalledFile,
  isSound,
  RunCalls,
  skippedCalls,
} from "./run-calls.ts";

/** A program that a process ran; it may become another by exec. */
interface Image {
  readonly program?: string;
  readonly command?: string;
  calls: number;
  transfers: number;
}

interface SurveyedProcess extends CallProcess {
  /** The programs it ran, the one whose calls come last. */
  readonly images: Image[];
  /** Calls on files, and those that make it a process of the job: reads, writes and opens. */
  calls: number;
  uses: number;
}

/** What a run is called in the tables. */
interface SurveyedRun {
  readonly runId: string;
  readonly source: string;
  /** Id of the format, and what people call it. */
  readonly kind: string;
  readonly recorder: string;
}

export class CallSurvey {
  readonly #processes: SurveyedProcess[] = [];
  readonly #processOf = new Map<string, number>();
  readonly #files: (CalledFile & CallFile)[] = [];
  readonly #fileOf = new Map<string, number>();
  readonly #layers = new Map<string, FileLayer>();
  readonly #warnings: string[] = [];
  #isIncomplete = false;
  #sound = 0;
  /** What times count from: the epoch of the first input with times of day. */
  #baseNs: bigint | undefined;
  #firstNs = Number.POSITIVE_INFINITY;
  #lastNs = Number.NEGATIVE_INFINITY;
  #dropped = 0;
  /** The read that came last. */
  #read = { process: -1, startNs: 0, endNs: 0, bytes: 0, layer: undefined as FileLayer | undefined };
  #hasMetadata = false;
  #tellsCollectives = true;
  #hasDirections = true;
  /** As MPI says, of ranks without calls too. */
  #mpiRanks = 0;
  #hasAllTraces = false;

  /** Takes the calls of one input. Inputs of one run are one job. */
  sink(): CallSink {
    let shiftNs = 0;
    return new RunCalls(
      {
        shiftNs: (clock) => (shiftNs = this.#shiftOf(clock)),
        rankOf: (process) => this.#process(process, shiftNs),
        fileOf: (file) => this.#file(file),
        learn: (process, facts) => this.#learn(process, facts, shiftNs),
        earliestNs: Number.NEGATIVE_INFINITY,
      },
      {
        stretch: (stretch) => this.#take(stretch),
        rankEnds: () => {},
        spans: (block, indices, byNs) => this.#takeSpans(block, indices, byNs),
        tellsNoDirections: () => (this.#hasDirections = false),
      },
    );
  }

  /** Something about the input that a reader of the report must know. */
  warn(text: string, isIncomplete = false): void {
    this.#warnings.push(text);
    this.#isIncomplete ||= isIncomplete;
  }

  /** Every process of the job left its trace here, if it did any I/O. */
  takeAsWhole(): void {
    this.#hasAllTraces = true;
  }

  /** Calls with sound times and sizes, and those without. */
  get calls(): { readonly sound: number; readonly unsound: number } {
    return { sound: this.#sound, unsound: this.#dropped };
  }

  /** Files with calls on them so far. */
  get files(): number {
    return this.#files.length;
  }

  /** Adds the run with its counters to the tables. */
  finish(run: SurveyedRun, into: TablesBuilder): RunSpan {
    const ranks = this.#ranks();
    const { runId } = run;
    const start = this.#firstNs / 1e9;
    for (const layer of this.#layers.values())
      into.table(layersTable).append({
        run_id: runId,
        ...layer.row({
          ...{ start, ranks, hasMetadata: this.#hasMetadata },
          tellsCollectives: this.#tellsCollectives,
        }),
      });
    for (const row of loadsOf([...this.#layers.values()], ranks))
      into.table(rankLoads).append({ run_id: runId, ...row });
    const seconds = (this.#lastNs - this.#firstNs) / 1e9;
    const base = this.#baseNs ?? 0n;
    const program = this.#mainImage();
    if (ranks.untraced > 0)
      this.warn(
        `${ranks.untraced} of ${ranks.untraced + ranks.count} ranks have no trace in the input: rules that compare ranks were not applied, and all numbers cover ${formatMany(ranks.count, "rank")}.`,
        true,
      );
    if (this.#dropped > 0) this.warn(skippedCalls(this.#dropped));
    if (!this.#hasDirections)
      this.warn("The input does not tell reads from writes (column op): all calls count as reads.");
    into.table(runs).append({
      run_id: runId,
      source: run.source,
      kind: run.kind,
      application: program?.program?.split("/").at(-1) ?? null,
      command_line: program?.command ?? program?.program ?? "",
      ranks: ranks.count,
      start_unix_ns: this.#timeOfDay(this.#firstNs),
      end_unix_ns: this.#timeOfDay(this.#lastNs),
      run_seconds: seconds,
      library_version: run.recorder,
      synthetic: 0,
      modules: [...new Set([...this.#layers.values()].map(({ layer }) => layer))].join(" "),
      partial_modules: "",
      warnings: this.#warnings.join("\n"),
    });
    const isApart =
      ranks.untraced > 0 || this.#processes.some(({ rank, uses }) => rank === undefined && uses > 0);
    const startUnixSeconds = Number(base) / 1e9 + start;
    const processes: SpanProcess[] = [];
    for (const [index, one] of this.#processes.entries())
      if (one.uses > 0) processes[ranks.of[index] as number] ??= one;
    return {
      ...{ runId, ranks: ranks.count, rankEnd: ranks.end },
      ...{ startUnixSeconds, runSeconds: seconds, isApart, processes },
      ...{ isIncomplete: this.#isIncomplete, hasDirections: this.#hasDirections },
    };
  }

  /** For the second reading: the same numbers, times from the start of the run. */
  naming(): CallNaming {
    const ranks = this.#ranks();
    let shiftNs = 0;
    return {
      shiftNs: (clock) => (shiftNs = this.#shiftOf(clock)) - this.#firstNs,
      rankOf: (process) => ranks.of[this.#process(process, shiftNs)] as number,
      fileOf: (file) => this.#file(file),
      earliestNs: Number.NEGATIVE_INFINITY,
    };
  }

  #timeOfDay(ns: number): bigint | null {
    return this.#baseNs === undefined ? null : this.#baseNs + BigInt(Math.round(ns));
  }

  #shiftOf({ kind, epochNs }: CallClock): number {
    if (kind === "own") return 0;
    this.#baseNs ??= epochNs;
    return Number(epochNs - this.#baseNs);
  }

  #process(process: CallProcess, shiftNs: number): number {
    const { pid, rank: given, ranks, host, life, program, command, tellsCollectives } = process;
    const rank = isRank(given) ? given : undefined;
    const key = rank === undefined ? `${host ?? ""}/${pid}` : `rank ${rank}`;
    let found = this.#processOf.get(key);
    if (found === undefined) {
      const { rank: _, ...rest } = process;
      found =
        this.#processes.push({
          ...rest,
          ...(rank === undefined ? {} : { rank }),
          ...{ calls: 0, uses: 0, images: [] },
        }) - 1;
      this.#processOf.set(key, found);
    }
    if (tellsCollectives !== true) this.#tellsCollectives = false;
    if (rank !== undefined && isRank(ranks)) this.#mpiRanks = Math.max(this.#mpiRanks, ranks);
    (this.#processes[found] as SurveyedProcess).images.push({
      ...(program === undefined ? {} : { program }),
      ...(command === undefined ? {} : { command }),
      ...{ calls: 0, transfers: 0 },
    });
    if (life !== undefined) this.#reach(life.startNs + shiftNs, life.endNs + shiftNs);
    return found;
  }

  #learn(index: number, { rank, life }: Pick<CallProcess, "rank" | "life">, shiftNs: number): void {
    const process = this.#processes[index] as SurveyedProcess;
    if (isRank(rank)) this.#processes[index] = { ...process, rank };
    if (life !== undefined) this.#reach(life.startNs + shiftNs, life.endNs + shiftNs);
  }

  /** The run lasts as long as what the application says of itself. */
  #takeSpans(
    { count, startNs, endNs, process }: SpanBlock,
    indices: readonly number[],
    shiftNs: number,
  ): void {
    for (let i = 0; i < count; i++) {
      if (!((startNs[i] as number) <= (endNs[i] as number))) continue;
      this.#reach((startNs[i] as number) + shiftNs, (endNs[i] as number) + shiftNs);
      (this.#processes[indices[process[i] as number] as number] as SurveyedProcess).uses++;
    }
  }

  #reach(startNs: number, endNs: number): void {
    this.#firstNs = Math.min(this.#firstNs, startNs);
    this.#lastNs = Math.max(this.#lastNs, endNs);
  }

  /** Names tell files apart; where an input has none, all its calls are on one file. */
  #file(file: CallFile): CalledFile & CallFile {
    let found = this.#fileOf.get(file.path);
    if (found === undefined) {
      found = this.#files.push({ ...file, fileId: file.id ?? BigInt(this.#files.length + 1) }) - 1;
      this.#fileOf.set(file.path, found);
    }
    return this.#files[found] as CalledFile & CallFile;
  }

  #take(calls: CallStretch): void {
    const { operation } = calls;
    const found = this.#layerOf(calls);
    const caller = this.#processes[calls.rank] as SurveyedProcess;
    const image = caller.images.at(-1) as Image;
    if (operation > Operation.write) this.#hasMetadata = true;
    for (let i = calls.from; i < calls.to; i++) {
      if (!isSound(calls, i)) {
        this.#dropped++;
        continue;
      }
      const startNs = (calls.startNs[i] as number) + calls.shiftNs;
      const endNs = (calls.endNs[i] as number) + calls.shiftNs;
      if (startNs < this.#firstNs) this.#firstNs = startNs;
      if (endNs > this.#lastNs) this.#lastNs = endNs;
      this.#sound++;
      caller.calls++;
      image.calls++;
      if (operation <= Operation.open) caller.uses++;
      if (operation <= Operation.write) image.transfers++;
      found.add(calls, i, startNs / 1e9, endNs / 1e9);
      if (operation <= Operation.write) this.#pair(calls, i, found);
    }
  }

  /** A copy in the kernel, such as copy_file_range, is a read and a write at once: each has half of its time. */
  #pair(
    { rank: process, operation, startNs: starts, endNs: ends, bytes: sizes }: CallStretch,
    i: number,
    layer: FileLayer,
  ): void {
    const [startNs, endNs, bytes] = [starts[i] as number, ends[i] as number, sizes[i] as number];
    const last = this.#read;
    if (operation === Operation.read) {
      [last.process, last.startNs, last.endNs, last.bytes, last.layer] = [
        process,
        startNs,
        endNs,
        bytes,
        layer,
      ];
      return;
    }
    if (
      last.process === process &&
      last.startNs === startNs &&
      Math.abs(endNs - last.endNs) <= COPY_ENDS_NS &&
      last.bytes === bytes &&
      last.layer?.layer === layer.layer
    ) {
      const half = (Math.min(last.endNs, endNs) - startNs) / 2e9;
      last.layer.takeOff(process, Operation.read, half);
      layer.takeOff(process, operation, half);
    }
    last.process = -1;
  }

  /** Programs look for many names that are not there; those count together, not as a file each. */
  #layerOf({ file, layer, failed }: CallStretch): FileLayer {
    const key = `${layer} ${file.fileId}`;
    const known = this.#layers.get(key);
    if (known !== undefined) return known;
    const used = (failed ? this.#file({ path: NOT_FOUND }) : file) as CallFile & CalledFile;
    const usedKey = `${layer} ${used.fileId}`;
    let found = this.#layers.get(usedKey);
    if (found === undefined) this.#layers.set(usedKey, (found = new FileLayer(used, layer)));
    return found;
  }

  /**
   * MPI ranks keep their numbers; those without a trace count only where all processes left one. Other processes that read, write or open files come behind them, by host and process
   * id. Helpers that only look names up, such as the shell that starts a program, are none of the job's processes: their
   * calls count with the first one. Where nobody does more, all with calls are processes.
   */
  #ranks(): Ranks & { readonly end: number; readonly untraced: number } {
    const own = new Set(this.#processes.flatMap(({ rank }) => rank ?? []));
    let end = [...own].reduce((most, rank) => Math.max(most, rank + 1), this.#mpiRanks);
    const silent = Math.max(0, this.#mpiRanks - own.size);
    const [idle, untraced] = this.#hasAllTraces ? [silent, 0] : [0, silent];
    const of: number[] = this.#processes.map(({ rank }) => rank ?? 0);
    const isUsed = this.#processes.some(({ uses }) => uses > 0);
    const others = this.#processes
      .map((one, index) => ({ one, index }))
      .filter(({ one }) => one.rank === undefined && (isUsed ? one.uses : one.calls) > 0)
      .sort(({ one: a }, { one: b }) => (a.host ?? "").localeCompare(b.host ?? "") || a.pid - b.pid);
    for (const { index } of others) of[index] = end++;
    return { of, count: Math.max(1, own.size + idle + others.length), end: Math.max(1, end), untraced };
  }

  /** The program with most reads and writes gives the run its name. */
  #mainImage(): Image | undefined {
    return this.#processes
      .flatMap(({ images }) => images)
      .sort((a, b) => b.transfers - a.transfers || b.calls - a.calls)[0];
  }
}

/** Recorders take the time twice at the end of a copy. */
const COPY_ENDS_NS = 100_000;

const NOT_FOUND = "(names not found)";

/** MPI numbers ranks with a C int; any other number in a trace is none. */
const isRank = (rank: number | undefined): rank is number =>
  rank !== undefined && Number.isInteger(rank) && rank >= 0 && rank < 2 ** 31 - 1;

/** Per rank and layer, over files that not all ranks share. */
function loadsOf(records: readonly FileLayer[], ranks: Ranks) {
  const loads = new Map<string, RankSums & { rank: number; layer: string; files: number }>();
  for (const record of records) {
    if (record.isShared(ranks)) continue;
    for (const [process, sums] of record.ranks) {
      const rank = ranks.of[process] as number;
      const key = `${record.layer} ${rank}`;
      const load = loads.get(key);
      if (load === undefined) loads.set(key, { ...sums, rank, layer: record.layer, files: 1 });
      else {
        load.files++;
        for (const name of SUMS) load[name] += sums[name];
      }
    }
  }
  return [...loads.values()].map(({ rank, layer, files, ...sums }) => ({
    rank,
    ...{ layer, files, opens: sums.opens, reads: sums.reads, writes: sums.writes },
    ...{ bytes_read: sums.bytesRead, bytes_written: sums.bytesWritten },
    read_seconds: sums.readSeconds,
    write_seconds: sums.writeSeconds,
    meta_seconds: sums.metaSeconds,
  }));
}

const SUMS = [
  ...(["opens", "reads", "writes", "bytesRead", "bytesWritten"] as const),
  ...(["readSeconds", "writeSeconds", "metaSeconds"] as const),
] as const;
