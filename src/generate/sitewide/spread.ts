/** A job's minutes on targets: OSTs by the files of each burst, MDTs by its directory. */
import { CLEANUP_SECONDS } from "./scenario.ts";
import type { Plan } from "./plan.ts";
import type { Site } from "./site.ts";
import { serverUsecs, type TargetLoads } from "./target-times.ts";

/** Takes what a job did on a target in a minute since 1970. `begun`: the server has no entry of it from before. */
export interface MinuteSink {
  ost(
    target: number,
    minute: number,
    read: number,
    written: number,
    reads: number,
    writes: number,
    begun: boolean,
    /** Time on the server; NaN where nobody asked for it. `others`: share of the OST's rate that other jobs take. */
    readUsecs: number,
    writeUsecs: number,
    others: number,
  ): void;
  mdt(
    target: number,
    minute: number,
    opens: number,
    closes: number,
    mknods: number,
    metadata: number,
    begun: boolean,
  ): void;
}

/** Less than this for each OST goes to fewer of them; a bulk call moves up to the second. */
const WRITE_LEAST = 65_536;
const READ_LEAST = 1_048_576;
const CALL_BYTES = 1_048_576;
/** An entry is gone at the first reading that finds it idle so long; a request in that same minute still finds it. */
const KEPT_MINUTES = CLEANUP_SECONDS / 60;

export class Spread {
  readonly #site: Site;
  readonly #lastMinute: Int32Array;
  /** State of the generator for parts; a whole stream for each minute would cost more than the row. */
  #noise = 0;

  readonly #loads: TargetLoads | undefined;

  /** With the loads of a first pass rows have times. */
  constructor(site: Site, loads?: TargetLoads) {
    this.#site = site;
    this.#loads = loads;
    this.#lastMinute = new Int32Array(site.osts + site.mdtWeights.length);
  }

  emit(plan: Plan, sink: MinuteSink): void {
    this.#lastMinute.fill(-1000);
    let opened = 0;
    let closed = 0;
    let onMdt = 0;
    for (let bin = 0; bin < plan.bins; bin++) {
      const read = plan.read[bin] as number;
      const written = plan.written[bin] as number;
      if (read + written > 0) this.#data(plan, bin, read, written, sink);
      const opens = plan.opens[bin] as number;
      if (opens === 0) continue;
      opened += opens;
      const closes = Math.floor(opened * plan.closing) - closed;
      closed += closes;
      const mdts = this.#site.mdtWeights.length;
      // Every fifth time in a directory elsewhere.
      const target = this.#site.osts + ((plan.mdt + (onMdt++ % 5 === 4 ? 1 + (plan.job % 3) : 0)) % mdts);
      const mknods = written > 0 ? Math.ceil(opens / 2) : 0;
      const getattrs = 2 * opens;
      const minute = plan.firstMinute + bin;
      sink.mdt(
        target,
        minute,
        opens,
        closes,
        mknods,
        opens + closes + mknods + getattrs,
        this.#begun(target, minute),
      );
    }
  }

  #data(plan: Plan, bin: number, read: number, written: number, sink: MinuteSink): void {
    const { osts } = this.#site;
    const minute = plan.firstMinute + bin;
    const onWrites = written === 0 ? 0 : Math.min(plan.osts, Math.max(1, Math.floor(written / WRITE_LEAST)));
    const onReads = read === 0 ? 0 : Math.min(plan.osts, Math.max(1, Math.floor(read / READ_LEAST)));
    const count = Math.max(onWrites, onReads);
    const first = plan.firstOst + (plan.burst[bin] as number) * onWrites;
    this.#noise = Math.imul(plan.job, 0x9e3779b1) + Math.imul(bin + 1, 0x85ebca6b);
    let writeLeft = written;
    let readLeft = read;
    for (let i = 0; i < count; i++) {
      const target = (first + i) % osts;
      const w = i < onWrites ? this.#part(written / onWrites, writeLeft, onWrites - 1 - i) : 0;
      const r = i < onReads ? this.#part(read / onReads, readLeft, onReads - 1 - i) : 0;
      writeLeft -= w;
      readLeft -= r;
      const others = this.#loads?.others(target, minute, r + w) ?? Number.NaN;
      const slope = this.#site.options.contention;
      sink.ost(
        target,
        minute,
        r,
        w,
        Math.ceil(r / CALL_BYTES),
        Math.ceil(w / CALL_BYTES),
        this.#begun(target, minute),
        serverUsecs(r, slope, others),
        serverUsecs(w, slope, others),
        others,
      );
    }
  }

  /** About `each`, a quarter more or less; the last one takes what is left, and every one at least a byte. */
  #part(each: number, left: number, after: number): number {
    if (after === 0) return left;
    this.#noise = (Math.imul(this.#noise, 1664525) + 1013904223) | 0;
    const factor = 0.75 + (this.#noise >>> 8) / 33_554_432;
    return Math.max(1, Math.min(left - after, Math.floor(each * factor)));
  }

  #begun(target: number, minute: number): boolean {
    const last = this.#lastMinute[target] as number;
    this.#lastMinute[target] = minute;
    return last < 0 || minute - last > KEPT_MINUTES;
  }
}
