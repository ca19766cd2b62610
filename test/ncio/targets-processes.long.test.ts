// Server processes as a user and a program start, lose and stop them.

import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/index.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";
import {
  connectServers,
  runningServers,
  type StartedServers,
  startServers,
} from "../../src/ncio/servers/index.ts";

const program = fileURLToPath(new URL("../../bin/plimsoll", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "plimsoll-processes-"));
let made = 0;
const fresh = (): string => join(root, `t${made++}`);

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
  expect(leftRunning()).toEqual([]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Server processes whose folder is below ours. */
function leftRunning(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const words = readFileSync(`/proc/${name}/cmdline`, "latin1").split("\0");
        return words.some((word) => word.includes("target-server")) &&
          words.some((word) => word.startsWith(root))
          ? [words.join(" ")]
          : [];
      } catch {
        return [];
      }
    });
}

function plimsoll(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    encoding: "utf8",
    cwd: root,
    timeout: 30_000,
  });
  return { code: status, out: stdout, err: stderr };
}

async function start(servers: number, more = {}): Promise<StartedServers> {
  const started = await startServers({ servers, dir: fresh(), ...more });
  endings.push(() => started.stop());
  return started;
}

describe("startServers", () => {
  it.each([undefined, {}])(
    "gives addresses that work, and stop leaves only the data (tcp %j)",
    async (tcp) => {
      const started = await start(2, tcp === undefined ? {} : { tcp });
      expect(started.addresses[0]).toMatch(
        tcp === undefined ? /^unix:\/.*\/0\.sock$/ : /^tcp:127\.0\.0\.1:\d+$/,
      );
      const storage = await connectServers(started);
      const file = await storage.open("x", "create");
      await file.write(60_000, new Uint8Array(80_000).fill(7));
      await file.sync();
      await storage.close();
      if (tcp === undefined) {
        const socket = (started.addresses[0] as string).slice(5);
        expect(statSync(join(socket, "..")).mode & 0o777).toBe(0o700);
      }
      expect(statSync(join(started.dir, "token")).mode & 0o777).toBe(0o600);
      await started.stop();
      expect(readdirSync(started.dir).sort()).toEqual(["layout.json", "server-000", "server-001"]);
      for (const address of started.addresses)
        if (address.startsWith("unix:")) expect(existsSync(address.slice(5))).toBe(false);
    },
  );

  it("a folder for the time being is gone afterwards", async () => {
    const started = await startServers({ servers: 1 });
    expect(existsSync(started.dir)).toBe(true);
    await started.stop();
    expect(existsSync(started.dir)).toBe(false);
  });

  it("what was stored is there for servers started again, and refuses another layout", async () => {
    const dir = fresh();
    const first = await startServers({ servers: 2, dir, stripBytes: 1024 });
    endings.push(() => first.stop());
    const one = await connectServers(first);
    await (await one.open("x", "create")).write(1000, Uint8Array.of(1, 2, 3));
    await one.close();
    await first.stop();
    await expect(startServers({ servers: 3, dir, stripBytes: 1024 })).rejects.toThrow(
      /holds files in strips of 1024 bytes over 2 servers; start with -n 2 --strip 1024/,
    );
    const again = await startServers({ servers: 2, dir, stripBytes: 1024 });
    endings.push(() => again.stop());
    const two = await connectServers(runningServers(dir));
    const into = new Uint8Array(3);
    await (await two.open("x", "read")).read(1000, into);
    expect([...into]).toEqual([1, 2, 3]);
    await two.close();
  });

  it("fails as a whole when a port is taken, and leaves nothing", async () => {
    const dir = fresh();
    const taken = createServer();
    const port = await new Promise<number>((resolve) =>
      taken.listen(0, "127.0.0.1", () => resolve((taken.address() as { port: number }).port)),
    );
    await expect(startServers({ servers: 2, dir, tcp: { port: port - 1 } })).rejects.toThrow(
      new RegExp(`port ${port}: port already in use`),
    );
    taken.close();
    expect(existsSync(dir)).toBe(false);
  });

  it.each([
    [{ servers: 0 }, /number of servers 0/],
    [{ servers: 2, stripBytes: 10 }, /strip 10: expected a whole number from 512/],
    [{ servers: 2, tcp: { port: 65_535 } }, /last port 65536/],
    [{ servers: 2, tcp: { host: "0.0.0.0" } }, /name one address of this machine/],
    [{ servers: 1, simulateSeekMs: -1 }, /simulated seek of -1 ms/],
  ])("%j is refused", async (options, text) => {
    await expect(startServers({ dir: fresh(), ...options })).rejects.toThrow(text);
  });
});

describe("a server that is lost", () => {
  it("killed in the middle: one error that names it, at once, and the others go on", async () => {
    const started = await start(3, { stripBytes: 1024 });
    const storage = await connectServers(started);
    const file = await storage.open("x", "create");
    const writing = (async () => {
      for (let i = 0; ; i++) await file.write((i * 3000) % 90_000, new Uint8Array(3000).fill(i));
    })();
    setTimeout(() => process.kill(started.pids[1] as number, "SIGKILL"), 100);
    await expect(writing).rejects.toThrow(/^server 1 at unix:.*\/1\.sock: closed the connection$/);
    await expect(file.sync()).rejects.toThrow(/^server 1 at/);
    await expect(storage.ping()).rejects.toThrow(/^server 1 at/);
    await file.write(0, new Uint8Array(100));
    await storage.close();
    await expect(connectServers(started)).rejects.toThrow(
      /^server 1 at .*: is not running: connection refused$/,
    );
  });

  it("killed while requests are not waited for: a later call tells", async () => {
    const started = await start(1);
    const storage = await connectServers({ ...started, outstanding: 32 });
    const file = await storage.open("x", "create");
    process.kill(started.pids[0] as number, "SIGKILL");
    const writing = (async () => {
      for (let i = 0; i < 1e6; i++) await file.write(8 * i, new Uint8Array(8));
      await file.sync();
    })();
    await expect(writing).rejects.toThrow(/^server 0 at unix:.*: closed the connection$/);
    await storage.close();
  });

  it("stopped: the client waits as long as it was told, no longer", async () => {
    const started = await start(2);
    const storage = await connectServers({ ...started, timeoutMs: 500 });
    const file = await storage.open("x", "create");
    process.kill(started.pids[0] as number, "SIGSTOP");
    await expect(file.write(0, new Uint8Array(10))).rejects.toThrow(
      /server 0 at unix:.*: did not answer within 0.5 s/,
    );
    process.kill(started.pids[0] as number, "SIGCONT");
    await storage.close();
  });

  it("ends with the program that started it", async () => {
    const dir = fresh();
    const code = `process.title = "parent"; const { startServers } = await import(process.argv[1]); await startServers({ servers: 2, dir: process.argv[2] }); console.log("up"); setInterval(() => {}, 1000);`;
    const bundled = await bundle();
    const parent = spawn(process.execPath, ["--input-type=module", "-e", code, bundled, dir], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => parent.stdout.once("data", resolve));
    expect(leftRunning().length).toBe(2);
    parent.kill("SIGKILL");
    await expect.poll(leftRunning).toEqual([]);
    const { socketFolder } = JSON.parse(readFileSync(join(dir, "targets.json"), "utf8"));
    expect(existsSync(socketFolder)).toBe(false);
    const again = await startServers({ servers: 2, dir });
    endings.push(() => again.stop());
  });
});

/** The library as one file, for a process that is to be killed. */
async function bundle(): Promise<string> {
  const { build } = await import("esbuild");
  const outfile = join(root, "library", "target.mjs");
  mkdirSync(join(root, "library"), { recursive: true });
  const entry = fileURLToPath(new URL("../../src/ncio/servers/index.ts", import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, format: "esm", platform: "node" });
  const server = fileURLToPath(new URL("../../src/ncio/servers/server/process.ts", import.meta.url));
  const serverFile = join(root, "library", "target-server.js");
  await build({ entryPoints: [server], outfile: serverFile, bundle: true, format: "esm", platform: "node" });
  writeFileSync(join(root, "library", "package.json"), '{"type":"module"}');
  return outfile;
}

describe("plimsoll targets", () => {
  it("start, status, stop", async () => {
    const dir = fresh();
    endings.push(async () => plimsoll("targets", "stop", "--dir", dir));
    const started = plimsoll("targets", "start", "-n", "3", "--dir", dir, "--strip", "4K", "--json");
    expect(started).toMatchObject({ code: 0, err: "" });
    const { addresses, servers, stripBytes } = JSON.parse(started.out);
    expect(addresses.length).toBe(3);
    expect(stripBytes).toBe(4096);
    const storage = await connectServers(runningServers(dir));
    await (await storage.open("x", "create")).write(0, new Uint8Array(10_000));
    await storage.close();
    const status = plimsoll("targets", "status", "--dir", dir, "--json");
    const told = JSON.parse(status.out);
    expect(told.addresses).toEqual(addresses);
    expect(told.servers.map((one: { stats: { bytesWritten: number } }) => one.stats.bytesWritten)).toEqual([
      4096, 4096, 1808,
    ]);
    expect(plimsoll("targets", "status", "--dir", dir).out).toMatch(
      /server 2: unix:.*process \d+, up .*1.81 kB written/,
    );
    const twice = plimsoll("targets", "start", "-n", "3", "--dir", dir);
    expect(twice.code).toBe(2);
    expect(twice.err).toMatch(
      /^plimsoll: 3 of 3 servers already run in .*; stop them with plimsoll targets stop --dir /,
    );

    process.kill(servers[1].pid, "SIGKILL");
    await expect.poll(() => leftRunning().length).toBe(2);
    const broken = plimsoll("targets", "status", "--dir", dir);
    expect(broken).toMatchObject({ code: 1 });
    expect(broken.out).toMatch(/server 1: is gone \(unix:/);
    expect(broken.err).toMatch(/^plimsoll: 1 of 3 servers in .* not running: 1 is gone\n$/);
    process.kill(servers[2].pid, "SIGSTOP");
    const stopped = plimsoll("targets", "stop", "--dir", dir, "--remove-data");
    expect(stopped).toMatchObject({ code: 0, err: "" });
    expect(stopped.out).toBe("1 server ended, 1 killed (2), 1 gone before (1)\n");
    expect(readdirSync(dir)).toEqual([]);
    for (const address of addresses) expect(existsSync(address.slice(5))).toBe(false);
  });

  it("says in one line what is wrong", async () => {
    const file = join(root, "a-file");
    writeFileSync(file, "");
    const cases: [string[], number, RegExp][] = [
      [["start", "-n", "0"], 2, /-n 0|--servers 0: must be at least 1/],
      [["start", "-n", "many"], 2, /many: expected a number/],
      [["start", "--strip", "1"], 2, /--strip 1: must be at least 512/],
      [["start", "--dir", ""], 2, /--dir: the name is empty/],
      [["start", "--dir", file], 2, /a-file: is not a folder/],
      [["start", "--dir", join(file, "x")], 2, /not a folder/],
      [["start", "--dir", "/proc/x"], 2, /cannot write in \/proc\/x/],
      [["start", "--port", "99"], 2, /--port needs --tcp or --listen/],
      [["start", "--listen", "0.0.0.0", "--dir", fresh()], 2, /name one address of this machine/],
      [
        ["start", "--listen", "203.0.113.9", "--dir", fresh()],
        1,
        /203.0.113.9 port 0: not an address of this machine/,
      ],
      [["start", "--join", "all"], 2, /--join all: not one of none, touching, sieve/],
      [["stop", "--dir", fresh()], 2, /no servers were started in/],
      [["status", "--dir", fresh()], 2, /no servers were started in/],
      [["start", "extra"], 2, /unexpected argument: extra/],
    ];
    for (const [words, code, text] of cases) {
      const world = fakeWorld();
      const got = await runCli(["targets", ...words], commands, world);
      const { out, err } = world;
      expect(err, words.join(" ")).toMatch(text);
      expect(err.trimEnd().split("\n").length, err).toBe(1);
      expect({ got, out }, words.join(" ")).toEqual({ got: code, out: "" });
    }
    expect(existsSync("plimsoll-targets")).toBe(false);
  });

  it("a state file of processes that are gone, or whose numbers others have now, is taken over", async () => {
    const dir = fresh();
    const bystander = spawn("sleep", ["60"], { stdio: "ignore" });
    try {
      plimsoll("targets", "start", "-n", "1", "--dir", dir);
      endings.push(async () => plimsoll("targets", "stop", "--dir", dir));
      const path = join(dir, "targets.json");
      const state = JSON.parse(readFileSync(path, "utf8"));
      process.kill(state.servers[0].pid, "SIGKILL");
      await expect.poll(leftRunning).toEqual([]);
      state.servers[0].pid = bystander.pid;
      writeFileSync(path, JSON.stringify(state));
      expect(plimsoll("targets", "status", "--dir", dir).err).toMatch(/0 is gone/);
      const again = plimsoll("targets", "start", "-n", "1", "--dir", dir);
      expect(again).toMatchObject({ code: 0, err: "" });
      expect(existsSync(state.socketFolder)).toBe(false);
      const later = JSON.parse(readFileSync(path, "utf8"));
      writeFileSync(
        path,
        JSON.stringify({ ...later, servers: [{ ...later.servers[0], pid: bystander.pid }] }),
      );
      expect(plimsoll("targets", "stop", "--dir", dir).out).toMatch(/1 gone before/);
      expect(bystander.exitCode).toBe(null);
      expect(bystander.killed).toBe(false);
      process.kill(later.servers[0].pid, "SIGTERM");
      await expect.poll(leftRunning).toEqual([]);
      writeFileSync(path, "{}");
      expect(plimsoll("targets", "start", "--dir", dir).err).toMatch(
        /targets.json: not a state file of storage servers/,
      );
      rmSync(path);
    } finally {
      bystander.kill();
    }
  });

  it("--foreground stays until a signal, or until targets stop", async () => {
    for (const way of ["SIGTERM", "SIGINT", "stop"] as const) {
      const dir = fresh();
      const child = spawn(
        process.execPath,
        [program, "targets", "start", "-n", "2", "--dir", dir, "--foreground"],
        {
          stdio: ["ignore", "pipe", "pipe"],
        },
      );
      let err = "";
      child.stderr.on("data", (text: Buffer) => (err += text.toString()));
      const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
      let out = "";
      child.stdout.on("data", (text: Buffer) => (out += text.toString()));
      await expect.poll(() => out).toMatch(/2 servers in/);
      await sleep(50);
      if (way === "stop") expect(plimsoll("targets", "stop", "--dir", dir).out).toBe("2 servers ended\n");
      else child.kill(way);
      expect(await ended, err).toBe({ SIGTERM: 143, SIGINT: 130, stop: 0 }[way]);
      expect(err).toBe("");
      expect(leftRunning()).toEqual([]);
      expect(existsSync(join(dir, "targets.json"))).toBe(false);
    }
  });

  it("a folder that nobody may write to, not even root", () => {
    expect(plimsoll("targets", "start", "--dir", "/sys").err).toMatch(
      /cannot write in \/sys: permission denied/,
    );
    expect(plimsoll("targets", "start", "--dir", "/sys/none").err).toMatch(/cannot write in \/sys\/none: /);
  });
});
