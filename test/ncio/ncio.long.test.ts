// `plimsoll ncio` as people run it: real ranks, real servers, real MPI-IO; counts against formulas, every byte compared.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { NcioPoint } from "../../src/model/ncio.ts";
import { plimsoll, program } from "../adaptive/write-kit.ts";

const root = mkdtempSync(join(tmpdir(), "plimsoll-ncio-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const QUICK = ["--pause", "0", "--repeats", "3", "--warm-ups", "1", "--dir", root];

function points(...words: string[]): NcioPoint[] {
  const { code, out, err } = plimsoll("ncio", ...QUICK, "--json", ...words);
  expect(err).toBe("");
  expect(code).toBe(0);
  return JSON.parse(out).points;
}

const left = () => readdirSync(root).filter((name) => name.startsWith("plimsoll-ncio-"));

describe("plimsoll ncio", () => {
  it.each(["posix", "memory", "servers"])("runs every method on %s, both ways, all cases", (backend) => {
    const methods =
      backend === "servers" ? "posix,sieving,list,datatype,two-phase" : "posix,sieving,two-phase";
    const found = points(
      ...["--backend", backend, "--method", methods, "--direction", "both"],
      ...["--count", "300", "--size", "24", "--spacing", "100", "-n", "3", "--servers", "3"],
    );
    expect(found).toHaveLength(methods.split(",").length * 4 * 2);
    for (const point of found) {
      expect(point).toMatchObject({ verified: true, count: 300, size: 24, spacing: 100, ranks: 3, backend });
      expect(point.requests).toBe(point.expectedRequests);
      expect(point.messages).toBe(point.expectedMessages);
      expect(point.bytes).toBe(3 * 300 * 24);
      expect(point.bandwidthBytesPerSecond).toBeGreaterThan(0);
      expect(point.notes).toEqual([]);
    }
    expect(left()).toEqual([]);
  });

  it("has the request counts of closed formulas in the paper's default", () => {
    const found = points(
      "--backend",
      "servers",
      "--case",
      "c-nc",
      "-n",
      "4",
      "--repeats",
      "1",
      "--warm-ups",
      "0",
    );
    const requests = Object.fromEntries(found.map(({ method, requests: count }) => [method, count]));
    // 4,096 regions of 4 ranks one by one; 64 to a list; one description for each rank.
    expect(requests).toMatchObject({ posix: 16_384, list: 256, datatype: 4 });
  });

  it("says that files have no list requests when asked for them", () => {
    const [point] = points("--method", "list", "--case", "c-nc", "--count", "50");
    expect(point?.notes.join()).toContain("posix has no list requests");
    expect(point?.requests).toBe(200);
  });

  it("runs shapes of applications, and nothing at all", () => {
    for (const shape of [
      ["--pattern", "flash", "--shape", "blocks=2", "--shape", "cells=4"],
      ["--pattern", "ipars", "--shape", "cells=90"],
      ["--pattern", "subarray", "--shape", "grid=8,8,8", "--shape", "ranksGrid=2,2,1"],
      ["--pattern", "hpio", "--count", "20"],
    ])
      for (const point of points(...shape)) expect(point.verified).toBe(true);
    expect(points("--backend", "null", "--count", "10").every(({ verified }) => !verified)).toBe(true);
  });

  it("measures real MPI-IO, started by itself", () => {
    for (const mpiexec of ["mpiexec.mpich", "mpiexec.openmpi"]) {
      const found = points(
        "--backend",
        "mpiio",
        "--mpiexec",
        mpiexec,
        "--count",
        "64",
        "-n",
        "2",
        "--direction",
        "both",
      );
      expect(found).toHaveLength(3 * 4 * 2);
      expect(found.every(({ verified, requests }) => verified && requests === null)).toBe(true);
    }
    expect(left()).toEqual([]);
  });
});

describe("wrong input of plimsoll ncio", () => {
  it.each([
    [["--count", "0"], /--count 0: must be at least 1/],
    [["--count", "-4"], /--count -4: must be at least 1/],
    [["--spacing", "4", "--size", "8"], /spacing 4 is below the size 8 of a region/],
    [["--method", "posix,magic"], /--method magic: not one of posix/],
    [["--case", "x"], /--case x: not one of c-c/],
    [
      ["--count", "1048576", "--spacing", "1M", "--size", "8", "-n", "64", "--case", "c-nc"],
      /makes a file of .* and .* has .* free/,
    ],
    [
      ["--count", "1048576", "--spacing", "4096", "--memory", "64M", "--case", "nc-c"],
      /--memory allows 67.1 MB/,
    ],
    [["--dir", "/nowhere/at/all"], /no such folder/],
    [["--backend", "servers", "--servers", "/nowhere"], /no servers were started in \/nowhere/],
    [["--backend", "mpiio", "--mpiexec", "no-such-mpiexec"], /--mpiexec no-such-mpiexec: cannot be run/],
    [["--pattern", "flash", "--shape", "celsl=3"], /flash has no field celsl/],
    [["--hint", "cb_nodes"], /expected KEY=VALUE/],
  ])("%j is one clear line", (words, line) => {
    const { code, out, err } = plimsoll("ncio", ...QUICK, ...words);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(err).toMatch(line);
  });

  it("ends in one line when a server is lost in the middle, and leaves nothing running", async () => {
    const dir = join(root, "targets");
    expect(plimsoll("targets", "start", "-n", "3", "--dir", dir).code).toBe(0);
    try {
      const { servers } = JSON.parse(plimsoll("targets", "status", "--dir", dir, "--json").out);
      const run = spawn(
        process.execPath,
        [
          program,
          "ncio",
          ...QUICK,
          "--backend",
          "servers",
          "--servers",
          dir,
          "--method",
          "posix",
          "--case",
          "c-nc",
          "--count",
          "1000000",
        ],
        { stdio: ["ignore", "pipe", "pipe"] },
      );
      let err = "";
      run.stderr.on("data", (text) => (err += text));
      // In the middle: server 1 has written something, and a million regions are far from done.
      const written = () =>
        JSON.parse(plimsoll("targets", "status", "--dir", dir, "--json").out).servers[1].stats.bytesWritten;
      await expect.poll(written, { timeout: 50_000 }).toBeGreaterThan(0);
      process.kill(servers[1].pid, "SIGKILL");
      const code = await new Promise((resolve) => run.once("exit", resolve));
      expect(code).toBe(1);
      expect(err.trim().split("\n")).toHaveLength(1);
      expect(err).toMatch(/server 1/);
    } finally {
      plimsoll("targets", "stop", "--dir", dir);
    }
    const running = spawnSync("pgrep", ["-f", "ncio-rank"], { encoding: "utf8" }).stdout.trim();
    expect(running).toBe("");
  });

  it("ends all ranks when their command lines differ", () => {
    const one = ["-n", "1", process.execPath, program, "ncio", ...QUICK, "-n", "2", "--backend", "mpiio"];
    const { status, stderr } = spawnSync(
      "mpiexec.mpich",
      [...one, "--count", "64", ":", ...one, "--count", "65"],
      {
        encoding: "utf8",
      },
    );
    expect(status).not.toBe(0);
    expect(stderr).toContain("ranks 0 and 1 disagree on the parameters of the run");
  });

  it("says so where there is no MPI", () => {
    const { status, stderr } = spawnSync(process.execPath, [program, "ncio", "--backend", "mpiio"], {
      encoding: "utf8",
      env: { ...process.env, PATH: root },
    });
    expect(status).toBe(2);
    expect(stderr).toContain("needs mpiexec, which was not found");
  });
});

describe("plimsoll ncio sweep", () => {
  const sweep = (dir: string, ...words: string[]) => [
    ...["ncio", "sweep", ...QUICK, "--vary", "count=16:64:256,spacing=64:256", "--size", "8", "-n", "2"],
    ...["--backend", "servers", "--servers", "2", "-o", dir, ...words],
  ];

  it("goes on after a kill, and makes figures, a table and a page", async () => {
    const dir = join(root, "sweep");
    const first = spawn(process.execPath, [program, ...sweep(dir)], { stdio: "ignore" });
    const journal = join(dir, "journal.ndjson");
    for (let wait = 0; wait < 300; wait++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (lines(journal) > 5) break;
    }
    first.kill("SIGKILL");
    await new Promise((resolve) => first.once("exit", resolve));
    const before = lines(journal);
    expect(before).toBeGreaterThan(5);
    expect(readdirSync(dir)).not.toContain("sweep.json");
    const { code, out, err } = plimsoll(...sweep(dir, "--json"));
    expect(code).toBe(0);
    expect(err).toMatch(/\d+ of \d+ points already measured/);
    const result = JSON.parse(out);
    expect(result).toMatchObject({ plimsoll: "ncio-sweep", complete: true });
    expect(
      result.points.every((point: NcioPoint) => point.verified && point.requests === point.expectedRequests),
    ).toBe(true);
    const names = readdirSync(dir);
    for (const name of ["report.html", "sweep.json", "points.csv"]) expect(names).toContain(name);
    expect(names.filter((name) => name.endsWith(".svg")).length).toBeGreaterThanOrEqual(2);
    expect(JSON.parse(readFileSync(join(dir, "sweep.json"), "utf8")).points).toEqual(result.points);
    // What a killed run left on disk for its servers is not ours to keep.
    expect(plimsoll("ncio", "advise", dir).code).toBe(0);
  });

  it("does not mix two runs, and does not take a folder that is not its own", () => {
    const other = plimsoll(...sweep(join(root, "sweep"), "--repeats", "4"));
    expect(other.code).toBe(2);
    expect(other.err).toContain("belongs to a run with other options");
    writeFileSync(join(root, "mine.txt"), "");
    const foreign = plimsoll(...sweep(root));
    expect(foreign.code).toBe(2);
    expect(foreign.err).toContain("is not an earlier sweep");
    expect(plimsoll("ncio", "sweep", "--vary", "colour").err).toContain("no variable colour");
  });
});

function lines(path: string): number {
  try {
    return readFileSync(path, "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}
