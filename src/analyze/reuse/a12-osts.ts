import { coefficientOfVariation, gini, quantile, sorted } from "../../base/statistics.ts";
import type { Queryable } from "../../model/query.ts";
import { violinChart } from "./charts.ts";
import { defineItem, drawn, exact, number, share, table } from "./item.ts";
import { prepare } from "./prepare.ts";

export interface OstLoad {
  readonly ost: number;
  readonly bytes: bigint;
  readonly files: number;
  readonly applications: number;
  readonly users: number;
}

const HOT_MAX = 20;
const FILES_PER_HOT = 5;

export const a12 = defineItem({
  id: "A12",
  definition: "A12@1",
  title: "Load of the OSTs (figure 7, finding 7)",
  about:
    "Per OST the bytes of all accesses of files placed on it; the bytes of a file on k OSTs are divided evenly, a remainder of a few bytes goes to the first. Files, applications and users per OST beside it. Only OSTs that hold a selected file are known.",
  reading: "Bytes that are far less even than files say that placement balances capacity and not load.",
  options: ["minBytes", "minRuns", "ddof"],
  published: { leastOverMost: 0.13, stripeWidth1: 0.99 },
  async measure(db, options) {
    const { files } = await prepare(db, options);
    const loads = await ostLoads(db);
    const [layout] =
      await db.rows(`select sum(coalesce(r, 0)) filter (known) + sum(coalesce(w, 0)) filter (known) as known,
      sum(coalesce(r, 0)) filter (not known) + sum(coalesce(w, 0)) filter (not known) as unknown,
      count(distinct file_no) filter (known) as files
      from (select file_no, r, w, ${LAID_OUT} as known from reuse_accesses)`);
    const [stripes] = await db.rows(`select count(*) as n, count(*) filter (width = 1) as one
      from (select file_no, max(width) as width from reuse_layouts group by file_no)`);
    const bytes = loads.map((load) => Number(load.bytes));
    const rising = sorted(bytes);
    const least = (values: readonly number[]) => share(Math.min(...values), Math.max(...values));
    const ratio = (values: readonly number[]) => (values.length === 0 ? Number.NaN : least(values));
    return {
      n: loads.length,
      unit: "OSTs",
      dropped: { "files without a recorded layout": files - (number(layout?.files) || 0) },
      values: {
        osts: loads.length,
        leastOverMost: ratio(bytes),
        filesLeastOverMost: ratio(loads.map((load) => load.files)),
        applicationsLeastOverMost: ratio(loads.map((load) => load.applications)),
        usersLeastOverMost: ratio(loads.map((load) => load.users)),
        gini: gini(bytes),
        cov: coefficientOfVariation(bytes, options.ddof),
        p95OverP5: quantile(rising, 0.95) / quantile(rising, 0.05),
        stripeWidth1: share(number(stripes?.one), number(stripes?.n)),
        bytesKnownLayout: exact(layout?.known),
        bytesUnknownLayout: exact(layout?.unknown),
        bytesOnOsts: loads.reduce((sum, load) => sum + load.bytes, 0n),
      },
      notes:
        loads.length === 0
          ? []
          : ["An OST without any selected file is not seen; it would make the least share 0."],
      tables: loads.length === 0 ? [] : [loadTable(loads), await hotTable(db, loads)],
      figures: loads.length === 0 ? [] : [strip(loads, ratio(bytes)), violins(loads)],
    };
  },
});

/** Whether the OSTs of an access are known. */
const LAID_OUT = "osts is not null and trim(osts) <> ''";

/**
 * `reuse_layouts`: per file and OST its bytes. Layouts repeat from run to run, so texts are taken apart once per file and
 * layout.
 */
export async function ostLoads(db: Queryable): Promise<OstLoad[]> {
  const split = (key: string) => `select ${key}, osts, sum(coalesce(r, 0)) + sum(coalesce(w, 0)) as bytes
    from reuse_accesses where ${LAID_OUT} group by ${key}, osts`;
  const list = "list_filter(string_split(osts, ' '), o -> o <> '')";
  await db.run(`create or replace temp table reuse_layouts as
    select file_no, cast(list[i] as integer) as ost, width, i,
      bytes // width + case when i <= bytes % width then 1 else 0 end as bytes
    from (select file_no, bytes, list, len(list) as width, unnest(range(1, len(list) + 1)) as i
      from (select file_no, bytes, ${list} as list from (${split("file_no")})))`);
  const distinct = (key: string) => `select cast(ost as integer) as ost, count(distinct ${key}) as n
    from (select ${key}, unnest(${list}) as ost from (${split(key)})) group by 1`;
  const rows = await db.rows(`select l.ost, sum(l.bytes) as bytes, count(distinct l.file_no) as files,
      any_value(a.n) as applications, any_value(u.n) as users
    from reuse_layouts l left join (${distinct("application_id")}) a on l.ost = a.ost
      left join (${distinct("user_id")}) u on l.ost = u.ost
    group by l.ost order by l.ost`);
  return rows.map((row) => ({
    ost: number(row.ost),
    bytes: exact(row.bytes),
    files: number(row.files),
    applications: number(row.applications),
    users: number(row.users),
  }));
}

const most = (loads: readonly OstLoad[], of: (load: OstLoad) => number) => Math.max(1, ...loads.map(of));

function loadTable(loads: readonly OstLoad[]) {
  const top = most(loads, (load) => Number(load.bytes));
  const mean = loads.reduce((sum, load) => sum + Number(load.bytes), 0) / loads.length;
  return table(
    "ost-load",
    "Every OST with a selected file.",
    [
      ["ost", "OST", "index", "Index of the OST."],
      ["bytes", "Data", "bytes", "Bytes read and written of files on it, shared out over their stripes."],
      ["ofMost", "Of the most", "share", "Bytes over those of the most active OST."],
      ["overMean", "Over mean", "ratio", "Bytes over the mean of all OSTs."],
      ["files", "Files", "files", "Selected files on it."],
      ["applications", "Applications", "count", "Applications that touch them."],
      ["users", "Users", "count", "Users that touch them."],
    ],
    loads.map((load) => [
      load.ost,
      load.bytes,
      Number(load.bytes) / top,
      mean > 0 ? Number(load.bytes) / mean : null,
      load.files,
      load.applications,
      load.users,
    ]),
  );
}

/** The most active OSTs, a twentieth of all and at least one, with the files behind their load. */
async function hotTable(db: Queryable, loads: readonly OstLoad[]) {
  const hot = [...loads]
    .sort((a, b) => (b.bytes > a.bytes ? 1 : b.bytes < a.bytes ? -1 : a.ost - b.ost))
    .slice(0, Math.min(HOT_MAX, Math.ceil(loads.length / 20)));
  const rows = await db.rows(`with ranked as (
      select l.ost, l.file_no, sum(l.bytes) as bytes,
        row_number() over (partition by l.ost order by sum(l.bytes) desc, l.file_no) as place
      from reuse_layouts l where l.ost in (${hot.map(({ ost }) => ost).join(", ")}) group by l.ost, l.file_no)
    select r.ost, r.place, r.bytes, s.file_id, m.mount, s.class,
      (select min(path) from files f where f.file_id = s.file_id) as path
    from ranked r join reuse_selected s on r.file_no = s.file_no join reuse_mounts m on s.mount_no = m.mount_no
    where place <= ${FILES_PER_HOT}`);
  const order = new Map(hot.map(({ ost }, index) => [ost, index]));
  rows.sort(
    (a, b) => order.get(number(a.ost))! - order.get(number(b.ost))! || number(a.place) - number(b.place),
  );
  const bytesOf = new Map(hot.map(({ ost, bytes }) => [ost, Number(bytes)]));
  return table(
    "hot-osts",
    `The ${hot.length} most active OSTs and the files behind their load.`,
    [
      ["ost", "OST", "index", "Index of the OST."],
      ["place", "Place", "index", "1 is the file with most bytes on this OST."],
      ["file", "File", "text", "Record id."],
      ["path", "Path", "text", "Name, where recorded."],
      ["mount", "Mount", "text", "Mount point."],
      ["class", "Class", "text", "Class of the file (A05)."],
      ["bytes", "Data", "bytes", "Bytes of the file on this OST."],
      ["share", "Of the OST", "share", "Of all bytes of the OST."],
    ],
    rows.map((row) => [
      number(row.ost),
      number(row.place),
      String(row.file_id),
      row.path === null ? null : String(row.path),
      row.mount === null ? null : String(row.mount),
      className(row.class),
      exact(row.bytes),
      share(number(row.bytes), bytesOf.get(number(row.ost)) ?? 0),
    ]),
  );
}

export const className = (code: unknown): string | null =>
  code === null || code === undefined
    ? null
    : Number(code) === 1
      ? "read-heavy"
      : Number(code) === -1
        ? "write-heavy"
        : "both";

function strip(loads: readonly OstLoad[], leastOverMost: number) {
  const top = most(loads, (load) => Number(load.bytes));
  const files = most(loads, (load) => load.files);
  return drawn({
    id: "figure-7-osts",
    title: "Data per OST",
    caption: `${loads.length} OSTs with selected files; height is data, colour the number of files, each over its largest.`,
    summary: `The least active OST moves ${(100 * leastOverMost).toFixed(1)} % of the data of the most active.`,
    chart: {
      kind: "strip",
      itemLabel: "OST",
      items: loads.map((load) => ({
        name: String(load.ost),
        height: Number(load.bytes) / top,
        colour: load.files / files,
      })),
      height: { label: "data, of the most", unit: "share" },
      colour: { label: "files, of the most", unit: "share" },
    },
  });
}

function violins(loads: readonly OstLoad[]) {
  const group = (name: string, of: (load: OstLoad) => number) => {
    const top = most(loads, of);
    return { name, role: "neutral" as const, values: Float64Array.from(loads, (load) => of(load) / top) };
  };
  return drawn({
    id: "figure-7-spread",
    title: "Spread over the OSTs",
    caption: `${loads.length} OSTs; each value over the largest of its kind; solid: mean.`,
    summary:
      "Data is spread less evenly over OSTs than files, applications and users are, or not: compare the widths.",
    chart: violinChart({ label: "of the most", unit: "share" }, "per OST", [
      group("data", (load) => Number(load.bytes)),
      group("files", (load) => load.files),
      group("applications", (load) => load.applications),
      group("users", (load) => load.users),
    ]),
  });
}
