/** The OST that takes much longer than the others for the same load, if there is one. */
import type { Job, OstLoad } from "../job.ts";
import { bytesMoved, heaviest, median } from "./measures.ts";
import { realFiles } from "./per-job.ts";

interface SlowTarget {
  readonly ost: number;
  readonly seconds: number;
  readonly bytes: number;
  /** Seconds per byte over those of the median target. */
  readonly ratio: number;
  /** Seconds beyond what the median target would have taken, summed over ranks. */
  readonly excess: number;
  /** Seconds per byte of the median target. */
  readonly typical: number;
  /** Targets that were compared. */
  readonly compared: number;
  /** Ranks that met it, at least. */
  readonly ranks: number;
  readonly source: OstLoad["source"];
}

export function slowestTarget(
  job: Job,
  limits: { readonly ratio: number; readonly osts: number; readonly ranks: number },
): SlowTarget | undefined {
  const meanBytes = job.osts.reduce((total, ost) => total + bytesMoved(ost), 0) / job.osts.length;
  // A few bytes take as long as their latency and say nothing of a target.
  const loads = job.osts.filter(
    (ost) => bytesMoved(ost) >= 0.1 * meanBytes && ost.seconds > 0 && ost.calls > 0,
  );
  if (loads.length < limits.osts) return undefined;
  const perByte = (ost: OstLoad) => ost.seconds / bytesMoved(ost);
  const perCall = (ost: OstLoad) => bytesMoved(ost) / ost.calls;
  const readShare = (ost: OstLoad) => ost.bytesRead / bytesMoved(ost);
  const typical = median(loads.map(perByte));
  const slow = heaviest(loads, perByte);
  const ratio = perByte(slow) / typical;
  // Smaller calls, or reads where the others have writes, take longer on any target.
  const alike =
    perCall(slow) >= 0.5 * median(loads.map(perCall)) &&
    Math.abs(readShare(slow) - median(loads.map(readShare))) <= 0.25;
  const ranks = ranksOn(job, slow.ost);
  if (!(ratio >= limits.ratio && alike && ranks >= limits.ranks)) return undefined;
  const bytes = bytesMoved(slow);
  return {
    ost: slow.ost,
    seconds: slow.seconds,
    bytes,
    ratio,
    excess: slow.seconds - typical * bytes,
    typical,
    compared: loads.length,
    ranks,
    source: slow.source,
  };
}

function ranksOn(job: Job, ost: number): number {
  const ranks = new Set<number>();
  let most = 0;
  for (const { osts, called } of realFiles(job)) {
    if (!osts.includes(ost)) continue;
    most = Math.max(most, called.ranks);
    ranks.add(called.slowestRank);
  }
  return Math.max(most, ranks.size);
}
