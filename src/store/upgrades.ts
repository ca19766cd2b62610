/**
 * Segments of older versions are read as if they were of this one: each step says how the columns of the next version
 * come from those before. A compaction writes the result down.
 */
import { assert } from "../base/assert.ts";
import { STORE_VERSION } from "../model/index.ts";
import { quoteName } from "./database.ts";

/** SQL expressions over the older columns, by column. */
type Expressions = Readonly<Record<string, string>>;

interface TableUpgrade {
  /** New columns; `null::BIGINT` where nothing can be said. */
  readonly added?: Expressions;
  /** Columns that mean something else now. */
  readonly changed?: Expressions;
  readonly removed?: readonly string[];
}

export interface Upgrade {
  /** From this version to the next. */
  readonly from: number;
  readonly tables: Readonly<Record<string, TableUpgrade>>;
}

/** Versions 1 to 3 have a line "2 POSIX counters or times are negative …" for each module. */
const NEGATIVES_OF_WARNINGS = `coalesce(list_sum(list_transform(
  regexp_extract_all(warnings, '(?m)^(\\d+) \\S+ counters or times are negative', 1), lambda n: n::BIGINT)), 0)::BIGINT`;

/** Whether rows were generated; of older batches only their writer tells (views.ts). */
const MADE_KNOWN: TableUpgrade = { added: { synthetic: "0::UTINYINT" } };

/** Counters of operations and times that older versions did not keep. */
const MORE_COUNTERS: Expressions = Object.fromEntries(
  [
    ...["links", "unlinks", "mkdirs", "rmdirs", "renames", "getattrs", "setattrs", "getxattrs", "setxattrs"],
    ...["statfs", "syncs", "read_usecs", "write_usecs", "metadata_usecs"],
  ].map((name) => [name, "null::BIGINT"]),
);

/** What Lustre's clients do not count. */
const MOUNT_COUNTERS: Expressions = Object.fromEntries(
  [
    "timeouts",
    "server_bytes_read",
    "server_bytes_written",
    "queue_usecs",
    "round_trip_usecs",
    "inode_updates",
  ].map((name) => [name, "null::BIGINT"]),
);

const NO_ZONE: TableUpgrade = { added: { zone: "null::VARCHAR" } };

/**
 * Version 1 is the first. Version 2 has more tables, which are empty in batches of version 1. In version 3 rows of minutes
 * have a cluster. In version 4 runs say how many counters were left out, which before only their warnings did.
 * In version 5 runs, jobs and readings say whether they were generated. In version 6 minutes and targets have metadata operations one
 * by one and times, minutes the user and the node of their job id, jobs a list of nodes, runs and jobs the zone of their site; four tables and those of
 * roll-ups are new. In version 7 mounts of jobs have counters that only NFS and Storage Scale know. In version 8 jobs say of how many nodes
 * each warning is; before, only the text did.
 */
export const UPGRADES: readonly Upgrade[] = [
  { from: 1, tables: {} },
  { from: 2, tables: { minutes: { added: { cluster: "null::VARCHAR" } } } },
  { from: 3, tables: { runs: { added: { negative_counters: NEGATIVES_OF_WARNINGS } } } },
  { from: 4, tables: { runs: MADE_KNOWN, jobs: MADE_KNOWN, readings: MADE_KNOWN } },
  {
    from: 5,
    tables: {
      minutes: { added: { user_id: "null::BIGINT", node: "null::VARCHAR", ...MORE_COUNTERS } },
      targets: { added: MORE_COUNTERS },
      jobs: { added: { node_list: "null::VARCHAR", ...NO_ZONE.added } },
      runs: NO_ZONE,
    },
  },
  { from: 6, tables: { job_mounts: { added: MOUNT_COUNTERS } } },
  { from: 7, tables: { jobs: { added: { node_warnings: "null::VARCHAR" } } } },
];

assert(
  UPGRADES.length === STORE_VERSION - 1 && UPGRADES.every(({ from }, i) => from === i + 1),
  "every version before this one has a step to the next",
);

/** The rows of `source`, a relation of an older version, as a relation of the current one. */
export function upgraded(
  table: string,
  version: number,
  source: string,
  upgrades: readonly Upgrade[] = UPGRADES,
  current = STORE_VERSION,
): string {
  assert(version >= 1 && version <= current, "a batch of a version that is known");
  let relation = source;
  for (let at = version; at < current; at++) {
    const step = upgrades.find(({ from }) => from === at)?.tables[table];
    if (step !== undefined) relation = `(${stepQuery(step, relation)})`;
  }
  return relation;
}

function stepQuery({ added = {}, changed = {}, removed = [] }: TableUpgrade, relation: string): string {
  const list = (expressions: Expressions) =>
    Object.entries(expressions).map(([name, expression]) => `${expression} as ${quoteName(name)}`);
  const exclude = removed.length === 0 ? "" : ` exclude (${removed.map(quoteName).join(", ")})`;
  const replace = Object.keys(changed).length === 0 ? "" : ` replace (${list(changed).join(", ")})`;
  return `select ${[`*${exclude}${replace}`, ...list(added)].join(", ")} from ${relation}`;
}
