/** The counters of servers: entries of jobs that come, grow, expire and begin again, and the totals of targets. */
import {
  brwStatsText,
  Entry,
  jobStatsText,
  MD_STATS_ORDER,
  OST_STATS_ORDER,
  type Release,
  statsText,
} from "./entry.ts";
import { CLEANUP_SECONDS } from "./scenario.ts";

const CLEANUP_NS = BigInt(CLEANUP_SECONDS) * 1_000_000_000n;

/** One OST or MDT. */
export class TargetCounters {
  /** `lustre1-OST0007` */
  readonly name: string;
  readonly role: "OST" | "MDT";
  readonly jobs = new Map<string, Entry>();
  all: Entry;

  constructor(name: string, role: "OST" | "MDT", nowNs: bigint) {
    this.name = name;
    this.role = role;
    this.all = new Entry(nowNs);
  }

  /** The entry of a job, which may have to begin. */
  #entry(jobId: string, nowNs: bigint): Entry {
    let entry = this.jobs.get(jobId);
    if (entry === undefined) {
      entry = new Entry(nowNs);
      this.jobs.set(jobId, entry);
    }
    entry.lastNs = nowNs;
    return entry;
  }

  /** A job moved bytes; without an id it was nobody's job. */
  data(
    jobId: string | undefined,
    nowNs: bigint,
    read: number,
    written: number,
    reads: number,
    writes: number,
  ): void {
    for (const entry of jobId === undefined ? [this.all] : [this.all, this.#entry(jobId, nowNs)]) {
      entry.read.add(reads, read);
      entry.write.add(writes, written);
    }
    this.all.call("preprw", reads + writes);
    this.all.call("commitrw", reads + writes);
  }

  calls(jobId: string | undefined, nowNs: bigint, calls: Readonly<Record<string, number>>): void {
    const entries = jobId === undefined ? [this.all] : [this.all, this.#entry(jobId, nowNs)];
    for (const name in calls) for (const entry of entries) entry.call(name, calls[name] as number);
  }

  /** Drops entries that have been idle for the clean-up interval. */
  expire(nowNs: bigint): void {
    for (const [jobId, { lastNs }] of this.jobs) if (nowNs - lastNs >= CLEANUP_NS) this.jobs.delete(jobId);
  }

  /** The server was restarted, or the target failed over. */
  restart(nowNs: bigint): void {
    this.jobs.clear();
    this.all = new Entry(nowNs);
  }

  jobStats(release: Release): string {
    let text = "job_stats:\n";
    for (const [jobId, entry] of this.jobs) text += jobStatsText(jobId, entry, this.role, release);
    return text;
  }

  /** `stats` of an OST, `md_stats` of an MDT. */
  stats(nowNs: bigint, release: Release): string {
    return statsText(this.all, nowNs, release, this.role === "OST" ? OST_STATS_ORDER : MD_STATS_ORDER);
  }

  brwStats(nowNs: bigint, release: Release): string {
    return brwStatsText(this.all, nowNs, release);
  }
}
