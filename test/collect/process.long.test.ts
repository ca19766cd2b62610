// `collect server` as a process: killed again and again, stopped, alone in its folder, on a full disk, with very many jobs.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Random } from "../../src/base/prng.ts";
import { bytesSource } from "../../src/base/source.ts";
import { readSegment } from "../../src/formats/samples/index.ts";
import { cleanEnvironment, plimsoll, prepare, program, write } from "./kit.ts";
import { parseExposition } from "./exposition-checker.ts";
import { testSeed } from "../seed.ts";

let place: string;
let folder: string;
let count = 0;
const children = new Set<ChildProcess>();

beforeAll(() => {
  // In memory where there is such a place: a kill is no loss of power, and a disk of this machine may be slow.
  place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "plimsoll-collect-process-"));
  prepare();
}, 120_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));
beforeEach(() => {
  folder = join(place, String(count++));
  mkdirSync(folder);
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
});

function start(...words: string[]) {
  const args = [program, "collect", "server", "--root", "tree", "--dir", "d", "--host", "oss", ...words];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.add(child);
  const told = { err: "" };
  child.stderr?.setEncoding("utf8").on("data", (text) => (told.err += text));
  const ended = new Promise<number | string | null>((resolve) =>
    child.once("close", (code, signal) => {
      children.delete(child);
      resolve(code ?? signal);
    }),
  );
  return { child, told, ended };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Targets whose jobs only ever write more. */
class Growing {
  readonly #random = new Random(5);
  readonly #bytes = Array.from({ length: 3 }, () => new Map<string, number>());
  readonly #startS = Math.floor(Date.now() / 1000) - 100;
  jobs = 0;

  get total(): bigint {
    return this.#bytes.reduce(
      (sum, jobs) => [...jobs.values()].reduce((all, one) => all + BigInt(one), sum),
      0n,
    );
  }

  grow(): void {
    for (const [target, jobs] of this.#bytes.entries()) {
      if (this.#random.below(30) === 0) this.jobs++;
      for (let i = 0; i < 3; i++) {
        const job = String(this.#random.below(1 + this.jobs));
        jobs.set(job, (jobs.get(job) ?? 0) + 1 + this.#random.below(1_000_000));
      }
      this.#write(target, jobs);
    }
  }

  writeAll(): void {
    for (const [target, jobs] of this.#bytes.entries()) this.#write(target, jobs);
  }

  #write(target: number, jobs: ReadonlyMap<string, number>): void {
    const now = Math.floor(Date.now() / 1000);
    const text = [...jobs].map(
      ([job, bytes]) =>
        `- job_id:          ${job}\n  snapshot_time:   ${now}.000000000 secs.nsecs\n  start_time:      ${this.#startS}.000000000 secs.nsecs\n  elapsed_time:    1.0 secs.nsecs\n  write_bytes:     { samples: 1, unit: bytes, min: 1, max: 1, sum: ${bytes}, sumsq: 1 }\n`,
    );
    const path = join(folder, `tree/proc/fs/lustre/obdfilter/fs-OST000${target}`, "job_stats");
    write(`${path}.new`, `job_stats:\n${text.join("")}`);
    renameSync(`${path}.new`, path);
  }
}

function collectedBytes(dir = "d"): bigint {
  let sum = 0n;
  for (const name of readdirSync(join(folder, dir, "segments")))
    readSegment(bytesSource(readFileSync(join(folder, dir, "segments", name)), name), {
      target: () => {},
      job: ({ counters }) => {
        for (const counter of counters) if (counter.name === "write_bytes") sum += counter.sum;
      },
    });
  return sum;
}

describe("a collector", () => {
  it("that is killed at any moment counts nothing twice and loses nothing", async () => {
    const tree = new Growing();
    tree.writeAll();
    expect(
      plimsoll(folder, "collect", "server", "--root", "tree", "--dir", "d", "--host", "oss", "--once").code,
    ).toBe(0);
    const timer = setInterval(() => tree.grow(), 7);
    const random = new Random(testSeed(417));
    let killed = 0;
    try {
      for (let turn = 0; turn < 15; turn++) {
        const { child, ended, told } = start("--every", "10ms");
        const before = statSync(join(folder, "d/work/state")).mtimeMs;
        // It works before it is killed: the state has changed. Then at any moment.
        for (
          let i = 0;
          i < 400 &&
          (statSync(join(folder, "d/work/state"), { throwIfNoEntry: false })?.mtimeMs ?? before) === before;
          i++
        )
          await sleep(5);
        await sleep(random.below(60));
        child.kill("SIGKILL");
        expect(await ended, told.err).toBe("SIGKILL");
        killed++;
        expect(collectedBytes()).toBeLessThanOrEqual(tree.total);
      }
    } finally {
      clearInterval(timer);
    }
    expect(
      plimsoll(folder, "collect", "server", "--root", "tree", "--dir", "d", "--host", "oss", "--once").code,
    ).toBe(0);
    expect(killed).toBe(15);
    expect(tree.total).toBeGreaterThan(10_000_000n);
    expect(collectedBytes()).toBe(tree.total);
  });

  it("ends on SIGTERM with a last sample, serves its page meanwhile, and is alone in its folder", async () => {
    const tree = new Growing();
    tree.writeAll();
    const { child, told, ended } = start("--every", "1h", "--metrics", "0");
    await expect.poll(() => told.err).toMatch(/metrics on http:\/\/127\.0\.0\.1:\d+\/metrics/);
    const address = /http:\/\/\S+/.exec(told.err)?.[0] as string;
    await expect
      .poll(
        async () =>
          parseExposition(await (await fetch(address)).text()).get("plimsoll_collector_samples_total")
            ?.samples[0]?.value,
      )
      .toBe(1);
    const second = plimsoll(folder, "collect", "server", "--root", "tree", "--dir", "d", "--once");
    expect([second.code, second.err]).toEqual([
      1,
      expect.stringMatching(
        `^plimsoll: another collector uses d \\(process ${child.pid} on this machine\\); stop it, or choose another --dir\n$`,
      ),
    ]);
    const port = plimsoll(
      folder,
      "collect",
      "server",
      "--root",
      "tree",
      "--dir",
      "e",
      "--metrics",
      address.slice(7).replace("/metrics", ""),
    );
    expect([port.code, port.err]).toEqual([2, expect.stringContaining("port already in use")]);
    for (let i = 0; i < 10; i++) tree.grow();
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
    expect(collectedBytes()).toBe(tree.total);
  });

  it("is kept from its folder by nobody who cannot write there, nor by one that was killed", async () => {
    new Growing().writeAll();
    const once = () => plimsoll(folder, "collect", "server", "--root", "tree", "--dir", "d", "--once");
    mkdirSync(join(folder, "d"));
    // Names of the kernel are free for all to take.
    const name = createHash("sha256")
      .update(realpathSync(join(folder, "d")))
      .digest("hex")
      .slice(0, 32);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(`\0plimsoll-collect-${name}`, resolve));
    try {
      expect(once()).toMatchObject({ code: 0, err: "" });
    } finally {
      server.close();
    }
    const { child, ended } = start("--every", "1h");
    const work = join(folder, "d", "work");
    const lockFiles = () => readdirSync(join(work, "lock"));
    await expect.poll(() => lockFiles().some((file) => file.includes(`~${child.pid}~`))).toBe(true);
    expect(once().code).toBe(1);
    child.kill("SIGKILL");
    await ended;
    expect(once()).toMatchObject({ code: 0, err: "" });
    expect(lockFiles()).toEqual(["free"]);
    expect(statSync(join(work, "lock", "free")).mode & 0o777).toBe(0o600);
  });

  it.each([
    [["--every", "0"], "--every 0: must be at least 10 ms"],
    [["--every", "soon"], "--every soon: expected a time such as 60s"],
    [["--metrics", "oss1"], "--metrics oss1: expected a port, or an address and a port"],
    [["--metrics", "127.0.0.1:99999"], "expected a port"],
    [["--metrics", "203.0.113.7:9177"], "--metrics 203.0.113.7:9177: not an address of this machine"],
    [["--host", ""], "--host is empty"],
  ])("refuses %j in one line", (words, expected) => {
    const { code, err } = plimsoll(folder, "collect", "server", "--root", "tree", "--dir", "d", ...words);
    expect([code, err]).toEqual([2, expect.stringContaining(expected)]);
    expect(err.split("\n").length).toBe(2);
  });

  it("in a folder that cannot be made says so", () => {
    const { code, err } = plimsoll(
      folder,
      "collect",
      "server",
      "--root",
      "tree",
      "--dir",
      "/proc/x/y",
      "--once",
    );
    expect([code, err]).toEqual([1, "plimsoll: cannot write /proc/x: no such folder\n"]);
  });

  it("on a full disk says so, goes on, and the next sample covers all", async () => {
    const tree = new Growing();
    tree.writeAll();
    const disk = join(folder, "d");
    mkdirSync(disk);
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", disk]).status !== 0) {
      if (process.env.PLIMSOLL_REQUIRE_ALL === "1") throw new Error("mounting a tmpfs needs root");
      return;
    }
    try {
      const { child, told, ended } = start("--every", "20ms");
      await expect.poll(() => existsSync(join(disk, "work/state"))).toBe(true);
      writeFileSync(join(disk, "keep"), "");
      spawnSync("dd", ["if=/dev/zero", `of=${disk}/full`, "bs=4096", "count=200"]);
      await expect
        .poll(() => told.err)
        .toMatch(/a sample could not be stored: .*no space left; the next sample covers/);
      for (let i = 0; i < 40; i++) tree.grow();
      await sleep(100);
      rmSync(join(disk, "full"));
      await expect.poll(() => told.err).toContain("samples are stored again");
      child.kill("SIGTERM");
      expect(await ended).toBe(143);
      expect(collectedBytes()).toBe(tree.total);
      expect(told.err.split("\n").length).toBeLessThan(6);
    } finally {
      spawnSync("umount", ["--lazy", disk]);
    }
  });

  it("takes 100,000 jobs with little memory, and shows few of them", async () => {
    const path = join(folder, "tree/proc/fs/lustre/obdfilter/fs-OST0000/job_stats");
    const jobs = 100_000;
    const text = (turn: number) => {
      const parts = ["job_stats:\n"];
      for (let i = 0; i < jobs; i++) {
        const bytes = 4096 * (1 + (i % 50)) * (turn + 1);
        parts.push(
          `- job_id:          ${7_000_000 + i}\n  snapshot_time:   1700000000\n  read_bytes:      { samples:           0, unit: bytes, min:       0, max:       0, sum:               0 }\n  write_bytes:     { samples:      ${turn + 1}, unit: bytes, min:    4096, max:    4096, sum: ${bytes} }\n  punch:           { samples:      ${turn + 1}, unit:  reqs }\n`,
        );
      }
      return parts.join("");
    };
    write(path, text(0));
    const { child, told, ended } = start("--every", "100ms", "--metrics", "0", "--keep-bytes", "100M");
    await expect.poll(() => told.err).toMatch(/metrics on/);
    const address = /http:\/\/\S+/.exec(told.err)?.[0] as string;
    const samples = async () => {
      const page = parseExposition(await (await fetch(address)).text());
      const lines = [...page.values()].reduce((sum, { samples: all }) => sum + all.length, 0);
      return [page.get("plimsoll_collector_samples_total")?.samples[0]?.value ?? 0, lines] as const;
    };
    const highest: number[] = [];
    for (let turn = 1; turn <= 4; turn++) {
      writeFileSync(`${path}.new`, text(turn));
      renameSync(`${path}.new`, path);
      const [before] = await samples();
      await expect.poll(async () => (await samples())[0], { timeout: 30_000 }).toBeGreaterThan(before + 1);
      const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
      highest.push(Number(rss) / 1024);
    }
    expect((await samples())[1]).toBeLessThan(100);
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
    console.info(`RSS with 100,000 jobs, MiB: ${highest.map(Math.round).join(" ")}`);
    expect(Math.max(...highest)).toBeLessThan(500);
  });
});
