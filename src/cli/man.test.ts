import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { commands } from "./index.ts";
import { manPages } from "./man.ts";

describe("pages for man", async () => {
  const pages = await manPages(commands);

  it("are one for each command and one for all", () => {
    expect(pages.map(({ file }) => file)).toContain("plimsoll.1");
    expect(pages.length).toBe(commands.length + 1);
    expect(new Set(pages.map(({ file }) => file)).size).toBe(pages.length);
  });

  it("are read by groff without a warning, and say what the commands say", () => {
    for (const { file, text } of pages) {
      const { stdout, stderr, status } = spawnSync(
        "groff",
        ["-man", "-ww", "-Tutf8", "-P-bcou", "-rLL=100n"],
        {
          input: text,
          encoding: "utf8",
        },
      );
      expect([file, status, stderr]).toEqual([file, 0, ""]);
      expect(stdout).toContain("SYNOPSIS");
    }
    const parse = pages.find(({ file }) => file === "plimsoll-darshan-parse.1")?.text ?? "";
    expect(parse).toContain("\\-\\-keep\\-going");
    expect(parse).toContain("print the counters of a Darshan log");
  });
});
