/** Findings on logs of real programs whose flaw and gain are known by measurement (test/fixtures/pathologies). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readJob } from "../../src/inputs/node.ts";

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
});
