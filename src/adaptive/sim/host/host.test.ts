import { describe, expect, it } from "vitest";
import { UsageError } from "../../../base/errors.ts";
import { InvariantViolation } from "../../protocol/index.ts";
import { makeWorld, type StorageParameters, withDefaults } from "../storage/index.ts";
import type { Fault } from "./faults.ts";
import { CALL_MOVED } from "../../../model/write-run.ts";
import { type AdaptiveOptions, type AdaptiveResult, runAdaptive } from "./run.ts";

const MIB = 2 ** 20;
/** Disks without a cache, 100 MiB/s each and per client; no overheads but those that a test adds. */
const PLAIN = { diskRate: 100, clientRate: 100, dirtyLimit: 0, opOverhead: 0 };

interface Case extends Partial<Omit<AdaptiveOptions, "world">> {
  readonly parameters?: Partial<StorageParameters>;
  readonly speeds?: readonly number[];
}

function run({ parameters, speeds, ...options }: Case): AdaptiveResult {
  const targets = options.targets ?? 4;
  const world = makeWorld({
    parameters: withDefaults({ ...PLAIN, ...parameters }),
    machineTargets: targets,
    targets,
    run: { seed: 1, sample: 0, samples: 1 },
  });
  speeds?.forEach((speed, target) => {
    world.storage.setSpeed(target, speed);
  });
  const usual = { policy: "paper", writers: 16, bytes: 100 * MIB, seed: 1, check: true, latencySeconds: 0 };
  return runAdaptive({ ...usual, serviceSeconds: 0, targets, ...options, world });
}

const faulty = (faults: readonly Fault[], options: Case = {}): AdaptiveResult =>
  run({
    heartbeatSeconds: 0.5,
    leaseSeconds: 5,
    leaseBytesPerSecond: 20 * MIB,
    secondsMax: 2000,
    plan: { faults },
    ...options,
  });

describe("without faults", () => {
  it("one writer takes its bytes over the rate of the client", () => {
    const { seconds, outcome } = run({ writers: 1, targets: 1 });
    expect(outcome).toBe("complete");
    expect(seconds).toBeCloseTo(1, 9);
  });

  it("equal targets and the paper policy: each writes its group one after the other, and nothing moves", () => {
    const { seconds, moved, perTarget } = run({});
    expect(seconds).toBeCloseTo(4, 9);
    expect(moved).toBe(0);
    expect(perTarget.map(({ writes }) => writes)).toEqual([4, 4, 4, 4]);
  });

  it("messages and per-write overhead add up", () => {
    const latency = 0.001;
    const { seconds } = run({ latencySeconds: latency, parameters: { opOverhead: 0.02 } });
    // Of four writes the leader's own needs no message; three are told and tell.
    expect(seconds).toBeCloseTo(4 * 1.02 + 3 * latency + 2 * latency, 9);
  });

  it("all at once under `static`: as long as the disks need", () => {
    expect(run({ policy: "static" }).seconds).toBeCloseTo(4, 9);
    expect(run({ policy: "static", speeds: [1, 1, 1, 0.125] }).seconds).toBeCloseTo(32, 6);
  });

  it("one target of four eight times slower: the paper policy moves whole blocks, plimsoll comes near the ideal", () => {
    const speeds = [1, 1, 1, 0.125];
    const ideal = 16 / 3.125;
    const paper = run({ speeds });
    // The slow target's first block is under way until 8 s; all others fit in elsewhere.
    expect(paper.seconds).toBeCloseTo(8, 6);
    expect(paper.moved).toBe(3);
    const plimsoll = run({ speeds, policy: "plimsoll" });
    expect(plimsoll.seconds).toBeLessThan(1.25 * ideal);
    expect(plimsoll.seconds).toBeGreaterThanOrEqual(ideal);
    expect(plimsoll.bytes).toBe(1600 * MIB);
  });

  it("plimsoll uses all targets when there are fewer writers", () => {
    const options = { writers: 2, targets: 8, bytes: 1000 * MIB, parameters: { clientRate: 1000 } } as const;
    expect(run({ ...options }).seconds).toBeCloseTo(10, 9);
    expect(run({ ...options, policy: "plimsoll" }).seconds).toBeLessThan(1.25 * 2.5);
  });

  it("plimsoll finds that more writers per target help where a client is the limit", () => {
    const slow = { parameters: { clientRate: 25 }, writers: 64 } as const;
    const paper = run(slow);
    const plimsoll = run({ ...slow, policy: "plimsoll" });
    expect(paper.seconds / plimsoll.seconds).toBeGreaterThan(2);
    const again = run({
      ...slow,
      policy: "plimsoll",
      priorRates: plimsoll.learnedRates,
      priorSlots: plimsoll.learnedSlots,
    });
    expect(again.seconds).toBeLessThanOrEqual(plimsoll.seconds * 1.02);
    expect([...plimsoll.learnedRates].every((rate) => rate > 50 * MIB)).toBe(true);
  });

  it("history: a target known to be slow gets less from the start", () => {
    const speeds = [1, 1, 1, 0.3];
    const first = run({ speeds, policy: "plimsoll", writers: 64 });
    const second = run({ speeds, policy: "plimsoll", writers: 64, priorRates: first.learnedRates });
    const movedBytes = ({ calls }: AdaptiveResult) =>
      calls.bytes
        .subarray(0, calls.count)
        .reduce((sum, one, i) => sum + (calls.flags[i]! & CALL_MOVED ? one : 0), 0);
    expect(movedBytes(second)).toBeLessThan(movedBytes(first) / 2);
    expect(second.seconds).toBeLessThan(first.seconds * 1.03);
  });

  it("plimsoll copies a straggler: first to finish wins, and the index names one", () => {
    const slowFrom: Fault = { kind: "slow", target: 3, at: 2.5, factor: 0.02 };
    const result = run({ policy: "plimsoll", plan: { faults: [slowFrom] } });
    expect(result.outcome).toBe("complete");
    expect(result.messages.get("recall") ?? 0).toBeGreaterThan(0);
    expect(result.seconds).toBeLessThan(8);
    expect(result.bytes).toBe(1600 * MIB);
  });

  it("messages per writer stay few", () => {
    const count = (policy: string) => {
      const { messages } = run({ policy, writers: 512, targets: 16, retainData: false });
      return [...messages.values()].reduce((sum, one) => sum + one, 0) / 512;
    };
    expect(count("paper")).toBeLessThan(3.5);
    expect(count("static")).toBeLessThan(2.5);
    expect(count("plimsoll")).toBeLessThan(4);
  });

  it("opens are timed apart, and staggered ones wait less for the metadata server", () => {
    const storm = run({ openSeconds: 0.01 });
    const calm = run({ openSeconds: 0.01, openStaggerSeconds: 0.01 });
    expect(storm.seconds).toBeCloseTo(run({}).seconds, 9);
    expect(storm.openSeconds.map((one) => Math.round(one * 100))).toEqual([2, 3, 4, 5]);
    for (const one of calm.openSeconds) expect(one).toBeCloseTo(0.02, 9);
  });

  it("finished writes are calls: rank, target, place, time, and what was moved", () => {
    const { calls, moved } = run({ speeds: [1, 1, 1, 0.125] });
    expect(calls.count).toBe(16);
    let movedOps = 0;
    for (let i = 0; i < calls.count; i++) {
      expect(calls.endNs[i]).toBeGreaterThan(calls.startNs[i]!);
      if (calls.flags[i]! & CALL_MOVED) movedOps++;
    }
    expect(movedOps).toBe(moved);
  });

  it("has the same event log for the same seed, kept here as hashes", () => {
    const options = { hash: true, jitterSeconds: 0.02, latencySeconds: 60e-6, speeds: [1, 0.5, 1, 0.2] };
    const hashes = ["paper", "plimsoll", "static"].map((policy) => run({ ...options, policy }).hash);
    expect(hashes).toEqual(["7db48a3154b280fb", "259193de88778a7c", "8132c3d4e5421c90"]);
    expect(run({ ...options, seed: 2 }).hash).not.toBe(hashes[0]);
  });

  it("has the same event log with many files that wait for work, late copies and a load of others", () => {
    const busy = { lightStreams: 0.6, lightSeconds: 2, lightRate: 40, speedSd: 0.4, opOverhead: 0.1 };
    const large = { writers: 2048, targets: 128, bytes: 128 * MIB, latencySeconds: 60e-6, check: false };
    const hashes = ["paper", "plimsoll"].map(
      (policy) => run({ ...large, policy, hash: true, parameters: busy }).hash,
    );
    expect(hashes).toEqual(["2661c40dd92f55a6", "c71ffafb6d0d31dd"]);
  });
});

describe("with faults", () => {
  const complete = ({ outcome, bytes }: AdaptiveResult) => {
    expect(outcome).toBe("complete");
    expect(bytes).toBe(1600 * MIB);
  };

  for (const policy of ["paper", "plimsoll"]) {
    describe(policy, () => {
      it("a target that is full: the others take its work", () => {
        complete(faulty([{ kind: "full", target: 1, bytes: 150 * MIB }], { policy }));
      });
      it("a target that says EIO", () => {
        complete(faulty([{ kind: "eio", target: 1, at: 1.5 }], { policy }));
      });
      it("a target that hangs", () => {
        complete(faulty([{ kind: "slow", target: 1, at: 1.5, factor: 0 }], { policy }));
      });
      it("a target that does not open, or never answers", () => {
        complete(faulty([{ kind: "open-fails", target: 0 }], { policy }));
        complete(faulty([{ kind: "open-hangs", target: 2 }], { policy }));
      });
      it("a target that loses what it took: it is written again", () => {
        complete(faulty([{ kind: "sync-fails", target: 2 }], { policy }));
        complete(faulty([{ kind: "sync-hangs", target: 2 }], { policy }));
      });
      it("any process dies at any time while sources are shared", () => {
        for (const rank of [0, 1, 4, 7, 15])
          for (const at of [0.001, 0.5, 1.7, 3.9])
            complete(faulty([{ kind: "kill", rank, at }], { policy, sharedSources: true }));
      });
      it("coordinator and its deputy die", () => {
        const faults: Fault[] = [
          { kind: "kill", rank: 0, at: 0.6 },
          { kind: "kill", rank: 4, at: 1.1 },
        ];
        complete(faulty(faults, { policy, sharedSources: true }));
      });
      it("the leader of the only group dies, and who takes its place, too", () => {
        const shared = { policy, sharedSources: true, targets: 1 };
        for (const noticeSeconds of [undefined, 0.1])
          for (const ranks of [[0], [0, 1], [0, 1, 2]])
            for (const at of [0.001, 3.3, 15.9]) {
              // Who takes over does so after seconds of silence, or at once; each dies a while after that.
              const faults = ranks.map((rank) => ({ kind: "kill", rank, at: at + 30 * rank }) as const);
              const notice = noticeSeconds === undefined ? {} : { noticeSeconds };
              complete(faulty(faults, { ...shared, plan: { faults, ...notice } }));
            }
      });
      it("all leaders die", () => {
        const faults = [0, 4, 8, 12].map((rank) => ({ kind: "kill", rank, at: 0.7 }) as const);
        for (const plan of [{ faults }, { faults, noticeSeconds: 0.01 }])
          complete(faulty(faults, { policy, sharedSources: true, plan }));
      });
      it("without timers the transport's word is enough", () => {
        const faults = [0, 1].map((rank) => ({ kind: "kill", rank, at: 0.5 + rank }) as const);
        const plan = { faults, noticeSeconds: 0.01 };
        complete(run({ policy, targets: 1, sharedSources: true, plan, secondsMax: 2000 }));
      });
      it("a leader dies before it can pass on what was decided: its writers find out, and write nothing again", () => {
        const usual = { policy, sharedSources: true, targets: 2, latencySeconds: 1e-3 };
        const { commitSeconds, calls } = faulty([], usual);
        const late = faulty([{ kind: "kill", rank: 8, at: commitSeconds + 0.0005 }], usual);
        complete(late);
        expect(late.calls.count).toBe(calls.count);
      });
      it("the coordinator dies after its own data is written: nothing is lost even without shared sources", () => {
        complete(faulty([{ kind: "kill", rank: 0, at: 4.2 }], { policy, speeds: [1, 1, 1, 0.5] }));
      });
      it("data that nobody else has: a clean end that says so", () => {
        const result = faulty([{ kind: "kill", rank: 7, at: 0.2 }], { policy });
        expect(result.outcome).toBe("aborted");
        expect(result.reason).toBe("rank 7 died, and no other rank has its data");
      });
      it("no target left: a clean end that says so", () => {
        const faults = [0, 1, 2, 3].map((target) => ({ kind: "full", target, bytes: 10 }) as const);
        const result = faulty(faults, { policy });
        expect(result).toMatchObject({
          outcome: "aborted",
          reason: "no storage target accepts data any more",
        });
      });
      it("messages late and twice", () => {
        const network = { lateShare: 0.3, lateSeconds: 0.3, repeatedShare: 0.5 };
        complete(
          run({
            policy,
            heartbeatSeconds: 0.5,
            leaseSeconds: 5,
            plan: { faults: [], network },
            secondsMax: 2000,
          }),
        );
      });
    });
  }

  it("static says which target ended it", () => {
    const result = faulty([{ kind: "full", target: 1, bytes: 10 }], { policy: "static" });
    expect(result).toMatchObject({
      outcome: "aborted",
      reason: "target 1 failed (ENOSPC), and policy static does not move work",
    });
  });

  it("a run that cannot end is found out", () => {
    const hangs: Fault = { kind: "slow", target: 0, at: 0, factor: 0 };
    expect(() => run({ plan: { faults: [hangs] }, secondsMax: 100 })).toThrow(InvariantViolation);
  });
});

it("more targets than the storage has is refused in one line", () => {
  const world = makeWorld({
    parameters: withDefaults({}),
    machineTargets: 2,
    targets: 2,
    run: { seed: 1, sample: 0, samples: 1 },
  });
  const options = { world, policy: "paper", writers: 4, bytes: 1, targets: 3, seed: 1 };
  expect(() => runAdaptive(options)).toThrow(UsageError);
});
