/** State of servers from their collectors: targets, health, network errors. */
import { formatCount, formatMany } from "../../base/units.ts";
import type { Cell, Document, Queryable } from "../../model/index.ts";
import { number, text } from "./amounts.ts";
import { type About, cell, type Column, table } from "./blocks.ts";
import { localText, type Window, windowText } from "./window.ts";

interface ServerState {
  readonly server: string;
  /** Names of the targets whose last sample came from it. */
  readonly targets: readonly string[];
  /** `healthy`, else the text of health_check; null: not read in the last day. */
  readonly health: string | null;
  readonly newestUnix: number;
  readonly lnetErrors: number;
  readonly lnetDrops: number;
  /** Clients that its targets evicted. */
  readonly evictions: number;
  readonly requests: number;
  /** Mean wait of a request before it is served. */
  readonly waitSeconds: number;
}

interface ServerStates {
  readonly window: Window;
  /** Sorted by problems. */
  readonly servers: readonly ServerState[];
}

const DAY = 1440;
const NS = 60_000_000_000n;
/** A target without samples for a week belongs to no server. */
const GONE_MINUTES = 7 * DAY;

/** One row for each server. */
export function serversSql({ from, to }: Window): string {
  const end = BigInt(to) * NS;
  const time = `minute_unix >= ${from} and minute_unix < ${to}`;
  return `with places as (select file_system, target, arg_max(server, to_unix_ns) as server, least(max(to_unix_ns), ${end}) as last from readings
  where server is not null and from_unix_ns < ${end} and to_unix_ns >= ${BigInt(from - GONE_MINUTES) * NS} group by all),
own as (select server, arg_max(health, to_unix_ns) filter (health is not null) as health, max(to_unix_ns) as last, sum(lnet_errors) filter (${time}) as lnet_errors,
    sum(lnet_drops) filter (${time}) as lnet_drops, sum(requests) filter (${time}) as requests, sum(request_wait_usecs) filter (${time}) as wait_usecs
  from servers where minute_unix >= ${Math.min(from, to - DAY)} and minute_unix < ${to} group by 1),
lost as (select p.server, sum(s.evictions) as evictions from target_states s
  join places p on p.target = s.target and p.file_system is not distinct from s.file_system where ${time} group by 1),
map as (select server, string_agg(target, chr(10) order by target) as targets, max(last) as last from places group by 1)
select server, targets, health, greatest(map.last, own.last) / 1e9 as newest_unix, lnet_errors, lnet_drops, evictions, requests, wait_usecs / nullif(requests, 0) / 1e6 as wait_seconds
from map full join own using (server) left join lost using (server)
order by health is not null and health <> 'healthy' desc, coalesce(lnet_errors, 0) + coalesce(lnet_drops, 0) + coalesce(evictions, 0) desc, server`;
}

export async function serverStates(db: Queryable, window: Window): Promise<ServerStates> {
  const rows = await db.rows(serversSql(window));
  return {
    window,
    servers: rows.map((row) => ({
      server: String(row.server),
      targets: (text(row.targets) ?? "").split("\n").filter((name) => name !== ""),
      health: text(row.health),
      newestUnix: number(row.newest_unix),
      lnetErrors: number(row.lnet_errors),
      lnetDrops: number(row.lnet_drops),
      evictions: number(row.evictions),
      requests: number(row.requests),
      waitSeconds: number(row.wait_seconds),
    })),
  };
}

/** The first `limit` servers as a table; the verdict covers all. */
export function serversDocument({ servers, window }: ServerStates, limit: number, about: About): Document {
  const columns: readonly Column[] = [
    ["server", "Server", "text", "Host of the collector."],
    ["health", "Health", "text", "health_check in the last sample."],
    ["targets", "Targets", "text", "Targets whose last sample came from this server."],
    ["evictions", "Evictions", "count", "Clients evicted by its targets in this time range."],
    ["lnetErrors", "LNet errors", "count", "Messages with an error in this time range."],
    ["lnetDrops", "LNet drops", "count", "Messages dropped in this time range."],
    ["requests", "Requests", "count", "Client requests that waited for a thread in this time range."],
    ["waitSeconds", "Mean wait", "seconds", "Mean wait of a request before it was served."],
    ["newest", "Newest sample", "text", `End of the last sample, ${about.zone}.`],
  ];
  const line = (one: ServerState): Cell[] => [
    ...[one.server, one.health, targetRanges(one.targets)],
    ...[cell(one.evictions), cell(one.lnetErrors), cell(one.lnetDrops), cell(one.requests)],
    ...[cell(one.waitSeconds), localText(about.zone, Math.floor(one.newestUnix))],
  ];
  return {
    title: "Servers",
    facts: [
      { label: "Time", text: windowText(window, about.zone) },
      { label: "Servers", text: formatCount(servers.length) },
    ],
    verdict: serversVerdict(servers),
    sections: [
      {
        id: "servers",
        title: "Servers",
        blocks: [
          table(
            "servers",
            `${servers.length > limit ? `The first ${formatCount(limit)} of ${formatCount(servers.length)}, sorted by problems.` : "Sorted by problems."}`,
            columns,
            servers.slice(0, limit).map(line),
          ),
        ],
      },
    ],
    command: about.command,
    madeBy: about.madeBy,
  };
}

function serversVerdict(servers: readonly ServerState[]): string {
  const ill = servers.filter(({ health }) => health !== null && health !== "healthy");
  const [first] = ill;
  const known = servers.filter(({ health }) => health !== null).length;
  const health =
    first !== undefined
      ? `${first.server} is not healthy: ${first.health}.${ill.length > 1 ? ` ${formatMany(ill.length - 1, "other")} ${ill.length === 2 ? "is" : "are"} not healthy either.` : ""}`
      : known === 0
        ? "The health of the servers was not read."
        : known < servers.length
          ? `${formatCount(known)} of ${formatMany(servers.length, "server")} ${known === 1 ? "is" : "are"} healthy; the health of the others was not read.`
          : servers.length === 1
            ? "The server is healthy."
            : `All ${formatCount(servers.length)} servers are healthy.`;
  const sum = (of: (one: ServerState) => number) => servers.reduce((all, one) => all + (of(one) || 0), 0);
  const counts = [
    formatMany(
      sum(({ evictions }) => evictions),
      "eviction",
    ),
    formatMany(
      sum(({ lnetErrors }) => lnetErrors),
      "LNet error",
    ),
    formatMany(
      sum(({ lnetDrops }) => lnetDrops),
      "dropped message",
    ),
  ];
  return `${health} ${counts[0]}, ${counts[1]} and ${counts[2]} in this time range.`;
}

/** `OST0000–0007, OST0010`. */
function targetRanges(names: readonly string[]): string {
  const parts: { kind: string; first: string; last: string; next: number }[] = [];
  for (const name of names) {
    const [, kind = name, index = ""] = /^(.*?)([0-9a-f]{4})$/i.exec(name) ?? [];
    const at = Number.parseInt(index, 16);
    const before = parts.at(-1);
    if (before !== undefined && before.kind === kind && before.next === at) {
      before.last = name;
      before.next++;
    } else parts.push({ kind, first: name, last: name, next: at + 1 });
  }
  return parts.map(({ first, last }) => (first === last ? first : `${first}–${last.slice(-4)}`)).join(", ");
}
