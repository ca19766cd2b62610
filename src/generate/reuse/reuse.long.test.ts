/** The centre as logs, as rows and as answers: three views of one truth. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { STUDY_ITEMS } from "../../analyze/study/reuse/index.ts";
import { AccessCounters, rankAt, rankBytes, rankSeconds } from "./counters.ts";
import {
  AnswerSheetBuilder,
  Contention,
  centre,
  type Group,
  Population,
  type ReuseOptions,
} from "./index.ts";
import {
  answersFromRows,
  logsOf,
  MemorySink,
  readBack,
  RECOMPUTED,
  type RowObject,
  type RowTables,
  tablesOf,
} from "./test-kit.ts";
import { TableEmitter } from "./tables.ts";

const SMALL: ReuseOptions = { seed: 5, scale: 0.002, background: 2e-6 };
/** At a tenth of the size. */
const SEEDS = 20;
/** About fifty logs. */
const TINY: ReuseOptions = { seed: 3, scale: 0.0001, background: 2e-7 };

function sheetOf(options: ReuseOptions) {
  const population = new Population(options);
  const contention = new Contention(population);
  const sheet = new AnswerSheetBuilder(population, contention);
  for (const group of centre(population, contention)) sheet.add(group);
  return sheet.finish();
}

const hashOf = (logs: Iterable<{ path: string; bytes: Uint8Array }>) => {
  const hash = createHash("sha256");
  for (const { path, bytes } of logs) hash.update(path).update(bytes);
  return hash.digest("hex");
};

/** Rows in an order that does not hang on run ids. */
function comparable({ runs, accesses, files }: RowTables) {
  const jobs = new Map((runs as RowObject[]).map(({ run_id, job_id }) => [run_id, job_id]));
  const sorted = (rows: RowObject[], key: (row: RowObject) => string) =>
    rows.map((row) => [key(row), row] as const).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const withoutId = ({ run_id: _, ...row }: RowObject) => row;
  return {
    runs: sorted(runs as RowObject[], ({ job_id }) => String(job_id)).map(([, row]) => withoutId(row)),
    accesses: sorted(
      accesses as RowObject[],
      ({ run_id, file_id }) => `${jobs.get(run_id as bigint)} ${file_id}`,
    ).map(([key, row]) => ({ ...withoutId(row), key })),
    files: sorted(files as RowObject[], ({ file_id }) => String(file_id)).map(([, row]) => row),
  };
}

describe("the scenario reuse", () => {
  it("gives the same rows as reading its logs does, but for the run ids", async () => {
    const logs = [...logsOf(SMALL)];
    const [rows, read] = [comparable(await tablesOf(SMALL)), comparable(await readBack(logs))];
    expect(rows.runs.length).toBeGreaterThan(500);
    expect(rows.runs).toEqual(read.runs);
    expect(rows.accesses).toEqual(read.accesses);
    expect(rows.files).toEqual(read.files);
    const sizes = logs.map(({ bytes }) => bytes.length);
    expect(Math.max(...sizes)).toBeLessThan(5000);
    expect(new Set(logs.map(({ path }) => path)).size).toBe(logs.length);
    const layers = new Set((read.accesses as RowObject[]).map(({ layer }) => layer));
    expect(layers).toEqual(new Set(["POSIX", "MPI-IO", "STDIO"]));
  });

  it.each<ReuseOptions>([
    SMALL,
    { ...SMALL, seed: 6 },
    { ...SMALL, interArrival: "literal" },
    { ...SMALL, scale: 0.005, filesPerRun: 3 },
  ])("plants answers that come out of the logs again: %o", async (options) => {
    const { items, ids } = sheetOf(options);
    const found = answersFromRows(await readBack(logsOf(options)), new Population(options).osts);
    for (const [item, values] of Object.entries(found.items)) {
      for (const [key, value] of Object.entries(values)) {
        const planted = items[item]?.planted[key];
        if (typeof value === "bigint" || Number.isNaN(value))
          expect([item, key, planted]).toEqual([item, key, value]);
        else
          expect(Math.abs(Number(planted) - value), `${item} ${key}`).toBeLessThanOrEqual(
            1e-9 * Math.abs(value),
          );
      }
    }
    expect([...Object.keys(items), ...RECOMPUTED].sort()).toEqual(STUDY_ITEMS.map(({ id }) => id));
    const hash = createHash("sha256").update(found.ids.map((id) => `${id}\n`).join(""));
    expect(ids.selectedFiles).toBe(hash.digest("hex"));
  });

  it("gives the same bytes for the same seed, and others for another", () => {
    expect(hashOf(logsOf(TINY))).toBe(hashOf(logsOf(TINY)));
    expect(hashOf(logsOf(TINY))).not.toBe(hashOf(logsOf({ ...TINY, seed: 4 })));
    expect(JSON.stringify(sheetOf(TINY), (_, v) => (typeof v === "bigint" ? String(v) : v))).toBe(
      JSON.stringify(sheetOf(TINY), (_, v) => (typeof v === "bigint" ? String(v) : v)),
    );
  });

  it("gives the same rows however they are batched, and never more than asked for at once", async () => {
    const whole = await tablesOf(TINY);
    expect(await tablesOf(TINY, 7)).toEqual(whole);
    const population = new Population(TINY);
    const sink = new MemorySink();
    const emitter = new TableEmitter(population, sink, 10);
    for (const group of centre(population)) await emitter.add(group);
    await emitter.end();
    expect(sink.largest).toBe(10);
    const ids = (whole.runs as RowObject[]).map(({ run_id }) => run_id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("draws the first files alike, however many follow, but for how long they wait for others", () => {
    const first = (options: ReuseOptions) => {
      const found: unknown[] = [];
      for (const group of centre(new Population(options))) {
        if (found.push(factsOf(group)) === 8) break;
      }
      return found;
    };
    expect(first({ seed: 2, scale: 0.1, background: 0 })).toEqual(
      first({ seed: 2, scale: 0.01, background: 1e-6 }),
    );
    const background = (files: number) => {
      const groups = [...centre(new Population({ seed: 2, scale: 0.0001, background: files / 52e6 }))].slice(
        4,
      );
      return groups.slice(0, 6).map(({ runs }) => runs.map(({ start, durationMs }) => [start, durationMs]));
    };
    expect(background(200)).toEqual(background(2000));
  });

  it("selects what is exactly at the edge and nothing below it", async () => {
    const { files, accesses } = await tablesOf(TINY);
    const decoys = (files as RowObject[]).filter(({ path }) => /\/d\d+\.h5$/.test(String(path)));
    expect(decoys.length).toBe(3);
    const facts = decoys.map(({ file_id }) => {
      const own = (accesses as RowObject[]).filter((row) => row.file_id === file_id);
      return [
        own.length,
        own.reduce((sum, row) => sum + Number(row.bytes_read) + Number(row.bytes_written), 0),
      ];
    });
    const [much, many, exact] = facts as [number, number][];
    expect(much?.[0]).toBe(1);
    expect(much?.[1]).toBeGreaterThanOrEqual(100e9);
    expect(many?.[0]).toBeGreaterThanOrEqual(10);
    expect(many?.[1]).toBe(99.9e9);
    expect(exact).toEqual([2, 100e9]);
  });

  it("makes about fifty logs at its smallest", () => {
    const { items } = sheetOf({ seed: 1, scale: 0, background: 0 });
    expect(Number(items.A01?.planted.logs)).toBeLessThan(150);
    expect([...logsOf(TINY)].length).toBeLessThan(300);
  });

  it("has the published shares and means at a tenth of the size, whatever the seed", () => {
    const outside = new Map<string, number>();
    let promised = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { comparison } = sheetOf({ seed, scale: 0.1, background: 0 });
      promised = comparison.filter(({ within }) => within !== undefined).length;
      for (const { item, key, within } of comparison)
        if (within === false) outside.set(`${item} ${key}`, (outside.get(`${item} ${key}`) ?? 0) + 1);
    }
    expect(promised).toBeGreaterThan(30);
    // No number is out of its range for more than one seed in twenty.
    expect([...outside].filter(([, seeds]) => seeds > SEEDS / 20)).toEqual([]);
    expect(outside.size).toBeLessThanOrEqual(2);
  });

  it("has them at full size too", () => {
    for (const seed of [1, 2]) {
      const { comparison } = sheetOf({ seed, scale: 1, background: 0 });
      expect(comparison.filter(({ within }) => within === false)).toEqual([]);
    }
  });

  it("plants clear classes: three rules agree on each file", () => {
    for (const { files } of centre(new Population({ seed: 1, scale: 0.05, background: 0 }))) {
      for (const { accesses } of files) {
        const read = accesses.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
        const written = accesses.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
        if (read + written < 100e9 || accesses.length < 2) continue;
        const ratio = (read - written) / (read + written);
        const absolute = read >= 1e9 && written >= 1e9 ? "RW" : read >= 1e9 ? "RH" : "WH";
        expect(absolute).toBe(ratio >= 0.9 ? "RH" : ratio <= -0.9 ? "WH" : "RW");
      }
    }
  });

  it("fills the counters of all ranks from what each rank did", () => {
    const counters = new AccessCounters();
    let checked = 0;
    for (const { files } of centre(new Population(SMALL))) {
      for (const access of files.flatMap(({ accesses }) => accesses)) {
        const n = access.ioRanks;
        if (n < 2 || n > 256 || checked++ > 200) continue;
        counters.of(access);
        const places = Array.from({ length: n }, (_, place) => place);
        const seconds = places.map((place) => rankSeconds(access, place));
        const bytes = places.map((place) => rankBytes(access, place));
        expect(new Set(places.map((place) => rankAt(place, n))).size).toBe(n);
        expect(bytes.reduce((a, b) => a + b)).toBe(access.bytesRead + access.bytesWritten);
        expect(Math.min(...bytes)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...seconds)).toBe(counters.slowestSeconds);
        expect(Math.min(...seconds)).toBeCloseTo(counters.fastestSeconds, 9);
        const sum = counters.readSeconds + counters.writeSeconds + counters.metaSeconds;
        expect(seconds.reduce((a, b) => a + b) / sum).toBeCloseTo(1, 9);
        expect(ratio(variance(seconds), counters.varianceSeconds)).toBeCloseTo(1, 9);
        expect(ratio(variance(bytes), counters.varianceBytes)).toBeCloseTo(1, 6);
        expect(counters.slowestBytes).toBe(bytes[0]);
        expect(counters.fastestBytes).toBe(bytes.at(-1));
      }
    }
    expect(checked).toBeGreaterThan(100);
  });
});

describe("gaps by the literal reading", () => {
  const options: ReuseOptions = { seed: 2, scale: 0.1, background: 0, interArrival: "literal" };

  it("are 50 h and more for four files of five, with the published means", () => {
    const { comparison, items } = sheetOf(options);
    expect(comparison.filter(({ within }) => within === false)).toEqual([]);
    const promised = comparison.filter(({ within }) => within).map(({ item, key }) => `${item} ${key}`);
    for (const key of ["readLongShare", "writeLongShare", "readMeanHours", "writeMeanHours"])
      expect(promised).toContain(`A08 ${key}`);
    expect(Number(items.A08?.planted.readLongShare)).toBeCloseTo(0.8, 2);
    expect(Number(items.A08?.planted.writeLongShare)).toBeCloseTo(0.8, 2);
  });

  it("stay within the period, in order, in the band or below it", () => {
    const start = Date.UTC(2017, 9, 1, 7) / 1000;
    const end = Date.UTC(2018, 1, 1, 8) / 1000;
    for (const { files } of centre(new Population({ ...options, scale: 0.02 }))) {
      for (const { accesses, path } of files) {
        if (!/\/s\d+\.h5$/.test(path)) continue;
        const starts = accesses.map(({ run }) => run.start);
        expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
        expect(starts[0]).toBeGreaterThanOrEqual(start);
        expect(starts.at(-1)).toBeLessThan(end);
        const reads = accesses.filter(({ bytesRead, bytesWritten }) => bytesRead > bytesWritten);
        if (reads.length < 2) continue;
        const [first, last] = [reads[0]?.run.start ?? 0, reads.at(-1)?.run.start ?? 0];
        const mean = (last - first) / 3600 / (reads.length - 1);
        expect(mean < 35 || (mean >= 50 && mean <= 54.01), `${path}: ${mean}`).toBe(true);
      }
    }
  });
});

describe("runs that touch several files", () => {
  const options: ReuseOptions = { seed: 2, scale: 0.05, background: 0 };
  const groupsOf = (more: Partial<ReuseOptions>) => [...centre(new Population({ ...options, ...more }))];
  const selectedOf = (groups: readonly Group[]) =>
    new Map(
      groups
        .flatMap(({ files }) => files.map((file) => [file.path, file] as const))
        .filter(([path]) => /\/s\d+\.h5$/.test(path)),
    );

  it("have the accesses of runs that touch one, moved by ten minutes at most", () => {
    const [alone, merged] = [selectedOf(groupsOf({})), selectedOf(groupsOf({ filesPerRun: 3 }))];
    expect([...merged.keys()].sort()).toEqual([...alone.keys()].sort());
    for (const [path, { accesses }] of merged) {
      const before = alone.get(path)?.accesses ?? [];
      const facts = (list: typeof before) =>
        list.map(({ run, bytesRead, bytesWritten, layer }) =>
          [bytesRead, bytesWritten, layer, run.user, run.application].join(" "),
        );
      expect(facts(accesses)).toEqual(facts(before));
      const starts = accesses.map(({ run }) => run.start);
      expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
      const ends = accesses.map(({ run }) => run.start * 1000 + run.durationMs);
      const moved = before.map(({ run }, i) => run.start - (starts[i] as number));
      expect(Math.min(...moved)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...moved)).toBeLessThanOrEqual(600);
      expect(before.every(({ run }, i) => (ends[i] as number) >= run.start * 1000 + run.durationMs)).toBe(
        true,
      );
    }
  });

  it("touch no file twice and not more than allowed, and some touch as many", () => {
    const runs = groupsOf({ filesPerRun: 3 }).flatMap((group) => group.runs);
    const counts = runs.map(({ accesses }) => accesses.length);
    for (const { accesses } of runs)
      expect(new Set(accesses.map(({ file }) => file)).size).toBe(accesses.length);
    expect(Math.max(...counts)).toBe(3);
    const numbers = runs.filter(({ kind }) => kind === 1).map(({ number }) => number);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});

const variance = (values: readonly number[]) => {
  const mean = values.reduce((a, b) => a + b) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
};
const ratio = (a: number, b: number) => (a === b ? 1 : a / b);

/** What may not change with the size of the centre: all but users, programs, OSTs, and times, which hang on who else is there. */
function factsOf({ runs, files }: Group) {
  return {
    starts: runs.map(({ start, ranks, number }) => [start, ranks, number]),
    accesses: files.flatMap(({ accesses }) =>
      accesses.map(({ bytesRead, bytesWritten, layer }) => [bytesRead, bytesWritten, layer]),
    ),
  };
}
