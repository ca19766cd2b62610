/** io_uring: what goes through liburing or syscall() is recorded with its bytes; what does not is counted. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { unseenNotes } from "../../src/record/unseen.ts";
import { metadataLine, Workshop, writtenAndRead, WRITE_FLAG } from "./kit.ts";

const shop = new Workshop();
afterAll(() => shop.remove());
const hasLibrary = existsSync("/usr/include/liburing.h");
const program = hasLibrary ? shop.build("uring", { flags: ["-Wl,--no-as-needed", "-luring"] }) : "";
let folders = 0;
function newFolder(): string {
  const folder = shop.path(`place-${++folders}`);
  mkdirSync(folder);
  return folder;
}
// Not every machine allows it.
const isAllowed = hasLibrary && spawnSync(program, ["metadata", newFolder()]).status === 0;
const hasFio = spawnSync("fio", ["--version"]).status === 0;

async function record(way: string) {
  const place = newFolder();
  const plain = spawnSync(program, [way, newFolder()], { encoding: "utf8" });
  expect(plain.status, plain.stderr).toBe(0);
  const run = await shop.record([program, way, place]);
  expect(run.exitCode).toBe(0);
  const [a = 0, b = 0, c = 0] = plain.stdout.trim().split(" ").map(Number);
  const truth = {
    a: { read: 0, written: a },
    b: { read: 0, written: b },
    c: { read: c, written: 0 },
  };
  return { ...run, place, truth, bytes: writtenAndRead(run.accesses, place) };
}

describe.runIf(isAllowed)("io_uring by liburing", () => {
  it.each(["wait", "inline", "left", "fixed", "sqpoll", "raw"])(
    "%s: every request once, with the bytes and offset that the program has",
    async (way) => {
      const { bytes, truth, accesses, place, folder } = await record(way);
      expect(bytes).toEqual(truth);
      expect(accesses).toHaveLength(16 * 20);
      expect(unseenNotes(folder)).toEqual([]);
      const on = (name: string) => accesses.filter(({ path }) => path === join(place, name));
      // Every third of 16 requests a round, one block on each.
      const places = [...Array(320).keys()].filter((i) => (i % 16) % 3 === 0).map((i) => i * 4096);
      expect(on("a").map(({ offset }) => offset)).toEqual(expect.arrayContaining(places));
      expect(new Set(on("a").map(({ offset }) => offset)).size).toBe(places.length);
      expect(on("b").every(({ bytes: asked, flags }) => asked === 150 && (flags & WRITE_FLAG) !== 0)).toBe(
        true,
      );
      expect(on("c").every(({ bytes: asked }) => asked === 4096)).toBe(true);
      for (const { startNs, endNs } of accesses) expect(endNs).toBeGreaterThanOrEqual(startNs);
    },
  );

  it("writes to the end of a file opened to append have no offset that would be wrong", async () => {
    const { accesses, place } = await record("append");
    const appended = accesses.filter(({ path }) => path === join(place, "b"));
    expect(appended.every(({ offset }) => Number.isNaN(offset))).toBe(true);
  });

  it("opens, syncs, stats and names are metadata calls, and what the kernel refuses does no harm", async () => {
    const place = newFolder();
    const { accesses, metadata, exitCode } = await shop.record([program, "metadata", place]);
    expect(exitCode).toBe(0);
    const lines = metadata
      .filter(({ path }) => path.startsWith(place))
      .map(({ operation, path, flags }) => metadataLine(operation, path.replace(`${place}/`, ""), flags));
    expect(lines).toEqual([
      ...["open new", "sync new", "stat new", "close new", "other new", "other renamed", "open! renamed"],
    ]);
    const own = accesses.filter(({ path }) => path === join(place, "new"));
    expect(own.map(({ moved }) => moved)).toEqual([1000, 24]);
    // The first one was written where the position was, which nobody has told.
    expect(own.map(({ offset }) => offset)).toEqual([Number.NaN, 1000]);
  });
});

describe.runIf(isAllowed)("io_uring past the C library", () => {
  it("is counted by the kernel's number of requests", async () => {
    const { accesses, folder } = await record("hidden");
    expect(accesses).toEqual([]);
    expect(unseenNotes(folder)).toMatchObject([
      {
        id: "unseen-io-uring",
        text: expect.stringContaining("Not recorded: 320 io_uring requests in uring,"),
      },
    ]);
  });

  it.runIf(hasFio)("such as in fio, whose requests are told", async () => {
    const place = newFolder();
    const words = ["fio", "--name=x", `--directory=${place}`, "--ioengine=io_uring", "--iodepth=8"];
    const { folder, exitCode, accesses } = await shop.record([
      ...words,
      ...["--rw=randwrite", "--bs=4k", "--size=1m", "--output=/dev/null"],
    ]);
    expect(exitCode).toBe(0);
    const seen = accesses.filter(({ path, flags }) => path.startsWith(place) && flags & WRITE_FLAG).length;
    const [note] = unseenNotes(folder);
    const told = Number(/(\d+) io_uring requests in fio/.exec(String(note?.text))?.[1] ?? 0);
    expect(seen + told).toBe(256);
  });
});

const STATIC = ["/usr/lib/x86_64-linux-gnu/liburing.a", "/usr/lib/aarch64-linux-gnu/liburing.a"];

describe.runIf(isAllowed && STATIC.some((path) => existsSync(path)))(
  "a ring that is set up before a file is opened",
  () => {
    const notes = async (as: string, flags: string[]) => {
      const run = await shop.record([shop.build("ring-first", { flags, as }), shop.path(`${as}.data`)]);
      expect(run.exitCode).toBe(0);
      const written = run.accesses.filter(({ flags }) => (flags & WRITE_FLAG) !== 0).length;
      return { written, ids: unseenNotes(run.folder).map(({ id }) => id) };
    };

    it("by liburing inside the program is noticed, though no call of it passes the C library", async () => {
      const { written, ids } = await notes("ring-static", [
        "-Wl,-Bstatic,--whole-archive",
        "-luring",
        "-Wl,--no-whole-archive,-Bdynamic",
      ]);
      expect(written).toBe(0);
      expect(ids).toContain("unseen-io-uring");
    });

    it("by liburing's library is recorded, and nothing is unseen", async () => {
      const { written, ids } = await notes("ring-shared", ["-Wl,--no-as-needed", "-luring"]);
      expect(written).toBe(8);
      expect(ids).toEqual([]);
    });
  },
);
