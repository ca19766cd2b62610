/** Ranking of jobs, users or accounts by load, with the rest as one row and the part not in job statistics. */
import type { Queryable, SqlRow } from "../../model/index.ts";
import {
  AMOUNT_COLUMNS,
  type Amounts,
  amountsOf,
  COLUMNS,
  excess,
  type Measure,
  measureColumn,
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
import { type GatheredJobs, gatherFromClients, gatherFromServers } from "./gather.ts";
import { loadRows } from "./levels.ts";
import { stretchesOf, stretchSql } from "./stretches.ts";
import type { Window } from "./window.ts";

/** Kind of the rows. */
export type By = "job" | "user" | "account";
/** The column of `load_people` that groups jobs. */
const LABELS: Readonly<Record<Exclude<By, "job">, string>> = { user: "user_label", account: "account" };
/** share: the larger of the shares of all bytes and of all metadata operations. */
export type Order = Measure | "share";

export interface Loader extends Amounts {
  /** Job id, or name of a user or account; null: unknown. */
  readonly id: string | null;
  readonly user: string | null;
  readonly account: string | null;
  readonly jobName: string | null;
  readonly cluster: string | null;
  /** Candidate clusters of an ambiguous job id, `cab or quartz`; else null. */
  readonly possibleClusters: string | null;
  readonly nodes: number | null;
  readonly startUnix: number | null;
  readonly endUnix: number | null;
  readonly jobs: number;
  /** Share of all load, by the requested measure. */
  readonly share: number;
  /** That amount per step of the window; empty without minutes. */
  readonly when: readonly number[];
}

export interface Rest extends Amounts {
  readonly jobs: number;
  /** Users of these jobs; some may also have jobs among the top rows. */
  readonly users: number;
  /** Accounts of these jobs, if rows are accounts. */
  readonly accounts?: number;
  readonly share: number;
  readonly when: readonly number[];
}

export interface Ranking {
  readonly by: By;
  readonly measure: Measure;
  readonly order: Order;
  readonly source: "servers" | "clients";
  readonly window: Window | undefined;
  readonly rows: readonly Loader[];
  readonly others: Rest;
  /** Target counters minus the sum over jobs; null: no target counters. */
  readonly unexplained: Rest | null;
  /** Sum over jobs minus target counters, e.g. due to missed samples. */
  readonly beyond: Amounts;
  /** Total of rows, others and the part not in job statistics. */
  readonly total: Amounts;
  readonly jobs: number;
  readonly users: number;
  /** Jobs with an id on several clusters that cannot be resolved; they are in the rows, without a user. */
  readonly unclear: Amounts & { readonly jobs: number };
}

interface RankQuery {
  readonly by: By;
  readonly order: Order;
  readonly limit: number;
}

export interface RankRequest extends RankQuery {
  readonly source: "servers" | "clients";
  readonly window: Window | undefined;
  /** SQL on `minutes` and `targets`. */
  readonly condition: string;
  readonly smallBytes: number;
}

const NO_REST: Rest = { ...NOTHING, jobs: 0, users: 0, share: 0, when: [] };

export async function rank(db: Queryable, request: RankRequest): Promise<Ranking> {
  const [ranking] = await rankings(db, request, [request]);
  return ranking as Ranking;
}

/** Several rankings of the same time range and targets; job counters are gathered once. */
export async function rankings(
  db: Queryable,
  request: Omit<RankRequest, keyof RankQuery>,
  asked: readonly RankQuery[],
): Promise<Ranking[]> {
  const { source, window, condition, smallBytes } = request;
  const measures = measuresOf(asked);
  const hasStretches = source === "servers" && window !== undefined;
  const jobs = hasStretches
    ? await gatherFromServers(db, window, condition, smallBytes, measures)
    : await gatherFromClients(db, window, smallBytes, measures);
  const [count] =
    await db.rows(`select (select count(*) from load_jobs) as jobs, count(distinct user_label) as users
    from load_people where person in (select person from load_jobs)`);
  const stretches = (await db.rows(`select stretch, ${SUMS_AGAIN} from ${jobs.cells} group by stretch`)).map(
    (row) => ({ stretch: number(row.stretch), amounts: amountsOf(row) }),
  );
  const ofJobs = stretches.reduce<Amounts>((all, { amounts }) => plus(all, amounts), NOTHING);
  const [unclear] =
    jobs.unclear === undefined
      ? [{ jobs: 0 }]
      : await db.rows(`select count(*) as jobs, ${SUMS_AGAIN} from ${jobs.unclear}`);
  if (asked.some(({ by }) => by !== "job"))
    await db.run(`create or replace temp table load_people_cells as
      select j.person, c.stretch, ${SUMS_AGAIN} from ${jobs.cells} c join load_jobs j on j.identity = c.identity group by all`);
  const own =
    source === "servers" && window !== undefined
      ? await ownCounters(db, window, condition, smallBytes)
      : null;
  // Without target counters, the part not in job statistics is unknown.
  const ofTheseJobs = own === null ? ofJobs : minus(ofJobs, own.ofJobsElsewhere);
  const unexplained = own === null ? NOTHING : excess(own.total, ofTheseJobs);
  const total = plus(ofJobs, unexplained);
  const gathered = {
    ...{ gathered: jobs, hasStretches, stretches, count: count as SqlRow, unclear: unclear as SqlRow },
    ...{ ofJobs, own, unexplained, total },
  };
  // Targets do not count small writes, so jobs cannot have more of them.
  const beyond = own === null ? NOTHING : { ...excess(ofTheseJobs, own.total), smallWriteCalls: 0n };
  const made: Ranking[] = [];
  for (const one of asked) made.push(await ranked(db, { ...request, ...one }, { ...gathered, beyond }));
  return made;
}

/** Sort order of jobs. */
const measuresOf = (asked: readonly RankQuery[]): readonly Measure[] => [
  ...new Set(
    asked.flatMap(({ by, order }): readonly Measure[] =>
      by !== "job" ? [] : order === "share" ? ["bytes", "metadata"] : [order],
    ),
  ),
];

interface Gathered {
  readonly gathered: GatheredJobs;
  readonly hasStretches: boolean;
  readonly stretches: readonly StretchAmounts[];
  readonly count: SqlRow;
  readonly unclear: SqlRow;
  readonly ofJobs: Amounts;
  readonly own: OwnCounters | null;
  readonly unexplained: Amounts;
  readonly beyond: Amounts;
  readonly total: Amounts;
}

async function ranked(
  db: Queryable,
  request: RankRequest,
  {
    gathered,
    hasStretches,
    stretches: ofStretches,
    count,
    unclear,
    ofJobs,
    own,
    unexplained,
    beyond,
    total,
  }: Gathered,
): Promise<Ranking> {
  const { by, order, source, window } = request;
  const measure: Measure = order === "share" ? "bytes" : order;
  const cells = hasStretches ? gathered.cells : undefined;
  const rows = await loaders(db, request, gathered, cells, measure, total);
  const shown = rows.reduce<Amounts>(plus, NOTHING);
  const rest = minus(ofJobs, shown);
  const whole = measured(total, measure);
  const share = (part: Amounts) => shareOf(measured(part, measure), whole);
  const jobs = number(count.jobs);
  const users = number(count.users);
  const jobsShown = rows.reduce((all, one) => all + one.jobs, 0);
  const stretches = hasStretches && window !== undefined ? overStretches(window, ofStretches, measure) : [];
  const left = (all: readonly number[], less: readonly (readonly number[])[]) =>
    all.map((value, at) =>
      Math.max(
        0,
        less.reduce((sum, one) => sum - (one[at] ?? 0), value),
      ),
    );
  return {
    by,
    measure,
    order,
    source,
    window,
    rows,
    others: {
      ...rest,
      jobs: jobs - jobsShown,
      ...(await beyondTop(db, by)),
      share: share(rest),
      when: left(
        stretches,
        rows.map(({ when }) => when),
      ),
    },
    unexplained:
      own === null
        ? null
        : {
            ...NO_REST,
            ...unexplained,
            share: share(unexplained),
            when: left(own.stretches(measure), [stretches]),
          },
    beyond,
    total,
    jobs,
    users,
    unclear: { ...amountsOf(unclear), jobs: number(unclear.jobs) },
  };
}

const ratio = (part: string, whole: bigint) => (whole === 0n ? "0" : `${part}::double / ${whole}`);

function orderSql(order: Order, total: Amounts, column: (measure: Measure) => string = measureSql): string {
  if (order !== "share") return column(order);
  const of = (measure: Measure) => ratio(column(measure), measured(total, measure));
  return `greatest(${of("bytes")}, ${of("metadata")})`;
}

async function loaders(
  db: Queryable,
  request: RankRequest,
  gathered: GatheredJobs,
  cells: string | undefined,
  measure: Measure,
  total: Amounts,
): Promise<Loader[]> {
  const { by, window, limit } = request;
  const [grouped, ties] =
    by === "job"
      ? [
          `select identity, job_id as label, 1 as jobs, user_label as user, account, name, cluster, clusters, nodes, start_unix_ns,
             end_unix_ns, ${Object.values(COLUMNS).join(", ")} from ${await firstJobs(db, gathered, orderSql(request.order, total, measureColumn), limit)}`,
          "label nulls last, cluster nulls last, start_unix_ns",
        ]
      : [
          `select ${LABELS[by]} as label, sum(jobs) as jobs, ${by === "user" ? LABELS.user : "null"} as user,
             ${by === "account" ? LABELS.account : "null"} as account, null as name, null as cluster, null as clusters,
             null as nodes, null as start_unix_ns, null as end_unix_ns, ${SUMS_AGAIN} from ${PEOPLE_SUMS} group by ${LABELS[by]}`,
          "label nulls last",
        ];
  const order = `${orderSql(request.order, total)} desc, ${ties}`;
  await db.run(`create or replace temp table load_top as
    select *, row_number() over (order by ${order})::integer as place
    from (select * from (${grouped}) order by ${order} limit ${limit})`);
  const rows = await db.rows("select * from load_top order by place");
  const whens =
    cells !== undefined && window !== undefined
      ? await stretchesOfTop(db, by, cells, measure, rows.length, stretchesOf(window))
      : rows.map(() => []);
  const whole = measured(total, measure);
  return rows.map((row, at) => {
    const amounts = amountsOf(row);
    return {
      id: text(row.label),
      user: text(row.user),
      account: text(row.account),
      jobName: text(row.name),
      cluster: text(row.cluster),
      possibleClusters: text(row.clusters),
      nodes: row.nodes === null ? null : number(row.nodes),
      startUnix: row.start_unix_ns === null ? null : number(row.start_unix_ns) / 1e9,
      endUnix: row.end_unix_ns === null ? null : number(row.end_unix_ns) / 1e9,
      jobs: number(row.jobs),
      ...amounts,
      share: shareOf(measured(amounts, measure), whole),
      when: whens[at] ?? [],
    };
  });
}

/** Jobs that may be among the top rows: those with at least as much as the last of these. Ties are broken by name. */
async function firstJobs(
  db: Queryable,
  gathered: GatheredJobs,
  order: string,
  limit: number,
): Promise<string> {
  await db.run(`create or replace temp table load_first as
    with keyed as (select identity, ${order} as amount from load_jobs)
    select identity from keyed
    where amount >= (select min(amount) from (select amount from keyed order by amount desc limit ${limit}))`);
  return gathered.named("load_first");
}

/** Sum over all jobs per user and account. */
const PEOPLE_SUMS = `(select c.*, n.jobs, p.user_label, p.account
  from (select person, ${SUMS_AGAIN} from load_people_cells group by person) c
  join (select person, count(*) as jobs from load_jobs group by person) n on n.person = c.person
  left join load_people p on p.person = c.person)`;

/** Users or accounts of the remaining jobs. */
async function beyondTop(db: Queryable, by: By): Promise<Pick<Rest, "users" | "accounts">> {
  const [row] =
    await db.rows(`select count(distinct user_label) as users, count(distinct account) as accounts from load_people p
    where ${
      by === "job"
        ? "person in (select person from load_jobs where identity not in (select identity from load_top))"
        : `person in (select person from load_jobs) and not exists (select 1 from load_top t where t.label is not distinct from p.${LABELS[by]})`
    }`);
  const users = number(row?.users);
  return by === "account" ? { users, accounts: number(row?.accounts) } : { users };
}

async function stretchesOfTop(
  db: Queryable,
  by: By,
  cells: string,
  measure: Measure,
  count: number,
  stretches: number,
): Promise<number[][]> {
  const from =
    by === "job"
      ? `${cells} c join load_top t on t.identity = c.identity`
      : `load_people_cells c left join load_people p on p.person = c.person
         join load_top t on t.label is not distinct from p.${LABELS[by]}`;
  const found = await db.rows(
    `select t.place, c.stretch, sum(${measureSql(measure, "c.")}) as amount from ${from} group by all`,
  );
  const whens = Array.from({ length: count }, () => new Array<number>(stretches).fill(0));
  for (const { place, stretch, amount } of found)
    (whens[number(place) - 1] as number[])[number(stretch)] = number(amount);
  return whens;
}

interface StretchAmounts {
  readonly stretch: number;
  readonly amounts: Amounts;
}

/** Sum over all steps of a window. */
function overStretches(window: Window, found: readonly StretchAmounts[], measure: Measure): number[] {
  const when = new Array<number>(stretchesOf(window)).fill(0);
  for (const { stretch, amounts } of found) when[stretch] = Number(measured(amounts, measure));
  return when;
}

interface OwnCounters {
  readonly total: Amounts;
  /** Load of jobs on targets without such counters. */
  readonly ofJobsElsewhere: Amounts;
  stretches(measure: Measure): number[];
}

/** Target counters, if there are any. */
async function ownCounters(
  db: Queryable,
  window: Window,
  condition: string,
  smallBytes: number,
): Promise<OwnCounters | null> {
  const asked = { base: "targets", window, condition, smallBytes: 0 } as const;
  const rows = await db.rows(`select ${stretchSql(window)} as stretch, ${SUMS_AGAIN}
    from ${await loadRows(db, AMOUNT_COLUMNS, asked)} group by stretch`);
  if (rows.length === 0) return null;
  const ofJobsElsewhere = await jobsElsewhere(db, window, condition, smallBytes);
  // Target counters do not separate jobs, so none of their writes count as small.
  const cells = rows.map((row) => ({
    stretch: number(row.stretch),
    amounts: { ...amountsOf(row), smallWriteCalls: 0n },
  }));
  return {
    ofJobsElsewhere,
    total: cells.reduce<Amounts>((sum, { amounts }) => plus(sum, amounts), NOTHING),
    stretches: (measure) => overStretches(window, cells, measure),
  };
}

async function jobsElsewhere(
  db: Queryable,
  window: Window,
  condition: string,
  smallBytes: number,
): Promise<Amounts> {
  const [known] = await db.rows(`select count(*) as targets, count(*) filter (own = 0) as without from (
    select count(*) filter (kind <> 'job_stats') as own from readings where ${condition} group by file_system, target)`);
  if (number(known?.targets) > 0 && number(known?.without) === 0) return NOTHING;
  const name = "concat(file_system, '-', target)";
  const asked = { window, condition, smallBytes };
  const columns = ["file_system", "target", ...AMOUNT_COLUMNS];
  const ofJobs = await loadRows(db, columns, { ...asked, base: "minutes" });
  const own = await loadRows(db, columns, { ...asked, base: "targets", smallBytes: 0 });
  const [row] = await db.rows(`select ${SUMS_AGAIN} from ${ofJobs}
    where ${name} not in (select distinct ${name} from ${own})`);
  return amountsOf(row as SqlRow);
}
