/** The files of one group and their leases: the part of a sub-coordinator that assigns space. */
import { assert } from "../../base/assert.ts";
import type { CoordinatorLink, News } from "./coordinator-link.ts";
import { FileLeases, type Guest, type Lease } from "./file-leases.ts";
import { fileId } from "./ids.ts";
import { groupOfTarget } from "./layout.ts";
import type { Lend, LentPiece, Recall } from "./message.ts";
import type { Setup } from "./setup.ts";
import type { Effects, FailureCode, FileId, Rank, Seconds, TargetId } from "./step.ts";

/** New files on a target after unresponsive writers; then the target is given up. */
const REOPENS = 8;

export class OwnedFiles {
  readonly files: FileLeases[] = [];
  readonly #setup: Setup;
  readonly #link: CoordinatorLink;
  readonly #tell: (news: News, out: Effects) => void;
  readonly #lastLend = new Map<number, { epoch: number; serial: number }>();

  constructor(setup: Setup, link: CoordinatorLink, tell: (news: News, out: Effects) => void) {
    this.#setup = setup;
    this.#link = link;
    this.#tell = tell;
  }

  /** Bytes per second of all files together; NaN when none was measured. */
  rateAt(now: Seconds): number {
    let sum = Number.NaN;
    for (const { policy, state } of this.files) {
      const rate = state === "open" ? policy.rateAt(now) : Number.NaN;
      if (rate > 0) sum = Number.isNaN(sum) ? rate : sum + rate;
    }
    return sum;
  }

  get openCount(): number {
    let count = 0;
    for (const { state } of this.files) if (state === "open") count++;
    return count;
  }

  openAll(badTargets: ReadonlySet<TargetId>, now: Seconds, out: Effects): void {
    const { firstTarget } = this.#setup.layout;
    const { group } = this.#link;
    for (let target = firstTarget[group] as number; target < (firstTarget[group + 1] as number); target++)
      if (!badTargets.has(target)) this.#open(target, 0, now, out);
  }

  find(file: FileId): FileLeases | undefined {
    for (const one of this.files) if (one.file === file) return one;
    return undefined;
  }

  close(file: FileLeases, code: FailureCode, forGood: boolean, out: Effects): void {
    if (file.state === "closed") return;
    file.state = "closed";
    file.closed = { code, forGood };
    file.offered = false;
    for (const guest of file.guests.splice(0))
      this.refuse(guest.home, guest.group, guest.epoch, file.file, [guest], out);
    this.#tell({ kind: "file-closed", file: file.file, code, forGood }, out);
  }

  /** Work of another group for one of these files. False when it is a repeat. */
  lend(from: Rank, { group, epoch, serial, file, pieces }: Lend, accept: boolean, out: Effects): boolean {
    assert(pieces.length > 0 && group !== this.#link.group, "another group lends at least one piece");
    const last = this.#lastLend.get(group);
    if (last !== undefined && (epoch < last.epoch || (epoch === last.epoch && serial <= last.serial)))
      return false;
    this.#lastLend.set(group, { epoch, serial });
    const leases = this.find(file);
    if (leases === undefined || leases.state !== "open" || !accept)
      this.refuse(from, group, epoch, file, pieces, out);
    else {
      leases.offered = false;
      for (const piece of pieces) leases.guests.push({ ...piece, group, epoch, home: from });
    }
    return true;
  }

  /** The piece was written elsewhere meanwhile. */
  recall({ group, epoch, piece, file }: Recall, out: Effects): void {
    const leases = this.find(file);
    if (leases === undefined) return;
    const isIt = (one: Guest | Lease) => one.group === group && one.epoch === epoch && one.piece === piece;
    const guest = leases.guests.findIndex(isIt);
    if (guest !== -1) leases.guests.splice(guest, 1);
    for (const lease of leases.active.values()) {
      if (!isIt(lease) || lease.stopping) continue;
      lease.stopping = true;
      out.send(lease.rank, { kind: "cancel", group, epoch, piece, file, lease: lease.lease });
    }
  }

  /** Returns the pieces that a dead rank was to write for others; if the death is certain, ends its leases. */
  lost(rank: Rank, certain: boolean, now: Seconds, out: Effects): void {
    for (const file of this.files) {
      if (certain)
        for (const lease of file.active.values()) if (lease.rank === rank) file.release(lease, now, 0);
      for (const guest of file.guests.filter((one) => one.rank === rank)) {
        file.guests.splice(file.guests.indexOf(guest), 1);
        this.refuse(guest.home, guest.group, guest.epoch, file.file, [guest], out);
      }
    }
  }

  /** Drops pieces lent by a former leader of another group. */
  dropGuests(group: number, epoch: number): void {
    for (const file of this.files)
      for (const guest of file.guests.filter((one) => one.group === group && one.epoch < epoch))
        file.guests.splice(file.guests.indexOf(guest), 1);
  }

  /** Expired leases, and files that do not open. */
  checkDeadlines(now: Seconds, out: Effects): void {
    for (const file of [...this.files]) {
      if (file.state === "opening" && now > file.openDeadline) this.close(file, "expired", true, out);
      for (const lease of file.active.values()) if (now > lease.deadline) this.#expire(file, lease, now, out);
    }
  }

  grant(
    file: FileLeases,
    given: LentPiece,
    group: number,
    epoch: number,
    home: Rank,
    now: Seconds,
    out: Effects,
  ): void {
    const { piece, block, at, length, rank } = given;
    const lease = file.grant(given, group, epoch, home, now, this.#deadline(length, now));
    out.send(rank, {
      kind: "write-start",
      group,
      epoch,
      piece,
      file: file.file,
      lease: lease.lease,
      offset: lease.offset,
      block,
      at,
      length,
      home,
      moved: group !== this.#link.group,
    });
  }

  refuse(
    home: Rank,
    group: number,
    epoch: number,
    file: FileId,
    pieces: readonly LentPiece[],
    out: Effects,
  ): void {
    out.send(home, { kind: "lend-refused", group, epoch, file, pieces: pieces.map(({ piece }) => piece) });
  }

  #expire(file: FileLeases, lease: Lease, now: Seconds, out: Effects): void {
    const { group, epoch, piece, rank, home } = lease;
    if (!lease.expired) {
      lease.expired = true;
      lease.stopping = true;
      lease.deadline = now + this.#setup.leaseSeconds;
      out.send(rank, { kind: "cancel", group, epoch, piece, file: file.file, lease: lease.lease });
      return;
    }
    // The writer does not respond either. It may still be writing, so its file is abandoned; the target may be healthy.
    file.release(lease, now, 0);
    const again = file.state === "open" && file.reopened + 1 < REOPENS;
    if (file.state === "open") this.close(file, "writer-lost", !again, out);
    if (again) this.#open(file.target, file.reopened + 1, now, out);
    const failed = { group, epoch, piece, file: file.file, lease: lease.lease, rank };
    out.send(home, { kind: "write-failed", ...failed, code: "writer-lost" });
  }

  #open(target: TargetId, reopened: number, now: Seconds, out: Effects): void {
    const { targets, leaseSeconds, policy, overheadBytes } = this.#setup;
    const file = fileId(target, targets, this.#link.epoch, reopened);
    assert(
      groupOfTarget(this.#setup.layout, target) === this.#link.group,
      "a group opens files on its targets",
    );
    assert(this.find(file) === undefined, "a file is opened once: its space is assigned once");
    const leases = new FileLeases(file, target, reopened, policy.file(this.#setup, target), overheadBytes);
    leases.state = "opening";
    if (leaseSeconds > 0) leases.openDeadline = now + leaseSeconds;
    this.files.push(leases);
    out.open(file, target);
  }

  #deadline(length: number, now: Seconds): Seconds {
    const { leaseSeconds, leaseBytesPerSecond } = this.#setup;
    return leaseSeconds === 0 ? Number.POSITIVE_INFINITY : now + leaseSeconds + length / leaseBytesPerSecond;
  }
}
