/** Parameters that a calibration may change, with their ranges. The others keep the machine's values. */

import { assert } from "../../../base/assert.ts";
import { withParameters, type Machine } from "../../sim/machines/index.ts";
import { PARAMETER_NAMES, PARAMETERS, type ParameterName } from "../../sim/storage/index.ts";

interface Dimension {
  readonly name: ParameterName;
  readonly low: number;
  readonly high: number;
  /** Equal steps are equal ratios. */
  readonly log: boolean;
}

const ratio = (name: ParameterName, low: number, high: number): Dimension => ({ name, low, high, log: true });
const linear = (name: ParameterName, low: number, high: number): Dimension => ({
  name,
  low,
  high,
  log: false,
});

/** Published: 180 MB/s per target, 60 to 90 GB/s of network, stripes of 4 to 160 targets. */
const JAGUAR: readonly Dimension[] = [
  linear("diskFloor", 0.15, 0.8),
  ratio("diskHalf", 1.5, 40),
  linear("diskPower", 0.6, 3),
  ratio("ingestRate", 120, 500),
  linear("ingestFloor", 0.1, 1),
  ratio("ingestHalf", 2, 160),
  linear("ingestPower", 0.6, 4),
  linear("networkRate", 60000, 90000),
  ratio("clientRate", 70, 250),
  ratio("dirtyLimit", 70, 400),
  ratio("opOverhead", 0.01, 0.4),
  ratio("lightStreams", 0.05, 3),
  ratio("lightSeconds", 1, 60),
  ratio("lightRate", 8, 100),
  linear("lightSpread", 0, 1.5),
  ratio("heavyJobs", 0.05, 6),
  ratio("heavyStreams", 1, 60),
  linear("heavySpread", 0, 1.4),
  ratio("heavySeconds", 2, 600),
  linear("runSpread", 0.1, 1.8),
  linear("backgroundGrip", 0, 0.6),
  linear("speedSd", 0.02, 0.4),
  ratio("degradedShare", 3e-4, 0.004),
  linear("degradedMin", 0.1, 0.6),
  linear("sharedFactor", 1, 1.8),
  linear("sharedFloor", 0.3, 1),
  ratio("sharedHalf", 0.3, 20),
  linear("sharedPower", 0.6, 8),
  linear("sharedBytes", 0, 12),
  linear("sharedHidden", 0, 1),
];

const FRANKLIN: readonly Dimension[] = [
  ratio("diskRate", 100, 400),
  ratio("clientRate", 100, 400),
  ratio("lightStreams", 0.05, 3),
  ratio("heavyJobs", 0.02, 3),
  ratio("heavyStreams", 1, 30),
  linear("runSpread", 0.1, 1.8),
  linear("speedSd", 0.02, 0.3),
];

const XTP: readonly Dimension[] = [
  ratio("diskRate", 20, 80),
  ratio("diskHalf", 10, 2000),
  linear("runSpeedSd", 0.01, 0.2),
  linear("speedSd", 0, 0.1),
  ratio("jobWeight", 0.3, 3),
  linear("jobWeightSpread", 0.1, 2),
];

const SPACES: Readonly<Record<string, readonly Dimension[]>> = {
  jaguar: JAGUAR,
  franklin: FRANKLIN,
  xtp: XTP,
};

/**
 * The search space of a machine: from the table for the paper's machines, otherwise the parameters whose origin in its file is
 * "calibrated", each from 1/4 to 4 times its value.
 */
export function spaceOf(machine: Machine): readonly Dimension[] {
  const known = SPACES[machine.name];
  if (known !== undefined) return known;
  const free = PARAMETER_NAMES.filter((name) => machine.origins[name] === "calibrated");
  return free.map((name) => {
    const { min, max } = PARAMETERS[name];
    const value = machine.parameters[name];
    if (value <= 0) return linear(name, min, Math.min(max, 1));
    return ratio(name, Math.max(min, value / 4) || value / 4, Math.min(max, value * 4));
  });
}

export function pointOf(machine: Machine, space: readonly Dimension[]): Float64Array {
  return Float64Array.from(space, ({ name, low, high, log }) => {
    assert(low < high && (!log || low > 0), "the upper bound of a dimension is above the lower bound");
    const value = Math.min(high, Math.max(low, machine.parameters[name]));
    return log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  });
}

export function machineAt(machine: Machine, space: readonly Dimension[], point: Float64Array): Machine {
  assert(point.length === space.length, "a point has a value per dimension");
  const changes: Partial<Record<ParameterName, number>> = {};
  space.forEach(({ name, low, high, log }, i) => {
    const share = point[i] as number;
    assert(share >= 0 && share <= 1, "a point lies in the cube");
    const value = log ? low * (high / low) ** share : low + share * (high - low);
    // Four digits are finer than the data resolves, and keep files readable.
    changes[name] = Number(value.toPrecision(4));
  });
  return withParameters(machine, changes);
}
