/** Targets in order of load. */
import type { Queryable, SqlRow } from "../../model/index.ts";
import {
  AMOUNT_COLUMNS,
  type Amounts,
  amountsOf,
  exact,
  type Measure,
  measured,
  NOTHING,
  number,
  plus,
  shareOf,
  SUMS_AGAIN,
  text,
} from "./amounts.ts";
import { loadRows } from "./levels.ts";
import type { Order, RankRequest } from "./rank.ts";
import { stretchesOf, stretchSql } from "./stretches.ts";
import type { Window } from "./window.ts";

interface TargetLoad extends Amounts {
  readonly fileSystem: string | null;
  readonly target: string;
  readonly share: number;
  readonly when: readonly number[];
}

/** Comparison of the first target with the mean of its kind, OST or MDT. */
interface Comparison {
  readonly kind: "OST" | "MDT" | "target";
  /** Targets of this kind. */
  readonly targets: number;
  /** The measure; for the order `share`, the one with the larger share of the first target. */
  readonly measure: Measure;
  readonly mean: number;
  /** First / mean; NaN: no load. */
  readonly firstOverMean: number;
}

export interface TargetRanking {
  readonly measure: Measure;
  readonly order: Order;
  /** Source: target counters, or the sum over jobs. */
  readonly source: "targets" | "minutes";
  readonly window: Window;
  readonly rows: readonly TargetLoad[];
  readonly others: Amounts & { readonly targets: number; readonly share: number };
  readonly total: Amounts;
  readonly targets: number;
  /** Null: there are no targets. */
  readonly comparison: Comparison | null;
}

/** Targets in order of load. Small writes are known only for jobs. */
export async function rankTargets(
  db: Queryable,
  {
    order,
    limit,
    window,
    condition,
    smallBytes,
  }: Omit<RankRequest, "by" | "source"> & { readonly window: Window },
): Promise<TargetRanking> {
  const measure: Measure = order === "share" ? "bytes" : order;
  const columns = ["file_system", "target", ...AMOUNT_COLUMNS];
  const asked = { window, condition, smallBytes };
  const ownRows = await loadRows(db, columns, { ...asked, base: "targets", smallBytes: 0 });
  const [own] = await db.rows(`select count(*) as n from (select 1 from ${ownRows} limit 1)`);
  const source = measure === "small-writes" || exact(own?.n) === 0n ? "minutes" : "targets";
  const relation =
    source === "targets" ? ownRows : await loadRows(db, columns, { ...asked, base: "minutes" });
  const rows = await db.rows(`select file_system, target, ${stretchSql(window)} as stretch, ${SUMS_AGAIN}
    from ${relation} group by all order by all`);
  const loads = new Map<string, { row: SqlRow; amounts: Amounts; when: number[] }>();
  for (const row of rows) {
    const key = JSON.stringify([row.file_system, row.target]);
    const known = loads.get(key) ?? {
      row,
      amounts: NOTHING,
      when: new Array<number>(stretchesOf(window)).fill(0),
    };
    const amounts = amountsOf(row);
    known.when[number(row.stretch)] = Number(measured(amounts, measure));
    loads.set(key, { ...known, amounts: plus(known.amounts, amounts) });
  }
  const total = [...loads.values()].reduce((sum, { amounts }) => plus(sum, amounts), NOTHING);
  const part = (amounts: Amounts, by: Measure) => shareOf(measured(amounts, by), measured(total, by)) || 0;
  const place = (amounts: Amounts) =>
    order === "share"
      ? Math.max(part(amounts, "bytes"), part(amounts, "metadata"))
      : Number(measured(amounts, measure));
  const ranked = [...loads.values()]
    .map(({ row, amounts, when }) => ({
      fileSystem: text(row.file_system),
      target: String(row.target),
      ...amounts,
      share: shareOf(measured(amounts, measure), measured(total, measure)),
      when,
    }))
    .sort((a, b) => place(b) - place(a) || (a.target < b.target ? -1 : 1));
  const [first] = ranked;
  const larger = (one: Amounts) => (part(one, "metadata") > part(one, "bytes") ? "metadata" : "bytes");
  const comparison =
    first === undefined ? null : comparisonOf(first, ranked, order === "share" ? larger(first) : measure);
  const shown = ranked.slice(0, limit);
  const rest = ranked.slice(limit).reduce<Amounts>(plus, NOTHING);
  return {
    measure,
    order,
    source,
    window,
    rows: shown,
    others: {
      ...rest,
      targets: ranked.length - shown.length,
      share: shareOf(measured(rest, measure), measured(total, measure)),
    },
    total,
    targets: ranked.length,
    comparison,
  };
}

/** As Lustre names its targets. */
const kindOf = ({ target }: { readonly target: string }): Comparison["kind"] =>
  /OST[0-9a-f]{4}$/i.test(target) ? "OST" : /MDT[0-9a-f]{4}$/i.test(target) ? "MDT" : "target";

function comparisonOf(first: TargetLoad, all: readonly TargetLoad[], measure: Measure): Comparison {
  const kind = kindOf(first);
  const alike = all.filter((one) => kindOf(one) === kind);
  const mean = alike.reduce((sum, one) => sum + Number(measured(one, measure)), 0) / alike.length;
  const firstOverMean = mean === 0 ? Number.NaN : Number(measured(first, measure)) / mean;
  return { kind, targets: alike.length, measure, mean, firstOverMean };
}
