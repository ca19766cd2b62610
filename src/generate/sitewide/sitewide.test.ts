/** The site as rows, samples and answers: three views of one truth. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { bytesSource } from "../../base/source.ts";
import { DeltaTracker, LustreParser, Reading, readLustre } from "../../formats/lustre/index.ts";
import type { ColumnSource, RowSink, TableSchema, Value } from "../../model/index.ts";
import { LocalClock, LocalDay } from "./calendar.ts";
import {
  generateSeries,
  generateSite,
  Site,
  SiteAnswers,
  type SiteOptions,
  SiteTables,
  seriesMinutes,
} from "./index.ts";
import type { Plan } from "./plan.ts";
import { BetaQuantiles, medianForMean, quotas, Shuffle } from "./quota.ts";
import { Samples } from "./samples.ts";

const OPTIONS: SiteOptions = {
  ...{ seed: 1, scale: 0.01, cluster: "both", weekend: 1, contention: 2, start: "2018-06-07" },
};
const TINY: SiteOptions = { ...OPTIONS, scale: 0.001 };

it.each(["2018-13-01", "2018-02-30", "1999-01-01", "June"])("cannot start on %s", (start) => {
  expect(() => new Site({ ...TINY, start })).toThrow(/is not a date from 2008 to 2199/);
});

type Row = Record<string, Value>;

/** Rows as objects, by table. */
class MemorySink implements RowSink {
  readonly tables = new Map<string, Row[]>();

  async append(table: TableSchema, count: number, columns: Readonly<Record<string, ColumnSource>>) {
    const rows = this.tables.get(table.name) ?? [];
    this.tables.set(table.name, rows);
    for (let i = 0; i < count; i++) {
      const row: Row = {};
      for (const [name, source] of Object.entries(columns)) {
        const value = ("all" in source ? source.all : source[i]) as Value;
        row[name] = typeof value === "bigint" && value === -(2n ** 63n) ? null : value;
      }
      rows.push(row);
    }
  }

  get(name: string): Row[] {
    return this.tables.get(name) ?? [];
  }
}

async function madeOf(options: SiteOptions) {
  const site = new Site(options);
  const sink = new MemorySink();
  const tables = new SiteTables(site, sink);
  const answers = new SiteAnswers(site);
  await generateSite(site, [tables, answers]);
  await tables.finish();
  return { site, sink, sheet: answers.finish() };
}

/** What goes into each table, as hashes: the same rows give the same ones. */
class HashSink implements RowSink {
  readonly #hashes = new Map<string, ReturnType<typeof createHash>>();

  async append(table: TableSchema, count: number, columns: Readonly<Record<string, ColumnSource>>) {
    const hash = this.#hashes.get(table.name) ?? createHash("sha256");
    this.#hashes.set(table.name, hash);
    for (const [name, source] of Object.entries(columns)) {
      hash.update(`${name} ${count}\n`);
      if ("all" in source) hash.update(String(source.all));
      else if (Array.isArray(source)) hash.update(source.slice(0, count).join());
      else hash.update(new Uint8Array((source as Float64Array).slice(0, count).buffer));
    }
  }

  get digests(): string[][] {
    return [...this.#hashes].map(([name, hash]) => [name, hash.copy().digest("hex")]);
  }
}

let tiny: ReturnType<typeof madeOf> | undefined;
/** Made once. */
const madeTiny = () => {
  tiny ??= madeOf(TINY);
  return tiny;
};

describe("quotas", () => {
  it("a shuffle has every place once, and another seed another order", () => {
    for (const size of [1, 2, 7, 100, 4097]) {
      const places = Array.from({ length: size }, (_, i) => new Shuffle(size, 3, 1).at(i));
      expect(new Set(places).size).toBe(size);
      expect(Math.max(...places)).toBe(size - 1);
    }
    const order = (seed: number) => Array.from({ length: 50 }, (_, i) => new Shuffle(50, seed, 1).at(i));
    expect(order(1)).not.toEqual(order(2));
  });

  it("parts add up, quantiles of Beta(1, 3) and Beta(2, 1) are those of their closed forms", () => {
    expect(quotas(10, [1, 1, 1])).toEqual([3, 7, 10]);
    const [one, two] = [new BetaQuantiles(1, 3), new BetaQuantiles(2, 1)];
    for (const u of [0.01, 0.3, 0.5, 0.9, 0.999]) {
      expect(one.at(u)).toBeCloseTo(1 - (1 - u) ** (1 / 3), 2);
      expect(two.at(u)).toBeCloseTo(Math.sqrt(u), 2);
    }
  });

  it("the median for a mean without bounds is that of a log-normal distribution", () => {
    expect(medianForMean(200_000, 1, Math.exp(0.5), 0, 1e300)).toBeCloseTo(1, 2);
  });
});

describe("the local calendar", () => {
  it("has the hours and days that the machine's own calendar has, over both changes of the clock", () => {
    const format = new Intl.DateTimeFormat("en-CA", {
      timeZone: "America/Los_Angeles",
      ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", hourCycle: "h23" },
    });
    const clock = new LocalClock();
    for (let unix = 1_425_000_000; unix < 1_530_000_000; unix += 1_234_567) {
      const parts = Object.fromEntries(
        format.formatToParts(unix * 1000).map(({ type, value }) => [type, value]),
      );
      expect(clock.hour(unix)).toBe(Number(parts.hour));
      const day = Date.UTC(Number(parts.year), Number(parts.month) - 1, Number(parts.day)) / 86_400_000;
      expect(clock.day(unix)).toBe(day);
    }
    // 11 March and 4 November 2018: 23 and 25 hours.
    for (const [day, seconds] of [
      [17_601, 82_800],
      [17_839, 90_000],
    ] as const)
      expect(new LocalDay(day + 1).at(0) - new LocalDay(day).at(0)).toBe(seconds);
    for (let hour = 0; hour < 24; hour++)
      if (hour !== 2) expect(clock.hour(new LocalDay(17_601).at(hour))).toBe(hour);
  });
});

describe("planted values", () => {
  it.each([1, 2])("are within the published tolerances with seed %i", async (seed) => {
    const site = new Site({ ...OPTIONS, seed });
    const answers = new SiteAnswers(site);
    await generateSite(site, [answers]);
    const { comparison } = answers.finish();
    expect(comparison.filter(({ within }) => within === false)).toEqual([]);
    expect(comparison.filter(({ within }) => within === true).length).toBeGreaterThan(35);
  });

  it("a weekend trend is there when asked for, and not otherwise", async () => {
    const trend = async (weekend: number) => {
      const site = new Site({ ...OPTIONS, cluster: "cab", weekend });
      const answers = new SiteAnswers(site);
      await generateSite(site, [answers]);
      return answers.finish().items.B09?.planted.cab as { kruskalWallisH: number };
    };
    // The 99th percentile of chi-squared with 6 degrees of freedom.
    expect((await trend(1)).kruskalWallisH).toBeLessThan(16.8);
    expect((await trend(0.25)).kruskalWallisH).toBeGreaterThan(16.8);
  });
});

describe("rows", () => {
  it("are what the answers say, recounted from the rows", async () => {
    const { site, sink, sheet } = await madeTiny();
    const jobs = sink.get("jobs");
    const minutes = sink.get("minutes");
    const planted = (item: string, of: string) =>
      sheet.items[item]?.planted[of] as Record<string, number | bigint>;
    for (const cluster of ["cab", "quartz"]) {
      const own = jobs.filter((row) => row.cluster === cluster);
      const seconds = (row: Row) => Number((row.end_unix_ns as bigint) - (row.start_unix_ns as bigint)) / 1e9;
      const short = own.filter((row) => seconds(row) < 86_400);
      expect(planted("B02", cluster).jobs).toBe(short.length);
      expect(planted("B03", cluster).longJobs).toBe(own.length - short.length);
      expect(planted("B04", cluster).durationMeanHours).toBeCloseTo(
        short.reduce((all, row) => all + seconds(row), 0) / short.length / 3600,
        9,
      );
      const counted = short.filter((row) => row.bytes_written !== null);
      const sum = counted.reduce((all, row) => all + (row.bytes_written as bigint), 0n);
      expect(planted("B05", cluster).bytesWritten).toBe(sum);
      const mean = Number(sum) / counted.length;
      const writers = counted.filter((row) => (row.writes as bigint) > 0n);
      const ratio = (row: Row) => Number(row.bytes_written) / Number(row.writes);
      const perCall = writers.reduce((all, row) => all + ratio(row), 0) / writers.length;
      const heavy = writers.filter((row) => Number(row.bytes_written) > mean);
      expect(planted("B06", cluster)["all.meanOfRatios.heavy"]).toBe(heavy.length);
      expect(planted("B06", cluster)["all.meanOfRatios.inefficient"]).toBe(
        heavy.filter((row) => ratio(row) < perCall).length,
      );
      const closed = own.filter(
        (row) => row.closes !== null && (row.closes as bigint) > (row.opens as bigint),
      );
      expect(closed).toEqual([]);
    }
    expect(planted("B02", "series").minuteRows).toBe(minutes.length);
    const written = minutes.reduce((all, row) => all + ((row.bytes_written as bigint | null) ?? 0n), 0n);
    expect(planted("B12", "series").bytesWritten).toBe(written);
    const byJob = new Map<string, Set<bigint>>();
    for (const row of minutes) {
      if (((row.bytes_written as bigint) ?? 0n) + ((row.bytes_read as bigint) ?? 0n) === 0n) continue;
      const of = byJob.get(row.job_id as string) ?? new Set<bigint>();
      byJob.set(row.job_id as string, of.add(row.minute_unix as bigint));
    }
    const runs = new Map(jobs.map((row) => [row.job_id as string, row]));
    const shares = [...byJob].map(([job, active]) => {
      const { start_unix_ns: start, end_unix_ns: end } = runs.get(job) as Row;
      return (
        active.size / Number((end as bigint) / 60_000_000_000n - (start as bigint) / 60_000_000_000n + 1n)
      );
    });
    expect(planted("B12", "series").jobsWithIo).toBe(shares.length);
    expect(planted("B12", "series").ioShareOfMinutes).toBeCloseTo(
      shares.reduce((all, share) => all + share, 0) / shares.length,
      12,
    );
    const classes = ["below1", "from1To5", "from5To10", "from10To50", "from50To100", "above100"];
    const writeMinutes = classes.reduce((all, name) => all + Number(planted("B15", "series")[name]), 0);
    const bytes = ["below1KB", "from1KBTo1MB", "from1MBTo1GB", "from1GBTo1TB", "above1TB"];
    expect(bytes.reduce((all, name) => all + Number(planted("B16", "series")[name]), 0)).toBe(writeMinutes);
    expect(site.seriesJobs).toBe(planted("B02", "series").seriesJobs);
  });

  it("of targets are the sums of minutes and something beside them", async () => {
    const { site, sink } = await madeTiny();
    const [from, to] = seriesMinutes(site);
    const targets = sink.get("targets");
    const count = site.osts + site.mdtWeights.length;
    expect(targets.length).toBe(count * (to - from));
    const of = new Map(targets.map((row) => [`${row.target} ${row.minute_unix}`, row]));
    expect(of.size).toBe(targets.length);
    const sums = new Map<string, bigint>();
    for (const row of sink.get("minutes")) {
      const key = `${row.target} ${row.minute_unix}`;
      sums.set(
        key,
        (sums.get(key) ?? 0n) +
          ((row.bytes_written as bigint | null) ?? 0n) +
          ((row.opens as bigint | null) ?? 0n),
      );
    }
    expect(sums.size).toBeGreaterThan(500);
    for (const [key, sum] of sums) {
      const row = of.get(key) as Row;
      const all = ((row.bytes_written as bigint | null) ?? 0n) + ((row.opens as bigint | null) ?? 0n);
      expect(all >= sum && all - sum <= 4n * 65_536n).toBe(true);
    }
    expect(sink.get("readings").length).toBe(2 * count);
  });

  it("are the same for the same seed and others for another; the first jobs have keys of their ids", async () => {
    const hashes = async (seed: number) => {
      const site = new Site({ ...TINY, seed });
      const sink = new HashSink();
      const tables = new SiteTables(site, sink);
      const answers = new SiteAnswers(site);
      await generateSite(site, [tables, answers]);
      await tables.finish();
      const text = JSON.stringify(answers.finish(), (_, value) =>
        typeof value === "bigint" ? `${value}` : value,
      );
      return [...sink.digests, text];
    };
    const [one, two, other] = [await hashes(1), await hashes(1), await hashes(2)];
    expect(one).toEqual(two);
    expect(one.length).toBe(7);
    // All but the readings, which are the same for every seed.
    one.forEach((digest, at) => {
      if (digest[0] !== "readings") expect(digest, String(digest[0])).not.toEqual(other[at]);
    });
    const { sink } = await madeTiny();
    const [job] = sink.get("jobs") as [Row];
    const digest = createHash("sha256")
      .update(job.job_id as string)
      .digest("hex");
    expect(job.job_key).toBe(BigInt(`0x${digest.slice(0, 16)}`));
  });
});

describe("samples of servers", () => {
  it.each(["2.12", "2.15"] as const)(
    "of %s give the planted minutes back when differenced",
    async (release) => {
      const site = new Site({ ...TINY, scale: 0.004 });
      const samples = new Samples(site, release, 240, seriesMinutes(site)[0]);
      const wanted = new Map<string, string>();
      const totals = new Map<string, number>();
      let job = 0;
      const put = (target: number, minute: number, kind: string, values: readonly number[]) => {
        if (minute < samples.from + 240) wanted.set(`${job} ${kind}${target} ${minute}`, values.join(" "));
      };
      await generateSeries(site, [
        samples,
        {
          begin: (plan: Plan) => {
            job = plan.job;
          },
          minutes: {
            ost: (target, minute, read, written, reads, writes) =>
              put(target, minute, "OST", [read, written, reads, writes]),
            mdt: (target, minute, opens, closes, mknods) =>
              put(target - site.osts, minute, "MDT", [opens, closes, mknods]),
          },
        },
      ]);
      const parser = new LustreParser();
      const tracker = new DeltaTracker(parser.table, { everyNs: 60_000_000_000n });
      const found = new Map<string, string>();
      for (const { unix, text, server } of samples.samples()) {
        const source = bytesSource(new TextEncoder().encode(text), `${server}/${unix}.txt`);
        const { items } = readLustre(source, { readAtNs: BigInt(unix) * 1_000_000_000n }, parser.table);
        for (const item of items) {
          if (!(item instanceof Reading)) continue;
          expect(item.notes).toMatchObject({ unknownLines: 0, brokenLines: 0, duplicates: 0 });
          const deltas = tracker.feed(item);
          if (deltas === undefined || deltas.fromNs === undefined) continue;
          const { changed, reading } = deltas;
          const rows = new Map<number, Record<string, number>>();
          for (let i = 0; i < changed.count; i++) {
            const column = changed.column[i] as number;
            if (
              parser.table.units[column] === "usecs" &&
              /^(read|write)$/.test(parser.table.names[column] ?? "")
            )
              continue;
            const of = rows.get(changed.row[i] as number) ?? {};
            rows.set(changed.row[i] as number, of);
            const name = parser.table.names[column] as string;
            of[name] = Number(changed.samples[i]);
            of[`${name}.sum`] = Number(changed.sum[i]);
          }
          const isOst = item.target.includes("OST");
          const target = Number.parseInt(item.target.slice(-4), 16);
          for (const [row, of] of rows) {
            const n = (name: string) => of[name] ?? 0;
            if (item.kind === "job_stats") {
              const values = isOst
                ? [n("read_bytes.sum"), n("write_bytes.sum"), n("read_bytes"), n("write_bytes")]
                : [n("open"), n("close"), n("mknod")];
              found.set(
                `${reading.jobId(row)} ${isOst ? "OST" : "MDT"}${target} ${Math.floor(unix / 60)}`,
                values.join(" "),
              );
            } else totals.set(item.kind, (totals.get(item.kind) ?? 0) + n("write_bytes.sum") + n("open"));
          }
        }
      }
      expect(wanted.size).toBeGreaterThan(300);
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
      expect(samples.planted.rows).toBe(wanted.size);
      // Targets have the background beside the jobs.
      expect(totals.get("ost_stats")).toBeGreaterThan(samples.planted.bytesWritten);
      expect(tracker.counts).toMatchObject({ gaps: 0, reset: 0, outOfOrder: 0 });
    },
  );
});

describe("times of servers", () => {
  /** By plain loops over the rows: bytes of each OST and minute, then the time of each row beside the others. */
  async function fitted(contention: number) {
    const { sink, sheet } = await madeOf({ ...TINY, cluster: "quartz", contention });
    const rows = sink
      .get("minutes")
      .filter(({ bytes_read: bytes, target }) => bytes !== null && String(target).startsWith("OST"));
    const key = ({ target, minute_unix: minute }: Row) => `${target} ${minute}`;
    const bytesOf = (row: Row) => Number(row.bytes_read) + Number(row.bytes_written);
    const loads = new Map<string, number>();
    for (const row of rows) loads.set(key(row), (loads.get(key(row)) ?? 0) + bytesOf(row));
    const rate = sheet.load?.ostBytesPerSecond as number;
    let [xy, xx, worst] = [0, 0, 0];
    for (const row of rows) {
      const alone = bytesOf(row) / rate;
      const others = ((loads.get(key(row)) as number) - bytesOf(row)) / (60 * rate);
      const usecs = Number(row.read_usecs) + Number(row.write_usecs);
      xy += others * (usecs / 1e6 - alone);
      xx += others * others * alone;
      worst = Math.max(worst, Math.abs(usecs - 1e6 * alone * (1 + contention * others)));
    }
    return {
      sheet,
      slope: xy / xx,
      worst,
      busiest: Math.max(...loads.values()) / (60 * rate),
      rows: rows.length,
    };
  }

  it.each([0, 2, 5])(
    "depend on the load of the OST in that minute by the planted slope %d",
    async (contention) => {
      const { sheet, slope, worst, busiest, rows } = await fitted(contention);
      expect(rows).toBeGreaterThan(1000);
      // Each row is the formula, but for whole microseconds of reads and writes.
      expect(worst).toBeLessThanOrEqual(1);
      expect(slope).toBeCloseTo(contention, 2);
      expect(sheet.load).toMatchObject({ slope: contention });
      expect(sheet.load?.fittedSlope).toBeCloseTo(slope, 6);
      // No OST gives more than it can.
      expect(busiest).toBeLessThanOrEqual(1);
      expect(sheet.load?.busiestShare).toBeCloseTo(busiest, 9);
      if (contention > 0) expect(sheet.load?.slowdown).toBeGreaterThan(1);
    },
  );
});
