import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { makeBackend } from "../../backend/index.ts";
import { decide, forgetDecision, readDecision } from "../dataset/decision.ts";
import { datasetNames } from "../dataset/names.ts";
import { stepInput } from "../session/step-input.ts";
import { cutBlocks } from "../stage/blocks.ts";
import { makeStage } from "../stage/stage.ts";
import { commitPieces } from "./commit.ts";
import { Host } from "./host.ts";
import { hostOfRank, type HostReport, type HostSetting, machineSeconds, ranksOfHost } from "./setting.ts";

const root = mkdtempSync(join(tmpdir(), "plimsoll-host-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Six ranks in two groups, led by ranks 0 and 3; process 2 of three hosts a plain writer of each. */
function settingOf(name = "x.bp"): HostSetting {
  const sources = Array.from({ length: 6 }, () => new Uint8Array(1000));
  const { plan, data } = stepInput(sources, { arrays: ["data:uint8:*"] });
  const stage = makeStage(plan, { step: 1, ids: [1], data });
  const names = datasetNames(join(root, name));
  mkdirSync(names.notes, { recursive: true });
  return {
    stage,
    blocks: cutBlocks(stage, 6),
    hosts: 3,
    policy: "paper",
    perTarget: undefined,
    priorRates: undefined,
    priorSlots: undefined,
    targets: ["a", "b"],
    backend: { kind: "null" },
    names,
    attempt: "this",
    commit: { kept: [], append: false, firstSubfile: 0, replaced: [], keeps: false },
    memoryBytes: 2 ** 22,
    heartbeatSeconds: 5,
    leaseSeconds: 120,
    beganSeconds: machineSeconds(),
  };
}

it("a process takes over when the only leader is gone and nothing was decided", async () => {
  const setting = { ...settingOf("y.bp"), targets: ["a"], heartbeatSeconds: 0.2, leaseSeconds: 1 };
  const reports: HostReport[] = [];
  const hosts: Host[] = [];
  for (const index of [1, 2])
    hosts[index] = new Host(setting, index, {
      // The process of ranks 0 and 5 never was.
      send: (from, to, message) => setImmediate(() => hosts[hostOfRank(to, 3)]?.deliver(from, to, message)),
      progress: () => {},
      trouble: () => {},
      fatal: (text) => expect.unreachable(text),
      ended: (one) => reports.push(one),
      pace: async () => {},
    });
  for (const host of hosts) host?.start();
  for (const host of hosts) host?.lost(ranksOfHost(setting, 0));
  for (let i = 0; i < 200 && reports.length < 2; i++) await sleep(50);
  expect(reports.map(({ outcome }) => outcome)).toEqual(["complete", "complete"]);
  // All six blocks are written, those of the lost ranks as well.
  expect(reports.reduce((sum, { messages }) => sum + (messages["write-start"] ?? 0), 0)).toBe(6);
});

it("a process whose leaders are gone ends soon when the dataset was decided without it, and not before", async () => {
  const setting = settingOf();
  expect(ranksOfHost(setting, 2)).toEqual([2, 4]);
  let report: HostReport | undefined;
  const host = new Host(setting, 2, {
    send: () => {},
    progress: () => {},
    trouble: () => {},
    fatal: (text) => expect.unreachable(text),
    ended: (one) => (report = one),
    pace: async () => {},
  });
  host.start();
  const decision = { outcome: "complete", reason: "", subfiles: [], replaced: [] } as const;
  await decide(setting.names, { ...decision, attempt: "another" }, "1");
  host.lost([1, 3]);
  await sleep(1200);
  expect(report).toBeUndefined();
  await forgetDecision(setting.names);
  await decide(setting.names, { ...decision, attempt: "this" }, "2");
  for (let i = 0; i < 100 && report === undefined; i++) await sleep(50);
  expect(report?.outcome).toBe("complete");
});

it("what does not cover the data is never committed", async () => {
  const setting = settingOf("gap.bp");
  const piece = (from: number, to: number) => ({
    ...{ from, to, path: "", target: 0 },
    info: { identity: "", group: 0, sums: new Uint32Array(), statistics: new Uint8Array() },
  });
  const request = {
    ...{ names: setting.names, attempt: "this", who: 0, stage: setting.stage, setting: setting.commit },
    backend: makeBackend(setting.backend, { pace: async () => {} }),
  };
  const commit = (...ranges: [number, number][]) =>
    commitPieces(
      request,
      ranges.map(([from, to]) => piece(from, to)),
    );
  await expect(commit([0, 3000], [4000, 6000])).rejects.toThrow("without a gap or an overlap");
  await expect(commit([0, 3000], [2000, 6000])).rejects.toThrow("without a gap or an overlap");
  await expect(commit([0, 3000])).rejects.toThrow("to the end of the data");
  expect(await readDecision(setting.names)).toBeUndefined();
});

it("a process gets only messages of its own ranks, and acts only in their steps", () => {
  const host = new Host(settingOf("own.bp"), 2, {
    ...{ send: () => {}, progress: () => {}, trouble: () => {}, fatal: () => {}, ended: () => {} },
    pace: async () => {},
  });
  expect(() => host.deliver(1, 0, { kind: "here" })).toThrow("comes to the process of its rank");
  expect(() => host.open(0)).toThrow("acts in its own steps");
  expect(() => host.send(-1, { kind: "here" })).toThrow("a rank of the run");
});
