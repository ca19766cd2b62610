/** Layouts of files on Lustre, and what size and ranks ask for. */
import { formatBytes } from "../../../base/units.ts";
import type { Job, JobFile } from "../job.ts";
import { SNIPPETS, snippetFor } from "../snippets/index.ts";
import { many, rough } from "./wording.ts";

/** OSTs that a file lies on; with a composite layout those of all components. NaN when the layout is not known. */
export function stripesOf({ osts, stripeCount }: JobFile): number {
  return osts.length > 0 ? new Set(osts).size : stripeCount;
}

/** NERSC's table for shared files: 8 stripes from 1 GB on, 24 from 10 GB, 72 from 100 GB; never more than ranks. */
export function stripesFor(bytes: number, ranks: number): number {
  const wanted = bytes < 1e9 ? 1 : bytes < 10e9 ? 8 : bytes < 100e9 ? 24 : 72;
  return Math.max(1, Math.min(wanted, ranks));
}

export const STRIPES_SOURCE =
  "NERSC's recommendation for shared files (docs.nersc.gov/performance/io/lustre): 8 stripes from 1 GB, 24 from 10 GB, 72 from 100 GB";

/** Ours: 4 MiB suits transfers of several MiB; smaller files keep 1 MiB, long Lustre's default. */
const stripeSizeFor = (bytes: number) => (bytes >= 10e9 ? "4M" : "1M");

/** Stripes of the directory for files that are written, and of the file itself. */
export const setStripe = (job: Job, { path, bytesWritten }: JobFile, bytes: number, stripes: number) =>
  snippetFor(job, SNIPPETS.setStripe, {
    path,
    stripes,
    stripeSize: stripeSizeFor(bytes),
    way: bytesWritten > 0 ? "write" : "read",
  });

/** `1.1 TB / 64 stripes = 17.2 GB for each OST; 64 ranks / 64 stripes = 1 rank for each OST`. */
export function stripeArithmetic(bytes: number, ranks: number, stripes: number): string {
  const over = many(stripes, "stripe");
  return `${formatBytes(bytes)} / ${over} = ${formatBytes(bytes / stripes)} per OST, ${many(ranks, "rank")} / ${over} = ${rough(ranks / stripes)} ${ranks === stripes ? "rank" : "ranks"} per OST`;
}
