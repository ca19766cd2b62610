// `plimsoll watch`: a live site through its collectors' folders and through a store; on a terminal and without one.

import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { liveLines } from "../../src/analyze/load/index.ts";
import { ServerCollector } from "../../src/collect/server/collector.ts";
import { WatchedFolders } from "../../src/collect/watch/folder.ts";
import { FolderFiles } from "../../src/generate/sitewide/live-files.ts";
import { LiveSite } from "../../src/generate/sitewide/live.ts";
import type { LiveLoad } from "../../src/model/index.ts";
import { cleanEnvironment, plimsoll, prepare, program } from "./kit.ts";

const SECOND = 1_000_000_000n;
const START = 1_700_000_000n * SECOND;
const HOSTILE = "evil\x1b[31m\njob";
let place: string;
let written = 0;

/** Two servers, an ordinary job and one whose name should not reach a terminal; samples each minute for ten. */
beforeAll(() => {
  place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "plimsoll-watch-"));
  prepare();
  const site = new LiveSite(
    { startNs: START, clients: 2, osts: 2, mdts: 1, jobsPerHour: 0 },
    new FolderFiles(join(place, "tree")),
  );
  let nowNs = START;
  const collectors = site.servers.map(
    (host) =>
      new ServerCollector({
        ...{ root: join(place, "tree", host), dir: join(place, host), host, collector: "test (synthetic)" },
        ...{ everyNs: 60n * SECOND, withBrw: false, note: () => {} },
        time: { wallNs: () => nowNs, monotonicMs: () => Number(nowNs / 1_000_000n) },
      }),
  );
  const spec = { user: "ada", uid: 5101, nodes: ["node001"], seconds: 3600, mdt: 0, osts: [0] };
  const work = { periodSeconds: 10, onSeconds: 10, writeBytes: 3_000_000, readBytes: 0, opens: 6 };
  const job = site.startJob({ ...spec, ...work, jobId: "4711" });
  site.startJob({ ...spec, ...work, jobId: HOSTILE, nodes: ["node002"], osts: [1], writeBytes: 1_000_000 });
  for (let minute = 0; minute <= 10; minute++) {
    if (minute === 10) written = -job.total.bytesWritten;
    nowNs = START + BigInt(60 * minute) * SECOND;
    site.advanceTo(nowNs);
    for (const collector of collectors) collector.sample();
  }
  written += job.total.bytesWritten;
}, 120_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

const folders = () => readdirSync(place).filter((name) => /^(oss|mds)/.test(name));
const dirs = () => folders().flatMap((name) => ["--dir", name]);

const ordinary = {
  ...{ order: "bytes" as const, width: 100, height: 40, zone: "UTC", source: "x" },
  nowUnix: Number(START / SECOND) + 605,
};

describe("from folders of collectors", () => {
  const load = () => new WatchedFolders(folders().map((name) => join(place, name))).read() as LiveLoad;

  it("has the rates of the last interval, latencies, and how full targets are", () => {
    const { targets, jobs, toUnix, fromUnix, synthetic } = load();
    expect([toUnix - fromUnix, toUnix, synthetic]).toEqual([60, Number(START / SECOND) + 600, true]);
    const ost = targets.find(({ target }) => target === "OST0000");
    expect(ost?.bytesWritten).toBeCloseTo(written / 60, 6);
    expect(ost).toMatchObject({ fileSystem: "lustre1", recovery: "COMPLETE" });
    expect(ost?.secondsPerWrite).toBeGreaterThan(0);
    expect(ost?.bytesUsedShare).toBeGreaterThan(0);
    expect(ost?.inodesUsedShare).toBeGreaterThan(0);
    expect(jobs.find(({ id }) => id === "4711")?.bytesWritten).toBeCloseTo(written / 60, 6);
    expect(jobs.find(({ id }) => id === "4711")?.targets).toBe(2);
  });

  it("fits any terminal, orders as asked, and shows names without their controls", () => {
    for (const width of [20, 40, 80, 200])
      for (const height of [5, 12, 40]) {
        const lines = liveLines(load(), { ...ordinary, width, height });
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
        expect(lines.join("\n")).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
        if (height > 12) expect(lines.length).toBeLessThanOrEqual(height);
      }
    const text = liveLines(load(), ordinary).join("\n");
    expect(text).toMatch(/^synthetic: x {2}2023-11-14T22:23 UTC, over 60 s, 5 s ago$/m);
    expect(text.indexOf("OST0000")).toBeLessThan(text.indexOf("OST0001"));
    expect(text).toMatch(/4711 .*MB\/s/);
    expect(text).toMatch(/evil \[31m job/);
    const byOperations = liveLines(load(), { ...ordinary, order: "operations" }).join("\n");
    expect(byOperations.indexOf("MDT0000")).toBeLessThan(byOperations.indexOf("OST0000"));
    expect(liveLines(load(), { ...ordinary, nowUnix: ordinary.nowUnix + 900 })[0]).toMatch(/\(silent\)/);
  });

  it("goes on when a segment is cut, and names it", () => {
    mkdirSync(join(place, "cut"));
    writeFileSync(join(place, "cut/oss9-20231114T222400.000000000Z.ndjson"), '{"plimsoll":"server-sam');
    const { notices, targets } = new WatchedFolders(
      [...folders(), "cut"].map((name) => join(place, name)),
    ).read() as LiveLoad;
    expect(notices.join()).toMatch(/oss9-.*truncated/);
    expect(targets.length).toBe(3);
  });
});

describe("the command", () => {
  it("prints one table without a terminal and one document with --json, from folders and from a store alike", () => {
    const fromFolders = plimsoll(place, "watch", ...dirs());
    expect(fromFolders).toMatchObject({ code: 0, err: "" });
    expect(fromFolders.out).toMatch(/^synthetic: .*\n3 targets: /);
    expect(
      plimsoll(place, "ingest", ...folders().map((name) => `${name}/segments`), "--store", "s").code,
    ).toBe(0);
    const json = (...words: string[]) => JSON.parse(plimsoll(place, "watch", ...words, "--json").out);
    const [a, b] = [json(...dirs()), json("--store", "s", "--span", "1min")];
    const rates = (answer: typeof a) =>
      answer.jobs.map((job: { id: string; bytesWritten: number }) => [job.id, Math.round(job.bytesWritten)]);
    expect(rates(b)).toEqual(rates(a));
    expect(b.synthetic).toBe(true);
    const used = (answer: typeof a) =>
      answer.targets.map((one: { target: string; bytesUsedShare: number }) => [
        one.target,
        one.bytesUsedShare,
      ]);
    expect(used(b)).toEqual(used(a));
    expect(plimsoll(place, "watch", "--store", "s", "--target", "OST0001", "--once").out).not.toMatch(
      /OST0000/,
    );
  });

  it.each([
    [[], "name one source: --dir DIR of a collector, or --store DIR"],
    [["--dir", "oss0", "--store", "s"], "name one source"],
    [["--dir", "nothing"], "cannot read nothing: no such file"],
    [["--dir", "tree"], "tree: no segments yet; is plimsoll collect server --dir running there?"],
    [["--dir", "oss0", "--every", "soon"], "--every soon: expected a time such as 60s"],
    [["--dir", "oss0", "--target", "OST0000"], "--target needs --store"],
    [["--store", "nothing"], "nothing"],
  ])("refuses %j in one line", (words, text) => {
    const { code, out, err } = plimsoll(place, "watch", ...words);
    expect([out, err.trimEnd().split("\n").length]).toEqual(["", 1]);
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(text);
  });

  /** On a terminal of 60 times 18; it becomes narrower when the file `narrow` is there. */
  function onTerminal() {
    const narrow = "(while [ ! -e narrow ]; do sleep 0.1; done; stty cols 40 rows 12) <&1 &";
    const watch = `exec ${process.execPath} ${program} watch ${dirs().join(" ")} --every 1s`;
    const child = spawn(
      "script",
      ["-qec", `stty cols 60 rows 18; echo $$ > pid; ${narrow} ${watch}`, "/dev/null"],
      {
        cwd: place,
        env: { ...cleanEnvironment(), TERM: "xterm", SHELL: "/bin/sh" },
      },
    );
    const said = { out: "" };
    child.stdout.setEncoding("utf8").on("data", (text) => (said.out += text));
    const ended = new Promise<number | null>((done) => child.once("close", done));
    const shows = (text: RegExp) => expect.poll(() => said.out, { timeout: 60_000 }).toMatch(text);
    return { child, said, ended, shows };
  }
  const widest = (text: string) =>
    Math.max(
      ...text
        .split(/\r?\n|\x1b\[H/)
        .map((line) => line.replace(/\x1b\[[?\d;]*[a-zA-Z]/g, "").trimEnd().length),
    );

  it("draws on a terminal, takes keys and a new size, and leaves the terminal as it was", async () => {
    const { child, said, ended, shows } = onTerminal();
    await shows(/by bytes; o: other order, q: quit/);
    child.stdin.write("o");
    await shows(/by write; /);
    expect([widest(said.out) > 40, widest(said.out) <= 60]).toEqual([true, true]);
    const before = said.out.length;
    writeFileSync(join(place, "narrow"), "");
    // The last frame: all of its lines fit.
    await expect
      .poll(() => widest(said.out.slice(before).split("\x1b[H").slice(1, -1).at(-1) ?? "x".repeat(60)), {
        timeout: 60_000,
      })
      .toBeLessThanOrEqual(40);
    child.stdin.write("q");
    expect(await ended).toBe(0);
    expect(said.out).toContain("\x1b[?1049h\x1b[?25l");
    expect(said.out.trimEnd().endsWith("\x1b[?25h\x1b[?1049l")).toBe(true);
  });

  it("leaves the terminal as it was on a signal, too", async () => {
    const { said, ended, shows } = onTerminal();
    await shows(/by bytes; o: other order, q: quit/);
    process.kill(Number(readFileSync(join(place, "pid"), "utf8")), "SIGTERM");
    expect(await ended).toBe(143);
    expect(said.out.trimEnd().endsWith("\x1b[?25h\x1b[?1049l")).toBe(true);
  });
});
