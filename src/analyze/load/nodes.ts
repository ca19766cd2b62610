/** Nodes by load: from server counters per client and hour, or from node names in job ids. */
import type { Queryable } from "../../model/index.ts";
import {
  AMOUNT_COLUMNS,
  type Amounts,
  amountsOf,
  type Measure,
  measured,
  measureSql,
  minus,
  NOTHING,
  number,
  plus,
  shareOf,
  SUMS_AGAIN,
  text,
} from "./amounts.ts";
import { loadRows } from "./levels.ts";
import type { Window } from "./window.ts";

interface NodeLoad extends Amounts {
  /** Client address, or node from the job id; null: unknown. */
  readonly node: string | null;
  readonly targets: number;
  readonly share: number;
}

export interface NodeRanking {
  readonly measure: Measure;
  /** exports: clients of targets, by whole hours. minutes: nodes from job ids. */
  readonly source: "exports" | "minutes";
  readonly window: Window;
  readonly rows: readonly NodeLoad[];
  readonly others: Amounts & { readonly nodes: number; readonly share: number };
  readonly total: Amounts;
  readonly nodes: number;
}

interface NodeRequest {
  readonly window: Window;
  readonly condition: string;
  readonly measure: Measure;
  readonly limit: number;
  readonly smallBytes: number;
}

export async function rankNodes(db: Queryable, request: NodeRequest): Promise<NodeRanking> {
  const { condition, measure, limit } = request;
  const hours = { from: Math.floor(request.window.from / 60), to: Math.ceil(request.window.to / 60) };
  const clients = `(select client as node, file_system, target, ${AMOUNT_COLUMNS.join(", ")}, null::bigint as small_writes
    from exports where hour_unix >= ${hours.from} and hour_unix < ${hours.to} and ${condition})`;
  const isThere =
    (await db.rows(`select 1 as one from ${clients} limit 1`)).length > 0 && measure !== "small-writes";
  const columns = ["node", "file_system", "target", ...AMOUNT_COLUMNS];
  const relation = isThere ? clients : await loadRows(db, columns, { ...request, base: "minutes" });
  await db.run(`create or replace temp table load_nodes as
    select node, count(distinct concat(file_system, '-', target)) as targets, ${SUMS_AGAIN} from ${relation} group by node`);
  const [sum] = await db.rows(`select count(node) as nodes, ${SUMS_AGAIN} from load_nodes`);
  const total = amountsOf(sum ?? {});
  const whole = measured(total, measure);
  const rows = await db.rows(
    `select * from load_nodes order by ${measureSql(measure)} desc, node nulls last limit ${limit}`,
  );
  const shown = rows.map((row) => ({
    node: text(row.node),
    targets: number(row.targets),
    ...amountsOf(row),
    share: shareOf(measured(amountsOf(row), measure), whole),
  }));
  const rest = minus(total, shown.reduce<Amounts>(plus, NOTHING));
  const nodes = number(sum?.nodes);
  return {
    measure,
    source: isThere ? "exports" : "minutes",
    window: isThere ? { from: hours.from * 60, to: hours.to * 60 } : request.window,
    rows: shown,
    others: {
      ...rest,
      nodes: nodes - shown.filter(({ node }) => node !== null).length,
      share: shareOf(measured(rest, measure), whole),
    },
    total,
    nodes,
  };
}
