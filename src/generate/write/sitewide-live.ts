/** A live tree in a folder, moved by the clock until somebody stops it. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { pause } from "../../base/pause.ts";
import { FolderFiles, type LiveJob, LiveSite, type Release } from "../sitewide/index.ts";
import { isSite, MARK } from "./sitewide.ts";
import { makeFolder } from "../../node/folders.ts";
import { appendFile, writeFile } from "../../node/write-file.ts";

interface LiveRun {
  readonly out: string;
  readonly seed: number;
  readonly release: string;
  readonly speed: number;
  /** Of the site; undefined for no end. */
  readonly seconds: number | undefined;
  readonly signal: AbortSignal;
  /** Called once when the tree is there. */
  began(folder: string, site: LiveSite): void;
}

/** Files change once a second, or as often as the site's seconds go by if that is slower. */
const STEP_MS = 1000;

/** Until its seconds are over or somebody stops it. */
export async function runLive(run: LiveRun): Promise<{ readonly folder: string; readonly site: LiveSite }> {
  const { out, seed, speed, seconds, signal } = run;
  const folder = out.replace(/(?<=.)\/+$/, "");
  if (existsSync(folder) && !isSite(folder))
    throw new UsageError(
      `${folder} exists and is not an earlier synthetic site; choose another with --output`,
    );
  rmSync(folder, { recursive: true, force: true });
  makeFolder(folder);
  writeFile(
    join(folder, "README.txt"),
    `${MARK}\nNothing here was recorded on a real system.\nA live tree, seed ${seed}.\n`,
  );
  const startMs = Math.floor(Date.now() / 1000) * 1000;
  const startNs = BigInt(startMs) * 1_000_000n;
  const release = run.release as Release;
  const site = new LiveSite({ seed, release, startNs, speed }, new FolderFiles(folder));
  run.began(folder, site);
  const log = new JobLog(join(folder, "jobs.ndjson"));
  for (;;) {
    const passedSeconds = (Date.now() - startMs) / 1000;
    const isLast = seconds !== undefined && passedSeconds * speed >= seconds;
    const at = isLast ? seconds / speed : passedSeconds;
    site.advanceTo(startNs + BigInt(Math.floor(at * 1e9)));
    log.update(site.jobs);
    if (isLast || signal.aborted) break;
    await pause(STEP_MS, signal);
    if (signal.aborted) break;
  }
  log.end(site.jobs, site.nowNs);
  return { folder, site };
}

/** A line when a job has started, and one with all it did when it has ended, or when the site stops before. */
class JobLog {
  readonly #path: string;
  readonly #told = new Map<LiveJob, boolean>();

  constructor(path: string) {
    this.#path = path;
    writeFile(path, "");
  }

  update(jobs: readonly LiveJob[]): void {
    for (const job of jobs) {
      const hasEnded = job.endNs !== undefined;
      if (this.#told.get(job) === true || (this.#told.has(job) && !hasEnded)) continue;
      if (!this.#told.has(job))
        this.#line({ started: job.spec.jobId, atNs: String(job.startNs), ...job.spec });
      if (job.endNs !== undefined) this.#line({ ended: job.spec.jobId, ...doneBy(job, job.endNs) });
      this.#told.set(job, hasEnded);
    }
  }

  end(jobs: readonly LiveJob[], nowNs: bigint): void {
    for (const job of jobs)
      if (job.endNs === undefined) this.#line({ running: job.spec.jobId, ...doneBy(job, nowNs) });
  }

  #line(value: object): void {
    appendFile(this.#path, `${JSON.stringify(value)}\n`);
  }
}

function doneBy({ total, onTargets, onNodes }: LiveJob, atNs: bigint): object {
  return {
    atNs: String(atNs),
    total,
    onTargets: Object.fromEntries(onTargets),
    onNodes: Object.fromEntries(onNodes),
  };
}
