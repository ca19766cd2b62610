/** The centre as logs, as rows and as answers: three views of one truth. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { AccessCounters, rankAt, rankBytes, rankSeconds } from "./counters.ts";
import { AnswerSheetBuilder, centre, type Group, Population, type ReuseOptions } from "./index.ts";
import {
  answersFromRows,
  logsOf,
  MemorySink,
  readBack,
  type RowObject,
  type RowTables,
  tablesOf,
} from "./test-kit.ts";
import { TableEmitter } from "./tables.ts";

const SMALL: ReuseOptions = { seed: 5, scale: 0.002, background: 2e-6 };
/** About fifty logs. */
const TINY: ReuseOptions = { seed: 3, scale: 0.0001, background: 2e-7 };

function sheetOf(options: ReuseOptions) {
  const population = new Population(options);
  const sheet = new AnswerSheetBuilder(population);
  for (const group of centre(population)) sheet.add(group);
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

  it("plants answers that come out of the logs again", async () => {
    for (const options of [SMALL, { ...SMALL, seed: 6 }]) {
      const { items, ids } = sheetOf(options);
      const found = answersFromRows(await readBack(logsOf(options)), new Population(options).osts);
      for (const [item, values] of Object.entries(found.items)) {
        for (const [key, value] of Object.entries(values)) {
          const planted = items[item]?.planted[key];
          if (typeof value === "bigint") expect([item, key, planted]).toEqual([item, key, value]);
          else if (Number.isNaN(value)) expect([item, key, planted]).toEqual([item, key, value]);
          else
            expect(Math.abs(Number(planted) - value), `${item} ${key}`).toBeLessThanOrEqual(
              1e-9 * Math.abs(value),
            );
        }
      }
      const hash = createHash("sha256").update(found.ids.map((id) => `${id}\n`).join(""));
      expect(ids.selectedFiles).toBe(hash.digest("hex"));
    }
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

  it("draws the first files alike, however many follow", () => {
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

  it("has the published shares and means at a tenth of the size, within the tolerances", () => {
    const { comparison } = sheetOf({ seed: 1, scale: 0.1, background: 1e-4 });
    expect(comparison.filter(({ within }) => within === false)).toEqual([]);
    expect(comparison.filter(({ within }) => within === true).length).toBeGreaterThan(28);
  });

  it("has them at full size too, but for the bytes per run averaged over files", () => {
    const { comparison } = sheetOf({ seed: 1, scale: 1, background: 0 });
    // The one number that the model does not reach; docs/generate.md says why.
    const outside = comparison.filter(({ within }) => within === false);
    expect(outside.map(({ item, key }) => `${item} ${key}`)).toEqual(["A13 posixBytesPerRun"]);
    expect(outside[0]?.planted).toBeGreaterThan(0.88 * 260e9);
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

const variance = (values: readonly number[]) => {
  const mean = values.reduce((a, b) => a + b) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
};
const ratio = (a: number, b: number) => (a === b ? 1 : a / b);

/** What may not change with the size of the centre: all but users, programs and OSTs. */
function factsOf({ runs, files }: Group) {
  return {
    starts: runs.map(({ start, durationMs, ranks, number }) => [start, durationMs, ranks, number]),
    accesses: files.flatMap(({ accesses }) =>
      accesses.map(({ bytesRead, bytesWritten, slowestSeconds, layer }) => [
        bytesRead,
        bytesWritten,
        slowestSeconds,
        layer,
      ]),
    ),
  };
}
