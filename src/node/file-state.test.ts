import {
  appendFileSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openFile } from "./file-source.ts";
import { compareState, type FileState } from "./file-state.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-state-"));
const path = join(folder, "file");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([10, 100_000, 5_000_000])("a file of %i bytes is the same until somebody touches it", (bytes) => {
  const changes: (readonly [() => void, "changed" | "gone"])[] = [
    [() => appendFileSync(path, "x"), "changed"],
    [() => rmSync(path), "gone"],
    [() => linkSync(path, join(folder, `${bytes}.link`)), "changed"],
  ];
  for (const [change, verdict] of changes) {
    writeFileSync(path, Buffer.alloc(bytes));
    const source = openFile(path);
    const state = source.state as FileState;
    expect(state.size).toBe(bytes);
    source.read(0, bytes);
    expect(source.hasChanged()).toBe(false);
    expect(compareState(path, state)).toBe("same");
    change();
    expect(source.hasChanged()).toBe(true);
    expect(compareState(path, state)).toBe(verdict);
    source.close();
  }
});

it("another file in its place is a change, though what was opened stays as it was", () => {
  writeFileSync(path, "one");
  const source = openFile(path);
  writeFileSync(`${path}.new`, readFileSync(path));
  renameSync(`${path}.new`, path);
  expect(compareState(path, source.state as FileState)).toBe("changed");
  source.close();
});

it("what has no size has no state", () => {
  for (const name of ["/proc/self/status", "/dev/null"]) {
    const source = openFile(name);
    expect(source.state).toBeUndefined();
    expect(source.hasChanged()).toBe(false);
    source.close();
  }
});
