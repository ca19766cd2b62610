/**
 * Storage targets on virtual time, as fluids: own writers of a target share it equally, so one cumulative service per target
 * represents all of them, and a write of S ends when the service has grown by S. Events occur only when a rate changes: a write
 * is accepted, the dirty limit is reached, or the background load changes.
 */

import { assert } from "../../../base/assert.ts";
import type { EventQueue } from "../events.ts";
import { WriteEnds } from "./ends.ts";
import { TARGET_DUE, WRITE_END } from "./kinds.ts";
import { type StorageModel, WRITE_ENOSPC, WRITE_OK, type WriteEnded, type WriteStatus } from "./model.ts";
import { MB, type StorageParameters } from "./parameters.ts";
import { computeRates, curvesOf, type OtherLoad, type TargetRates, type TargetState } from "./rates.ts";
import { DRAINING, FLOWING, FLUSHING, Tokens, UNUSED } from "./tokens.ts";

/** `target`: a write ends when the target has accepted and flushed it; `disk`: when it is on disk. */
export type Flush = "target" | "disk";

/** Tolerance for sums of floats, in MB: a tenth of a byte. */
const NEAR = 1e-7;

interface StorageSetting {
  readonly queue: EventQueue;
  readonly parameters: StorageParameters;
  readonly targets: number;
  readonly flush?: Flush;
  /** Whether all writers share one file. */
  readonly sharedFile?: boolean;
  /** Speed of each target's disks relative to normal; default 1. */
  readonly speeds?: Float64Array;
}

export class Storage implements StorageModel {
  readonly targets: number;
  onWriteEnd: WriteEnded = () => {};

  readonly #queue: EventQueue;
  readonly #parameters: StorageParameters;
  readonly #toDisk: boolean;
  readonly #link: number;
  readonly #speeds: Float64Array;
  readonly #faults: Float64Array;
  readonly #errors: Uint8Array;
  readonly #room: Float64Array;
  readonly #writers: Int32Array;
  readonly #streams: Float64Array;
  readonly #demand: Float64Array;
  readonly #service: Float64Array;
  readonly #arrived: Float64Array;
  readonly #dirty: Float64Array;
  readonly #rate: Float64Array;
  readonly #drain: Float64Array;
  readonly #limit: Float64Array;
  readonly #since: Float64Array;
  readonly #due: Float64Array;
  readonly #scheduled: Float64Array;
  readonly #version: Int32Array;
  readonly #ends: WriteEnds[];
  readonly #undrained: WriteEnds[];
  readonly #tokens = new Tokens();
  readonly #state: { -readonly [Key in keyof TargetState]: TargetState[Key] };
  readonly #others = { streams: 0, demand: 0 } satisfies OtherLoad;
  readonly #rates: TargetRates = { free: 0, full: 0, drain: 0, limit: 0, disk: 0, ingest: 0 };

  constructor({ queue, parameters, targets, flush = "target", sharedFile = false, speeds }: StorageSetting) {
    assert(targets > 0 && (speeds === undefined || speeds.length === targets), "every target has a speed");
    this.targets = targets;
    this.#queue = queue;
    this.#parameters = parameters;
    this.#toDisk = flush === "disk";
    this.#link = parameters.networkRate / targets;
    this.#state = { speed: 1, link: 0, curves: curvesOf(parameters, sharedFile) };
    const zeros = () => new Float64Array(targets);
    this.#speeds = speeds ?? zeros().fill(1);
    this.#faults = zeros().fill(1);
    this.#errors = new Uint8Array(targets);
    this.#room = zeros().fill(Number.POSITIVE_INFINITY);
    this.#writers = new Int32Array(targets);
    this.#streams = zeros();
    this.#demand = zeros();
    this.#service = zeros();
    this.#arrived = zeros();
    this.#dirty = zeros();
    this.#rate = zeros();
    this.#drain = zeros();
    this.#limit = zeros();
    this.#since = zeros();
    this.#due = zeros();
    this.#scheduled = zeros().fill(Number.POSITIVE_INFINITY);
    this.#version = new Int32Array(targets);
    this.#ends = Array.from({ length: targets }, () => new WriteEnds());
    this.#undrained = Array.from({ length: this.#toDisk ? targets : 0 }, () => new WriteEnds());
  }

  startWrite(target: number, bytes: number, token: number): void {
    if (!(target >= 0 && target < this.targets && bytes > 0)) refuseWrite(target, bytes, this.targets);
    const tokens = this.#tokens;
    tokens.use(token, target, bytes / MB);
    const status = this.#errors[target] as WriteStatus;
    const fits = (this.#room[target] as number) >= bytes;
    if (status !== WRITE_OK || !fits) {
      this.#finish(token, status !== WRITE_OK ? status : WRITE_ENOSPC);
      return;
    }
    this.#room[target]! -= bytes;
    this.#advance(target);
    const start = this.#service[target] as number;
    tokens.startAt[token] = start;
    this.#ends[target]!.push(start + bytes / MB, token, tokens.epoch[token] as number);
    this.#writers[target]!++;
    this.#refresh(target);
  }

  cancel(token: number): number {
    const tokens = this.#tokens;
    const state = tokens.state[token] as number;
    assert(state !== UNUSED && state !== undefined, `no write with token ${token} in flight`);
    const target = tokens.target[token] as number;
    const accepted = this.accepted(token);
    if (state === FLOWING) {
      this.#advance(target);
      assert(this.#writers[target]! > 0, "a write that flows has a writer");
      this.#writers[target]!--;
      // Its entry in the heap stays, and is skipped by its epoch.
      tokens.release(token);
      this.#refresh(target);
    } else tokens.release(token);
    assert(
      accepted >= 0 && accepted <= Math.round(tokens.size[token]! * MB),
      "no more is accepted than is sent",
    );
    this.#room[target]! += tokens.size[token]! * MB - accepted;
    return accepted;
  }

  accepted(token: number): number {
    const tokens = this.#tokens;
    const size = tokens.size[token] as number;
    if (tokens.state[token] !== FLOWING) return Math.round(size * MB);
    const target = tokens.target[token] as number;
    this.#advance(target);
    const done = (this.#service[target] as number) - (tokens.startAt[token] as number);
    return Math.round(Math.min(Math.max(done, 0), size) * MB);
  }

  setSpeed(target: number, factor: number): void {
    this.#advance(target);
    assert(factor >= 0, "a target's speed is not negative");
    this.#faults[target] = factor;
    this.#refresh(target);
  }

  setError(target: number, status: WriteStatus): void {
    this.#advance(target);
    this.#errors[target] = status;
    if (status !== WRITE_OK) this.#failAll(target, status);
    this.#refresh(target);
  }

  setRoom(target: number, bytes: number): void {
    this.#room[target] = bytes;
  }

  /** Changes the background load on a target: streams, and their demand in MB/s. */
  changeOthers(target: number, streams: number, demand: number): void {
    this.#advance(target);
    assert((this.#streams[target] as number) + streams > -NEAR, "only load that arrived can leave");
    // Floating-point sums may end slightly below zero.
    this.#streams[target] = Math.max(0, (this.#streams[target] as number) + streams);
    this.#demand[target] = Math.max(0, (this.#demand[target] as number) + demand);
    this.#refresh(target);
  }

  handle(kind: number, a: number, b: number): void {
    if (kind === TARGET_DUE) this.#targetDue(a, b);
    else if (kind === WRITE_END) this.#writeEnd(a, b);
  }

  /** State of a target now; for pictures, tests and checks. */
  look(target: number): TargetLook {
    this.#advance(target);
    return {
      writers: this.#writers[target] as number,
      others: this.#streams[target] as number,
      dirtyMb: this.#dirty[target] as number,
      rateMbps: this.#rate[target] as number,
      speed: (this.#speeds[target] as number) * (this.#faults[target] as number),
    };
  }

  /** Checks the invariants of the model on a target; throws on a violation. */
  check(target: number): void {
    const { writers, dirtyMb, rateMbps } = this.look(target);
    const p = this.#parameters;
    this.#compute(target);
    const inflow = writers * rateMbps;
    const { ingest, drain, disk, limit } = this.#rates;
    assert(dirtyMb >= 0 && dirtyMb <= p.dirtyLimit + NEAR, `target ${target}: ${dirtyMb} MB dirty`);
    assert(inflow <= ingest * (1 + 1e-12), `target ${target} takes ${inflow} of ${ingest} MB/s`);
    assert(rateMbps <= p.clientRate * (1 + 1e-12), `a writer has ${rateMbps} MB/s`);
    assert(drain <= disk * (1 + 1e-12), `target ${target} drains ${drain} of ${disk} MB/s`);
    const full = dirtyMb >= limit - NEAR;
    assert(!full || inflow <= drain * (1 + 1e-12), `target ${target} is full and takes more than it drains`);
  }

  #advance(target: number): void {
    const now = this.#queue.now;
    const elapsed = now - (this.#since[target] as number);
    assert(elapsed >= 0, "time on a target does not go back");
    if (elapsed === 0) return;
    this.#since[target] = now;
    const served = (this.#rate[target] as number) * elapsed;
    const came = served * (this.#writers[target] as number);
    this.#service[target]! += served;
    this.#arrived[target]! += came;
    const dirty = (this.#dirty[target] as number) + came - (this.#drain[target] as number) * elapsed;
    const limit = this.#parameters.dirtyLimit;
    this.#dirty[target] = dirty < 0 ? 0 : dirty > limit ? limit : dirty;
  }

  #compute(target: number): void {
    this.#others.streams = this.#streams[target] as number;
    this.#others.demand = this.#demand[target] as number;
    const fault = this.#faults[target] as number;
    this.#state.speed = (this.#speeds[target] as number) * fault;
    this.#state.link = this.#link * (fault < 1 ? fault : 1);
    computeRates(this.#writers[target] as number, this.#others, this.#state, this.#parameters, this.#rates);
  }

  /** Recomputes the rates and the time of the next change. The target has been advanced to now. */
  #refresh(target: number): void {
    this.#compute(target);
    const rates = this.#rates;
    const writers = this.#writers[target] as number;
    const dirty = this.#dirty[target] as number;
    const isFull = dirty >= rates.limit - NEAR;
    const rate = writers === 0 ? 0 : isFull ? rates.full : rates.free;
    this.#rate[target] = rate;
    this.#drain[target] = rates.drain;
    this.#limit[target] = rates.limit;
    let wait = Number.POSITIVE_INFINITY;
    if (rate > 0) {
      wait = (this.#ends[target]!.first - (this.#service[target] as number)) / rate;
      const growth = writers * rate - rates.drain;
      if (!isFull && growth > 0) wait = Math.min(wait, (rates.limit - dirty) / growth);
    }
    if (this.#toDisk && this.#undrained[target]!.size > 0 && rates.drain > 0)
      wait = Math.min(wait, (this.#undrained[target]!.first - this.#drained(target)) / rates.drain);
    assert(rate >= 0 && !Number.isNaN(wait), "a target knows when it changes next");
    this.#schedule(target, this.#queue.now + (wait > 0 ? wait : 0));
  }

  /** An earlier event that is already queued is kept: it will find nothing to do and schedule again. */
  #schedule(target: number, due: number): void {
    this.#due[target] = due;
    if (due >= (this.#scheduled[target] as number)) return;
    this.#scheduled[target] = due;
    this.#queue.push(due, TARGET_DUE, target, ++this.#version[target]!);
  }

  #targetDue(target: number, version: number): void {
    if (version !== this.#version[target]) return;
    this.#scheduled[target] = Number.POSITIVE_INFINITY;
    if ((this.#due[target] as number) > this.#queue.now) {
      this.#schedule(target, this.#due[target] as number);
      return;
    }
    this.#advance(target);
    this.#takeAccepted(target);
    if (this.#toDisk) this.#takeDrained(target);
    this.#refresh(target);
  }

  #takeAccepted(target: number): void {
    const ends = this.#ends[target] as WriteEnds;
    const tokens = this.#tokens;
    const reached = (this.#service[target] as number) + NEAR;
    while (ends.size > 0) {
      const token = ends.firstToken;
      const isStale = tokens.epoch[token] !== ends.firstEpoch;
      if (!isStale && ends.first > reached) return;
      ends.shift();
      if (isStale) continue;
      assert(this.#writers[target]! > 0, "no more writes are accepted than flow");
      this.#writers[target]!--;
      if (this.#toDisk) {
        tokens.state[token] = DRAINING;
        this.#undrained[target]!.push(this.#arrived[target] as number, token, tokens.epoch[token] as number);
      } else this.#finish(token, WRITE_OK);
    }
  }

  #takeDrained(target: number): void {
    const waiting = this.#undrained[target] as WriteEnds;
    const tokens = this.#tokens;
    const drained = this.#drained(target) + NEAR;
    while (waiting.size > 0 && waiting.first <= drained) {
      const token = waiting.firstToken;
      const isStale = tokens.epoch[token] !== waiting.firstEpoch;
      waiting.shift();
      if (!isStale) this.#finish(token, WRITE_OK);
    }
  }

  /** Own data on disk, MB. */
  #drained(target: number): number {
    return (this.#arrived[target] as number) - (this.#dirty[target] as number);
  }

  /** The data is in place, or refused: the write ends after the round trip of the flush. */
  #finish(token: number, status: WriteStatus): void {
    const tokens = this.#tokens;
    const state = tokens.state[token];
    assert(state === FLOWING || state === DRAINING, "a write is flushed once");
    tokens.state[token] = FLUSHING;
    tokens.status[token] = status;
    const end = this.#queue.now + this.#parameters.opOverhead;
    this.#queue.push(end, WRITE_END, token, tokens.epoch[token] as number);
  }

  #writeEnd(token: number, epoch: number): void {
    const tokens = this.#tokens;
    if (tokens.epoch[token] !== epoch) return;
    assert(tokens.state[token] === FLUSHING, "a write ends after its flush");
    tokens.release(token);
    this.onWriteEnd(token, tokens.target[token] as number, tokens.status[token] as WriteStatus);
  }

  #failAll(target: number, status: WriteStatus): void {
    const tokens = this.#tokens;
    for (const list of [this.#ends[target] as WriteEnds, this.#undrained[target]])
      for (; list !== undefined && list.size > 0; list.shift())
        if (tokens.epoch[list.firstToken] === list.firstEpoch) this.#finish(list.firstToken, status);
    this.#writers[target] = 0;
  }
}

interface TargetLook {
  readonly writers: number;
  readonly others: number;
  readonly dirtyMb: number;
  readonly rateMbps: number;
  readonly speed: number;
}

/** Separate from `startWrite`, which would build the message for every write. */
function refuseWrite(target: number, bytes: number, targets: number): never {
  assert(bytes > 0, `a write of ${bytes} bytes`);
  assert(false, `a write to target ${target} of ${targets}`);
}
