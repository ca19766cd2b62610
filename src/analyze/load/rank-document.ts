/** Rankings of jobs, users and targets as documents. */
import { formatBytes, formatCount, formatMany, formatShare } from "../../base/units.ts";
import type { Block, Cell, Document } from "../../model/index.ts";
import { type Amounts, MEASURE_WORDS, measured, type Measure, measureUnit } from "./amounts.ts";
import { type About, bar, cell, type Column, spark, table } from "./blocks.ts";

import type { By, Loader, Ranking, Rest } from "./rank.ts";
import type { TargetRanking } from "./rank-targets.ts";
import { stretchMinutes } from "./stretches.ts";
import { windowText } from "./window.ts";

const NOT_KNOWN: Readonly<Record<By, string>> = {
  job: "unknown job",
  user: "unknown user",
  account: "unknown account",
};
const TITLES: Readonly<Record<By, string>> = { job: "Jobs", user: "Users", account: "Accounts" };

interface AmountColumn {
  readonly column: Column;
  readonly of: (one: Amounts) => bigint;
}

const AMOUNTS: readonly AmountColumn[] = [
  {
    column: ["bytesRead", "Read", "bytes", "Bytes read: read_bytes, differences of sums."],
    of: ({ bytesRead }) => bytesRead,
  },
  {
    column: ["bytesWritten", "Written", "bytes", "Bytes written: write_bytes, differences of sums."],
    of: ({ bytesWritten }) => bytesWritten,
  },
  {
    column: ["calls", "Calls", "count", "Read and write calls."],
    of: ({ readCalls, writeCalls }) => readCalls + writeCalls,
  },
  {
    column: ["metadataCalls", "Metadata", "count", "All metadata operations."],
    of: ({ metadataCalls }) => metadataCalls,
  },
];
const OPENS: AmountColumn = {
  column: ["openCalls", "Opens", "count", "Opens."],
  of: ({ openCalls }) => openCalls,
};
const SMALL: AmountColumn = {
  column: [
    "smallWriteCalls",
    "Small writes",
    "count",
    "Write calls in rows with few bytes per call on average.",
  ],
  of: ({ smallWriteCalls }) => smallWriteCalls,
};

/** Only columns with values: targets of one kind lack the counters of the other. */
const shownAmounts = (total: Amounts, measure: Measure): AmountColumn[] => [
  ...AMOUNTS.filter(({ of }) => of(total) > 0n),
  ...(measure === "opens" ? [OPENS] : measure === "small-writes" ? [SMALL] : []),
];

/** A cluster column is needed only for rows of several clusters. */
const showsClusters = ({ rows, unclear }: Ranking): boolean =>
  unclear.jobs > 0 || new Set(rows.map(({ cluster }) => cluster)).size > 1;

function rowsOf(ranking: Ranking): readonly (readonly Cell[])[] {
  const { by, rows, others, unexplained, measure } = ranking;
  const shown = shownAmounts(ranking.total, measure);
  const amounts = (one: Amounts): Cell[] => shown.map(({ of }) => of(one));
  const who = (one: Loader): Cell[] =>
    by === "job"
      ? [
          one.id === "" ? "(empty job id)" : one.id,
          ...(showsClusters(ranking) ? [one.possibleClusters ?? one.cluster] : []),
          ...[one.user, one.jobName, one.nodes],
        ]
      : [one.id ?? NOT_KNOWN[by], one.jobs];
  const tail = (one: { share: number; when: readonly number[] }): Cell[] => [
    cell(one.share),
    ranking.source === "servers" ? spark(one.when) : bar(one.share),
  ];
  const rest = (name: string, one: Rest): Cell[] => [
    name,
    ...(by === "job"
      ? [
          ...(showsClusters(ranking) ? [""] : []),
          ...[one.users > 0 ? formatMany(one.users, "user") : "", "", ""],
        ]
      : [one.jobs > 0 ? one.jobs : ""]),
    ...amounts(one),
    ...tail(one),
  ];
  const otherName =
    by === "job"
      ? `others (${formatMany(others.jobs, "job")})`
      : (others.accounts ?? others.users) > 0
        ? `others (${formatMany(others.accounts ?? others.users, by)})`
        : NOT_KNOWN[by];
  return [
    ...rows.map((one) => [...who(one), ...amounts(one), ...tail(one)]),
    ...(others.jobs > 0 ? [rest(otherName, others)] : []),
    ...(unexplained === null ? [] : [rest("not in job statistics", unexplained)]),
  ];
}

function rankingTable(ranking: Ranking): Block {
  const { by, measure, source, window } = ranking;
  const who: readonly Column[] =
    by === "job"
      ? [
          ["job", "Job", "text", "Job id from servers or scheduler."],
          ...(showsClusters(ranking)
            ? [["cluster", "Cluster", "text", "Cluster of the job; all candidates if ambiguous."] as Column]
            : []),
          ["user", "User", "text", "User, from the scheduler."],
          ["name", "Name", "text", "Name of the job, from the scheduler."],
          ["nodes", "Nodes", "count", "Nodes allocated, from the scheduler."],
        ]
      : by === "account"
        ? [
            ["account", "Account", "text", "Account of the jobs, from the scheduler."],
            ["jobs", "Jobs", "count", "Jobs of the account in this time range."],
          ]
        : [
            ["user", "User", "text", "User, from the scheduler, or from ids of the kind program.uid."],
            ["jobs", "Jobs", "count", "Jobs of the user in this time range."],
          ];
  const when =
    window === undefined || source !== "servers"
      ? ""
      : ` "When": ${stretchMinutes(window)} minutes per character, each row on its own scale.`;
  return table(
    "loaders",
    `By ${ranking.order === "share" ? "the larger share of bytes and metadata operations" : MEASURE_WORDS[measure]}; shares are of all ${MEASURE_WORDS[measure]}.${when}`,
    [
      ...who,
      ...shownAmounts(ranking.total, measure).map(({ column }) => column),
      [
        "share",
        "Share",
        "share",
        `Share of all ${MEASURE_WORDS[measure]}; others and the unexplained part complete the 100 %.`,
      ],
      source === "servers"
        ? ["when", "When", "text", "Over the requested time range."]
        : ["bar", "", "text", "The share as a bar."],
    ],
    rowsOf(ranking),
  );
}

const amountText = (amounts: Amounts, measure: Measure): string => {
  const value = Number(measured(amounts, measure));
  return measureUnit(measure) === "bytes"
    ? formatBytes(value)
    : `${formatCount(value)} ${MEASURE_WORDS[measure]}`;
};

function notes(ranking: Ranking): Block[] {
  const { unexplained, beyond, measure, source, unclear } = ranking;
  const blocks: Block[] = [];
  if (unclear.jobs > 0)
    blocks.push({
      kind: "notice",
      level: "warning",
      text: `${formatMany(unclear.jobs, "job id is", "job ids are")} on several clusters, and the counters do not say which: ${amountText(unclear, measure)} have no known user.`,
      how: "Name the cluster with plimsoll ingest --cluster NAME, or take it from job ids such as cab:123 with --job-id %C:%j.",
    });
  if (source === "servers" && unexplained === null)
    blocks.push({
      kind: "notice",
      level: "missing",
      text: "The targets have no counters in this time range, so the load without a job is unknown; shares are of the sum over jobs.",
      how: "plimsoll collect server and ingest also read stats and md_stats.",
    });
  if (measured(beyond, measure) > 0n && measure !== "small-writes")
    blocks.push({
      kind: "notice",
      level: "warning",
      text: `The jobs sum to ${amountText(beyond, measure)} more than the target counters: some target samples are missing.`,
    });
  return blocks;
}

interface RankTitle {
  readonly title: string;
  readonly targets: string;
}

export function rankingDocument(ranking: Ranking, { title, targets }: RankTitle, about: About): Document {
  const { rows, measure, by, total, window, source } = ranking;
  const [first] = rows;
  const name = (one: Loader) =>
    by === "job"
      ? `job ${one.id}${one.possibleClusters === null ? "" : ` of ${one.possibleClusters}`}${one.user === null ? "" : ` of ${one.user}`}`
      : one.id === null
        ? `jobs of unknown ${by}s`
        : `${by} ${one.id}`;
  return {
    title,
    facts: [
      { label: "Targets", text: targets },
      { label: "Time", text: window === undefined ? "all jobs" : windowText(window, about.zone) },
      {
        label: "Counted by",
        text: source === "servers" ? "servers (job_stats)" : "clients, jobs that started in this time range",
      },
      { label: "Load", text: amountText(total, measure), exact: String(measured(total, measure)) },
      { label: "Jobs", text: formatCount(ranking.jobs) },
      { label: "Users", text: formatCount(ranking.users) },
    ],
    verdict:
      first === undefined || measured(total, measure) === 0n
        ? `No job has ${MEASURE_WORDS[measure]} on ${targets} in this time range.`
        : `${formatShare(first.share)} of ${amountText(total, measure)} came from ${name(first)}.`,
    sections: [
      {
        id: "who",
        title: TITLES[by],
        blocks: [...notes(ranking), rankingTable(ranking)],
      },
      ...figureSection(ranking),
    ],
    command: about.command,
    madeBy: about.madeBy,
  };
}

/** The table has text bars for a terminal; a page shows this figure. */
function figureSection(ranking: Ranking): Document["sections"] {
  const { rows, others, unexplained, by, measure } = ranking;
  if (rows.length === 0) return [];
  const parts = [
    ...rows.map((one) => ({ name: one.id ?? NOT_KNOWN[by], amounts: one as Amounts })),
    ...(others.jobs > 0 ? [{ name: "others", amounts: others as Amounts }] : []),
    ...(unexplained === null ? [] : [{ name: "not in job statistics", amounts: unexplained as Amounts }]),
  ];
  const values = (pick: (one: Amounts) => bigint) => parts.map(({ amounts }) => Number(pick(amounts)));
  const bytes = measureUnit(measure) === "bytes";
  return [
    {
      id: "shares",
      title: "Shares",
      detail: true,
      blocks: [
        {
          kind: "figure",
          figure: {
            id: "load-by-who",
            title: `Load by ${by}`,
            caption: `The top ${rows.length}, the sum of the others, and the part not in job statistics.`,
            summary: `${parts[0]?.name} comes first.`,
            definition: "L01@1",
            options: { order: ranking.order, by },
            chart: {
              kind: "bars",
              direction: "horizontal",
              stacked: true,
              categories: parts.map(({ name }) => name),
              categoryLabel: by,
              value: { label: MEASURE_WORDS[measure], unit: bytes ? "bytes" : "calls" },
              series: bytes
                ? [
                    ...(measure === "write"
                      ? []
                      : [{ name: "read", role: "read" as const, values: values((one) => one.bytesRead) }]),
                    ...(measure === "read"
                      ? []
                      : [
                          {
                            name: "written",
                            role: "write" as const,
                            values: values((one) => one.bytesWritten),
                          },
                        ]),
                  ]
                : [
                    {
                      name: MEASURE_WORDS[measure],
                      role: "metadata",
                      values: values((one) => measured(one, measure)),
                    },
                  ],
            },
          },
        },
      ],
    },
  ];
}

export function targetRankingDocument(ranking: TargetRanking, title: string, about: About): Document {
  const { rows, others, measure, total, window, source, order } = ranking;
  const shown = shownAmounts(total, measure);
  const amounts = (one: Amounts): Cell[] => shown.map(({ of }) => of(one));
  const cells: Cell[][] = rows.map((one) => [
    one.target,
    one.fileSystem,
    ...amounts(one),
    cell(one.share),
    spark(one.when),
  ]);
  if (others.targets > 0)
    cells.push([`others (${others.targets})`, null, ...amounts(others), cell(others.share), ""]);
  return {
    title,
    facts: [
      { label: "Targets", text: formatCount(ranking.targets) },
      { label: "Time", text: windowText(window, about.zone) },
      {
        label: "Counted by",
        text: source === "targets" ? "targets, all load" : "targets, per job (job_stats)",
      },
      { label: "Load", text: amountText(total, measure), exact: String(measured(total, measure)) },
    ],
    verdict: targetVerdict(ranking),
    sections: [
      {
        id: "targets",
        title: "Targets",
        blocks: [
          table(
            "targets",
            `By ${order === "share" ? "the larger share of bytes and metadata operations" : MEASURE_WORDS[measure]}. "When": ${stretchMinutes(window)} minutes per character.`,
            [
              ["target", "Target", "text", "OST or MDT."],
              ["fileSystem", "File system", "text", "File system."],
              ...shown.map(({ column }) => column),
              ["share", "Share", "share", `Share of all ${MEASURE_WORDS[measure]}.`],
              ["when", "When", "text", "Over the requested time range."],
            ],
            cells,
          ),
        ],
      },
    ],
    command: about.command,
    madeBy: about.madeBy,
  };
}

function targetVerdict({ rows: [first], comparison, order }: TargetRanking): string {
  if (first === undefined || comparison === null || Number.isNaN(comparison.firstOverMean))
    return "No load in this time range.";
  const { kind, targets, measure, firstOverMean } = comparison;
  // Ordered by share, the measure is not obvious.
  const what = order === "share" ? `, by ${MEASURE_WORDS[measure]}` : "";
  return `${first.target} has the most load: ${firstOverMean.toPrecision(3)} times the mean of ${formatMany(targets, kind)}${what}.`;
}
