/** The page for Prometheus. The number of series depends on targets and `--top`, never on the number of jobs. */
import type { Health } from "../server/health.ts";
import { Exposition, type Labels } from "./exposition.ts";
import { OPERATIONS, TIMES, type Values } from "./operations.ts";
import type { ServerStates } from "../server/states.ts";
import { type MetricTotals, targetLabels } from "./totals.ts";

const WHAT: Readonly<Record<(typeof OPERATIONS)[number], string>> = {
  read_bytes: "Bytes read",
  write_bytes: "Bytes written",
  reads: "Reads",
  writes: "Writes",
  operations: "Requests other than reads and writes",
};

const TIMED: Readonly<Record<(typeof TIMES)[number], string>> = {
  read: "reads",
  write: "writes",
  operation: "requests other than reads and writes",
};

interface PageFacts {
  readonly host: string;
  readonly version: string;
  readonly nowNs: bigint;
}

export function metricsPage(totals: MetricTotals, health: Health, facts: PageFacts): string {
  const page = new Exposition();
  const families: [string, string, [Labels, Values][]][] = [
    [
      "target",
      "on the target by all clients since the collector started, from the target counters",
      totals.targets(),
    ],
    [
      "target_jobs",
      "on the target by all jobs since the collector started, from job_stats",
      totals.jobTotals(),
    ],
    ["job", "on the target by one of the busiest jobs; others: the rest", totals.jobs()],
  ];
  for (const [family, whom, rows] of families)
    for (const [i, name] of OPERATIONS.entries())
      page.metric(
        `plimsoll_${family}_${name}_total`,
        "counter",
        `${WHAT[name]} ${whom}.`,
        rows.map(([labels, values]) => [labels, values[i] as bigint]),
      );
  for (const [i, name] of TIMES.entries())
    page.metric(
      `plimsoll_target_${name}_seconds_total`,
      "counter",
      `Time of ${TIMED[name]} on the target since the collector started, summed.`,
      // Prometheus wants seconds.
      totals.times().map(([labels, values]) => [labels, Number(values[i] as bigint) / 1e6]),
    );
  page.metric(
    "plimsoll_target_disk_ios_total",
    "counter",
    "Disk I/Os of the target by upper bound of size, since the collector started.",
    totals.diskSizes(),
  );
  if (totals.latest !== undefined) stateMetrics(page, totals.latest);
  healthMetrics(page, health, facts);
  return page.text;
}

const TARGET_GAUGES = [
  ["bytes_total", "capacity_bytes", "Size of the target."],
  ["bytes_free", "free_bytes", "Free bytes of the target."],
  ["bytes_available", "available_bytes", "Bytes of the target that users can write."],
  ["inodes_total", "inodes", "Inodes of the target."],
  ["inodes_free", "free_inodes", "Free inodes of the target."],
  ["clients", "clients", "Connected clients of the target."],
] as const;
const SERVER_COUNTERS = [
  ["lnet_errors", "lnet_errors_total", "LNet messages with an error."],
  ["lnet_drops", "lnet_drops_total", "LNet messages dropped."],
  ["requests", "requests_total", "Client requests for data and metadata."],
  ["request_wait_usecs", "request_wait_seconds_total", "Wait time of requests for a thread."],
] as const;

/** States of the last sample; counters are since boot of the server. */
function stateMetrics(page: Exposition, { server, targets }: ServerStates): void {
  const each = (of: (state: (typeof targets)[number]) => bigint | undefined) =>
    targets.flatMap((state): [Labels, bigint][] => {
      const value = of(state);
      return value === undefined ? [] : [[targetLabels(state.target), value]];
    });
  for (const [number, name, help] of TARGET_GAUGES)
    page.metric(
      `plimsoll_target_${name}`,
      "gauge",
      help,
      each(({ numbers }) => numbers[number]),
    );
  page.metric(
    "plimsoll_target_evictions_total",
    "counter",
    "Clients evicted since the target was mounted.",
    each(({ numbers }) => numbers.evictions),
  );
  page.metric(
    "plimsoll_target_recovering",
    "gauge",
    "1 while the target is in recovery.",
    each(({ status }) => (status === undefined ? undefined : /^(RECOVERING|WAITING)/.test(status) ? 1n : 0n)),
  );
  if (server.status !== undefined)
    page.metric("plimsoll_server_healthy", "gauge", "1 when health_check says healthy.", [
      [{}, server.status === "healthy" ? 1 : 0],
    ]);
  for (const [number, name, help] of SERVER_COUNTERS) {
    const value = server.numbers[number];
    // Prometheus wants seconds.
    const shown = number === "request_wait_usecs" && value !== undefined ? Number(value) / 1e6 : value;
    if (shown !== undefined) page.metric(`plimsoll_server_${name}`, "counter", help, [[{}, shown]]);
  }
}

function healthMetrics(page: Exposition, health: Health, { host, version, nowNs }: PageFacts): void {
  const one = (name: string, type: "counter" | "gauge", help: string, value: number) =>
    page.metric(`plimsoll_collector_${name}`, type, help, [[{}, value]]);
  page.metric("plimsoll_collector_info", "gauge", "The collector and its host.", [[{ host, version }, 1]]);
  one("samples_total", "counter", "Samples stored.", health.samples);
  page.metric("plimsoll_collector_errors_total", "counter", "Errors by kind.", [
    [{ kind: "sample_not_stored" }, health.failedSamples],
    [{ kind: "file_unreadable" }, health.unreadableFiles],
    [{ kind: "file_vanished" }, health.vanishedFiles],
    [{ kind: "file_cut" }, health.cutFiles],
    [{ kind: "counter_negative" }, health.invalidCounters],
    [{ kind: "clock_jump" }, health.clockJumps],
  ]);
  one("written_bytes_total", "counter", "Segment bytes written.", health.writtenBytes);
  one("removed_segments_total", "counter", "Segments removed by age or size.", health.removedSegments);
  one("segments", "gauge", "Segments in the folder.", health.lastSegments);
  one("segments_bytes", "gauge", "Segment bytes in the folder.", health.lastSegmentsBytes);
  one("files", "gauge", "Files read by the last sample.", health.lastFiles);
  one("targets", "gauge", "Targets read by the last sample.", health.lastTargets);
  one(
    "jobs",
    "gauge",
    "Jobs in the job_stats of all targets; a job counts once per target.",
    health.lastJobs,
  );
  one("unreadable_files", "gauge", "Files that the last sample could not read.", health.lastUnreadable);
  one("sample_duration_seconds", "gauge", "Duration of the last sample.", health.lastDurationMs / 1000);
  if (health.lastSampleNs === undefined) return;
  const last = Number(health.lastSampleNs / 1_000_000n) / 1000;
  one("last_sample_timestamp_seconds", "gauge", "Time of the last sample, in seconds since 1970.", last);
  one("last_sample_age_seconds", "gauge", "Age of the last sample.", Math.max(0, Number(nowNs) / 1e9 - last));
}
