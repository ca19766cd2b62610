/** Ching et al., IPDPS '06: noncontiguous I/O for structured scientific data. */
import { formatRate } from "../base/units.ts";
import { guidelinesOf, METHOD_WORDS, PUBLISHED_BANDWIDTHS, SweepPoints } from "../ncio/judge/index.ts";
import type { NcioSweep } from "../model/index.ts";
import { type Answer, notJudged, type Paper, type PaperItem, part } from "./item.ts";
import type { PaperResults } from "./results.ts";
import { figureItem } from "./study-items.ts";

const COMMAND = "plimsoll ncio sweep -o ncio";
const MANUAL = "docs/ncio.md";

const METHODS = [COMMAND, "src/ncio/method/methods.test.ts", MANUAL] as const;
const PATTERNS = ["plimsoll ncio", "src/ncio/pattern/patterns.test.ts", MANUAL] as const;
const REQUESTS = ["plimsoll ncio", "src/ncio/method/expected.test.ts", MANUAL] as const;
const SERVERS = ["plimsoll targets start DIR", "test/ncio/targets.test.ts", "docs/targets.md"] as const;
const RUNS = [COMMAND, "src/ncio/run/run.test.ts", MANUAL] as const;

const COMPONENTS = [
  part("component", "ncio", "4", "NCIO: every method on every case with varied regions", RUNS),
  part("component", "posix", "2.1", "POSIX I/O: a request for each region", METHODS),
  part(
    "component",
    "two-phase",
    "2.2",
    "Two phase I/O: aggregators, exchange, large requests with sieving",
    METHODS,
  ),
  part("component", "sieving", "2.1", "Data sieving; the paper could not measure it", METHODS),
  part("component", "list", "2.3", "List I/O: offset-length pairs, 64 in a request", METHODS),
  part("component", "datatype", "2.4", "Datatype I/O: one request that describes all regions", [
    COMMAND,
    "src/ncio/pattern/datatype.test.ts",
    MANUAL,
  ]),
  part("component", "cases", "2", "Cases c-c, nc-c, c-nc and nc-nc", PATTERNS),
  part("component", "characteristics", "3", "Region count, region size and region spacing", PATTERNS),
  part(
    "component",
    "vector",
    "4",
    "Vector datatypes for memory and file, contiguous ones elsewhere",
    PATTERNS,
  ),
  part("component", "applications", "1", "Patterns of IPARS and FLASH", PATTERNS),
  part(
    "component",
    "servers",
    "4.1, 5",
    "A parallel file system with list and datatype requests, 64 KB strips",
    SERVERS,
  ),
  part(
    "component",
    "trove",
    "4.2",
    "Storage of a server with read, write and seek instead of lists",
    SERVERS,
  ),
  part("component", "hints", "4.2", "Methods chosen by hints of MPI-IO", [
    "plimsoll ncio --backend mpiio",
    "test/ncio/advice.test.ts",
    "docs/mpi.md",
  ]),
  part("component", "sync", "4", "Sync after every operation, as part of the time", RUNS),
  part(
    "component",
    "repeats",
    "4",
    "Six repeats without the highest and the lowest, a delay between runs",
    RUNS,
  ),
  part("component", "advice", "6", "Guidelines as advice for a pattern", [
    "plimsoll ncio advise",
    "test/ncio/advice.test.ts",
    MANUAL,
  ]),
  part("figure", "fig-1", "Fig. 1", "The four cases of access", PATTERNS),
  part(
    "figure",
    "fig-2",
    "Fig. 2",
    "Requests of POSIX, list or datatype, and two phase for a pattern",
    REQUESTS,
  ),
  part("figure", "fig-3", "Fig. 3", "A pattern from count, size and spacing", PATTERNS),
];

const FIGURES = (
  [
    [4, "region count"],
    [5, "region size"],
    [6, "region spacing"],
  ] as const
).flatMap(([number, varied]) =>
  ["c-c", "nc-c", "c-nc", "nc-nc"].map((accessCase) =>
    figureItem(
      "ncio",
      `fig-${number}-${accessCase}`,
      `Fig. ${number}, ${accessCase}`,
      `Bandwidth over ${varied}`,
      `figure-${number}-${accessCase}`,
      COMMAND,
      MANUAL,
    ),
  ),
);

/** What the guidelines say before anything was measured: their titles and published numbers. */
const NOTHING: NcioSweep = {
  plimsoll: "ncio-sweep",
  version: 1,
  variables: {},
  defaults: { count: 4096, size: 8, spacing: 128 },
  machine: "",
  startedUnixMs: Number.NaN,
  layout: "",
  complete: false,
  points: [],
};

const GUIDELINES = guidelinesOf(NOTHING);

const FINDINGS = GUIDELINES.map(
  ({ number, title }): PaperItem => ({
    id: `G${number}`,
    kind: "finding",
    place: `6, guideline ${number}`,
    title,
    published: "",
    command: COMMAND,
    manual: MANUAL,
    answer: (results) =>
      judged(results, (guidelines) => {
        const { verdict, statement } = guidelines.find((one) => one.number === number)!;
        return verdict === "not measured"
          ? notJudged(statement)
          : { here: "", verdict, because: statement, origin: "measured" };
      }),
  }),
);

const NUMBERS = GUIDELINES.flatMap(({ number, measures }) =>
  measures
    .filter(({ published }) => published !== "")
    .map(
      ({ label, published }): PaperItem => ({
        id: `G${number} ${label}`,
        kind: "number",
        place: `6, guideline ${number}`,
        title: label,
        published,
        command: COMMAND,
        manual: MANUAL,
        answer: (results) =>
          judged(results, (guidelines) => {
            const measure = guidelines
              .find((one) => one.number === number)
              ?.measures.find((one) => one.label === label);
            if (measure === undefined || measure.ratio === undefined)
              return notJudged("not measured in this sweep");
            const here = measure.where === "" ? measure.measured : `${measure.measured}, ${measure.where}`;
            return notJudged(`other storage; guideline ${number} judges the relation`, here, "measured");
          }),
      }),
    ),
);

const FIGURE_OF = { count: 4, size: 5, spacing: 6 } as const;

/** Bandwidths of single bars that the text gives. */
const BANDWIDTHS = PUBLISHED_BANDWIDTHS.map((one): PaperItem => {
  const { variable, case: accessCase, method, at, bytesPerSecond, note } = one;
  const name = method === undefined ? "all methods" : METHOD_WORDS[method].label;
  return {
    id: `${variable} ${accessCase} ${method ?? "best"}`,
    kind: "number",
    place: `5, Fig. ${FIGURE_OF[variable]}`,
    title: `Bandwidth in ${accessCase} over region ${variable}, ${name}, ${note}`,
    published: formatRate(bytesPerSecond),
    command: COMMAND,
    manual: MANUAL,
    answer: ({ ncio }) => {
      if (ncio === undefined) return notJudged("no sweep was given");
      const points = new SweepPoints(ncio.sweep);
      const found = points.methods
        .filter((of) => method === undefined || of === method)
        .flatMap((of) => points.series("write", variable, accessCase, of))
        .filter(({ value }) => at === undefined || value === at)
        .map(({ point }) => point.bandwidthBytesPerSecond);
      if (found.length === 0) return notJudged("not measured in this sweep");
      const mean = found.reduce((sum, value) => sum + value, 0) / found.length;
      const here = formatRate(note === "mean" ? mean : Math.max(...found));
      const link = ncio.report === undefined ? {} : { link: `${ncio.report}#figure-${FIGURE_OF[variable]}` };
      return {
        ...notJudged("other storage; guidelines judge relations, not rates", here, "measured"),
        ...link,
      };
    },
  };
});

function judged(
  { ncio }: PaperResults,
  answer: (guidelines: ReturnType<typeof guidelinesOf>) => Answer,
): Answer {
  if (ncio === undefined) return notJudged("no sweep was given");
  const given = answer(guidelinesOf(ncio.sweep));
  const inMemory = ncio.sweep.points.some(({ backend }) => backend === "memory" || backend === "null");
  const found = inMemory
    ? { ...given, because: `Measured in memory, not on storage. ${given.because}` }
    : given;
  return ncio.report === undefined ? found : { ...found, link: `${ncio.report}#guidelines` };
}

export const NCIO_PAPER: Paper = {
  id: "ncio",
  short: "Ching et al., IPDPS '06",
  title: "Evaluating I/O Characteristics and Methods for Storing Structured Scientific Data",
  items: [...COMPONENTS, ...FIGURES, ...FINDINGS, ...NUMBERS, ...BANDWIDTHS],
};
