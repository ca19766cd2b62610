/** True answers about the minutes (B08, B12 to B17), from the rows that pass by and not from the plans behind them. */
import { createHash } from "node:crypto";
import { LocalClock } from "./calendar.ts";
import { PATTERNS, type Plan } from "./plan.ts";
import { FILE_SYSTEM, QUARTZ } from "./scenario.ts";
import { ByteSums, mean } from "./sums.ts";
import { type Site, targetName } from "./site.ts";
import type { MinuteSink } from "./spread.ts";
import type { Values } from "./answers-writes.ts";

/** Upper ends of classes: shares of memory, and bytes. */
const MEMORY_CLASSES = [0.01, 0.05, 0.1, 0.5, 1] as const;
const BYTE_CLASSES = [1e3, 1e6, 1e9, 1e12] as const;
/** Jobs of a group of alike ones. */
const GROUP_LEAST = 5;

export class SeriesAnswers implements MinuteSink {
  rows = 0;
  readonly #site: Site;
  readonly #read = new Float64Array(2048);
  readonly #written = new Float64Array(2048);
  #first = 0;
  readonly #mdtOpens: ByteSums;
  readonly #mdtCloses: ByteSums;
  readonly #total = new ByteSums(2);
  readonly #shares: number[] = [];
  readonly #writeShares: number[] = [];
  #jobs = 0;
  #oneBin = 0;
  #ioMinutes = 0;
  readonly #largest: number[] = [];
  #never1 = 0;
  #mostlySmall = 0;
  #mostlyMedium = 0;
  readonly #memoryMinutes = new Float64Array(MEMORY_CLASSES.length + 1);
  readonly #byteMinutes = new Float64Array(BYTE_CLASSES.length + 2);
  #bursts = 0;
  readonly #patterns = new Float64Array(PATTERNS.length);
  #periods = 0;
  readonly #periodic = createHash("sha256");
  readonly #groups = new Map<string, { hour: number; minutes: number }[]>();
  readonly #clock = new LocalClock();

  constructor(site: Site) {
    this.#site = site;
    this.#mdtOpens = new ByteSums(site.mdtWeights.length);
    this.#mdtCloses = new ByteSums(site.mdtWeights.length);
  }

  begin(plan: Plan): void {
    this.#first = Math.floor(plan.start / 60);
    this.#read.fill(0, 0, plan.bins);
    this.#written.fill(0, 0, plan.bins);
  }

  ost(_target: number, minute: number, read: number, written: number): void {
    this.rows++;
    const bin = minute - this.#first;
    this.#read[bin] = (this.#read[bin] as number) + read;
    this.#written[bin] = (this.#written[bin] as number) + written;
  }

  mdt(target: number, _minute: number, opens: number, closes: number): void {
    this.rows++;
    this.#mdtOpens.add(target - this.#site.osts, opens);
    this.#mdtCloses.add(target - this.#site.osts, closes);
  }

  end(plan: Plan): void {
    const bins = Math.floor(plan.end / 60) - this.#first + 1;
    let io = 0;
    let writes = 0;
    let read = 0;
    let written = 0;
    for (let bin = 0; bin < bins; bin++) {
      read += this.#read[bin] as number;
      written += this.#written[bin] as number;
      if ((this.#written[bin] as number) > 0) writes++;
      if ((this.#read[bin] as number) + (this.#written[bin] as number) > 0) io++;
    }
    this.#jobs++;
    if (bins === 1) this.#oneBin++;
    this.#ioMinutes += io;
    this.#total.add(0, read);
    this.#total.add(1, written);
    if (io > 0) this.#shares.push(io / bins);
    if (writes > 0) this.#writeShares.push(writes / bins);
    this.#burstsOf(plan, bins, io);
    this.#patterns[plan.pattern] = (this.#patterns[plan.pattern] as number) + 1;
    this.#periods += plan.period;
    if (plan.period > 0) this.#periodic.update(`${plan.job} ${plan.period}\n`);
    if (io > 0) this.#group(plan, read, written, io);
  }

  #burstsOf(plan: Plan, bins: number, io: number): void {
    const memory = QUARTZ.nodeMemoryBytes * plan.nodes;
    let largest = 0;
    let small = 0;
    let medium = 0;
    let writes = 0;
    for (let bin = 0; bin < bins; ) {
      if (!((this.#written[bin] as number) > 0)) {
        bin++;
        continue;
      }
      const from = bin;
      let bytes = 0;
      while (bin < bins && (this.#written[bin] as number) > 0) bytes += this.#written[bin++] as number;
      const minutes = bin - from;
      writes += minutes;
      this.#bursts++;
      largest = Math.max(largest, bytes);
      if (bytes >= 1e3 && bytes < 1e6) small += minutes;
      if (bytes >= 1e6 && bytes < 1e9) medium += minutes;
      const share = bytes / memory;
      // The class that ends at all of the memory holds it; the others end below their upper end.
      let inMemory = MEMORY_CLASSES.findIndex((upper) => share < upper || (upper === 1 && share === 1));
      if (inMemory < 0) inMemory = MEMORY_CLASSES.length;
      this.#memoryMinutes[inMemory] = (this.#memoryMinutes[inMemory] as number) + minutes;
      let inBytes = BYTE_CLASSES.findIndex((upper) => bytes < upper);
      if (inBytes < 0) inBytes = BYTE_CLASSES.length;
      this.#byteMinutes[inBytes + 1] = (this.#byteMinutes[inBytes + 1] as number) + minutes;
    }
    this.#byteMinutes[0] = (this.#byteMinutes[0] as number) + io - writes;
    this.#largest.push(largest / memory);
    if (largest / memory <= 0.01) this.#never1++;
    if (io > 0 && small / io > 0.5) this.#mostlySmall++;
    if (io > 0 && medium / io > 0.9) this.#mostlyMedium++;
  }

  #group(plan: Plan, read: number, written: number, minutes: number): void {
    const log = (bytes: number) => (bytes === 0 ? -1 : Math.floor(Math.log2(bytes)));
    const key = `${plan.user} ${plan.nodes} ${log(read)} ${log(written)}`;
    const group = this.#groups.get(key) ?? [];
    if (group.length === 0) this.#groups.set(key, group);
    group.push({ hour: this.#clock.hour(plan.start), minutes });
  }

  answers(): Readonly<Record<string, Values>> {
    const below = (share: number) => this.#largest.filter((largest) => largest < share).length;
    const withIo = this.#shares.length;
    const minutes = (counts: Float64Array, names: readonly string[]) =>
      Object.fromEntries(names.map((name, i) => [name, counts[i] as number]));
    return {
      B02: { seriesJobs: this.#jobs, minuteRows: this.rows },
      B08: this.#mdts(),
      B12: {
        jobsWithIo: withIo,
        jobsWithWrites: this.#writeShares.length,
        ioShareOfMinutes: mean(this.#shares),
        writeShareOfMinutes: mean(this.#writeShares),
        ioMinutes: this.#ioMinutes,
        oneMinuteJobs: this.#oneBin,
        bytesRead: this.#total.exact(0),
        bytesWritten: this.#total.exact(1),
      },
      B13: {
        ...Object.fromEntries(PATTERNS.map((name, i) => [name, this.#patterns[i] as number])),
        periodicShareOfWriters: (this.#patterns[1] as number) / this.#writeShares.length,
        meanPeriodMinutes: this.#periods / Math.max(1, this.#patterns[1] as number),
      },
      B14: {
        jobs: this.#jobs,
        bursts: this.#bursts,
        above50: this.#largest.filter((largest) => largest > 0.5).length,
        above100: this.#largest.filter((largest) => largest > 1).length,
        below15: below(0.15),
        below5: below(0.05),
        writersBelow5: below(0.05) - (this.#jobs - this.#writeShares.length),
      },
      B15: {
        neverBeyond1: this.#never1,
        ...minutes(this.#memoryMinutes, [
          "below1",
          "from1To5",
          "from5To10",
          "from10To50",
          "from50To100",
          "above100",
        ]),
      },
      B16: {
        mostlySmall: this.#mostlySmall,
        mostlyMedium: this.#mostlyMedium,
        ...minutes(this.#byteMinutes, [
          "zero",
          "below1KB",
          "from1KBTo1MB",
          "from1MBTo1GB",
          "from1GBTo1TB",
          "above1TB",
        ]),
      },
      B17: this.#contention(),
    };
  }

  #mdts(): Values {
    const count = this.#site.mdtWeights.length;
    const opens = Array.from({ length: count }, (_, i) => this.#mdtOpens.number(i));
    const closes = Array.from({ length: count }, (_, i) => this.#mdtCloses.number(i));
    const values: Record<string, number> = {
      opens: opens.reduce((all, value) => all + value, 0),
      closes: closes.reduce((all, value) => all + value, 0),
      mostOverMean: Math.max(...opens) / mean(opens),
    };
    values.closesOverOpens = (values.closes as number) / (values.opens as number);
    for (let i = 0; i < count; i++) {
      const name = targetName(this.#site, this.#site.osts + i);
      values[`${FILE_SYSTEM}-${name}.opens`] = opens[i] as number;
      values[`${FILE_SYSTEM}-${name}.closes`] = closes[i] as number;
    }
    return values;
  }

  /** I/O minutes in percent of the most among alike jobs, by start hour. */
  #contention(): Values {
    const sums = new Float64Array(24);
    const counts = new Float64Array(24);
    let groups = 0;
    for (const group of this.#groups.values()) {
      if (group.length < GROUP_LEAST) continue;
      groups++;
      const most = Math.max(...group.map(({ minutes }) => minutes));
      for (const { hour, minutes } of group) {
        sums[hour] = (sums[hour] as number) + (100 * minutes) / most;
        counts[hour] = (counts[hour] as number) + 1;
      }
    }
    const values: Record<string, number> = {
      groups,
      groupedJobs: counts.reduce((all, count) => all + count, 0),
    };
    for (let hour = 0; hour < 24; hour++)
      values[`percentOfMost${String(hour).padStart(2, "0")}`] =
        (sums[hour] as number) / (counts[hour] as number);
    return values;
  }

  /** SHA-256 of lines "job period" of periodic writers, in the order of their starts. */
  get periodicSha256(): string {
    return this.#periodic.copy().digest("hex");
  }
}
