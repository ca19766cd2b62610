/** Load of the OSTs that the files of a job lie on. */
import type { JobFile, OstLoad } from "./job.ts";
import { OstSums } from "./traced-osts.ts";

/** From traces where they know the stripes; otherwise the load of each file is spread evenly over the stripes it reached. */
export function ostLoads(files: readonly JobFile[], traced: ReadonlyMap<number, OstSums>): OstLoad[] {
  const sums = new Map<number, OstSums>(traced.size > 0 ? traced : undefined);
  const filesOn = new Map<number, number>();
  for (const file of files) {
    const { osts } = file;
    if (osts.length === 0) continue;
    const used = reachedOsts(file);
    for (const ost of used) filesOn.set(ost, (filesOn.get(ost) ?? 0) + 1);
    if (traced.size > 0) continue;
    const posix = file.layers.get("POSIX");
    const stdio = file.layers.get("STDIO");
    const calls = (posix?.reads || 0) + (posix?.writes || 0) + (stdio?.reads || 0) + (stdio?.writes || 0);
    const seconds =
      (posix?.readSeconds || 0) +
      (posix?.writeSeconds || 0) +
      (stdio?.readSeconds || 0) +
      (stdio?.writeSeconds || 0);
    const share = 1 / used.length;
    for (const ost of used) {
      let one = sums.get(ost);
      if (one === undefined) sums.set(ost, (one = new OstSums()));
      one.bytesRead += (file.bytesRead || 0) * share;
      one.bytesWritten += (file.bytesWritten || 0) * share;
      one.seconds += seconds * share;
      one.calls += calls * share;
    }
  }
  for (const ost of filesOn.keys()) if (!sums.has(ost)) sums.set(ost, new OstSums());
  return [...sums]
    .map(
      ([ost, { bytesRead, bytesWritten, seconds, calls }]): OstLoad => ({
        ost,
        files: filesOn.get(ost) ?? 0,
        bytesRead,
        bytesWritten,
        seconds,
        calls,
        source: traced.size > 0 ? "trace" : "files",
      }),
    )
    .sort((a, b) => a.ost - b.ost);
}

/** A file smaller than its stripes reaches only the first of them. */
function reachedOsts({ osts, stripeBytes, layers }: JobFile): readonly number[] {
  const posix = layers.get("POSIX") ?? layers.get("STDIO");
  const end = Math.max(posix?.maxByteRead || 0, posix?.maxByteWritten || 0) + 1;
  if (!(stripeBytes > 0) || !(end > 1)) return osts;
  return osts.slice(0, Math.max(1, Math.min(osts.length, Math.ceil(end / stripeBytes))));
}
