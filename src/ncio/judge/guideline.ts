/** A guideline, and the comparisons that judge it. */
import type { NcioCase, NcioMethod, NcioPoint } from "../../model/index.ts";
import { middle, type Ratio, ratioOf, ratioText, type Tally, tally } from "./ratio.ts";
import { type Direction, fastest, type Regions, type SweepPoints } from "./series.ts";
import { timesText, whereText } from "./words.ts";

export type Verdict =
  | "confirmed"
  | "refuted"
  | "no difference seen"
  | "mixed"
  | "not enough samples"
  | "not measured";

/** A published number and its measured value. */
export interface Measure {
  readonly label: string;
  readonly published: string;
  /** The measured point nearest to the paper's. */
  readonly where: string;
  readonly measured: string;
  readonly ratio?: Ratio;
}

export interface Guideline {
  readonly number: number;
  readonly title: string;
  readonly verdict: Verdict;
  /** The result, with its numbers. */
  readonly statement: string;
  readonly tally: Tally;
  readonly measures: readonly Measure[];
}

/** Pairs of points on the same regions. */
export class Look {
  readonly points: SweepPoints;
  readonly direction: Direction;

  constructor(points: SweepPoints, direction: Direction) {
    this.points = points;
    this.direction = direction;
  }

  at(accessCase: NcioCase, method: NcioMethod, regions: Regions): NcioPoint | undefined {
    return this.points.find(this.direction, accessCase, method, regions);
  }

  /** For all patterns of these cases: the fastest of some methods over the fastest of others. */
  compare(
    cases: readonly NcioCase[],
    of: readonly NcioMethod[],
    to: readonly NcioMethod[],
    where: (regions: Regions) => boolean = () => true,
  ): Ratio[] {
    return cases.flatMap((accessCase) =>
      this.points
        .regions(this.direction, accessCase)
        .filter((regions) => where(regions) && isApart(accessCase, regions))
        .flatMap((regions) => {
          const best = (methods: readonly NcioMethod[]) =>
            fastest(methods.flatMap((method) => this.at(accessCase, method, regions) ?? []));
          const [a, b] = [best(of), best(to)];
          return a === undefined || b === undefined ? [] : [ratioOf(a, b)];
        }),
    );
  }

  /** A published factor, at the measured value that is nearest to the paper's. */
  atCount(
    label: string,
    published: string,
    accessCase: NcioCase,
    [of, to]: readonly [NcioMethod, NcioMethod],
    count: number,
  ): Measure {
    const a = this.points.series(this.direction, "count", accessCase, of);
    const b = this.points.series(this.direction, "count", accessCase, to);
    const both = a.filter(({ value }) => b.some((one) => one.value === value));
    const near = nearest(
      both.map(({ value }) => value),
      count,
    );
    const one = both.find(({ value }) => value === near)?.point;
    const other = b.find(({ value }) => value === near)?.point;
    return measure(label, published, one, other);
  }
}

export function measure(
  label: string,
  published: string,
  of: NcioPoint | undefined,
  to: NcioPoint | undefined,
): Measure {
  if (of === undefined || to === undefined) return { label, published, where: "", measured: "not measured" };
  const ratio = ratioOf(of, to);
  const where = of.case === to.case ? whereText(of) : `${of.case} and ${whereText(to)}`;
  return { label, published, where, measured: ratioText(ratio), ratio };
}

/** At equal distance the later one. */
function nearest(values: readonly number[], wanted: number): number | undefined {
  const far = (value: number) => Math.abs(Math.log(value / wanted));
  return values.reduce<number | undefined>(
    (best, one) => (best === undefined || far(one) <= far(best) ? one : best),
    undefined,
  );
}

/** Adjacent regions in memory are one: then nc-c is really c-c. In the file ranks are interleaved. */
const isApart = (accessCase: NcioCase, { size, spacing: apart }: Regions): boolean =>
  accessCase !== "nc-c" || apart > size;

export function verdictOf({ faster, slower, open, few, all }: Tally): Verdict {
  if (all === 0) return "not measured";
  if (2 * faster > all) return "confirmed";
  if (2 * slower > all) return "refuted";
  // Patterns with a single repetition could decide the majority.
  if (2 * (Math.max(faster, slower, open) + few) > all && few > 0) return "not enough samples";
  return 2 * open > all ? "no difference seen" : "mixed";
}

/** `Datatype I/O is faster than POSIX in 20 of 24 patterns, …; the median factor is 12× (9 to 15), from 0.9× to 300×.` */
export function sentence(what: string, than: string, ratios: readonly Ratio[], of = "patterns"): string {
  const { faster, slower, open, few, all } = tally(ratios);
  const usual = middle(ratios);
  if (usual === undefined) return "Not measured.";
  const values = ratios.map(({ value }) => value);
  const counts = [
    `${what} is faster than ${than} in ${faster} of ${all} ${of}`,
    ...(slower > 0 ? [`slower in ${slower}`] : []),
    ...(open > 0 ? [`no difference seen in ${open}`] : []),
    ...(few > 0 ? [`not enough repetitions in ${few}`] : []),
  ].join(", ");
  const range =
    all > 1 ? `, all from ${timesText(Math.min(...values))} to ${timesText(Math.max(...values))}` : "";
  return `${counts.charAt(0).toUpperCase()}${counts.slice(1)}; the median factor is ${ratioText(usual)}${range}.`;
}

/** For the middle of a sentence; names such as POSIX stay. */
export const lower = (text: string): string =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

export function rangeText(series: readonly { readonly value: number }[] | undefined): string {
  return `${series?.[0]?.value} B and ${series?.at(-1)?.value} B`;
}
