import { describe, expect, it } from "vitest";
import { Random } from "../../../base/prng.ts";
import { CmaSearch } from "./cma.ts";
import { eigen } from "./eigen.ts";

describe("eigen", () => {
  it("takes a symmetric matrix apart into orthogonal vectors and their values", () => {
    const n = 12;
    const random = new Random(5);
    const matrix = Array.from({ length: n }, () => new Float64Array(n));
    for (let i = 0; i < n; i++)
      for (let j = 0; j <= i; j++) matrix[i]![j] = matrix[j]![i] = 2 * random.unit() - 1;
    const { values, vectors } = eigen(matrix);
    for (let k = 0; k < n; k++)
      for (let i = 0; i < n; i++) {
        let product = 0;
        for (let j = 0; j < n; j++) product += matrix[i]![j]! * vectors[j]![k]!;
        expect(product).toBeCloseTo(values[k]! * vectors[i]![k]!, 10);
      }
    let trace = 0;
    for (let i = 0; i < n; i++) trace += matrix[i]![i]!;
    expect(values.reduce((sum, one) => sum + one, 0)).toBeCloseTo(trace, 10);
  });
});

describe("CmaSearch", () => {
  const minimise = (loss: (point: Float64Array) => number, n: number, generations: number) => {
    const search = new CmaSearch(new Float64Array(n).fill(0.8), 0.2, 1);
    for (let i = 0; i < generations; i++)
      search.tell(search.ask().map((point) => ({ point, loss: loss(CmaSearch.inCube(point)) })));
    return search;
  };

  it("finds the bottom of a narrow, turned valley", () => {
    const loss = (x: Float64Array) => {
      let sum = 0;
      for (let i = 0; i + 1 < x.length; i++) sum += 100 * (x[i + 1]! - x[i]! ** 2) ** 2 + (0.5 - x[i]!) ** 2;
      return sum + 100 * (x[0]! - 0.5) ** 2;
    };
    const search = minimise((x) => loss(x) - loss(new Float64Array([0.5, 0.25, 0.0625, 0.00390625])), 4, 150);
    expect(search.best!.loss).toBeLessThan(1e-3);
    expect(search.step).toBeLessThan(0.05);
  });

  it("stays in the cube and reaches a corner", () => {
    const search = minimise((x) => x.reduce((sum, one) => sum + one, 0), 6, 200);
    expect(search.best!.loss).toBeLessThan(0.01);
    expect(Math.min(...search.centre)).toBeGreaterThanOrEqual(0);
  });

  it("gives the same search for the same seed", () => {
    const loss = (x: Float64Array) => Math.hypot(...x.map((one) => one - 0.3));
    expect(minimise(loss, 5, 10).centre).toEqual(minimise(loss, 5, 10).centre);
  });
});
