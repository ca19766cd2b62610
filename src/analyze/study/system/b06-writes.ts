import { mean } from "../../../base/statistics.ts";
import type { Cell, TableBlock } from "../../../model/index.ts";
import { jobsWithoutUser } from "./users.ts";
import { PER_CALL, POPULATIONS, type Population } from "../common/write-classes.ts";
import { summary } from "./b04-shape.ts";
import { bars } from "./charts.ts";
import { WRITE_CONTRADICTIONS } from "./contradictions.ts";
import { clusterTitle } from "./cluster-parts.ts";
import { type ValueInfos, valueText } from "../common/values.ts";
import { defineItem, drawn, type Published, share, table } from "./item.ts";
import type { Prepared } from "./prepare.ts";
import {
  chosen,
  type Classes,
  classify,
  jobLimits,
  medianWithZeros,
  USER_PER_CALL,
  userWrites,
} from "./writers.ts";

/** Table III of the paper. */
const TABLE_III: readonly (readonly Cell[])[] = [
  ["Jobs", "Write bytes", "Cab (paper)", 81e3, 474e12, 14.4e9, 39e9],
  ["Jobs", "Write bytes", "Quartz (paper)", 40, 597e12, 18.1e9, 146e9],
  ["Jobs", "Write bytes per call", "Cab (paper)", 1, 820e6, 127e3, 390.9e3],
  ["Jobs", "Write bytes per call", "Quartz (paper)", 1, 1.6e9, 219e3, 11.5e6],
  ["Users", "Write bytes", "Cab (paper)", 906e3, 4.8e15, 41.4e12, 7.4e12],
  ["Users", "Write bytes", "Quartz (paper)", 424e3, 4e15, 43.4e12, 27.1e12],
  ["Users", "Write bytes per call", "Cab (paper)", 178e3, 30.5e9, 184.7e6, 123.9e6],
  ["Users", "Write bytes per call", "Quartz (paper)", 899e3, 108.9e9, 350.4e6, 86.2e6],
];

/** What Table III has of users beside their means. */
const USERS_OF_TABLE_III: ValueInfos<Published> = Object.fromEntries(
  (
    [
      ["Write bytes", "written", "written by a user"],
      ["Write bytes per call", "perCall", "per call of a user"],
    ] as const
  ).flatMap(([metric, key, label]) =>
    (
      [
        [3, "Min", "min"],
        [4, "Max", "max"],
        [6, "Median", "median"],
      ] as const
    ).map(([column, name, word]) => {
      const of = (cluster: string) =>
        Number(
          TABLE_III.find((row) => row[0] === "Users" && row[1] === metric && row[2] === cluster)?.[column],
        );
      const published = { cab: of("Cab (paper)"), quartz: of("Quartz (paper)") };
      return [`users.${key}${name}`, ["bytes", `${label}, ${word}`, published] as const];
    }),
  ),
);

/** Populations in the names of values, which stay as they are. */
const NAMES: Readonly<Record<Population, string>> = {
  all: "all",
  withIO: "withIo",
  withWrites: "withWrites",
};

/** Classes of jobs and users under every reading of the paper; a table has them all. */
const READINGS: ValueInfos<Published> = Object.fromEntries(
  [
    ...POPULATIONS.flatMap((population) =>
      [...PER_CALL, "median"].map((way) => `${NAMES[population]}.${way}`),
    ),
    ...USER_PER_CALL.map((way) => `users.${way}`),
  ].flatMap((reading) =>
    ["heavy", "inefficient", "efficient", "tie"].map((name) => [
      `${reading}.${name}`,
      ["count", `${name}, ${reading}`] as const,
    ]),
  ),
);

export const b06 = defineItem({
  id: "B06",
  definition: "B06@1",
  title: "Efficient and inefficient writes",
  place: "table III",
  section: "writes",
  about:
    "A job is heavy when it wrote more than the limit (the mean of the population), and then inefficient if its bytes per write call are below the mean, efficient if above, a tie if equal. All others are light. Users are classed the same way by their totals. Every reading of the paper is counted: population.perCall.class for jobs, users.perCall.class for users.",
  reading:
    "The limits are printed because everything depends on them. Heavy is always inefficient plus efficient plus tie; the paper's classes do not add up.",
  byCluster: true,
  options: ["population", "perCall", "userPerCall", "threshold"],
  values: {
    writtenMin: ["bytes", "written, min", { cab: 81e3, quartz: 40 }],
    writtenMax: ["bytes", "written, max", { cab: 474e12, quartz: 597e12 }],
    writtenMean: ["bytes", "written, mean", { cab: 14.4e9, quartz: 18.1e9 }],
    writtenMedian: ["bytes", "written, median", { cab: 39e9, quartz: 146e9 }],
    writtenMedianOfHeavy: ["bytes", "written, median of heavy jobs"],
    perCallMin: ["bytes", "per call, min", { cab: 1, quartz: 1 }],
    perCallMax: ["bytes", "per call, max", { cab: 820e6, quartz: 1.6e9 }],
    perCallMean: ["bytes", "per call, mean", { cab: 127e3, quartz: 219e3 }],
    perCallMedian: ["bytes", "per call, median", { cab: 390.9e3, quartz: 11.5e6 }],
    limitBytes: ["bytes", "limit for heavy jobs", { cab: 14.4e9, quartz: 18.1e9 }],
    limitPerCallBytes: ["bytes", "limit per call", { cab: 127e3, quartz: 219e3 }],
    heavy: ["count", "heavy jobs", { cab: 2_563_299, quartz: 1_295_473 }],
    inefficient: ["count", "inefficient jobs", { cab: 1_654_938, quartz: 893_462 }],
    efficient: ["count", "efficient jobs", { cab: 869_046, quartz: 277_911 }],
    tie: ["count", "jobs at the limit per call"],
    light: ["count", "light jobs"],
    heavyShare: ["share", "share of heavy jobs"],
    inefficientShare: ["share", "inefficient share of heavy jobs", { cab: 0.646, quartz: 0.69 }],
    efficientShare: [
      "share",
      "efficient share of heavy jobs",
      { cab: 0.339, quartz: 0.2145 },
      "33.9 % (Cab), 21.4 % (Quartz), from the counts",
    ],
    usersLimitBytes: ["bytes", "limit for heavy users"],
    usersLimitPerCallBytes: ["bytes", "limit per call for users"],
    usersHeavy: ["count", "heavy users", { cab: 294, quartz: 168 }],
    usersInefficient: ["count", "inefficient users", { cab: 138, quartz: 111 }],
    usersEfficient: ["count", "efficient users", { cab: 62, quartz: 57 }],
    usersTie: ["count", "users at the limit per call"],
    usersLight: ["count", "light users"],
    usersInefficientShare: ["share", "inefficient share of heavy users", { cab: 0.469, quartz: 0.66 }],
    usersEfficientShare: ["share", "efficient share of heavy users", { cab: 0.21, quartz: 0.34 }],
  },
  tabled: {
    ...READINGS,
    ...USERS_OF_TABLE_III,
    "users.writtenMean": ["bytes", "written by a user, mean", { cab: 41.4e12, quartz: 43.4e12 }],
    "users.perCallMean": ["bytes", "per call of a user, mean", { cab: 184.7e6, quartz: 350.4e6 }],
  },
  narrative: ({ text }) =>
    `${text("heavy")} jobs write more than ${text("limitBytes")}. ${text("inefficientShare")} of them (${text("inefficient")}) write in calls below ${text("limitPerCallBytes")}, ${text("efficientShare")} (${text("efficient")}) above, ${text("tie")} exactly there; the other ${text("light")} jobs are light (paper: 64.6 % and 69 % inefficient). Of ${text("usersHeavy")} heavy users ${text("usersInefficientShare")} are inefficient, ${text("usersEfficientShare")} efficient and ${text("usersTie")} neither (paper: 46.9 % and 21 % on Cab, 66 % and 34 % on Quartz).`,
  measure(prepared) {
    const { options } = prepared;
    const { counted, studied } = prepared;
    const writers = prepared.writers();
    const { limits, jobs, users, userClasses } = chosen(prepared);
    const size = writers.sizes[options.population];
    const heavy = writers.bytes.filter((bytes) => bytes > limits.bytes).sort();
    const [bytes, perCall] = [summary(writers.bytes), summary(writers.ratios)];
    return {
      n: size,
      unit: "jobs of the population",
      dropped: {
        "jobs without counters": studied.length - counted.length,
        "jobs that wrote without counted calls": writers.withoutCalls,
        "jobs without a user (users only)": jobsWithoutUser(prepared),
      },
      values: {
        writtenMin: bytes.min,
        writtenMax: bytes.max,
        writtenMean: share(writers.total, size),
        writtenMedian: medianWithZeros(writers.sortedBytes, size - writers.bytes.length),
        writtenMedianOfHeavy: medianWithZeros(heavy),
        perCallMin: perCall.min,
        perCallMax: perCall.max,
        perCallMean: perCall.mean,
        perCallMedian: perCall.median,
        limitBytes: limits.bytes,
        limitPerCallBytes: limits.perCall,
        ...jobs,
        light: size - jobs.heavy,
        heavyShare: share(jobs.heavy, size),
        inefficientShare: share(jobs.inefficient, jobs.heavy),
        efficientShare: share(jobs.efficient, jobs.heavy),
        usersLimitBytes: users.limits.bytes,
        usersLimitPerCallBytes: users.limits.perCall,
        usersHeavy: userClasses.heavy,
        usersInefficient: userClasses.inefficient,
        usersEfficient: userClasses.efficient,
        usersTie: userClasses.tie,
        usersLight: users.users.length - userClasses.heavy,
        usersInefficientShare: share(userClasses.inefficient, userClasses.heavy),
        usersEfficientShare: share(userClasses.efficient, userClasses.heavy),
      },
      tabled: combinations(prepared),
      tables:
        counted.length === 0
          ? []
          : [tableThree(prepared), clustersTable(prepared), combinationsTable(prepared)],
      notes: WRITE_CONTRADICTIONS,
      figures: () => (counted.length === 0 ? [] : [classesFigure(prepared)]),
    };
  },
});

function combinations(prepared: Prepared): Record<string, number> {
  const writers = prepared.writers();
  const values: Record<string, number> = {};
  const put = (name: string, classes: Classes) => {
    for (const [key, count] of Object.entries(classes)) values[`${name}.${key}`] = count;
  };
  for (const population of POPULATIONS) {
    for (const way of PER_CALL)
      put(
        `${NAMES[population]}.${way}`,
        classify(writers.bytes, writers.ratios, jobLimits(writers, population, way, "mean")),
      );
    const median = jobLimits(writers, population, "meanOfRatios", "median");
    put(`${NAMES[population]}.median`, classify(writers.bytes, writers.ratios, median));
  }
  for (const way of USER_PER_CALL) {
    const { bytes, ratios, limits } = userWrites(prepared, "all", way, "mean");
    put(`users.${way}`, classify(bytes, ratios, limits));
    if (way === "sumOfRatios") {
      values["users.writtenMean"] = limits.bytes;
      values["users.perCallMean"] = mean(ratios);
    }
  }
  const { bytes, ratios } = userWrites(prepared, "withWrites", "sumOfRatios", "mean");
  for (const [key, list] of [
    ["written", bytes],
    ["perCall", ratios],
  ] as const) {
    const { min, max, median } = summary(list);
    values[`users.${key}Min`] = min;
    values[`users.${key}Max`] = max;
    values[`users.${key}Median`] = median;
  }
  return values;
}

function tableThree(prepared: Prepared) {
  const rows: Cell[][] = [];
  const add = (level: string, metric: string, name: string, values: Float64Array) => {
    const { min, max, mean: middle, median } = summary(values);
    rows.push([level, metric, name, min, max, middle, median]);
  };
  const parts = prepared.clusterParts().map(({ name, prepared: part }) => ({
    name: name || clusterName(prepared),
    jobs: part.writers(),
    users: userWrites(part, "withWrites", prepared.options.userPerCall, "mean"),
  }));
  const { population } = prepared.options;
  for (const { name, jobs } of parts) {
    // The others of the population wrote nothing.
    if (population !== "withWrites") {
      const all = new Float64Array(jobs.sizes[population]);
      all.set(jobs.bytes);
      add(population === "all" ? "Jobs with counters" : "Jobs with I/O", "Write bytes", name, all);
    }
    add("Jobs that write", "Write bytes", name, jobs.bytes);
    add("Jobs that write", "Write bytes per call", name, jobs.ratios);
  }
  for (const { name, users } of parts) {
    add("Users", "Write bytes", name, users.bytes);
    add("Users", `Write bytes per call (${prepared.options.userPerCall})`, name, users.ratios);
  }
  const whole = table(
    "table-3-writes",
    "Table III: write bytes and write bytes per call, here (of the population of the limits, and of jobs and users that write) and in the paper.",
    [
      ["level", "Classification", "text", "Jobs or users."],
      ["metric", "Metric", "text", "Quantity."],
      ["cluster", "Cluster", "text", "Clusters here, then those of the paper."],
      ["min", "min", "bytes", "Least."],
      ["max", "max", "bytes", "Most."],
      ["mean", "mean", "bytes", "Mean."],
      ["median", "median", "bytes", "Median."],
    ],
    [...rows, ...TABLE_III],
  );
  return { ...whole, publishedFrom: rows.length };
}

/** Of the only cluster. */
const clusterName = ({ jobs, studied }: Prepared): string =>
  jobs.clusters[jobs.cluster[studied[0] ?? 0] as number] || "jobs";

/** Classes by the limits of each cluster, in a column each, beside those of the paper. */
function clustersTable(prepared: Prepared): TableBlock {
  const parts = prepared.clusterParts().map(({ name, prepared: part }) => ({
    name: name || clusterName(prepared),
    ...chosen(part),
  }));
  type Part = (typeof parts)[number];
  /** Labels, units and published numbers are those of the values. */
  const row = (key: string, of: (part: Part) => number): Cell[] => {
    const [unit, label, published] = b06.values[key] ?? ["none", key];
    return [
      label,
      ...parts.map((part) => valueText(unit, of(part))),
      ...[published?.cab, published?.quartz].map((one) => (one === undefined ? "–" : valueText(unit, one))),
    ];
  };
  return table(
    "write-classes-by-cluster",
    "Classes of writes by the limits of each cluster, as in `plimsoll job`, and in the paper.",
    [
      ["value", "Value", "text", "Description of the value."],
      ...parts.map(
        ({ name }, i) =>
          [`cluster${i}`, name, "text", "Measured on jobs and users of this cluster."] as const,
      ),
      ["cab", "Cab (paper)", "text", "Published value."],
      ["quartz", "Quartz (paper)", "text", "Published value."],
    ],
    [
      row("limitBytes", ({ limits }) => limits.bytes),
      row("limitPerCallBytes", ({ limits }) => limits.perCall),
      row("heavy", ({ jobs }) => jobs.heavy),
      row("inefficientShare", ({ jobs }) => share(jobs.inefficient, jobs.heavy)),
      row("efficientShare", ({ jobs }) => share(jobs.efficient, jobs.heavy)),
      row("usersHeavy", ({ userClasses }) => userClasses.heavy),
      row("usersInefficientShare", ({ userClasses: users }) => share(users.inefficient, users.heavy)),
      row("usersEfficientShare", ({ userClasses: users }) => share(users.efficient, users.heavy)),
    ],
  );
}

function combinationsTable(prepared: Prepared) {
  const writers = prepared.writers();
  const rows: Cell[][] = [];
  const add = (name: string, size: number, limits: { bytes: number; perCall: number }, classes: Classes) =>
    rows.push([
      name,
      size,
      limits.bytes,
      limits.perCall,
      classes.heavy,
      classes.inefficient,
      classes.efficient,
      classes.tie,
      size - classes.heavy,
      share(classes.inefficient, classes.heavy),
    ]);
  for (const population of POPULATIONS)
    for (const [name, way, threshold] of [
      ["mean, mean of ratios", "meanOfRatios", "mean"],
      ["mean, ratio of sums", "ratioOfSums", "mean"],
      ["median", "meanOfRatios", "median"],
    ] as const) {
      const limits = jobLimits(writers, population, way, threshold);
      add(
        `jobs, ${population}, ${name}`,
        writers.sizes[population],
        limits,
        classify(writers.bytes, writers.ratios, limits),
      );
    }
  for (const way of USER_PER_CALL) {
    const { bytes, ratios, limits, users } = userWrites(prepared, "all", way, "mean");
    add(`users, ${way}`, users.length, limits, classify(bytes, ratios, limits));
  }
  return table(
    "write-classes",
    "Classes of writes under every reading of the paper. Light jobs and ties are neither efficient nor inefficient.",
    [
      ["reading", "Reading", "text", "Population, and how limits are computed."],
      ["size", "Of", "count", "Number of jobs or users in the population."],
      ["limitBytes", "Limit", "bytes", "Limit of bytes for heavy ones."],
      ["limitPerCall", "Limit per call", "bytes", "Inefficient below, efficient above."],
      ["heavy", "Heavy", "count", "Above the limit of bytes."],
      ["inefficient", "Inefficient", "count", "Heavy, in small calls."],
      ["efficient", "Efficient", "count", "Heavy, in large calls."],
      ["tie", "Tie", "count", "Heavy, exactly at the limit per call."],
      ["light", "Light", "count", "Not above the limit of bytes."],
      ["inefficientShare", "Inefficient", "share", "Share of heavy ones."],
    ],
    rows,
  );
}

function classesFigure(prepared: Prepared) {
  const parts = prepared.clusterParts().map(({ name, prepared: part }) => ({ name, ...chosen(part) }));
  const of = (key: keyof Classes) =>
    parts.flatMap(({ jobs, userClasses: users }) => [
      share(jobs[key], jobs.heavy),
      share(users[key], users.heavy),
    ]);
  const counts = parts.map(
    ({ name, jobs, writers, userClasses, users }) =>
      `${name === "" ? "" : `${name}: `}${jobs.heavy} heavy of ${writers.sizes[prepared.options.population]} jobs, ${userClasses.heavy} heavy of ${users.users.length} users`,
  );
  const told = parts.map(
    ({ name, jobs }) =>
      `${(100 * share(jobs.inefficient, jobs.heavy)).toFixed(1)} % of heavy jobs${name === "" ? "" : ` of ${name}`} write inefficiently.`,
  );
  return drawn({
    id: "figure-writes-classes",
    title: "Efficient and inefficient writes",
    caption: `${counts.join("; ")}; neither: exactly at the limit per call.`,
    summary: told.join(" "),
    chart: bars(
      parts.flatMap(({ name }) => [clusterTitle("jobs", name), clusterTitle("users", name)]),
      "jobs or users",
      { label: "share of heavy ones", unit: "share" },
      [
        { name: "inefficient", role: "write", values: of("inefficient") },
        { name: "efficient", role: "neutral", values: of("efficient") },
        { name: "neither", role: "other", values: of("tie") },
      ],
      true,
    ),
  });
}
