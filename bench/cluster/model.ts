/** Costs as straight lines over the number of accesses, and what they say of sizes that nobody measured. */
import type { Step } from "./measure.ts";

const LARGE = 10e9;
const CORES = 1000;

export function printModel(steps: readonly Step[]): void {
  console.log(
    "\nCPU seconds = fixed + per access x accesses, fitted to the sizes above (all tasks together)",
  );
  console.log(
    `step\tfixed s\tper access us\tlargest residual\t${LARGE} accesses: CPU s\ton ${CORES} cores: s`,
  );
  for (const name of new Set(steps.map((step) => step.name))) {
    const points = steps.filter((step) => step.name === name);
    const { fixed, each } = line(points);
    const off = Math.max(
      ...points.map((one) => Math.abs(fixed + each * one.accesses - one.cpuSeconds) / one.cpuSeconds),
    );
    const large = fixed + each * LARGE;
    // What is one process stays one.
    const spread = name.endsWith("map") ? large / CORES : large;
    console.log(
      [
        name,
        fixed.toFixed(2),
        (each * 1e6).toFixed(2),
        `${Math.round(100 * off)} %`,
        Math.round(large),
        Math.round(spread),
      ].join("\t"),
    );
  }
}

/** By least squares of relative errors, so that the small sizes count as much as the large; through zero where one size is all. */
function line(points: readonly Step[]): { fixed: number; each: number } {
  let [w, wx, wy, wxx, wxy] = [0, 0, 0, 0, 0];
  for (const { accesses: x, cpuSeconds: y } of points) {
    const weight = 1 / Math.max(y, 0.01) ** 2;
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
  }
  const each = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  const fixed = (wy - each * wx) / w;
  // A cost below zero for nothing is noise.
  return points.length > 1 && fixed >= 0 ? { fixed, each } : { fixed: 0, each: wxy / wxx };
}
