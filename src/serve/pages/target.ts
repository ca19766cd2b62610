/** `/target/NAME`: load of a target compared with the same hour of four weeks, its jobs, fill level and response times. */
import {
  type Band,
  fullName,
  newestSamples,
  type Ranking,
  rank,
  rankingDocument,
  stretchesBegin,
  stretchMinutes,
  type TargetSteps,
  targetSeries,
  targetSpace,
  usualHours,
  type Window,
} from "../../analyze/load/index.ts";
import { commandLine } from "../../base/command-line.ts";
import { formatMany, formatShare } from "../../base/units.ts";
import type { Block, Figure, Queryable, Role } from "../../model/index.ts";
import { prose } from "../../report/html/index.ts";
import { requestedTarget, requestedTime, originOf, sqlCommand } from "../requested.ts";
import { axisHtml, stepSql, type Strip, stripHtml, type TimeAxis, timeText } from "../html/time.ts";
import { linked } from "../links.ts";
import type { Ask, Page, PageContent, Panel } from "../site.ts";
import { byteScale, countScale } from "../units.ts";
import { blocksCsv, isOne } from "./document.ts";
import { ownRanking } from "./own.ts";
import { groupPanels } from "./target-groups.ts";
import { offsetAtMinute, timesText } from "./time-axis.ts";

const SPANS = ["60m", "3h", "6h", "12h", "24h", "3d", "7d"];
const WEEKS = 4;
const JOBS = 12;
const STACKED = 5;

export const targetPage: Page = { path: "/target/:name", make: targetContent };

async function targetContent(ask: Ask): Promise<PageContent> {
  const { target, condition } = await requestedTarget(ask, ask.names[0] ?? "");
  const time = await requestedTime(ask, SPANS, "24h");
  const { window, stepMinutes, zone, words, span } = time;
  const label = fullName(target);
  const isMdt = /^MDT/i.test(target.target);
  const key = `${label} ${window.from} ${window.to}`;
  const order = isMdt ? "metadata" : "bytes";
  const [series, usual, ranking, states, fill, origin, newest] = await Promise.all([
    ask.answer(`target ${key}`, (db) => targetSeries(db, { window, stepMinutes, condition })),
    ask.answer(`usual ${label} ${window.to}`, (db) =>
      usualHours(db, { before: window.to, weeks: WEEKS, condition }),
    ),
    ask.answer(`target jobs ${key}`, (db) =>
      rank(db, { by: "job", order, limit: JOBS, source: "servers", window, condition, smallBytes: 0 }),
    ),
    ask.answer(`space ${window.to}`, (db) => targetSpace(db, window.to * 60)),
    ask.answer(`fill ${key}`, (db) => fillSteps(db, condition, window.from, window.to, stepMinutes)),
    originOf(ask, "readings"),
    ask.answer("newest", newestSamples),
  ]);
  const steps = Math.ceil((window.to - window.from) / stepMinutes);
  const one = series.targets[0] ?? emptyTarget(steps);
  const axis = { from: window.from, stepMinutes, steps, offsetSeconds: offsetAtMinute(zone, window.from) };
  const state = states.find((some) => fullName(some) === label);
  const seen = one.seen.reduce((sum, value) => sum + value, 0) / steps;
  const about = { command: "", madeBy: "", zone };
  const who = [
    ...["plimsoll", "who", "--store", ask.store, "--target", label, ...words],
    ...["--order", order, "--limit", String(JOBS)],
  ];
  const shown = ownRanking(ranking, ask.viewer);
  const jobs = rankingDocument(shown, { title: "", targets: label }, about);
  // The bars above show the same as those of the document.
  const tables = jobs.sections.flatMap(({ blocks }) => blocks).filter((block) => block.kind === "table");
  const where = `target = '${target.target.replaceAll("'", "''")}'${target.fileSystem === null ? "" : ` and file_system = '${target.fileSystem.replaceAll("'", "''")}'`}`;
  const groups = await groupPanels(ask, { label, condition, where, window, words, zone, isMdt });
  const first = ranking.rows[0];
  const verdict =
    first === undefined
      ? "No job has counters on it in this period."
      : ask.viewer.isAdmin
        ? `Job ${first.id}${first.user === null ? "" : ` of ${first.user}`} accounts for ${formatShare(first.share)} of its ${isMdt ? "metadata operations" : "bytes"}.`
        : `${formatMany(ranking.jobs, "job")} loaded it.`;
  const server = newest.find((some) => fullName(some) === label)?.server ?? null;
  const fullText =
    state === undefined
      ? ""
      : ` ${server === null ? "It" : `On ${server}: it`} is ${formatShare(state.share)} full${state.recovery === null ? "" : `, recovery ${state.recovery.toLowerCase()}`}${state.clients === null ? "" : `, ${formatMany(state.clients, "client")}`}.`;
  return {
    title: label,
    head: `<div class="page-head"><h1>${prose(label)}</h1><p>${prose(`${verdict}${fullText}`)}${seen < 0.999 ? ` <b>${prose(`${formatShare(1 - seen)} of this period has no samples`)}</b>: hatched, not zero.` : ""}</p></div>`,
    origin,
    spans: { choices: SPANS, span },
    panels: [
      loadPanel(ask, { one, axis, usual, where, source: series.source, isMdt, window, zone }),
      {
        ...{ id: "jobs", title: "Jobs by load", note: `${formatMany(ranking.jobs, "job")}` },
        content: [
          ...stackedJobs(shown, axis, zone),
          ...tables.map((block) => linked(block, ask.root, { job: "job", user: "user" }, isOne)),
        ],
        csv: blocksCsv(tables),
        sql: `select job_id, sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written, sum(metadata_calls) as metadata_calls
from minutes where ${where} and minute_unix >= ${window.from} and minute_unix < ${window.to}
group by all order by sum(coalesce(bytes_read, 0) + coalesce(bytes_written, 0)) desc`,
        command: commandLine(who),
      },
      ...groups,
      ...latencyPanel(ask, one, axis, where, window, series.source),
      ...fullnessPanel(ask, fill, axis, where, window),
    ],
  };
}

const emptyTarget = (steps: number): TargetSteps => {
  const zeros = () => new Float64Array(steps);
  const latency = { read: zeros(), write: zeros(), metadata: zeros() };
  return {
    fileSystem: null,
    target: "",
    read: zeros(),
    write: zeros(),
    metadata: zeros(),
    opens: zeros(),
    seen: zeros(),
    latency,
  };
};

interface LoadOf {
  readonly one: TargetSteps;
  readonly axis: TimeAxis;
  readonly usual: Awaited<ReturnType<typeof usualHours>>;
  readonly where: string;
  readonly source: string;
  readonly isMdt: boolean;
  readonly window: Window;
  readonly zone: string;
}

function loadPanel(ask: Ask, { one, axis, usual, where, source, isMdt, window, zone }: LoadOf): Panel {
  const seconds = 60 * axis.stepMinutes;
  const strip = (
    name: string,
    values: Float64Array,
    isBytes: boolean,
    hours?: { p50: Float64Array; p90: Float64Array },
  ) => {
    const most = values.reduce((high, value) => Math.max(high, value), 0) / seconds;
    const { divisor, unit } = isBytes ? byteScale(most, "/s") : countScale(most, "ops/s");
    const rates = Array.from(values, (value, at) => (one.seen[at] ? value / seconds / divisor : Number.NaN));
    const band = hours && usual.hours > 24 ? hourBand(axis, hours, 3600 * divisor) : undefined;
    return { name, unit, values: rates, band, ...(hours && { noBand: "too few weeks" }), divisor };
  };
  const bytes = one.read.map((value, at) => value + (one.write[at] ?? 0));
  const strips = isMdt
    ? [strip("Metadata", one.metadata, false, usual.metadata), strip("Opens", one.opens, false)]
    : [
        strip("Bytes", bytes, true, usual.bytes),
        strip("Read", one.read, true),
        strip("Write", one.write, true),
      ];
  const sql = `select ${stepSql(axis)} as time, (sum(coalesce(bytes_read, 0)) + sum(coalesce(bytes_written, 0))) / ${seconds} as bytes_per_second, sum(bytes_read) / ${seconds} as read_per_second,
  sum(bytes_written) / ${seconds} as write_per_second, sum(metadata_calls) / ${seconds} as metadata_per_second, sum(opens) / ${seconds} as opens_per_second
from ${source} where ${where} and minute_unix >= ${window.from} and minute_unix < ${window.to} group by 1 order by 1`;
  return {
    ...{
      id: "load",
      title: "Load",
      note: `${timesText(window, zone)}; grey: median to 90th percentile of the same hour, ${WEEKS} weeks before`,
    },
    content: {
      html: `<div class="time">${strips.map((some: Strip) => stripHtml(some)).join("\n")}${axisHtml(axis)}</div>`,
    },
    csv: [
      [
        "time",
        "seen",
        ...strips.flatMap(({ name }) => [
          `${name.toLowerCase()}_per_second`,
          `${name.toLowerCase()}_p50`,
          `${name.toLowerCase()}_p90`,
        ]),
      ],
      ...Array.from({ length: axis.steps }, (_, at) => [
        ...[new Date((axis.from + at * axis.stepMinutes) * 60_000).toISOString(), one.seen[at]],
        ...strips.flatMap(({ values, band, divisor }) =>
          [values[at], band?.low[at], band?.high[at]].map((value) => (value ?? Number.NaN) * divisor),
        ),
      ]),
    ],
    sql,
    command: sqlCommand(ask, sql),
  };
}

function hourBand(axis: TimeAxis, hours: { p50: Float64Array; p90: Float64Array }, divisor: number): Band {
  const at = (values: Float64Array) =>
    Float64Array.from({ length: axis.steps }, (_, step) => {
      const hour = Math.floor((axis.from + (step + 0.5) * axis.stepMinutes) / 60) % 24;
      return (values[hour] || 0) / divisor;
    });
  return { low: at(hours.p50), high: at(hours.p90) };
}

/** The top jobs, stacked, and all others. */
function stackedJobs(ranking: Ranking, axis: TimeAxis, zone: string): Block[] {
  const { rows, others, window } = ranking;
  const shown = rows.slice(0, STACKED);
  if (shown.length === 0 || window === undefined) return [];
  const step = stretchMinutes(window);
  const count = shown[0]?.when.length ?? 0;
  const roles = ["read", "write", "metadata", "wait", "after"] as const;
  const rest = Array.from({ length: count }, (_, at) =>
    rows.slice(STACKED).reduce((sum, { when }) => sum + (when[at] ?? 0), others.when[at] ?? 0),
  );
  const first = stretchesBegin(window);
  const figure: Figure = {
    ...{
      id: "jobs-stacked",
      title: "Jobs on this target",
      definition: "SITE02@1",
      options: { stepMinutes: step },
    },
    caption: `${ranking.measure === "bytes" ? "Bytes read and written" : "Metadata operations"} of the ${shown.length === 1 ? "top job" : `top ${shown.length} jobs`} and of all others, in steps of ${formatMany(step, "minute")}, ${zone}.`,
    summary: `${formatMany(shown.length, "job")} stacked over ${formatMany(count, "step")}.`,
    chart: {
      ...{ kind: "bars", direction: "vertical", stacked: true },
      categories: Array.from({ length: count }, (_, at) =>
        timeText(axis, Math.max(window.from, first + at * step), window.to - window.from > 1440),
      ),
      categoryLabel: `time (${zone})`,
      value: {
        label: ranking.measure === "bytes" ? "bytes" : "operations",
        unit: ranking.measure === "bytes" ? "bytes" : "calls",
      },
      series: [
        ...shown.map((one, at): { name: string; role: Role; values: readonly number[] } => ({
          name: `${one.id ?? "not known"}${one.user === null ? "" : ` (${one.user})`}`,
          role: roles[at] ?? ("neutral" as const),
          values: one.when,
        })),
        ...(rest.some((value) => value > 0)
          ? [{ name: "other jobs", role: "context" as const, values: rest }]
          : []),
      ],
    },
  };
  return [{ kind: "figure", figure }];
}

function latencyPanel(
  ask: Ask,
  { latency }: TargetSteps,
  axis: TimeAxis,
  where: string,
  window: Window,
  source: string,
): Panel[] {
  const strips = (["read", "write", "metadata"] as const).flatMap((name): Strip[] => {
    const values = Array.from(latency[name], (value) => (Number.isFinite(value) ? value / 1000 : Number.NaN));
    return values.every(Number.isNaN)
      ? []
      : [
          {
            name: `${name[0]?.toUpperCase()}${name.slice(1)}`,
            unit: "ms per call",
            values,
            band: undefined,
          },
        ];
  });
  if (strips.length === 0) return [];
  const sql = `select ${stepSql(axis)} as time, sum(read_usecs) / sum(reads) / 1000 as read_ms, sum(write_usecs) / sum(writes) / 1000 as write_ms, sum(metadata_usecs) / sum(metadata_calls) / 1000 as metadata_ms
from ${source} where ${where} and minute_unix >= ${window.from} and minute_unix < ${window.to} group by 1 order by 1`;
  return [
    {
      ...{ id: "latency", title: "Latency", note: "time of a call on the server" },
      content: { html: `<div class="time">${strips.map(stripHtml).join("\n")}${axisHtml(axis)}</div>` },
      csv: [
        ["time", ...strips.map(({ name }) => `${name.toLowerCase()}_ms`)],
        ...Array.from({ length: axis.steps }, (_, at) => [
          new Date((axis.from + at * axis.stepMinutes) * 60_000).toISOString(),
          ...strips.map(({ values }) => values[at]),
        ]),
      ],
      sql,
      command: sqlCommand(ask, sql),
    },
  ];
}

async function fillSteps(db: Queryable, condition: string, from: number, to: number, step: number) {
  const rows = await db.rows(`select (minute_unix - ${from}) // ${step} as step,
      arg_max((bytes_total - bytes_free) / nullif(bytes_total - bytes_free + bytes_available, 0)::double, to_unix_ns) as share
    from target_states where minute_unix >= ${from} and minute_unix < ${to} and ${condition} group by 1`);
  const values = new Array<number>(Math.ceil((to - from) / step)).fill(Number.NaN);
  for (const row of rows) values[Number(row.step)] = Number(row.share ?? Number.NaN);
  return values;
}

function fullnessPanel(
  ask: Ask,
  fill: readonly number[],
  axis: TimeAxis,
  where: string,
  window: Window,
): Panel[] {
  if (fill.every(Number.isNaN)) return [];
  const sql = `select ${stepSql(axis)} as time,
  arg_max((bytes_total - bytes_free) / nullif(bytes_total - bytes_free + bytes_available, 0)::double, to_unix_ns) as share
from target_states where ${where} and minute_unix >= ${window.from} and minute_unix < ${window.to} group by 1 order by 1`;
  const strip: Strip = {
    name: "Full",
    unit: "% of space",
    values: fill.map((share) => 100 * share),
    band: undefined,
    top: 100,
  };
  return [
    {
      ...{ id: "fullness", title: "Fullness" },
      content: { html: `<div class="time">${stripHtml(strip)}${axisHtml(axis)}</div>` },
      csv: [
        ["time", "share"],
        ...fill.map((share, at) => [
          new Date((axis.from + at * axis.stepMinutes) * 60_000).toISOString(),
          share,
        ]),
      ],
      sql,
      command: sqlCommand(ask, sql),
    },
  ];
}
