/** Lofstead et al., SC '10: variability of I/O, and adaptive writing. */
import { CHECKS } from "../adaptive/paper/checks.ts";
import { MISSED_BECAUSE } from "../adaptive/paper/missed.ts";
import {
  type Answer,
  computed as computedItem,
  notJudged,
  type Paper,
  type PaperItem,
  parts,
  unjudged,
} from "./item.ts";
import type { ReplayOutcome } from "./results.ts";
import { figureItem } from "./study-items.ts";

const COMMAND = "plimsoll sim replay -o replay";
const MANUAL = "docs/sim-replay.md";

const PRINTED =
  "plimsoll write FILE… -o OUT | src/adaptive/protocol/printed-algorithms.test.ts | docs/protocol.md";
const RUN = "plimsoll sim run | src/adaptive/sim/experiments/experiments.test.ts | docs/simulator.md";

const OTHERS =
  "plimsoll sim alternatives | src/adaptive/sim/alternatives/alternatives.test.ts | docs/simulator.md";

const COMPONENTS = [
  ...parts(`
  component write | III | An output method that moves work from slow to fast targets
    plimsoll write FILE… -o OUT | test/adaptive/write.test.ts | docs/write.md
  component roles | III.B, Fig. 4 | Roles: writers, a sub-coordinator for each group and target, one coordinator
    plimsoll write FILE… -o OUT | src/adaptive/protocol/protocol.test.ts | docs/protocol.md
  algorithm algorithm-1 | Algorithm 1 | Writer process
    ${PRINTED}
  algorithm algorithm-2 | Algorithm 2 | Sub-coordinator process
    ${PRINTED}
  algorithm algorithm-3 | Algorithm 3 | Coordinator process
    ${PRINTED}
  component states | III.B.3 | Groups are writing, busy or complete; requests spread evenly over them
    ${PRINTED}
  component simultaneous | III.B.3 | At most SCcount - 1 adaptive writes at a time
    ${PRINTED}
  component one-write | III.B.3 | At most one write to a file at a time
    plimsoll write FILE… -o OUT | src/adaptive/sim/explore/explore.test.ts | docs/protocol.md
  component local-index | III.B | An index for each file, sorted and merged by its sub-coordinator
    plimsoll ls DATASET | src/formats/bp/bp.test.ts | docs/formats/bp.md
  component global-index | III.B.3 | A global index over all files; the paper left it out
    plimsoll ls DATASET | src/cli/dataset/dataset.test.ts | docs/formats/bp.md
  component characteristics | III.B.3 | Min and max of blocks in the index, to search by content
    plimsoll ls DATASET | src/cli/dataset/dataset.test.ts | docs/formats/bp.md
  component read | IV.C | Read any data with one index lookup and one read
    plimsoll read DATASET VARIABLE | src/cli/dataset/dataset.test.ts | docs/formats/bp.md
  component baseline | III.A | Baseline: MPI-IO with one file on 160 targets
    ${RUN}
  component ior | II.1 | IOR with a file per process on fixed targets, with weak scaling
    ${RUN}
  component interference | IV | A program that writes continuously to eight targets
    plimsoll interfere | src/cli/interfere.test.ts | docs/write.md
  component machines | II | Jaguar, Franklin and XTP as models
    plimsoll sim replay --only table1 | src/adaptive/sim/machines/machine.test.ts | docs/simulator.md
  component imbalance | II.2 | Imbalance factor: slowest over fastest write time
    plimsoll sim run | src/adaptive/steps/adaptive.test.ts | docs/simulator.md
  component stagger | I, V | File opens staggered to spare the metadata server
    plimsoll write FILE… -o OUT | src/adaptive/sim/host/host.test.ts | docs/write.md
  component flush | IV | Flush before close; times of write, flush and close alone
    plimsoll write FILE… -o OUT | src/adaptive/runtime/runtime.test.ts | docs/write.md
  component workloads | IV.A, IV.B | Output of Pixie3D (2, 128, 1024 MB) and XGC1 (38 MB)
    ${RUN}
  component generalised | III.B.3 | Several writers for a target at a time
    plimsoll write FILE… -o OUT | src/adaptive/sim/host/host.test.ts | docs/write.md
  component past-usage | VI | Future work: methods that take past use into account
    plimsoll write FILE… -o OUT | src/adaptive/sim/host/host.test.ts | docs/write.md
  component asynchronous | II.3 | Alternative: asynchronous output, limited by memory
    ${OTHERS}
  component staging | II.3 | Alternative: data staging, with adaptive writing inside
    ${OTHERS}
  component split | II.3 | Alternative: output split into as many files as cover all targets
    ${OTHERS}
  component franklin-xtp | VI | Future work: adaptive writing on Franklin and XTP
    ${OTHERS}
  component opens | VI | Future work: variability of file opens, staggered or at once
    ${OTHERS}
  component baseline-real | III.A | Real MPI-IO: one file shared by all ranks, flushed and closed
    plimsoll write --method mpi-io --workload ior | test/adaptive/mpi-write.long.test.ts | docs/write.md
  table table-1 | Table I | Variability of hourly tests on three machines | 469, 2581, 400 and 320 tests
    ${COMMAND} | src/adaptive/paper/published.test.ts | ${MANUAL}
  figure fig-4 | Fig. 4 | Organisation of writers, sub-coordinators and coordinator
    plimsoll write --dry-run FILE… | src/adaptive/protocol/protocol.test.ts | docs/protocol.md
`),
  unjudged(
    "number",
    "output",
    "I",
    "Restart and analysis data of petascale codes: how often, and how much of each process",
    "it describes applications of that time; sizes and intervals are options here",
    ["plimsoll sim alternatives", MANUAL],
    "every 15 or 30 minutes; 64 to 200 MB",
  ),
  unjudged(
    "number",
    "capacities",
    "I, II",
    "Storage and memory of the machines, in addition to targets and cores",
    "no experiment depends on it, so the models omit it",
    ["plimsoll sim run", "docs/simulator.md"],
    "Jaguar 10 PB, 16 GB a node; Franklin 436 TB, 38,128 cores; XTP 61 TB",
  ),
  unjudged(
    "number",
    "samples",
    "II.1, IV",
    "Samples behind each bar: Fig. 1, and Figs. 5 to 7",
    "the number of samples is a choice, not a result; the replay uses 40 and 10 by default (--samples)",
    [COMMAND, MANUAL],
    "40; at least 5",
  ),
  unjudged(
    "finding",
    "mpi-trends",
    "II.4",
    "MPI-IO shows the same trends with inferior performance",
    "the paper omits the measurements; the replay has MPI-IO on 160 targets in Figs 5 to 7, for other sizes and counts",
    [COMMAND, MANUAL],
  ),
];

const figure = (id: string, title: string) =>
  figureItem("adaptive", `fig-${id}`, `Fig. ${id}`, title, `fig-${id}`, COMMAND, MANUAL);

const FIGURES = [
  figure("1a", "Internal interference: aggregate bandwidth"),
  figure("1b", "Internal interference: bandwidth per writer"),
  figure("2a", "Hourly tests: Jaguar"),
  figure("2b", "Hourly tests: Franklin"),
  figure("2c", "Hourly tests: XTP with two jobs"),
  figure("2d", "Hourly tests: XTP with one job"),
  figure("3a", "Write times of one test"),
  figure("3b", "Write times three minutes later"),
  figure("5a", "Pixie3D, 2 MB"),
  figure("5b", "Pixie3D, 128 MB"),
  figure("5c", "Pixie3D, 1 GB"),
  figure("6", "XGC1, 38 MB"),
  figure("7a", "Standard deviation of the write time: Pixie3D, 2 MB"),
  figure("7b", "Standard deviation of the write time: Pixie3D, 128 MB"),
  figure("7c", "Standard deviation of the write time: Pixie3D, 1 GB"),
  figure("7d", "Standard deviation of the write time: XGC1"),
];

const NUMBERS = CHECKS.map(
  ({ id, place, claim, published }): PaperItem => ({
    id,
    kind: /falls|less|lower|no fall|no penalty|quite large/.test(published) ? "finding" : "number",
    place,
    title: claim,
    published,
    command: COMMAND,
    manual: MANUAL,
    answer: ({ adaptive }) => checkAnswer(adaptive, id),
  }),
);

const computed = (id: string, place: string, title: string, published: string, here: string): PaperItem =>
  computedItem(id, place, title, published, here, COMMAND, MANUAL);

/** Table I has mean and deviation in MB/s, and a "covariance"; the replay compares mean and covariance. */
const DEVIATIONS = (
  [
    ["Jaguar", 17_800, 60.09, 10_700],
    ["Franklin", 6220, 40.22, 2500],
    ["XTP with two jobs", 789, 43.68, 344],
    ["XTP with one job", 1440, 8.86, 128],
  ] as const
).map(([machine, mean, percent, published], index) =>
  computed(
    `E${index + 1} deviation`,
    "Table I",
    `${machine}: standard deviation, as ${percent} % of the mean`,
    `${published} MB/s`,
    `${Number(((mean * percent) / 100).toPrecision(3))} MB/s`,
  ),
);

/** Numbers of the text that follow from other numbers in it. */
const ARITHMETIC = [
  ...DEVIATIONS,
  computed(
    "more-targets",
    "IV.A",
    "Targets of the adaptive method over those of MPI-IO",
    "3.2×",
    `${512 / 160}×`,
  ),
  computed("xl-bytes", "I", "Output of 16,384 processes of 1 GB", "16 TB", `${(16384 * 1024) / 2 ** 20} TiB`),
  computed(
    "five-files",
    "II.3",
    "Files that cover 672 targets with 160 each",
    "5",
    `${Math.ceil(672 / 160)}`,
  ),
  computed(
    "cubes",
    "IV.A",
    "Eight arrays of doubles in cubes of 32, 128 and 256",
    "2 MB, 128 MB, 1 GB",
    [32, 128, 256].map((edge) => `${(8 * 8 * edge ** 3) / 2 ** 20} MiB`).join(", "),
  ),
  computed(
    "twice",
    "II.2",
    "Data for the faster target in the time of the slower, at a factor of 1.86",
    "nearly twice as much",
    "1.86×",
  ),
  computed("small-cache", "IV.A", "32 writes of 2 MB on a target", "32 × 2 MB, below 2 GB", `${32 * 2} MB`),
  computed(
    "openmp",
    "IV.A",
    "128 MB of a process over the 12 cores of a node",
    "approximately 10 MB",
    `${(128 / 12).toFixed(1)} MB`,
  ),
  computed(
    "coordinator",
    "III.B",
    "Sub-coordinators that the coordinator manages at full scale",
    "672",
    "672",
  ),
];

function checkAnswer(outcome: ReplayOutcome | undefined, id: string): Answer {
  if (outcome === undefined) return notJudged("no replay was given");
  const check = outcome.checks.find((one) => one.id === id);
  if (check === undefined) return notJudged(`${outcome.source} has no check ${id}`);
  const link =
    outcome.report === undefined ? {} : { link: `${outcome.report}#file=${encodeURIComponent(id)}` };
  if (check.verdict === "not run" || check.verdict.startsWith("not enough"))
    return { ...notJudged(`${check.verdict} in ${outcome.source}`, check.measured), ...link };
  const because = check.verdict === "missed" ? (MISSED_BECAUSE[id] ?? "") : "";
  return { here: check.measured, verdict: check.verdict, because, origin: "simulated", ...link };
}

export const ADAPTIVE_PAPER: Paper = {
  id: "adaptive",
  short: "Lofstead et al., SC '10",
  title: "Managing Variability in the IO Performance of Petascale Storage Systems",
  items: [...COMPONENTS, ...FIGURES, ...NUMBERS, ...ARITHMETIC],
};
