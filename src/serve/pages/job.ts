/** `/job/ID`: the document of `plimsoll job`, targets × minutes with its neighbours, and its Darshan logs. */
import {
  type JobAnswer,
  type JobRun,
  jobAnswer,
  jobDocument,
  jobLoad,
  limitsOf,
  WRITE_CLASS_DEFAULTS,
} from "../../analyze/load/index.ts";
import { commandLine } from "../../base/command-line.ts";
import { escapeHtml, prose } from "../../report/html/index.ts";
import { originOf, sqlCommand, storeFacts } from "../requested.ts";
import {
  axisHtml,
  type HeatRow,
  heatRowsHtml,
  heatTop,
  rampHtml,
  stepSql,
  type Strip,
  stripHtml,
} from "../html/time.ts";
import { addressOf } from "../links.ts";
import { type Ask, Forbidden, NotFound, type Page, type PageContent, type Panel } from "../site.ts";
import { byteScale, countScale, longAge } from "../units.ts";
import { documentContent } from "./document.ts";
import { ownIds } from "./runs.ts";
import { offsetAtMinute } from "./time-axis.ts";

const NEIGHBOURS = 20;
/** Same limit as in the command. */
const LATE_MINUTES = 1;

export const jobPage: Page = { path: "/job/:id", make: jobContent };

async function jobContent(ask: Ask): Promise<PageContent> {
  const id = ask.names[0] ?? "";
  const facts = await storeFacts(ask).catch(() => undefined);
  const zone = facts?.zone ?? "UTC";
  const { population, perCall, threshold } = WRITE_CLASS_DEFAULTS;
  const cluster = ask.param("cluster");
  const answer = await ask.answer(`job ${id} ${cluster ?? ""}`, (db) =>
    jobAnswer(db, id, {
      ...{
        population,
        perCall,
        maxGapMinutes: 0,
        lateMinutes: LATE_MINUTES,
        neighbours: NEIGHBOURS,
        cluster,
        limits: (session, of, options) =>
          ask.part(`limits ${of ?? ""}`, () => limitsOf(session, of, options)),
      },
      threshold: threshold === "mean" || threshold === "median" ? threshold : Number(threshold),
    }),
  );
  const mine = await ownAnswer(ask, answer);
  // Does not reveal whether other users' jobs exist.
  if (mine.runs.length === 0)
    throw ask.viewer.isAdmin
      ? new NotFound(`the store has no job ${id}`)
      : new Forbidden("this job is not yours, or not in the store");
  const command = commandLine([
    ...["plimsoll", "job", id, "--store", ask.store, "--limit", String(NEIGHBOURS)],
    ...(cluster === undefined ? [] : ["--cluster", cluster]),
  ]);
  const document = jobDocument(mine, { command, madeBy: "", zone });
  const is = `job_id = ${quoted(id)}`;
  const last = mine.runs.at(-1) as JobRun;
  const counted = last.spanMinutes === 1 ? "minutes" : last.spanMinutes === 60 ? "job_hours" : "job_days";
  const links = { job: "job", user: "user", target: "target" } as const;
  const content = documentContent(ask, document, {
    origin: await originOf(ask, "jobs", "readings"),
    sql: (section) => sqlOf(section, is, counted),
    links: (section) =>
      section.endsWith("targets") ? { target: "target" } : ask.viewer.isAdmin ? links : {},
  });
  const panels: Panel[] = [...content.panels];
  const title = mine.runs.length > 1 ? `Run ${mine.runs.length}: targets` : "Targets";
  // Daily roll-ups of pruned hours have no targets.
  if (last.series.length > 0 && counted !== "job_days")
    panels.splice(1, 0, await mapPanel(ask, last, runCondition(answer, last), counted, title, zone));
  const reports = mine.runs.flatMap(({ darshan }) => darshan);
  if (reports.length > 0) panels.push(reportsPanel(ask, reports, is, command));
  // Other jobs are one sum in the map; the list names them.
  const shown = ask.viewer.isAdmin ? panels : panels.filter(({ id: panel }) => !panel.endsWith("beside"));
  return { ...content, panels: shown };
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The viewer's runs: the same job id on another cluster may belong to somebody else. */
async function ownAnswer(ask: Ask, answer: JobAnswer): Promise<JobAnswer> {
  const ids = await ownIds(ask);
  if (ids === undefined) return answer;
  const runs = answer.runs
    .filter(({ facts: { user } }) => user !== null && user === ask.viewer.name)
    .map((run): JobRun => {
      const darshan = run.darshan.filter(({ userId }) => userId !== null && ids.includes(userId));
      const isWhole = darshan.length === run.darshan.length;
      return {
        ...{ ...run, darshan, neighbours: [], neighboursTotal: 0 },
        ...(isWhole ? {} : { darshanReadShare: Number.NaN, darshanWrittenShare: Number.NaN }),
      };
    });
  const clusters = [...new Set(runs.flatMap(({ facts: { cluster } }) => cluster ?? []))];
  return { ...answer, runs, clusters, unclear: null };
}

/** If several clusters have this job id, minutes without a cluster count if they belong to this run. */
function runCondition({ jobId, clusters }: JobAnswer, { facts: { cluster }, series }: JobRun): string {
  const is = `job_id = ${quoted(jobId)}`;
  if (clusters.length < 2 || cluster === null) return is;
  const own = series.map(({ minuteUnix }) => minuteUnix).join(", ");
  return `${is} and coalesce(cluster = ${quoted(cluster)}, minute_unix in (${own}))`;
}

function sqlOf(section: string, is: string, counted: string): string {
  if (section.endsWith("darshan")) return `select * from runs where ${is}`;
  if (section.endsWith("targets") && counted !== "job_days")
    return `select file_system, target, sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written, sum(metadata_calls) as metadata_calls, count(distinct minute_unix) as minutes
from ${counted} where ${is} group by all order by sum(coalesce(bytes_read, 0) + coalesce(bytes_written, 0)) desc`;
  if (section.endsWith("beside"))
    return `select m.job_id, sum(coalesce(m.bytes_read, 0) + coalesce(m.bytes_written, 0)) as bytes, sum(m.metadata_calls) as metadata_calls,
  count(distinct (m.file_system, m.target)) as targets, count(distinct m.minute_unix) as minutes
from ${counted} m semi join (select file_system, target, minute_unix from ${counted} where ${is}) using (file_system, target, minute_unix)
where not m.${is} group by all order by 2 desc limit ${NEIGHBOURS}`;
  if (section.endsWith("bursts"))
    return `with written as (select minute_unix, sum(bytes_written) as bytes from ${counted} where ${is} group by 1 having bytes > 0)
select make_timestamp(min(minute_unix) * 60000000) as start, count(*) as minutes, sum(bytes) as bytes
from (select *, minute_unix - row_number() over (order by minute_unix) as burst from written) group by burst order by bytes desc`;
  if (section.endsWith("numbers"))
    return `select sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written, sum(metadata_calls) as metadata_calls,
  sum(bytes_written) / sum(writes) as bytes_per_write, count(distinct minute_unix) as minutes from ${counted} where ${is}`;
  return `select minute_unix, sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written, sum(metadata_calls) as metadata_calls
from ${counted} where ${is} group by all order by all`;
}

const STEPS_MAX = 180;
const ROWS_MAX = 40;

/** Targets × minutes of the job, below strips of its bytes and of its neighbours' bytes on the same targets. */
async function mapPanel(
  ask: Ask,
  { series, spanMinutes }: JobRun,
  is: string,
  table: "minutes" | "job_hours",
  title: string,
  zone: string,
): Promise<Panel> {
  const [from, to] = [series[0]?.minuteUnix ?? 0, (series.at(-1)?.minuteUnix ?? 0) + spanMinutes];
  const stepMinutes = spanMinutes * Math.max(1, Math.ceil((to - from) / spanMinutes / STEPS_MAX));
  const load = await ask.answer(`job load ${is} ${from} ${to}`, (db) =>
    jobLoad(db, { is, table, window: { from, to }, stepMinutes }),
  );
  const steps = Math.ceil((to - from) / stepMinutes);
  const axis = { from, stepMinutes, steps, offsetSeconds: offsetAtMinute(zone, from) };
  const seconds = 60 * stepMinutes;
  const total = (values: readonly { readonly bytes: Float64Array }[]) =>
    Array.from(
      { length: steps },
      (_, at) => values.reduce((sum, { bytes }) => sum + (bytes[at] ?? 0), 0) / seconds,
    );
  const [own, beside] = [total(load.targets), Array.from(load.others, (value) => value / seconds)];
  const most = Math.max(0, ...own, ...beside);
  const { divisor, unit } = byteScale(most, "/s");
  // Without bytes every strip would have an empty axis.
  const top = most > 0 ? { top: most / divisor } : {};
  const strips: Strip[] = [
    {
      name: "This job",
      unit,
      values: own.map((value) => value / divisor),
      band: undefined,
      ...top,
    },
    {
      name: "Others",
      unit,
      values: beside.map((value) => value / divisor),
      band: undefined,
      noBand: "same targets",
      ...top,
    },
  ];
  const shown = load.targets.slice(0, ROWS_MAX);
  const heat = (isMdt: boolean) => {
    const some = shown.filter(({ target }) => /MDT[0-9a-f]{4}$/i.test(target) === isMdt);
    if (some.length === 0) return "";
    const amountOf = (one: (typeof some)[number], at: number) =>
      ((isMdt ? one.metadata[at] : one.bytes[at]) ?? 0) / seconds;
    const most = some.reduce(
      (high, one) => Math.max(high, ...Array.from({ length: steps }, (_, at) => amountOf(one, at))),
      0,
    );
    const scale = isMdt ? countScale(most, "ops/s") : byteScale(most, "/s");
    const rows = some.map(
      (one): HeatRow => ({
        ...{
          name: one.target,
          href: addressOf(ask.root, "target", one.name),
          isMarked: false,
          isLate: false,
        },
        values: Array.from({ length: steps }, (_, at) => amountOf(one, at) / scale.divisor),
      }),
    );
    const top = heatTop(rows);
    return `<div class="sub"><b>${isMdt ? "MDTs" : "OSTs"}</b> ${escapeHtml(scale.unit)}${rampHtml(top)}</div>${heatRowsHtml(rows, top, axis)}`;
  };
  const more =
    load.targets.length > shown.length
      ? `<p class="more">The ${shown.length} busiest of ${load.targets.length} targets.</p>`
      : "";
  const sql = `select ${stepSql(axis)} as time, target, sum(coalesce(bytes_read, 0) + coalesce(bytes_written, 0)) as bytes, sum(metadata_calls) as metadata_calls
from ${table} where ${is} and minute_unix >= ${from} and minute_unix < ${to} group by all order by all`;
  return {
    ...{ id: "map", sql, command: sqlCommand(ask, sql) },
    title: `${title} by ${stepMinutes === 1 ? "minute" : stepMinutes === 60 ? "hour" : longAge(60 * stepMinutes)}, and neighbours`,
    content: {
      html: `<div class="time heat-map">${strips.map(stripHtml).join("\n")}${heat(false)}${heat(true)}${more}${axisHtml(axis)}</div>`,
    },
    csv: [
      ["time", "target", "bytes", "metadata_calls"],
      ...load.targets.flatMap((one) =>
        Array.from({ length: steps }, (_, at) => [
          new Date((from + at * stepMinutes) * 60_000).toISOString(),
          one.name,
          one.bytes[at],
          one.metadata[at],
        ]),
      ),
    ],
  };
}

/** Links to the report of each log, as `plimsoll report` writes it. */
function reportsPanel(
  ask: Ask,
  runs: readonly {
    readonly runId: string;
    readonly application: string | null;
    readonly startUnix: number | null;
    readonly ranks: number | null;
  }[],
  is: string,
  command: string,
): Panel {
  const items = runs
    .slice(0, 50)
    .map(
      ({ runId, application, startUnix, ranks }) =>
        `<li><a href="${escapeHtml(`${addressOf(ask.root, "run", runId)}/report`)}">Report on ${prose(application ?? "the program")}</a> <span class="muted">${ranks === null ? "" : `${ranks} ranks`}${startUnix === null ? "" : `, ${new Date(startUnix * 1000).toISOString().slice(0, 16)} UTC`}</span> · <a href="${escapeHtml(addressOf(ask.root, "run", runId) ?? "")}">against its history</a></li>`,
    );
  return {
    ...{
      id: "reports",
      title: "Darshan reports",
      content: { html: `<ul class="plain">${items.join("")}</ul>` },
    },
    csv: [
      ["run_id", "application", "ranks"],
      ...runs.map(({ runId, application, ranks }) => [runId, application, ranks]),
    ],
    sql: `select run_id, application, ranks, source from runs where ${is}`,
    command,
  };
}
