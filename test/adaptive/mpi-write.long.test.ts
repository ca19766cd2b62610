/** `mpiexec -n 4 plimsoll write …` with each MPI of this machine: what is written, what is said, how it ends. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readRuns } from "../../src/adaptive/runtime/index.ts";
import { ENV, LAUNCHERS, type Launcher, noneLeft, run, running } from "../launch/mpi/kit.ts";
import { makePlace, type Place, plimsoll, program, writing } from "./write-kit.ts";

const root = mkdtempSync(join(tmpdir(), "plimsoll-mpi-write-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const COLUMNS = 64;
const RANKS = 24;
const ROWS = 400;
const TOTAL = RANKS * ROWS * COLUMNS;
const SLOW_MS = 150_000;

const place = (name: string) =>
  makePlace(join(root, name.replace(" ", "-")), { targets: 3, ranks: RANKS, rows: ROWS, columns: COLUMNS });

const mpi = ({ mpiexec, words }: Launcher, ranks: number, line: readonly string[]) =>
  run(mpiexec, [...words(ranks), process.execPath, program, ...line]);

function expectWhole({ dataset, targets }: Place): void {
  expect(plimsoll("verify", dataset)).toMatchObject({ code: 0, err: "" });
  const { bytes } = plimsoll("read", dataset, "t", "--raw");
  const values = new Float64Array(Uint8Array.from(bytes).buffer);
  expect(values.length === TOTAL && values.every((value, i) => value === i)).toBe(true);
  // Nothing that the dataset does not use is left on the targets.
  const files = targets.flatMap((target) => readdirSync(target));
  expect(files.length).toBe(readdirSync(`${dataset}.dir`).filter((name) => /\.bp\.\d+$/.test(name)).length);
}

describe.each(LAUNCHERS)("plimsoll write under $name", (launcher) => {
  it(
    "writes with the other ranks, and speaks with one voice",
    async () => {
      const here = place(`${launcher.name} whole`);
      const written = await mpi(launcher, 4, writing(here, COLUMNS, "--json"));
      expect(written).toMatchObject({ code: 0, err: "" });
      expect(JSON.parse(written.out)).toMatchObject({ bytes: 8 * TOTAL, blocks: RANKS, processesLost: 0 });
      expectWhole(here);
      const again = await mpi(launcher, 3, writing(here, COLUMNS));
      expect(again.code).toBe(2);
      expect(again.err.match(/exists; add a step with --append/g)).toHaveLength(1);
      expect(await noneLeft(here.folder)).toBe(true);
    },
    SLOW_MS,
  );

  it(
    "measures the same output by MPI-IO into one shared file, and keeps the run beside others",
    async () => {
      const folder = join(root, `${launcher.name.replace(" ", "-")}-shared`);
      const runs = `${folder}.jsonl`;
      mkdirSync(folder);
      const words = [
        "write",
        "--method",
        "mpi-io",
        "--targets",
        folder,
        "--workload",
        "ior",
        "--scale",
        "0.01",
      ];
      const line = [...words, "-n", "3", "--memory", "2M", "--runs", runs, "--json"];
      const measured = await mpi(launcher, 3, line);
      expect(measured).toMatchObject({ code: 0, err: "" });
      const bytes = 3 * 8 * Math.round(0.01 * (1 << 24));
      expect(JSON.parse(measured.out)).toMatchObject({ policy: "mpi-io", writers: 3, bytes });
      const [run] = readRuns(runs);
      expect(run).toMatchObject({ label: "mpi-io", bytes, targets: 1, outcome: "complete" });
      // The buffer of a rank holds half of its data or so: several writes each, every byte once.
      expect(run?.calls.bytes.reduce((sum, one) => sum + one, 0)).toBe(bytes);
      expect(run?.calls.count).toBeGreaterThan(3);
      expect(readdirSync(folder)).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    "goes on with --resume after a rank was killed, which ends the run",
    async () => {
      const here = place(`${launcher.name} killed`);
      const words = writing(here, COLUMNS, ...ENDLESS);
      const child = spawn(launcher.mpiexec, [...launcher.words(4), process.execPath, program, ...words], {
        env: ENV,
        stdio: "ignore",
      });
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
      await until(() => somethingWritten(here));
      // A rank that hosts writers: the last to have started.
      const ranks = running(here.folder).filter((line) => /^\d+ \S*node /.test(line));
      process.kill(Number.parseInt(ranks.at(-1) as string, 10), "SIGKILL");
      expect(await ended).not.toBe(0);
      expect(await noneLeft(here.folder)).toBe(true);
      expect(existsSync(here.dataset)).toBe(false);
      const resumed = await mpi(launcher, 3, resuming(here));
      expect(resumed).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/ and .* kept/) });
      expectWhole(here);
    },
    SLOW_MS,
  );
});

describe("plimsoll write under MPICH", () => {
  const [mpich] = LAUNCHERS as [Launcher];

  it(
    "writes with processes of its own when it is the only rank",
    async () => {
      const here = place("alone");
      expect(await mpi(mpich, 1, writing(here, COLUMNS))).toMatchObject({ code: 0, err: "" });
      expectWhole(here);
    },
    SLOW_MS,
  );

  it(
    "refuses more writers than ranks, in one line",
    async () => {
      const here = place("many");
      const refused = await mpi(mpich, 3, writing(here, COLUMNS, "--writers", "3"));
      expect(refused.code).toBe(2);
      expect(refused.err.match(/plimsoll: .*/g)).toEqual([
        "plimsoll: --writers 3: mpiexec started 3 ranks, of which 2 can write; see plimsoll write --help",
      ]);
    },
    SLOW_MS,
  );

  it(
    "stops on Ctrl-C with what was written kept",
    async () => {
      const here = place("stopped");
      const words = writing(here, COLUMNS, ...ENDLESS);
      const child = spawn(mpich.mpiexec, [...mpich.words(3), process.execPath, program, ...words], {
        env: ENV,
        stdio: "ignore",
      });
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
      await until(() => somethingWritten(here));
      child.kill("SIGINT");
      // 130, or 0: MPICH 4.0's mpiexec loses the exit codes of its ranks now and then after Ctrl-C.
      expect([130, 0]).toContain(await ended);
      expect(await noneLeft(here.folder)).toBe(true);
      expect(existsSync(here.dataset)).toBe(false);
      expect(plimsoll(...resuming(here)).code).toBe(0);
      expectWhole(here);
    },
    SLOW_MS,
  );
});

/** The first target takes a piece in less than a second; the others would need half an hour for theirs. */
const ENDLESS = [
  ...["--method", "static"],
  ...["--target-speed", "0:300K", "--target-speed", "1:1K", "--target-speed", "2:1K"],
];

const resuming = ({ dataset, targets }: Place) => [
  "write",
  "--resume",
  "-o",
  dataset,
  "--targets",
  targets.join(","),
  "--history",
  "none",
];

/** A piece is whole and noted. */
function somethingWritten({ dataset }: Place): boolean {
  const notes = join(`${dataset}.dir`, ".plimsoll");
  if (!existsSync(notes)) return false;
  const journals = readdirSync(notes).filter((name) => name.startsWith("journal"));
  return journals.some((name) => statSync(join(notes, name)).size > 0);
}

async function until(done: () => boolean): Promise<void> {
  for (let waited = 0; !done(); waited += 50) {
    expect(waited).toBeLessThan(60_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
