/** The recorder on programs whose accesses are known call by call. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { readHeader } from "../../src/formats/trace/header.ts";
import { CALL_ERROR, CALL_NESTED } from "../../src/model/calls.ts";
import { withFile } from "../../src/node/file-source.ts";
import { gatherFolder } from "../../src/record/gather.ts";
import { ensureShim } from "../../src/record/shim.ts";
import { Workshop, WRITE_FLAG } from "./kit.ts";

const shop = new Workshop();
afterAll(() => shop.remove());

describe("every call, once", () => {
  const calls = shop.build("calls");
  const data = shop.path("data");
  const plain = spawnSync(calls, [data], { encoding: "utf8" });

  it("is in the trace as the program made it, in order, and nothing else is", async () => {
    expect(plain.status, plain.stderr).toBe(0);
    const { accesses, exitCode, notes } = await shop.record([calls, data]);
    expect(exitCode).toBe(0);
    const expected = plain.stdout
      .trim()
      .split("\n")
      .map((line) => line.split(" "));
    expect(accesses.map(({ bytes, moved }) => [bytes, moved])).toEqual(
      expected.map(([, asked, moved]) => [Number(asked), Number(moved)]),
    );
    const isWrite = (name: string, at: number) =>
      /write/.test(name) || (/^(sendfile|copy)/.test(name) && expected[at - 1]?.[0] === name);
    expect(accesses.map(({ flags }) => (flags & WRITE_FLAG) !== 0)).toEqual(
      expected.map(([name], at) => isWrite(name as string, at)),
    );
    expect(accesses.filter(({ flags }) => flags & CALL_ERROR).map(({ bytes }) => bytes)).toEqual([1013, 0]);
    expect(accesses.filter(({ path }) => path === `${data}.2`).map(({ bytes }) => bytes)).toEqual([
      1008, 1009, 1011, 1013, 1001,
    ]);
    expect(accesses.filter(({ path }) => path !== data && path !== `${data}.2`)).toEqual([]);
    expect(notes.get("sync")?.count).toBe(1);
    expect(notes.get("mapped")?.count).toBe(1);
    // stdout and the null device, and the two ends of a pipe.
    expect(notes.get("left-out")?.count).toBeGreaterThanOrEqual(3);
    expect([...notes.keys()].sort()).toEqual(["left-out", "mapped", "sync"]);
  });

  it("has times that follow one another and lie within the run", async () => {
    const { accesses, seconds } = await shop.record([calls, data]);
    for (const { startNs, endNs } of accesses) expect(endNs).toBeGreaterThanOrEqual(startNs);
    const single = accesses.filter(({ bytes }) => bytes !== 1008 && bytes !== 1009);
    for (const [at, { startNs }] of single.entries())
      if (at > 0) expect(startNs).toBeGreaterThanOrEqual(single[at - 1]?.endNs as number);
    const span = (accesses.at(-1)?.endNs ?? 0) - (accesses[0]?.startNs ?? 0);
    expect(span).toBeLessThan(seconds * 1e9);
  });

  it("with --all has pipes and the null device too", async () => {
    const { accesses } = await shop.record([calls, data], { all: true });
    const sizes = accesses.map(({ bytes }) => bytes);
    expect(sizes.filter((bytes) => bytes === 99)).toHaveLength(2);
    expect(accesses.find(({ bytes }) => bytes === 98)?.path).toBe("/dev/null");
  });

  it("is chosen by path", async () => {
    const only = await shop.record([calls, data], { only: ["*.2"] });
    expect(only.accesses).toHaveLength(5);
    const skip = await shop.record([calls, data], { skip: [`${data}.2`] });
    expect(skip.accesses).toHaveLength(29 - 5);
    const folder = await shop.record([calls, data], { only: [shop.folder], skip: ["*/dat?"] });
    expect(folder.accesses).toHaveLength(5);
  });
});

describe("offsets", () => {
  it("are those of the file, by position, by argument and below streams, in children too", async () => {
    const script = `
import os, random, sys
random.seed(7)
fd = os.open("data", os.O_RDWR | os.O_CREAT)
out = open("expected", "w", buffering=1 << 20)
at = 0
def say(offset, count): out.write(f"{offset} {count}\\n")
for i in range(2000):
    what, size = random.randrange(6), random.randrange(1, 5000)
    if what == 0: at = os.lseek(fd, random.randrange(10**6), os.SEEK_SET)
    elif what == 1: at = os.lseek(fd, random.randrange(100), os.SEEK_CUR)
    elif what == 2: say(at, size); at += os.write(fd, b"x" * size)
    elif what == 3: before = at; n = len(os.read(fd, size)); at += n; say(before, n)
    elif what == 4: place = random.randrange(10**6); say(place, os.pwrite(fd, b"y" * size, place))
    else: place = random.randrange(10**6); say(place, len(os.pread(fd, size, place)))
out.flush()
if os.fork() == 0:
    say(at, os.write(fd, b"z" * 10)); out.close(); os._exit(0)
os.wait()
os.write(fd, b"w" * 11)
`;
    const { accesses, exitCode } = await shop.record(["python3", "-B", "-c", script]);
    expect(exitCode).toBe(0);
    const lines = readFileSync(shop.path("expected"), "utf8").trim().split("\n");
    const expected = lines.map((line) => line.split(" ").map(Number));
    const last = expected.at(-1) as [number, number];
    // What the child moved, the parent goes on from.
    expected.push([last[0] + 10, 11]);
    const found = accesses.filter(({ path }) => path === shop.path("data"));
    expect(found.map(({ offset, moved }) => `${offset} ${moved}`).sort()).toEqual(
      expected.map((row) => row.join(" ")).sort(),
    );
    const streams = shop.build("streams");
    const text = await shop.record([streams, shop.folder]);
    const moved = text.accesses.filter(
      ({ path, flags }) => path === shop.path("moved") && (flags & WRITE_FLAG) !== 0,
    );
    expect(moved.map(({ offset }) => offset)).toEqual(moved.map((_, at) => 10 * at));
  });
});

describe("a program's way to work and to end", () => {
  const ways = shop.build("ways");
  const data = shop.path("written");
  const plain = (way: string) => spawnSync(ways, [way, data], { encoding: "utf8" });

  // Writes, and processes that make them.
  it.each([
    ["plain", 10, 1],
    ["many", 200_000, 1],
    ["exit-code", 1, 1],
    ["_exit", 10, 1],
    ["abort", 10, 1],
    ["kill", 5000, 1],
    ["threads", 4000, 1],
    ["fork", 32, 4],
    ["raw-fork", 11, 2],
    ["exec", 11, 2],
    ["bare-environment", 11, 2],
    ["vfork", 12, 2],
    // The one that starts the other only opens the file.
    ["spawn", 10, 2],
    ["close-all", 5002, 1],
    ["handler", 200, 1],
    ["sandbox", 20, 1],
    ["files", 300, 1],
    ["own-bus", 10, 1],
    ["bus", 10, 1],
    ["raised-bus", 10, 1],
    ["strict", 10, 1],
  ])("%s: %d writes of %d processes, and the end is the same as without us", async (way, writes, traces) => {
    const before = plain(way);
    const { accesses, exitCode, signal, headers, notes } = await shop.record([ways, way, data]);
    expect([exitCode > 128 ? null : exitCode, signal]).toEqual([before.status, before.signal]);
    expect(accesses).toHaveLength(writes);
    expect(
      accesses.every(({ bytes, moved, flags }) => bytes === 1000 && moved === 1000 && flags === WRITE_FLAG),
    ).toBe(true);
    expect(headers).toHaveLength(traces);
    expect(notes.has("dropped")).toBe(false);
    const killed = ["kill", "abort", "bus", "raised-bus", "strict"].includes(way);
    expect(notes.has("not-ended")).toBe(killed);
    expect(notes.has("strict")).toBe(way === "strict");
    if (way === "files") expect(new Set(accesses.map(({ path }) => path)).size).toBe(300);
    else expect(new Set(accesses.map(({ path }) => path))).toEqual(new Set([data]));
  });

  it("files have the length that their records need", async () => {
    const { folder, headers } = await shop.record([ways, "kill", data]);
    const header = headers[0];
    const [file] = readdirSync(folder).filter((name) => name.endsWith(".plt"));
    expect(statSync(`${folder}/${file}`).size).toBe(4096 + 32 * (header?.count ?? 0));
  });

  it("counts what a limit drops", async () => {
    const { accesses, notes } = await shop.record([ways, "many", data], { limitRecords: 100_000 });
    const dropped = notes.get("dropped")?.count ?? 0;
    expect(accesses.length + dropped).toBe(200_000);
    // The name of the file takes a few of the records.
    expect(accesses.length).toBeGreaterThan(99_980);
  });

  it("a limit on file sizes costs records, not the program", async () => {
    const { accesses, notes, exitCode } = await shop.record([ways, "file-limit", data]);
    expect(exitCode).toBe(0);
    expect(accesses.length + (notes.get("dropped")?.count ?? 0)).toBe(20_000);
    expect(notes.get("dropped")?.count).toBeGreaterThan(10_000);
  });

  it("a trace that is truncated meanwhile costs records, not the program", async () => {
    expect(plain("cut").status).toBe(6);
    const { exitCode, signal, folder } = await shop.record([ways, "cut", data]);
    expect([exitCode, signal]).toEqual([6, null]);
    expect(gatherFolder(folder)).toMatchObject({ files: [], empty: 1 });
  });

  const mayMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
  if (mayMount)
    it("a full disk costs records, not the program", () => {
      const small = shop.path("small");
      const kept = shop.path("full.plt");
      const trace = `${small}/trace`;
      const run = `LD_PRELOAD=${ensureShim().path} PLIMSOLL_RECORD=${trace} ${ways} many ${data}`;
      const script = `mkdir ${small} && mount -t tmpfs -o size=1m tmpfs ${small} && mkdir ${trace} && ${run} && cp ${trace}/*.plt ${kept}`;
      const { status, stderr } = spawnSync("unshare", ["-rm", "sh", "-c", script], { encoding: "utf8" });
      expect(status, stderr).toBe(0);
      const header = withFile(kept, readHeader);
      expect(header.dropped).toBeGreaterThan(100_000);
      // The name of the file takes a few of the records.
      expect(header.dropped + header.capacity).toBeGreaterThanOrEqual(200_000);
      expect(header.dropped + header.capacity).toBeLessThan(200_020);
    });

  it("a jump out of a call in a signal handler leaves later accesses on their own", async () => {
    const { accesses } = await shop.record([ways, "jump", data], { all: true });
    const writes = accesses.filter(({ path }) => path === data);
    expect(writes).toHaveLength(10);
    expect(writes.every(({ flags }) => (flags & CALL_NESTED) === 0)).toBe(true);
  });
});

describe("an imitated device", () => {
  const ways = shop.build("ways");

  it("answers with its latency and bandwidth, one at a time, whoever asks", async () => {
    const data = shop.path("slow/file");
    spawnSync("mkdir", ["-p", shop.path("slow")]);
    // 32 writes of 1000 bytes: 32 × (2 ms + 1 ms), though three processes run at once.
    const delay = `latency=2ms,bandwidth=1MB/s,concurrency=1,path=${shop.path("slow")}`;
    const one = await shop.record([ways, "fork", data], { delay });
    expect(one.accesses).toHaveLength(32);
    expect(one.seconds).toBeGreaterThan(0.096);
    for (const { startNs, endNs } of one.accesses) expect(endNs - startNs).toBeGreaterThanOrEqual(3e6 - 1000);
    expect(one.notes.has("delay")).toBe(true);
    // Any number at once: waiting for others is over. A busy machine can hide it, so the least of a few runs counts.
    const busy = (accesses: typeof one.accesses) =>
      accesses.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
    let least = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 5 && least >= 0.8 * busy(one.accesses); run++) {
      const at = await shop.record([ways, "fork", data], {
        delay: delay.replace("concurrency=1", "concurrency=n"),
      });
      least = Math.min(least, busy(at.accesses));
    }
    expect(least).toBeLessThan(busy(one.accesses) * 0.8);
    // Elsewhere nothing is slow.
    const elsewhere = await shop.record([ways, "plain", shop.path("fast")], { delay });
    expect(Math.min(...elsewhere.accesses.map(({ startNs, endNs }) => endNs - startNs))).toBeLessThan(2e6);
  });

  it("is refused where it is not understood", async () => {
    await expect(shop.record([ways, "plain", "x"], { delay: "latency=fast" })).rejects.toThrow(
      /unknown latency=fast/,
    );
  });
});
