import { describe, expect, it } from "vitest";
import { Random } from "../../base/prng.ts";
import { addCalls } from "./test-kit.ts";
import type { Trace } from "../../model/trace.ts";
import type { PictureOptions } from "./kept-calls.ts";
import { TracePicture } from "./trace-picture.ts";

interface Call {
  readonly rank: number;
  readonly file: number;
  readonly layer: string;
  readonly isWrite: boolean;
  readonly offset: number;
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
}

const NS = 1e9;

const inNanoseconds = (calls: readonly Call[]) =>
  calls.map(({ file, start, end, ...rest }) => ({
    ...{ ...rest, file: BigInt(file), startNs: start * NS, endNs: end * NS },
  }));

const call = (values: Partial<Call>): Call => ({
  rank: 0,
  file: 0,
  layer: "POSIX",
  isWrite: true,
  offset: 0,
  bytes: 1000,
  start: 1,
  end: 2,
  ...values,
});

function picture(
  calls: readonly Call[],
  { ranks = 4, seconds = 10 }: { ranks?: number; seconds?: number } = {},
  options: PictureOptions = { callsMax: 1e6 },
): Trace {
  const made = new TracePicture(ranks, seconds, options);
  const blocks = new Map<string, Call[]>();
  for (const one of calls) {
    const key = `${one.layer} ${one.file} ${one.rank}`;
    blocks.set(key, [...(blocks.get(key) ?? []), one]);
  }
  for (const own of blocks.values()) addCalls(made, inNanoseconds(own), (own[0] as Call).rank, 0);
  const facts = (fileId: string) => ({ path: `/f${fileId}`, stripeBytes: 0, stripeCount: 0 });
  return made.finish(facts, "how to get more") as Trace;
}

function randomCalls(seed: number, count: number, ranks: number, files: number, seconds: number): Call[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => {
    const start = random.unit() * seconds * 0.9;
    return call({
      rank: random.below(ranks),
      file: random.below(files),
      layer: random.below(3) === 0 ? "MPI-IO" : "POSIX",
      isWrite: random.below(2) === 0,
      offset: random.below(1e6),
      bytes: random.below(1e5),
      start,
      end: start + random.unit() * seconds * 0.1,
    });
  });
}

const sum = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0);
const bytesOf = (calls: readonly Call[], isWrite: boolean) =>
  sum(calls.filter((one) => one.isWrite === isWrite).map(({ bytes }) => bytes));

describe("TracePicture", () => {
  it("keeps single calls, sorted by start, with file and layer by number", () => {
    const calls = randomCalls(1, 500, 4, 5, 10);
    const trace = picture(calls);
    expect(trace.coverage).toEqual({ kind: "all" });
    expect(trace.hint).toBe("");
    expect(trace.calls.count).toBe(500);
    const kept = Array.from({ length: trace.calls.count }, (_, i) => ({
      rank: trace.calls.rank[i] as number,
      file: Number(trace.files[trace.calls.file[i] as number]?.fileId),
      layer: trace.layers[trace.calls.layer[i] as number]?.name as string,
      isWrite: trace.calls.write[i] === 1,
      offset: trace.calls.offset[i] as number,
      bytes: trace.calls.bytes[i] as number,
      start: trace.calls.startSeconds[i] as number,
      end: trace.calls.endSeconds[i] as number,
    }));
    const starts = kept.map(({ start }) => start);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    const key = ({ rank, file, layer, isWrite, offset, bytes }: Call) =>
      [rank, file, layer, isWrite, offset, bytes].join(" ");
    expect(kept.map(key).sort()).toEqual(calls.map(key).sort());
    const byKey = new Map(calls.map((one) => [key(one), one]));
    for (const one of kept) {
      expect(one.start).toBeCloseTo(byKey.get(key(one))?.start as number, 6);
      expect(one.end).toBeCloseTo(byKey.get(key(one))?.end as number, 6);
    }
  });

  it("keeps none when there are more than asked for, and says how to get them", () => {
    const calls = randomCalls(2, 100, 4, 3, 10);
    expect(picture(calls, {}, { callsMax: 100 }).calls.count).toBe(100);
    for (const callsMax of [99, 1, 0]) {
      const trace = picture(calls, {}, { callsMax });
      expect(trace.coverage).toEqual({ kind: "none" });
      expect(trace.calls.count).toBe(0);
      expect(trace.hint).toBe("how to get more");
      // Bins have all of them still.
      expect(sum(trace.layers.map((layer) => layer.calls))).toBe(100);
    }
  });

  it("keeps the calls that touch the window", () => {
    const calls = randomCalls(3, 300, 4, 3, 10);
    const window = { startSeconds: 3, endSeconds: 4 };
    const trace = picture(calls, {}, { callsMax: 1e6, window });
    expect(trace.coverage).toEqual({ kind: "window", ...window });
    expect(trace.calls.count).toBe(calls.filter(({ start, end }) => end >= 3 && start <= 4).length);
    expect(trace.calls.count).toBeGreaterThan(0);
  });

  it.each([
    [4, 3],
    [1000, 100],
  ])("bins have every call, byte and second once (%i ranks, %i files)", (ranks, files) => {
    const calls = randomCalls(4, 3000, ranks, files, 10);
    const trace = picture(calls, { ranks });
    expect(trace.bins).toHaveLength(4);
    for (const bins of trace.bins) {
      const own = calls.filter(({ layer }) => layer === trace.layers[bins.layer]?.name);
      expect(sum(bins.calls)).toBeCloseTo(own.length, 6);
      expect(sum(bins.bytesRead) / bytesOf(own, false)).toBeCloseTo(1, 9);
      expect(sum(bins.bytesWritten) / bytesOf(own, true)).toBeCloseTo(1, 9);
      expect(sum(bins.busySeconds)).toBeCloseTo(sum(own.map(({ start, end }) => end - start)), 6);
      expect([...bins.cell]).toEqual([...bins.cell].sort((a, b) => a - b));
    }
    // Lanes of ranks: the bytes of each group, brute force.
    for (const bins of trace.bins.filter(({ lanesBy }) => lanesBy === "rank")) {
      const lanes = new Float64Array(bins.lanes);
      bins.cell.forEach((cell, i) => {
        const lane = Math.floor(cell / bins.columns);
        lanes[lane] = (lanes[lane] as number) + (bins.bytesWritten[i] as number);
      });
      const own = calls.filter(({ layer }) => layer === trace.layers[bins.layer]?.name);
      lanes.forEach((bytes, lane) => {
        const group = own.filter(({ rank }) => Math.floor(rank / bins.ranksPerLane) === lane);
        expect(bytes).toBeCloseTo(bytesOf(group, true), 2);
      });
    }
  });

  it("lists the files with most bytes first, the others in one lane", () => {
    const calls = Array.from({ length: 100 }, (_, file) => call({ file, bytes: 1000 + file }));
    const trace = picture(calls);
    expect(trace.filesTotal).toBe(100);
    expect(trace.files).toHaveLength(32);
    expect(trace.files.map(({ fileId }) => Number(fileId))).toEqual(
      Array.from({ length: 32 }, (_, place) => 99 - place),
    );
    const bins = trace.bins.find(({ lanesBy }) => lanesBy === "file")!;
    expect(bins.lanes).toBe(33);
    const lanes = new Float64Array(33);
    bins.cell.forEach((cell, i) => {
      const lane = Math.floor(cell / bins.columns);
      lanes[lane] = (lanes[lane] as number) + (bins.bytesWritten[i] as number);
    });
    expect(lanes[0]).toBeCloseTo(1099, 6);
    expect(lanes[32]).toBeCloseTo(sum(calls.slice(0, 68).map(({ bytes }) => bytes)), 6);
    expect(trace.offsets.map(({ file }) => file)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("offset cells hold the bytes of their file and end with it", () => {
    const calls = randomCalls(6, 400, 4, 2, 10);
    const trace = picture(calls);
    for (const offsets of trace.offsets) {
      const file = trace.files[offsets.file]!;
      const own = calls.filter(
        (one) => one.layer === trace.layers[offsets.layer]?.name && String(one.file) === file.fileId,
      );
      expect(sum(offsets.bytesWritten) / bytesOf(own, true)).toBeCloseTo(1, 9);
      expect(sum(offsets.bytesRead) / bytesOf(own, false)).toBeCloseTo(1, 9);
      const end = Math.max(...own.map(({ offset, bytes }) => offset + bytes));
      expect(offsets.rows * offsets.rowBytes).toBeGreaterThanOrEqual(end);
      expect((offsets.rows - 1) * offsets.rowBytes).toBeLessThan(file.endOffset);
    }
    for (const { fileId, endOffset } of trace.files)
      expect(endOffset).toBe(
        Math.max(
          ...calls.filter(({ file }) => String(file) === fileId).map(({ offset, bytes }) => offset + bytes),
        ),
      );
  });

  it("has one time axis for all layers and files when the end of the run is not known", () => {
    const calls = [
      call({ layer: "POSIX", file: 0, start: 0.25, end: 0.5 }),
      call({ layer: "MPI-IO", file: 1, start: 20, end: 30 }),
      call({ layer: "MPI-IO", file: 0, start: 0.25, end: 0.5 }),
    ];
    const trace = picture(calls, { seconds: Number.NaN });
    expect(trace.seconds).toBeCloseTo(0.001 * 2 ** 15, 9);
    const columnsOf = (cells: Uint32Array, columns: number) =>
      [...cells].map((cell) => ((cell % columns) / columns) * trace.seconds);
    for (const bins of trace.bins.filter(({ layer }) => layer === 0))
      for (const second of columnsOf(bins.cell, bins.columns)) {
        expect(second).toBeGreaterThanOrEqual(0.2);
        expect(second).toBeLessThanOrEqual(0.5);
      }
    for (const offsets of trace.offsets.filter(({ file }) => trace.files[file]?.fileId === "0"))
      for (const second of columnsOf(offsets.cell, offsets.columns)) expect(second).toBeLessThanOrEqual(0.5);
  });

  it("gives the lowest layer to the heat map, whichever came first", () => {
    const made = new TracePicture(2, 10, { callsMax: 0 });
    addCalls(made, inNanoseconds([call({ layer: "MPI-IO", bytes: 7 })]), 0, 0);
    expect(made.heat()?.layer).toBe("MPI-IO");
    addCalls(made, inNanoseconds([call({ layer: "POSIX", bytes: 5, rank: 1 })]), 1, 0);
    const heat = made.heat();
    expect(heat?.layer).toBe("POSIX");
    expect(heat?.rankBytesWritten).toEqual(new Map([[1, 5]]));
    expect(sum(heat?.grid.planes[2] ?? [])).toBeCloseTo(5, 9);
  });

  it("leaves out what makes no sense, and survives offsets that are not known", () => {
    const trace = picture([
      call({ offset: Number.NaN }),
      call({ offset: Number.POSITIVE_INFINITY }),
      call({ bytes: Number.NaN }),
      call({ start: 3, end: 2 }),
    ]);
    expect(trace.layers).toEqual([{ name: "POSIX", calls: 2 }]);
    expect([...trace.calls.offset]).toEqual([Number.NaN, Number.NaN]);
    expect(trace.files[0]).toMatchObject({ bytesWritten: 2000, endOffset: 0 });
  });

  it("is nothing without calls", () => {
    expect(
      new TracePicture(0, 0, { callsMax: 10 }).finish(
        () => ({ path: "", stripeBytes: 0, stripeCount: 0 }),
        "",
      ),
    ).toBeUndefined();
  });
});
