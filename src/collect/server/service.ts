/** The collector of a server as a service: its folder locked, samples until it is stopped, perhaps a page of metrics. */
import { join } from "node:path";
import { CheckFailed, UsageError } from "../../base/errors.ts";
import { FolderInUse, type FolderLock, lockFolder } from "../../node/folder-lock.ts";
import { makeFolder } from "../../node/folders.ts";
import { listenReason } from "../../node/listen-reason.ts";
import { collectorName } from "../collector-name.ts";
import { FOLDER_MODE } from "../files.ts";
import { type MetricsServer, type Page, serveMetrics } from "../metrics/http.ts";
import { metricsPage } from "../metrics/page.ts";
import { PageReaders } from "../metrics/readers.ts";
import { MetricTotals } from "../metrics/totals.ts";
import { type SampleResult, ServerCollector } from "./collector.ts";
import { runCollector } from "./run.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

interface ServiceOptions {
  readonly root: string;
  readonly dir: string;
  readonly host: string;
  readonly version: string;
  readonly everyMs: number;
  /** One sample, and no more. */
  readonly once: boolean;
  readonly keepMs: number;
  readonly keepBytes: number | undefined;
  readonly brw: boolean;
  /** Where the page of metrics is served, with this many jobs for each target. */
  readonly metrics: Address | undefined;
  readonly top: number;
  readonly signal: AbortSignal;
  note(message: string): void;
  cleanUp(): void;
}

/** Gives the sample where only one was taken. */
export async function collectServer(options: ServiceOptions): Promise<SampleResult | undefined> {
  const { root, dir, host, version, everyMs, metrics, note } = options;
  const lost = new AbortController();
  const lock = await lockDir(options, lost);
  let server: MetricsServer | undefined;
  let sample: SampleResult | undefined;
  try {
    const readers = new PageReaders(() => performance.now());
    const totals = metrics === undefined ? undefined : new MetricTotals(options.top, readers);
    const collector = new ServerCollector({
      ...{ root, dir, host, note },
      collector: collectorName(version, root),
      everyNs: BigInt(everyMs) * 1_000_000n,
      keepNs: BigInt(options.keepMs) * 1_000_000n,
      keepBytes: options.keepBytes,
      withBrw: options.brw,
      time: { wallNs, monotonicMs: () => performance.now() },
      listener: totals,
      cleanUp: options.cleanUp,
    });
    if (totals !== undefined && metrics !== undefined) {
      server = await listen(metrics, () => {
        const { samples } = readers;
        const text = metricsPage(totals, collector.health, { host, version, nowNs: wallNs() });
        return { text, taken: (reader) => readers.hasRead(reader, samples) };
      });
      note(`metrics on http://${server.address}/metrics`);
    }
    if (options.once) sample = collector.sample();
    else {
      const { signal } = options;
      await runCollector(collector, { everyMs, signal, lost: lost.signal, wallMs: () => Date.now(), note });
    }
    if (lost.signal.aborted)
      throw new CheckFailed(`another collector took over ${dir}, since this one was suspended for too long`);
    return sample;
  } finally {
    server?.close();
    lock.release();
  }
}

/** Nobody else collects into the folder meanwhile. */
async function lockDir({ dir, signal, note }: ServiceOptions, lost: AbortController): Promise<FolderLock> {
  const work = join(dir, "work");
  makeFolder(work, FOLDER_MODE);
  try {
    return await lockFolder(join(work, "lock"), "collecting", {
      wait: false,
      silentMs: SILENT_MS,
      signal,
      onLost: () => lost.abort(),
      onWait: (holder) =>
        note(`${dir} is locked by ${holder}; waiting up to ${SILENT_MS / 1000} s for a sign of life`),
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

async function listen({ host, port }: Address, page: () => Page): Promise<MetricsServer> {
  try {
    return await serveMetrics(host, port, page);
  } catch (error) {
    const reason = listenReason(error) ?? (error as Error).message;
    throw new UsageError(`--metrics ${host}:${port}: ${reason}`, { cause: error });
  }
}
