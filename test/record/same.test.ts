/** A recorded program keeps its rights and its exit code, whatever it does to itself and to the trace. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unseenNotes } from "../../src/record/unseen.ts";
import { Workshop } from "./kit.ts";

const plimsoll = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), "bin", "plimsoll");
const shop = new Workshop();
beforeAll(() => void spawnSync(plimsoll, ["--version"]));
afterAll(() => shop.remove());
let folders = 0;

const newFolder = (name = "work") => {
  const folder = shop.path(`${name}-${++folders}`);
  mkdirSync(folder);
  return folder;
};

interface Setting {
  readonly cwd?: string;
  readonly user?: number;
}

function run(program: string, words: readonly string[], { cwd = shop.folder, user }: Setting = {}) {
  const env = user === undefined ? process.env : { ...process.env, HOME: join(cwd, "home") };
  const rights = user === undefined ? {} : { uid: user, gid: user };
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8", cwd, env, ...rights });
  return { status, stdout, stderr };
}
const record = (words: readonly string[], setting: Setting = {}) =>
  run(plimsoll, ["record", ...words], setting);

describe("the exit code is the program's", () => {
  it("when the program removes the trace folder", () => {
    const cwd = newFolder();
    const { status, stderr } = record(["--", "sh", "-c", "rm -rf ./*; exit 5"], { cwd });
    expect(status).toBe(5);
    expect(stderr).toMatch(
      /^plimsoll: \S+\/plimsoll-record-\d+ was removed while the program ran, and the trace with it; choose a folder that the program does not touch \(-o\)\n$/,
    );
    const json = record(["--json", "--", "sh", "-c", "rm -rf ./*; exit 5"], { cwd });
    expect(json.status).toBe(5);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ...{ exitCode: 5, accesses: 0, lost: expect.stringContaining("was removed") },
    });
  });

  it("when it removes the files in it", () => {
    const cwd = newFolder();
    const { status, stderr } = record(["--", "sh", "-c", "echo x > data; rm -f */*; exit 5"], { cwd });
    expect(status).toBe(5);
    expect(stderr).toContain("were removed while the program ran: records are missing");
  });

  it("when it puts something else in the place of the trace", () => {
    const cwd = newFolder();
    const script = "echo x > data; for f in t/*.plt; do echo PLTRACE > $f; done; kill -TERM $$";
    const { status, stderr } = record(["-o", "t", "--", "sh", "-c", script], { cwd });
    expect(status).toBe(128 + 15);
    expect(stderr).toContain("1 process not recorded: no space in");
    const broken = `echo x > data; for f in t2/*.plt; do printf 'PLTRACE\\0%4096s' > $f; done; exit 7`;
    const second = record(["-o", "t2", "--", "bash", "-c", broken], { cwd });
    expect(second.status).toBe(7);
    expect(second.stderr).toMatch(/^plimsoll: .*\.plt: byte \d+: /);
  });

  it("when the records of the paper cannot be written", () => {
    const cwd = newFolder();
    const words = ["-o", "t", "--paper", "missing/x.bps32", "--", "sh", "-c", "echo x > data; exit 4"];
    const { status, stderr } = record(words, { cwd });
    expect(status).toBe(4);
    expect(stderr).toMatch(
      /^plimsoll: recorded 1 access .*\nplimsoll: cannot \w+ missing\/x\.bps32: no such \w+\n$/s,
    );
  });
});

const OTHER_USER = 65_533;
const isRoot = process.getuid?.() === 0;

describe.runIf(isRoot)("a set-uid program keeps its rights", () => {
  const cwd = newFolder("rights");
  for (const folder of [shop.folder, cwd]) chmodSync(folder, 0o777);
  const program = shop.build("rights", { as: "rights" });
  /** A set-uid copy; undefined where the file system ignores the bit. */
  const copyFor = (user: number, runBy: number) => {
    const path = join(cwd, `rights-of-${user}`);
    copyFileSync(program, path);
    chownSync(path, user, user);
    chmodSync(path, 0o4755);
    const { stdout } = run(path, ["plain"], { cwd, user: runBy });
    return stdout === `${runBy} ${user}\n` ? path : undefined;
  };
  const seldom = copyFor(OTHER_USER, 0);
  const usual = copyFor(0, OTHER_USER);
  const home = join(cwd, "home");
  mkdirSync(home);
  chownSync(home, OTHER_USER, OTHER_USER);

  it.runIf(seldom)("run by root, with strace: itself or as the child of another", () => {
    const alone = record(["-o", "t1", "--", seldom as string, "data"], { cwd });
    expect([alone.status, alone.stdout]).toEqual([3, `0 ${OTHER_USER}\n`]);
    expect(alone.stderr).toMatch(/set-uid program: recording with strace/);
    const words = ["-o", "t2", "--with", "strace", "--", "sh", "-c", `${seldom} data; exit 6`];
    const child = record(words, { cwd });
    expect([child.status, child.stdout]).toEqual([6, `0 ${OTHER_USER}\n`]);
  });

  it.runIf(usual)("run by another user, who is told that it is not recorded", () => {
    const setting = { cwd, user: OTHER_USER };
    const alone = record(["-o", "t3", "--", usual as string, "data3"], setting);
    expect([alone.status, alone.stdout]).toEqual([3, `${OTHER_USER} 0\n`]);
    expect(alone.stderr).toMatch(/is a set-uid program: .* it runs without being recorded\n/);
    const refused = record(["-o", "t4", "--with", "strace", "--", usual as string, "data3"], setting);
    expect([refused.status, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toMatch(
      /under strace it would lose its privileges; record the programs that it starts/,
    );
  });

  it.runIf(seldom)("started by a recorded program, whose summary names it", async () => {
    const { folder, accesses } = await shop.record(["sh", "-c", `${seldom} data5`], { cwd });
    expect(readFileSync(join(cwd, "data5"), "utf8")).toBe(`0 ${OTHER_USER}\n`);
    expect(accesses).toEqual([]);
    expect(unseenNotes(folder)).toMatchObject([
      { id: "unseen-programs", text: expect.stringContaining(`${seldom} (set-uid)`) },
    ]);
  });
});

describe.runIf(isRoot)("a program that leaves the place where the trace is", () => {
  it("by chroot is recorded up to there, its output is the same, and what follows is said to be missing", () => {
    const root = newFolder("root");
    const still = shop.build("ways", { flags: ["-static"], as: "ways-static" });
    copyFileSync(still, join(root, "ways"));
    const ways = shop.build("ways", { as: "ways-plain" });
    const folder = newFolder("trace");
    const script = `${ways} plain ${shop.path("data")}; chroot ${root} /ways exit-code /data`;
    const { status, stderr } = record(["-o", folder, "--", "sh", "-c", script]);
    expect(status).toBe(42);
    expect(stderr).toContain("recorded 10 accesses of 1 process");
    expect(stderr).toContain(
      `Not recorded: programs started after a chroot by chroot (to ${root}). --with strace records them.`,
    );
  });

  it("by chroot to where it is already, is not", async () => {
    const { folder, exitCode } = await shop.record(["chroot", "/", "true"]);
    expect([exitCode, unseenNotes(folder)]).toEqual([0, []]);
  });

  it("as another user who cannot reach it runs without a word of the loader", () => {
    const folder = newFolder("private");
    chmodSync(folder, 0o700);
    const words = ["setpriv", "--reuid", String(OTHER_USER), "--clear-groups", "sh", "-c", "echo ran; true"];
    const { status, stdout, stderr } = record(["-o", join(folder, "trace"), "--", ...words]);
    expect([status, stdout]).toEqual([0, "ran\n"]);
    expect(stderr).not.toContain("ld.so");
    expect(stderr).toContain("Not recorded: programs started after a change of user by setpriv;");
  });
});

it("a trace that is truncated while the program runs is said in the summary", () => {
  const cwd = newFolder();
  const script = "echo a > data; for f in t/*.plt; do : > $f; done; echo b > data; exit 8";
  const { status, stderr } = record(["-o", "t", "--", "sh", "-c", script], { cwd });
  expect(status).toBe(8);
  expect(stderr).toContain("1 process not recorded: no space in");
  expect(stderr).toContain("or the trace file was truncated");
  expect(readdirSync(cwd).sort()).toEqual(["data", "t"]);
  expect(existsSync(join(cwd, "t", "run.json"))).toBe(true);
});

it("a process whose trace has no space is told of in reports on the others", () => {
  const cwd = newFolder();
  const script = "cat /etc/passwd > data; for i in 1 2; do (echo $i > part$i) done; exit 3";
  expect(record(["-o", "t", "--", "sh", "-c", script], { cwd }).status).toBe(3);
  writeFileSync(join(cwd, "t", "node.1.2.plt"), "");
  for (const words of [
    ["report", "t"],
    ["bps", "t"],
  ]) {
    const { stdout, stderr } = run(plimsoll, words, { cwd });
    expect(`${stdout}${stderr}`.replace(/\s+/g, " ")).toContain("1 process not recorded: no space in");
  }
});

it("a folder that is not ours to write is refused before the program runs", () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, "file"), "");
  const { status } = record(["-o", "file/t", "--", "sh", "-c", "echo ran > ran"], { cwd });
  expect(status).not.toBe(0);
  expect(existsSync(join(cwd, "ran"))).toBe(false);
});
