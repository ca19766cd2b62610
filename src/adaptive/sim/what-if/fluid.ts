/**
 * Replays recorded runs on targets with fitted rates. Concurrent transfers on a target share it max-min fairly, none above its
 * own limit; a transfer over several targets runs at the pace of the slowest. When a transfer starts or ends, only transfers
 * linked to it by common targets are recomputed.
 */
import { AssertionError, assert } from "../../../base/assert.ts";
import { EventQueue } from "../events.ts";
import { type MaxMinFlow, shareMaxMin, type Place } from "./max-min.ts";
import type { RecordedRun, Transfer } from "./recorded.ts";
import { phasesOf } from "./schedule.ts";

export interface StorageFit {
  /** Bytes per second of a target with one transfer on it. */
  rate(target: number): number;
  /** Max rate of a transfer alone if it starts at this time, bytes per second. */
  limit(run: RecordedRun, transfer: Transfer, at: number): number;
  /** Loss of a target per further transfer: 0.05 leaves 1 / 1.05 with two. */
  readonly lossPerStream: number;
  /**
   * Slowdown of a transfer by others below the capacity of the target: each byte per second that they would take alone on its
   * most loaded target adds this to its slowdown factor. Default 0.
   */
  readonly slope?: number;
}

interface ReplayedRun {
  readonly run: RecordedRun;
  /** Times of its read and write phase. */
  readonly read: number;
  readonly write: number;
}

export interface TargetLoad {
  bytes: number;
  transfers: number;
  /** Seconds with at least one transfer. */
  busy: number;
  /** Concurrent transfers integrated over time; divided by `busy` their mean number. */
  streamSeconds: number;
}

/** A replayed transfer. */
interface ReplayedTransfer {
  readonly run: RecordedRun;
  readonly transfer: Transfer;
  readonly start: number;
  readonly end: number;
}

export interface FluidResult {
  readonly runs: readonly ReplayedRun[];
  readonly targets: ReadonlyMap<number, TargetLoad>;
  readonly transfers: readonly ReplayedTransfer[];
}

const RUN_START = 0;
const WRITES_START = 1;
const TRANSFER_END = 2;

interface Flow extends MaxMinFlow {
  readonly index: number;
  readonly places: readonly Target[];
  readonly owner: Progress;
  readonly transfer: Transfer;
  readonly start: number;
  /** Rate alone, and with the others. */
  readonly own: number;
  limit: number;
  left: number;
  rate: number;
  since: number;
  /** Distinguishes stale events from current ones. */
  version: number;
  end: number;
  mark: number;
}

interface Progress {
  readonly index: number;
  readonly run: RecordedRun;
  readonly between: number;
  phase: readonly Transfer[];
  isWriting: boolean;
  next: number;
  free: number;
  active: number;
  began: number;
  read: number;
  write: number;
}

interface Target extends Place {
  /** Rate with one transfer. */
  readonly rate: number;
  readonly flows: Set<Flow>;
  readonly load: TargetLoad;
  since: number;
  mark: number;
}

export function replayRuns(runs: readonly RecordedRun[], fit: StorageFit): FluidResult {
  return new Fluid(runs, fit).run();
}

class Fluid {
  readonly #fit: StorageFit;
  readonly #queue = new EventQueue();
  readonly #progress: Progress[];
  readonly #targets = new Map<number, Target>();
  readonly #flows: Flow[] = [];
  #marks = 0;
  readonly #origin: number;

  constructor(runs: readonly RecordedRun[], fit: StorageFit) {
    this.#fit = fit;
    this.#origin = runs.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY);
    this.#progress = runs.map((run, index) => ({
      ...{ index, run, between: phasesOf(run).between, phase: run.reads, isWriting: false, next: 0 },
      ...{ free: run.ranks, active: 0, began: 0, read: 0, write: 0 },
    }));
  }

  run(): FluidResult {
    const queue = this.#queue;
    this.#progress.forEach(({ run }, index) => {
      queue.push(run.start - this.#origin, RUN_START, index, 0);
    });
    while (queue.next()) {
      if (queue.kind === TRANSFER_END) this.#transferEnd(this.#flows[queue.a] as Flow, queue.b);
      else this.#begin(this.#progress[queue.a] as Progress, queue.kind === WRITES_START);
    }
    for (const one of this.#progress)
      if (one.active > 0 || one.next < one.phase.length)
        throw new AssertionError(`run ${one.run.id} never ended`);
    assert(
      this.#flows.every(({ start, end }) => end >= start),
      "every transfer ended",
    );
    return {
      runs: this.#progress.map(({ run, read, write }) => ({ run, read, write })),
      targets: new Map([...this.#targets].map(([target, { load }]) => [target, load])),
      transfers: this.#flows.map(({ owner, transfer, start, end }) => ({
        ...{ run: owner.run, transfer },
        ...{ start: start + this.#origin, end: end + this.#origin },
      })),
    };
  }

  #begin(progress: Progress, isWriting: boolean): void {
    progress.isWriting = isWriting;
    progress.phase = isWriting ? progress.run.writes : progress.run.reads;
    progress.next = 0;
    progress.free = progress.run.ranks;
    progress.began = this.#queue.now;
    this.#advance(progress);
  }

  /** Starts as many transfers as the ranks can serve; ends the phase when none is left. */
  #advance(progress: Progress): void {
    const { run, phase } = progress;
    for (; progress.next < phase.length; progress.next++) {
      const transfer = phase[progress.next] as Transfer;
      const needed = Math.min(transfer.ranks, run.ranks);
      if (progress.free < needed) return;
      progress.free -= needed;
      progress.active++;
      this.#start(progress, transfer);
    }
    if (progress.active > 0) return;
    const took = this.#queue.now - progress.began;
    if (progress.isWriting) progress.write = took;
    else {
      progress.read = took;
      if (run.writes.length > 0)
        this.#queue.push(this.#queue.now + progress.between, WRITES_START, progress.index, 0);
    }
  }

  #start(owner: Progress, transfer: Transfer): void {
    const { now } = this.#queue;
    const places = transfer.targets.map((number) => this.#target(number));
    assert(places.length > 0 && transfer.bytes > 0, "a transfer has bytes and targets");
    const own = this.#fit.limit(owner.run, transfer, now + this.#origin);
    const flow: Flow = {
      ...{ index: this.#flows.length, owner, transfer, places, own, limit: own },
      ...{ start: now, left: transfer.bytes, rate: 0, share: 0, since: now },
      ...{ version: 0, end: Number.NaN, mark: 0 },
    };
    this.#flows.push(flow);
    for (const target of places) {
      this.#count(target);
      target.flows.add(flow);
      target.load.transfers++;
      target.load.bytes += transfer.bytes / places.length;
    }
    this.#share(flow);
  }

  #transferEnd(flow: Flow, version: number): void {
    if (flow.version !== version || !Number.isNaN(flow.end)) return;
    flow.end = this.#queue.now;
    const { owner, transfer } = flow;
    for (const target of flow.places) {
      this.#count(target);
      target.flows.delete(flow);
    }
    owner.free += Math.min(transfer.ranks, owner.run.ranks);
    owner.active--;
    assert(owner.active >= 0 && owner.free <= owner.run.ranks, "ranks are returned once");
    // Flows linked by this one may now be several components.
    const mark = this.#marks;
    for (const target of flow.places)
      for (const other of target.flows) if (other.mark <= mark) this.#share(other);
    this.#advance(owner);
  }

  #target(number: number): Target {
    let target = this.#targets.get(number);
    if (target === undefined) {
      target = {
        ...{ rate: this.#fit.rate(number), flows: new Set(), room: 0, open: 0, mark: 0 },
        load: { bytes: 0, transfers: 0, busy: 0, streamSeconds: 0 },
        since: this.#queue.now,
      };
      this.#targets.set(number, target);
    }
    return target;
  }

  #count(target: Target): void {
    const { now } = this.#queue;
    const elapsed = now - target.since;
    assert(elapsed >= 0, "time on a target does not go back");
    if (target.flows.size > 0) target.load.busy += elapsed;
    target.load.streamSeconds += elapsed * target.flows.size;
    target.since = now;
  }

  /** Recomputes the rates of all flows linked to this one. */
  #share(from: Flow): void {
    const mark = ++this.#marks;
    const { lossPerStream, slope = 0 } = this.#fit;
    const flows: Flow[] = [from];
    const targets: Target[] = [];
    from.mark = mark;
    for (let i = 0; i < flows.length; i++)
      for (const target of (flows[i] as Flow).places) {
        if (target.mark === mark) continue;
        target.mark = mark;
        targets.push(target);
        target.open = target.flows.size;
        target.room = target.rate / (1 + lossPerStream * (target.open - 1));
        for (const other of target.flows)
          if (other.mark !== mark) {
            other.mark = mark;
            flows.push(other);
          }
      }
    if (slope > 0) for (const flow of flows) flow.limit = flow.own / (1 + slope * offered(flow));
    shareMaxMin(flows, targets);
    for (const flow of flows) this.#setRate(flow, flow.share);
  }

  #setRate(flow: Flow, rate: number): void {
    const { now } = this.#queue;
    flow.left = Math.max(0, flow.left - flow.rate * (now - flow.since));
    flow.since = now;
    assert(rate > 0, "a transfer in flight has a rate");
    if (flow.rate === rate) return;
    flow.rate = rate;
    flow.version++;
    this.#queue.push(now + flow.left / rate, TRANSFER_END, flow.index, flow.version);
  }
}

/** Rate that the others would take alone of its most loaded target. */
function offered(flow: Flow): number {
  let most = 0;
  for (const { flows } of flow.places) {
    let sum = 0;
    for (const other of flows) if (other !== flow) sum += other.own / other.places.length;
    most = Math.max(most, sum);
  }
  return most;
}
