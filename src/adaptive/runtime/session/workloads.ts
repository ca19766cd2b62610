/** Synthetic output of the programs in the adaptive I/O paper: their sizes and shapes, not their values. */
import { assert } from "../../../base/assert.ts";
import { type BpType, bpTypeOfName } from "../../../formats/bp/index.ts";
import { type ArraySpec, type DatasetPlan, planArrays } from "../plan/dataset-plan.ts";

interface Workload {
  readonly help: string;
  /** Output of each process. */
  arrays(scale: number): ArraySpec[];
}

const double = bpTypeOfName("float64") as BpType;
const byte = bpTypeOfName("uint8") as BpType;
const scaled = (size: number, scale: number) => Math.max(1, Math.round(size * scale));

/** Pixie3D writes eight arrays of doubles, a cube of each per process. */
const pixie3d = (side: number, help: string): Workload => ({
  help,
  arrays: (scale) =>
    Array.from({ length: 8 }, (_, i) => ({
      name: `v${i + 1}`,
      type: double,
      dimensions: [scaled(side, scale), side, side],
    })),
});

const MIB = 1 << 20;

export const WORKLOADS: Readonly<Record<string, Workload>> = {
  "pixie3d-small": pixie3d(32, "2 MiB per process"),
  "pixie3d-large": pixie3d(128, "128 MiB per process"),
  "pixie3d-xl": pixie3d(256, "1 GiB per process"),
  xgc1: {
    help: "38 MiB per process",
    arrays: (scale) => [{ name: "particles", type: double, dimensions: [scaled((38 * MIB) / 8, scale)] }],
  },
  ior: {
    help: "128 MiB of bytes per process",
    arrays: (scale) => [{ name: "data", type: byte, dimensions: [scaled((128 * MIB) / 8, scale) * 8] }],
  },
};

export function planWorkload(name: string, processes: number, scale: number): DatasetPlan {
  const workload = WORKLOADS[name];
  assert(workload !== undefined && processes > 0, "a workload of the table, and at least one process");
  const arrays = workload.arrays(scale);
  const bytes = arrays.reduce(
    (sum, { type, dimensions }) => sum + dimensions.reduce((product, size) => product * size, type.size),
    0,
  );
  const sources = Array.from({ length: processes }, (_, rank) => ({ path: `${name} rank ${rank}`, bytes }));
  return planArrays(arrays, sources);
}
