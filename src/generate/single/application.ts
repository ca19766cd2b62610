/** An imagined parallel program: a clock for each rank, and calls that move it on. */
import type { Random } from "../../base/prng.ts";
import { MIB } from "../log-builder.ts";
import type { Call, Layer, Layout, LogPlan } from "../recorder/calls.ts";

/** Bytes per second of one rank in an unhurried file system. */
export const RATE = 400 * MIB;
/** Seconds of a call before the first byte moves: about what a loaded Lustre client shows. */
const LATENCY = 0.0002;
const OPEN_SECONDS = 0.002;
const CLOSE_SECONDS = 0.0005;
const PACK_SECONDS = 0.02;

interface Transfer {
  readonly offset: number;
  readonly bytes: number;
  /** Bytes per second. */
  readonly rate?: number;
}

/** A collective call: all ranks take part, aggregators move a contiguous range in large pieces. */
interface Collective {
  readonly kind: "read" | "write";
  readonly file: string;
  /** What each rank asks for; the requests of the ranks follow one another. */
  readonly bytesPerRank: number;
  readonly offset: number;
  readonly aggregators: number;
  /** Bytes of the range that the aggregators move, when the requests leave holes in it. */
  readonly spanBytes?: number;
  /** Read each piece before it is written, to keep what is in the holes. */
  readonly readFirst?: boolean;
}

const PIECE_BYTES = 4 * MIB;

export class Application {
  readonly ranks: number;
  readonly random: Random;
  readonly calls: Call[] = [];
  readonly layouts = new Map<string, Layout>();
  readonly #clocks: Float64Array;

  constructor(ranks: number, random: Random) {
    this.ranks = ranks;
    this.random = random;
    // Ranks are through their start-up at slightly different times.
    this.#clocks = Float64Array.from({ length: ranks }, () => 0.5 + 0.01 * random.unit());
  }

  /** A file on Lustre; the name is under /scratch. */
  lustre(name: string, osts: readonly number[], options: Partial<Omit<Layout, "osts">> = {}): string {
    const file = `/scratch/run/${name}`;
    const stripeBytes = options.stripeBytes ?? MIB;
    this.layouts.set(file, { osts, stripeBytes, alignmentBytes: options.alignmentBytes ?? stripeBytes });
    return file;
  }

  /** All ranks compute for about so long, then wait for one another. */
  compute(seconds: number): void {
    for (let rank = 0; rank < this.ranks; rank++) this.#advance(rank, seconds);
    this.barrier();
  }

  barrier(): void {
    this.#clocks.fill(this.now);
  }

  /** The clock of the rank that is furthest. */
  get now(): number {
    return this.#clocks.reduce((latest, clock) => Math.max(latest, clock), 0);
  }

  open(layer: Layer, rank: number, file: string, seconds = OPEN_SECONDS): void {
    this.#call(layer, "open", rank, file, seconds);
  }

  close(layer: Layer, rank: number, file: string, seconds = CLOSE_SECONDS): void {
    this.#call(layer, "close", rank, file, seconds);
  }

  touch(kind: "seek" | "stat", rank: number, file: string, seconds: number): void {
    this.#call("POSIX", kind, rank, file, seconds);
  }

  read(layer: Layer, rank: number, file: string, transfer: Transfer): void {
    this.#call(layer, "read", rank, file, duration(transfer), transfer);
  }

  write(layer: Layer, rank: number, file: string, transfer: Transfer): void {
    this.#call(layer, "write", rank, file, duration(transfer), transfer);
  }

  /** An independent MPI-IO call, which becomes one POSIX call. */
  independent(kind: "read" | "write", rank: number, file: string, transfer: Transfer): void {
    this.#around(rank, file, kind, transfer, () =>
      this.#call("POSIX", kind, rank, file, duration(transfer), transfer),
    );
  }

  /** All ranks open a file through MPI-IO and, with `view`, say which part is theirs. */
  openTogether(file: string, view: boolean): void {
    this.#together(file, "open", (rank) => this.open("POSIX", rank, file));
    if (view) for (let rank = 0; rank < this.ranks; rank++) this.#call("MPI-IO", "view", rank, file, 1e-4);
  }

  closeTogether(file: string): void {
    this.#together(file, "close", (rank) => this.close("POSIX", rank, file));
  }

  collective({ kind, file, bytesPerRank, offset, aggregators, spanBytes, readFirst }: Collective): void {
    // Ranks pack their data for about this long, and those that are done first wait in the call.
    for (let rank = 0; rank < this.ranks; rank++) this.#advance(rank, PACK_SECONDS);
    const starts = this.#clocks.slice();
    this.barrier();
    const domain = (spanBytes ?? bytesPerRank * this.ranks) / aggregators;
    for (let a = 0; a < aggregators; a++) {
      const rank = (a * this.ranks) / aggregators;
      for (let done = 0; done < domain; done += PIECE_BYTES) {
        const piece = { offset: offset + a * domain + done, bytes: Math.min(PIECE_BYTES, domain - done) };
        if (readFirst) this.read("POSIX", rank, file, piece);
        this.#call("POSIX", kind, rank, file, duration(piece), piece);
      }
    }
    this.barrier();
    for (let rank = 0; rank < this.ranks; rank++) {
      this.#advance(rank, LATENCY);
      const request = { offset: offset + rank * bytesPerRank, bytes: bytesPerRank };
      this.#push("MPI-IO", kind, rank, file, starts[rank] as number, request, true);
    }
  }

  /** The job ends a little after its last call. */
  plan(program: string, options: Partial<LogPlan> = {}): LogPlan {
    return {
      program,
      jobId: 7000 + this.random.below(1000),
      ranks: this.ranks,
      seconds: this.now + 0.5 + 0.2 * this.random.unit(),
      calls: this.calls,
      layouts: this.layouts,
      mpi: true,
      heatmap: true,
      traces: false,
      recordsPerRankMax: 1024,
      ...options,
    };
  }

  #together(file: string, kind: Call["kind"], below: (rank: number) => void): void {
    const starts = this.#clocks.slice();
    for (let rank = 0; rank < this.ranks; rank++) below(rank);
    this.barrier();
    for (let rank = 0; rank < this.ranks; rank++) {
      this.#push("MPI-IO", kind, rank, file, starts[rank] as number, { offset: 0, bytes: 0 }, true);
    }
  }

  #around(rank: number, file: string, kind: Call["kind"], transfer: Transfer, below: () => void): void {
    const start = this.#clocks[rank] as number;
    this.#advance(rank, 1e-6);
    below();
    this.#advance(rank, 1e-6);
    this.#push("MPI-IO", kind, rank, file, start, transfer, false);
  }

  #call(
    layer: Layer,
    kind: Call["kind"],
    rank: number,
    file: string,
    seconds: number,
    transfer: Transfer = { offset: 0, bytes: 0 },
  ): void {
    const start = this.#clocks[rank] as number;
    this.#advance(rank, seconds);
    this.#push(layer, kind, rank, file, start, transfer, false);
    // What the program does between two calls.
    this.#advance(rank, 1e-6);
  }

  /** The call that began at `start` ends now. */
  #push(
    layer: Layer,
    kind: Call["kind"],
    rank: number,
    file: string,
    start: number,
    { offset, bytes }: Transfer,
    collective: boolean,
  ): void {
    const end = this.#clocks[rank] as number;
    this.calls.push({ layer, kind, rank, file, offset, bytes, start, end, collective });
  }

  /** About this many seconds: up to a tenth more. */
  #advance(rank: number, seconds: number): void {
    this.#clocks[rank] = (this.#clocks[rank] as number) + seconds * (1 + 0.1 * this.random.unit());
  }
}

function duration({ bytes, rate = RATE }: Transfer): number {
  return LATENCY + bytes / rate;
}

/** OSTs from `first` on. */
export function osts(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}
