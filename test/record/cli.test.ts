/** `plimsoll record` as a user runs it: the program's exit code, signals and streams stay its own. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureShim } from "../../src/record/shim.ts";
import { Workshop } from "./kit.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const plimsoll = join(root, "bin", "plimsoll");
const shop = new Workshop();
let ways = "";
let traces = 0;
beforeAll(() => {
  ways = shop.build("ways");
  spawnSync(plimsoll, ["--version"]);
});
afterAll(() => shop.remove());

const folderName = () => shop.path(`out-${++traces}`);

function record(words: readonly string[], options: { env?: Record<string, string>; input?: string } = {}) {
  const folder = folderName();
  const child = spawnSync(plimsoll, ["record", "-o", folder, ...words], {
    encoding: "utf8",
    cwd: shop.folder,
    env: { ...process.env, ...options.env },
    ...(options.input === undefined ? {} : { input: options.input }),
  });
  return { ...child, folder };
}

describe("streams and ends", () => {
  it("stdin, stdout and stderr are the program's; the summary comes on stderr after it", () => {
    const { stdout, stderr, status } = record(["--", "sh", "-c", "cat; echo problem >&2"], {
      input: "hello\n",
    });
    expect([stdout, status]).toEqual(["hello\n", 0]);
    expect(stderr).toMatch(/^problem\nplimsoll: recorded 0 accesses of 0 processes/);
  });

  it.each([
    ["exit-code", 42],
    ["_exit", 3],
    ["kill", 128 + 9],
    ["abort", 128 + 6],
  ])("%s ends us with %d", (way, code) => {
    expect(record(["--", ways, way, shop.path("data")]).status).toBe(code);
  });

  it("sums up what is there", () => {
    const { stderr, folder } = record(["--", ways, "fork", shop.path("data")]);
    expect(stderr).toContain(`recorded 32 accesses of 4 processes on 1 file in ${folder}`);
    expect(stderr).toContain("32 kB requested (0 B read, 32 kB written), 32 kB moved");
    expect(stderr).toMatch(/BPS .*blocks\/s \(of 512 B\), IOPS .*, bandwidth .*B\/s, ARPT /);
  });

  it("--json is one document on stdout; the program's output goes to stderr", () => {
    const { stdout, stderr } = record(["--json", "--", "sh", "-c", `echo text; exec ${ways} plain data`]);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ accesses: 10, bytes: 10_000, movedBytes: 10_000, blocks: 10_000 / 512, with: "shim", exitCode: 0 },
      ...{ processes: 1, files: 1, dropped: { total: 0, notRecorded: 0 } },
    });
    expect(stderr).toContain("text\n");
  });

  it("--report writes the page of the run; what cannot be written does not change the exit code", () => {
    const page = shop.path("run.html");
    const { status, stderr } = record(["--report", page, "--", ways, "exit-code", shop.path("data")]);
    expect(status).toBe(42);
    expect(stderr).toContain(`plimsoll: wrote ${page}: `);
    const html = readFileSync(page, "utf8");
    expect(html).toContain("<title>");
    expect(html).toContain(basename(shop.path("data")));
    const missing = record(["--report", "missing/x.html", "--", ways, "exit-code", shop.path("data")]);
    expect(missing.status).toBe(42);
    expect(missing.stderr).toMatch(/missing\/x\.html/);
    const nothing = record(["--report", page, "--", "sh", "-c", "exit 4"]);
    expect(nothing.status).toBe(4);
    const still = record(["--report", page, "--", "true"]);
    expect(still.stderr).toMatch(/: the recorded program made no calls on data files \(record --all /);
  });

  it("--metadata off records reads, writes and syncs only", () => {
    const { stderr } = record(["--metadata", "off", "--", ways, "plain", shop.path("data")]);
    expect(stderr).toMatch(/I\/O time: reads and writes \S+ s; run time/);
    const on = JSON.parse(record(["--json", "--", ways, "plain", shop.path("data")]).stdout);
    const off = JSON.parse(
      record(["--json", "--metadata", "off", "--", ways, "plain", shop.path("data")]).stdout,
    );
    expect(on.metadata.calls).toBeGreaterThan(0);
    expect(off.metadata).toEqual({ calls: 0, seconds: 0, unionSeconds: 0 });
    // BPS counts reads and writes only.
    for (const key of ["accesses", "bytes", "blocks", "movedBytes", "processes", "files"])
      expect(on[key]).toBe(off[key]);
  });

  it("says what a limit dropped", () => {
    const { stderr, stdout } = record(["--limit", "1M", "--json", "--", ways, "many", "data"]);
    const { accesses, dropped } = JSON.parse(stdout);
    expect(accesses + dropped.notRecorded).toBe(200_000);
    expect(stderr).toBe("");
  });

  it("writes the records of the paper", () => {
    record(["--paper", shop.path("x.bps32"), "--", ways, "plain", "data"]);
    const bytes = readFileSync(shop.path("x.bps32"));
    expect(bytes.length).toBe(320);
    // 1000 bytes are two blocks.
    expect(bytes.readBigUInt64LE(8)).toBe(2n);
  });
});

describe("signals", () => {
  const ended = (child: ChildProcess) =>
    new Promise<number | null>((done) => child.once("exit", (code) => done(code)));

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "%s reaches the program, and we still sum up",
    async (signal) => {
      const folder = folderName();
      const script = `trap 'echo caught; exit 9' TERM INT HUP; echo ready; while :; do sleep 0.02; done`;
      const child = spawn(plimsoll, ["record", "-o", folder, "--", "sh", "-c", script], {
        stdio: ["ignore", "pipe", "pipe"],
        cwd: shop.folder,
      });
      let [out, err] = ["", ""];
      child.stderr.on("data", (text) => (err += text));
      child.stdout.on("data", (text) => {
        if (out === "") child.kill(signal);
        out += text;
      });
      expect(await ended(child)).toBe(9);
      await expect.poll(() => err).toContain("plimsoll: recorded");
      expect(out).toBe("ready\ncaught\n");
    },
  );
});

describe("programs that the library cannot be loaded into", () => {
  it("a static one is recorded with strace, and it says what that means", () => {
    const still = shop.build("ways", { flags: ["-static"], as: "static-ways" });
    const { status, stderr, folder } = record(["--", still, "_exit", shop.path("data")]);
    expect(status).toBe(3);
    expect(stderr).toMatch(
      /static-ways is statically linked: recording with strace: times are 20 to 100 times too long/,
    );
    expect(stderr).toContain("recorded 10 accesses of 1 process on 1 file");
    expect(existsSync(join(folder, "strace.txt"))).toBe(true);
    const refused = record(["--with", "shim", "--", still, "plain", "data"]);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toMatch(
      /statically linked: the recorder cannot be preloaded into it; use --with strace/,
    );
  });

  it("without a compiler strace is used as well; without both there is one clear line", () => {
    const env = { CC: "/nonexistent/cc" };
    const { status, stderr } = record(["--", ways, "exit-code", shop.path("data")], { env });
    expect(status).toBe(42);
    expect(stderr).toMatch(/no C compiler: cannot run \/nonexistent\/cc.*recording with strace/);
    const bare = shop.path("bare");
    mkdirSync(bare);
    for (const name of ["node", "sh", "env", "dirname", "readlink"])
      symlinkSync(
        spawnSync("sh", ["-c", `readlink -f $(command -v ${name})`], { encoding: "utf8" }).stdout.trim(),
        join(bare, name),
      );
    const none = record(["--", ways, "plain", "data"], { env: { ...env, PATH: bare } });
    expect(none.status).toBe(2);
    expect(none.stderr).toMatch(/no C compiler: .* and strace not found; install strace/);
  });

  it("but one with the address sanitizer, which refuses all that is loaded before it", () => {
    const program = shop.build("ways", { flags: ["-fsanitize=address"], as: "sanitized-ways" });
    const { status, stderr } = record(["--with", "shim", "--", program, "exit-code", shop.path("data")]);
    expect(status, stderr).toBe(42);
    expect(stderr).toMatch(/^plimsoll: recorded 1 access of 1 process/);
  });

  it("a compiler that cannot build it is named", () => {
    const broken = shop.path("broken-cc");
    writeFileSync(
      broken,
      '#!/bin/sh\ncase "$*" in --version) echo broken 1;; *) echo "x.c:1: error: no luck" >&2; exit 1;; esac\n',
    );
    chmodSync(broken, 0o755);
    const { status, stderr } = record(["--with", "shim", "--", ways, "plain", "data"], {
      env: { CC: broken },
    });
    expect(status).toBe(1);
    expect(stderr).toBe(`plimsoll: ${broken} cannot build the recorder: x.c:1: error: no luck\n`);
  });
});

describe("requests that cannot be met", () => {
  it("no command, an unknown program, a folder with something in it", () => {
    expect(record([]).status).toBe(2);
    const unknown = record(["--", "no-such-program-here"]);
    expect([unknown.status, unknown.stderr]).toEqual([
      2,
      "plimsoll: no-such-program-here: no such program; see plimsoll record --help\n",
    ]);
    const folder = folderName();
    mkdirSync(folder);
    writeFileSync(join(folder, "mine"), "");
    for (const [path, why] of [
      [folder, "is a folder"],
      [join(folder, "mine"), "is not executable (use chmod +x)"],
    ] as const)
      expect(record(["--", path]).stderr).toBe(`plimsoll: ${path}: ${why}; see plimsoll record --help\n`);
    const run = (...words: string[]) =>
      spawnSync(plimsoll, ["record", "-o", folder, ...words, "--", "true"], { encoding: "utf8" });
    expect(run().stderr).toContain(`${folder} is not empty; choose another folder`);
    expect(run("--force").stderr).toContain(`${folder} is not an earlier trace`);
    expect(readdirSync(folder)).toEqual(["mine"]);
  });

  it("a file in the place of the folder", () => {
    const file = shop.path("in-the-way");
    writeFileSync(file, "");
    const { status, stderr } = record(["-o", file, "--", "true"]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/in-the-way is a file; choose another trace folder \(-o\)/);
  });

  it("--force replaces an earlier trace", () => {
    const folder = folderName();
    const run = (...words: string[]) =>
      spawnSync(plimsoll, ["record", "-o", folder, ...words, "--", ways, "plain", shop.path("data")], {
        encoding: "utf8",
      });
    expect(run().status).toBe(0);
    expect(run().status).toBe(2);
    const again = run("--force");
    expect(again.stderr).toContain("recorded 10 accesses of 1 process");
  });
});

describe("a build of the recorder", () => {
  it("is kept: two at once in an empty cache both work, and one library is left", async () => {
    const cache = shop.path("cache");
    const start = () =>
      spawn(plimsoll, ["record", "-o", folderName(), "--", ways, "exit-code", shop.path("data")], {
        stdio: "ignore",
        env: { ...process.env, XDG_CACHE_HOME: cache },
      });
    const codes = await Promise.all(
      [start(), start()].map((child) => new Promise((done) => child.once("exit", done))),
    );
    expect(codes).toEqual([42, 42]);
    expect(readdirSync(join(cache, "plimsoll"))).toEqual([
      expect.stringMatching(/^recorder-[0-9a-f]{20}-[0-9a-f]{32}\.so$/),
    ]);
  });

  it("goes elsewhere when the cache has a space in its name, which LD_PRELOAD cannot take", () => {
    const { path } = ensureShim();
    const last = shop.path(`plimsoll-${process.getuid?.()}`);
    mkdirSync(last, { mode: 0o700 });
    // What another test has built saves the time.
    copyFileSync(path, join(last, basename(path)));
    const env = { XDG_CACHE_HOME: shop.path("my cache"), HOME: shop.path("my home"), TMPDIR: shop.folder };
    const { status, stderr } = record(["--", ways, "plain", shop.path("data")], { env });
    expect(status, stderr).toBe(0);
    expect(stderr).toContain("recorded 10 accesses");
    expect(existsSync(shop.path("my cache"))).toBe(false);
  });
});
