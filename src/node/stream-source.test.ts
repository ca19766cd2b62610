import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FormatError } from "../base/errors.ts";
import { openStream } from "./stream-source.ts";

const BYTES = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 251);
let folder: string;
let path: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-stream-"));
  path = join(folder, "bytes");
  writeFileSync(path, BYTES);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a stream as a source", () => {
  it("gives the bytes in order, again from where it was, and ends", () => {
    const source = openStream(path);
    expect(source.byteLength).toBe(Number.POSITIVE_INFINITY);
    expect(source.read(0, 100)).toEqual(BYTES.subarray(0, 100));
    expect(Buffer.from(source.read(0, 200_000)).equals(BYTES.subarray(0, 200_000))).toBe(true);
    expect(source.read(150_000, 100)).toEqual(BYTES.subarray(150_000, 150_100));
    const reuse = new Uint8Array(200);
    const piece = source.read(150_050, 200, reuse);
    expect(piece).toEqual(BYTES.subarray(150_050, 150_250));
    expect(piece.buffer).toBe(reuse.buffer);
    expect(() => source.read(150_000, 1)).toThrow(/has passed; a pipe cannot go back/);
    expect(source.read(299_990, 100)).toEqual(BYTES.subarray(299_990));
    expect(source.read(400_000, 100).length).toBe(0);
    source.close();
    source.close();
  });

  it("may be taken whole, up to a bound", () => {
    const source = openStream(path);
    source.read(0, 4096);
    const whole = source.whole(1 << 30);
    expect(whole.byteLength).toBe(BYTES.length);
    expect(Buffer.from(whole.read(0, 1e6)).equals(BYTES)).toBe(true);
    source.close();
    const again = openStream(path);
    expect(() => again.whole(1000)).toThrow(FormatError);
    again.close();
  });

  it("waits for a pipe that is slow", () => {
    // A shell pipe: the second half comes later.
    const program = `
      import { openStream } from ${JSON.stringify(new URL("./stream-source.ts", import.meta.url).pathname)};
      const source = openStream("/dev/stdin");
      let text = "";
      for (let at = 0; ; ) {
        const piece = source.read(at, 4);
        text += Buffer.from(piece).toString();
        at += piece.length;
        if (piece.length < 4) break;
      }
      console.log(text);
    `;
    const script = join(folder, "slow.ts");
    writeFileSync(script, program);
    const bundle = join(folder, "slow.mjs");
    const esbuild = new URL("../../node_modules/.bin/esbuild", import.meta.url).pathname;
    const built = spawnSync(esbuild, [
      script,
      "--bundle",
      "--platform=node",
      "--format=esm",
      `--outfile=${bundle}`,
    ]);
    expect(built.status).toBe(0);
    const run = spawnSync("sh", ["-c", `(printf abcde; sleep 0.2; printf fghij) | node ${bundle}`], {
      encoding: "utf8",
    });
    expect(run.stdout).toBe("abcdefghij\n");
  });
});
