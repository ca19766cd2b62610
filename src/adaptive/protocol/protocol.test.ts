/** The roles by themselves: an input goes in, effects come out. */
import { describe, expect, it } from "vitest";
import { UsageError } from "../../base/errors.ts";
import { epochOfFile, fileId, groupEpoch, nextCoordinatorEpoch, targetOfFile } from "./ids.ts";
import { groupOfRank, groupOfTarget, weightedLayout } from "./layout.ts";
import type { Message, WriteStart } from "./message.ts";
import { POLICY_NAMES, policyNamed } from "./policies/index.ts";
import type { Policy } from "./policy.ts";
import { Process } from "./roles.ts";
import { makeSetup, type SetupOptions } from "./setup.ts";
import type { Effects, Input, Proposal } from "./step.ts";

type Effect =
  | { effect: "send"; to: number; message: Message }
  | { effect: "open"; file: number; target: number }
  | { effect: "write"; order: WriteStart }
  | { effect: "cancel"; file: number; lease: number }
  | { effect: "sync"; file: number }
  | { effect: "timer"; timer: string; at: number }
  | { effect: "commit"; proposal: Proposal }
  | { effect: "inquire" }
  | { effect: "finish"; outcome: string };

/** Writes effects down. */
class Recorder implements Effects {
  list: Effect[] = [];
  send(to: number, message: Message) {
    this.list.push({ effect: "send", to, message });
  }
  open(file: number, target: number) {
    this.list.push({ effect: "open", file, target });
  }
  write(order: WriteStart) {
    this.list.push({ effect: "write", order });
  }
  cancel(file: number, lease: number) {
    this.list.push({ effect: "cancel", file, lease });
  }
  sync(file: number) {
    this.list.push({ effect: "sync", file });
  }
  timer(timer: string, at: number) {
    this.list.push({ effect: "timer", timer, at });
  }
  commit(proposal: Proposal) {
    this.list.push({ effect: "commit", proposal });
  }
  inquire() {
    this.list.push({ effect: "inquire" });
  }
  finish(outcome: string) {
    this.list.push({ effect: "finish", outcome });
  }
}

function step(process: Process, input: Input, now = 0): Effect[] {
  const out = new Recorder();
  process.step(input, now, out);
  return out.list;
}

const hear = (from: number, message: Message): Input => ({ kind: "message", from, message });
const setupOf = (policy: string | Policy, writers: number, targets: number, options: SetupOptions = {}) =>
  makeSetup(
    typeof policy === "string" ? policyNamed(policy) : policy,
    { writers, targets, sizes: 1000 },
    options,
  );

const START: WriteStart = {
  kind: "write-start",
  group: 0,
  epoch: 0,
  piece: 0,
  file: 0,
  lease: 0,
  offset: 5,
  block: 1,
  at: 0,
  length: 1000,
  home: 0,
  moved: false,
};

describe("a writer", () => {
  it("writes what it is told, tells the leader, and sends its index after it (Algorithm 1)", () => {
    const writer = new Process(setupOf("paper", 4, 1), 1);
    expect(step(writer, hear(0, START))).toEqual([{ effect: "write", order: START }]);
    const after = step(writer, { kind: "written", file: 0, lease: 0, checksum: "c" });
    expect(after.map((one) => (one.effect === "send" ? [one.to, one.message.kind] : one))).toEqual([
      [0, "write-complete"],
      [0, "index-body"],
    ]);
  });

  it("tells the owner of the file and its own leader when they differ", () => {
    const writer = new Process(setupOf("plimsoll", 4, 2), 3);
    step(writer, hear(0, { ...START, group: 1, block: 3, home: 2, moved: true }));
    const after = step(writer, { kind: "written", file: 0, lease: 0, checksum: 7 });
    expect(after.map((one) => one.effect === "send" && one.to)).toEqual([0, 2]);
    expect(after[0]).toMatchObject({ message: { kind: "write-complete", checksum: 7 } });
  });

  it("takes an order once, however often it comes", () => {
    const writer = new Process(setupOf("paper", 4, 1), 1);
    step(writer, hear(0, START));
    expect(step(writer, hear(0, START))).toEqual([]);
    step(writer, { kind: "written", file: 0, lease: 0, checksum: 0 });
    expect(step(writer, hear(0, START))).toEqual([]);
    expect(step(writer, { kind: "written", file: 0, lease: 0, checksum: 0 })).toEqual([]);
  });

  it("stops for a new leader, tells what it has written, and refuses the old one's orders", () => {
    const writer = new Process(setupOf("plimsoll", 4, 1), 2);
    step(writer, hear(0, { ...START, block: 2, length: 400 }));
    step(writer, { kind: "written", file: 0, lease: 0, checksum: 1 });
    step(writer, hear(0, { ...START, block: 2, lease: 1, piece: 1, at: 400, length: 600, offset: 405 }));
    const polled = step(writer, hear(1, { kind: "poll", group: 0, epoch: 1 }));
    expect(polled.map(({ effect }) => effect)).toEqual(["cancel", "send", "send"]);
    expect(polled[2]).toMatchObject({
      to: 1,
      message: {
        kind: "report",
        entries: [{ block: 2, at: 0, length: 400, file: 0, offset: 5, checksum: 1 }],
      },
    });
    const refused = step(writer, hear(0, { ...START, block: 2, lease: 2, piece: 2 }));
    expect(refused).toMatchObject([{ to: 0, message: { kind: "cancelled", groupEpoch: 1 } }]);
  });

  it("without retained data ends by itself, and a second copy of a piece does not count twice", () => {
    const writer = new Process(setupOf("plimsoll", 4, 1, { retainData: false }), 1);
    step(writer, hear(0, { ...START, length: 500 }));
    step(writer, hear(0, { ...START, length: 500, lease: 1, offset: 505 }));
    step(writer, hear(0, { ...START, at: 500, length: 500, lease: 2, piece: 1, offset: 1005 }));
    const done = (lease: number) =>
      step(writer, { kind: "written", file: 0, lease, checksum: 0 }).some(
        ({ effect }) => effect === "finish",
      );
    expect([done(0), done(1), done(2)]).toEqual([false, false, true]);
  });
});

describe("a sub-coordinator", () => {
  it("opens its file, then has one writer at a time under the paper policy", () => {
    const leader = new Process(setupOf("paper", 3, 1), 0);
    expect(step(leader, { kind: "start" })).toEqual([{ effect: "open", file: 0, target: 0 }]);
    const first = step(leader, { kind: "opened", file: 0 });
    expect(first).toMatchObject([{ to: 0, message: { kind: "write-start", block: 0, offset: 0 } }]);
    expect(step(leader, { kind: "opened", file: 0 })).toEqual([]);
    const { message } = first[0] as { message: WriteStart };
    const { group, epoch, piece, file, lease, offset, block, at, length } = message;
    const place = { group, epoch, piece, file, lease, offset, block, at, length };
    const complete: Message = { kind: "write-complete", ...place, checksum: undefined };
    const next = step(leader, hear(0, complete));
    expect(next).toMatchObject([{ to: 1, message: { kind: "write-start", block: 1, offset: 1000 } }]);
    expect(step(leader, hear(0, complete))).toEqual([]);
  });

  it("staggers opens by group", () => {
    const leader = new Process(setupOf("paper", 4, 4, { openStaggerSeconds: 0.5 }), 2);
    expect(step(leader, { kind: "start" }, 10)).toEqual([{ effect: "timer", timer: "open", at: 11 }]);
    expect(step(leader, { kind: "timer", timer: "open" }, 11)).toMatchObject([{ effect: "open", target: 2 }]);
  });

  it("closes a file that says ENOSPC and tells the coordinator what waits", () => {
    const leader = new Process(setupOf("paper", 4, 2), 2);
    step(leader, { kind: "start" });
    step(leader, { kind: "opened", file: 1 });
    const failed: Message = {
      kind: "write-failed",
      group: 1,
      epoch: 0,
      piece: 0,
      file: 1,
      lease: 0,
      code: "ENOSPC",
      rank: 2,
    };
    const after = step(leader, hear(2, failed)).map((one) => one.effect === "send" && one.message);
    expect(after).toMatchObject([
      { kind: "file-closed", code: "ENOSPC", forGood: true },
      { kind: "heartbeat", waitingBytes: 2000 },
    ]);
  });

  it("does not lead again under an epoch that it was deposed from", () => {
    const rank = new Process(setupOf("paper", 4, 2), 3);
    const promote: Message = {
      kind: "promote",
      group: 1,
      coordinatorEpoch: 0,
      serial: 0,
      coordinator: 0,
      epoch: 1,
      dead: [2],
      badTargets: [],
      leaders: [],
    };
    expect(
      step(rank, hear(0, promote)).some((one) => one.effect === "send" && one.message.kind === "poll"),
    ).toBe(true);
    step(rank, hear(0, { kind: "deposed", group: 1, epoch: 2 }));
    expect(step(rank, hear(0, promote))).toEqual([]);
  });

  it("knows a coordinator of an earlier epoch as stale", () => {
    const leader = new Process(setupOf("paper", 4, 2), 2);
    step(leader, { kind: "start" });
    const order = { group: 1, serial: 0 } as const;
    step(leader, hear(0, { kind: "new-coordinator", rank: 0, coordinatorEpoch: 8, ...order }));
    const answer = step(
      leader,
      hear(1, { kind: "file-lost", file: 0, coordinatorEpoch: 5, ...order, serial: 9 }),
    );
    expect(answer).toEqual([
      { effect: "send", to: 1, message: { kind: "stale", coordinator: 0, coordinatorEpoch: 8 } },
    ]);
  });
});

describe("a rank that is left alone", () => {
  const options = { heartbeatSeconds: 1, leaseSeconds: 5, sharedSources: true };
  const look: Input = { kind: "timer", timer: "orphan" };
  /** Looks around until something else than a question to the leader comes of it; how often, and what. */
  const waits = (process: Process): { looks: number; effects: string[] } => {
    for (let looks = 1; looks < 20; looks++) {
      const effects = step(process, look, 8 * looks).map(({ effect }) => effect);
      if (effects.some((one) => one === "inquire" || one === "commit")) return { looks, effects };
    }
    throw new Error("waits for ever");
  };

  it("asks whether it is over, in its turn: first the lowest one of the first group", () => {
    const setup = setupOf("paper", 12, 2, options);
    const looks = [1, 2, 3, 5, 7].map((rank) => waits(new Process(setup, rank)).looks);
    expect(looks).toEqual([4, 5, 6, 8, 5]);
  });

  it("ends when it is over", () => {
    const process = new Process(setupOf("paper", 4, 1, options), 1);
    waits(process);
    const after = step(process, { kind: "committed", outcome: "complete", reason: "" });
    expect(after).toEqual([{ effect: "finish", outcome: "complete" }]);
  });

  it("leads what is left when it is not, under an epoch of its own", () => {
    const setup = setupOf("paper", 8, 2, options);
    const process = new Process(setup, 2);
    waits(process);
    const after = step(process, { kind: "undecided" }, 40);
    const sent = after.flatMap((one) => (one.effect === "send" ? [one] : []));
    const promotion = sent.find(({ message }) => message.kind === "promote");
    const epoch = nextCoordinatorEpoch(0, 2, 8);
    expect(promotion).toMatchObject({
      to: 2,
      message: { group: 0, coordinator: 2, coordinatorEpoch: epoch, epoch: groupEpoch(epoch, 1), dead: [0] },
    });
    // The other leader hears who coordinates, and everyone there that somebody does.
    expect(sent.filter(({ to }) => to === 4).map(({ message }) => message.kind)).toContain("new-coordinator");
    expect(sent.filter(({ message }) => message.kind === "here").map(({ to }) => to)).toEqual([4, 5, 6, 7]);
    expect(process.coordinator?.epoch).toBe(epoch);
    // A second word changes nothing; a later coordinator does.
    expect(step(process, { kind: "undecided" }, 41)).toEqual([]);
    step(process, hear(4, { kind: "stale", coordinator: 5, coordinatorEpoch: epoch + 3 }));
    expect(process.coordinator).toBeUndefined();
    waits(process);
    step(process, { kind: "undecided" }, 90);
    expect(process.coordinator?.epoch).toBe(nextCoordinatorEpoch(epoch + 3, 2, 8));
  });

  it("proposes to give up when that did not help", () => {
    const process = new Process(setupOf("paper", 4, 1, options), 1);
    for (let i = 0; i < 3; i++) expect(waits(process).effects).toContain("inquire");
    expect(waits(process).effects).toEqual(["commit"]);
  });

  it("does not wait where the transport saw all leaders die, and it is the lowest that lives", () => {
    const setup = setupOf("paper", 8, 2, { ...options, heartbeatSeconds: 0 });
    const lost = (process: Process, ranks: readonly number[]) =>
      ranks.flatMap((rank) => step(process, { kind: "lost", rank }));
    expect(lost(new Process(setup, 1), [0])).toEqual([]);
    expect(lost(new Process(setup, 1), [0, 4])).toEqual([{ effect: "inquire" }]);
    expect(lost(new Process(setup, 2), [0, 4])).toEqual([]);
    expect(lost(new Process(setup, 2), [4, 0, 1])).toEqual([{ effect: "inquire" }]);
  });
});

describe("numbers", () => {
  it("files of different leaders never have the same one", () => {
    const seen = new Set<number>();
    const epochs = [0, groupEpoch(0, 1), groupEpoch(0, 2), groupEpoch(nextCoordinatorEpoch(0, 3, 16), 1)];
    for (const epoch of epochs)
      for (let reopened = 0; reopened < 3; reopened++)
        for (let target = 0; target < 7; target++) {
          const file = fileId(target, 7, epoch, reopened);
          expect([targetOfFile(file, 7), epochOfFile(file, 7)]).toEqual([target, epoch]);
          seen.add(file);
        }
    expect(seen.size).toBe(4 * 3 * 7);
  });

  it("epochs of coordinators grow and tell their ranks", () => {
    const [first, second] = [nextCoordinatorEpoch(0, 9, 10), nextCoordinatorEpoch(19, 0, 10)];
    expect([first, second]).toEqual([19, 20]);
  });
});

describe("layouts", () => {
  it("every rank and every target is in one group", () => {
    for (const name of POLICY_NAMES)
      for (const [writers, targets] of [
        [1, 5],
        [5, 1],
        [7, 7],
        [64, 6],
        [3, 170],
      ] as const) {
        const { layout } = setupOf(name, writers, targets);
        const end = layout.firstTarget[layout.groups] as number;
        expect(layout.firstRank[layout.groups]).toBe(writers);
        for (let rank = 0; rank < writers; rank++) {
          const group = groupOfRank(layout, rank);
          expect(layout.firstRank[group]! <= rank && rank < layout.firstRank[group + 1]!).toBe(true);
        }
        for (let target = 0; target < targets; target++) {
          const group = groupOfTarget(layout, target);
          expect(group >= 0).toBe(target < end);
        }
        expect(end).toBe(
          name === "plimsoll" ? targets : Math.min(writers, targets, name === "mpi-io" ? 160 : targets),
        );
      }
  });

  it("a weighted one follows the weights and leaves nobody without a rank", () => {
    const { firstRank } = weightedLayout(100, [1, 2, 1, 0.001]);
    expect([...firstRank]).toEqual([0, 25, 75, 99, 100]);
  });

  it("a target that was far too slow is not used, and one that was slow gets fewer ranks", () => {
    const withRates = (priorRates: readonly number[]) =>
      makeSetup(policyNamed("plimsoll"), { writers: 80, targets: 4, sizes: 10, priorRates });
    const setup = withRates([100, 100, 5, 30]);
    expect(setup.skipped).toEqual([2]);
    expect([...setup.layout.firstRank]).toEqual([0, 31, 63, 71, 80]);
    // What lies within the load of an hour changes nothing.
    expect([...withRates([100, 140, 60, 80]).layout.firstRank]).toEqual([0, 20, 40, 60, 80]);
  });
});

describe("bad input gets one line", () => {
  const paper = policyNamed("paper");
  it.each([
    [{ writers: 0, targets: 1, sizes: 1 }, /0 writers/],
    [{ writers: 1, targets: 0, sizes: 1 }, /0 targets/],
    [{ writers: 2, targets: 1, sizes: [1] }, /1 sizes for 2 writers/],
    [{ writers: 2, targets: 1, sizes: [1, -1] }, /rank 1 has -1 bytes/],
    [{ writers: 2, targets: 1, sizes: 0 }, /nothing to write/],
    [{ writers: 2, targets: 2, sizes: 1, priorRates: [1] }, /1 prior rates for 2 targets/],
  ])("%j", (work, message) => {
    expect(() => makeSetup(paper, work)).toThrow(UsageError);
    expect(() => makeSetup(paper, work)).toThrow(message);
  });

  it("an unknown policy is named with the known ones", () => {
    expect(() => policyNamed("papre")).toThrow(
      /unknown policy papre .known: paper, plimsoll, static, mpi-io/,
    );
  });
});
