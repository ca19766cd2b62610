/** Several ingests of the same counter samples and jobs at once, by the real command. */

import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { program } from "../collect/kit.ts";
import { contents, folder, ingested, plant, plimsoll, samples, useFolder } from "./system-kit.ts";

useFolder();

describe("at once", () => {
  it("several ingests of the same samples and jobs store them once", async () => {
    plant("raw", 40, 7);
    samples("once-samples");
    const paths = ["raw", "once-samples"];
    expect(ingested("one", ...paths).code).toBe(0);
    const run = () => {
      const words = [program, "ingest", ...paths, "--store", "three", "--threads", "2"];
      const child = spawn(process.execPath, words, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
      let said = "";
      child.stderr.on("data", (text) => {
        said += text;
      });
      return new Promise<{ code: number | null; said: string }>((resolve) =>
        child.on("close", (code) => resolve({ code, said })),
      );
    };
    const ends = await Promise.all([run(), run(), run()]);
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    for (const { said } of ends)
      if (said !== "")
        expect(said).toMatch(/another ingest stores counters or jobs \(process \d+ on this machine\)/);
    expect(await contents("three")).toEqual(await contents("one"));
    expect(plimsoll("store", "check", "three").code).toBe(0);
  }, 120_000);
});
