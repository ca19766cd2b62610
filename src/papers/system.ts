/** Paul et al. 2020: application I/O from system level statistics. */
import { formatCount } from "../base/units.ts";
import { SYSTEM_STUDY, type SystemPublished } from "../analyze/study/system/index.ts";
import { computed, type Paper, parts } from "./item.ts";
import { figureItem, findingItem, numberItems, type StudyPaper, valueItem } from "./study-items.ts";

const COMMAND = "plimsoll study system --store S -o study";
const MANUAL = "docs/study-system.md";

const STUDY: StudyPaper<SystemPublished> = {
  paper: "system",
  kind: SYSTEM_STUDY,
  command: COMMAND,
  manual: MANUAL,
};

const BY_STUDY = `${COMMAND} | test/analyze/study-system.long.test.ts | ${MANUAL}`;

const COMPONENTS = [
  ...parts(`
  component client-counters | III-A | Counters of clients before and after a job (prolog and epilog)
    plimsoll collect client | test/collect/client.test.ts | docs/collect.md
  component wrap | III-A | Counters that wrap at 2^63 - 1 or are reset
    plimsoll lustre parse FILE | src/formats/lustre/delta.test.ts | docs/formats/lustre.md
  component job-totals | III-A | Counters of nodes summed to the job
    plimsoll ingest SAMPLES --store S | src/store/job-totals.test.ts | docs/store.md
  component lnet | III-A | Bytes that the nodes of a job sent and received over LNet
    plimsoll ingest SAMPLES --store S | src/store/job-totals.test.ts | docs/store-tables.md
  component scheduler | III-A | Start, end, duration, user and nodes of jobs from Slurm
    plimsoll ingest SACCT.txt --store S | src/formats/slurm/slurm.test.ts | docs/formats/slurm.md
  component server-counters | III-B | JobStats of MDS and OSS, one sample a minute
    plimsoll collect server | test/collect/server.test.ts | docs/collect.md
  component influx | III-B | Samples of Telegraf's lustre2 plugin from InfluxDB
    plimsoll ingest DUMP.csv --store S | test/ingest/telegraf.test.ts | docs/ingest.md
  component anonymous | III-A | User ids made anonymous
    plimsoll darshan convert --obfuscate RUN.darshan | src/cli/darshan/obfuscate.test.ts | docs/darshan.md
  component recommendations | V | Lessons that apply here, as recommendations
    ${COMMAND} | test/analyze/study-system.long.test.ts | ${MANUAL}#b18
  component hours | V-A, V-B | Hours in which I/O contends, to avoid
    plimsoll quiet-hours --store S | test/analyze/load-quiet.test.ts | docs/load.md
  component light-jobs | IV-F | Light jobs scheduled next to heavy users, tested on the recorded queue
    ${COMMAND} | src/analyze/study/system/scheduling.test.ts | ${MANUAL}#b19
  component forgotten-jobs | III-B | A job without requests for 600 s is dropped, and restarts at 0
    plimsoll ingest SAMPLES --store S | src/formats/lustre/delta.test.ts | docs/formats/lustre.md
  component unused-memory | IV-H, V-B | Lesson: memory that I/O leaves unused can hold data that is read ahead
    ${COMMAND} | src/analyze/study/system/unused-memory.test.ts | ${MANUAL}#b18
  algorithm write-classes | IV-C | Efficient and inefficient writes, by means of bytes and of bytes per call
    ${BY_STUDY}
  algorithm metadata-sum | IV-D | Sum of metadata operations of a job, on logarithms, and its correlation with bytes written
    ${BY_STUDY}
  algorithm io-share | IV-G | Share of a job's minutes in which it did I/O
    ${BY_STUDY}
  algorithm bursts | IV-H | Bursts of writes, their period, and their size over the memory of the nodes
    ${COMMAND} | test/analyze/study-system.long.test.ts | ${MANUAL}#b13
  algorithm similar-jobs | IV-I | I/O time of a job over the longest of similar jobs
    ${BY_STUDY}
  figure fig-1 | Fig. 1 | Architecture of Lustre: MGS, MDS and MDT, OSS and OST, clients, LNet
    plimsoll lustre parse FILE | src/formats/lustre/lustre.test.ts | docs/formats/lustre.md
  table table-1 | Table I | Configurations of the clusters
    ${COMMAND} | src/analyze/study/system/unused-memory.test.ts | ${MANUAL}#b01
  table table-2 | Table II | Duration and nodes of jobs
    ${COMMAND} | test/analyze/study-system.long.test.ts | ${MANUAL}#b04
  table table-3 | Table III | Bytes written and bytes per call, of jobs and users
    ${COMMAND} | test/analyze/study-system.long.test.ts | ${MANUAL}#b06
  `),
];

const figure = (id: string, title: string) =>
  figureItem("system", `fig-${id}`, `Fig. ${id}`, title, `figure-${id}`, COMMAND, MANUAL);

const FIGURES = [
  figure("2a", "Duration of jobs"),
  figure("2b", "Nodes of jobs (printed as 2c and 2d)"),
  figure("3", "Reads and writes of users"),
  figure("4", "Metadata operations and bytes written"),
  figure("5", "Opens and closes of metadata targets"),
  figure("6", "I/O by day and by weekday"),
  figure("7", "Share of the longest job of a day"),
  figure("8", "Share of the top user of a day"),
  figure("9", "Minutes with any I/O"),
  figure("10", "Minutes with writes"),
  figure("11", "Bytes written over time by three jobs"),
  figure("12", "I/O minutes by burst size over memory"),
  figure("13", "I/O minutes by burst size"),
  figure("14a", "Data by hour of the day"),
  figure("14b", "I/O time of similar jobs by hour of the day"),
];

const observation = (id: string, place: string, title: string, keys: readonly string[] = []) =>
  findingItem(STUDY, id, place, title, keys);

const FINDINGS = [
  observation("O01", "IV-A", "Most jobs are short and small", ["B04.below2Hours", "B04.below100Nodes"]),
  observation("O02", "IV-B", "Reads and writes are spread evenly over users"),
  observation("O03", "IV-C", "Few write efficiently", ["B06.inefficientShare", "B06.usersEfficientShare"]),
  observation("O04", "IV-D", "Metadata operations grow with writes", ["B07.mkdirsR", "B07.mknodsR"]),
  observation("O05", "IV-G", "Half of the jobs do I/O", ["B12.ioShareOfJobs"]),
  observation("O06", "IV-E", "Metadata targets are loaded unequally"),
  observation("O07", "IV-E", "Not all opened files are closed"),
  observation("O08", "IV-F", "No trend over the week"),
  observation("O09", "IV-F", "The longest job does not matter"),
  observation("O10", "IV-F", "Top users dominate"),
  observation("O11", "IV-G", "I/O is spread over the run", [
    "B12.ioShareOfMinutes",
    "B12.writeShareOfMinutes",
  ]),
  observation("O12", "IV-H", "Writes are periodic"),
  observation("O13", "IV-H", "Bursts are far below memory", ["B14.below5Share", "B15.neverBeyond1Share"]),
  observation("O14", "IV-H", "Most bursts are small", ["B16.mostlySmallShare"]),
  observation("O15", "IV-I", "Busy hours are slow", ["B17.earlierPeakHour", "B17.laterPeakHour"]),
];

/** Sums and shares that the text derives from its tables, recomputed. */
const sum = (id: string, place: string, title: string, published: string, here: string, holds: boolean) =>
  computed(id, place, title, published, here, COMMAND, MANUAL, holds);

const JOBS = 2_854_478 + 1_401_897;
const STUDIED_PERCENT = 100 - 8.74;
const SERIES_DAYS = (Date.UTC(2018, 6, 10) - Date.UTC(2018, 5, 7)) / 86_400_000 + 1;
const MEAN_MINUTES = [60 * 0.8, 60 * 0.85];
const CLASSED_JOBS = 1_654_938 + 869_046;
const HEAVY_JOBS = 2_563_299;
const EFFICIENT_USERS = [62 / 294, 57 / 168, (62 + 57) / (294 + 168)];

const SUMS = [
  sum("all-jobs", "Abstract", "Jobs of both clusters", "more than 4 million", formatCount(JOBS), JOBS > 4e6),
  sum(
    "studied-share",
    "IV",
    "Node-hours of jobs below 24 h",
    "more than 91 %",
    `${STUDIED_PERCENT} % (Quartz)`,
    STUDIED_PERCENT > 91,
  ),
  sum("series-days", "III-B", "Days from 7 June to 10 July 2018", "34", `${SERIES_DAYS}`, SERIES_DAYS === 34),
  sum(
    "mean-minutes",
    "V-A",
    "Mean duration of jobs, minutes",
    "less than 52",
    MEAN_MINUTES.join(" and "),
    MEAN_MINUTES.every((one) => one < 52),
  ),
  sum(
    "heavy-classes",
    "IV-C",
    "Inefficient and efficient jobs of Cab together",
    formatCount(HEAVY_JOBS),
    formatCount(CLASSED_JOBS),
    CLASSED_JOBS === HEAVY_JOBS,
  ),
  sum(
    "heavy-classes-quartz",
    "IV-C",
    "Inefficient and efficient jobs of Quartz together",
    formatCount(1_295_473),
    formatCount(893_462 + 277_911),
    893_462 + 277_911 === 1_295_473,
  ),
  sum(
    "heavy-users-cab",
    "IV-C",
    "Inefficient and efficient users of Cab together",
    "294",
    String(138 + 62),
    138 + 62 === 294,
  ),
  sum(
    "heavy-users-quartz",
    "IV-C",
    "Inefficient and efficient users of Quartz together",
    "168",
    String(111 + 57),
    111 + 57 === 168,
  ),
  sum(
    "heavy-jobs",
    "IV-C, IV-G",
    "Jobs of Cab that write more than the mean, against those that do any I/O",
    "more than 53 %",
    `${((100 * HEAVY_JOBS) / 2_854_478).toFixed(1)} % write more than the mean`,
    HEAVY_JOBS / 2_854_478 <= 0.53 + 0.05,
  ),
  sum(
    "cores-cab",
    "Table I",
    "Cores of Cab: nodes times cores of a node",
    "20,736",
    formatCount(1296 * 16),
    true,
  ),
  sum(
    "cores-quartz",
    "Table I",
    "Cores of Quartz: nodes times cores of a node",
    "96,768",
    formatCount(2634 * 36),
    2634 * 36 === 96_768,
  ),
  sum(
    "memory-cab",
    "Table I",
    "Memory of Cab: nodes times memory of a node",
    "41.5 TB",
    `${((1296 * 32) / 1000).toFixed(1)} TB`,
    true,
  ),
  sum(
    "memory-quartz",
    "Table I",
    "Memory of Quartz: nodes times memory of a node",
    "344.06 TB",
    `${((2634 * 128) / 1000).toFixed(2)} TB`,
    false,
  ),
  sum(
    "efficient-users",
    "Abstract, V-B",
    "Efficient of heavy users: Cab, Quartz, both",
    "less than 22 %",
    EFFICIENT_USERS.map((one) => `${Math.round(100 * one)} %`).join(", "),
    EFFICIENT_USERS.every((one) => one < 0.22),
  ),
];

/** Statements of the text without a number, with the value of the study. */
const STATEMENTS = (
  [
    ["B15.allBelow1Share", "IV-H, Fig. 12", "Most jobs write all bursts below 1 % of memory"],
    ["B15.all10To50Share", "IV-H, Fig. 12", "Few jobs write all bursts at 10 to 50 % of memory"],
    ["B05.mostlyRead", "IV-B", "Some users run only workloads that read (here: mostly)"],
    ["B05.mostlyWritten", "IV-B", "Some users run only workloads that write (here: mostly)"],
    ["B10.durationBytesSpearman", "IV-F", "Duration of a job and its I/O are not correlated"],
    ["B11.top1PercentJobsShare", "V-A", "A small number of jobs cause most of the load"],
    ["B16.mostlyMediumShare", "IV-H", "Many jobs write bursts of 1 MB to 1 GB most of the time"],
    [
      "B17.slowestHour",
      "IV-I, Fig. 14b",
      "Similar jobs take longest in the hours with most data (here: the slowest)",
    ],
  ] as const
).map(([full, place, title]) => valueItem(STUDY, full, place, title));

/** The lessons of section V, each with its observation. */
const LESSONS = (
  [
    ["admin-1", "O02", "Reads and writes need equal care"],
    ["admin-2", "O01", "Schedule and avoid contention for short jobs"],
    ["admin-3", "O13", "Defensive I/O is not the main use: few bursts are large"],
    ["admin-4", "O10", "Improve the jobs that move most, not those that run longest"],
    ["admin-5", "O03", "Few applications write efficiently"],
    ["admin-6", "O15", "Find the hours of contention, and have users avoid them"],
    ["admin-7", "O06", "Balance the load of metadata servers"],
    ["user-1", "O03", "Write more bytes per call"],
    ["user-2", "O15", "Start I/O-intensive jobs at other hours"],
    ["user-3", "O13", "Use the memory that I/O leaves for reading ahead"],
  ] as const
).map(([id, judgedBy, title]) =>
  findingItem(STUDY, `lesson-${id}`, id.startsWith("user") ? "V-B" : "V-A", `Lesson: ${title}`, [], judgedBy),
);

export const SYSTEM_PAPER: Paper = {
  id: "system",
  short: "Paul et al. 2020",
  title: "Understanding HPC Application I/O Behavior Using System Level Statistics",
  items: [...COMPONENTS, ...FIGURES, ...FINDINGS, ...LESSONS, ...STATEMENTS, ...numberItems(STUDY), ...SUMS],
};
