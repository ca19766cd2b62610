/** All results of a sweep in one value. */
import type { NcioMethod, NcioSweep } from "../../model/index.ts";
import { type Claim, claimsOf } from "./claims.ts";
import { type Leaders, leadersOf, type Pair, pairsOf } from "./crossover.ts";
import type { Guideline, Verdict } from "./guideline.ts";
import { guidelinesOf } from "./guidelines.ts";
import { methodName } from "./methods.ts";
import { countingRepeats, ENOUGH_REPEATS, factor, ratioOf } from "./ratio.ts";
import { type Direction, fastest, SweepPoints } from "./series.ts";

export interface SweepVerdict {
  /** The verdict in one sentence. */
  readonly verdict: string;
  /** Judged direction: writes, unless only reads were measured. */
  readonly direction: Direction;
  readonly guidelines: readonly Guideline[];
  /** Numbers and curves of its sections 4 and 5. */
  readonly claims: readonly Claim[];
  /** For both directions, if both were measured. */
  readonly leaders: readonly Leaders[];
  readonly pairs: readonly Pair[];
  /** Cautions for the reader. */
  readonly cautions: readonly string[];
}

export function judgeSweep(sweep: NcioSweep): SweepVerdict {
  const points = new SweepPoints(sweep, "native");
  const guidelines = guidelinesOf(sweep);
  return {
    verdict: verdictText(points, guidelines),
    direction: points.judged,
    guidelines,
    claims: claimsOf(sweep),
    leaders: points.directions.flatMap((direction) => leadersOf(points, direction)),
    pairs: points.directions.flatMap((direction) => pairsOf(points, direction)),
    cautions: cautionsOf(sweep),
  };
}

function verdictText(points: SweepPoints, guidelines: readonly Guideline[]): string {
  const count = (verdict: Verdict) => guidelines.filter((one) => one.verdict === verdict).length;
  const parts = (
    ["confirmed", "refuted", "no difference seen", "mixed", "not enough samples", "not measured"] as const
  )
    .filter((verdict) => count(verdict) > 0)
    .map((verdict) => `${count(verdict)} ${verdict}`);
  const guideText = `Of the paper's ${guidelines.length} guidelines: ${parts.join(", ")}.`;
  const wins = winners(points);
  if (wins === undefined) return `No noncontiguous pattern was measured with two methods. ${guideText}`;
  return `${wins} ${guideText}`;
}

/** The method that is fastest most often on noncontiguous files, and the cost of POSIX there. */
function winners(points: SweepPoints): string | undefined {
  const direction = points.judged;
  const won = new Map<NcioMethod, number>();
  let [all, most] = [0, 0];
  for (const accessCase of ["c-nc", "nc-nc"] as const)
    for (const regions of points.regions(direction, accessCase)) {
      const found = points.methodsAt(direction, accessCase, regions);
      const best = fastest(found);
      if (best === undefined || found.length < 2) continue;
      all++;
      won.set(best.method, (won.get(best.method) ?? 0) + 1);
      const posix = found.find(({ method }) => method === "posix");
      if (posix !== undefined) most = Math.max(most, ratioOf(best, posix).value);
    }
  const [first] = [...won].sort((a, b) => b[1] - a[1]);
  if (first === undefined) return undefined;
  const [method, times] = first;
  const cost = most > 1 ? `; one POSIX call per region is up to ${factor(most)} times slower` : "";
  return `With a noncontiguous file ${methodName(method)} is the fastest to ${direction} in ${times} of ${all} patterns${cost}.`;
}

function cautionsOf({ points, complete }: NcioSweep): string[] {
  const found: string[] = [];
  if (!complete) found.push("The sweep is not finished: missing points count as not measured.");
  const fewest = Math.min(...points.map(countingRepeats));
  if (fewest < 2)
    found.push(
      "Only one counted repetition per point, so its spread is unknown: ±25 % is assumed, and such points confirm and refute nothing. Use --repeats 6 to measure spreads.",
    );
  else if (fewest < ENOUGH_REPEATS)
    found.push(
      `Only ${fewest} counted repetitions per point, so spreads are widened. Use --repeats 6 to measure spreads.`,
    );
  if (points.some(({ backend }) => backend === "null" || backend === "memory"))
    found.push("Back end memory: bandwidths show the cost of the methods, not of storage.");
  const modes = [...new Set(points.flatMap((point) => point.modes ?? []))];
  if (modes.length > 0) found.push(`Not the default storage and methods: ${modes.join("; ")}.`);
  if (points.some(({ verified }) => !verified)) found.push("Not every point was verified byte by byte.");
  const wrong = points.filter(
    ({ requests, expectedRequests: expected }) =>
      requests !== null && expected !== null && requests !== expected,
  );
  if (wrong.length > 0)
    found.push(`${wrong.length} points differ from the formulas in the number of requests; see the table.`);
  return [...found, ...new Set(points.flatMap(({ notes }) => notes))];
}
