/** Healthy times of causes that lie in a library above MPI-IO: HDF5 and PnetCDF. */
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import type { CostClaim } from "../rule.ts";
import { largerCalls, type Touched } from "./remedies.ts";

/** The calls below datasets or variables, in the layer that reaches storage, as calls of a megabyte. */
export function largerLibraryCalls(job: Job, objects: readonly LayerRecord[]): CostClaim {
  const files = new Set(objects.map(({ parentId }) => parentId));
  const touched: Touched[] = [];
  for (const fileId of files) {
    const below = job.file(fileId)?.called;
    if (below === undefined) continue;
    const own = objects.filter(({ parentId }) => parentId === fileId);
    if (own.some(({ writes }) => writes > 0)) touched.push({ record: below, way: "write" });
    if (own.some(({ reads }) => reads > 0)) touched.push({ record: below, way: "read" });
  }
  return largerCalls(job, touched);
}
