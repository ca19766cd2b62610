import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { attempt } from "../cli/test-kit.ts";
import { createOutput, temporaryPath } from "./output-file.ts";
import { appendFile, writeFile } from "./write-file.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-full-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file whose disk is full: every write to it fails, its name does not tell. */
function full(path: string): string {
  symlinkSync("/dev/full", path);
  return path;
}

describe("a full disk", () => {
  it.each([
    ["written at once", (path: string) => writeFile(full(path), "text")],
    ["added to", (path: string) => appendFile(full(path), "text")],
    [
      "written piece by piece",
      (path: string) => {
        full(temporaryPath(path));
        const output = createOutput(path);
        output.append(new Uint8Array(10));
        output.commit();
      },
    ],
  ])("is told with the name of the file that is %s", async (how, write) => {
    const path = join(folder, how);
    const { code, err } = await attempt(() => write(path));
    expect({ code, err }).toEqual({ code: 1, err: `plimsoll: cannot write ${path}: no space left\n` });
  });

  it("is told with the name that the folder of results will have", async () => {
    const work = join(folder, `study.part-${process.pid}`);
    mkdirSync(work);
    const { err } = await attempt(() => writeFile(full(join(work, "runs.csv")), "text"));
    expect(err).toBe(`plimsoll: cannot write ${join(folder, "study/runs.csv")}: no space left\n`);
  });
});
