import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { makeFolder, sortedNames } from "./folders.ts";

const root = mkdtempSync(join(tmpdir(), "plimsoll-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it("makes all folders of a path, with the mode asked for, and leaves those that are there", () => {
  makeFolder(join(root, "a/b/c"), 0o700);
  expect(statSync(join(root, "a/b/c")).mode & 0o777).toBe(0o700);
  makeFolder(join(root, "a/b/c"));
  expect(statSync(join(root, "a/b/c")).mode & 0o777).toBe(0o700);
});

it("ends where no folder can be made", () => {
  expect(() => makeFolder("/proc/plimsoll/nowhere")).toThrow(/ENOENT|EACCES|EPERM/);
  writeFileSync(join(root, "file"), "");
  expect(() => makeFolder(join(root, "file/below"))).toThrow(/ENOTDIR/);
  expect(existsSync(join(root, "file/below"))).toBe(false);
});

it("lists the names in a folder in order, and none where there is no folder", () => {
  makeFolder(join(root, "d/b"));
  writeFileSync(join(root, "d/a"), "");
  expect(sortedNames(join(root, "d"))).toEqual(["a", "b"]);
  expect(sortedNames(join(root, "missing"))).toEqual([]);
  expect(() => sortedNames(join(root, "d/a"))).toThrow(/ENOTDIR/);
});
