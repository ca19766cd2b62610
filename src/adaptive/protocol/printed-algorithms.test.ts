/**
 * Algorithms 1 to 3 of the paper taken by the letter, in a small model with one switch per mend. Without a mend the run
 * fails in the way that docs/protocol.md tells; with all of them it does not, and neither does the protocol itself.
 */
import { describe, expect, it } from "vitest";
import { runAdaptive } from "../sim/host/run.ts";
import { makeWorld, withDefaults } from "../sim/storage/index.ts";

type Mend = "loop" | "count" | "signal" | "once" | "offset";
const ALL: readonly Mend[] = ["loop", "count", "signal", "once", "offset"];

interface Result {
  /** Every sub-coordinator left its loop after all was written. */
  ended: boolean;
  written: number;
  /** Most writers in one file at once. */
  activeMax: number;
  overlaps: number;
}

type Message =
  | { kind: "WRITE_COMPLETE"; source: number; target: number; size: number }
  | { kind: "INDEX_BODY" }
  | { kind: "ADAPTIVE_WRITE_START"; target: number; offset: number }
  | { kind: "OVERALL_WRITE_COMPLETE" };
type ToC =
  | { kind: "WRITE_COMPLETE"; adaptive: boolean; sc: number; target: number; size: number; offset: number }
  | { kind: "WRITERS_BUSY"; sc: number; target: number };

/** `groups[i]` are the sizes of the writers of target i; `speeds` the bytes per second of the targets. */
function runPrinted(groups: number[][], speeds: number[], mends: ReadonlySet<Mend>): Result {
  const events: { at: number; order: number; run: () => void }[] = [];
  let now = 0;
  let order = 0;
  const later = (seconds: number, run: () => void) => events.push({ at: now + seconds, order: order++, run });
  const active = groups.map(() => 0);
  const extents: { file: number; from: number; to: number }[] = [];
  const result: Result = { ended: false, written: 0, activeMax: 0, overlaps: 0 };
  const scs = groups.map((sizes) => ({
    waiting: [...sizes],
    total: sizes.length,
    completed: 0,
    missing: 0,
    offset: 0,
    done: false,
    left: false,
    ownActive: 0,
    told: false,
  }));
  type Sc = (typeof scs)[number];
  const one = (i: number): Sc => scs[i] as Sc;

  // Algorithm 1
  function write(source: number, size: number, target: number, offset: number): void {
    active[target]!++;
    result.activeMax = Math.max(result.activeMax, active[target] as number);
    if (extents.some(({ file, from, to }) => file === target && offset < to && from < offset + size))
      result.overlaps++;
    extents.push({ file: target, from: offset, to: offset + size });
    later(size / (speeds[target] as number), () => {
      active[target]!--;
      result.written++;
      const complete = { kind: "WRITE_COMPLETE", source, target, size } as const;
      later(0.001, () => hear(source, complete));
      if (source !== target) later(0.001, () => hear(target, complete));
      later(0.002, () => hear(target, { kind: "INDEX_BODY" }));
    });
  }

  // Algorithm 2
  function goOn(i: number): void {
    const sc = one(i);
    if (sc.left) return;
    const stays = mends.has("loop") ? !sc.done || sc.missing !== 0 : !sc.done && sc.missing !== 0;
    if (!stays) {
      sc.left = true;
      return;
    }
    if (sc.waiting.length === 0 || (mends.has("signal") && sc.ownActive > 0)) return;
    const size = sc.waiting.shift() as number;
    sc.ownActive++;
    write(i, size, i, sc.offset);
    sc.offset += size;
  }

  function hear(i: number, message: Message): void {
    const sc = one(i);
    if (sc.left) return;
    if (message.kind === "WRITE_COMPLETE") {
      const { source, target, size } = message;
      if (source === i && target === i) sc.ownActive--;
      if (source === i) sc.completed++;
      if (source === i && target !== i)
        later(0.001, () =>
          coordinator({ kind: "WRITE_COMPLETE", adaptive: true, sc: i, target, size, offset: 0 }),
        );
      if (mends.has("count") ? target === i : source === i && target === i) sc.missing++;
      if (sc.completed === sc.total && !(mends.has("once") && sc.told)) {
        sc.told = true;
        const offset = sc.offset;
        later(0.001, () =>
          coordinator({ kind: "WRITE_COMPLETE", adaptive: false, sc: i, target: i, size: 0, offset }),
        );
      }
    } else if (message.kind === "INDEX_BODY") sc.missing--;
    else if (message.kind === "OVERALL_WRITE_COMPLETE") sc.done = true;
    else if (sc.waiting.length === 0)
      later(0.001, () => coordinator({ kind: "WRITERS_BUSY", sc: i, target: message.target }));
    else write(i, sc.waiting.shift() as number, message.target, message.offset);
    goOn(i);
  }

  // Algorithm 3
  const state = groups.map(() => "writing");
  const offsets = groups.map(() => 0);
  let outstanding = 0;
  let next = 0;
  let over = false;
  function request(target: number): void {
    for (let i = 0; i < groups.length; i++) {
      const sc = (next + i) % groups.length;
      if (state[sc] !== "writing") continue;
      next = sc + 1;
      outstanding++;
      const offset = offsets[target] as number;
      later(0.001, () => hear(sc, { kind: "ADAPTIVE_WRITE_START", target, offset }));
      return;
    }
  }
  function coordinator(message: ToC): void {
    if (message.kind === "WRITERS_BUSY") {
      outstanding--;
      if (state[message.sc] === "writing") state[message.sc] = "busy";
      request(message.target);
    } else if (message.adaptive) {
      outstanding--;
      if (mends.has("offset")) offsets[message.target]! += message.size;
      request(message.target);
    } else {
      state[message.sc] = "complete";
      if (offsets[message.sc] === 0) offsets[message.sc] = message.offset;
      request(message.sc);
    }
    if (over || outstanding > 0 || state.some((one) => one !== "complete")) return;
    over = true;
    for (let i = 0; i < groups.length; i++) later(0.001, () => hear(i, { kind: "OVERALL_WRITE_COMPLETE" }));
  }

  for (let i = 0; i < groups.length; i++) goOn(i);
  for (let steps = 0; events.length > 0 && steps < 10_000; steps++) {
    events.sort((a, b) => a.at - b.at || a.order - b.order);
    const event = events.shift() as (typeof events)[number];
    now = event.at;
    event.run();
  }
  result.ended = over && scs.every(({ left }) => left);
  return result;
}

const without = (mend: Mend) => new Set(ALL.filter((one) => one !== mend));
/** One fast target with little work, one slow one with much, blocks of different sizes. */
const GROUPS = [
  [10, 12],
  [10, 14, 9, 11, 16, 8],
];
const SPEEDS = [100, 5];
const BLOCKS = GROUPS.flat().length;

describe("the algorithms as printed", () => {
  it("write everything once all errors are mended", () => {
    const result = runPrinted(GROUPS, SPEEDS, new Set(ALL));
    expect(result).toEqual({ ended: true, written: BLOCKS, activeMax: 1, overlaps: 0 });
  });

  it("end before the first write: `not done and missing ≠ 0` is false at the start", () => {
    expect(runPrinted(GROUPS, SPEEDS, without("loop")).written).toBe(0);
  });

  it("never end: the index of another group's writer is not counted, so the count passes zero", () => {
    const result = runPrinted(GROUPS, SPEEDS, without("count"));
    expect(result.written).toBe(BLOCKS);
    expect(result.ended).toBe(false);
  });

  it("start several writers in one file: the next one is signalled after every message", () => {
    expect(runPrinted(GROUPS, SPEEDS, without("signal")).activeMax).toBeGreaterThan(1);
  });

  it("offer a file again and again: `all writers completed` stays true with every later message", () => {
    expect(runPrinted(GROUPS, SPEEDS, without("once")).activeMax).toBeGreaterThan(1);
  });

  it("write over each other: the coordinator notes the final offset once", () => {
    expect(runPrinted(GROUPS, SPEEDS, without("offset")).overlaps).toBeGreaterThan(0);
  });
});

it("the protocol under the paper policy does the same work with every invariant watched", () => {
  const MIB = 2 ** 20;
  const parameters = withDefaults({ opOverhead: 0, dirtyLimit: 0 });
  const world = makeWorld({
    parameters,
    machineTargets: 2,
    targets: 2,
    run: { seed: 1, sample: 0, samples: 1 },
  });
  world.storage.setSpeed(1, 0.05);
  const result = runAdaptive({
    world,
    policy: "paper",
    writers: BLOCKS,
    bytes: GROUPS.flat().map((size) => size * MIB),
    targets: 2,
    seed: 1,
    check: true,
  });
  expect(result.outcome).toBe("complete");
  expect(result.moved).toBeGreaterThan(0);
  expect(result.unused).toBe(0);
  expect(result.bytes).toBe(GROUPS.flat().reduce((sum, size) => sum + size * MIB, 0));
});
