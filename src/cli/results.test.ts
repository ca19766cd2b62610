/** `plimsoll results` as a user runs it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commands } from "./index.ts";
import { runCli } from "./run.ts";
import { fakeWorld } from "./test-kit.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-results-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const summary = (rate: number) =>
  `IO500 version x (standard)\n[RESULT] ior-easy-write ${rate} GiB/s : time 10 seconds\n[RESULT] find 5 kIOPS : time 1 seconds\n`;

beforeAll(() => {
  for (const [name, rate] of [
    ["old", 2],
    ["new", 3],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "result_summary.txt"), summary(rate));
  }
  mkdirSync(join(folder, "new", "copy"));
  writeFileSync(join(folder, "new", "copy", "same.txt"), summary(3));
  writeFileSync(join(folder, "new", "notes.txt"), "nothing of a benchmark\n");
  writeFileSync(
    join(folder, "new", "ior.csv"),
    `access,rank,runtime-with-openclose,runtime\n${[1, 1, 1, 1, 4].map((s, rank) => `write,${rank},${s},${s}`).join("\n")}\n`,
  );
});

async function plimsoll(...words: string[]) {
  const world = fakeWorld();
  const code = await runCli(["results", ...words], commands, world);
  return { code, out: world.out, err: world.err };
}

it("prints cases and the slowest ranks", async () => {
  const { code, out } = await plimsoll(join(folder, "new"));
  expect(code).toBe(0);
  expect(out).toMatch(/2 results of IO500 in 2 files/);
  expect(out).toMatch(/IOR write/);
});

it("compares two sets by case", async () => {
  const { out } = await plimsoll(join(folder, "new"), "--compare", join(folder, "old"), "--json");
  const { comparison, stragglers, results } = JSON.parse(out);
  expect(results).toHaveLength(2);
  expect(comparison.cases.map((one: { ratio: number }) => one.ratio)).toEqual([1.5, 1]);
  expect(stragglers).toMatchObject([{ ranks: 5, slowestRank: 4, ratio: 4, late: 1 }]);
});

it("writes a table and a page", async () => {
  const [csv, html] = [join(folder, "r.csv"), join(folder, "r.html")];
  expect((await plimsoll(join(folder, "new"), "-o", csv)).code).toBe(0);
  const lines = readFileSync(csv, "utf8").trim().split("\r\n");
  expect(lines).toHaveLength(3);
  expect(lines[1]).toMatch(/^IO500,x,ior-easy,write,,,,,,10,3221225472,/);
  expect((await plimsoll(join(folder, "new"), "-o", html)).code).toBe(0);
  expect(readFileSync(html, "utf8")).toContain("<svg");
});

it("names a file that has no result, and reads the others", async () => {
  const cut = join(folder, "cut");
  mkdirSync(cut);
  writeFileSync(join(cut, "a.txt"), "IOR-4.0.0: MPI Coordinated Test of Parallel I/O\nBegan : now\n");
  writeFileSync(join(cut, "b.txt"), summary(1));
  const { code, err, out } = await plimsoll(cut, "--json");
  expect(code).toBe(3);
  expect(err).toMatch(/skipped .*a\.txt: IOR output without a result/);
  expect(JSON.parse(out).results).toHaveLength(2);
  const alone = await plimsoll(join(cut, "a.txt"));
  expect(alone.code).toBe(1);
  expect(alone.err.trim().split("\n")).toHaveLength(1);
  expect((await plimsoll(join(folder, "nothing"))).err).toMatch(/no such file or folder/);
  writeFileSync(join(folder, "empty"), "");
  expect((await plimsoll(join(folder, "empty"))).err).toMatch(/: the input is empty\n$/);
});

const hasFio = spawnSync("fio", ["--version"]).status === 0;

it.skipIf(!hasFio)("reads what fio itself writes", async () => {
  const made = (name: string, ...words: readonly string[]) => {
    const file = join(folder, `${name}.fio.json`);
    const common = [
      `--filename=${join(folder, "data")}`,
      "--size=1m",
      "--ioengine=psync",
      `--output=${file}`,
    ];
    const child = spawnSync("fio", [`--name=${name}`, ...words, ...common, "--output-format=json"]);
    expect(child.status).toBe(0);
    return file;
  };
  const grouped = made("grouped", "--rw=write", "--bs=64k", "--numjobs=2", "--thread", "--group_reporting");
  const single = made("single", "--rw=write", "--bs=64k", "--numjobs=2", "--thread");
  const mixed = made("mixed", "--rw=rw", "--bs=4k,8k");
  const { code, out } = await plimsoll(grouped, single, mixed, "--json");
  expect(code).toBe(0);
  const rows: { case: string; operation: string; ranks: number; transfer_bytes: number; bytes: number }[] =
    JSON.parse(out).results;
  const byCase = (name: string) => rows.filter((row) => row.case === name);
  for (const name of ["grouped", "single"])
    expect(byCase(name)).toMatchObject([
      { operation: "write", ranks: 2, transfer_bytes: 65536, bytes: 2 ** 21 },
    ]);
  expect(byCase("mixed")).toMatchObject([
    { operation: "read", transfer_bytes: 4096 },
    { operation: "write", transfer_bytes: 8192 },
  ]);
  const [job] = JSON.parse(readFileSync(mixed, "utf8")).jobs;
  expect(byCase("mixed").map(({ bytes }) => bytes)).toEqual([job.read.io_bytes, job.write.io_bytes]);
});
