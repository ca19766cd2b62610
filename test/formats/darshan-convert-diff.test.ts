/** A log and its own conversion say the same, from any version of the format; all logs at hand: the long test. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { convert, expectNoChange, FIXTURES, jsonOf, older, save, useSameFolder } from "./darshan-same.ts";

useSameFolder();

describe("no change between a log and its conversion", () => {
  const path = join(FIXTURES, "mpiio4_dxt.darshan");
  const bytes = readFileSync(path);

  it("of the current format", async () => {
    await expectNoChange(path);
  });

  it.each([10, 20, 21] as const)("of format 3.%i", async (minor) => {
    await expectNoChange(save(`older-${minor}.darshan`, older(bytes, minor)));
  });

  it("of a job of one second, and of one that has no end", async () => {
    const runSecondsOf = async (name: string, end: bigint) => {
      const from = save(name, older(bytes, 21, { start: 1_700_000_000n, end }));
      await expectNoChange(from);
      const copy = await convert(from);
      // Converting again changes nothing more.
      expect(readFileSync(await convert(copy))).toEqual(readFileSync(copy));
      return (await jsonOf("report", copy)).job.runSeconds;
    };
    expect(await runSecondsOf("second.darshan", 1_700_000_000n)).toBe(1);
    expect(await runSecondsOf("unfinished.darshan", 0n)).toBe(null);
  });

  it("of a command line that is cut because the job record of the current format is longer", async () => {
    const long = older(bytes, 21, { commandLine: `app ${"x".repeat(3016)}<TRUNCATED>` });
    await expectNoChange(save("long-command.darshan", long));
  });
});
