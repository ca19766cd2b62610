import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Slice, walk } from "./walk.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-walk-"));
  for (const name of ["a", "a/b", "c"]) mkdirSync(join(folder, name));
  for (let i = 0; i < 200; i++)
    writeFileSync(join(folder, ["", "a", "a/b", "c"][i % 4] as string, `log${i}`), "");
});
afterEach(() => rmSync(folder, { recursive: true }));

async function found(paths: readonly string[], slice?: Slice): Promise<string[]> {
  const list: string[] = [];
  for await (const { path } of walk(paths, slice)) list.push(path);
  return list;
}

describe("walking folders", () => {
  it("finds every file below, each once", async () => {
    const list = await found([folder]);
    expect(list.length).toBe(200);
    expect(new Set(list).size).toBe(200);
  });

  it("shares the files among slices without overlap, about evenly, wherever the folder is mounted", async () => {
    const parts = await Promise.all([1, 2, 3, 4].map((index) => found([folder], { index, of: 4 })));
    expect(parts.flat().sort()).toEqual((await found([folder])).sort());
    for (const part of parts) expect(part.length).toBeGreaterThan(25);
    const elsewhere = await found([`${folder}/.`], { index: 2, of: 4 });
    expect(elsewhere.length).toBe(parts[1]?.length);
  });

  it("follows links to files but not to folders, which could form circles", async () => {
    symlinkSync(join(folder, "a"), join(folder, "c", "circle"));
    symlinkSync(join(folder, "log0"), join(folder, "c", "linked"));
    symlinkSync(join(folder, "nowhere"), join(folder, "c", "dangling"));
    const list = await found([folder]);
    expect(list.length).toBe(201);
    expect(list).toContain(join(folder, "c", "linked"));
  });

  it("says that a file was named by the user", async () => {
    const named: boolean[] = [];
    for await (const one of walk([join(folder, "log0"), join(folder, "a", "b")])) named.push(one.named);
    expect(named.filter(Boolean).length).toBe(1);
    expect(named.length).toBe(51);
  });

  it("a path that is not there is an error", async () => {
    await expect(found([join(folder, "gone")])).rejects.toThrow(/ENOENT/);
  });
});
