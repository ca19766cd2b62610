// Failures of fsync are never swallowed, unless the file system cannot sync folders at all.
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import {
  fileSynced,
  fileWritten,
  folderSynced,
  PART,
  syncFile,
  syncFolder,
  wholeWritten,
  writeWhole,
} from "./durable.ts";
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

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  return {
    ...real,
    async open(path: string, flags: string) {
      const handle = await real.open(path, flags);
      const { code } = fault;
      if (code !== undefined)
        handle.sync = async () => {
          throw Object.assign(new Error(`${code}: fsync`), { code, syscall: "fsync" });
        };
      return handle;
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

it("the same holds while other things go on", async () => {
  await folderSynced(folder);
  const path = join(folder, "synced");
  writeWhole(path, "text");
  await fileSynced(path);
  for (const code of ["EIO", "ENOSPC", "EDQUOT"]) {
    fault.code = code;
    await expect(folderSynced(folder)).rejects.toMatchObject({ code, path: folder });
  }
  fault.code = "EINVAL";
  await folderSynced(folder);
  // A file can always be synced.
  await expect(fileSynced(path)).rejects.toMatchObject({ code: "EINVAL", path });
  await expect(folderSynced(join(folder, "nowhere"))).rejects.toThrow(/ENOENT/);
  rmSync(path);
});

it("a file is written whole, or is as it was before", () => {
  const path = join(folder, "whole");
  writeWhole(path, "one", { mode: 0o600 });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const seen: string[] = [];
  const stop = () => {
    seen.push(...readdirSync(folder));
    throw new Error("stopped");
  };
  expect(() => writeWhole(path, "two", { beforeRename: stop })).toThrow("stopped");
  expect(seen.filter((name) => PART.test(name))).toHaveLength(1);
  expect(readFileSync(path, "utf8")).toBe("one");
  fault.code = "EIO";
  writeWhole(path, Buffer.from("two"), { sync: false });
  expect(() => writeWhole(path, "three")).toThrow(expect.objectContaining({ code: "EIO", path: folder }));
  expect(readFileSync(path, "utf8")).toBe("three");
  expect(readdirSync(folder)).toEqual(["whole"]);
  rmSync(path);
});

it("a failure while other things go on leaves no draft", async () => {
  const path = join(folder, "plan");
  await wholeWritten(path, "one");
  expect(await fileWritten(join(folder, "own"), "two")).toBe(String(statSync(join(folder, "own")).ino));
  rmSync(join(folder, "own"));
  for (const code of ["EIO", "ENOSPC", "EINVAL"]) {
    fault.code = code;
    await expect(wholeWritten(path, "three")).rejects.toMatchObject({ code });
    await expect(fileWritten(join(folder, "own"), "three")).rejects.toMatchObject({ code });
  }
  fault.code = undefined;
  await expect(wholeWritten(folder, "four")).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readFileSync(path, "utf8")).toBe("one");
  expect(readdirSync(folder)).toEqual(["plan"]);
  expect(readdirSync(dirname(folder)).filter((name) => name.startsWith(basename(folder)))).toHaveLength(1);
  rmSync(path);
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
