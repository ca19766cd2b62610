// `plimsoll write` as people run it: real processes, real files, the real bpls.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openAdaptive } from "../../src/adaptive/runtime/index.ts";
import { leftRunning, makePlace, plimsoll, writing } from "./write-kit.ts";

const root = mkdtempSync(join(tmpdir(), "plimsoll-write-"));
const folder = (name: string) => join(root, name);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const COLUMNS = 50;
const values = (bytes: Uint8Array) => new Float64Array(Uint8Array.from(bytes).buffer);
const isCounting = (found: ArrayLike<number>, first: number, count: number) =>
  found.length === count && Array.from(found).every((value, i) => value === first + i);

describe("plimsoll write", () => {
  const place = makePlace(folder("values"), { targets: 4, ranks: 16, rows: 30, columns: COLUMNS });
  const total = 16 * 30 * COLUMNS;
  const { dataset } = place;
  let written: ReturnType<typeof plimsoll>;

  it("writes a dataset that bpls reads, value by value", () => {
    written = plimsoll(
      ...writing(place, COLUMNS, "--writers", "4", "--json", "--ops", join(place.folder, "ops.csv")),
    );
    expect(written.err).toBe("");
    const bpls = spawnSync("bpls", ["-d", dataset, "t", "-n", "1", "-f", "%.17g"], {
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    expect(bpls.status, bpls.stderr).toBe(0);
    const found = bpls.stdout
      .split("\n")
      .filter((line) => line.startsWith("    ("))
      .map((line) => Number(line.slice(line.indexOf(")") + 1)));
    expect(isCounting(found, 0, total)).toBe(true);
    const long = spawnSync("bpls", ["-l", dataset], { encoding: "utf8" }).stdout;
    expect(long).toMatch(/double\s+t\s+\{480, 50\} = 0 \/ 23999/);
  });

  it("tells what it did, and leaves a record of every write", () => {
    const json = JSON.parse(written.out);
    expect(json).toMatchObject({
      bytes: 8 * total,
      step: 0,
      policy: "plimsoll",
      blocks: 16,
      processesLost: 0,
    });
    expect(json.perTarget).toHaveLength(4);
    expect(json.perTarget.reduce((sum: number, { bytes }: { bytes: number }) => sum + bytes, 0)).toBe(
      8 * total,
    );
    const bps = JSON.parse(plimsoll("bps", "--json", join(place.folder, "ops.csv")).out);
    expect(JSON.stringify(bps)).toContain(String(8 * total));
    const run = JSON.parse(readFileSync(join(`${dataset}.dir`, ".plimsoll", "run.json"), "utf8")).run;
    expect(run.ops.bytes.reduce((sum: number, one: number) => sum + one, 0)).toBe(8 * total);
  });

  it("is read in parts by any number of processes", () => {
    const rows = 16 * 30;
    for (let reader = 0; reader < 5; reader++) {
      const [from, to] = [Math.floor((rows * reader) / 5), Math.floor((rows * (reader + 1)) / 5)];
      const part = plimsoll(
        "read",
        dataset,
        "t",
        "--raw",
        "--start",
        `${from},0`,
        "--count",
        `${to - from},${COLUMNS}`,
      );
      expect(isCounting(values(part.bytes), from * COLUMNS, (to - from) * COLUMNS)).toBe(true);
    }
  });

  it("has subfiles that can be opened alone", () => {
    for (const name of readdirSync(`${dataset}.dir`).filter((one) => one.startsWith("x.bp."))) {
      const alone = spawnSync("bpls", [join(`${dataset}.dir`, name)], { encoding: "utf8" });
      expect([alone.status, alone.stdout]).toEqual([0, expect.stringContaining("{480, 50}")]);
    }
  });

  it("adds steps", () => {
    expect(plimsoll(...writing(place, COLUMNS, "--append", "--policy", "paper")).code).toBe(0);
    expect(plimsoll("verify", dataset).out).toContain("all checksums match");
    for (const step of ["0", "1"])
      expect(
        isCounting(values(plimsoll("read", dataset, "t", "--raw", "--step", step).bytes), 0, total),
      ).toBe(true);
    const bpls = spawnSync("bpls", [dataset], { encoding: "utf8" }).stdout;
    expect(bpls).toMatch(/double\s+t\s+2\*\{480, 50\}/);
  });

  it("has a flipped bit found by verify and by read", () => {
    const json = JSON.parse(plimsoll("ls", "--blocks", "--json", dataset).out);
    const { subfile, offset, step } = json.variables[0].blocks.at(-1);
    const path = join(`${dataset}.dir`, `x.bp.${subfile}`);
    const bytes = readFileSync(path);
    bytes[offset + 11] = (bytes[offset + 11] as number) ^ 16;
    writeFileSync(path, bytes);
    expect(plimsoll("verify", dataset)).toMatchObject({
      code: 1,
      err: expect.stringContaining("1 block of"),
    });
    expect(plimsoll("read", dataset, "t", "--raw", "--step", String(step)).err).toContain(
      "damaged data: the checksum of",
    );
    expect(plimsoll("read", dataset, "t", "--raw", "--step", String(1 - step)).code).toBe(0);
  });

  it("leaves nothing running", () => {
    expect(leftRunning(root)).toEqual([]);
  });
});

describe("plimsoll write without writing", () => {
  const place = makePlace(folder("refused"), { targets: 2, ranks: 4, rows: 10, columns: COLUMNS });

  it("tells the plan with --dry-run, and touches nothing", () => {
    const { out, code } = plimsoll(...writing(place, COLUMNS, "--dry-run", "--writers", "3"));
    expect(code).toBe(0);
    expect(out).toContain("16 kB from 4 sources, nothing is written (--dry-run)\n  float64 t  40 × 50\n");
    expect(out).toContain("3 processes for at least 4 blocks, policy plimsoll, 2 targets:\n");
    const own = plimsoll("write", "-o", place.dataset, "--dry-run", place.sources);
    expect(own.out).toContain(`target 0 ${place.dataset}.dir: 4 blocks, 16 kB initially`);
    expect(readdirSync(place.folder).sort()).toEqual(["ost0", "ost1", "ranks"]);
  });

  const name = ["write", "-o", place.dataset];
  const usual = [...name, "--targets", place.targets.join(",")];
  it.each([
    [["write", place.sources], "--output is missing: name the dataset with -o NAME.bp"],
    [usual, "no sources: name files or folders, or use --layout or --workload"],
    [[...usual, "nowhere"], "cannot read"],
    [[...name, "--targets", "/nowhere", place.sources], "target /nowhere: no such folder; make it first"],
    [[...name, "--targets", `${place.sources}/rank0.bin`, place.sources], "not a folder"],
    [[...name, "--targets", `${place.targets[0]},,`, place.sources], "a target has no name"],
    [["write", "-o", join(place.folder, "no", "x.bp"), place.sources], "make it first"],
    [["write", "-o", place.folder, place.sources], "is a folder; a dataset is a file"],
    [["write", "-o", "/proc/x.bp", place.sources], "cannot write /proc/x.bp.dir"],
    [[...usual, "--array", "t:float64:7,3", place.sources], "4000 bytes, but --array describes 168"],
    [[...usual, "--array", "t:floaty:7", place.sources], "the type floaty is not one of"],
    [[...usual, "--target-speed", "2:0.5", place.sources], "there are 2 targets, from 0"],
    [[...usual, "--target-speed", "fast", place.sources], "expected TARGET:SPEED such as 0:0.125"],
    [[...usual, "--workload", "ior", place.sources], "--workload generates its data"],
    [[...usual, "--resume"], "no interrupted write"],
    [[...usual, "--resume", "--force", place.sources], "--force excludes --append and --resume"],
    [[...usual, "--lustre", "0-1-2", place.sources], "expected OST numbers such as 0-15"],
    [[...usual, "--lustre", "0-1", place.sources], "--lustre needs the program lfs, which was not found"],
  ])("says in one line what is wrong: %j", (words, message) => {
    const { code, err, out } = plimsoll(...words, "--history", "none");
    expect(err).toContain(message);
    expect(err.trimEnd().split("\n").at(-1)).toContain(message);
    expect([code === 1 || code === 2, out]).toEqual([true, ""]);
    expect(existsSync(place.dataset)).toBe(false);
  });
});

/** Runs `use` with an `lfs` that makes the files it is asked for, and runs a line of shell before. */
function withLfs(place: string, line: string, use: () => void): void {
  const bin = join(place, "bin");
  mkdirSync(bin);
  const script = `#!/bin/sh\n[ "$1" = setstripe ] || exit 0\n${line}\nfor file; do :; done; : > "$file"\n`;
  writeFileSync(join(bin, "lfs"), script);
  chmodSync(join(bin, "lfs"), 0o755);
  const before = process.env.PATH;
  process.env.PATH = `${bin}:${before}`;
  try {
    use();
  } finally {
    process.env.PATH = before;
  }
}

it("sets the stripe of each file where there is lfs", () => {
  const place = makePlace(folder("lustre"), { targets: 1, ranks: 8, rows: 4, columns: COLUMNS });
  withLfs(place.folder, `echo "$@" >> ${place.folder}/calls`, () => {
    const { code, err } = plimsoll(...writing(place, COLUMNS, "--lustre", "4-6", "--writers", "2"));
    expect([code, err]).toEqual([0, ""]);
  });
  const calls = readFileSync(join(place.folder, "calls"), "utf8").trim().split("\n").sort();
  expect(calls.map((line) => line.split(" ").slice(0, 5).join(" "))).toEqual(
    [4, 5, 6].map((ost) => `setstripe -c 1 -i ${ost}`),
  );
  expect(plimsoll("verify", place.dataset).code).toBe(0);
});

it("commits nothing when a source changes while it is written", () => {
  const place = makePlace(folder("torn"), { targets: 1, ranks: 4, rows: 40, columns: COLUMNS });
  const source = join(place.sources, "rank2.bin");
  // Runs when the first data file is made: after the write was planned, before it can be committed.
  const strike = `printf torn | dd of=${source} bs=1 seek=800 conv=notrunc 2> /dev/null`;
  withLfs(place.folder, strike, () => {
    const words = writing(place, COLUMNS, "--lustre", "0", "--writers", "2");
    const { code, err } = plimsoll(...words);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^plimsoll: nothing was committed to .*x\.bp: .*rank2\.bin changed since the write was planned: modified at 20.*Z\n$/,
    );
    expect(existsSync(place.dataset)).toBe(false);
  });
  // Nothing stands in the way of another try.
  expect(plimsoll(...writing(place, COLUMNS)).err).toBe("");
  expect(plimsoll("verify", place.dataset).code).toBe(0);
});

it("keeps the names and borders of sources whose content is not described", () => {
  const place = makePlace(folder("names"), { targets: 2, ranks: 2, rows: 1, columns: 1 });
  const contents: Record<string, string> = {
    "a run/out.bin": "one",
    "b/out.bin": "three",
    "b/température.nc": "21",
  };
  for (const [name, text] of Object.entries(contents)) {
    mkdirSync(join(place.folder, dirname(name)), { recursive: true });
    writeFileSync(join(place.folder, name), text);
  }
  const sources = ["a run/out.bin", "b"].map((name) => join(place.folder, name));
  const words = ["write", "-o", place.dataset, "--targets", place.targets.join(","), "--history", "none"];
  const { out, err } = plimsoll(...words, ...sources);
  expect(err).toBe("");
  expect(out).toContain("policy plimsoll, 3 sources in 3 blocks, 2 targets:");
  const names = ["a run/out.bin", "b/out.bin", "température.nc"];
  const { variables } = JSON.parse(plimsoll("ls", "--json", place.dataset).out);
  expect(variables.map(({ name, blocks }: { name: string; blocks: number }) => [name, blocks])).toEqual(
    names.map((name) => [name, 1]),
  );
  const bpls = spawnSync("bpls", [place.dataset], { encoding: "utf8" }).stdout;
  expect(bpls.trim().split("\n")).toEqual(names.map((name) => expect.stringContaining(name)));
  for (const [i, text] of Object.values(contents).entries())
    expect(plimsoll("read", place.dataset, names[i] as string, "--raw").out).toBe(text);
  expect(plimsoll("verify", place.dataset).out).toContain("3 blocks, 10 B: all checksums match");
});

it("counts blocks as ls does, however sources are cut", () => {
  const place = makePlace(folder("counted"), { targets: 2, ranks: 2, rows: 400, columns: 1000 });
  const words = ["write", "-o", place.dataset, "--targets", place.targets.join(","), "--history", "none"];
  const { blocks } = JSON.parse(plimsoll(...words, "--writers", "4", "--json", place.sources).out);
  const { variables } = JSON.parse(plimsoll("ls", "--json", place.dataset).out);
  expect(blocks).toBeGreaterThan(2);
  expect(variables.reduce((sum: number, one: { blocks: number }) => sum + one.blocks, 0)).toBe(blocks);
});

it("writes a full decomposition from a description", () => {
  const place = makePlace(folder("layout"), { targets: 2, ranks: 4, rows: 4, columns: 6 });
  const blocks = [0, 1, 2, 3].map((i) => ({
    path: `ranks/rank${i}.bin`,
    blocks: [{ variable: "p/q", start: [(i >> 1) * 4, (i & 1) * 6], count: [4, 6] }],
  }));
  const layout = join(place.folder, "layout.json");
  writeFileSync(
    layout,
    JSON.stringify({ variables: [{ name: "p/q", type: "float64", shape: [8, 12] }], sources: blocks }),
  );
  expect(
    plimsoll(
      "write",
      "-o",
      place.dataset,
      "--targets",
      place.targets.join(","),
      "--layout",
      layout,
      "--history",
      "none",
    ).err,
  ).toBe("");
  const found = values(plimsoll("read", place.dataset, "p/q", "--raw").bytes);
  for (let row = 0; row < 8; row++)
    for (let column = 0; column < 12; column++) {
      const rank = (row >> 2) * 2 + Math.floor(column / 6);
      expect(found[row * 12 + column]).toBe(rank * 24 + (row % 4) * 6 + (column % 6));
    }
});

it("moves work away from a target that is held to an eighth, and says what held it", () => {
  const place = makePlace(folder("slow"), { targets: 3, ranks: 1, rows: 1, columns: 1 });
  const report = join(place.folder, "report.html");
  const { out, err } = plimsoll(
    ...[
      "write",
      "-o",
      place.dataset,
      "--targets",
      place.targets.join(","),
      "--workload",
      "pixie3d-small",
      "-n",
      "12",
    ],
    ...[
      "--scale",
      "0.25",
      "--base-speed",
      "4M",
      "--target-speed",
      "1:0.125",
      "--policy",
      "paper",
      "--writers",
      "3",
    ],
    ...["--history", "none", "--report", report, "--json"],
  );
  expect(err).toBe("");
  const json = JSON.parse(out);
  expect(json.perTarget[1].slowed).toBe("throttled to 524 kB/s");
  expect(json.adaptiveWrites).toBeGreaterThan(0);
  // Half a mebibyte a block: 4 MiB/s for two targets and an eighth of that for one.
  expect(json.perTarget[1].bytes).toBeLessThan(json.perTarget[0].bytes);
  expect(plimsoll("verify", place.dataset).code).toBe(0);
  expect(readFileSync(report, "utf8")).toContain("<!doctype html>");
  // Doubles that count up from 0, 64 KiB of each of the eight arrays per process.
  const v1 = values(plimsoll("read", place.dataset, "v1", "--raw").bytes);
  expect(isCounting(v1.subarray(0, 8192), 0, 8192)).toBe(true);
  expect(v1[8192]).toBe(65536);
});

it("completes a write once, however often it is asked to --resume it", () => {
  const place = makePlace(folder("again"), { targets: 2, ranks: 3, rows: 4, columns: COLUMNS });
  const ops = join(place.folder, "ops.csv");
  expect(plimsoll(...writing(place, COLUMNS, "--resume")).code).toBe(0);
  const again = plimsoll(...writing(place, COLUMNS, "--resume", "--ops", ops));
  expect([again.code, again.out]).toEqual([
    0,
    `${place.dataset}: step 0, 4.8 kB: already complete, nothing to resume\n`,
  ]);
  expect([again.err, existsSync(ops)]).toEqual([expect.stringContaining("nothing was written, so"), false]);
  const short = plimsoll("write", "-o", place.dataset, "--resume", "--json");
  expect(JSON.parse(short.out)).toMatchObject({ alreadyComplete: true, bytes: 4800, step: 0, blocks: 3 });
  const other = plimsoll(...writing(place, COLUMNS / 2, "--resume"));
  expect([other.code, other.out]).toEqual([2, ""]);
  expect(other.err).toMatch(
    /^plimsoll: .*x\.bp is complete, but cannot be matched to this write: variable t:float64:24,25 instead of t:float64:12,50; .*\n$/,
  );
});

it("shows the runs of a file beside each other", () => {
  const place = makePlace(folder("runs"), { targets: 2, ranks: 4, rows: 4, columns: COLUMNS });
  const [runs, report] = [join(place.folder, "runs.jsonl"), join(place.folder, "report.html")];
  for (const method of [
    ["--method", "static"],
    ["--policy", "paper"],
    ["--policy", "paper"],
  ]) {
    const words = writing(place, COLUMNS, "--force", "--writers", "2", ...method, "--runs", runs);
    expect(plimsoll(...words, "--report", report).err).toBe("");
  }
  expect(readFileSync(runs, "utf8").trim().split("\n")).toHaveLength(3);
  const page = readFileSync(report, "utf8");
  for (const title of [
    "Bandwidth of each method",
    "Standard deviation of the write time over runs",
    "Imbalance of each method",
    "Write time of each writer (static)",
    "Write time of each writer (paper)",
  ])
    expect(page).toContain(title);
  writeFileSync(runs, "{}\n");
  const refused = plimsoll(...writing(place, COLUMNS, "--force", "--runs", runs));
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringMatching(/^plimsoll: .*runs\.jsonl: line 1: .*\n$/),
  ]);
});

it("refuses a second writer of a name, and tells who the first is", async () => {
  const place = makePlace(folder("two"), { targets: 2, ranks: 4, rows: 20, columns: COLUMNS });
  const first = await openAdaptive({ path: place.dataset, targets: place.targets, history: false });
  const { code, err } = plimsoll(...writing(place, COLUMNS, "--writers", "2"));
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(
      new RegExp(`^plimsoll: .*x\\.bp is being written by process ${process.pid} since 20.*\\n$`),
    ),
  ]);
  await first.close();
  expect(plimsoll(...writing(place, COLUMNS, "--writers", "2")).code).toBe(0);
  expect(plimsoll("verify", place.dataset).code).toBe(0);
});

const isRoot = process.getuid?.() === 0;
describe.skipIf(!isRoot)("a small file system (needs root)", () => {
  const place = makePlace(folder("small"), { targets: 2, ranks: 12, rows: 1000, columns: COLUMNS });
  const mount = (size: string) =>
    spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", place.targets[0] as string]).status;
  afterAll(() => void spawnSync("umount", [place.targets[0] as string]));

  it("that is full leaves its work to the others", () => {
    expect(mount("1m")).toBe(0);
    for (const policy of ["plimsoll", "paper"]) {
      const { code, err } = plimsoll(
        ...writing(place, COLUMNS, "--force", "--policy", policy, "--writers", "3"),
      );
      expect([code, err]).toEqual([0, expect.stringContaining("ENOSPC; its work moves to other targets")]);
      expect(isCounting(values(plimsoll("read", place.dataset, "t", "--raw").bytes), 0, 12 * 50_000)).toBe(
        true,
      );
    }
  });

  it("that is the only one ends with one line, and --resume completes elsewhere", () => {
    const full = { ...place, targets: place.targets.slice(0, 1), dataset: join(place.folder, "full.bp") };
    const { code, err } = plimsoll(...writing(full, COLUMNS, "--policy", "paper", "--writers", "2"));
    expect(code).toBe(1);
    expect(err.trimEnd().split("\n").at(-1)).toMatch(
      /^plimsoll: nothing was committed to .*full\.bp: no storage target accepts data any more \(target 0 .*: ENOSPC\); written data is kept: --resume/,
    );
    expect(existsSync(full.dataset)).toBe(false);
    const again = plimsoll(
      ...writing({ ...full, targets: [place.targets[1] as string] }, COLUMNS, "--resume"),
    );
    expect([again.code, again.err]).toEqual([0, ""]);
    expect(again.out).toContain("kept");
    expect(isCounting(values(plimsoll("read", full.dataset, "t", "--raw").bytes), 0, 12 * 50_000)).toBe(true);
  });
});
if (!isRoot) console.warn("left out: a full file system, which only root can make");
