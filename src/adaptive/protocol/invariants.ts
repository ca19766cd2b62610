/** Invariants of every run. A driver reports the actions of processes and storage; a violation throws. */
import { assert } from "../../base/assert.ts";
import type { WriteStart } from "./message.ts";
import { sizeOf } from "./policy.ts";
import type { Setup } from "./setup.ts";
import type { FileId, Outcome, Proposal, Rank } from "./step.ts";

type InvariantName =
  | "exactly-once"
  | "no-overlap"
  | "writers-per-file"
  | "index-is-durable"
  | "one-commit"
  | "one-outcome"
  | "dead-are-silent"
  | "run-ends";

export class InvariantViolation extends Error {
  readonly invariant: InvariantName;
  constructor(invariant: InvariantName, detail: string) {
    super(`${invariant}: ${detail}`);
    this.name = "InvariantViolation";
    this.invariant = invariant;
  }
}

interface Extent {
  readonly rank: Rank;
  readonly offset: number;
  readonly length: number;
  readonly block: Rank;
  readonly at: number;
  readonly lease: number;
  state: "active" | "written" | "hole";
  /** Step in which it was written. */
  writtenAt: number;
}

interface FileFacts {
  /** By offset; sorted. */
  readonly extents: Extent[];
  active: number;
  syncedAt: number;
}

export class InvariantChecker {
  readonly #setup: Setup;
  readonly #files = new Map<FileId, FileFacts>();
  readonly #gone = new Set<Rank>();
  readonly #finished = new Map<Rank, Outcome | "released">();
  readonly #proposed = new Map<Rank, Outcome>();
  #decided: Outcome | undefined;
  /** Counts events: only their order matters. */
  #clock = 0;

  constructor(setup: Setup) {
    this.#setup = setup;
  }

  get decided(): Outcome | undefined {
    return this.#decided;
  }

  /** Any effect of a process. */
  acted(rank: Rank): void {
    if (this.#gone.has(rank)) fail("dead-are-silent", `rank ${rank} acts after its end`);
  }

  writeStarted(rank: Rank, { file, lease, offset, length, block, at }: WriteStart): void {
    this.acted(rank);
    const facts = this.#file(file);
    const { extents } = facts;
    const place = placeOf(extents, offset);
    const before = extents[place - 1];
    const after = extents[place];
    if (before !== undefined && before.offset + before.length > offset)
      fail(
        "no-overlap",
        `bytes ${offset} to ${offset + length} of file ${file} overlap those at ${before.offset}`,
      );
    if (after !== undefined && after.offset < offset + length)
      fail(
        "no-overlap",
        `bytes ${offset} to ${offset + length} of file ${file} overlap those at ${after.offset}`,
      );
    if (at < 0 || length <= 0 || at + length > sizeOf(this.#setup, block))
      fail("exactly-once", `bytes ${at} to ${at + length} are not in the block of rank ${block}`);
    extents.splice(place, 0, { rank, offset, length, block, at, lease, state: "active", writtenAt: 0 });
    facts.active++;
    if (facts.active > this.#setup.policy.slotsMax)
      fail(
        "writers-per-file",
        `${facts.active} writers in file ${file}: limit ${this.#setup.policy.slotsMax}`,
      );
  }

  /** The storage has the bytes, or refused them. */
  writeEnded(file: FileId, offset: number, ok: boolean): void {
    const facts = this.#file(file);
    const extent = facts.extents[placeOf(facts.extents, offset)] as Extent;
    assert(extent?.offset === offset, "a write that ends has begun");
    if (extent.state !== "active") return;
    extent.state = ok ? "written" : "hole";
    extent.writtenAt = ++this.#clock;
    facts.active--;
    assert(facts.active >= 0, "no more writes end than began");
  }

  writeCancelled(file: FileId, offset: number): void {
    this.writeEnded(file, offset, false);
  }

  synced(file: FileId): void {
    this.#file(file).syncedAt = ++this.#clock;
  }

  /** The process is dead; so are its writes. */
  died(rank: Rank): void {
    this.#gone.add(rank);
  }

  proposed(rank: Rank, { outcome }: Proposal): void {
    this.acted(rank);
    const before = this.#proposed.get(rank);
    if (before === "complete" || before === outcome)
      fail("one-commit", `rank ${rank} proposes ${outcome} after it proposed ${before}`);
    this.#proposed.set(rank, outcome);
  }

  /** The first proposal took effect. */
  committed({ outcome, parts }: Proposal): void {
    if (this.#decided !== undefined) fail("one-commit", `decided ${outcome} after ${this.#decided}`);
    this.#decided = outcome;
    if (outcome === "complete") this.#checkIndex(parts);
  }

  finished(rank: Rank, outcome: Outcome | "released"): void {
    this.acted(rank);
    if (outcome !== "released" && outcome !== this.#decided)
      fail("one-outcome", `rank ${rank} ends as ${outcome}, the dataset is ${this.#decided ?? "undecided"}`);
    this.#finished.set(rank, outcome);
    this.#gone.add(rank);
  }

  /** Nothing more can happen. */
  ended(living: Iterable<Rank>): void {
    for (const rank of living)
      if (!this.#finished.has(rank)) fail("run-ends", `rank ${rank} is alive and waits forever`);
    if (this.#decided === undefined && this.#finished.size > 0)
      fail("run-ends", "the outcome of the dataset was never decided");
  }

  /** Every byte exactly once, in an extent that was written and then synced. */
  #checkIndex(parts: Proposal["parts"]): void {
    const ranges = new Map<Rank, { at: number; length: number }[]>();
    for (const part of parts) {
      for (let i = 0; i < part.count; i++) {
        const { block, at, length, file, offset } = part.entry(i);
        const facts = this.#files.get(file);
        const extent = facts?.extents[placeOf(facts.extents, offset)];
        const where = `bytes ${at} to ${at + length} of rank ${block} at ${offset} of file ${file}`;
        if (
          facts === undefined ||
          extent?.offset !== offset ||
          extent.length !== length ||
          extent.block !== block ||
          extent.at !== at ||
          extent.state !== "written"
        )
          fail("index-is-durable", `${where}: the index names them, the storage does not have them`);
        else if (facts.syncedAt < extent.writtenAt)
          fail("index-is-durable", `${where}: written after the file was synced`);
        const list = ranges.get(block);
        if (list === undefined) ranges.set(block, [{ at, length }]);
        else list.push({ at, length });
      }
    }
    for (let rank = 0; rank < this.#setup.writers; rank++) this.#checkBlock(rank, ranges.get(rank) ?? []);
  }

  #checkBlock(rank: Rank, ranges: { at: number; length: number }[]): void {
    let end = 0;
    ranges.sort((a, b) => a.at - b.at);
    for (const { at, length } of ranges) {
      if (at !== end)
        fail(
          "exactly-once",
          `byte ${Math.min(at, end)} of rank ${rank} is ${at > end ? "not" : "twice"} in the index`,
        );
      end = at + length;
    }
    const size = sizeOf(this.#setup, rank);
    if (end !== size) fail("exactly-once", `the index has ${end} of ${size} bytes of rank ${rank}`);
  }

  #file(file: FileId): FileFacts {
    let facts = this.#files.get(file);
    if (facts === undefined) this.#files.set(file, (facts = { extents: [], active: 0, syncedAt: 0 }));
    return facts;
  }
}

/** The first place whose extent does not begin before the offset. */
function placeOf(extents: readonly Extent[], offset: number): number {
  let low = 0;
  let high = extents.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((extents[middle] as Extent).offset < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function fail(invariant: InvariantName, detail: string): never {
  throw new InvariantViolation(invariant, detail);
}
