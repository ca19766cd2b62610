import { hostname } from "node:os";
import { join } from "node:path";
import { version } from "../../../package.json";
import { UsageError } from "../../base/errors.ts";
import { codeOf, FOLDER_MODE } from "../../collect/files.ts";
import { type MetricsServer, type Page, serveMetrics } from "../../collect/metrics/http.ts";
import { metricsPage } from "../../collect/metrics/page.ts";
import { PageReaders } from "../../collect/metrics/readers.ts";
import { MetricTotals } from "../../collect/metrics/totals.ts";
import { type SampleResult, ServerCollector } from "../../collect/server/collector.ts";
import { runCollector } from "../../collect/server/run.ts";
import { FolderInUse, type FolderLock, lockFolder } from "../../node/folder-lock.ts";
import { makeFolder } from "../../node/folders.ts";
import { keepHeapSmall } from "../../node/small-heap.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { CheckFailed } from "../failure.ts";
import { collectorName } from "../../collect/collector-name.ts";
import { durationMs } from "../values.ts";
import { option } from "../option.ts";

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
    const everyMs = durationMs("--every", options.every, 10);
    const keepMs = durationMs("--keep", options.keep, 1000);
    const host = options.host ?? (hostname().split(".")[0] as string);
    if (host === "") throw new UsageError("--host is empty");
    if (options.dir === "") throw new UsageError("--dir is empty");
    const address = options.metrics === undefined ? undefined : parseAddress(options.metrics);
    const lost = new AbortController();
    const lock = await lockDir(options.dir, lost, context);
    let server: MetricsServer | undefined;
    try {
      const readers = new PageReaders(() => performance.now());
      const totals = address === undefined ? undefined : new MetricTotals(options.top, readers);
      const collector = new ServerCollector({
        root: options.root,
        dir: options.dir,
        host,
        collector: collectorName(version, options.root),
        everyNs: BigInt(everyMs) * 1_000_000n,
        keepNs: BigInt(keepMs) * 1_000_000n,
        keepBytes: options.keepBytes,
        withBrw: options.brw,
        time: { wallNs, monotonicMs: () => performance.now() },
        listener: totals,
        note: (message) => context.note(message),
        cleanUp,
      });
      if (totals !== undefined && address !== undefined) {
        server = await listen(address, () => {
          const { samples } = readers;
          const text = metricsPage(totals, collector.health, { host, version, nowNs: wallNs() });
          return { text, taken: (reader) => readers.hasRead(reader, samples) };
        });
        context.note(`metrics on http://${server.address}/metrics`);
      }
      if (options.once) printSample(collector.sample(), context);
      else {
        await runCollector(collector, {
          everyMs,
          signal: context.signal,
          lost: lost.signal,
          wallMs: () => Date.now(),
          note: (message) => context.note(message),
        });
      }
      if (lost.signal.aborted)
        throw new CheckFailed(
          `another collector took over ${options.dir}, since this one was suspended for too long`,
        );
    } finally {
      server?.close();
      lock.release();
    }
  },
});

/** Nobody else collects into the folder meanwhile. */
async function lockDir(dir: string, lost: AbortController, context: Context): Promise<FolderLock> {
  const work = join(dir, "work");
  makeFolder(work, FOLDER_MODE);
  try {
    return await lockFolder(join(work, "lock"), "collecting", {
      wait: false,
      silentMs: SILENT_MS,
      signal: context.signal,
      onLost: () => lost.abort(),
      onWait: (holder) =>
        context.note(`${dir} is locked by ${holder}; waiting up to ${SILENT_MS / 1000} s for a sign of life`),
    });
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    throw new CheckFailed(
      `another collector uses ${dir} (${error.holder}); stop it, or choose another --dir`,
    );
  }
}

/** A collector that was not heard of for so long is gone: it touches its lock every 5 s. */
const SILENT_MS = 30_000;

const wallNs = () => BigInt(Date.now()) * 1_000_000n;

interface Address {
  readonly host: string;
  readonly port: number;
}

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

async function listen({ host, port }: Address, page: () => Page): Promise<MetricsServer> {
  try {
    return await serveMetrics(host, port, page);
  } catch (error) {
    const code = codeOf(error);
    const reason =
      code === "EADDRINUSE"
        ? "port already in use"
        : code === "EACCES"
          ? "permission denied; ports below 1024 need root"
          : code === "EADDRNOTAVAIL" || code === "ENOTFOUND"
            ? "no address of this machine"
            : (error as Error).message;
    throw new UsageError(`--metrics ${host}:${port}: ${reason}`, { cause: error });
  }
}

function printSample(result: SampleResult, context: Context): void {
  if (context.json) context.printJson(result);
  else
    context.out.write(
      `${result.files} files, ${result.jobs} jobs on targets, ${result.unreadable} unreadable; ` +
        `${result.segment === undefined ? "nothing to store" : `${result.segment}, ${result.bytes} bytes`}\n`,
    );
}
