/**
 * The work of one group, as its sub-coordinator sees it: its blocks, in any file (home), and its files, with blocks of any
 * group (owner). Algorithm 2 without leader election.
 */
import { assert } from "../../base/assert.ts";
import { BlockQueue, type Piece } from "./block-queue.ts";
import type { CoordinatorLink, News } from "./coordinator-link.ts";
import type { FileLeases } from "./file-leases.ts";
import { bytesOfGroup } from "./group-record.ts";
import { epochOfFile, targetOfFile } from "./ids.ts";
import { latePieces } from "./late-pieces.ts";
import { groupOfTarget } from "./layout.ts";
import type {
  AdaptiveWriteStart,
  Cancelled,
  IndexBody,
  Lend,
  LendRefused,
  LentPiece,
  Recall,
  WriteComplete,
  WriteFailed,
} from "./message.ts";
import { OwnedFiles } from "./owned-files.ts";
import { sizeOf } from "./policy.ts";
import type { Setup } from "./setup.ts";
import type { Effects, FailureCode, FileId, Rank, Seconds } from "./step.ts";

export class GroupWork {
  readonly blocks: BlockQueue;
  readonly owned: OwnedFiles;
  readonly dead = new Set<Rank>();
  readonly #setup: Setup;
  readonly #rank: Rank;
  readonly #link: CoordinatorLink;
  #lendSerial = 0;
  #completeTold = false;
  /** A piece was returned since the last report of waiting bytes to the coordinator. */
  #returned = false;
  #reportBelow: number;
  /** No work is assigned: the group is being polled, or its work cannot be completed. */
  paused = false;
  #trouble = "";
  readonly #rankFor = (block: Rank) => this.#substitute(block);

  constructor(setup: Setup, rank: Rank, link: CoordinatorLink, fill: boolean) {
    this.#setup = setup;
    this.#rank = rank;
    this.#link = link;
    this.blocks = new BlockQueue(setup, link.group, fill);
    this.owned = new OwnedFiles(setup, link, (news, out) => this.tell(news, out));
    this.#reportBelow = this.blocks.waitingBytes / 2;
  }

  tell(news: News, out: Effects): void {
    this.#link.tell(news, this.blocks.waitingBytes, out);
  }

  opened(file: FileId, now: Seconds, out: Effects): void {
    const leases = this.owned.find(file);
    if (leases?.state !== "opening") return;
    leases.state = "open";
    this.pump(now, out);
  }

  openFailed(file: FileId, code: FailureCode, now: Seconds, out: Effects): void {
    const leases = this.owned.find(file);
    if (leases !== undefined) this.owned.close(leases, code, true, out);
    this.pump(now, out);
  }

  /** Assigns all work that can be assigned, and reports to the coordinator. */
  pump(now: Seconds, out: Effects): void {
    if (this.paused) return;
    const { blocks } = this;
    const { files } = this.owned;
    for (const file of files) while (file.hasSlot && this.#startNext(file, now, out));
    if (blocks.complete && !this.#completeTold) {
      this.#completeTold = true;
      this.#tellComplete(now, out);
    }
    for (const file of files) this.#offer(file, now, out);
    this.#report(now, out);
  }

  writeComplete(message: WriteComplete, now: Seconds, out: Effects): void {
    const file = this.owned.find(message.file);
    const lease = file?.active.get(message.lease);
    if (lease !== undefined) {
      assert(lease.offset === message.offset, "a write goes to the offset of its lease");
      file?.release(lease, now, message.length);
    }
    const piece = this.#pieceOf(message);
    assert(piece === undefined || isOf(message, piece), "the written bytes are the ordered piece");
    if (piece !== undefined && (piece.file === message.file || piece.copyFile === message.file)) {
      if (!this.#setup.policy.separateIndex)
        this.#accept(piece, message.file, message.offset, message.checksum, out);
      else if (piece.writtenFile === -1) {
        piece.writtenFile = message.file;
        piece.writtenOffset = message.offset;
        piece.since = now;
        if (piece.indexArrived) this.#accept(piece, message.file, message.offset, piece.checksum, out);
      }
    }
    this.pump(now, out);
  }

  indexBody(message: IndexBody, now: Seconds, out: Effects): void {
    const piece = this.#pieceOf(message);
    if (piece === undefined) return;
    if (piece.writtenFile === message.file)
      this.#accept(piece, message.file, piece.writtenOffset, message.checksum, out);
    else if (piece.file === message.file) {
      piece.indexArrived = true;
      piece.checksum = message.checksum;
    }
    this.pump(now, out);
  }

  writeFailed(message: WriteFailed, now: Seconds, out: Effects): void {
    const file = this.owned.find(message.file);
    const lease = file?.active.get(message.lease);
    if (file !== undefined && lease !== undefined) {
      file.release(lease, now, 0);
      this.owned.close(file, message.code, true, out);
    }
    if (message.group === this.#link.group && message.code === "writer-lost")
      this.lost(message.rank, false, now, out);
    const piece = this.#pieceOf(message);
    if (piece !== undefined) this.#attemptLost(piece, message.file, out);
    this.pump(now, out);
  }

  cancelled(message: Cancelled, now: Seconds, out: Effects): void {
    const file = this.owned.find(message.file);
    const lease = file?.active.get(message.lease);
    if (file !== undefined && lease !== undefined) {
      file.release(lease, now, 0);
      // The writer responds but the write did not end: the target is at fault.
      if (lease.expired) this.owned.close(file, "expired", true, out);
    }
    const piece = this.#pieceOf(message);
    if (piece !== undefined) this.#attemptLost(piece, message.file, out);
    this.pump(now, out);
  }

  /** The coordinator offers a file with room: waiting work of this group goes there. */
  adaptiveStart(order: AdaptiveWriteStart, now: Seconds, out: Effects): void {
    const pieces = order.speculative ? this.#copyLate(order, now) : this.#cut(order, now);
    const { file, owner, speculative } = order;
    assert(pieces.length <= order.piecesMax, "no more pieces are lent than the coordinator allows");
    if (pieces.length === 0) this.tell({ kind: "writers-busy", file, speculative }, out);
    else {
      const { group, epoch } = this.#link;
      out.send(owner, { kind: "lend", group, epoch, serial: this.#lendSerial++, file, pieces });
    }
    this.pump(now, out);
  }

  /** Work of another group for a file of this one. */
  lend(from: Rank, message: Lend, now: Seconds, out: Effects): void {
    if (this.owned.lend(from, message, !this.paused, out)) this.pump(now, out);
  }

  recall(message: Recall, now: Seconds, out: Effects): void {
    this.owned.recall(message, out);
    this.pump(now, out);
  }

  lendRefused({ group, epoch, file, pieces }: LendRefused, now: Seconds, out: Effects): void {
    for (const number of pieces) {
      const piece = this.#pieceOf({ group, epoch, piece: number });
      if (piece !== undefined) this.#attemptLost(piece, file, out);
    }
    this.pump(now, out);
  }

  /**
   * A rank is dead: its writes are returned, and if no other rank has its data, the run fails. Its leases end only if the death
   * is certain; a silent rank may still be writing, so its leases must expire.
   */
  lost(rank: Rank, certain: boolean, now: Seconds, out: Effects): void {
    this.owned.lost(rank, certain, now, out);
    if (!this.dead.has(rank)) {
      this.dead.add(rank);
      for (const piece of this.blocks.outstanding.values())
        if (piece.rank === rank) this.#giveBack(piece, out);
      if (this.#isMine(rank)) this.checkData(rank, out);
    }
    this.pump(now, out);
  }

  /** Another group changed its leader: no space is assigned in the files of the former one any more. */
  groupMoved(group: number, epoch: number, now: Seconds, out: Effects): void {
    assert(group !== this.#link.group, "the group that moved is a different one");
    const { targets, layout } = this.#setup;
    const isGone = (file: FileId) =>
      file !== -1 &&
      groupOfTarget(layout, targetOfFile(file, targets)) === group &&
      epochOfFile(file, targets) < epoch;
    for (const piece of this.blocks.outstanding.values())
      for (const file of [piece.file, piece.copyFile]) if (isGone(file)) this.#abandon(piece, file, out);
    this.owned.dropGuests(group, epoch);
    this.pump(now, out);
  }

  /** The data written to the file is lost. */
  fileLost(file: FileId, now: Seconds, out: Effects): void {
    const mine = this.owned.find(file);
    if (mine !== undefined) this.owned.close(mine, "EIO", true, out);
    for (const piece of this.blocks.outstanding.values())
      if (piece.file === file || piece.copyFile === file || piece.writtenFile === file)
        this.#abandon(piece, file, out);
    if (this.blocks.loseFile(file) > 0) {
      this.#completeTold = false;
      this.#returned = true;
      for (const rank of this.dead) if (this.#isMine(rank)) this.checkData(rank, out);
    }
    this.pump(now, out);
  }

  /** Expired leases, files that do not open, missing indexes. */
  checkDeadlines(now: Seconds, out: Effects): void {
    const { leaseSeconds } = this.#setup;
    if (leaseSeconds === 0) return;
    this.owned.checkDeadlines(now, out);
    for (const piece of this.blocks.outstanding.values())
      if (piece.writtenFile !== -1 && now > piece.since + leaseSeconds) this.#giveBack(piece, out);
    this.pump(now, out);
  }

  /** After a change of coordinator: repeats the state that the new one lacks. */
  introduce(now: Seconds, out: Effects): void {
    this.tell({ kind: "heartbeat", rate: this.owned.rateAt(now) }, out);
    for (const { closed, file } of this.owned.files)
      if (closed !== undefined) this.tell({ kind: "file-closed", file, ...closed }, out);
    if (this.#completeTold) this.#tellComplete(now, out);
    for (const file of this.owned.files) if (file.offered) this.#tellIdle(file, now, out);
    if (this.#trouble !== "") this.tell({ kind: "trouble", reason: this.#trouble }, out);
  }

  /** Ends the run when a dead rank's data is needed and no other rank has it. */
  checkData(rank: Rank, out: Effects): void {
    if (this.#setup.sharedSources || this.blocks.written(rank) >= sizeOf(this.#setup, rank)) return;
    this.#giveUp(`rank ${rank} died, and no other rank has its data`, out);
  }

  #startNext(file: FileLeases, now: Seconds, out: Effects): boolean {
    const guest = file.guests.shift();
    if (guest !== undefined) {
      if (this.dead.has(guest.rank))
        this.owned.refuse(guest.home, guest.group, guest.epoch, file.file, [guest], out);
      else this.owned.grant(file, guest, guest.group, guest.epoch, guest.home, now, out);
      return true;
    }
    if (this.blocks.waitingBytes === 0) return false;
    assert(this.owned.openCount > 0, "a file with a slot is open");
    const bytesMax = file.policy.pieceBytes(this.blocks.waitingBytes / this.owned.openCount);
    const piece = this.blocks.take(bytesMax, this.#rankFor, now);
    if (piece === undefined) return false;
    piece.file = file.file;
    piece.owner = this.#rank;
    this.owned.grant(file, piece, this.#link.group, this.#link.epoch, this.#rank, now, out);
    return true;
  }

  #offer(file: FileLeases, now: Seconds, out: Effects): void {
    if (file.offered || file.guests.length > 0 || !file.hasSlot) return;
    const { offers } = this.#setup.policy;
    if (offers === "never") return;
    if (
      offers === "group-complete"
        ? !this.blocks.complete || file.active.size > 0
        : this.blocks.waitingBytes > 0
    )
      return;
    file.offered = true;
    this.#tellIdle(file, now, out);
  }

  #tellComplete(now: Seconds, out: Effects): void {
    assert(this.blocks.complete, "a complete group has nothing waiting or in flight");
    const bytes = bytesOfGroup(this.#setup, this.#link.group);
    assert(this.blocks.writtenBytes === bytes, "a complete group has written every byte once");
    const learned = this.owned.files
      .filter(({ policy }) => policy.rateAt(now) > 0)
      .map(({ target, policy }) => ({ target, rate: policy.rateAt(now), slots: policy.slots() }));
    this.tell({ kind: "group-complete", entries: this.blocks.entries, learned }, out);
  }

  #tellIdle({ file, policy, active }: FileLeases, now: Seconds, out: Effects): void {
    const slots = Math.max(1, policy.slots() - active.size);
    this.tell({ kind: "file-idle", file, slots, rate: policy.rateAt(now) }, out);
  }

  /** Reports waiting bytes when they have halved, reached 0, or grown. */
  #report(now: Seconds, out: Effects): void {
    const { waitingBytes } = this.blocks;
    const halved = this.#setup.policy.reportsProgress && waitingBytes <= this.#reportBelow;
    if (!halved && !(this.#returned && waitingBytes > 0)) return;
    this.#returned = false;
    this.#reportBelow = waitingBytes === 0 ? -1 : waitingBytes / 2;
    this.tell({ kind: "heartbeat", rate: this.owned.rateAt(now) }, out);
  }

  #cut({ bytes, piecesMax, pieceBytes, file, owner }: AdaptiveWriteStart, now: Seconds): LentPiece[] {
    const pieces: LentPiece[] = [];
    let given = 0;
    while (!this.paused && pieces.length < piecesMax && given < bytes) {
      const piece = this.blocks.take(Math.min(pieceBytes, bytes - given), this.#rankFor, now);
      if (piece === undefined) break;
      piece.file = file;
      piece.owner = owner;
      given += piece.length;
      pieces.push(lent(piece));
    }
    return pieces;
  }

  /** Starts second copies of the pieces that would end last in their file. */
  #copyLate({ rate, piecesMax, file, owner }: AdaptiveWriteStart, now: Seconds): LentPiece[] {
    const late = latePieces(this.blocks.outstanding.values(), this.owned, file, rate, now);
    return late.slice(0, piecesMax).map((piece) => {
      assert(piece.copyFile === -1 && piece.file !== file, "a piece has one copy, in another file");
      piece.copyFile = file;
      piece.copyOwner = owner;
      return lent(piece);
    });
  }

  #accept(piece: Piece, file: FileId, offset: number, checksum: unknown, out: Effects): void {
    assert(file === piece.file || file === piece.copyFile, "a piece is written where it was sent");
    const [other, owner] =
      file === piece.file ? [piece.copyFile, piece.copyOwner] : [piece.file, piece.owner];
    this.blocks.accept(piece, file, offset, checksum);
    const { group, epoch } = this.#link;
    if (other !== -1) out.send(owner, { kind: "recall", group, epoch, piece: piece.piece, file: other });
  }

  /** One attempt to write the piece has failed. */
  #attemptLost(piece: Piece, file: FileId, out: Effects): void {
    if (piece.copyFile === file) piece.copyFile = -1;
    else if (piece.file === file && piece.copyFile !== -1) {
      piece.file = piece.copyFile;
      piece.owner = piece.copyOwner;
      piece.copyFile = -1;
    } else if (piece.file === file) this.#giveBack(piece, out);
  }

  /** Like `#attemptLost`, but also informs the writer, since the owner of the file does not. */
  #abandon(piece: Piece, file: FileId, out: Effects): void {
    const { group, epoch } = this.#link;
    out.send(piece.rank, { kind: "cancel", group, epoch, piece: piece.piece, file, lease: -1 });
    this.#attemptLost(piece, file, out);
  }

  #giveBack(piece: Piece, out: Effects): void {
    this.#returned = true;
    this.blocks.giveBack(piece);
    if (piece.tries + 1 < this.#setup.triesMax) return;
    const bytes = `bytes ${piece.at} to ${piece.at + piece.length} of rank ${piece.block}`;
    this.#giveUp(`${bytes} could not be written in ${piece.tries + 1} tries`, out);
  }

  #giveUp(reason: string, out: Effects): void {
    // Also if already reported: a poll that ends meanwhile must not resume work.
    this.paused = true;
    if (this.#trouble !== "") return;
    this.#trouble = reason;
    this.tell({ kind: "trouble", reason }, out);
  }

  #pieceOf({ group, epoch, piece }: { group: number; epoch: number; piece: number }): Piece | undefined {
    if (group !== this.#link.group || epoch !== this.#link.epoch) return undefined;
    return this.blocks.outstanding.get(piece);
  }

  #isMine(rank: Rank): boolean {
    const { firstRank } = this.#setup.layout;
    const { group } = this.#link;
    return rank >= (firstRank[group] as number) && rank < (firstRank[group + 1] as number);
  }

  /** The writer of a block: its own rank, or if that is dead and the block is readable by others, a living rank. */
  #substitute(block: Rank): Rank {
    if (!this.dead.has(block)) return block;
    const { firstRank } = this.#setup.layout;
    const first = firstRank[this.#link.group] as number;
    const ranks = (firstRank[this.#link.group + 1] as number) - first;
    for (let i = 1; i < ranks; i++) {
      const rank = first + ((block - first + i) % ranks);
      if (!this.dead.has(rank)) return rank;
    }
    return this.#rank;
  }
}

const isOf = (message: WriteComplete, { block, at, length }: Piece): boolean =>
  message.block === block && message.at === at && message.length === length;

function lent({ piece, block, at, length, rank }: Piece): LentPiece {
  return { piece, block, at, length, rank };
}
