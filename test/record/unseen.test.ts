/** What the recorder cannot see is said: never "0 accesses" without a word. */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { unseenNotes } from "../../src/record/unseen.ts";
import { Workshop } from "./kit.ts";

const plimsoll = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), "bin", "plimsoll");
const shop = new Workshop();
afterAll(() => shop.remove());
const program = shop.build("unseen");
const still = shop.build("unseen", { flags: ["-static"], as: "unseen-static" });
let files = 0;

async function run(way: string, streams = true) {
  const data = shop.path(`data-${++files}`);
  writeFileSync(data, "a line\n".repeat(2000));
  const { folder, exitCode, accesses } = await shop.record([program, way, data], { streams });
  return { data, exitCode, accesses: accesses.length, notes: unseenNotes(folder) };
}

describe("streams, where the C library is not one that is known", () => {
  it.each([
    ["fprintf", 0],
    ["fgets", 0],
    ["not-closed", 0],
    ["synced", 0],
    ["fwrite-fprintf", 1],
    ["append-fprintf", 1],
    ["two-passes", 1],
  ])("%s: %d accesses, and that there is more", async (way, count) => {
    const { data, exitCode, accesses, notes } = await run(way, false);
    expect([exitCode, accesses]).toEqual([0, count]);
    expect(notes).toEqual([
      {
        id: "unseen-streams",
        count: 1,
        text: `Not recorded: fprintf, fgets, getc and similar calls on ${data}. --with strace counts their system calls.`,
      },
    ]);
  });

  it.each([
    ["fwrite", 1],
    ["append-fwrite", 1],
    ["moved-fwrite", 1],
    ["descriptor", 1],
    ["fread", 1],
    ["size", 0],
    ["child", 1],
    ["not-used", 0],
    ["append-not-used", 0],
  ])("%s: %d accesses, and nothing more to say", async (way, count) => {
    const { exitCode, accesses, notes } = await run(way, false);
    expect([exitCode, accesses, notes]).toEqual([0, count, []]);
  });

  it("stdout that is a file", async () => {
    const path = shop.path("out.txt");
    const out = openSync(path, "w");
    const { folder } = await shop.record([program, "stdout", "-"], {
      stdio: ["ignore", out, "ignore"],
      streams: false,
    });
    closeSync(out);
    expect(unseenNotes(folder)[0]?.text).toContain(` on ${path}.`);
  });

  it("are left out by path as accesses are", async () => {
    const { folder } = await shop.record([program, "fprintf", shop.path("left-out")], {
      skip: ["*/left-*"],
      streams: false,
    });
    expect(unseenNotes(folder)).toEqual([]);
  });
});

describe("asynchronous I/O", () => {
  it.each([
    [
      "io_uring",
      "unseen-io-uring",
      "io_uring requests in unseen, submitted by system calls of the program or of a statically linked liburing. strace cannot record them either",
    ],
  ])("%s is named", async (way, id, text) => {
    const { exitCode, notes } = await run(way);
    // A machine may forbid it; then there is nothing to see.
    if (exitCode === 77) return;
    expect(exitCode).toBe(0);
    expect(notes).toMatchObject([{ id, count: 1, text: expect.stringContaining(text) }]);
  });
});

describe("asynchronous I/O that is recorded", () => {
  it.each([
    ["libaio", [500, 1000]],
    ["lio_listio", [10]],
  ])("%s: each request with its bytes", async (way, sizes) => {
    const data = shop.path(`data-${++files}`);
    writeFileSync(data, "a line\n".repeat(2000));
    const { folder, exitCode, accesses } = await shop.record([program, way, data]);
    if (exitCode === 77) return;
    expect([exitCode, unseenNotes(folder)]).toEqual([0, []]);
    expect(accesses.map(({ moved }) => moved).sort((a, b) => a - b)).toEqual(sizes);
    expect(new Set(accesses.map(({ path }) => path))).toEqual(new Set([data]));
  });
});

describe("bytes that the kernel counts and no call shows", () => {
  const ways = shop.build("ways", { flags: ["-static"], as: "ways-static" });
  const record = (...command: string[]) => {
    const folder = shop.path(`out-${++files}`);
    spawnSync(plimsoll, ["record", "-o", folder, "--", ...command], { cwd: shop.folder });
    return unseenNotes(folder);
  };

  it("are said with their number", () => {
    // 200,000 writes of 1000 bytes by a program without the recorder.
    const notes = record("sh", "-c", `${ways} many data`);
    expect(notes.find(({ id }) => id === "unseen-bytes")?.text).toMatch(
      /^Not recorded: 200 MB written, which the kernel counts beyond the recorded calls: /,
    );
  });

  it("are none where all was seen, in pipes and children too", () => {
    const script =
      "seq 1 200000 | sort -R | sort -n > sorted; for i in 1 2 3; do cat sorted | gzip > z; done";
    expect(record("sh", "-c", script)).toEqual([]);
  });
});

describe("programs that the recorder cannot be loaded into", () => {
  it("are named when another program starts them, by path or by name, each once", async () => {
    const script = `${still} fwrite data; ${still} fwrite data; PATH=${dirname(still)}:$PATH; ${basename(still)} fwrite data`;
    const { folder, accesses } = await shop.record(["sh", "-c", script]);
    expect(accesses).toEqual([]);
    expect(unseenNotes(folder)).toEqual([
      {
        id: "unseen-programs",
        count: 1,
        text: `Not recorded: programs without preload support: ${still} (statically linked). --with strace records them (set-uid programs only as root).`,
      },
    ]);
  });
});

describe("plimsoll record", () => {
  const record = (...words: string[]) => {
    const folder = shop.path(`out-${++files}`);
    const child = spawnSync(plimsoll, ["record", "-o", folder, ...words], {
      encoding: "utf8",
      cwd: shop.folder,
    });
    return { ...child, folder };
  };

  it("has it in the summary, in its JSON, and in what bps says of the trace", () => {
    const script = `${still} fwrite data; exec ${program} descriptor data`;
    const { stderr, folder } = record("--", "sh", "-c", script);
    expect(stderr).toMatch(
      /recorded 1 access.*\nplimsoll: Not recorded: programs without preload support: \S+ \(statically linked\)/s,
    );
    const { stdout } = record("--json", "--", "sh", "-c", script);
    expect(JSON.parse(stdout)).toMatchObject({ accesses: 1, notes: [{ id: "unseen-programs", count: 1 }] });
    const { stdout: text } = spawnSync(plimsoll, ["bps", folder], { encoding: "utf8" });
    expect(text.replace(/\s+/g, " ")).toContain("Not recorded: programs without preload support");
  });

  it("says why there may be nothing at all", () => {
    const { stderr } = record("--", "true");
    expect(stderr).toMatch(/recorded 0 accesses.*\nplimsoll: no reads or writes of data files; .*--all/);
  });

  it("shows the time of fsync beside that of reads and writes", () => {
    const { stderr } = record(
      "--",
      "dd",
      "if=/dev/zero",
      "of=synced",
      "bs=4k",
      "count=2",
      "conv=fsync",
      "status=none",
    );
    expect(stderr).toMatch(
      /I\/O time: reads and writes \S+ s, syncs \S+ s \(1 call\), metadata \S+ s \(\d+ calls\); run time \S+ s\n/,
    );
    const { stdout } = record(
      "--json",
      "--",
      "dd",
      "if=/dev/zero",
      "of=synced",
      "bs=4k",
      "count=2",
      "conv=fsync",
    );
    const { syncs, ioTimeSeconds } = JSON.parse(stdout);
    expect(syncs.calls).toBe(1);
    expect(syncs.seconds).toBeGreaterThan(0);
    // One thread: nothing overlaps.
    expect(syncs.ioAndSyncSeconds).toBeCloseTo(ioTimeSeconds + syncs.seconds, 9);
    const { stderr: alone } = record("--", "sync", "synced");
    expect(alone).toMatch(/recorded 0 accesses.*\nplimsoll: I\/O time: syncs \S+ s \(1 call\), metadata /);
  });
});
