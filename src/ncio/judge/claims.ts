/**
 * Statements of the NCIO paper on single curves in sections 4 and 5, with published and measured numbers. Rates depend on the
 * machine, so relations are judged: a claim is confirmed or refuted where the intervals of both points leave no doubt of its
 * direction.
 */
import { formatShare } from "../../base/units.ts";
import type { NcioCase, NcioMethod, NcioPoint, NcioSweep, NcioVariable } from "../../model/index.ts";
import { pairsOf } from "./crossover.ts";
import { Look, type Verdict } from "./guideline.ts";
import { countingRepeats, type Ratio, ratioOf, ratioText, seen } from "./ratio.ts";
import { type At, fastest, SweepPoints } from "./series.ts";
import { timesText, valueText, whereText } from "./words.ts";

export interface Claim {
  readonly id: string;
  readonly place: string;
  readonly title: string;
  readonly published: string;
  /** "not measured" without a value. */
  readonly measured: string;
  /** Measured points. */
  readonly where: string;
  readonly verdict: Verdict;
}

type Found = Pick<Claim, "measured" | "where" | "verdict">;
type Judge = (look: Look) => Found;

const NOT_MEASURED: Found = { measured: "not measured", where: "", verdict: "not measured" };
/** Ours: differences up to 25 % count as equal, as in the guidelines. */
const SAME = 1.25;
/** Ours: sync times have no spread, so only larger factors count as different. */
const SYNC_FACTOR = 1.25;
const MANY_REGIONS = 16_384;

const CLAIMS: readonly (readonly [
  id: string,
  place: string,
  title: string,
  published: string,
  judge: Judge,
])[] = [
  ["S1", "4", "Best bandwidth with sync over the best without", "24 % (389 MB/s of 1.59 GB/s)", syncShare],
  [
    "S2",
    "5.1",
    "c-c: bandwidth grows with the data",
    "grows",
    (look) => overEnds(look, "count", "c-c", "up"),
  ],
  [
    "S3",
    "5.1, Fig. 4",
    "c-c, most data: the fastest direct method over two phase",
    "over 1×: a second transfer",
    directOverTwoPhase,
  ],
  [
    "S4",
    "5.1, Fig. 4",
    "nc-c: datatype I/O falls with many regions",
    "drops: 1,024 pairs at a time",
    (look) => afterPeak(look, "nc-c", 0),
  ],
  ["S5", "5.1, Fig. 4", "c-nc over c-c, best of each", "below 5 %", (look) => shareOfBest(look, 0.05)],
  [
    "S6",
    "5.1, Fig. 4",
    "c-nc: datatype I/O falls beyond 16,384 regions",
    "drops off at about 16,384",
    (look) => afterPeak(look, "c-nc", MANY_REGIONS),
  ],
  [
    "S7",
    "5.1",
    "c-nc, most regions: sync of datatype I/O over that of list I/O",
    "114× (2,061 s over 18 s)",
    syncOfDatatype,
  ],
  [
    "S8",
    "5.1",
    "c-nc, most regions: best of c-c over POSIX",
    "8,277× (389 MB/s over 0.047 MB/s; 11,014.66 s)",
    posixAtMost,
  ],
  [
    "S9",
    "5.1, Fig. 4",
    "nc-nc and c-nc are nearly identical, all methods",
    "nearly 1×",
    (look) => same(look, "count", ["nc-nc", "c-nc"], undefined),
  ],
  [
    "S10",
    "5.2, Fig. 5",
    "c-nc: all methods gain from larger regions",
    "grows",
    (look) => overEnds(look, "size", "c-nc", "up"),
  ],
  [
    "S11",
    "5.3, Fig. 6",
    "nc-c over c-c: datatype I/O",
    "1.01× (23.83 over 23.65 MB/s)",
    (look) => same(look, "spacing", ["nc-c", "c-c"], "datatype"),
  ],
  [
    "S12",
    "5.3, Fig. 6",
    "nc-c over c-c: two phase",
    "0.96× (30.832 over 32.017 MB/s)",
    (look) => same(look, "spacing", ["nc-c", "c-c"], "two-phase"),
  ],
  ["S13", "5.3, Fig. 6", "nc-c over c-c: list I/O", "large drop", (look) => below(look, "list")],
  [
    "S14",
    "5.3, Fig. 6",
    "nc-c: datatype I/O over POSIX",
    "164× (23.83 over at most 0.145 MB/s)",
    datatypeOverPosix,
  ],
  [
    "S15",
    "5.3, Fig. 6",
    "c-nc: two phase leads up to a spacing, then datatype I/O",
    "about 1 KB",
    crossoverAt,
  ],
  [
    "S16",
    "5.3, Fig. 6",
    "c-nc: bandwidth falls with spacing, all methods",
    "falls",
    (look) => overEnds(look, "spacing", "c-nc", "down"),
  ],
  [
    "S17",
    "6, guideline 7",
    "A late rank: time of the others in two phase over their time in the fastest direct method",
    "waiting may take away any benefit",
    lateRanks,
  ],
  [
    "S18",
    "Abstract, 1",
    "The fastest method over the slowest at the same regions, where they differ most",
    "10× to 1,000× (2 orders of magnitude in the abstract, 1 to 3 in the introduction)",
    apartMost,
  ],
] as const;

export function claimsOf(sweep: NcioSweep): Claim[] {
  const points = new SweepPoints(sweep, "native");
  const look = new Look(points, points.judged);
  return CLAIMS.map(([id, place, title, published, judge]) => ({
    ...{ id, place, title, published },
    ...judge(look),
  }));
}

/** Whether the ratio is on the paper's side of 1. */
function directed(ratio: Ratio | undefined, side: "above" | "below", where: string): Found {
  if (ratio === undefined) return NOT_MEASURED;
  const what = seen(ratio);
  const verdict: Verdict = ratio.single
    ? "not enough samples"
    : what === "no difference seen"
      ? what
      : (what === "faster") === (side === "above")
        ? "confirmed"
        : "refuted";
  return { measured: ratioText(ratio), where, verdict };
}

function bestOf(look: Look, accessCase: NcioCase): NcioPoint | undefined {
  return fastest(look.points.methods.flatMap((method) => look.points.of(look.direction, accessCase, method)));
}

function syncShare(look: Look): Found {
  const all = look.points.cases.flatMap((accessCase) =>
    look.points.methods.flatMap((method) => look.points.of(look.direction, accessCase, method)),
  );
  const synced = all.filter(({ syncSeconds }) => syncSeconds > 0);
  const best = fastest(synced);
  if (best === undefined) return NOT_MEASURED;
  const free = Math.max(...all.map((point) => point.bandwidthWithoutSyncBytesPerSecond));
  const share = best.bandwidthBytesPerSecond / free;
  const verdict =
    countingRepeats(best) < 2 ? "not enough samples" : share < 1 / SAME ? "confirmed" : "refuted";
  return { measured: formatShare(share), where: `best with sync: ${whereText(best)}`, verdict };
}

const ends = (series: readonly At[]): readonly [At, At] | undefined =>
  series.length < 2 ? undefined : [series[0] as At, series.at(-1) as At];

/** Last value over first, for the method with the smallest change in the claimed direction. */
function overEnds(look: Look, variable: NcioVariable, accessCase: NcioCase, way: "up" | "down"): Found {
  const found = look.points.methods.flatMap((method) => {
    const pair = ends(look.points.series(look.direction, variable, accessCase, method));
    return pair === undefined ? [] : [{ pair, ratio: ratioOf(pair[1].point, pair[0].point) }];
  });
  if (found.length === 0) return NOT_MEASURED;
  const least = found.reduce((a, b) => ((way === "up") === b.ratio.value < a.ratio.value ? b : a));
  const [from, to] = least.pair;
  const where = `${least.pair[1].point.method}, the smallest of ${found.length} methods: ${valueText(variable, to.value)} over ${valueText(variable, from.value)}`;
  return directed(least.ratio, way === "up" ? "above" : "below", where);
}

function directOverTwoPhase(look: Look): Found {
  const two = look.points.series(look.direction, "count", "c-c", "two-phase").at(-1);
  if (two === undefined) return NOT_MEASURED;
  const regions = look.points.regionsAt("count", two.value);
  const others = look.points.methods.filter((method) => method !== "two-phase");
  const direct = fastest(others.flatMap((method) => look.at("c-c", method, regions) ?? []));
  if (direct === undefined) return NOT_MEASURED;
  return directed(ratioOf(direct, two.point), "above", whereText(direct));
}

/** Most regions over the best up to a region count; 0: over the best of all smaller ones. */
function afterPeak(look: Look, accessCase: NcioCase, upTo: number): Found {
  const series = look.points.series(look.direction, "count", accessCase, "datatype");
  const last = series.at(-1);
  const before = series.filter(({ value }) => value < (last?.value ?? 0) && (upTo === 0 || value <= upTo));
  const peak = fastest(before.map(({ point }) => point));
  if (last === undefined || peak === undefined || last.value <= upTo) return NOT_MEASURED;
  const where = `${valueText("count", last.value)} over ${valueText("count", peak.count)}`;
  return directed(ratioOf(last.point, peak), "below", where);
}

function shareOfBest(look: Look, most: number): Found {
  const [holes, whole] = [bestOf(look, "c-nc"), bestOf(look, "c-c")];
  if (holes === undefined || whole === undefined) return NOT_MEASURED;
  const { value, low, high, single } = ratioOf(holes, whole);
  const verdict: Verdict = single
    ? "not enough samples"
    : high < most
      ? "confirmed"
      : low > most
        ? "refuted"
        : "no difference seen";
  return {
    measured: `${formatShare(value)} (${formatShare(low)} to ${formatShare(high)})`,
    where: `${holes.method}, ${whereText(holes)}; ${whole.method}, ${whereText(whole)}`,
    verdict,
  };
}

function syncOfDatatype(look: Look): Found {
  const types = look.points.series(look.direction, "count", "c-nc", "datatype").at(-1);
  const regions = types && look.points.regionsAt("count", types.value);
  const list = regions && look.at("c-nc", "list", regions);
  if (types === undefined || list === undefined || list.syncSeconds === 0) return NOT_MEASURED;
  const value = types.point.syncSeconds / list.syncSeconds;
  const few = Math.min(countingRepeats(types.point), countingRepeats(list)) < 2;
  const verdict: Verdict = few
    ? "not enough samples"
    : value > SYNC_FACTOR
      ? "confirmed"
      : value < 1 / SYNC_FACTOR
        ? "refuted"
        : "no difference seen";
  const seconds = ({ syncSeconds }: NcioPoint) => `${Number(syncSeconds.toPrecision(3))} s`;
  return {
    measured: `${timesText(value)} (${seconds(types.point)} over ${seconds(list)})`,
    where: whereText(list),
    verdict,
  };
}

/** An order of magnitude, the paper's lower bound. */
const MAGNITUDE = 10;

function apartMost(look: Look): Found {
  const { points, direction } = look;
  const ratios = points.cases.flatMap((accessCase) =>
    points.variables.flatMap((variable) => {
      const all = points.methods.flatMap((method) => points.series(direction, variable, accessCase, method));
      return [...new Set(all.map(({ value }) => value))].flatMap((value) => {
        const here = all.filter((one) => one.value === value).map(({ point }) => point);
        const [first, last] = [fastest(here), slowest(here)];
        return first === undefined || last === undefined || first === last
          ? []
          : [{ ratio: ratioOf(first, last), first, last }];
      });
    }),
  );
  if (ratios.length === 0) return NOT_MEASURED;
  const { ratio, first, last } = ratios.reduce((a, b) => (b.ratio.value > a.ratio.value ? b : a));
  const verdict: Verdict = ratio.single
    ? "not enough samples"
    : ratio.low > MAGNITUDE
      ? "confirmed"
      : ratio.high < MAGNITUDE
        ? "refuted"
        : "no difference seen";
  return {
    measured: ratioText(ratio),
    where: `${first.method} over ${last.method}, ${whereText(last)}`,
    verdict,
  };
}

const slowest = (points: readonly NcioPoint[]): NcioPoint | undefined =>
  points.reduce<NcioPoint | undefined>(
    (slow, point) =>
      slow === undefined || point.bandwidthBytesPerSecond < slow.bandwidthBytesPerSecond ? point : slow,
    undefined,
  );

function posixAtMost(look: Look): Found {
  const posix = look.points.series(look.direction, "count", "c-nc", "posix").at(-1);
  const whole = bestOf(look, "c-c");
  if (posix === undefined || whole === undefined) return NOT_MEASURED;
  return directed(ratioOf(whole, posix.point), "above", whereText(posix.point));
}

/** Within 25 %, or within the spreads, at most points. */
function same(
  look: Look,
  variable: NcioVariable,
  [of, to]: readonly [NcioCase, NcioCase],
  only: NcioMethod | undefined,
): Found {
  const methods = only === undefined ? look.points.methods : [only];
  const ratios = methods.flatMap((method) =>
    look.points.series(look.direction, variable, of, method).flatMap(({ value, point }) => {
      const other = look.at(to, method, look.points.regionsAt(variable, value));
      return other === undefined ? [] : [ratioOf(point, other)];
    }),
  );
  if (ratios.length === 0) return NOT_MEASURED;
  const known = ratios.filter(({ single }) => !single);
  const far = known.filter(
    (ratio) => (ratio.low > 1 && ratio.value > SAME) || (ratio.high < 1 && ratio.value < 1 / SAME),
  );
  const verdict: Verdict =
    known.length < ratios.length
      ? "not enough samples"
      : 2 * far.length > known.length
        ? "refuted"
        : 2 * far.length < known.length
          ? "confirmed"
          : "mixed";
  const mean = Math.exp(ratios.reduce((sum, { value }) => sum + Math.log(value), 0) / ratios.length);
  return {
    measured: `${timesText(mean)} on average, more than 25 % apart in ${far.length} of ${ratios.length}`,
    where: `${of} and ${to}, varied ${variable}`,
    verdict,
  };
}

function below(look: Look, method: NcioMethod): Found {
  const regions = look.points.sweep.defaults;
  const [a, b] = [look.at("nc-c", method, regions), look.at("c-c", method, regions)];
  return a === undefined || b === undefined ? NOT_MEASURED : directed(ratioOf(a, b), "below", whereText(a));
}

function datatypeOverPosix(look: Look): Found {
  const regions = look.points.sweep.defaults;
  const [a, b] = [look.at("nc-c", "datatype", regions), look.at("nc-c", "posix", regions)];
  return a === undefined || b === undefined ? NOT_MEASURED : directed(ratioOf(a, b), "above", whereText(a));
}

function crossoverAt({ points, direction }: Look): Found {
  const pair = pairsOf(points, direction).find(
    (one) =>
      one.variable === "spacing" &&
      one.case === "c-nc" &&
      [one.first, one.second].includes("datatype") &&
      [one.first, one.second].includes("two-phase"),
  );
  if (pair === undefined) return NOT_MEASURED;
  const where = `c-nc, spacing from ${valueText("spacing", pair.range[0])} to ${valueText("spacing", pair.range[1])}`;
  const found = pair.crossovers.find(({ from, to }) => from === "two-phase" && to === "datatype");
  const [other] = pair.crossovers;
  if (found === undefined) {
    const undecided = other === undefined && pair.throughout === "no difference seen";
    const measured = undecided
      ? "no difference seen"
      : other === undefined
        ? `none: ${pair.throughout} leads throughout`
        : `${valueText("spacing", other.at)}, reversed`;
    return { measured, where, verdict: undecided ? "no difference seen" : "refuted" };
  }
  // Spacings double from value to value, so the neighbouring values are the resolution of the sweep.
  const near = found.at >= 512 && found.at <= 2048;
  return { measured: valueText("spacing", found.at), where, verdict: near ? "confirmed" : "refuted" };
}

function lateRanks({ points, direction }: Look): Found {
  const regions = points.sweep.defaults;
  const at = (method: NcioMethod) => points.find(direction, "c-nc", method, regions);
  const two = at("two-phase");
  const direct = points.methods
    .filter((method) => method !== "two-phase")
    .flatMap((method) => at(method) ?? [])
    .filter(({ punctualSeconds }) => punctualSeconds !== undefined)
    .sort((a, b) => (a.punctualSeconds as number) - (b.punctualSeconds as number))[0];
  if (two?.punctualSeconds === undefined || direct?.punctualSeconds === undefined)
    return { ...NOT_MEASURED, where: "needs --late" };
  const value = two.punctualSeconds / direct.punctualSeconds;
  const few = Math.min(countingRepeats(two), countingRepeats(direct)) < 2;
  return {
    measured: timesText(value),
    where: `the last rank ${two.lateSeconds} s late; ${direct.method}, ${whereText(direct)}`,
    verdict: few
      ? "not enough samples"
      : value > SYNC_FACTOR
        ? "confirmed"
        : value < 1 / SYNC_FACTOR
          ? "refuted"
          : "no difference seen",
  };
}
