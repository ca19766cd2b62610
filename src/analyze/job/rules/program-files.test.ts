/** Files of the program itself: modules that an interpreter loads. */
import { describe, expect, it } from "vitest";
import { posix } from "../../../formats/darshan/modules/index.ts";
import { judge } from "../judge.ts";
import { environmentOf, isProgramPath } from "../program-files.ts";
import { countersJob } from "./test-kit.ts";

const ENVIRONMENT = "/home/alice/envs/run7";
const MODULES = 400;

/** A process that loads modules for 40 of 100 s, in small reads, and little else. */
const loading = (folder: string) =>
  countersJob(
    1,
    Array.from({ length: MODULES }, (_, at) => ({
      module: posix,
      path: `${folder}/module${at}.pyc`,
      rank: 0,
      values: {
        ...{ OPENS: 1, STATS: 3, READS: 20, BYTES_READ: 20_000, MAX_BYTE_READ: 19_999, SIZE_READ_100_1K: 20 },
        ...{ F_META_TIME: 0.1, F_READ_TIME: 0.002 },
      },
    })),
  );

describe("modules of an interpreter", () => {
  const { findings } = judge(loading(`${ENVIRONMENT}/lib/python3.11/site-packages/numpy`));

  it("are put into an image, not into fewer or larger calls", () => {
    expect(findings.map(({ id }) => id)).toEqual(["metadata-time"]);
    const [finding] = findings;
    expect(finding?.advice).toMatch(/^Start the program from an image of its environment/);
    expect(finding?.snippet).toMatchObject({
      language: "shell",
      code: expect.stringContaining(`mksquashfs ${ENVIRONMENT} environment.squashfs`),
    });
    expect(finding?.snippet?.code).not.toContain("MPI");
  });

  it("are told from data by their names", () => {
    for (const path of [
      "/usr/lib/libm.so.6",
      "/opt/app/x.jar",
      `${ENVIRONMENT}/lib/python3.11/os.py`,
      "/a/__pycache__/x.cpython-38.pyc",
    ])
      expect([path, isProgramPath(path)]).toEqual([path, true]);
    for (const path of ["/scratch/run/data.h5", "/scratch/solver/out.dat", "/scratch/python/input.bin"])
      expect([path, isProgramPath(path)]).toEqual([path, false]);
  });

  it("belong to the environment above their library", () => {
    expect(environmentOf(`${ENVIRONMENT}/lib/python3.11/site-packages/a/b.pyc`)).toBe(ENVIRONMENT);
    expect(environmentOf("/opt/app/x.jar")).toBe("/opt/app");
  });
});
