/** Patel et al., FAST '20: access, reuse and sharing of I/O-intensive files. */
import { REUSE_STUDY } from "../analyze/study/reuse/index.ts";
import { computed, type Paper, parts, unjudged } from "./item.ts";
import { figureItem, findingItem, numberItems, type StudyPaper, valueItem } from "./study-items.ts";

const COMMAND = "plimsoll study reuse --store S -o study";
const MANUAL = "docs/study-reuse.md";

const STUDY: StudyPaper<number | bigint> = {
  paper: "reuse",
  kind: REUSE_STUDY,
  command: COMMAND,
  manual: MANUAL,
};

const BY_STUDY = `${COMMAND} | test/analyze/study-reuse.long.test.ts | ${MANUAL}`;

const COMPONENTS = [
  ...parts(`
  component logs | 2.1 | One log per run: user, job, program, times, ranks, counters per file
    plimsoll darshan parse RUN.darshan | test/formats/darshan-truth.test.ts | docs/darshan.md
  component interfaces | 2.1 | Counters by interface (POSIX, MPI-IO, STDIO), with variances over ranks
    plimsoll darshan parse RUN.darshan | src/formats/darshan/stored-accesses.test.ts | docs/darshan.md
  component striping | 2.1 | Stripe width and OSTs of each file
    plimsoll darshan parse RUN.darshan | test/formats/darshan-truth.test.ts | docs/darshan.md
  component corpus | 2.1 | Logs of all users over months, studied together
    plimsoll ingest LOGS --store S | test/ingest/ingest.test.ts | docs/ingest.md
  component method | 4 | The method repeated at another centre, to confirm or refute
    ${BY_STUDY}
  component placement | Findings 1 and 4 | Files by class, for placement on tiers and servers
    ${COMMAND} | test/analyze/study-reuse-outputs.test.ts | ${MANUAL}#a05
  component inactive | Finding 3 | Files to compress while they rest, files to stage in before their next run
    ${COMMAND} | test/analyze/study-reuse-outputs.test.ts | ${MANUAL}#a08
  component replicas | Finding 7 | Read-only files to replicate
    ${COMMAND} | test/analyze/study-reuse-outputs.test.ts | ${MANUAL}#a12
  component migration | Finding 7 | Files that make an OST busy, to move elsewhere
    ${COMMAND} | test/analyze/study-reuse-outputs.test.ts | ${MANUAL}#a12
  `),
  unjudged(
    "component",
    "limits",
    "4",
    "Limits of the logs: sizes of files, overwrites, nodes, users who opted out, more than four months",
    "the paper names them as limits and gives no number; a log has no field for them. The header of the study has the period of the logs",
    [COMMAND, MANUAL],
  ),
  unjudged(
    "component",
    "write-runs",
    "Finding 6",
    "Effect of fewer concurrent write runs",
    "the paper proposes it and gives no result; a cap moves runs in time, and logs do not say which runs could wait. The nearest question, one run fewer, has an answer",
    ["plimsoll sim what-if --store S --remove-run ID", "docs/sim-replay.md"],
  ),
  ...parts(`
  component what-if | 4 | Effect of removing a run, which the paper cannot answer
    plimsoll sim what-if --store S | test/adaptive/sim-what-if.test.ts | docs/simulator.md
  component heat-maps | 2.1 | Figures: heat maps of two values, colour by number of files
    ${COMMAND} | src/plot/charts/density.test.ts | ${MANUAL}
  component cmf | 2.1 | Figures: cumulative shares with a dotted line at the mean
    ${COMMAND} | src/plot/charts/cmf.test.ts | ${MANUAL}
  component violins | 2.1 | Figures: violins with a solid line at the mean
    ${COMMAND} | src/plot/charts/violin.test.ts | ${MANUAL}
  algorithm selection | 2.2 | I/O-intensive files: at least 100 GB moved, at least two runs
    ${BY_STUDY}
  algorithm file-classes | 2.2 | Files in three clusters by data read and written
    ${COMMAND} | src/analyze/study/reuse/cluster.test.ts | ${MANUAL}#a05
  algorithm one-sided | 2.3 | How one-sided a run is: |read - written| / (read + written)
    ${COMMAND} | test/analyze/study-reuse.long.test.ts | ${MANUAL}#a06
  algorithm gaps | 3.1, Fig. 4 | Inter-arrival times of read runs and write runs of a file
    ${COMMAND} | test/analyze/study-reuse.long.test.ts | ${MANUAL}#a07
  algorithm streaks | 3.1, Fig. 4 | Consecutive runs of one type
    ${COMMAND} | test/analyze/study-reuse.long.test.ts | ${MANUAL}#a09
  algorithm normalised-time | 3.2 | I/O time over the longest of the same file, by hour
    ${BY_STUDY}
  algorithm cov | 2.1, 3.2 | Coefficient of variation over runs of a file, and within an hour
    ${BY_STUDY}
  table classes-and-runs | 2.3 | Types of runs by class of the file
    ${COMMAND} | test/analyze/study-reuse-more.test.ts | ${MANUAL}#a17
  algorithm producers | 3.1, finding 5 | Whether each application reads and writes the files that it shares
    ${COMMAND} | test/analyze/study-reuse-more.test.ts | ${MANUAL}#a19
  `),
];

/** Statements of the paper on its data that no log can show. */
const CONDITIONS = [
  unjudged(
    "number",
    "period",
    "1, 2.1",
    "Period of the logs",
    "a study has its own period in its header",
    [COMMAND, MANUAL],
    "four months, October 2017 to January 2018",
  ),
  unjudged(
    "number",
    "season",
    "4",
    "I/O traffic is similar all year",
    "the paper cites it; study system tests months if a store has jobs of a year (B09)",
    ["plimsoll study system --store S -o study", "docs/study-system.md#b09"],
    "no significant seasonal behaviour",
  ),
];

const figure = (id: string, title: string) =>
  figureItem("reuse", `fig-${id}`, `Fig. ${id}`, title, `figure-${id}`, COMMAND, MANUAL);

const FIGURES = [
  ...parts(`
  figure fig-1 | Fig. 1 | Network and storage of the machine
    ${COMMAND} | test/analyze/study-reuse-more.test.ts | ${MANUAL}#a20
  `),
  figure("2", "Data moved per file and number of runs"),
  figure("3a", "Data read and written per file"),
  figure("3b", "One-sidedness of runs"),
  figure("4", "Inter-arrival times and consecutive runs"),
  figure("5a", "Inter-arrival times of read and write runs"),
  figure("5b", "Consecutive runs of a type"),
  figure("6a", "Applications per file"),
  figure("6b", "Inter-arrival times of applications"),
  figure("6c", "Data per run"),
  figure("7", "Data, files, applications and users per OST"),
  figure("8a", "Data per run by interface"),
  figure("8b", "Standard deviation of data over ranks"),
  figure("8c", "Standard deviation of I/O time over ranks"),
  figure("9a", "Data by hour of the day"),
  figure("9b", "I/O time by hour of the day"),
  figure("9c", "Variation of I/O time by hour of the day"),
  figure("10a", "Variation of data from run to run"),
  figure("10b", "Variation of I/O time from run to run"),
];

const finding = (number: number, place: string, title: string, keys: readonly string[]) =>
  findingItem(STUDY, `F${String(number).padStart(2, "0")}`, `Finding ${number}, ${place}`, title, keys);

const FINDINGS = [
  finding(1, "2.2", "Files are read-heavy, write-heavy or both", [
    "A05.readHeavyShare",
    "A05.writeHeavyShare",
    "A05.readWriteShare",
  ]),
  finding(2, "2.3", "Runs do one type of I/O", ["A06.oneSided95"]),
  finding(3, "3.1", "Files are idle for days between runs of a type", [
    "A08.readLongShare",
    "A08.writeLongShare",
  ]),
  finding(4, "3.1", "Data is produced a few times and consumed many times", [
    "A09.readMean",
    "A09.writeMean",
  ]),
  finding(5, "3.1", "Files are shared by several applications", [
    "A10.sharedByTwoOrMore",
    "A10.applicationMeanHours",
  ]),
  finding(6, "3.2", "Write runs move more data than read runs", ["A11.readMeanBytes", "A11.writeMeanBytes"]),
  finding(7, "3.2", "OSTs carry very different loads", ["A12.leastOverMost"]),
  finding(8, "3.2", "Ranks of POSIX runs wait for each other", ["A13.posixSdBytes", "A13.posixBytesPerRun"]),
  finding(9, "3.2", "Busy hours are slow but steady", ["A14.spearman"]),
  finding(10, "3.2", "Bytes repeat, times do not", ["A15.meanCovBytes", "A15.meanCovTime"]),
];

/** Statements of the text without a number, with the value of the study. */
const STATEMENTS = (
  [
    ["A02.below100GB", "2.2, Fig. 2", "Most files move less than 100 GB"],
    ["A02.oneRun", "2.2, Fig. 2", "Most files are accessed by one run only"],
    ["A20.burstBufferShare", "2.1", "Burst buffers have little of the I/O (here: excluded mounts)"],
    ["A17.readHeavyByReads", "2.3", "Read-heavy files are read by read runs (here: share of their runs)"],
    [
      "A17.writeHeavyByWrites",
      "2.3",
      "Write-heavy files are written by write runs (here: share of their runs)",
    ],
    ["A17.bothByReads", "2.3", "Read runs use the other files too (here: share of their runs)"],
    ["A17.bothByWrites", "2.3", "Write runs use the other files too (here: share of their runs)"],
    ["A18.readGapOverRun", "3.1, finding 3", "Read gaps are much longer than runs (here: mean over mean)"],
    ["A18.writeGapOverRun", "3.1, finding 3", "Write gaps are much longer than runs (here: mean over mean)"],
    [
      "A10.filesOfSeveralUsers",
      "3.1",
      "All applications of a file belong to one user (here: files of several users)",
    ],
    [
      "A19.pairsReadAndWrite",
      "3.1, finding 5",
      "Each application reads and writes its shared files (here: share of applications)",
    ],
    ["A12.filesLeastOverMost", "3.2, Fig. 7", "OSTs are more alike in files than in data"],
    ["A12.applicationsLeastOverMost", "3.2, Fig. 7", "OSTs are more alike in applications"],
    ["A12.usersLeastOverMost", "3.2, Fig. 7", "OSTs are more alike in users"],
    ["A13.stdioAccesses", "3.2, Fig. 8", "STDIO is the least used interface (here: accesses)"],
    ["A13.posixSdSeconds", "3.2, Fig. 8(c)", "Times of ranks differ most through POSIX (here: sd)"],
    [
      "A14.slowestHour",
      "3.2, Fig. 9(b)",
      "I/O takes longest in the hours with most data (here: the slowest hour)",
    ],
    [
      "A14.steadiestHour",
      "3.2, Fig. 9(c)",
      "I/O time varies least for runs that start in the hours with most data (here: the steadiest hour)",
    ],
    ["A15.readHeavyMeanCovBytes", "3.2", "Read-heavy files change least in data (here: mean CoV)"],
    ["A16.sequential", "4", "I/O through POSIX is sequential (here: share of calls)"],
  ] as const
).map(([full, place, title]) => valueItem(STUDY, full, place, title));

/** Numbers of the text that follow from other numbers in it. */
const SUMS = (
  [
    [
      "all-bytes",
      "2.1",
      "Bytes read and written of all logs",
      "12.8 PB",
      `${(6.9 + 5.9).toFixed(1)} PB`,
      true,
    ],
    [
      "selected-bytes",
      "2.2",
      "Bytes read and written of the selected files",
      "7.8 PB",
      `${(4.7 + 3.1).toFixed(1)} PB`,
      true,
    ],
    [
      "all-classes",
      "2.2, finding 1",
      "Read-heavy, write-heavy and both together",
      "all files",
      `${22 + 7 + 71} %`,
      true,
    ],
    [
      "read-over-write-runs",
      "3.1",
      "Read runs over write runs, of 69 % and 31 %",
      "2.2×",
      `${(69 / 31).toFixed(1)}×`,
      true,
    ],
    [
      "streak-ratio",
      "3.1, finding 4",
      "Mean read streak over mean write streak, of over 14 and below 4",
      "4.3×",
      `more than ${14 / 4}×`,
      true,
    ],
    [
      "gaps-of-both",
      "3.1",
      "Mean gap of read runs and write runs, of 47 and 55 h",
      "more than 50 h",
      `${(47 + 55) / 2} h; 47 h of read runs is less`,
      true,
    ],
    [
      "shared-classes",
      "3.1",
      "Shared files: both, read-heavy and write-heavy together",
      "all shared files",
      `${86 + 12 + 2} %`,
      true,
    ],
    [
      "posix-spread",
      "3.2",
      "Deviation over ranks relative to the data of a run, POSIX",
      "negligible",
      `${((100 * 1.5) / 260).toFixed(1)} % at most`,
      true,
    ],
  ] as const
).map(([id, place, title, published, here, holds]) =>
  computed(id, place, title, published, here, COMMAND, MANUAL, holds),
);

export const REUSE_PAPER: Paper = {
  id: "reuse",
  short: "Patel et al., FAST '20",
  title:
    "Uncovering Access, Reuse, and Sharing Characteristics of I/O-Intensive Files on Large-Scale Production HPC Systems",
  items: [
    ...COMPONENTS,
    ...CONDITIONS,
    ...FIGURES,
    ...FINDINGS,
    ...STATEMENTS,
    ...numberItems(STUDY),
    ...SUMS,
  ],
};
