/** A centre in memory: its groups, its rows, its logs read back, and its answers recomputed from rows. */
import { createHash } from "node:crypto";
import { bytesSource } from "../../base/source.ts";
import { DarshanLog } from "../../formats/darshan/log.ts";
import { StoredRows } from "../../formats/darshan/stored-rows.ts";
import { type RowSink, STORE_SCHEMA, TableBuilder, type Value } from "../../model/index.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { centre, LogNames, logOf, Population, type ReuseOptions, TableEmitter } from "./index.ts";

export type RowObject = Record<string, Value>;
export type RowTables = Record<string, RowObject[]>;

/** Keeps what it gets. */
export class MemorySink implements RowSink {
  readonly #builders = new Map(STORE_SCHEMA.map((schema) => [schema.name, new TableBuilder(schema)]));
  largest = 0;

  async append(...[table, count, columns]: Parameters<RowSink["append"]>): Promise<void> {
    this.largest = Math.max(this.largest, count);
    this.#builders.get(table.name)?.appendColumns(count, columns);
  }

  rows(): RowTables {
    return Object.fromEntries(
      [...this.#builders].map(([name, builder]) => {
        const table = builder.finish();
        const rows = Array.from({ length: table.rows }, (_, row) =>
          Object.fromEntries(
            table.schema.columns.map((column) => [column.name, table.value(column.name, row)]),
          ),
        );
        return [name, rows];
      }),
    );
  }
}

export async function tablesOf(options: ReuseOptions, batchRows?: number): Promise<RowTables> {
  const population = new Population(options);
  const sink = new MemorySink();
  const emitter = new TableEmitter(population, sink, batchRows);
  for (const group of centre(population)) await emitter.add(group);
  await emitter.end();
  return sink.rows();
}

/** Every log with its path. */
export function* logsOf(options: ReuseOptions): Generator<{ path: string; bytes: Uint8Array }> {
  const population = new Population(options);
  const names = new LogNames(population);
  for (const { runs } of centre(population)) {
    for (const run of runs) yield { path: names.path(run), bytes: logOf(run, population, nodeEncoders) };
  }
}

/** What reading logs gives. */
export async function readBack(
  logs: Iterable<{ readonly path: string; readonly bytes: Uint8Array }>,
): Promise<RowTables> {
  const identify = (name: string) => halves(createHash("sha256").update(name).digest());
  const rows = new StoredRows({ identify, nowUnixSeconds: 1_800_000_000 });
  const sink = new MemorySink();
  for (const { path, bytes } of logs) {
    const log = new DarshanLog(bytesSource(bytes, path), { codecs: nodeCodecs });
    rows.add(log, path, halves(createHash("sha256").update(bytes).digest()));
  }
  await rows.flush(sink);
  return sink.rows();
}

function halves(hash: Buffer) {
  return { low: hash.readUInt32BE(4), high: hash.readUInt32BE(0) };
}

const HOUR_NS = 3_600_000_000_000n;
const clock = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/Los_Angeles",
  hour: "numeric",
  hourCycle: "h23",
});

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const deviation = (values: readonly number[]) =>
  Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2))) / mean(values);
const exactTotal = (values: readonly number[]) => values.reduce((sum, value) => sum + BigInt(value), 0n);
const median = (values: readonly number[]) => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  return mean([sorted[Math.floor(half)] as number, sorted[Math.ceil(half)] as number]);
};
const groupBy = <T, K>(list: readonly T[], key: (item: T) => K): Map<K, T[]> => {
  const groups = new Map<K, T[]>();
  for (const item of list) {
    const known = groups.get(key(item));
    if (known === undefined) groups.set(key(item), [item]);
    else known.push(item);
  }
  return groups;
};

/** Nobody plants these; study-reuse-more.test.ts recomputes them. */
export const RECOMPUTED = ["A17", "A18", "A19", "A20"];

/** What is planted, from rows, in the plainest way, after docs/study-reuse.md and with nothing of answers.ts. */
export function answersFromRows({ runs, accesses }: RowTables, osts: number) {
  const list = (accesses as RowObject[]).map((row) => ({
    file: row.file_id as bigint,
    run: row.run_id as bigint,
    application: row.application_id as bigint,
    user: row.user_id as bigint,
    start: row.start_unix_ns as bigint,
    read: Number(row.bytes_read),
    written: Number(row.bytes_written),
    seconds: row.slowest_seconds as number,
    hour: Number(clock.format(Number((row.start_unix_ns as bigint) / 1_000_000n))),
    osts: String(row.osts).split(" ").map(Number),
    layer: row.layer as string,
    calls: ["reads", "writes", "sequential_reads", "sequential_writes"].map((name) => Number(row[name])),
    stripes: row.stripe_count === null ? undefined : Number(row.stripe_count),
  }));
  type Access = (typeof list)[number];
  const moved = (own: readonly Access[]) => own.reduce((sum, { read, written }) => sum + read + written, 0);
  const byFile = groupBy(list, ({ file }) => file);
  const selected = [...byFile.values()]
    .filter((own) => moved(own) >= 1e11 && own.length >= 2)
    .map((own) => own.sort((a, b) => Number(a.start - b.start)));
  const all = selected.flat();
  const total = (own: readonly Access[], what: "read" | "written") =>
    own.reduce((sum, access) => sum + BigInt(access[what]), 0n);
  const classes = selected.map((own) => {
    const [r, w] = [Number(total(own, "read")), Number(total(own, "written"))];
    return (r - w) / (r + w);
  });
  const typed = (own: readonly Access[], type: "R" | "W") =>
    own.filter(({ read, written }) => (type === "R" ? read > written : written > read));
  const gapOf = (own: readonly Access[]) => {
    const starts = own.map(({ start }) => start);
    return Number((starts.at(-1) as bigint) - (starts[0] as bigint)) / Number(HOUR_NS) / (starts.length - 1);
  };
  const gaps = (type: "R" | "W") =>
    selected.map((own) => typed(own, type)).flatMap((own) => (own.length >= 2 ? [gapOf(own)] : []));
  const percentile80 = (values: readonly number[]) => {
    const sorted = [...values].sort((a, b) => a - b);
    const at = 0.8 * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(at)] as number, sorted[Math.ceil(at)] as number];
    return low + (high - low) * (at % 1);
  };
  const streaks = (type: "R" | "W") =>
    selected.map((own) => {
      const word = own
        .map(({ read, written }) => (read > written ? "R" : written > read ? "W" : "-"))
        .join("");
      const found = word.match(new RegExp(`${type}+`, "g")) ?? [];
      return found.length === 0 ? 0 : mean(found.map(({ length }) => length));
    });
  const share = (values: readonly number[], test: (value: number) => boolean) =>
    values.filter(test).length / values.length;
  const [readGaps, writeGaps, readStreaks, writeStreaks] = [gaps("R"), gaps("W"), streaks("R"), streaks("W")];
  const programs = selected.map((own) => groupBy(own, ({ application }) => application));
  const pairs = programs.flatMap((groups) => [...groups.values()]).filter((own) => own.length >= 2);
  const load = new Array<number>(osts).fill(0);
  for (const own of selected) {
    const targets = (own[0] as Access).osts;
    for (const ost of targets) load[ost] = (load[ost] as number) + moved(own) / targets.length;
  }
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  const longest = new Map(
    selected.map((own) => [own[0]?.file, Math.max(...own.map(({ seconds }) => seconds))]),
  );
  const percent = hours.map((hour) =>
    mean(
      all
        .filter((access) => access.hour === hour)
        .map(({ file, seconds }) => seconds / (longest.get(file) as number)),
    ),
  );
  const covs = hours.map((hour) =>
    mean(
      selected
        .map((own) => own.filter((access) => access.hour === hour).map(({ seconds }) => seconds))
        .filter((cell) => cell.length >= 2)
        .map(deviation),
    ),
  );
  const byHour = hours.map((hour) => moved(all.filter((access) => access.hour === hour)));
  const covBytes = selected.map((own) => deviation(own.map(({ read, written }) => read + written)));
  const distinct = (values: readonly unknown[]) => new Set(values).size;
  const everyFile = [...byFile.values()];
  const byRun = [...groupBy(all, ({ run }) => run).values()].map((own) => [
    own.reduce((sum, { read }) => sum + read, 0),
    own.reduce((sum, { written }) => sum + written, 0),
  ]) as [number, number][];
  const amounts = (holds: (read: number, written: number) => boolean) =>
    byRun.filter(([r, w]) => holds(r, w)).map(([r, w]) => r + w);
  const gapCount = (type: "R" | "W") =>
    selected.reduce((sum, own) => sum + Math.max(0, typed(own, type).length - 1), 0);
  const streakCount = (own: readonly Access[], type: "R" | "W") => {
    const letters = own.map((one) => (typed([one], type).length === 1 ? type : "-")).join("");
    return letters.split("-").filter((streak) => streak !== "").length;
  };
  const callSum = (which: number) =>
    list
      .filter(({ layer }) => layer !== "STDIO")
      .reduce((sum, { calls }) => sum + (calls[which] as number), 0);
  return {
    ids: selected.map((own) => own[0]?.file as bigint).sort((a, b) => (a < b ? -1 : 1)),
    items: {
      A01: {
        logs: (runs as RowObject[]).length,
        files: byFile.size,
        applications: distinct((runs as RowObject[]).map(({ application_id }) => application_id)),
        users: distinct((runs as RowObject[]).map(({ user_id }) => user_id)),
        bytesRead: total(list, "read"),
        bytesWritten: total(list, "written"),
      },
      A04: {
        files: selected.length,
        runs: distinct(all.map(({ run }) => run)),
        applications: distinct(all.map(({ application }) => application)),
        users: distinct(all.map(({ user }) => user)),
        bytesRead: total(all, "read"),
        bytesWritten: total(all, "written"),
      },
      A02: {
        files: byFile.size,
        ...Object.fromEntries(
          Object.entries({
            below1GB: (own: Access[]) => moved(own) < 1e9,
            below100GB: (own: Access[]) => moved(own) < 1e11,
            oneRun: (own: Access[]) => own.length === 1,
            below1GBAndOneRun: (own: Access[]) => moved(own) < 1e9 && own.length === 1,
            below100GBAndOneRun: (own: Access[]) => moved(own) < 1e11 && own.length === 1,
          }).map(([key, holds]) => [key, everyFile.filter(holds).length / everyFile.length]),
        ),
      },
      A03: {
        files: selected.length,
        largeFiles: everyFile.filter((own) => moved(own) >= 1e11).length,
        filesOfSeveralRuns: everyFile.filter((own) => own.length > 1).length,
        shareOfBytes: moved(all) / moved(list),
      },
      A05: {
        readHeavy: classes.filter((d) => d >= 0.9).length,
        writeHeavy: classes.filter((d) => d <= -0.9).length,
        readWrite: classes.filter((d) => Math.abs(d) < 0.9).length,
      },
      A06: {
        runs: byRun.length,
        readRuns: byRun.filter(([r, w]) => r > w).length,
        writeRuns: byRun.filter(([r, w]) => r < w).length,
        balanced: byRun.filter(([r, w]) => r === w).length,
        oneSided95: share(
          byRun.map(([r, w]) => Math.abs(r - w) / (r + w)),
          (x) => x >= 0.95,
        ),
      },
      A07: {
        accesses: all.length,
        readGaps: gapCount("R"),
        writeGaps: gapCount("W"),
        readStreaks: selected.reduce((sum, own) => sum + streakCount(own, "R"), 0),
        writeStreaks: selected.reduce((sum, own) => sum + streakCount(own, "W"), 0),
        balanced: all.filter(({ read, written }) => read === written).length,
      },
      A08: {
        readMeanHours: mean(readGaps),
        writeMeanHours: mean(writeGaps),
        readP80Hours: percentile80(readGaps),
        writeP80Hours: percentile80(writeGaps),
        readLongShare: share(readGaps, (hours) => hours >= 50),
        writeLongShare: share(writeGaps, (hours) => hours >= 50),
      },
      A09: {
        readMean: mean(readStreaks),
        writeMean: mean(writeStreaks),
        readAtLeast2: share(readStreaks, (streak) => streak >= 2),
        writeAtLeast2: share(writeStreaks, (streak) => streak >= 2),
        readExactly2: share(readStreaks, (streak) => Math.round(streak) === 2),
        writeExactly2: share(writeStreaks, (streak) => Math.round(streak) === 2),
      },
      A10: {
        sharedByTwoOrMore: share(
          programs.map(({ size }) => size),
          (size) => size >= 2,
        ),
        applicationMeanHours: mean(pairs.map(gapOf)),
      },
      A11: {
        readMeanBytes: mean(amounts((r, w) => r > w)),
        writeMeanBytes: mean(amounts((r, w) => r < w)),
        writeOverRead: mean(amounts((r, w) => r < w)) / mean(amounts((r, w) => r > w)),
        meanBytes: mean(amounts(() => true)),
        readMedianBytes: median(amounts((r, w) => r > w)),
        writeMedianBytes: median(amounts((r, w) => r < w)),
        readRunsBytes: exactTotal(amounts((r, w) => r > w)),
        writeRunsBytes: exactTotal(amounts((r, w) => r < w)),
        balancedRunsBytes: exactTotal(amounts((r, w) => r === w)),
        bytes: exactTotal(amounts(() => true)),
      },
      A12: { leastOverMost: Math.min(...load) / Math.max(...load) },
      A13: {
        posixBytesPerRun: mean(
          selected
            .map((own) => own.filter(({ layer }) => layer === "POSIX"))
            .filter((own) => own.length > 0)
            .map((own) => moved(own) / own.length),
        ),
      },
      A14: { spearman: rankCorrelation(percent, covs), peakHour: byHour.indexOf(Math.max(...byHour)) },
      A15: {
        meanCovBytes: mean(covBytes),
        meanCovTime: mean(selected.map((own) => deviation(own.map(({ seconds }) => seconds)))),
        below5PercentBytes: share(covBytes, (value) => value < 0.05),
      },
      A16: {
        sequentialReads: callSum(2) / callSum(0),
        sequentialWrites: callSum(3) / callSum(1),
        sequential: (callSum(2) + callSum(3)) / (callSum(0) + callSum(1)),
        stripeWidth1: share(
          selected.map((own) => (own[0] as Access).stripes ?? Number.NaN).filter((width) => width > 0),
          (width) => width === 1,
        ),
        logsWithoutLustre:
          (runs as RowObject[]).filter(({ modules }) => !String(modules).split(" ").includes("LUSTRE"))
            .length / (runs as RowObject[]).length,
      },
    },
  };
}

/** Pearson's correlation of average ranks; hours without a value are left out. */
function rankCorrelation(x: readonly number[], y: readonly number[]): number {
  const kept = x.map((_, i) => i).filter((i) => Number.isFinite(x[i]) && Number.isFinite(y[i]));
  const ranks = (values: readonly number[]) => {
    const sorted = [...values].sort((a, b) => a - b);
    return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
  };
  const a = ranks(kept.map((i) => x[i] as number));
  const b = ranks(kept.map((i) => y[i] as number));
  const product = mean(a.map((value, i) => (value - mean(a)) * ((b[i] as number) - mean(b))));
  return product / (deviation(a) * mean(a) * deviation(b) * mean(b));
}
