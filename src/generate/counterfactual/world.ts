/**
 * Ranks with one clock each that make calls on a machine. Barriers and collective calls wait for the slowest rank; a
 * call takes the time of the model × noise that depends on step and rank and is the same in every twin.
 */
import { assert } from "../../base/assert.ts";
import { Random } from "../../base/prng.ts";
import type { Call, Dataset, Layer, Layout } from "../recorder/calls.ts";

/** A call to make, or `count` equal ones. Times are without noise. */
interface Run {
  readonly layer?: Layer;
  readonly kind: Call["kind"];
  readonly file: string;
  readonly offset?: number;
  readonly bytes?: number;
  readonly count?: number;
  readonly stride?: number;
  readonly seconds: number;
  readonly collective?: boolean;
}

const NOISE = 0.05;
/** Seconds that a layer adds around the call below it, on either side. */
const WRAP = 1e-6;
const STREAM_NOISE = 1;
const STREAM_START = 2;
const STREAM_COMPUTE = 3;

interface WorldOptions {
  readonly ranks: number;
  readonly seed: number;
  readonly job: number;
  /** False: only clocks move, no call is kept. */
  readonly recording: boolean;
}

export class World {
  readonly ranks: number;
  readonly calls: Call[] = [];
  /** Single calls, kept or not. */
  callCount = 0;
  readonly layouts = new Map<string, Layout>();
  readonly datasets = new Map<string, Dataset>();
  /** A rank whose bytes move slower by this factor, in all that it does. */
  weak: { readonly rank: number; readonly factor: number } | undefined;
  readonly #clocks: Float64Array;
  readonly #noise: Float64Array;
  readonly #options: WorldOptions;
  readonly #random = new Random(0);

  constructor(options: WorldOptions) {
    this.#options = options;
    this.ranks = options.ranks;
    this.#noise = new Float64Array(options.ranks).fill(1);
    this.#clocks = this.#stream(STREAM_START, 0, () => 0.1 + 0.02 * this.#random.unit());
  }

  /** From here on calls have the noise of this activity and step. */
  enter(activity: number, step: number): void {
    this.#noise.set(
      this.#stream(STREAM_NOISE, activity * 4096 + step, () => 1 + NOISE * this.#random.unit()),
    );
  }

  compute(seconds: number, step: number): void {
    if (seconds === 0) return;
    const times = this.#stream(STREAM_COMPUTE, step, () => seconds * (1 + 0.01 * this.#random.unit()));
    for (let rank = 0; rank < this.ranks; rank++) this.pass(rank, times[rank] as number);
    this.barrier();
  }

  barrier(): void {
    this.#clocks.fill(this.now);
  }

  /** The clock of the rank that is furthest. */
  get now(): number {
    return this.#clocks.reduce((latest, clock) => Math.max(latest, clock), 0);
  }

  clock(rank: number): number {
    return this.#clocks[rank] as number;
  }

  /** The rank does something else than I/O. */
  pass(rank: number, seconds: number): void {
    assert(seconds >= 0, "clocks do not run backwards");
    this.#clocks[rank] = this.clock(rank) + seconds;
  }

  waitUntil(rank: number, time: number): void {
    this.pass(rank, Math.max(0, time - this.clock(rank)));
  }

  /** Bytes per second of this rank where the others get `rate`. */
  rate(rank: number, rate: number): number {
    return this.weak?.rank === rank ? rate / this.weak.factor : rate;
  }

  /** Calls one after the other. */
  make(rank: number, run: Run): void {
    const { count = 1 } = run;
    const each = (this.#noise[rank] as number) * run.seconds;
    this.#keep(rank, run, this.clock(rank), each, count, each);
    this.pass(rank, count * each);
  }

  /** `count` rounds of a few calls each: write and sync, or open, write and close. */
  weave(rank: number, count: number, parts: readonly Run[]): void {
    if (count < 1) return;
    const noise = this.#noise[rank] as number;
    const round = noise * parts.reduce((sum, { seconds }) => sum + seconds, 0);
    let start = this.clock(rank);
    for (const part of parts) {
      const each = noise * part.seconds;
      this.#keep(rank, part, start, each, count, round);
      start += each;
    }
    this.pass(rank, count * round);
  }

  /** `count` calls of which each goes through several layers, the outermost first. */
  nest(rank: number, count: number, layers: readonly Run[]): void {
    if (count < 1) return;
    const inner = layers.at(-1) as Run;
    const each = (this.#noise[rank] as number) * inner.seconds;
    const wraps = layers.length - 1;
    const round = each + 2 * WRAP * wraps;
    const start = this.clock(rank);
    layers.forEach((layer, depth) => {
      this.#keep(rank, layer, start + WRAP * depth, each + 2 * WRAP * (wraps - depth), count, round);
    });
    this.pass(rank, count * round);
  }

  /** Calls around others that were made since `start`, as of a library whose call ends now. */
  around(rank: number, run: Omit<Run, "seconds">, start: number): void {
    this.pass(rank, WRAP);
    this.#keep(rank, run, start, this.clock(rank) - start, 1, 0);
  }

  /** One call that the rank makes `round` seconds after the other, among other things; moves no clock. */
  every(rank: number, run: Run, start: number, count: number, round: number): void {
    this.#keep(rank, run, start, run.seconds, count, round);
  }

  #keep(
    rank: number,
    {
      layer = "POSIX",
      kind,
      file,
      offset = 0,
      bytes = 0,
      stride = 0,
      collective = false,
    }: Omit<Run, "seconds">,
    start: number,
    each: number,
    count: number,
    round: number,
  ): void {
    this.callCount += count;
    if (!this.#options.recording) return;
    assert(
      Number.isSafeInteger(offset) && Number.isSafeInteger(bytes),
      `${kind} of ${bytes} bytes at ${offset}`,
    );
    const end = start + (count - 1) * round + each;
    this.calls.push(
      count === 1
        ? { layer, kind, rank, file, offset, bytes, start, end, collective }
        : {
            layer,
            kind,
            rank,
            file,
            offset,
            bytes,
            start,
            end,
            collective,
            count,
            strideBytes: stride,
            secondsEach: each,
          },
    );
  }

  #stream(kind: number, id: number, value: () => number): Float64Array {
    this.#random.restart(this.#options.seed, kind, this.#options.job * 2 ** 24 + id);
    return Float64Array.from({ length: this.ranks }, value);
  }
}
