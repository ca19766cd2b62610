/** Performs the protocol's file effects: open, write, sync, commit. */
import { assert } from "../../../base/assert.ts";
import { dirname } from "node:path";
import { type Backend, makeBackend } from "../../backend/index.ts";
import { CALL_MOVED, CALL_UNUSED } from "../../../model/index.ts";
import {
  type FileId,
  type IndexColumns,
  type Proposal,
  type Rank,
  type TargetId,
  targetOfFile,
  type WriteStart,
} from "../../protocol/index.ts";
import { carryOut, type Decision, readDecision } from "../dataset/decision.ts";
import { folderSynced } from "../../../node/durable.ts";
import { sealFile } from "../dataset/seal.ts";
import { Journal } from "../keep/journal.ts";
import { type Buffers, buffersFor } from "../piece/buffers.ts";
import { type FlushingFile, windowOf } from "../piece/flushing.ts";
import type { PieceEntry, PieceInfo } from "../piece/piece-info.ts";
import { writePiece } from "../piece/write-piece.ts";
import { SourceReader } from "../stage/sources.ts";
import { overheadBytes, type Range, snapped } from "../stage/stage.ts";
import { type CommitRequest, commitPieces, proposeAbort } from "./commit.ts";
import { addWrite, noWrites } from "./write-lists.ts";
import { type HostSetting, machineSeconds, pathOfFile } from "./setting.ts";
import { TargetFiles } from "./target-files.ts";
import { Turns } from "./turns.ts";

/** A write in flight. */
export interface ActiveWrite {
  readonly order: WriteStart;
  readonly rank: Rank;
  cancelled: boolean;
  /** Start of the write. */
  start: number;
  /** Written so far. */
  bytes: number;
}

export interface FileWorkLink {
  /** Reports further bytes written to a target. */
  progress(target: TargetId, bytes: number): void;
  /** See `BackendServices`. */
  pace(target: TargetId, bytes: number): Promise<void>;
}

/** Concurrent writes of this process to one target; more would only wait longer. */
const WRITES_PER_TARGET = 8;

export class FileWork {
  /** Report at the end of the run. */
  readonly report = {
    writes: noWrites(),
    opens: [] as { file: FileId; seconds: number; at: number }[],
    used: undefined as readonly string[] | undefined,
    decidedAt: Number.NaN,
  };
  readonly #setting: HostSetting;
  readonly #index: number;
  readonly #link: FileWorkLink;
  readonly #backend: Backend;
  readonly #files: TargetFiles;
  readonly #sources: SourceReader;
  readonly #buffers: Buffers;
  readonly #journal: Journal | undefined;
  readonly #turns: Turns;
  /** Extra room of a lease. */
  readonly #overhead: number;

  constructor(setting: HostSetting, index: number, link: FileWorkLink) {
    this.#setting = setting;
    this.#index = index;
    this.#link = link;
    this.#backend = makeBackend(setting.backend, link);
    this.#files = new TargetFiles(this.#backend, windowOf(setting.hosts), (file) => ({
      path: pathOfFile(setting, file),
      target: this.targetOf(file),
    }));
    this.#sources = new SourceReader(setting.stage);
    this.#overhead = overheadBytes(setting.stage, setting.blocks);
    this.#buffers = buffersFor(setting.memoryBytes, setting.targets.length);
    this.#turns = new Turns(setting.targets.length, WRITES_PER_TARGET);
    this.#journal = setting.commit.keeps
      ? new Journal(setting.names.notes, setting.attempt, index)
      : undefined;
  }

  async open(file: FileId): Promise<void> {
    const began = machineSeconds();
    await this.#files.create(file);
    this.report.opens.push({ file, seconds: machineSeconds() - began, at: this.now() });
  }

  /** Waits for its turn on the target. Undefined if cancelled. */
  write(write: ActiveWrite): Promise<PieceInfo | undefined> {
    return this.#turns.run(this.targetOf(write.order.file), async () => {
      write.start = this.now();
      return write.cancelled ? undefined : this.#write(write);
    });
  }

  /** Records a write that has ended or was given up. */
  note({ order, rank, start, bytes, cancelled }: ActiveWrite, failed: boolean): void {
    if (bytes === 0) return;
    const { file, offset, block, moved } = order;
    const end = this.now();
    assert(start <= end, "a write that moved bytes has begun");
    const flags = (moved ? CALL_MOVED : 0) | (failed || cancelled ? CALL_UNUSED : 0);
    const place = { rank, owner: block, target: this.targetOf(file), fileId: file, offset, bytes };
    const time = { startNs: Math.round(1e9 * start), endNs: Math.round(1e9 * end) };
    addWrite(this.report.writes, { ...place, ...time, host: this.#index, flags });
  }

  /** Only the current contents: after a round that failed elsewhere more data may follow. */
  async sync(file: FileId): Promise<void> {
    const { file: open } = await this.#files.get(file);
    const name = this.#setting.commit.keeps
      ? folderSynced(dirname(pathOfFile(this.#setting, file)))
      : undefined;
    // In parallel: on a busy target each waits behind other data.
    await Promise.all([open.sync(), name]);
  }

  /** Returns the decision, which may differ from the proposal. */
  async commit(rank: Rank, { outcome, reason, parts }: Proposal): Promise<Decision> {
    const { names, attempt, stage, commit: setting } = this.#setting;
    const request: CommitRequest = { names, attempt, who: rank, stage, setting, backend: this.#backend };
    if (outcome === "aborted") return proposeAbort(request, reason);
    assert(parts.length > 0, "a complete dataset has an index");
    const pieces = parts.map((part) => this.#pieces(part));
    const sealed = await this.#seal(parts, pieces);
    try {
      const decided = await commitPieces(request, pieces.flat());
      this.report.decidedAt = this.now();
      this.report.used = parts.flatMap((part) =>
        Array.from({ length: part.count }, (_, i) => `${part.file[i]}/${part.offset[i]}`),
      );
      return decided;
    } finally {
      await sealed.finished;
    }
  }

  /** Carries out the decision of this attempt; undefined until there is one. */
  async decided(): Promise<Decision | undefined> {
    const { names, attempt } = this.#setting;
    const found = await readDecision(names);
    if (found?.attempt !== attempt) return undefined;
    await carryOut(names, found);
    return found;
  }

  async close(): Promise<void> {
    await this.#files.close();
    await this.#sources.close();
    this.#journal?.close();
  }

  targetOf(file: FileId): TargetId {
    return targetOfFile(file, this.#setting.targets.length);
  }

  /** Seconds since the run began. */
  now(): number {
    return machineSeconds() - this.#setting.beganSeconds;
  }

  async #write(write: ActiveWrite): Promise<PieceInfo | undefined> {
    const { file, offset, block, at, length } = write.order;
    const target = this.targetOf(file);
    const range = this.#rangeOf(block, at, length);
    const open = await this.#files.get(file);
    const info = await writePiece(
      {
        range,
        offset,
        room: length + this.#overhead,
        isCancelled: () => write.cancelled,
        progress: (bytes) => {
          write.bytes += bytes;
          this.#link.progress(target, bytes);
        },
      },
      {
        stage: this.#setting.stage,
        buffers: this.#buffers,
        identity: open.identity,
        read: (into, from) => this.#sources.read(into, from),
        write: (bytes, to) => open.write(bytes, to),
      },
    );
    assert(info === undefined || write.bytes === range.to - range.from, "a written piece is complete");
    if (info !== undefined && range.to > range.from)
      this.#journal?.add({ ...range, path: pathOfFile(this.#setting, file), target, info });
    return info;
  }

  /**
   * Starts to append an index to every file, now that all writes are done. The dataset neither needs nor awaits it: on a slow
   * target it takes another round trip.
   */
  async #seal(parts: readonly IndexColumns[], pieces: readonly (readonly PieceEntry[])[]) {
    const inside = new Map<FileId, PieceEntry[]>();
    for (const [p, { file: files }] of parts.entries()) {
      for (const [i, piece] of (pieces[p] as readonly PieceEntry[]).entries()) {
        const file = files[i] as FileId;
        const known = inside.get(file);
        if (known === undefined) inside.set(file, [piece]);
        else known.push(piece);
      }
    }
    // Opened before files get their final names.
    const open = await Promise.allSettled([...inside.keys()].map((id) => this.#files.get(id)));
    const { stage } = this.#setting;
    const sealing = [...inside.values()].map(async (own, i) => {
      const found = open[i] as PromiseSettledResult<FlushingFile>;
      // A file that fails cannot be opened alone; its data is durable and in the global index.
      if (found.status === "fulfilled") await sealFile(found.value.file, stage, own);
    });
    return { finished: Promise.allSettled(sealing) };
  }

  #pieces(entries: IndexColumns): PieceEntry[] {
    return Array.from({ length: entries.count }, (_, i) => {
      const { block, at, length, file, checksum } = entries.entry(i);
      const place = { path: pathOfFile(this.#setting, file), target: this.targetOf(file) };
      assert(checksum !== undefined, "a piece in the index has checksums");
      return { ...this.#rangeOf(block, at, length), ...place, info: checksum as PieceInfo };
    });
  }

  /** Pieces are cut at any byte; both neighbours move the cut to the same element boundary. */
  #rangeOf(block: Rank, at: number, length: number): Range {
    const own = this.#setting.blocks[block];
    assert(own !== undefined, "a block of the run");
    const { from, to } = own;
    const end = from + at + length;
    assert(at >= 0 && length > 0 && end <= to, "a piece lies in its block");
    const range = snapped(this.#setting.stage, from + at, end);
    assert(range.from >= from && range.from <= range.to, "element boundaries keep their order");
    return end >= to ? { from: range.from, to } : range;
  }
}
