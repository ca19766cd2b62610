import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isOpenMpi, mpiLibrary } from "./mpi.ts";

it("tells Open MPI's launcher from others, and from none", () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-mpi-"));
  const launcher = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\necho "${text}"\n`);
    chmodSync(path, 0o755);
    return path;
  };
  expect(isOpenMpi(launcher("one", "mpiexec (OpenRTE) 4.1.4"))).toBe(true);
  expect(isOpenMpi(launcher("two", "HYDRA build details:"))).toBe(false);
  expect(isOpenMpi(join(folder, "three"))).toBeUndefined();
  rmSync(folder, { recursive: true });
});

it("names the library and its version", () => {
  expect(mpiLibrary("MPICH Version:      4.0.2\nMPICH Release date: today")).toBe("MPICH 4.0.2");
  expect(mpiLibrary("Open MPI v4.1.4, package: Debian")).toBe("Open MPI 4.1.4");
  expect(mpiLibrary("Intel(R) MPI Library 2021.9\nmore")).toBe("Intel(R) MPI Library 2021.9");
});
