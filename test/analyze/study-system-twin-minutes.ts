/** What jobs do within their runs (B12 to B17), by plain loops. */
import { Random } from "../../src/base/prng.ts";
import {
  autocorrelationPeak,
  localOf,
  logInt,
  meanOf,
  medianOf,
  spearmanOf,
  totalOf,
} from "./study-system-twin-math.ts";
import {
  type Answers,
  type Job,
  movedOf,
  OPS,
  part,
  type Run,
  type TwinOptions,
} from "./study-system-twin-rows.ts";

const on = (list: readonly number[]) => list.filter((one) => one > 0).length;
const ioOf = ({ read, written }: Run) => on(read.map((one, i) => one + (written[i] as number)));

export function b12(counted: Job[], runs: Run[]) {
  const known = runs.filter(({ job }) => job !== undefined);
  const io = known.filter((run) => ioOf(run) > 0);
  const writers = known.filter(({ written }) => on(written) > 0);
  return {
    jobsWithIo: io.length,
    jobsWithWrites: writers.length,
    metadataOnlyJobs: known.length - io.length,
    ioShareOfMinutes: meanOf(io.map((run) => ioOf(run) / run.read.length)),
    writeShareOfMinutes: meanOf(writers.map(({ written }) => on(written) / written.length)),
    mostBytesShareOfMinutes: meanOf(
      io.map(({ read, written }) => {
        const sizes = read.map((one, i) => one + (written[i] as number)).sort((a, b) => b - a);
        let [held, minutes] = [0, 0];
        while (held < 0.9 * totalOf(sizes)) held += sizes[minutes++] as number;
        return minutes / sizes.length;
      }),
    ),
    ioMinutes: totalOf(known.map(ioOf)),
    oneMinuteJobs: known.filter(({ read }) => read.length === 1).length,
    bytesRead: totalOf(known.map(({ read }) => totalOf(read))),
    bytesWritten: totalOf(known.map(({ written }) => totalOf(written))),
    ioShareOfJobs: part(counted.filter((job) => movedOf(job) > 0).length, counted.length),
    anyShareOfJobs: part(
      counted.filter((job) => movedOf(job) > 0 || OPS.some((name) => (job[name] ?? 0) > 0)).length,
      counted.length,
    ),
  };
}

/** With the defaults of the study: 8 minutes, strength 0.3, 19 shuffles, seed 1. */
export function b13(runs: Run[]) {
  const long = runs.filter(({ written }) => on(written) > 0 && written.length >= 8);
  const found = long.flatMap((run) => {
    const series = run.written.map((bytes) => Math.log10(1 + bytes));
    const seen = autocorrelationPeak(series);
    if (seen === undefined || Math.min(1, (seen.r * series.length) / (series.length - seen.lag)) < 0.3)
      return [];
    const random = new Random(0);
    random.restart(1, 1209, run.order);
    for (let shuffles = 0; shuffles < 19; shuffles++) {
      for (let i = series.length - 1; i > 0; i--) {
        const j = Math.floor((random.bits() / 2 ** 32) * (i + 1));
        [series[i], series[j]] = [series[j] as number, series[i] as number];
      }
      if ((autocorrelationPeak(series)?.r ?? -1) >= seen.r - 1e-9) return [];
    }
    return [{ ...seen, strength: Math.min(1, (seen.r * series.length) / (series.length - seen.lag)) }];
  });
  return {
    periodicJobs: found.length,
    periodicShare: part(found.length, long.length),
    meanPeriodMinutes: meanOf(found.map(({ lag }) => lag)),
    medianPeriodMinutes: medianOf(found.map(({ lag }) => lag)),
    meanStrength: meanOf(found.map(({ strength }) => strength)),
  };
}

const MEMORY = ["below1", "from1To5", "from5To10", "from10To50", "from50To100", "above100"];
const BYTES = ["zero", "below1KB", "from1KBTo1MB", "from1MBTo1GB", "from1GBTo1TB", "above1TB"];
const memoryClass = (s: number) => (s < 0.01 ? 0 : s < 0.05 ? 1 : s < 0.1 ? 2 : s < 0.5 ? 3 : s <= 1 ? 4 : 5);
const byteClass = (b: number) => (b < 1e3 ? 1 : b < 1e6 ? 2 : b < 1e9 ? 3 : b < 1e12 ? 4 : 5);

/** The burst that each minute with a write belongs to. */
function burstsIn(written: readonly number[], gap: number): number[][] {
  const list: number[][] = [];
  written.forEach((bytes, minute) => {
    if (bytes === 0) return;
    const last = list.at(-1);
    if (last !== undefined && minute - (last.at(-1) as number) <= gap + 1) last.push(minute);
    else list.push([minute]);
  });
  return list;
}

export function bursts(runs: Run[], options: TwinOptions): Answers {
  const gap = options.maxGapMinutes ?? 0;
  const own = options.burst === "minute";
  const [memoryMinutes, byteMinutes] = [new Array<number>(6).fill(0), new Array<number>(6).fill(0)];
  const [largest, shares1, shares2]: [number[], number[][], number[][]] = [[], [], []];
  let [count, writers, writersBelow5, none] = [0, 0, 0, 0];
  for (const { job, written, read } of runs) {
    const memory = job === undefined ? Number.NaN : job.memory * (job.nodes ?? Number.NaN);
    const list = burstsIn(written, gap);
    const sizes = list.map((minutes) => totalOf(minutes.map((minute) => written[minute] as number)));
    const inBytes = new Array<number>(6).fill(0);
    const inMemory = new Array<number>(6).fill(0);
    inBytes[0] = ioOf({ job, written, read, order: 0 }) - on(written);
    list.forEach((minutes, i) => {
      for (const minute of minutes) {
        const size = own ? (written[minute] as number) : (sizes[i] as number);
        inBytes[byteClass(size)]!++;
        inMemory[memoryClass(size / memory)]!++;
      }
    });
    inBytes.forEach((n, i) => {
      byteMinutes[i]! += n;
    });
    if (totalOf(inBytes) > 0) shares2.push(inBytes.map((n) => n / totalOf(inBytes)));
    if (job !== undefined) count += list.length;
    if (Number.isNaN(memory)) continue;
    none += inBytes[0] as number;
    inMemory.forEach((n, i) => {
      memoryMinutes[i]! += n;
    });
    if (totalOf(inMemory) > 0) shares1.push(inMemory.map((n) => n / totalOf(inMemory)));
    const most = Math.max(0, ...sizes) / memory;
    largest.push(most);
    if (list.length > 0) writers++;
    if (list.length > 0 && most < 0.05) writersBelow5++;
  }
  const names = (list: string[], values: number[]) =>
    Object.fromEntries(list.map((name, i) => [name, values[i] as number]));
  const many = (test: (one: number) => boolean) => largest.filter(test).length;
  return {
    B14: {
      jobs: largest.length,
      bursts: count,
      above50: many((one) => one > 0.5),
      above100: many((one) => one > 1),
      below15: many((one) => one < 0.15),
      below5: many((one) => one < 0.05),
      writers,
      writersBelow5,
    },
    B15: {
      neverBeyond1: many((one) => one <= 0.01),
      ...names(MEMORY, memoryMinutes),
      ...(options.memoryMinutes === "io"
        ? { none }
        : {
            allBelow1Share: part(shares1.filter(([first]) => first === 1).length, shares1.length),
            below1MeanShare: meanOf(shares1.map(([first]) => first as number)),
          }),
    },
    B16: {
      mostlySmall: shares2.filter((one) => (one[2] as number) > 0.5).length,
      mostlyMedium: shares2.filter((one) => (one[3] as number) > 0.9).length,
      mostlySmallShare: part(shares2.filter((one) => (one[2] as number) > 0.5).length, shares2.length),
      ...names(BYTES, byteMinutes),
      from1MBTo1GBMeanShare: meanOf(shares2.map((one) => one[3] as number)),
    },
  };
}

export function b17(counted: Job[], runs: Run[], options: TwinOptions) {
  const zone = options.zone ?? "UTC";
  const hourOf = (job: Job) => Math.floor((localOf(zone, job.start) % 86_400) / 3600);
  const bytes = Array.from({ length: 24 }, (_, hour) =>
    totalOf(counted.filter((job) => hourOf(job) === hour).map(movedOf)),
  );
  const groups = new Map<string, { hour: number; minutes: number }[]>();
  for (const run of runs) {
    const { job, read, written } = run;
    if (job === undefined || job.user === undefined || ioOf(run) === 0) continue;
    const log = (n: number, base: number) => (n === 0 ? "none" : logInt(n, base));
    const [r, w] = [totalOf(read), totalOf(written)];
    const own = options.similarity === "program" ? `${job.name} ${log(w, 10)}` : `${log(r, 2)} ${log(w, 2)}`;
    const key = `${job.user} ${job.nodes} ${own}`;
    groups.set(key, [...(groups.get(key) ?? []), { hour: hourOf(job), minutes: ioOf(run) }]);
  }
  const used = [...groups.values()].filter((group) => group.length >= (options.groupJobs ?? 5));
  const points = used.flatMap((group) =>
    group.map(({ hour, minutes }) => ({
      hour,
      share: minutes / Math.max(...group.map((one) => one.minutes)),
    })),
  );
  const mean = (hour: number) => meanOf(points.filter((one) => one.hour === hour).map(({ share }) => share));
  const hours = [...bytes.keys()];
  const both = hours.filter((hour) => !Number.isNaN(mean(hour)));
  return {
    groups: used.length,
    groupedJobs: points.length,
    spearman:
      both.length < 6
        ? Number.NaN
        : spearmanOf(
            both.map((hour) => bytes[hour] as number),
            both.map(mean),
          ),
    ...Object.fromEntries(
      hours.map((hour) => [`hour${String(hour).padStart(2, "0")}`, (bytes[hour] as number) / totalOf(bytes)]),
    ),
    ...Object.fromEntries(
      hours.map((hour) => [`percentOfMost${String(hour).padStart(2, "0")}`, 100 * mean(hour)]),
    ),
  };
}
