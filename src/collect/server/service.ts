/** The server collector as a service: locks its folder, samples until stopped, serves a metrics page if requested. */
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
  /** Takes only one sample. */
  readonly once: boolean;
  readonly keepMs: number;
  readonly keepBytes: number | undefined;
  readonly brw: boolean;
  /** Address of the metrics page, and the number of jobs per target. */
  readonly metrics: Address | undefined;
  readonly top: number;
  readonly signal: AbortSignal;
  note(message: string): void;
  cleanUp(): void;
}

/** Returns the sample if only one was taken. */
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

/** Keeps other collectors out of the folder. */
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
        note(
          `${dir} is locked by ${holder}; waiting up to ${SILENT_MS / 1000} s to see whether it still runs`,
        ),
    });
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    throw new CheckFailed(
      `another collector uses ${dir} (${error.holder}); stop it, or choose another --dir`,
    );
  }
}

/** A collector that has not touched its lock for this long is dead: it does so every 5 s. */
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
