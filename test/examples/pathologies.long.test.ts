/** The programs of examples/pathologies, in a tiny size: both variants do the same, findings read what was recorded, nothing is left. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

interface Program {
  readonly name: string;
  readonly source: string;
  readonly cause: string;
  readonly ranks?: number;
  readonly folders?: readonly string[];
  readonly prepare?: boolean;
  readonly same?: boolean;
  readonly tiny: number;
}

interface Built {
  readonly launcher: readonly string[];
  readonly command: readonly string[];
}

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const example = join(root, "examples", "pathologies");
const plimsoll = join(root, "bin", "plimsoll");
const load = (file: string) => import(new URL(`../../examples/pathologies/${file}`, import.meta.url).href);

const { programs } = (await load("programs.mjs")) as { programs: readonly Program[] };
const { build } = (await load("build.mjs")) as { build: (program: Program, folder: string) => Built };
const { noThrottling } = (await load("storage.mjs")) as { noThrottling: () => string | undefined };

const folder = mkdtempSync(join(tmpdir(), "plimsoll-pathologies-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(words[0] as string, words.slice(1), {
    cwd: folder,
    encoding: "utf8",
  });
  expect(status, `${words.join(" ")}: ${stderr}`).toBe(0);
  return stdout;
}

/** Names and contents of all files below some folders, whichever of them they are in. */
function filesOf(folders: readonly string[]) {
  return folders
    .flatMap((one) => readdirSync(one, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const content = readFileSync(join(parentPath, name));
      return [name, content.length, createHash("sha256").update(content).digest("hex")].join(" ");
    })
    .sort();
}

/** The data set that hdf5_fill writes; its property lists differ between the variants. */
const READ_FIELD =
  "import h5py, hashlib, sys; print(hashlib.sha256(h5py.File(sys.argv[1])['field'][...].tobytes()).hexdigest())";

describe.each(programs.map((program) => [program.name, program] as const))("%s", (name, program) => {
  const targets = (program.folders ?? ["t0"]).map((target) => join(folder, "data", name, target));
  const fieldFile = targets.map((target) => join(target, "out.h5"));
  let built: Built | undefined;

  function fresh(): Built {
    rmSync(join(folder, "data", name), { recursive: true, force: true });
    for (const target of targets) mkdirSync(target, { recursive: true });
    built ??= build(program, folder);
    if (program.prepare) run([...words(built), "--prepare"]);
    return built;
  }

  const words = ({ launcher, command }: Built) => [
    ...launcher,
    ...command,
    ...targets,
    "--count",
    String(program.tiny),
  ];

  it("does the same when it is mended", () => {
    const [flawed, mended] = [[], ["--mended"]].map((flags) => ({
      said: run([...words(fresh()), ...flags]),
      left:
        name === "hdf5_fill" ? run(["/usr/bin/python3", "-c", READ_FIELD, ...fieldFile]) : filesOf(targets),
    }));
    expect(flawed?.left).not.toHaveLength(0);
    expect(mended).toEqual(flawed);
  });

  it("is recorded, and findings read the recording", () => {
    const trace = join(folder, `${name}.trace`);
    run([plimsoll, "record", "--force", "-o", trace, "--", ...words(fresh())]);
    const { findings, job, files } = JSON.parse(run([plimsoll, "findings", trace, "--json"]));
    expect(findings).toBeInstanceOf(Array);
    expect(job.ranks).toBeGreaterThanOrEqual(1);
    // A rank without I/O has no trace.
    expect(job.ranks).toBeLessThanOrEqual(program.ranks ?? 1);
    expect(files.some(({ path }: { path: string }) => path.startsWith(join(folder, "data", name)))).toBe(
      true,
    );
  });
});

it("causes are those of the programs' table, and each program has its source", () => {
  expect(programs.length).toBeGreaterThanOrEqual(14);
  expect(new Set(programs.map(({ name }) => name)).size).toBe(programs.length);
  const sources = readdirSync(join(example, "programs")).filter((file) => !file.startsWith("common."));
  expect(sources.sort()).toEqual(programs.map(({ source }) => source).sort());
  const readme = readFileSync(join(example, "README.md"), "utf8");
  for (const { name, cause } of programs) expect(readme).toContain(`| \`${name}\` | ${cause} |`);
});

interface Traces {
  readonly mounts: readonly string[];
  readonly images: readonly string[];
  readonly groups: readonly string[];
}

/** What a runner has made whose temporary folder is this one: mounts, images of loop devices, control groups. */
function madeBy(temporary: string): Traces {
  const mounted = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, mount]) => mount?.startsWith(temporary));
  const devices = mounted.map(([device]) => device as string);
  const images = loops()
    .filter(([device]) => devices.includes(device as string))
    .map(([, image]) => image as string);
  const ids = new Set(images.map((image) => /plimsoll-pathologies-\d+/.exec(image)?.[0] as string));
  return { mounts: mounted.map(([, mount]) => mount as string), images, groups: [...ids] };
}

const loops = () =>
  spawnSync("losetup", ["-l", "-n", "-O", "NAME,BACK-FILE"], { encoding: "utf8" })
    .stdout.split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([device]) => device !== "");

const groupsLeft = (names: readonly string[]) =>
  ["/sys/fs/cgroup", "/sys/fs/cgroup/blkio", "/sys/fs/cgroup/unified"].flatMap((top) => {
    try {
      return readdirSync(top).filter((name) => names.includes(name));
    } catch {
      return [];
    }
  });

/** What is still there of it. */
function leftOf({ mounts, images, groups }: Traces): readonly string[] {
  const mounted = readFileSync("/proc/mounts", "utf8");
  const attached = loops().map(([, image]) => image);
  return [
    ...mounts.filter((mount) => mounted.includes(` ${mount} `)),
    ...images.filter((image) => attached.includes(image)),
    ...readdirSync("/dev/shm").filter((name) => images.some((image) => basename(image) === name)),
    ...groupsLeft(groups),
  ];
}

function startRunner(temporary: string, ...args: string[]): ChildProcess {
  mkdirSync(temporary);
  return spawn(process.execPath, [join(example, "run.mjs"), "-o", join(temporary, "results.json"), ...args], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: "ignore",
  });
}

const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once("close", resolve));

const hasTargets = noThrottling() === undefined;

describe("the runner", () => {
  it("writes a row for each program and input, and leaves nothing", async () => {
    const temporary = join(folder, "whole");
    const child = startRunner(
      temporary,
      "--tiny",
      "--repeats",
      "1",
      "small_writes",
      "slow_target",
      "open_churn",
    );
    expect(await ended(child)).toBe(0);
    const rows = JSON.parse(readFileSync(join(temporary, "results.json"), "utf8"));
    expect(rows.map(({ program, input }: { program: string; input: string }) => [program, input])).toEqual([
      ["small_writes", "record"],
      ["slow_target", "record"],
      ["open_churn", "record"],
      ["open_churn", "strace"],
    ]);
    for (const row of rows) {
      expect(row.flawedSeconds.median).toBeGreaterThan(0);
      expect(row.trueGainSeconds).toBeCloseTo(row.flawedSeconds.median - row.mendedSeconds.median, 9);
      expect(row).toHaveProperty("firstFinding");
      expect(row).toHaveProperty("predictedSeconds");
      expect(row.storage).toBe(hasTargets ? "throttled" : "plain");
    }
    expect(readdirSync(temporary)).toEqual(["results.json"]);
  });

  it("refuses a program that is none", async () => {
    const child = spawnSync(process.execPath, [join(example, "run.mjs"), "small_write"], {
      encoding: "utf8",
    });
    expect(child.status).toBe(1);
    expect(child.stderr).toContain("unknown program small_write (have: small_writes,");
  });

  it.runIf(hasTargets).each(["SIGTERM", "SIGKILL"] as const)(
    "leaves no mount, loop device or control group after %s",
    async (signal) => {
      const temporary = join(folder, signal);
      const child = startRunner(temporary, "--repeats", "50", "slow_target");
      const end = ended(child);
      await expect.poll(() => madeBy(temporary).mounts.length, { timeout: 50_000 }).toBe(4);
      const made = madeBy(temporary);
      expect(made.images).toHaveLength(4);
      expect(groupsLeft(made.groups)).toHaveLength(1);
      child.kill(signal);
      await end;
      await expect.poll(() => leftOf(made), { timeout: 30_000 }).toEqual([]);
      expect(madeBy(temporary).mounts).toEqual([]);
    },
    120_000,
  );

  it.runIf(hasTargets)("leaves nothing when a target cannot be made", async () => {
    const work = join(folder, "broken");
    mkdirSync(work);
    const child = spawn(join(example, "storage.sh"), [
      work,
      "t0:64:10:10:10:10:",
      "t1:64:10:10:10:10:no-such-option",
    ]);
    const { pid } = child;
    expect(await ended(child)).toBe(1);
    expect(readFileSync("/proc/mounts", "utf8")).not.toContain(work);
    expect(loops().filter(([, image]) => image?.includes(`plimsoll-pathologies-${pid}-`))).toEqual([]);
    expect(groupsLeft([`plimsoll-pathologies-${pid}`])).toEqual([]);
  });
});
