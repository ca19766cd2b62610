/** Findings on logs of real programs whose flaw and gain are known by measurement (test/fixtures/pathologies). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reportDocument } from "../../src/inputs/job/index.ts";
import { readJob } from "../../src/inputs/node.ts";
import type { CulpritChart } from "../../src/model/index.ts";

interface Case {
  readonly id: string;
  readonly log: string;
  readonly mendedLog: string | null;
  readonly cause: string;
  readonly trueGainSeconds: number;
  /** Of each flaw alone, where there are two. */
  readonly each?: readonly { readonly cause: string; readonly gainSeconds: number }[];
}

const folder = join(import.meta.dirname, "..", "fixtures", "pathologies");
const cases = JSON.parse(readFileSync(join(folder, "cases.json"), "utf8")) as readonly Case[];
const judged = async (log: string) => {
  const { verdicts, job } = await readJob([join(folder, log)]);
  return { ...verdicts, job };
};

const firstScreen = async (log: string) => {
  const read = await readJob([join(folder, log)]);
  return { ...reportDocument(read, { madeBy: "", command: "" }), findings: read.verdicts.findings };
};

describe("measured pairs", () => {
  it.each(cases.filter(({ cause }) => cause !== "none").map((one) => [one.id, one] as const))(
    "%s: the cause is first, with its cost within a factor of 1.5",
    async (_id, one) => {
      const { findings } = await judged(one.log);
      const [first] = findings;
      expect(first?.id).toBe(one.cause);
      expect(first?.severity).toBe("high");
      const gain = one.each?.[0]?.gainSeconds ?? one.trueGainSeconds;
      expect((first?.cost.seconds ?? 0) / gain).toBeGreaterThan(1 / 1.5);
      expect((first?.cost.seconds ?? 0) / gain).toBeLessThan(1.5);
    },
  );

  it.each(cases.filter(({ each }) => each !== undefined).map((one) => [one.id, one] as const))(
    "%s: the second cause is named as well, within a factor of 2",
    async (_id, { log, each = [] }) => {
      const { findings } = await judged(log);
      for (const { cause, gainSeconds } of each) {
        const found = findings.find(({ id }) => id === cause);
        expect(found?.cost.within ?? null).toBeNull();
        expect((found?.cost.seconds ?? 0) / gainSeconds).toBeGreaterThan(0.5);
        expect((found?.cost.seconds ?? 0) / gainSeconds).toBeLessThan(2);
      }
    },
  );

  it.each(cases.filter(({ cause }) => cause === "none").map((one) => [one.id, one] as const))(
    "%s: nothing is loud",
    async (_id, { log }) => {
      const { findings } = await judged(log);
      expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    },
  );

  it.each(cases.filter(({ mendedLog }) => mendedLog !== null).map((one) => [one.id, one] as const))(
    "%s: the cause is gone from the mended log",
    async (_id, { mendedLog, cause }) => {
      const { findings } = await judged(mendedLog as string);
      const loud = findings.filter(({ severity }) => severity === "high").map(({ id }) => id);
      expect(loud).not.toContain(cause);
    },
  );

  it.each(cases.map((one) => [one.id, one] as const))(
    "%s: costs never exceed the run, nor do all causes together",
    async (_id, { log }) => {
      const { findings, together, job } = await judged(log);
      for (const { cost } of findings) expect(cost.seconds ?? 0).toBeLessThanOrEqual(job.runSeconds);
      expect(together.seconds ?? 0).toBeLessThanOrEqual(job.runSeconds);
      const apart = findings.filter(({ cost }) => cost.within === null);
      const most = Math.max(0, ...apart.map(({ cost }) => cost.seconds ?? 0));
      expect(together.seconds ?? 0).toBeGreaterThanOrEqual(most - 1e-9);
    },
  );

  it.each([
    ["03a-records", "small stream calls: 97 % of all I/O"],
    ["04a-lookups", "go back: 50 % of all reads"],
    ["06a-epochs", "read: 8 times as much"],
    ["08a-snapshots", "files: 240 for each of the ranks"],
    ["12a-weaknode", "rank 2: 4 s, the mean 1.25 s"],
    ["14a-onecollector", "rank 0: all 101 MB"],
    ["18a-check", "read back: 100 % of written"],
    ["19a-hard", "misaligned: 99 % of all accesses"],
  ])("%s: the picture beside the headline shows the cause", async (id, label) => {
    const { figure, answers, findings } = await firstScreen(`${id}-flawed.darshan`);
    expect(answers?.finding).toBe(findings[0]?.id);
    expect((figure?.chart as CulpritChart | undefined)?.markLabel).toBe(label);
  });

  it.each([
    [
      "07a-scratch",
      /^The slowest rank spends 25 % of the run in I\/O that was timed; other calls come on top\.$/,
    ],
    ["08a-snapshots", /^The job uses 960 files of 32\.8 kB on average, with 960 syncs\.$/],
    ["19a-hard", /^Align accesses to 4 KiB$/],
    ["20a-reopen", /^1 file is opened 500,000 times\.$/],
  ])("%s: the first screen says what the counters say", async (id, expected) => {
    const { answers } = await firstScreen(`${id}-flawed.darshan`);
    const sentences = [...(answers?.lead ?? []), answers?.blame.text, answers?.change.text];
    expect(sentences.filter((one) => expected.test(one ?? ""))).toHaveLength(1);
  });

  it("does not take the time of stream calls for that of syncs where the longest write is not kept", async () => {
    const { figure } = await firstScreen("03a-records-mended.darshan");
    const items = (figure?.chart as CulpritChart | undefined)?.items ?? [];
    // One fsync of 14 ms below; 0.161 s are those of 2,000,000 stream calls with one flush.
    const of = (kind: string) => items.find(({ name }) => name === kind)?.value;
    expect(of("syncs")).toBeCloseTo(0.0143, 4);
    expect(of("writes")).toBeCloseTo(0.161, 3);
  });
});
