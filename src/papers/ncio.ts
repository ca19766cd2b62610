/** Ching et al., IPDPS '06: noncontiguous I/O for structured scientific data. */
import { formatRate, formatScaled } from "../base/units.ts";
import {
  claimsOf,
  guidelinesOf,
  METHOD_WORDS,
  PUBLISHED_BANDWIDTHS,
  SweepPoints,
} from "../ncio/judge/index.ts";
import type { NcioSweep } from "../model/index.ts";
import { type Answer, computed, notJudged, type Paper, type PaperItem, parts, unjudged } from "./item.ts";
import type { PaperResults } from "./results.ts";
import { figureItem } from "./study-items.ts";

const COMMAND = "plimsoll ncio sweep -o ncio";
const MANUAL = "docs/ncio.md";

const METHODS = `${COMMAND} | src/ncio/method/methods.test.ts | ${MANUAL}`;
const PATTERNS = `plimsoll ncio | src/ncio/pattern/patterns.test.ts | ${MANUAL}`;
const SERVERS = "plimsoll targets start DIR | test/ncio/targets.test.ts | docs/targets.md";
const RUNS = `${COMMAND} | src/ncio/run/run.test.ts | ${MANUAL}`;
const SYNCS = "plimsoll targets start DIR --sync | test/ncio/targets-sync.test.ts | docs/targets.md";
const LIKE_PAPER = `plimsoll ncio sweep --like-paper | src/ncio/method/methods.test.ts | ${MANUAL}`;

const COMPONENTS = [
  ...parts(`
  component ncio | 4 | NCIO: every method on every case with varied regions
    ${COMMAND} | test/ncio/ncio.long.test.ts | ${MANUAL}
  component posix | 2.1 | POSIX I/O: a request for each region
    ${METHODS}
  component two-phase | 2.2 | Two phase I/O: aggregators, exchange, large requests with sieving
    ${METHODS}
  component sieving | 2.1 | Data sieving; the paper could not measure it
    ${METHODS}
  component list | 2.3 | List I/O: offset-length pairs, 64 in a request
    ${METHODS}
  component datatype | 2.4 | Datatype I/O: one request that describes all regions
    ${COMMAND} | src/ncio/pattern/datatype.test.ts | ${MANUAL}
  component cases | 2 | Cases c-c, nc-c, c-nc and nc-nc
    ${PATTERNS}
  component characteristics | 3 | Region count, region size and region spacing
    ${PATTERNS}
  component defaults | 4 | Defaults: 4,096 regions of 8 bytes, 128 bytes apart | 4,096; 8 B; 128 B
    ${COMMAND} | src/ncio/method/expected.test.ts | ${MANUAL}
  component vector | 4 | Vector datatypes for memory and file, contiguous ones elsewhere
    ${PATTERNS}
  component applications | 1 | Patterns of IPARS and FLASH
    ${PATTERNS}
  component servers | 4.1, 5 | A parallel file system with list and datatype requests, 64 KB strips
    ${SERVERS}
  component trove | 4.2 | Storage of a server with read, write and seek instead of lists | over an order of magnitude in some cases
    ${SERVERS}
  component hints | 4.2 | Methods chosen by hints of MPI-IO
    plimsoll ncio --backend mpiio | test/ncio/advice.test.ts | docs/mpi.md
  component sync | 4 | Sync after every operation, as part of the time
    ${RUNS}
  component repeats | 4 | Six repeats without the highest and the lowest, a delay between runs
    ${RUNS}
  component one-sync | 4 | In two phase one process syncs for all
    ${LIKE_PAPER}
  component flow | 5.1 | Servers that handle 1,024 offset-length pairs at a time
    ${LIKE_PAPER}
  component cut | 2.1, Fig. 2 | Memory and file cut at different places: more requests than regions
    plimsoll ncio --pattern hpio --shape memorySize=12 | src/ncio/method/methods.test.ts | ${MANUAL}
  component blocking-sync | 5.1 | A server that blocks all requests while it syncs
    ${SYNCS}
  component delayed-sync | 7 | Future work: servers delay a sync until pending requests are done
    ${SYNCS}
  component inside | 7 | Future work: two phase that uses list or datatype I/O inside
    plimsoll ncio --method two-phase --inside datatype | src/ncio/method/methods.test.ts | ${MANUAL}
  component late | 6, guideline 7 | Late ranks, and the ranks that wait for them
    plimsoll ncio --late 1 | test/ncio/claims.test.ts | ${MANUAL}
  component advice | 6 | Guidelines as advice for a pattern
    plimsoll ncio advise | test/ncio/advice.test.ts | ${MANUAL}
  figure fig-1 | Fig. 1 | The four cases of access
    ${PATTERNS}
  figure fig-2 | Fig. 2 | Requests of POSIX, list or datatype, and two phase for a pattern
    plimsoll ncio | src/ncio/method/expected.test.ts | ${MANUAL}
  figure fig-3 | Fig. 3 | A pattern from count, size and spacing
    ${PATTERNS}
`),
  unjudged(
    "component",
    "platform",
    "5",
    "The cluster of the experiments: 64 processes on 32 nodes, 16 servers, Myrinet",
    "it belongs to the paper; a sweep names its own machine, ranks and storage in its header",
    [COMMAND, MANUAL],
  ),
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

/** An empty sweep: the guidelines with titles and published numbers only. */
const EMPTY_SWEEP: NcioSweep = {
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

const GUIDELINES = guidelinesOf(EMPTY_SWEEP);

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

/** Bandwidths of single bars in the text. */
const BANDWIDTHS = PUBLISHED_BANDWIDTHS.map((one): PaperItem => {
  const { variable, case: accessCase, method, at, bytesPerSecond, note } = one;
  const name = method === undefined ? "all methods" : METHOD_WORDS[method].label;
  return {
    id: `${variable} ${accessCase} ${method ?? "best"}`,
    kind: "number",
    place: `5, Fig. ${FIGURE_OF[variable]}`,
    title: `Bandwidth in ${accessCase} over region ${variable}, ${name}, ${note}`,
    published: formatScaled(bytesPerSecond, "B/s", 5),
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

/** Relations of sections 4 and 5, each with its published number. */
const CLAIMS = claimsOf(EMPTY_SWEEP).map(
  ({ id, place, title, published }): PaperItem => ({
    id,
    kind: /\d/.test(published) ? "number" : "finding",
    ...{ place, title, published, command: COMMAND, manual: MANUAL },
    answer: ({ ncio }) => {
      if (ncio === undefined) return notJudged("no sweep was given");
      const claim = claimsOf(ncio.sweep).find((one) => one.id === id)!;
      const link = ncio.report === undefined ? {} : { link: `${ncio.report}#claims` };
      if (claim.verdict === "not measured") return { ...notJudged("not measured in this sweep"), ...link };
      const { measured: here, verdict, where } = claim;
      return { here, verdict, because: where, origin: "measured", ...link };
    },
  }),
);

/** Numbers of the text that follow from other numbers in it. */
const ARITHMETIC = (
  [
    [
      "ipars",
      "1",
      "17 variables of 9,000 cells over 10,000 steps",
      "approximately 6.9 GB",
      "6.1 GB of 4-byte variables, 12.2 GB of doubles",
      false,
    ],
    [
      "list-requests",
      "5.1",
      "List requests of a process with 1,048,576 regions",
      "16,384",
      String(1_048_576 / 64),
      true,
    ],
    ["list-bytes", "5.1", "Data of a list request of 8-byte regions", "512 B", `${64 * 8} B`, true],
    ["flow-bytes", "5.1", "Data of 1,024 pairs of 8 bytes", "8 KB", `${(1024 * 8) / 1024} KiB`, true],
    ["stripe", "5", "16 strips of 64 KB", "1 MB", `${(16 * 64) / 1024} MiB`, true],
    [
      "count-data",
      "5.1",
      "Data of a process, 2,048 to 1,048,576 regions of 8 bytes",
      "16 KB to 8 MB",
      `${(2048 * 8) / 1024} KiB to ${(1_048_576 * 8) / 2 ** 20} MiB`,
      true,
    ],
    [
      "size-data",
      "5.2",
      "Data of a process, 4,096 regions of 8 to 4,096 bytes",
      "32 KB to 16 MB",
      `${(4096 * 8) / 1024} KiB to ${(4096 * 4096) / 2 ** 20} MiB`,
      true,
    ],
    [
      "server-data",
      "5.2",
      "Data of a process for each of 16 servers, 4,096 regions of 4,096 bytes",
      "about 1 MB",
      `${(4096 * 4096) / 16 / 2 ** 20} MiB`,
      true,
    ],
    [
      "half-strip",
      "5.3",
      "Data of a process, 4,096 regions of 8 bytes, in strips of 64 KB",
      "half a strip",
      `${(4096 * 8) / 65_536} of a strip`,
      true,
    ],
    [
      "repetition",
      "5.1",
      "64 processes with 8 MB each in 11,014.66 s",
      "0.047 MB/s",
      `${((64 * 8) / 11014.66).toFixed(3)} MiB/s`,
      true,
    ],
  ] as const
).map(([id, place, title, published, here, holds]) =>
  computed(id, place, title, published, here, COMMAND, MANUAL, holds),
);

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
  items: [...COMPONENTS, ...FIGURES, ...FINDINGS, ...NUMBERS, ...BANDWIDTHS, ...CLAIMS, ...ARITHMETIC],
};
