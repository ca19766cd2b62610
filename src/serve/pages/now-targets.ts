/** Targets × time of the first page; of hundreds the busiest and those with an alert. */
import { fullName, stepSeconds, type TargetSeries, type TargetSteps } from "../../analyze/load/index.ts";
import { escapeHtml, prose } from "../../report/html/index.ts";
import { type RequestedTime, sqlCommand, type StoreFacts } from "../requested.ts";
import type { FreshTarget } from "../html/now.ts";
import {
  axisHtml,
  type HeatRow,
  heatRowsHtml,
  heatTop,
  rampHtml,
  stepSql,
  type TimeAxis,
  timeText,
} from "../html/time.ts";
import { addressOf } from "../links.ts";
import type { Ask, Panel } from "../site.ts";
import { byteScale, countScale } from "../units.ts";
import type { Alert } from "../verdict.ts";

const ROWS_MOST = 64;
const ROWS_FIRST = 32;

export const isKind = (name: string, kind: string): boolean =>
  new RegExp(`(?:^|-)${kind}`, "i").test(name) || (kind === "OST" && !/(?:OST|MDT)[0-9a-f]{4}$/i.test(name));

interface BusyEvent {
  readonly target: string;
  readonly step: number;
}

interface TargetsOf extends RequestedTime, StoreFacts {
  readonly series: TargetSeries;
  readonly fresh: readonly FreshTarget[];
  readonly alerts: readonly Alert[];
  readonly axis: TimeAxis;
  readonly event: BusyEvent | undefined;
}

const bytesOf = (one: TargetSteps, at: number): number => (one.read[at] ?? 0) + (one.write[at] ?? 0);
const BUSY = 3;

/** Start of the time in which the target of the first alert is far above the median of its kind; undefined: since before the window, or no such alert. */
export function busySince({ targets }: TargetSeries, alerts: readonly Alert[]): BusyEvent | undefined {
  const alert = alerts[0]?.kind === "target-ratio" ? alerts[0] : undefined;
  const busy = targets.find((one) => fullName(one) === alert?.subject);
  if (busy === undefined) return undefined;
  const kin = targets.filter(({ target }) => isKind(target, "OST") === isKind(busy.target, "OST"));
  const steps = busy.read.length;
  let first = steps;
  for (let at = steps - 1, misses = 0; at >= 0 && misses < 3; at--) {
    const values = kin.map((one) => bytesOf(one, at)).sort((a, b) => a - b);
    const median = values[Math.floor(values.length / 2)] ?? 0;
    if (bytesOf(busy, at) > BUSY * median) first = at;
    else misses++;
  }
  return first <= 0 || first >= steps - 1 ? undefined : { target: busy.target, step: first };
}

/** A dashed line across the strips, labelled with the event that began there. */
export function eventHtml(event: BusyEvent | undefined, axis: TimeAxis): string {
  if (event === undefined) return "";
  const left = (100 * event.step) / axis.steps;
  const text = `${event.target}, ${timeText(axis, axis.from + event.step * axis.stepMinutes)}`;
  const label = left > 50 ? `right:${(100 - left).toFixed(2)}%` : `left:${left.toFixed(2)}%`;
  return `<div class="ev"><div><i class="event" style="left:${left.toFixed(2)}%"></i><span class="evl" style="${label}">${prose(text)}</span></div></div>`;
}

export function targetsPanel(ask: Ask, of: TargetsOf): Panel {
  const { series, alerts, fresh, axis, stepMinutes, window, targets: all } = of;
  const seconds = 60 * stepMinutes;
  const marked = new Set(alerts.map(({ subject }) => subject));
  const late = new Set(fresh.filter(({ isLate }) => isLate).map(({ label }) => label));
  const systems = new Set(all.map(({ fileSystem }) => fileSystem)).size;
  const label = (one: TargetSteps) => (systems > 1 ? fullName(one) : one.target);
  const wantsAll = ask.param("targets") === "all";
  const part = (
    kind: string,
    amountOf: (one: TargetSteps, at: number) => number,
    isBytes: boolean,
  ): string => {
    const some = series.targets.filter(({ target }) => isKind(target, kind));
    if (some.length === 0) return "";
    // If most targets have alerts, none is marked: only exceptions stand out.
    const isMarked = (one: TargetSteps) => marked.has(fullName(one));
    const marks = 2 * some.filter(isMarked).length <= some.length;
    const load = (one: TargetSteps) => one.read.reduce((total, _, at) => total + amountOf(one, at), 0);
    const isCut = some.length > ROWS_MOST && !wantsAll;
    const isFirst = new Set(
      isCut
        ? [...some]
            .sort((a, b) => Number(isMarked(b)) - Number(isMarked(a)) || load(b) - load(a))
            .slice(0, ROWS_FIRST)
        : some,
    );
    const shown = some.filter((one) => isFirst.has(one));
    const most =
      shown.reduce(
        (high, one) => one.read.reduce((top, _, at) => Math.max(top, amountOf(one, at)), high),
        0,
      ) / seconds;
    const { divisor, unit } = isBytes ? byteScale(most, "/s") : countScale(most, "ops/s");
    const rows = shown.map(
      (one): HeatRow => ({
        name: label(one),
        href: addressOf(ask.root, "target", fullName(one)),
        values: Array.from(one.seen, (seen, at) =>
          seen > 0 ? amountOf(one, at) / stepSeconds(series, at) / divisor : Number.NaN,
        ),
        isMarked: marks && isMarked(one),
        isLate: late.has(label(one)),
      }),
    );
    const top = heatTop(rows);
    const more = isCut
      ? `<p class="more">The ${shown.length} busiest of ${some.length} ${kind}s. <a href="?${allAddress(ask)}">All ${some.length}</a></p>`
      : "";
    return `<div class="sub"><b>${kind}s</b> ${isBytes ? "read and written" : "operations"}, ${escapeHtml(unit)}${rampHtml(top)}</div>${heatRowsHtml(rows, top, axis)}${more}`;
  };
  const html = `<div class="time heat-map">${part("OST", bytesOf, true)}${part("MDT", (one, at) => one.metadata[at] ?? 0, false)}${axisHtml(axis)}</div>`;
  const sql = `select ${stepSql(axis)} as time, file_system, target, sum(bytes_read) as bytes_read,
  sum(bytes_written) as bytes_written, sum(metadata_calls) as metadata_calls, sum(opens) as opens
from ${series.source} where minute_unix >= ${window.from} and minute_unix < ${window.to} group by all order by all`;
  const time = (at: number) => new Date((window.from + at * stepMinutes) * 60_000).toISOString();
  return {
    ...{ id: "targets", title: "Targets by minute", content: { html } },
    ...(stepMinutes === 1 ? {} : { title: `Targets by ${stepMinutes} minutes` }),
    csv: [
      ["time", "file_system", "target", "seen", "bytes_read", "bytes_written", "metadata_calls", "opens"],
      ...series.targets.flatMap((one) =>
        Array.from(one.seen, (seen, at) => [
          ...[time(at), one.fileSystem, one.target, seen],
          ...(seen > 0
            ? [one.read[at], one.write[at], one.metadata[at], one.opens[at]]
            : [null, null, null, null]),
        ]),
      ),
    ],
    sql,
    command: sqlCommand(ask, sql),
  };
}

function allAddress(ask: Ask): string {
  const query = new URLSearchParams({ targets: "all" });
  for (const key of ["span", "to"]) {
    const value = ask.param(key);
    if (value !== undefined) query.set(key, value);
  }
  return escapeHtml(query.toString());
}
