/** The workloads for real: what the recorder finds is what they ask for, and nothing stays behind. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { parseRunsCsv, SET_IDS } from "../../src/analyze/study/metric/index.ts";
import { neededFiles } from "../../src/record/experiment/data-files.ts";
import { expectedOf, fileBytes, planCases, SIEVE_BUFFER } from "../../src/record/experiment/plan.ts";
import { buildPrograms } from "../../src/record/experiment/programs.ts";
import { delayWords, runOrder, wordsOf } from "../../src/record/experiment/run.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const plimsoll = join(root, "bin", "plimsoll");
const folder = mkdtempSync(join(tmpdir(), "plimsoll-metric-run-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const left = (place: string) =>
  existsSync(place) ? readdirSync(place).filter((name) => name.startsWith("plimsoll-metric-")) : [];
const MACHINE = { direct: true, memory: true };

describe("the plan", () => {
  it.each([true, false])("asks for the same data in every case of a set, quick %s", (quick) => {
    for (const device of ["auto", "delay", "real"] as const) {
      const cases = planCases({ sets: SET_IDS, quick, device }, MACHINE);
      for (const set of SET_IDS) {
        const of = cases.filter((one) => one.set === set);
        expect(of.length).toBeGreaterThanOrEqual(3);
        expect(new Set(of.map(({ work }) => expectedOf(work).bytes)).size).toBe(1);
        expect(new Set(of.map(({ label }) => label)).size).toBe(of.length);
      }
    }
  });

  it("gives parts of processes that add up to the whole, and files that hold them", () => {
    const cases = planCases(
      { sets: ["3a", "3b"], quick: false, device: "delay", size: 5 * 2 ** 20 + 1 },
      MACHINE,
    );
    const files = new Map(neededFiles(cases).map(({ name, bytes }) => [name, bytes]));
    for (const { work } of cases) {
      if (work.kind !== "read" || !work.own) continue;
      const parts = Array.from({ length: work.processes }, (_, p) => fileBytes(work, p));
      expect(parts.reduce((sum, bytes) => sum + bytes, 0)).toBe(work.bytes);
      for (const [p, bytes] of parts.entries()) expect(files.get(`own-${p}`)).toBeGreaterThanOrEqual(bytes);
    }
    expect(files.get("shared")).toBe(cases.at(-1)?.work.kind === "read" ? fileBytes(cases.at(-1)!.work) : 0);
  });

  it("runs every case once in each repeat, in an order that the seed decides", () => {
    const order = runOrder(7, 3, 5);
    expect(order).toHaveLength(21);
    for (const repeat of [1, 2, 3]) {
      const indices = order.filter((one) => one.repeat === repeat).map(({ index }) => index);
      expect([...indices].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    }
    expect(runOrder(7, 3, 5)).toEqual(order);
    expect(runOrder(7, 3, 6)).not.toEqual(order);
  });

  it("gives each file a device where processes have their own", () => {
    const delay = { latencyMicroseconds: 400, bytesPerSecond: 40e6, servers: 0 };
    expect(delayWords(delay, ["/a/own-0", "/a/own-1"])).toBe(
      "latency=400us,bandwidth=40000000B/s,concurrency=1,path=/a/own-0;latency=400us,bandwidth=40000000B/s,concurrency=1,path=/a/own-1",
    );
    expect(delayWords({ ...delay, servers: 8 }, ["/a/shared"])).toContain("concurrency=8,path=/a/shared");
  });
});

describe("the workload program", () => {
  const programs = buildPrograms(false);
  const file = join(folder, "data");

  it("checks what it reads: wrong data is exit code 3", () => {
    execFileSync(programs.workload, ["make", file, "1048576"]);
    const read = { kind: "read", bytes: 1048576, record: 65536, processes: 3, own: false } as const;
    const sieve = { kind: "sieve", regions: 2048, size: 32, spacing: 8, calls: 3, passes: 2 } as const;
    for (const work of [read, sieve]) {
      const [program = "", ...words] = wordsOf(work, false, [file], programs);
      expect(JSON.parse(execFileSync(program, words, { encoding: "utf8" })).seconds).toBeGreaterThan(0);
    }
    const bytes = readFileSync(file);
    bytes.writeUInt8(7, 65536 * 5 + 1);
    // Region 1234 of 40 bytes, its first word.
    const other = Buffer.from(bytes);
    other.writeUInt8(7, 1234 * 40 + 2);
    for (const [work, wrong] of [
      [read, bytes],
      [sieve, other],
    ] as const) {
      writeFileSync(file, wrong);
      const [program = "", ...words] = wordsOf(work, false, [file], programs);
      expect(() => execFileSync(program, words, { stdio: "pipe" })).toThrow(
        expect.objectContaining({ status: 3 }),
      );
    }
  });

  it("refuses words that it does not know, and files that are too short", () => {
    const fails = (status: number, ...words: string[]) =>
      expect(() => execFileSync(programs.workload, words, { stdio: "pipe" })).toThrow(
        expect.objectContaining({ status }),
      );
    fails(2, "read", "10");
    fails(2, "read", "10", "8", "direct", "own", "2", file);
    fails(2, "sieve", "1", "7", "8", "1", "1", "4096", file);
    const short = join(folder, "short");
    execFileSync(programs.workload, ["make", short, "131072"]);
    fails(1, "read", "131080", "65536", "buffered", "shared", "1", short);
    fails(1, "make", short, "8");
  });
});

describe("plimsoll study metric, for real", () => {
  const quick = (sets: string, ...more: string[]) => [
    "study",
    "metric",
    "--quick",
    "--sets",
    sets,
    "--dir",
    folder,
    ...more,
  ];

  it("finds exactly the accesses and bytes that each workload asks for, and leaves nothing behind", () => {
    const output = join(folder, "study");
    const out = execFileSync(plimsoll, quick(SET_IDS.join(","), "--repeats", "1", "--json", "-o", output), {
      encoding: "utf8",
    });
    const json = JSON.parse(out);
    expect(json).toMatchObject({ study: "metric", simulated: false });
    const runs = parseRunsCsv(readFileSync(join(output, "runs.csv"), "utf8"), "runs.csv");
    const cases = planCases({ sets: SET_IDS, quick: true, device: "auto" }, MACHINE);
    for (const run of runs) {
      const planned = cases.find((one) => one.set === run.set && one.label === run.label);
      expect(planned, `${run.set} ${run.label}`).toBeDefined();
      const { accesses, bytes } = expectedOf(planned!.work);
      expect({ label: run.label, accesses: run.accesses, bytes: run.bytes, dropped: run.dropped }).toEqual({
        ...{ label: run.label, accesses, bytes, dropped: 0 },
      });
      // T lies within the run, and the rates are quotients of what is there.
      expect(run.ioTimeSeconds).toBeLessThanOrEqual(run.executionSeconds);
      expect(run.bps).toBeCloseTo(run.bytes / 512 / run.ioTimeSeconds, 3);
      expect(run.bandwidth / (run.movedBytes / run.ioTimeSeconds)).toBeCloseTo(1, 9);
      if (planned!.work.kind === "read") expect(run.movedBytes).toBe(run.bytes);
      else {
        // The holes are moved too, give or take one region with its hole at each end of a call or of a sieve buffer.
        const { passes, calls, size } = planned!.work;
        const file = fileBytes(planned!.work);
        const ends = 2 * calls + file / SIEVE_BUFFER;
        expect(Math.abs(run.movedBytes - passes * file)).toBeLessThanOrEqual(passes * ends * (size + run.x));
      }
    }
    // One device after the other cannot be faster than it is.
    const slow = runs.find((run) => run.set === "1" && run.label === "1 server");
    expect(slow!.executionSeconds).toBeGreaterThan(slow!.bytes / 40e6);
    expect(runs.filter(({ set }) => set === "4b")).toHaveLength(4);
    expect(
      json.findings.every(({ verdict }: { verdict: string }) =>
        ["confirmed", "refuted", "insufficient"].includes(verdict),
      ),
    ).toBe(true);
    expect(left(folder)).toEqual([]);
  });

  it("is gone with its files and its programs after SIGINT", async () => {
    const dir = mkdtempSync(join(folder, "stopped-"));
    const before = left("/dev/shm");
    const child = spawn(plimsoll, ["study", "metric", "--sets", "2a", "--dir", dir], { stdio: "ignore" });
    const exit = once(child, "exit");
    await expect
      .poll(() => left(dir).some((name) => existsSync(join(dir, name, "shared"))), { timeout: 30_000 })
      .toBe(true);
    // Well into the runs, not into the making of files.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    child.kill("SIGINT");
    const [code] = await exit;
    expect(code).toBe(130);
    expect(readdirSync(dir)).toEqual([]);
    expect(left("/dev/shm").filter((name) => !before.includes(name))).toEqual([]);
    const workloads = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    expect(workloads).not.toContain(dir);
  });
});
