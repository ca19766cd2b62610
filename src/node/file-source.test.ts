import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "../base/prng.ts";
import { openFile, withFile } from "./file-source.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-source-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const random = new Random(1);
const content = (length: number) => Uint8Array.from({ length }, () => random.below(256));
const store = (name: string, bytes: Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};
const same = (found: Uint8Array, expected: Uint8Array) => Buffer.compare(found, expected) === 0;

/** A named pipe that gives `bytes`; `openFile` waits until the child opens it. */
function pipeWith(name: string, bytes: Uint8Array): { path: string; done: Promise<unknown> } {
  const path = join(folder, name);
  expect(spawnSync("mkfifo", [path]).status).toBe(0);
  const from = store(`${name}.content`, bytes);
  const child = spawn("sh", ["-c", 'cat "$1" > "$2"', "sh", from, path], { stdio: "ignore" });
  return { path, done: new Promise((resolve) => child.on("exit", resolve)) };
}

const BIG = 5 * 2 ** 20 + 12_345;

describe("a file as a source", () => {
  for (const size of [0, 1, 65_535, 65_536, 65_537, 300_000, 4 * 2 ** 20, 4 * 2 ** 20 + 1, BIG]) {
    it(`of ${size} bytes gives its bytes from anywhere`, () => {
      const bytes = content(size);
      const path = store(`file-${size}`, bytes);
      withFile(path, (source) => {
        expect(source.name).toBe(path);
        expect(source.byteLength).toBe(size);
        expect(same(source.read(0, size), bytes)).toBe(true);
        for (const [offset, length] of [
          [0, 1],
          [size >> 1, 1000],
          [Math.max(0, size - 3), 3],
          [1, 0],
        ] as const) {
          expect(same(source.read(offset, length), bytes.subarray(offset, offset + length))).toBe(true);
        }
      });
    });

    it(`of ${size} bytes gives fewer at its end and none behind it`, () => {
      const path = store(`file-${size}`, content(size));
      withFile(path, (source) => {
        expect(source.read(Math.max(0, size - 2), 100).length).toBe(Math.min(2, size));
        expect(source.read(size, 10).length).toBe(0);
        expect(source.read(size + 5, 10).length).toBe(0);
        expect(source.read(2 ** 40, 2 ** 40).length).toBe(0);
      });
    });
  }

  it("gives its beginning first, then the rest, whether it is held in memory or not", () => {
    const bytes = content(300_000);
    const path = store("beginning", bytes);
    for (const wholeBytesMax of [undefined, 0]) {
      const source = openFile(path, wholeBytesMax);
      expect(same(source.read(0, 4096), bytes.subarray(0, 4096))).toBe(true);
      expect(same(source.read(4000, 200), bytes.subarray(4000, 4200))).toBe(true);
      expect(same(source.read(0, 4096), bytes.subarray(0, 4096))).toBe(true);
      expect(source.byteLength).toBe(300_000);
      // What is held in memory is the same memory each time.
      const shared = source.read(0, 10).buffer === source.read(200_000, 10).buffer;
      expect(shared).toBe(wholeBytesMax === undefined);
      source.close();
    }
  });

  it("that is large fills the memory that is given back, when it is long enough", () => {
    const bytes = content(BIG);
    const path = store("reused", bytes);
    withFile(path, (source) => {
      const first = source.read(0, 1000);
      const second = source.read(2000, 1000, first);
      expect(second.buffer).toBe(first.buffer);
      expect(same(second, bytes.subarray(2000, 3000))).toBe(true);
      const longer = source.read(4000, 2000, first);
      expect(longer.buffer).not.toBe(first.buffer);
      expect(same(longer, bytes.subarray(4000, 6000))).toBe(true);
      const shorter = source.read(BIG - 10, 1000, first);
      expect(same(shorter, bytes.subarray(BIG - 10))).toBe(true);
    });
  });

  it("that is large keeps earlier reads as they were", () => {
    const bytes = content(BIG);
    const path = store("kept", bytes);
    withFile(path, (source) => {
      const first = source.read(10, 1000);
      source.read(500_000, 1000);
      expect(same(first, bytes.subarray(10, 1010))).toBe(true);
    });
  });

  it("that is large and became shorter gives what is left", () => {
    const bytes = content(BIG);
    const path = store("shrunk", bytes);
    const source = openFile(path);
    try {
      writeFileSync(path, bytes.subarray(0, 1000));
      expect(same(source.read(900, 500), bytes.subarray(900, 1000))).toBe(true);
      expect(source.read(2000, 10).length).toBe(0);
    } finally {
      source.close();
    }
  });

  it("keeps the length it had when it was opened", () => {
    const path = store("grown", content(100));
    withFile(path, (source) => {
      appendFileSync(path, "more");
      expect(source.byteLength).toBe(100);
      expect(source.read(0, 1000).length).toBe(100);
    });
  });

  it("two small ones open at once do not share memory, whatever the order they are closed in", () => {
    const [a, b, c] = [content(5000), content(5000), content(60_000)];
    const paths = [store("a", a), store("b", b), store("c", c)] as const;
    for (let round = 0; round < 3; round++) {
      const one = openFile(paths[0]);
      const two = openFile(paths[1]);
      const view = two.read(0, 5000);
      expect(same(one.read(0, 5000), a)).toBe(true);
      one.close();
      one.close();
      const three = openFile(paths[2]);
      const four = openFile(paths[0]);
      expect(same(three.read(0, 60_000), c)).toBe(true);
      expect(same(view, b)).toBe(true);
      expect(same(four.read(0, 5000), a)).toBe(true);
      for (const source of round === 0 ? [two, three, four] : [four, three, two]) source.close();
    }
  });

  it("gives nothing after it was closed, and its name and length stay", () => {
    const path = store("closed", content(10));
    const source = openFile(path);
    source.close();
    expect(source.read(0, 10).length).toBe(0);
    expect(source.byteLength).toBe(10);
  });

  it("is closed when its user fails", () => {
    const path = store("failing", content(10));
    let after: (() => number) | undefined;
    expect(() =>
      withFile(path, (source) => {
        after = () => source.read(0, 10).length;
        throw new Error("enough");
      }),
    ).toThrow("enough");
    expect(after?.()).toBe(0);
  });
});

describe("what is not a plain file", () => {
  it("a pipe is read to its end", async () => {
    for (const size of [0, 10, 65_536, 200_000, BIG]) {
      const bytes = content(size);
      const { path, done } = pipeWith(`pipe-${size}`, bytes);
      withFile(path, (source) => {
        expect(source.byteLength).toBe(size);
        expect(same(source.read(0, size), bytes)).toBe(true);
        expect(same(source.read(size >> 1, 7), bytes.subarray(size >> 1, (size >> 1) + 7))).toBe(true);
        expect(source.read(size, 1).length).toBe(0);
      });
      await done;
    }
  });

  it("a pipe does not lend its memory to the files that come after it", async () => {
    // Node may serve small buffers out of a common pool, and releases differ in the size of that pool.
    const before = Buffer.poolSize;
    Buffer.poolSize = 64 << 10;
    try {
      // A new pool of that size begins once the old one is used up.
      for (let i = 0; i < 20; i++) Buffer.allocUnsafe(4000);
      const { path, done } = pipeWith("pipe-pool", content(50));
      // The first file takes the memory that is kept ready, so that the pipe's would be put in its place.
      const holder = openFile(store("holder", content(10)));
      openFile(path).close();
      const neighbour = Buffer.from("a".repeat(3000));
      const files = [1, 2].map((i) => openFile(store(`later-${i}`, new Uint8Array(65_536).fill(0x62))));
      expect(neighbour.toString()).toBe("a".repeat(3000));
      for (const file of [holder, ...files]) file.close();
      await done;
    } finally {
      Buffer.poolSize = before;
    }
  });

  it("standard input of a process can be read by its path", () => {
    const script = `
      import { openFile } from ${JSON.stringify(new URL("./file-source.ts", import.meta.url).href)};
      const source = openFile("/dev/stdin");
      process.stdout.write(source.byteLength + " " + Buffer.from(source.read(2, 3)).toString());
    `;
    const esbuild = join(process.cwd(), "node_modules", ".bin", "esbuild");
    const built = spawnSync(esbuild, ["--bundle", "--platform=node", "--format=esm", "--loader=ts"], {
      input: script.replace(/file:\/\//, ""),
      encoding: "utf8",
    });
    expect(built.stderr).toBe("");
    const program = join(folder, "stdin.mjs");
    writeFileSync(program, built.stdout);
    const run = spawnSync("sh", ["-c", 'printf abcdefgh | "$1" "$2"', "sh", process.execPath, program], {
      encoding: "utf8",
    });
    expect(run.stderr).toBe("");
    expect(run.stdout).toBe("8 cde");
  });

  it("a folder is an error of the system that names it", () => {
    expect(() => openFile(folder)).toThrow(expect.objectContaining({ code: "EISDIR", path: folder }));
  });

  it("a missing file is an error of the system that names it", () => {
    const path = join(folder, "nobody");
    expect(() => openFile(path)).toThrow(expect.objectContaining({ code: "ENOENT", path }));
  });

  it("an error leaves no open file behind", () => {
    // A new descriptor gets the lowest free number, so a file left open would push it up.
    const next = () => {
      const descriptor = openSync(folder, "r");
      closeSync(descriptor);
      return descriptor;
    };
    const before = next();
    for (let i = 0; i < 10; i++) expect(() => openFile(folder)).toThrow();
    expect(next()).toBe(before);
  });
});
