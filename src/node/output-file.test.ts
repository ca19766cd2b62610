import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Random } from "../base/prng.ts";
import { createOutput, temporaryPath, writeOutput } from "./output-file.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-output-"));
  path = join(folder, "result.bin");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const random = new Random(3);
const content = (length: number) => Buffer.from(Uint8Array.from({ length }, () => random.below(256)));

describe("an output file", () => {
  it("has nothing under its name until it is committed, then all of it and nothing else", () => {
    const output = createOutput(path);
    const pieces = [content(10), content(200_000), content(0), content(100_000), content(1)];
    for (const piece of pieces) {
      output.append(piece);
      expect(existsSync(path)).toBe(false);
    }
    expect(existsSync(temporaryPath(path))).toBe(true);
    expect(readdirSync(folder)).toHaveLength(1);
    output.commit();
    expect(readFileSync(path).equals(Buffer.concat(pieces))).toBe(true);
    expect(readdirSync(folder)).toEqual(["result.bin"]);
  });

  for (const size of [0, 1, 262_143, 262_144, 262_145, 1_000_000]) {
    it(`holds ${size} bytes between other bytes, in order`, () => {
      const output = createOutput(path);
      const pieces = [content(100), content(size), content(5), content(size), content(7)];
      for (const piece of pieces) output.append(piece);
      output.commit();
      expect(readFileSync(path).equals(Buffer.concat(pieces))).toBe(true);
    });
  }

  it("holds thousands of small pieces in order", () => {
    const output = createOutput(path);
    const pieces = Array.from({ length: 5000 }, (_, index) => content(index % 211));
    for (const piece of pieces) output.append(piece);
    output.commit();
    expect(readFileSync(path).equals(Buffer.concat(pieces))).toBe(true);
  });

  it("keeps what was appended although its bytes change afterwards", () => {
    const output = createOutput(path);
    const piece = Buffer.from("first");
    output.append(piece);
    piece.fill(0);
    output.commit();
    expect(readFileSync(path, "utf8")).toBe("first");
  });

  it("writes over its start and goes on at its end", () => {
    const output = createOutput(path);
    output.append(Buffer.from("........body"));
    output.replaceStart(Buffer.from("HEAD"));
    output.append(Buffer.from(" and more"));
    output.replaceStart(Buffer.from("head"));
    output.commit();
    expect(readFileSync(path, "utf8")).toBe("head....body and more");
  });

  it("writes over the start of a file larger than its buffer", () => {
    const output = createOutput(path);
    const body = content(600_000);
    output.append(body);
    output.append(body.subarray(0, 10));
    output.replaceStart(Buffer.alloc(1328, 7));
    output.commit();
    const expected = Buffer.concat([Buffer.alloc(1328, 7), body.subarray(1328), body.subarray(0, 10)]);
    expect(readFileSync(path).equals(expected)).toBe(true);
  });

  it("that is aborted leaves nothing, and what had the name stays as it was", () => {
    writeFileSync(path, "old");
    const output = createOutput(path);
    output.append(content(500_000));
    expect(readFileSync(path, "utf8")).toBe("old");
    output.abort();
    output.abort();
    expect(readdirSync(folder)).toEqual(["result.bin"]);
    expect(readFileSync(path, "utf8")).toBe("old");
  });

  it("that is committed takes the place of what had the name", () => {
    writeFileSync(path, "old and longer");
    const output = createOutput(path);
    output.append(Buffer.from("new"));
    output.commit();
    expect(readFileSync(path, "utf8")).toBe("new");
  });

  it("under a link goes where the link leads, and the link stays", () => {
    const real = join(folder, "real");
    writeFileSync(real, "old");
    symlinkSync(real, path);
    writeOutput(path, "new");
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toBe("new");
    expect(readdirSync(folder).sort()).toEqual(["real", "result.bin"]);
  });

  it("goes into a pipe whole, start included, and the pipe stays", async () => {
    spawnSync("mkfifo", [path]);
    const reader = spawn("cat", [path]);
    const read = text(reader.stdout);
    const output = createOutput(path);
    output.append(Buffer.from("....body"));
    output.replaceStart(Buffer.from("HEAD"));
    output.commit();
    expect(await read).toBe("HEADbody");
    expect(lstatSync(path).isFIFO()).toBe(true);
    expect(existsSync(temporaryPath(path))).toBe(false);
  });

  it("on a full device fails, and the device stays", () => {
    const before = lstatSync("/dev/full");
    expect(() => writeOutput("/dev/full", "x")).toThrow(expect.objectContaining({ code: "ENOSPC" }));
    expect(lstatSync("/dev/full").rdev).toBe(before.rdev);
    expect(existsSync(temporaryPath("/dev/full"))).toBe(false);
  });

  it("that is aborted after its commit stays", () => {
    const output = createOutput(path);
    output.append(Buffer.from("done"));
    output.commit();
    output.abort();
    expect(readFileSync(path, "utf8")).toBe("done");
  });

  it("that cannot take its name says so, and can be aborted", () => {
    mkdirSync(path);
    const output = createOutput(path);
    output.append(Buffer.from("x"));
    expect(() => output.commit()).toThrow();
    output.abort();
    expect(readdirSync(folder)).toEqual(["result.bin"]);
  });

  it("in a folder that does not exist is an error at once", () => {
    expect(() => createOutput(join(folder, "none", "x"))).toThrow(
      expect.objectContaining({ code: "ENOENT" }),
    );
  });

  it("two at once under different names do not mix", () => {
    const [a, b] = [createOutput(path), createOutput(`${path}2`)];
    for (let i = 0; i < 100; i++) {
      a.append(Buffer.from(`a${i} `));
      b.append(Buffer.from(`b${i} `));
    }
    a.commit();
    b.commit();
    const expected = (letter: string) => Array.from({ length: 100 }, (_, i) => `${letter}${i} `).join("");
    expect(readFileSync(path, "utf8")).toBe(expected("a"));
    expect(readFileSync(`${path}2`, "utf8")).toBe(expected("b"));
  });
});
