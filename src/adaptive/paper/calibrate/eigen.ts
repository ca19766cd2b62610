/** Eigenvalues and eigenvectors of a small symmetric matrix by Jacobi rotations. */
import { assert } from "../../../base/assert.ts";

interface Eigen {
  readonly values: Float64Array;
  /** Column k belongs to value k. */
  readonly vectors: Float64Array[];
}

export const identity = (n: number): Float64Array[] =>
  Array.from({ length: n }, (_, i) => {
    const row = new Float64Array(n);
    row[i] = 1;
    return row;
  });

export function eigen(matrix: readonly Float64Array[]): Eigen {
  const n = matrix.length;
  assert(
    matrix.every((row, i) => row.length === n && row.every((one, j) => one === matrix[j]?.[i])),
    "the matrix is symmetric, and of numbers",
  );
  const a = matrix.map((row) => Float64Array.from(row));
  const vectors = identity(n);
  for (let sweep = 0; sweep < 50; sweep++) {
    let off = 0;
    let diagonal = 0;
    for (let i = 0; i < n; i++) {
      diagonal += a[i]![i]! ** 2;
      for (let j = 0; j < i; j++) off += a[i]![j]! ** 2;
    }
    if (off <= 1e-28 * diagonal) break;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(a, vectors, p, q);
  }
  return { values: Float64Array.from(a, (row, i) => row[i] as number), vectors };
}

function rotate(a: Float64Array[], vectors: Float64Array[], p: number, q: number): void {
  const apq = a[p]![q]!;
  if (apq === 0) return;
  const theta = (a[q]![q]! - a[p]![p]!) / (2 * apq);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < a.length; k++) {
    const row = a[k] as Float64Array;
    const left = row[p] as number;
    const right = row[q] as number;
    row[p] = c * left - s * right;
    row[q] = s * left + c * right;
  }
  const first = a[p] as Float64Array;
  const second = a[q] as Float64Array;
  for (let k = 0; k < a.length; k++) {
    const up = first[k] as number;
    const down = second[k] as number;
    first[k] = c * up - s * down;
    second[k] = s * up + c * down;
  }
  for (const row of vectors) {
    const left = row[p] as number;
    const right = row[q] as number;
    row[p] = c * left - s * right;
    row[q] = s * left + c * right;
  }
}
