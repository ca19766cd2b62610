/** Samples of servers: what `lctl get_param` would have printed on each of them, minute by minute. */
import { UsageError } from "../../base/errors.ts";
import type { Release } from "./entry.ts";
import type { SiteTaker } from "./index.ts";
import { mdtCalls } from "./metadata-operations.ts";
import type { Plan } from "./plan.ts";
import { FILE_SYSTEM, READING_SECOND, REQUEST_SECOND } from "./scenario.ts";
import { TargetCounters } from "./servers.ts";
import { type Site, targetName } from "./site.ts";
import type { MinuteSink } from "./spread.ts";
import { Numbers } from "./sums.ts";
import { serverName, TargetSums } from "./target-cells.ts";

const SECOND = 1_000_000_000n;
const FIELDS = 7;
/** More rows than this do not fit into memory beside the rest. */
const ROWS_MAX = 4_000_000;

interface Sample {
  readonly server: string;
  /** When it was read, seconds since 1970. */
  readonly unix: number;
  readonly text: string;
}

/** Keeps the rows of the first minutes, and prints them in the order of time when all jobs have passed. */
export class Samples implements SiteTaker, MinuteSink {
  readonly #site: Site;
  readonly #release: Release;
  readonly #length: number;
  readonly #sums: TargetSums;
  readonly #rows = new Numbers();
  #job = 0;
  /** First minute of the window; unknown until the first job. */
  from = Number.NaN;

  constructor(site: Site, release: Release, minutes: number, firstMinute: number) {
    this.#site = site;
    this.#release = release;
    this.#length = minutes;
    this.#sums = new TargetSums(site, firstMinute);
  }

  get minutes(): MinuteSink {
    return this;
  }

  begin(plan: Plan): void {
    if (Number.isNaN(this.from)) this.from = plan.firstMinute;
    this.#job = plan.job;
  }

  ost(target: number, minute: number, read: number, written: number, reads: number, writes: number): void {
    this.#add(target, minute, read, written, reads, writes);
  }

  mdt(target: number, minute: number, opens: number, closes: number, mknods: number, metadata: number): void {
    this.#add(target, minute, opens, closes, mknods, metadata);
  }

  /** What the samples tell, by the truth: rows of job and target and minute, and their sums. */
  get planted() {
    const found = { minutes: this.#length, rows: 0, bytesRead: 0, bytesWritten: 0, opens: 0, closes: 0 };
    const rows = this.#rows.values;
    for (let at = 0; at < rows.length; at += FIELDS) {
      const [, target = 0, , a = 0, b = 0] = rows.subarray(at, at + FIELDS);
      found.rows++;
      if (target < this.#site.osts) {
        found.bytesRead += a;
        found.bytesWritten += b;
      } else {
        found.opens += a;
        found.closes += b;
      }
    }
    return { ...found, firstMinute: this.from };
  }

  #add(target: number, minute: number, a: number, b: number, c: number, d: number): void {
    if (minute >= this.from + this.#length) return;
    for (const value of [minute, target, this.#job, a, b, c, d]) this.#rows.push(value);
    if (this.#rows.length > FIELDS * ROWS_MAX)
      throw new UsageError(
        "too many rows for samples as text; choose fewer --sample-minutes or add --tables",
      );
  }

  /** Of every server at the beginning of the window and after each minute. */
  *samples(): Generator<Sample> {
    if (Number.isNaN(this.from)) return;
    const targets = this.#targets();
    const servers = new Map<string, TargetCounters[]>();
    targets.forEach((target, i) => {
      const name = serverName(this.#site, i);
      servers.set(name, [...(servers.get(name) ?? []), target]);
    });
    const order = this.#order();
    const rows = this.#rows.values;
    let next = 0;
    // What was going on before the window is the first reading's business.
    for (let minute = this.from - 1; minute < this.from + this.#length; minute++) {
      const requestNs = BigInt(60 * minute + REQUEST_SECOND) * SECOND;
      const unix = 60 * minute + READING_SECOND;
      for (; next < order.length && (rows[order[next] as number] as number) <= minute; next++)
        this.#apply(rows, order[next] as number, targets, requestNs);
      if (minute >= this.from) this.#addBackground(minute, targets, requestNs);
      for (const [server, own] of servers) {
        for (const target of own) target.expire(BigInt(unix) * SECOND);
        yield { server, unix, text: this.#text(own, BigInt(unix) * SECOND) };
      }
    }
  }

  #targets(): TargetCounters[] {
    const { osts, mdtWeights } = this.#site;
    // Mounted ten days before.
    const bornNs = BigInt(60 * this.from - 864_000) * SECOND;
    return Array.from({ length: osts + mdtWeights.length }, (_, i) => {
      const name = `${FILE_SYSTEM}-${targetName(this.#site, i)}`;
      return new TargetCounters(name, i < osts ? "OST" : "MDT", bornNs);
    });
  }

  /** Rows by minute; those of one minute in the order of jobs. */
  #order(): Uint32Array {
    const rows = this.#rows.values;
    const order = Uint32Array.from({ length: rows.length / FIELDS }, (_, i) => FIELDS * i);
    return order.sort((a, b) => (rows[a] as number) - (rows[b] as number) || a - b);
  }

  #apply(rows: Float64Array, at: number, targets: readonly TargetCounters[], nowNs: bigint): void {
    const [, target = 0, job, a = 0, b = 0, c = 0, d = 0] = rows.subarray(at, at + FIELDS);
    const counters = targets[target] as TargetCounters;
    if (target < this.#site.osts) counters.data(String(job), nowNs, a, b, c, d);
    else counters.calls(String(job), nowNs, mdtCalls(a, b, c, d));
  }

  /** What nobody's job did is in the totals of targets only. */
  #addBackground(minute: number, targets: readonly TargetCounters[], nowNs: bigint): void {
    this.#sums.release(minute + 1, (at, target, cells, cell) => {
      if (at < minute) return;
      const [a = 0, b = 0, c = 0, d = 0] = cells.subarray(cell, cell + 4);
      const counters = targets[target] as TargetCounters;
      if (target < this.#site.osts) counters.data(undefined, nowNs, a, b, c, d);
      else counters.calls(undefined, nowNs, mdtCalls(a, b, c, d));
    });
  }

  #text(targets: readonly TargetCounters[], nowNs: bigint): string {
    let text = "";
    for (const target of targets) {
      const device = target.role === "OST" ? "obdfilter" : "mdt";
      const stats = target.role === "OST" ? "stats" : "md_stats";
      text += `${device}.${target.name}.job_stats=\n${target.jobStats(this.#release)}`;
      text += `${device}.${target.name}.${stats}=\n${target.stats(nowNs, this.#release)}`;
    }
    return text;
  }
}
