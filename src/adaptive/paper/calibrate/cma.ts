/**
 * CMA-ES (Hansen and Ostermeier): a search without derivatives that learns which parameters move together. Points live in the
 * unit cube; points outside are mirrored back. One generation at a time, so that a caller can stop, save and continue.
 */

import { assert } from "../../../base/assert.ts";
import { Random } from "../../../base/prng.ts";
import { normal } from "../../sim/storage/index.ts";
import { eigen, identity } from "./eigen.ts";

interface Candidate {
  readonly point: Float64Array;
  readonly loss: number;
}

export class CmaSearch {
  readonly dimensions: number;
  readonly population: number;
  best: Candidate | undefined;
  generation = 0;

  readonly #random: Random;
  readonly #weights: readonly number[];
  readonly #muEff: number;
  readonly #centre: Float64Array;
  readonly #pathSigma: Float64Array;
  readonly #pathC: Float64Array;
  #step: number;
  #covariance: Float64Array[];
  #axes: Float64Array[];
  #lengths: Float64Array;

  constructor(start: Float64Array, step: number, seed: number) {
    const n = start.length;
    this.dimensions = n;
    this.population = 4 + Math.floor(3 * Math.log(n));
    this.#random = new Random(seed);
    const raw = Array.from(
      { length: this.population >> 1 },
      (_, i) => Math.log((this.population + 1) / 2) - Math.log(i + 1),
    );
    const total = raw.reduce((sum, one) => sum + one, 0);
    this.#weights = raw.map((one) => one / total);
    assert(n > 0 && this.#weights.length > 0, "a search has a dimension and parents");
    this.#muEff = 1 / this.#weights.reduce((sum, one) => sum + one * one, 0);
    this.#centre = Float64Array.from(start);
    this.#pathSigma = new Float64Array(n);
    this.#pathC = new Float64Array(n);
    this.#step = step;
    this.#covariance = identity(n);
    this.#axes = identity(n);
    this.#lengths = new Float64Array(n).fill(1);
  }

  get step(): number {
    return this.#step;
  }

  get centre(): Float64Array {
    return Float64Array.from(this.#centre, mirrored);
  }

  /** Points of the next generation; give each one's loss to `tell`. */
  ask(): Float64Array[] {
    return Array.from({ length: this.population }, () => {
      const z = Float64Array.from(this.#lengths, (length) => length * normal(this.#random));
      const moved = times(this.#axes, z);
      return Float64Array.from(this.#centre, (value, i) => value + this.#step * (moved[i] as number));
    });
  }

  /** Where a point of `ask` lies in the cube. */
  static inCube(point: Float64Array): Float64Array {
    return point.map(mirrored);
  }

  tell(candidates: readonly Candidate[]): void {
    assert(candidates.length === this.population, "losses are given for a whole generation");
    const sorted = [...candidates].sort((a, b) => a.loss - b.loss);
    const first = sorted[0] as Candidate;
    if (this.best === undefined || first.loss < this.best.loss) this.best = first;
    const n = this.dimensions;
    const steps = this.#weights.map((_, i) =>
      Float64Array.from(sorted[i]!.point, (value, j) => (value - this.#centre[j]!) / this.#step),
    );
    const mean = new Float64Array(n);
    this.#weights.forEach((weight, i) => {
      for (let j = 0; j < n; j++) mean[j]! += weight * steps[i]![j]!;
    });
    for (let j = 0; j < n; j++) this.#centre[j]! += this.#step * mean[j]!;
    this.#adapt(mean, steps);
    this.generation++;
  }

  #adapt(mean: Float64Array, steps: readonly Float64Array[]): void {
    const n = this.dimensions;
    const mu = this.#muEff;
    const cSigma = (mu + 2) / (n + mu + 5);
    const damping = 1 + 2 * Math.max(0, Math.sqrt((mu - 1) / (n + 1)) - 1) + cSigma;
    const cPath = (4 + mu / n) / (n + 4 + (2 * mu) / n);
    const cOne = 2 / ((n + 1.3) ** 2 + mu);
    const cMu = Math.min(1 - cOne, (2 * (mu - 2 + 1 / mu)) / ((n + 2) ** 2 + mu));
    const expected = Math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    const white = this.#whitened(mean);
    const grow = Math.sqrt(cSigma * (2 - cSigma) * mu);
    for (let j = 0; j < n; j++) this.#pathSigma[j] = (1 - cSigma) * this.#pathSigma[j]! + grow * white[j]!;
    const length = Math.hypot(...this.#pathSigma);
    const settled = Math.sqrt(1 - (1 - cSigma) ** (2 * (this.generation + 1)));
    const stall = length / settled < (1.4 + 2 / (n + 1)) * expected ? 1 : 0;
    const reach = stall * Math.sqrt(cPath * (2 - cPath) * mu);
    for (let j = 0; j < n; j++) this.#pathC[j] = (1 - cPath) * this.#pathC[j]! + reach * mean[j]!;
    const keep = 1 - cOne - cMu + (1 - stall) * cOne * cPath * (2 - cPath);
    for (let i = 0; i < n; i++)
      for (let j = 0; j <= i; j++) {
        let value = keep * this.#covariance[i]![j]! + cOne * this.#pathC[i]! * this.#pathC[j]!;
        this.#weights.forEach((weight, k) => {
          value += cMu * weight * steps[k]![i]! * steps[k]![j]!;
        });
        this.#covariance[i]![j] = value;
        this.#covariance[j]![i] = value;
      }
    this.#step = Math.min(0.5, this.#step * Math.exp((cSigma / damping) * (length / expected - 1)));
    assert(this.#step > 0, "a search moves");
    const { values, vectors } = eigen(this.#covariance);
    this.#axes = vectors;
    this.#lengths = values.map((value) => Math.sqrt(Math.max(value, 1e-20)));
  }

  /** C^(-1/2) times a vector. */
  #whitened(vector: Float64Array): Float64Array {
    const n = this.dimensions;
    const inside = new Float64Array(n);
    for (let k = 0; k < n; k++) {
      for (let j = 0; j < n; j++) inside[k]! += this.#axes[j]![k]! * vector[j]!;
      inside[k]! /= this.#lengths[k]!;
    }
    return times(this.#axes, inside);
  }
}

function times(matrix: readonly Float64Array[], vector: Float64Array): Float64Array {
  return Float64Array.from(matrix, (row) =>
    row.reduce((sum, one, j) => sum + one * (vector[j] as number), 0),
  );
}

/** Into [0, 1] by reflection at both ends. */
function mirrored(value: number): number {
  const folded = Math.abs(value) % 2;
  return folded > 1 ? 2 - folded : folded;
}
