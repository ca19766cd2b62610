import { afterEach, describe, expect, it, vi } from "vitest";
import { BlockQueue } from "../../protocol/block-queue.ts";
import { Coordinator } from "../../protocol/coordinator.ts";
import type { Effects } from "../../protocol/index.ts";
import { FileLeases } from "../../protocol/file-leases.ts";
import { OwnedFiles } from "../../protocol/owned-files.ts";
import { SubCoordinator } from "../../protocol/sub-coordinator.ts";
import { Writer } from "../../protocol/writer.ts";
import { checkScenario } from "./check.ts";
import { explore, exploreHere } from "./explore.ts";
import { EXPLORED_POLICIES, type Scenario, scenarioOf } from "./scenario.ts";
import { smallestWith } from "./shrink.ts";

const POLICIES = EXPLORED_POLICIES;

it("200 runs with faults break no invariant", async () => {
  const tally = await explore({ seed: 1, count: 200, policies: POLICIES, threads: 1 });
  expect(tally.violations).toEqual([]);
  expect(tally.complete + tally.aborted + tally.nobodyLeft).toBe(200);
  // The faults are real, and most of them are survived.
  expect(tally.complete).toBeGreaterThan(120);
  expect(tally.aborted).toBeGreaterThan(15);
});

it.each([
  [1657, "a decision while groups have no leader"],
  [2609, "a rank that dies while its group is polled"],
  [11506, "a promotion before files are opened in turn"],
])("seed %i breaks nothing: %s", (seed) => {
  expect(checkScenario(scenarioOf(seed))).toMatchObject({ violation: undefined, detail: "" });
});

it("a seed always gives the same events", () => {
  for (const seed of [3, 33, 333]) {
    const first = checkScenario(scenarioOf(seed));
    expect(first.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(checkScenario(scenarioOf(seed))).toEqual(first);
  }
});

describe("a broken protocol is caught:", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Invariants that 300 seeds found broken. */
  const caught = (seeds = 300): Set<string> =>
    new Set(
      exploreHere({ seed: 1, count: seeds, policies: POLICIES }).violations.map(({ invariant }) => invariant),
    );

  it("space given out twice", () => {
    const grant = FileLeases.prototype.grant;
    vi.spyOn(FileLeases.prototype, "grant").mockImplementation(function (this: FileLeases, ...args) {
      const lease = grant.apply(this, args);
      if (lease.lease % 3 === 2) this.tail = lease.offset;
      return lease;
    });
    expect(caught()).toContain("no-overlap");
  });

  it("a new leader that goes on in the old leader's file", () => {
    const start = SubCoordinator.prototype.startPromoted;
    vi.spyOn(SubCoordinator.prototype, "startPromoted").mockImplementation(function (
      this: SubCoordinator,
      ...args
    ) {
      Object.assign(this.link, { epoch: 0 });
      start.apply(this, args);
    });
    expect(caught()).toContain("no-overlap");
  });

  it("slots that are not looked at", () => {
    vi.spyOn(FileLeases.prototype, "hasSlot", "get").mockImplementation(function (this: FileLeases) {
      return this.state === "open" && this.active.size < 12;
    });
    expect(caught()).toContain("writers-per-file");
  });

  it("a lease that runs out and is given to the next while the first still writes", () => {
    vi.spyOn(OwnedFiles.prototype, "checkDeadlines").mockImplementation(function (this: OwnedFiles, now) {
      for (const file of this.files)
        for (const lease of file.active.values()) if (now > lease.deadline) file.release(lease, now, 0);
    });
    expect(caught()).toContain("writers-per-file");
  });

  it("an entry that gets lost", () => {
    const accept = BlockQueue.prototype.accept;
    vi.spyOn(BlockQueue.prototype, "accept").mockImplementation(function (this: BlockQueue, piece, ...rest) {
      if (piece.piece === 3) this.outstanding.delete(piece.piece);
      else accept.call(this, piece, ...rest);
    });
    // Before it can travel: the group that lost it does not call itself complete.
    expect(caught()).toContain("assertion");
  });

  it("an index that loses a part on its way to the commit", () => {
    const decide = Coordinator.prototype.decide;
    vi.spyOn(Coordinator.prototype, "decide").mockImplementation(function (
      this: Coordinator,
      outcome,
      reason,
      out,
    ) {
      const commit: Effects["commit"] = (one) => out.commit({ ...one, parts: one.parts.slice(1) });
      decide.call(this, outcome, reason, { commit } as Effects);
    });
    expect(caught(30)).toContain("exactly-once");
  });

  it("what failed counts as written", () => {
    vi.spyOn(BlockQueue.prototype, "giveBack").mockImplementation(function (this: BlockQueue, piece) {
      this.accept(piece, piece.file, 0, undefined);
    });
    expect(caught()).toContain("index-is-durable");
  });

  it("a file that is called durable and is not", () => {
    const message = SubCoordinator.prototype.message;
    vi.spyOn(SubCoordinator.prototype, "message").mockImplementation(function (
      this: SubCoordinator,
      from,
      one,
      now,
      out,
    ) {
      if (one.kind === "overall-write-complete" && one.group === this.group)
        this.work.tell({ kind: "synced", round: one.round, file: one.file, ok: true }, out);
      else message.call(this, from, one, now, out);
    });
    expect(caught()).toContain("index-is-durable");
  });

  it("two commits", () => {
    const committed = Coordinator.prototype.committed;
    vi.spyOn(Coordinator.prototype, "committed").mockImplementation(function (
      this: Coordinator,
      outcome,
      reason,
      out,
    ) {
      out.commit({ outcome, reason, parts: [] });
      committed.call(this, outcome, reason, out);
    });
    expect(caught()).toContain("one-commit");
  });

  it("deputies that never take over, and writers that never ask", () => {
    vi.spyOn(SubCoordinator.prototype, "tick").mockImplementation(() => {});
    vi.spyOn(Writer.prototype, "look").mockImplementation(() => {});
    expect(caught(10)).toContain("run-ends");
  });

  it("and the scenario is cut down to what matters", () => {
    vi.spyOn(FileLeases.prototype, "hasSlot", "get").mockImplementation(function (this: FileLeases) {
      return this.state === "open" && this.active.size < 2;
    });
    const breaks = (one: Scenario) => checkScenario(one).violation === "writers-per-file";
    const seed = Array.from({ length: 100 }, (_, i) => i).find(
      (one) => scenarioOf(one).writers > 8 && scenarioOf(one).faults.length > 1 && breaks(scenarioOf(one)),
    );
    const violation = { seed: seed as number, invariant: "writers-per-file" };
    const smallest = smallestWith(violation, POLICIES);
    expect(breaks(smallest)).toBe(true);
    expect(smallest).toMatchObject({ writers: 2, targets: 1, faults: [], network: null, policy: "paper" });
  });
});
