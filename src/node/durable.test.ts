// Failures of fsync are never swallowed, unless the file system cannot sync folders at all.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { syncFile, syncFolder } from "./durable.ts";
import { createOutput } from "./output-file.ts";

const fault = vi.hoisted(() => ({ code: undefined as string | undefined }));
vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  return {
    ...real,
    fsyncSync(descriptor: number) {
      if (fault.code !== undefined && real.fstatSync(descriptor).isDirectory())
        throw Object.assign(new Error(`${fault.code}: fsync`), { code: fault.code, syscall: "fsync" });
      real.fsyncSync(descriptor);
    },
  };
});

const folder = mkdtempSync(join(tmpdir(), "plimsoll-durable-"));
afterEach(() => {
  fault.code = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("a folder that cannot be synced is an error with its name; one that no sync exists for is not", () => {
  syncFolder(folder);
  for (const code of ["EIO", "ENOSPC", "EDQUOT"]) {
    fault.code = code;
    expect(() => syncFolder(folder)).toThrow(expect.objectContaining({ code, path: folder }));
  }
  for (const code of ["EINVAL", "ENOTSUP"]) {
    fault.code = code;
    syncFolder(folder);
  }
  expect(() => syncFolder(join(folder, "nowhere"))).toThrow(/ENOENT/);
  expect(() => syncFile(join(folder, "nowhere"))).toThrow(/ENOENT/);
});

it("an output whose name may be lost fails, though the file is there", () => {
  const path = join(folder, "out");
  const output = createOutput(path);
  output.append(Buffer.from("whole"));
  fault.code = "EIO";
  expect(() => output.commit()).toThrow(expect.objectContaining({ code: "EIO", path: folder }));
  expect(readFileSync(path, "utf8")).toBe("whole");
  expect(readdirSync(folder)).toEqual(["out"]);
});
