import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALL_MOVED, CALL_UNUSED, Operation, type WriteRun } from "../../model/index.ts";
import { stepDocument, stepFacts } from "./index.ts";

interface Write {
  readonly rank: number;
  readonly target: number;
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
  readonly flags?: number;
}

function runOf(writes: readonly Write[], more: Partial<WriteRun> = {}): WriteRun {
  const column = (pick: (one: Write) => number) => writes.map(pick);
  return {
    label: "paper",
    title: "A step",
    simulated: false,
    policy: "paper",
    writers: 1 + Math.max(0, ...column(({ rank }) => rank)),
    targets: 1 + Math.max(0, ...column(({ target }) => target)),
    bytes: writes
      .filter(({ flags = 0 }) => !(flags & CALL_UNUSED))
      .reduce((sum, { bytes }) => sum + bytes, 0),
    seconds: Math.max(0, ...column(({ end }) => end)),
    commitSeconds: Number.NaN,
    openSeconds: [],
    outcome: "complete",
    calls: {
      count: writes.length,
      process: Uint32Array.from(column(({ rank }) => rank)),
      owner: Uint32Array.from(column(({ rank }) => rank)),
      file: Uint32Array.from(column(({ target }) => target)),
      bytes: Float64Array.from(column(({ bytes }) => bytes)),
      startNs: Float64Array.from(column(({ start }) => 1e9 * start)),
      endNs: Float64Array.from(column(({ end }) => 1e9 * end)),
      operation: new Uint8Array(writes.length).fill(Operation.write),
      layer: new Uint8Array(writes.length),
      flags: Uint8Array.from(column(({ flags = 0 }) => flags)),
    },
    ...more,
  };
}

const step = runOf([
  { rank: 0, target: 0, bytes: 512, start: 0, end: 1 },
  { rank: 1, target: 0, bytes: 512, start: 1, end: 5 },
  { rank: 2, target: 1, bytes: 1024, start: 0, end: 2 },
  { rank: 3, target: 1, bytes: 1024, start: 2, end: 4, flags: CALL_MOVED },
  { rank: 1, target: 1, bytes: 512, start: 4, end: 5, flags: CALL_MOVED | CALL_UNUSED },
]);

describe("facts of a step", () => {
  const facts = stepFacts(step);

  it("are the paper's: imbalance is slowest over fastest writer", () => {
    expect(facts.writerSeconds).toEqual([1, 4, 2, 2]);
    expect(facts.imbalance).toBe(4);
    expect(facts.spreadSeconds).toBeCloseTo(Math.sqrt((1.25 ** 2 + 1.75 ** 2 + 0.25 ** 2 * 2) / 4), 12);
  });

  it("tell load, time and moved bytes of each target", () => {
    expect(facts.perTarget).toMatchObject([
      { writes: 2, bytes: 1024, movedBytes: 0, endSeconds: 5, busySeconds: 5, bytesPerSecond: 204.8 },
      { writes: 3, bytes: 2560, movedBytes: 1536, movedWrites: 2, busySeconds: 5 },
    ]);
    expect(facts).toMatchObject({ movedWrites: 1, movedBytes: 1024, unusedWrites: 1 });
  });

  it("have BPS over the union of all writes", () => {
    expect(facts.bps).toBe(7 / 5);
    expect(facts.bytesPerSecond).toBe(3072 / 5);
  });

  it("of a step without writes are not known, not zero", () => {
    const none = stepFacts(runOf([]));
    expect([none.imbalance, none.spreadSeconds, none.perTarget[0]?.bytesPerSecond]).toEqual([NaN, NaN, NaN]);
  });

  it("count busy time as seconds that a brute force twin finds covered", () => {
    const write = fc.record({
      rank: fc.nat(3),
      target: fc.nat(2),
      bytes: fc.nat(9),
      start: fc.nat(20),
      length: fc.nat(5),
    });
    fc.assert(
      fc.property(fc.array(write, { minLength: 1, maxLength: 20 }), (list) => {
        const writes = list.map(({ length, ...one }) => ({ ...one, end: one.start + length }));
        for (const { target, busySeconds } of stepFacts(runOf(writes)).perTarget) {
          const covered = new Set<number>();
          for (const one of writes.filter((w) => w.target === target))
            for (let t = one.start; t < one.end; t++) covered.add(t);
          expect(busySeconds).toBe(covered.size);
        }
      }),
    );
  });
});

describe("the document of a step", () => {
  const options = { command: "plimsoll write", madeBy: "Plimsoll" };
  const figures = (runs: WriteRun[]) =>
    stepDocument(runs, options).sections.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === "figure" ? [block.figure] : [])),
    );

  it("says what happened in one sentence", () => {
    expect(stepDocument([step], options).verdict).toBe(
      "3.07 kB in 5 s, 614 B/s; the slowest writer took 4.0 times as long as the fastest; 1 write moved to another target.",
    );
    const faster = { ...step, label: "plimsoll", seconds: 2.5 };
    expect(stepDocument([step, faster], options).verdict).toBe(
      "plimsoll is 2.00 times as fast as paper (paper 5 s, plimsoll 2.5 s).",
    );
    const lost = { ...step, outcome: "no target takes data" };
    expect(stepDocument([lost], options).verdict).toBe("paper did not complete: no target takes data.");
  });

  it("draws single writes when there are few, cells when there are many; no byte is lost", () => {
    const [few] = figures([step]);
    expect(few?.chart.kind).toBe("spans");
    const many = runOf(
      Array.from({ length: 4000 }, (_, i) => ({
        ...{
          rank: i,
          target: i % 300,
          bytes: 1000 + i,
          start: (i % 37) / 10,
          end: (i % 37) / 10 + (i % 5) / 3,
        },
        flags: i % 9 === 0 ? CALL_MOVED : 0,
      })),
    );
    const chart = figures([many])[0]?.chart;
    expect(chart?.kind).toBe("heat");
    if (chart?.kind !== "heat") return;
    const drawn = chart.parts.map(({ cells }) => [...cells].reduce((sum, one) => sum + one, 0));
    const moved = stepFacts(many).movedBytes;
    expect(drawn[1]).toBeCloseTo(moved, 3);
    expect((drawn[0] as number) + (drawn[1] as number)).toBeCloseTo(many.bytes, 3);
  });

  it("puts writes of one target at the same time beside each other", () => {
    const two = runOf([
      { rank: 0, target: 0, bytes: 1, start: 0, end: 2 },
      { rank: 1, target: 0, bytes: 1, start: 1, end: 3 },
      { rank: 2, target: 0, bytes: 1, start: 2, end: 3 },
    ]);
    const chart = figures([two])[0]?.chart;
    const places = chart?.kind === "spans" ? chart.spans.map(({ y1, y2 }) => [y1, y2]) : [];
    expect(places).toEqual([
      [0, 0.5],
      [0.5, 1],
      [0, 0.5],
    ]);
  });

  it("is labelled when it is simulated, or a target was slowed on purpose", () => {
    const simulated = stepDocument([{ ...step, simulated: true }], options);
    expect(simulated.verdict).toMatch(/^Simulated: /);
    expect(figures([{ ...step, simulated: true }]).every((one) => one.simulated)).toBe(true);
    const slowed = stepDocument([{ ...step, slowed: [{ target: 1, how: "to 10 MB/s" }] }], options);
    expect(JSON.stringify(slowed)).toContain("Targets were throttled on purpose: target 1 to 10 MB/s.");
  });
});
