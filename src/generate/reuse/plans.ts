/** What is known of a selected file before its runs are drawn: class, sequence, bytes, variation, spacing. */
import type { Random } from "../../base/prng.ts";
import { EvenSpread, logNormal } from "./distributions.ts";
import { type LiteralGaps, LiteralMode } from "./literal.ts";
import {
  BYTES,
  CLASS_SHARE,
  DATA_COV,
  type FileClass,
  MIN_BYTES,
  RH_RUNS,
  RW,
  type Stratum,
  TRIM,
  WH_RUNS,
} from "./scenario.ts";

/** Dimensions of the even spread over files. */
const CLASS = 0;
const RUNS = 1;
const READS = 2;
const WRITES = 3;
const SIZE = 4;
const SPACING = 5;
const NOISY = 6;
const NOISE = 7;
const SHARING = 8;
const LAYER = 9;
const USER = 10;
const PHASES = 11;

export interface Plan {
  readonly index: number;
  readonly fileClass: FileClass;
  readonly stratum: Stratum;
  /** 1 for each write run, 0 for each read run, in the order of time. */
  readonly writes: Uint8Array;
  readonly bytes: number;
  readonly noise: Noise;
  /** Place in the distribution of spacings, and of what else is decided by an even spread over files. */
  readonly spacing: number;
  readonly sharing: number;
  readonly layer: number;
  readonly user: number;
  /** Only when gaps are those of the literal reading. */
  readonly gaps?: LiteralGaps;
}

/** Variation of bytes from run to run. */
export interface Noise {
  readonly noisy: boolean;
  readonly cov: number;
}

/** Makes the plans of one file after another; a plan hangs on those before it, not on those behind. */
export class Planner {
  readonly #spread: EvenSpread;
  readonly #counts = new Map<string, number>();
  readonly #literal: LiteralMode | undefined;

  constructor(shifts: Random, interArrival: "spread" | "literal") {
    this.#spread = new EvenSpread(Array.from({ length: EvenSpread.dimensions }, () => shifts.unit()));
    this.#literal = interArrival === "literal" ? new LiteralMode(shifts) : undefined;
  }

  plan(index: number): Plan {
    const fileClass = classOf(this.#spread.at(CLASS, index));
    const ofClass = this.#count(fileClass);
    const onePhase = fileClass === "RW" && this.#spread.at(PHASES, ofClass) < RW.onePhase;
    const stratum: Stratum = fileClass !== "RW" ? fileClass : onePhase ? "onePhase" : "phases";
    const within = fileClass === "RW" ? this.#count(stratum) : ofClass;
    const u = (dimension: number) => this.#spread.at(dimension, within);
    const drawn = shapeOf(stratum, u);
    const gaps = this.#literal?.gaps(stratum, drawn);
    const shape =
      gaps === undefined ? drawn : { ...drawn, repeats: Math.min(drawn.repeats, gaps.repeatsMax) };
    const writes = sequenceOf(shape);
    // Files of one shape have spacings of their own: gaps of reads and of writes come from different ones.
    const kind =
      stratum === "onePhase" ? `reads ${shape.r}` : stratum === "phases" ? `writes ${shape.w}` : stratum;
    return {
      index,
      fileClass,
      stratum,
      writes,
      bytes: bytesOf(stratum, writes.length, u(SIZE)),
      noise: this.#noise(fileClass, stratum, within),
      spacing: this.#spread.at(SPACING, this.#count(`spacing: ${kind}`)),
      sharing: u(SHARING),
      layer: u(LAYER),
      user: u(USER),
      ...(gaps === undefined ? {} : { gaps }),
    };
  }

  /** Noisy files have an even spread of their own, since they are few and decide the mean. */
  #noise(fileClass: FileClass, stratum: Stratum, within: number): Noise {
    const share = DATA_COV.noisyShare[fileClass];
    // A quota: of the first k files of a stratum, k times the share are noisy, but for a fraction of one.
    const quota = (files: number) => Math.floor(files * share + this.#spread.at(NOISY, 0));
    const noisy = quota(within + 1) > quota(within);
    const at = this.#spread.at(NOISE, this.#count(`${noisy ? "noisy" : "quiet"}: ${stratum}`));
    if (!noisy) return { noisy, cov: DATA_COV.quiet * at };
    const median = DATA_COV.noisyMean[fileClass] * Math.exp(-0.5 * DATA_COV.sigma ** 2);
    return { noisy, cov: logNormal(at, median, DATA_COV.sigma) };
  }

  /** How many came before. */
  #count(name: string): number {
    const count = this.#counts.get(name) ?? 0;
    this.#counts.set(name, count + 1);
    return count;
  }
}

function classOf(u: number): FileClass {
  if (u < CLASS_SHARE.RH) return "RH";
  return u < CLASS_SHARE.RH + CLASS_SHARE.WH ? "WH" : "RW";
}

/** `repeats` times: w write runs, then r read runs. */
export interface Shape {
  readonly repeats: number;
  readonly w: number;
  readonly r: number;
}

function shapeOf(stratum: Stratum, u: (dimension: number) => number): Shape {
  const count = (of: { median: number; sigma: number }, { min, max }: { min: number; max: number }) =>
    Math.max(min, Math.min(max, Math.round(logNormal(trimmed(u(RUNS)), of.median, of.sigma))));
  switch (stratum) {
    case "RH":
      return { repeats: count(RH_RUNS, RH_RUNS), w: 0, r: 1 };
    case "WH":
      return { repeats: count(WH_RUNS, WH_RUNS), w: 1, r: 0 };
    case "onePhase":
      return { repeats: 1, w: choose(u(WRITES), RW.single.writes), r: choose(u(READS), RW.single.reads) };
    case "phases": {
      const w = u(WRITES) < RW.oneWrite ? 1 : 2;
      return { repeats: count(w === 1 ? RW.phases.oneWrite : RW.phases.twoWrites, RW.phases), w, r: 2 };
    }
  }
}

function sequenceOf({ repeats, w, r }: Shape): Uint8Array {
  const writes = new Uint8Array(repeats * (w + r));
  for (let p = 0; p < repeats; p++) writes.fill(1, p * (w + r), p * (w + r) + w);
  return writes;
}

function choose(u: number, table: readonly (readonly [number, number])[]): number {
  let sum = 0;
  for (const [value, share] of table) if (u < (sum += share)) return value;
  return (table.at(-1) as readonly [number, number])[0];
}

function trimmed(u: number): number {
  return 0.5 + TRIM * (u - 0.5);
}

function bytesOf(stratum: Stratum, n: number, u: number): number {
  const { few, scale, sigma, max } = BYTES;
  const above =
    n <= few.runs && (stratum === "RH" || stratum === "WH")
      ? n * few.perRun[stratum] * logNormal(trimmed(u), 1, few.sigma)
      : scale[stratum] * logNormal(trimmed(u), 1, sigma);
  return Math.min(max, Math.round(MIN_BYTES + above));
}
