/**
 * The seven guidelines of A. Ching and others, "Evaluating I/O Characteristics and Methods for Storing Structured Scientific
 * Data" (IPDPS '06), section 6, each judged by the points of a sweep. A guideline holds when more than half of its patterns
 * show it by more than their spreads; it is refuted when more than half show the opposite.
 */
import { formatCount } from "../../base/units.ts";
import type { NcioCase, NcioMethod, NcioPoint, NcioSweep } from "../../model/index.ts";
import {
  type Guideline,
  Look,
  lower,
  type Measure,
  measure,
  rangeText,
  sentence,
  type Verdict,
  verdictOf,
} from "./guideline.ts";
import { METHOD_ORDER, methodName } from "./methods.ts";
import { middle, type Ratio, ratioOf, ratioText, tally } from "./ratio.ts";
import { fastest, type Regions, SweepPoints } from "./series.ts";
import { timesText, whereText } from "./words.ts";

/** Ours: a difference of at most 25 % is small. */
const LITTLE = 1.25;
/** The paper: more than this are many. */
const MANY_REGIONS = 16_384;
/** Ours: a region is small when it is below a sector. */
const SMALL_BYTES = 512;

export function guidelinesOf(sweep: NcioSweep): Guideline[] {
  const points = new SweepPoints(sweep, "native");
  const look = new Look(points, points.judged);
  return [interfaces, datatype, largeRegions, spacing, memory, manyRegions, twoPhaseCost].map((judge) =>
    judge(look),
  );
}

const NONCONTIGUOUS: readonly NcioCase[] = ["nc-c", "c-nc", "nc-nc"];
const FILE_HOLES: readonly NcioCase[] = ["c-nc", "nc-nc"];
const OF_MPI: readonly NcioMethod[] = ["sieving", "list", "datatype", "two-phase"];

function interfaces(look: Look): Guideline {
  const ratios = look.compare(NONCONTIGUOUS, OF_MPI, ["posix"]);
  const counted = tally(ratios);
  return {
    number: 1,
    title: "Use MPI-IO for noncontiguous access instead of one POSIX call per region",
    verdict: verdictOf(counted),
    statement:
      ratios.length === 0
        ? "No noncontiguous pattern was measured with POSIX and another method."
        : sentence("the fastest other method", "POSIX", ratios),
    tally: counted,
    measures: [
      look.atCount("two phase over POSIX", "260×", "nc-nc", ["two-phase", "posix"], 4096),
      ...best("the largest gain of any method over POSIX", look, OF_MPI),
    ],
  };
}

/** The pattern with the largest factor over POSIX. */
function best(label: string, look: Look, methods: readonly NcioMethod[]): Measure[] {
  const all = NONCONTIGUOUS.flatMap((accessCase) =>
    look.points.regions(look.direction, accessCase).flatMap((regions) => {
      const posix = look.at(accessCase, "posix", regions);
      return methods.flatMap((method) => {
        const point = look.at(accessCase, method, regions);
        return point === undefined || posix === undefined ? [] : [{ point, posix }];
      });
    }),
  );
  if (all.length === 0) return [];
  const most = all.reduce((a, b) =>
    ratioOf(b.point, b.posix).value > ratioOf(a.point, a.posix).value ? b : a,
  );
  return [measure(`${label} (${methodName(most.point.method)})`, "", most.point, most.posix)];
}

function datatype(look: Look): Guideline {
  const ratios = look.compare(NONCONTIGUOUS, ["datatype"], ["posix", "list"]);
  const counted = tally(ratios);
  const silent = look.points.methods.includes("datatype")
    ? ""
    : "This storage has no datatype requests, or they were not measured.";
  const sieving = look.compare(NONCONTIGUOUS, ["datatype"], ["sieving"]);
  const beside =
    sieving.length === 0
      ? ""
      : ` Data sieving, which the paper could not measure: ${lower(sentence("datatype I/O", "it", sieving))}`;
  return {
    number: 2,
    title: "Of the methods that need no other ranks, choose datatype I/O",
    verdict: verdictOf(counted),
    statement:
      silent !== "" ? silent : sentence("datatype I/O", "the faster of POSIX and list I/O", ratios) + beside,
    tally: counted,
    measures: [
      look.atCount("datatype over list I/O", "90×", "nc-c", ["datatype", "list"], 131_072),
      look.atCount("datatype I/O over POSIX", "over 800×", "nc-c", ["datatype", "posix"], 131_072),
    ],
  };
}

function largeRegions(look: Look): Guideline {
  const { points, direction } = look;
  const ends = FILE_HOLES.flatMap((accessCase) =>
    points.methods.flatMap((method) => {
      const series = points.series(direction, "size", accessCase, method);
      return series.length < 2 ? [] : [{ series, method, accessCase }];
    }),
  );
  const larger = ends.map(({ series }) =>
    ratioOf((series.at(-1) as { point: NcioPoint }).point, (series[0] as { point: NcioPoint }).point),
  );
  const perMethod = spokenOf(look)
    .filter((method) => method !== "posix")
    .map((method) => ({ method, ratios: acrossSizes(look, method) }))
    .filter(({ ratios }) => ratios.length > 0 || points.methods.length === 0);
  const moved = perMethod.flatMap(({ ratios }) => ratios);
  const parts = [verdictOf(tally(larger)), verdictOf(tally(moved))].filter((one) => one !== "not measured");
  const texts = [
    ...(larger.length === 0
      ? []
      : [
          `From the smallest to the largest region size (${rangeText(ends[0]?.series)}): ${lower(sentence("the largest", "the smallest", larger, "methods and cases"))}`,
        ]),
    ...(moved.length === 0
      ? []
      : [`A contiguous file: ${lower(sentence("nc-c", "c-nc", moved, "methods and region sizes"))}`]),
  ];
  return {
    number: 3,
    title: "Group writes into larger file regions",
    verdict:
      parts.length === 0
        ? "not measured"
        : parts.every((one) => one === parts[0])
          ? (parts[0] as Verdict)
          : "mixed",
    statement: texts.length === 0 ? "Region size was not varied." : texts.join(" "),
    tally: tally([...larger, ...moved]),
    measures: perMethod.map(({ method, ratios }) => {
      const ratio = middle(ratios);
      return {
        label: `nc-c over c-nc with ${methodName(method)}`,
        published: method === "sieving" ? "" : "2× to 4×",
        ...(ratio === undefined
          ? { where: "", measured: "not measured" }
          : { where: "middle of the region sizes", measured: ratioText(ratio), ratio }),
      };
    }),
  };
}

/** nc-c over c-nc at each size. */
function acrossSizes({ points, direction }: Look, method: NcioMethod): Ratio[] {
  const holes = points.series(direction, "size", "c-nc", method);
  return points.series(direction, "size", "nc-c", method).flatMap(({ value, point }) => {
    const other = holes.find((one) => one.value === value)?.point;
    return other === undefined ? [] : [ratioOf(point, other)];
  });
}

function spacing(look: Look): Guideline {
  const { points, direction } = look;
  const all = FILE_HOLES.flatMap((accessCase) =>
    points.methods.flatMap((method) => {
      const series = points.series(direction, "spacing", accessCase, method);
      return series.length < 2 ? [] : [series];
    }),
  );
  const ratios = all.map((series) =>
    ratioOf((series[0] as { point: NcioPoint }).point, (series.at(-1) as { point: NcioPoint }).point),
  );
  const pair = points.series(direction, "spacing", "c-nc", "two-phase");
  const [near, far] = [512, 1024].map((value) => pair.find((one) => one.value === value)?.point);
  const counted = tally(ratios);
  return {
    number: 4,
    title: "Reduce the spacing between file regions",
    verdict: verdictOf(counted),
    statement:
      ratios.length === 0
        ? "Spacing was not varied."
        : `From the largest to the smallest spacing (${rangeText(all[0])}): ${lower(sentence("the smallest", "the largest", ratios, "methods and cases"))}`,
    tally: counted,
    measures: [measure("two phase, spacing of 512 B over 1,024 B", "1.85×", near, far)],
  };
}

function memory(look: Look): Guideline {
  const ratios = look.points.methods.flatMap((method) =>
    look.points
      .regions(look.direction, "nc-nc")
      .filter(({ size, spacing: apart }) => apart > size)
      .flatMap((regions) => {
        const [a, b] = [look.at("nc-nc", method, regions), look.at("c-nc", method, regions)];
        return a === undefined || b === undefined ? [] : [ratioOf(a, b)];
      }),
  );
  const known = ratios.filter(({ single }) => !single);
  const large = known.filter((ratio) => isLarge(ratio));
  const all = ratios.length;
  const little = known.length - large.length;
  const usual = middle(ratios);
  return {
    number: 5,
    title: "Noncontiguous memory makes little difference when the file is noncontiguous",
    verdict:
      all === 0
        ? "not measured"
        : 2 * little > all
          ? "confirmed"
          : 2 * large.length > all
            ? "refuted"
            : known.length < all
              ? "not enough samples"
              : "mixed",
    statement:
      usual === undefined
        ? "The cases c-nc and nc-nc were not both measured."
        : `nc-nc and c-nc differ by at most 25 %, or by less than their spreads, in ${little} of ${all} methods and patterns; the median factor of nc-nc over c-nc is ${ratioText(usual)}.`,
    tally: tally(ratios),
    measures: [
      {
        label: "nc-nc over c-nc, median of all methods",
        published: "nearly 1×",
        where: usual === undefined ? "" : "all patterns",
        ...(usual === undefined
          ? { measured: "not measured" }
          : { measured: ratioText(usual), ratio: usual }),
      },
    ],
  };
}

/** By more than the spreads, and by more than 25 %. */
function isLarge({ value, low, high }: Ratio): boolean {
  return (low > 1 && value > LITTLE) || (high < 1 && value < 1 / LITTLE);
}

function manyRegions(look: Look): Guideline {
  const many = ({ count, size }: Regions) => count > MANY_REGIONS && size < SMALL_BYTES;
  const others = look.points.methods.filter((method) => method !== "two-phase");
  const ratios = look.compare(FILE_HOLES, ["two-phase"], others, many);
  const counted = tally(ratios);
  const most = Math.max(0, ...look.points.sweep.points.map(({ count }) => count));
  const below = look.compare(FILE_HOLES, ["two-phase"], others, ({ size }) => size < SMALL_BYTES);
  const seenBelow =
    below.length === 0
      ? ""
      : ` Up to there: ${lower(sentence("two phase", "the fastest other method", below))}`;
  return {
    number: 6,
    title: "For more than 16,384 small noncontiguous file regions use two phase",
    verdict: verdictOf(counted),
    statement:
      ratios.length === 0
        ? `No pattern with more than ${formatCount(MANY_REGIONS)} regions per rank was measured with two phase and another method; the maximum is ${formatCount(most)}.${seenBelow}`
        : sentence("two phase", "the fastest other method", ratios),
    tally: counted,
    measures: individual(look).map((method) =>
      look.atCount(
        `two phase over ${methodName(method)}`,
        method === "sieving" ? "" : "over 1×",
        "c-nc",
        ["two-phase", method],
        32_768,
      ),
    ),
  };
}

const individual = (look: Look): NcioMethod[] => spokenOf(look).filter((method) => method !== "two-phase");

/** Methods of a sweep; all methods if it has no points, so that published numbers can be listed before measurements. */
const spokenOf = ({ points }: Look): readonly NcioMethod[] =>
  points.methods.length === 0 ? METHOD_ORDER : points.methods;

function twoPhaseCost(look: Look): Guideline {
  const others = individual(look);
  const ratios = look.compare(["c-c"], others, ["two-phase"]);
  const counted = tally(ratios);
  const regions = look.points.sweep.defaults;
  const own = look.at("c-c", "two-phase", regions);
  const direct = fastest(others.flatMap((method) => look.at("c-c", method, regions) ?? []));
  const both = own !== undefined && direct !== undefined;
  return {
    number: 7,
    title: "Consider the cost of two phase: a second transfer, and ranks that wait for each other",
    verdict: verdictOf(counted),
    statement:
      ratios.length === 0
        ? "Contiguous access (c-c) was not measured with two phase and another method."
        : `Where there is nothing to join (c-c): ${lower(sentence("the fastest direct method", "two phase", ratios))} Ranks start together here, so these numbers do not include waiting for late ranks, of which the paper warns.`,
    tally: counted,
    measures: [
      measure(
        "direct over two phase, c-c",
        "0.74× at 32 KB per rank (23.65 over 32.02 MB/s); over 1× with more",
        direct,
        own,
      ),
      {
        label: "the same without the sync",
        published: "",
        where: both ? whereText(direct) : "",
        measured: both
          ? timesText(direct.bandwidthWithoutSyncBytesPerSecond / own.bandwidthWithoutSyncBytesPerSecond)
          : "not measured",
      },
      {
        label: "sync of two phase over that of the direct method",
        published: "0.55× (0.0391 s over 0.0705 s)",
        where: both ? whereText(direct) : "",
        measured:
          both && direct.syncSeconds > 0 && own.syncSeconds > 0
            ? timesText(own.syncSeconds / direct.syncSeconds)
            : "not measured",
      },
    ],
  };
}
