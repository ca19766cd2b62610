import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesSource } from "../../base/source.ts";
import { clientDelta, JobClientSums } from "./client-delta.ts";
import { CounterTable } from "./counter-table.ts";
import { DeltaTracker, type TrackerOptions } from "./delta.ts";
import { WHY_NAMES } from "./delta-rows.ts";
import { readLustre } from "./parser.ts";
import type { Reading } from "./reading.ts";
import { tableDelta } from "./table-delta.ts";
import type { TableReading } from "./tables.ts";

const SECOND = 1_000_000_000n;
const EPOCH = 1_600_000_000;

interface Row {
  readonly id: string;
  readonly counters: Readonly<Record<string, readonly [samples: bigint, sum: bigint]>>;
  /** Seconds since the first reading. */
  readonly last: number;
  readonly start?: number;
}

function jobText(rows: readonly Row[]): string {
  const lines = ["job_stats:"];
  for (const { id, counters, last, start } of rows) {
    lines.push(`- job_id:          ${id}`, `  snapshot_time:   ${EPOCH + last}`);
    if (start !== undefined) lines.push(`  start_time:      ${EPOCH + start}`);
    for (const [name, [samples, sum]] of Object.entries(counters))
      lines.push(`  ${name}: { samples: ${samples}, unit: bytes, min: 0, max: 0, sum: ${sum} }`);
  }
  return `${lines.join("\n")}\n`;
}

/** Feeds texts of one target and lists what comes out: `job counter samples/sum why`. */
class Bench {
  readonly table = new CounterTable();
  readonly tracker: DeltaTracker;
  constructor(options: TrackerOptions = {}) {
    this.tracker = new DeltaTracker(this.table, options);
  }
  text(text: string, second: number, path = "obdfilter/fs-OST0000/job_stats", host = "") {
    const options = { readAtNs: BigInt(EPOCH + second) * SECOND, path };
    const reading = readLustre(bytesSource(new TextEncoder().encode(text)), options, this.table)
      .items[0] as Reading;
    const result = this.tracker.feed(reading, host);
    if (result === undefined) return undefined;
    const list = ({ count, row, column, samples, sum, why }: typeof result.changed) =>
      Array.from({ length: count }, (_, i) =>
        [
          ...[reading.jobId(row[i] as number), this.table.names[column[i] as number]],
          ...[`${samples[i]}/${sum[i]}`, WHY_NAMES[why[i] as number]],
        ].join(" "),
      );
    return { changed: list(result.changed), carriedIn: list(result.carriedIn), result };
  }
  rows(second: number, ...rows: readonly Row[]) {
    return this.text(jobText(rows), second);
  }
}

const w = (samples: number | bigint, sum: number | bigint) => ({
  write_bytes: [BigInt(samples), BigInt(sum)] as const,
});

describe("differences of job_stats", () => {
  it("carry in what was there, unless it started after the collection", () => {
    const bench = new Bench({ sinceNs: BigInt(EPOCH - 10) * SECOND });
    const first = bench.rows(
      0,
      { id: "old", counters: w(5, 50), last: 0, start: -100 },
      { id: "new", counters: w(6, 60), last: 0, start: -5 },
    );
    expect(first).toMatchObject({
      carriedIn: ["old write_bytes 5/50 begun"],
      changed: ["new write_bytes 6/60 begun"],
    });
    expect(first?.result.fromNs).toBeUndefined();
    const second = bench.rows(
      60,
      { id: "old", counters: w(7, 90), last: 50, start: -100 },
      { id: "third", counters: w(1, 2), last: 55, start: 54 },
    );
    expect(second).toMatchObject({
      carriedIn: [],
      changed: ["old write_bytes 2/40 grown", "third write_bytes 1/2 begun"],
    });
    expect(second?.result.toNs).toBe((second?.result.fromNs ?? 0n) + 60n * SECOND);
  });

  it("do not believe a start_time in the future", () => {
    const bench = new Bench({ sinceNs: BigInt(EPOCH - 10) * SECOND });
    const first = bench.rows(
      0,
      { id: "ahead", counters: w(5, 50), last: 600, start: 300 },
      { id: "new", counters: w(6, 60), last: 0, start: -5 },
    );
    expect(first).toMatchObject({
      carriedIn: ["ahead write_bytes 5/50 begun"],
      changed: ["new write_bytes 6/60 begun"],
    });
  });

  it("follow start_time even when all counters grew", () => {
    const bench = new Bench();
    bench.rows(0, { id: "1", counters: w(5, 50), last: 0, start: -9 });
    expect(bench.rows(60, { id: "1", counters: w(6, 60), last: 55, start: 30 })?.changed).toEqual([
      "1 write_bytes 6/60 restarted",
    ]);
  });

  it("a fall resets the whole row without start_time, and only the counter with it", () => {
    const both = (a: number, b: number) => ({ ...w(a, a), read_bytes: [BigInt(b), BigInt(b)] as const });
    const blind = new Bench();
    blind.rows(0, { id: "1", counters: both(9, 9), last: 0 });
    expect(blind.rows(60, { id: "1", counters: both(3, 12), last: 55 })?.changed).toEqual([
      ...["1 write_bytes 3/3 reset", "1 read_bytes 12/12 reset"],
    ]);
    const dated = new Bench();
    dated.rows(0, { id: "1", counters: both(9, 9), last: 0, start: -5 });
    expect(dated.rows(60, { id: "1", counters: both(3, 12), last: 55, start: -5 })?.changed).toEqual([
      ...["1 write_bytes 3/3 reset", "1 read_bytes 3/3 grown"],
    ]);
    expect(dated.tracker.counts.backwards).toBe(1);
  });

  it("an expired row that comes back larger is new; one that a torn reading missed goes on", () => {
    const bench = new Bench();
    const other = { id: "x", counters: w(1, 1), last: 0 };
    const third = { id: "y", counters: w(1, 1), last: 0 };
    bench.rows(
      0,
      { id: "old", counters: w(5, 5), last: 0 },
      { id: "torn", counters: w(7, 7), last: 650 },
      other,
      third,
    );
    // Both absent at 660: `old` had been idle for 660 s, `torn` for 10 s.
    expect(bench.rows(660, other, third)?.changed).toEqual([]);
    expect(bench.tracker.counts).toMatchObject({ expired: 1, vanished: 1, cleared: 0 });
    const back = bench.rows(
      720,
      { id: "old", counters: w(6, 6), last: 700 },
      { id: "torn", counters: w(9, 9), last: 700 },
      other,
      third,
    );
    expect(back?.changed).toEqual(["old write_bytes 6/6 begun", "torn write_bytes 2/2 grown"]);
    expect(bench.tracker.counts.returned).toBe(1);
  });

  it("rows that vanish together were cleared: they are new when they come back", () => {
    const bench = new Bench();
    bench.rows(0, { id: "a", counters: w(5, 5), last: 0 }, { id: "b", counters: w(5, 5), last: 0 });
    bench.text("job_stats:\n", 60);
    expect(bench.tracker.counts).toMatchObject({ cleared: 1, vanished: 2 });
    expect(bench.rows(120, { id: "a", counters: w(6, 6), last: 110 })?.changed).toEqual([
      "a write_bytes 6/6 begun",
    ]);
  });

  it("a row that was idle for longer than it lives and then grew is suspect", () => {
    const bench = new Bench();
    bench.rows(0, { id: "1", counters: w(7, 7), last: 0 });
    for (let at = 60; at <= 600; at += 60)
      expect(bench.rows(at, { id: "1", counters: w(7, 7), last: 0 })?.changed).toEqual([]);
    expect(bench.rows(660, { id: "1", counters: w(16, 16), last: 640 })?.changed).toEqual([
      "1 write_bytes 9/9 suspect",
    ]);
    expect(bench.tracker.counts.suspect).toBe(1);
  });

  it("wrap at the end of the numbers, printed either way; elsewhere a fall is a fall", () => {
    const end = 2n ** 63n;
    for (const [before, now, grown, why] of [
      [end - 5n, end + 10n, 15n, "wrapped"],
      [end - 5n, 20n, 25n, "wrapped"],
      [2n ** 64n - 3n, 4n, 7n, "grown"],
      [end - 2n ** 41n, 20n, 20n, "reset"],
      [end + 5n, end + 9n, 4n, "grown"],
      [2n ** 53n, 2n ** 53n + 1n, 1n, "grown"],
    ] as const) {
      const bench = new Bench();
      bench.rows(0, { id: "1", counters: w(1, before), last: 0 });
      const [line] = bench.rows(60, { id: "1", counters: w(2, now), last: 50 })?.changed ?? [];
      expect(line).toBe(`1 write_bytes ${why === "reset" ? 2 : 1}/${grown} ${why}`);
    }
  });

  it("keep both ends of a gap, leave out what is not later, and take a cut text as far as it goes", () => {
    const bench = new Bench({ everyNs: 60n * SECOND });
    const row = (id: string, n: number, last: number) => ({ id, counters: w(n, n), last });
    bench.rows(0, row("a", 1, 0), row("b", 1, 0));
    const gap = bench.rows(300, row("a", 4, 290), row("b", 1, 0));
    expect(gap?.result).toMatchObject({
      gap: true,
      fromNs: BigInt(EPOCH) * SECOND,
      toNs: BigInt(EPOCH + 300) * SECOND,
    });
    expect(bench.rows(300, row("a", 9, 290))).toBeUndefined();
    expect(bench.rows(240, row("a", 9, 290))).toBeUndefined();
    const text = jobText([row("a", 6, 350), row("b", 8, 350)]);
    expect(bench.text(text.slice(0, -12), 360)?.changed).toEqual(["a write_bytes 2/2 grown"]);
    expect(bench.rows(420, row("a", 6, 350), row("b", 9, 400))?.changed).toEqual(["b write_bytes 8/8 grown"]);
    expect(bench.tracker.counts).toMatchObject({ outOfOrder: 2, cut: 1, gaps: 1, vanished: 0 });
  });

  it("a primed tracker goes on where the last one ended", () => {
    const bench = new Bench();
    const text = jobText([{ id: "a", counters: w(5, 5), last: 0 }]);
    const options = { readAtNs: BigInt(EPOCH) * SECOND, path: "obdfilter/fs-OST0000/job_stats" };
    bench.tracker.prime(
      readLustre(bytesSource(new TextEncoder().encode(text)), options, bench.table).items[0] as Reading,
    );
    expect(bench.rows(60, { id: "a", counters: w(8, 8), last: 50 })?.changed).toEqual([
      "a write_bytes 3/3 grown",
    ]);
  });

  it("add up to what a simulated server did, whoever comes, idles, expires and returns", () => {
    const minute = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 1000 })), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(fc.array(minute, { minLength: 1, maxLength: 60 }), fc.boolean(), (plan, skipSome) => {
        const bench = new Bench();
        bench.text("job_stats:\n", 0);
        const done = new Map<string, bigint>();
        const seen = new Map<string, bigint>();
        let server = new Map<string, { samples: bigint; sum: bigint; last: number; start: number }>();
        for (const [i, events] of plan.entries()) {
          const now = 60 * (i + 1);
          for (const [job, bytes] of events) {
            const id = `job${job}`;
            // An unknown id makes the server drop what has been idle.
            if (!server.has(id))
              server = new Map([...server].filter(([, entry]) => now - 5 - entry.last <= 600));
            const entry = server.get(id) ?? { samples: 0n, sum: 0n, last: now - 5, start: now - 5 };
            server.set(id, {
              ...entry,
              samples: entry.samples + 1n,
              sum: entry.sum + BigInt(bytes),
              last: now - 5,
            });
            done.set(id, (done.get(id) ?? 0n) + BigInt(bytes));
          }
          // Now and then a reading is missing; never so many that an entry could come and go unseen.
          if (skipSome && i % 4 === 2 && i < plan.length - 1) continue;
          const rows = [...server].map(([id, { samples, sum, last, start }]) => ({
            id,
            last,
            start,
            counters: w(samples, sum),
          }));
          for (const line of bench.rows(now, ...rows)?.changed ?? []) {
            const [id = "", , value = ""] = line.split(" ");
            seen.set(id, (seen.get(id) ?? 0n) + BigInt(value.split("/")[1] ?? 0));
          }
        }
        expect(seen).toEqual(done);
      }),
      { numRuns: 150 },
    );
  });

  it("twenty thousand jobs fit, and are forgotten", () => {
    const bench = new Bench();
    const rows = (from: number, last: number) =>
      Array.from({ length: 20_000 }, (_, i) => ({ id: `job.${from + i}`, counters: w(i + 1, i + 1), last }));
    bench.text(jobText(rows(0, 0)), 0);
    expect(bench.tracker.memoryBytes).toBeLessThan(13e6);
    for (let at = 1; at <= 4; at++) bench.text(jobText(rows(20_000 * at, 700 * at)), 700 * at);
    expect(bench.tracker.memoryBytes).toBeLessThan(26e6);
    expect(bench.tracker.counts.expired).toBe(80_000);
  });
});

describe("a negative counter", () => {
  const both = (read: number | bigint, write: number | bigint) => ({
    read_bytes: [1n, BigInt(read)] as const,
    write_bytes: [1n, BigInt(write)] as const,
  });
  const row = (read: number | bigint, write: number | bigint, start?: number) => ({
    ...{ id: "1", counters: both(read, write), last: 0 },
    ...(start !== undefined && { start }),
  });

  it.each([undefined, -5])("counts nothing, and its neighbours go on (start_time %s)", (start) => {
    const bench = new Bench();
    bench.rows(0, row(1000, 50, start));
    // With its sign, and printed without it.
    for (const [second, bad] of [
      [60, -3n],
      [120, 2n ** 64n - 3n],
      [180, 2n ** 63n],
    ] as const) {
      const found = bench.rows(second, row(bad, 50 + second, start));
      expect(found?.changed).toEqual(["1 write_bytes 0/60 grown"]);
      expect(found?.result.invalid).toEqual({ count: 1, name: "read_bytes" });
    }
    // The last reading that was right is what the next is compared with.
    expect(bench.rows(240, row(1005, 230, start))?.changed).toEqual(["1 read_bytes 0/5 grown"]);
    expect(bench.tracker.counts).toMatchObject({ invalid: 3, reset: 0, backwards: 0 });
  });

  it("is left out of rows that begin, and counts from 0 when it is right", () => {
    const bench = new Bench();
    bench.text("job_stats:\n", 0);
    expect(bench.rows(60, row(-7, 20))?.changed).toEqual(["1 write_bytes 1/20 begun"]);
    expect(bench.rows(120, row(30, 20))?.changed).toEqual(["1 read_bytes 1/30 grown"]);
    // The row begins again.
    expect(bench.rows(180, row(-1, 3))?.changed).toEqual(["1 write_bytes 1/3 reset"]);
  });

  it("at the first reading says nothing about what came before", () => {
    const bench = new Bench();
    const first = bench.rows(0, row(-(2n ** 62n), 20));
    expect(first?.carriedIn).toEqual(["1 write_bytes 1/20 begun"]);
    expect(bench.rows(60, row(5_000_000, 20))?.changed).toEqual([]);
    expect(bench.rows(120, row(5_000_007, 20))?.changed).toEqual(["1 read_bytes 0/7 grown"]);
    expect(bench.tracker.counts.invalid).toBe(2);
  });

  it("never gives a difference of 2^63 or more, whatever is printed", () => {
    const edge = fc.constantFrom(
      0n,
      1n,
      2n ** 50n,
      2n ** 63n - 9n,
      2n ** 63n,
      2n ** 64n - 1n,
      -1n,
      -(2n ** 63n),
    );
    const value = fc.oneof(edge, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(value, value), { minLength: 2, maxLength: 6 }),
        fc.boolean(),
        (plan, dated) => {
          const bench = new Bench();
          bench.text("job_stats:\n", 0);
          for (const [i, [read, write]] of plan.entries())
            for (const line of bench.rows(60 * (i + 1), row(read, write, dated ? -5 : undefined))?.changed ??
              [])
              expect(BigInt(line.split(/[ /]/)[3] ?? 0), line).toBeLessThan(2n ** 63n);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("differences of stats", () => {
  const stats = (seconds: number, ...lines: readonly string[]) =>
    `snapshot_time ${EPOCH + seconds}.000000000 secs.nsecs\n${lines.join("\n")}\n`;
  const path = "llite/fs-ffff0001/stats";

  it("a counter that is no longer printed is zero, so all began again", () => {
    const bench = new Bench();
    expect(
      bench.text(stats(0, "open 5 samples [reqs]", "close 4 samples [reqs]"), 0, path)?.carriedIn.length,
    ).toBe(2);
    expect(bench.text(stats(60, "close 9 samples [reqs]"), 60, path)?.changed).toEqual([" close 9/0 reset"]);
  });

  it("a counter line that cannot be read is no fall", () => {
    const bench = new Bench();
    bench.text(stats(0, "open 5 samples [reqs]", "close 4 samples [reqs]"), 0, path);
    expect(
      bench.text(
        stats(60, "open x samples [reqs]", "open 9 drops [reqs]", "close 9 samples [reqs]"),
        60,
        path,
      )?.changed,
    ).toEqual([" close 5/0 grown"]);
    expect(
      bench.text(stats(120, "open 8 samples [reqs]", "close 9 samples [reqs]"), 120, path)?.changed,
    ).toEqual([" open 3/0 grown"]);
  });

  it("another mount of a client began at zero; another client has its own", () => {
    const bench = new Bench();
    bench.text(stats(0, "open 5 samples [reqs]"), 0, path, "n1");
    const other = bench.text(stats(60, "open 7 samples [reqs]"), 60, "llite/fs-ffff0002/stats", "n1");
    expect(other).toMatchObject({ changed: [" open 7/0 restarted"], carriedIn: [] });
    expect(bench.text(stats(60, "open 7 samples [reqs]"), 60, path, "n2")).toMatchObject({
      changed: [],
      carriedIn: [" open 7/0 begun"],
    });
    expect(bench.tracker.counts.remounts).toBe(1);
  });

  it("a wrap of a signed file is negative text", () => {
    const bench = new Bench();
    bench.text(stats(0, `write_bytes 5 samples [bytes] 1 1 ${2n ** 63n - 4n}`), 0, path);
    expect(
      bench.text(stats(60, `write_bytes 6 samples [bytes] 1 1 ${-(2n ** 63n) + 6n}`), 60, path)?.changed,
    ).toEqual([" write_bytes 1/10 wrapped"]);
  });
});

describe("before and after a job", () => {
  const table = new CounterTable();
  const node = (mount: string, open: number, bytes: number, lnet = 0) =>
    readLustre(
      bytesSource(
        new TextEncoder().encode(
          `llite.fs-${mount}.stats=\nsnapshot_time ${EPOCH}.0 secs.usecs\nopen ${open} samples [regs]\nwrite_bytes ${open} samples [bytes] 1 9 ${bytes}\n` +
            `lnet.stats=0 28 0 ${lnet} 5 0 0 ${lnet * 10} 7 0 0\n`,
        ),
        "n1.txt",
      ),
      {},
      table,
    ).items;

  it("is summed over nodes; remounts and missing sides are told apart", () => {
    const sums = new JobClientSums();
    sums.add("n1", clientDelta(node("ffff1", 10, 1000, 5), node("ffff1", 15, 3000, 9)));
    sums.add("n2", clientDelta(node("ffff2", 99, 9999), node("ffff3", 4, 40)));
    sums.add("n3", clientDelta(undefined, node("ffff4", 4, 40)));
    sums.add("n4", clientDelta(node("ffff5", 10, 1000), node("ffff5", 3, 30)));
    expect([sums.samples("open"), sums.sum("write_bytes", "bytes")]).toEqual([
      5n + 4n + 3n,
      2000n + 40n + 30n,
    ]);
    expect(sums).toMatchObject({ pairs: 4, nodes: 3, incomplete: 1, remounted: 1, unmounted: 1, cleared: 1 });
    expect(sums.lnet.get("send_count")).toBe(4n);
    expect(sums.lnet.get("send_length")).toBe(40n);
  });

  it("leaves negative counters out", () => {
    const delta = (before: number, after: number) =>
      clientDelta(node("ffff1", 10, before), node("ffff1", 15, after)).mounts[0];
    expect(delta(1000, -4)).toMatchObject({
      fate: "whole",
      invalid: 1,
      counters: [{ name: "open", samples: 5n }],
    });
    expect(delta(1000, -4)?.counters.length).toBe(1);
    expect(clientDelta(node("ffff2", 1, 1), node("ffff3", 4, -40)).mounts[0]).toMatchObject({
      fate: "remounted",
      invalid: 1,
      counters: [{ name: "open" }],
    });
    const huge = clientDelta(
      readLustre(bytesSource(new TextEncoder().encode("lnet.stats=0 28 0 5 5 0 0 9 7 0 0\n"), "x"), {}, table)
        .items,
      readLustre(
        bytesSource(new TextEncoder().encode(`lnet.stats=0 28 0 6 5 0 0 ${2n ** 64n - 5n} 7 0 0\n`), "x"),
        {},
        table,
      ).items,
    );
    expect([huge.lnet.get("send_count"), huge.lnet.get("send_length")]).toEqual([1n, undefined]);
  });

  it("says nothing when the client counted one process only", () => {
    const tracked = [
      ...node("ffff1", 1, 1),
      ...readLustre(
        bytesSource(new TextEncoder().encode("llite.fs-ffff1.stats_track_pid=4711\n"), "x"),
        {},
        table,
      ).items,
    ];
    const sums = new JobClientSums();
    sums.add("n1", clientDelta(tracked, node("ffff1", 5, 5)));
    expect(sums).toMatchObject({ restricted: 1, nodes: 0 });
    expect(sums.counters.size).toBe(0);
  });
});

it("differences of bucket tables: growth, or all of it after a fall", () => {
  const table = (...rows: readonly string[]) =>
    readLustre(
      bytesSource(
        new TextEncoder().encode(
          `snapshot_time: ${EPOCH}.000000001 secs.nsecs\n\n read | write\ndisk I/O size          ios   % cum % |  ios         % cum %\n${rows.join("\n")}\n`,
        ),
        "osd-zfs/fs-OST0000/brw_stats",
      ),
    ).items[0] as TableReading;
  const before = table("4K: 5 50 50 | 1 1 1", "1M: 0 0 100 | 9 9 100");
  const counts = (after: TableReading) => {
    const { reset, sections } = tableDelta(before, after);
    return [reset, ...(sections[0]?.rows ?? []).map(({ bucket, counts: c }) => `${bucket} ${c.join(" ")}`)];
  };
  expect(counts(table("4K: 7 50 50 | 1 1 1", "1M: 0 0 100 | 10 9 100", "4M: 1 1 1 | 0 0 0"))).toEqual([
    false,
    "4K 2 0",
    "1M 0 1",
    "4M 1 0",
  ]);
  expect(counts(table("4K: 4 50 50 | 1 1 1"))).toEqual([true, "4K 4 1"]);
});
