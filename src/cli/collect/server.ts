import { hostname } from "node:os";
import { version } from "../../../package.json";
import { UsageError } from "../../base/errors.ts";
import type { SampleResult } from "../../collect/server/collector.ts";
import { type Address, collectServer } from "../../collect/server/service.ts";
import { keepHeapSmall } from "../../node/small-heap.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { option } from "../option.ts";
import { durationMs } from "../values.ts";

export default defineCommand({
  name: "collect server",
  description:
    "Samples job_stats, md_stats and stats of all OSTs and MDTs of this server at a fixed interval and writes the counter deltas to DIR/segments, one file per interval, for plimsoll ingest; also capacity, recovery, evictions and clients of the targets, health, LNet and request waits of the server, and once an hour the counters of each client. Its state in DIR/work survives restarts and kills: nothing is counted twice. --metrics serves a Prometheus endpoint with target totals and the busiest jobs. SIGTERM takes a last sample and stops. See docs/collect.md, and examples/ for a systemd unit.",
  examples: {
    "plimsoll collect server --every 60s": "run until stopped",
    "plimsoll collect server --every 60s --metrics 127.0.0.1:9177": "with a Prometheus endpoint",
    "plimsoll collect server --once --dir /tmp/samples": "one sample, for cron or a first try",
  },
  options: {
    every: option.text("TIME", "sampling interval", { default: "60s" }),
    once: option.flag("take one sample and exit"),
    dir: option.text("DIR", "local folder for segments and state, not on Lustre", {
      default: "/var/lib/plimsoll/server",
    }),
    root: option.text("DIR", "root of /proc and /sys", { default: "/" }),
    host: option.text("TEXT", "server name (default: host name)"),
    metrics: option.text("[ADDRESS:]PORT", "serve /metrics on this port (default address: 127.0.0.1)"),
    top: option.whole("busiest jobs per target on /metrics", { default: 10, min: 0, max: 1000 }),
    brw: option.flag("also export disk I/O sizes (brw_stats) on /metrics"),
    keep: option.text("TIME", "remove segments older than this", { default: "30d" }),
    "keep-bytes": option.bytes("remove the oldest segments above this total size", { min: 1 }),
  },
  async run({ options }, context) {
    const cleanUp = keepHeapSmall();
    const { once, dir, root, top, brw, keepBytes } = options;
    const host = options.host ?? (hostname().split(".")[0] as string);
    if (host === "") throw new UsageError("--host is empty");
    if (dir === "") throw new UsageError("--dir is empty");
    const sample = await collectServer({
      ...{ root, dir, host, version, once, keepBytes, brw, top },
      everyMs: durationMs("--every", options.every, 10),
      keepMs: durationMs("--keep", options.keep, 1000),
      metrics: options.metrics === undefined ? undefined : parseAddress(options.metrics),
      signal: context.signal,
      note: (message) => context.note(message),
      cleanUp,
    });
    if (sample !== undefined) printSample(sample, context);
  },
});

/** `9177`, `127.0.0.1:9177`, `[::1]:9177`, `oss1:9177`. */
function parseAddress(text: string): Address {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]:|([^:[\]\s]*):)?(\d{1,5})$/.exec(text.trim());
  const port = Number(match?.[3]);
  if (match === null || port > 65_535)
    throw new UsageError(
      `--metrics ${text}: expected a port, or an address and a port such as 127.0.0.1:9177`,
    );
  return { host: match[1] ?? (match[2] || "127.0.0.1"), port };
}

function printSample(result: SampleResult, context: Context): void {
  if (context.json) context.printJson(result);
  else
    context.out.write(
      `${result.files} files, ${result.jobs} jobs on targets, ${result.unreadable} unreadable; ` +
        `${result.segment === undefined ? "nothing to store" : `${result.segment}, ${result.bytes} bytes`}\n`,
    );
}
