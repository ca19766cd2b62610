import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { FormatError, UsageError } from "../base/errors.ts";
import { type CommandEntry, defineCommand } from "./command.ts";
import { commands } from "./index.ts";
import { runCli } from "./run.ts";
import { attempt, fakeWorld, tableWith } from "./test-kit.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-cli-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function line(argv: string[], table: readonly CommandEntry[] = tableWith(() => {})) {
  const world = fakeWorld();
  const code = await runCli(argv, table, world);
  return { code, out: world.out, err: world.err };
}

describe("exit codes and error lines", () => {
  it("a command that ends well exits 0 and its output is flushed", async () => {
    expect(await attempt((context) => context.out.write("data\n"))).toEqual({
      code: 0,
      out: "data\n",
      err: "",
    });
  });

  it("bad input exits 1 with one line that says where", async () => {
    const result = await attempt(() => {
      throw new FormatError("run.darshan", { offset: 40 }, "expected 8 bytes, 3 left");
    });
    expect(result).toEqual({
      code: 1,
      out: "",
      err: "plimsoll: run.darshan: byte 40: expected 8 bytes, 3 left\n",
    });
  });

  it("a bad request exits 2 and points to the help of its command", async () => {
    const result = await attempt(() => {
      throw new UsageError("--a contradicts --b");
    });
    expect(result.code).toBe(2);
    expect(result.err).toBe("plimsoll: --a contradicts --b; see plimsoll try it --help\n");
  });

  it("a skipped input is named and makes the exit code 3", async () => {
    const result = await attempt((context) => context.skip("a.log", "empty file"));
    expect(result).toEqual({ code: 3, out: "", err: "plimsoll: skipped a.log: empty file\n" });
  });

  it("a missing file is named in plain words", async () => {
    const path = join(folder, "missing");
    const result = await attempt(async () => void (await readFile(path)));
    expect(result).toEqual({ code: 1, out: "", err: `plimsoll: cannot read ${path}: no such file\n` });
  });

  it("a folder given as a file is named though the system error has no path", async () => {
    const result = await attempt(async (_, [path]) => void (await readFile(path ?? "")), [folder]);
    expect(result.err).toBe(`plimsoll: cannot read ${folder}: is a folder\n`);
  });

  it("a fault of our own is one line, and --debug adds stack and causes", async () => {
    const fault = () => {
      throw new Error("x is 3", { cause: new Error("y is 4") });
    };
    const plain = await attempt(fault);
    expect(plain.code).toBe(1);
    expect(plain.err).toBe("plimsoll: internal error: x is 3 (run again with --debug for the stack)\n");
    const debug = await attempt(fault, ["--debug"]);
    expect(debug.err).toMatch(/run\.test\.ts:\d+/);
    expect(debug.err).toContain("caused by: Error: y is 4");
  });

  it("line breaks and terminal codes in a name do not get into the error line", async () => {
    const result = await attempt(() => {
      throw new FormatError("a\n\x1b[31mb", {}, "empty");
    });
    expect(result.err).toBe("plimsoll: a \\x1b[31mb: empty\n");
  });

  it("a pipe that nobody reads ends the run quietly with 0", async () => {
    const write = () => {
      throw Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    };
    const result = await attempt((context) => context.out.write("x".repeat(1e6)), [], fakeWorld({ write }));
    expect(result).toEqual({ code: 0, out: "", err: "" });
  });
});

describe("finding the command", () => {
  it.each([[[]], [["--help"]], [["help"]]])("%j lists the commands and exits 0", async (argv) => {
    const { code, out, err } = await line(argv);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/Commands:\n {2}try {2}it/);
  });

  it("the list has three command lines to start with, and every command under one heading", async () => {
    const { out } = await line(["--help"], commands);
    expect(out.match(/Start here:\n((?: {2}.+\n)+)/)?.[1]?.match(/plimsoll \w+/g)).toEqual(
      ["report", "record", "demo"].map((name) => `plimsoll ${name}`),
    );
    const headings = [...out.matchAll(/^(.+):\n((?: {2}.+\n)+)/gm)].slice(1);
    expect(headings.map(([, heading]) => heading)).toEqual([...new Set(commands.map(({ group }) => group))]);
    const words = headings.flatMap(([, , lines = ""]) =>
      [...lines.matchAll(/^ {2}(\S+)/gm)].map(([, word]) => word),
    );
    expect(words).toEqual([...new Set(commands.map(({ name }) => name.split(" ")[0]))]);
    expect(Math.max(...out.split("\n").map((one) => one.length))).toBeLessThanOrEqual(100);
  });

  it("a group alone lists its members without loading them", async () => {
    const table = tableWith(() => {}).map((entry) => ({
      ...entry,
      load: () => Promise.reject(new Error("loaded")),
    }));
    const { code, out } = await line(["try"], table);
    expect(code).toBe(0);
    expect(out).toContain("it  does what a test says");
  });

  it("--version prints the version", async () => {
    expect(await line(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });

  it("--version --json says what is installed", async () => {
    for (const words of [
      ["--version", "--json"],
      ["--json", "--version"],
    ]) {
      const { code, out } = await line(words);
      const found = JSON.parse(out);
      expect(code).toBe(0);
      expect(found).toMatchObject({ plimsoll: version, node: process.versions.node });
      expect(found.duckdb).toMatch(/^1\./);
      expect(found.parts).toMatchObject({ database: true, recorderSource: true });
    }
  });

  it("`help try it` is the same as `try it --help`", async () => {
    const { out, code } = await line(["help", "try", "it"]);
    expect(code).toBe(0);
    expect(out).toBe((await line(["try", "it", "--help"])).out);
  });

  it.each([
    [["tyr"], "unknown command: tyr (did you mean try?); see plimsoll --help"],
    [["try", "ti"], "unknown command: try ti (did you mean it?); see plimsoll --help"],
    [["--versoin"], "unknown option --versoin (did you mean --version?); see plimsoll --help"],
    [["try", "it", "--jsn"], "unknown option --jsn (did you mean --json?); see plimsoll try it --help"],
    [["help", "nothing"], "unknown command: nothing; see plimsoll --help"],
  ])("%j is wrong usage with a hint", async (argv, message) => {
    expect(await line(argv)).toEqual({ code: 2, out: "", err: `plimsoll: ${message}\n` });
  });

  it("--json and --debug may stand before the command", async () => {
    let seen = {};
    const table = tableWith(({ json, debug }) => void (seen = { json, debug }));
    await line(["--json", "--debug", "try", "it"], table);
    expect(seen).toEqual({ json: true, debug: true });
  });
});

describe("options", () => {
  const table = (seen: unknown[]): CommandEntry[] => {
    const command = defineCommand({
      name: "opt",
      description: "d",
      examples: {
        "plimsoll opt": "e",
      },
      options: {
        "block-size": { kind: "bytes", short: "b", help: "h", default: 4096 },
        ranks: { kind: "number", integer: true, min: 1, help: "h" },
        method: { kind: "choice", choices: ["posix", "mpi"], help: "h" },
        only: { kind: "list", help: "h" },
        verify: { kind: "boolean", default: true, help: "h" },
        quick: { kind: "boolean", help: "h" },
        output: { kind: "string", short: "o", help: "h" },
      },
      async run({ options }) {
        const blockSize: number = options.blockSize;
        const method: "posix" | "mpi" | undefined = options.method;
        seen.push({ ...options, blockSize, method });
      },
    });
    return [{ name: "opt", summary: "s", load: async () => ({ default: command }) }];
  };

  it("have typed values and defaults", async () => {
    const seen: unknown[] = [];
    await line(["opt"], table(seen));
    await line(
      ["opt", "-b", "1.5MiB", "--ranks=8", "--method", "mpi", "--only", "a", "--only", "b", "--no-verify"],
      table(seen),
    );
    expect(seen).toEqual([
      { blockSize: 4096, only: [], verify: true, quick: false },
      { blockSize: 1572864, ranks: 8, method: "mpi", only: ["a", "b"], verify: false, quick: false },
    ]);
  });

  it("--out is a silent name of --output", async () => {
    const seen: { output?: string }[] = [];
    for (const name of ["--output", "-o", "--out"]) await line(["opt", name, "x"], table(seen));
    expect(seen.map((options) => ({ output: options.output, out: "out" in options }))).toEqual(
      Array(3).fill({ output: "x", out: false }),
    );
    expect((await line(["opt", "--help"], table([]))).out).not.toMatch(/--out\b/);
  });

  it.each([
    [["--block-size", "big"], "--block-size big: expected a size such as 4096, 64K or 1.5MiB"],
    [["--ranks", "0"], "--ranks 0: must be at least 1"],
    [["--ranks", "1.5"], "--ranks 1.5: expected a whole number"],
    [["--method", "psix"], "--method psix: not one of posix, mpi (did you mean posix?)"],
    [["--ranks"], "--ranks <N>: the value is missing"],
    [["-o", "-"], "--output -: name a file; /dev/stdout stands for standard output"],
    [["-o", ""], "--output: the name is empty"],
    [["extra"], "unexpected argument: extra; see"],
  ])("%j is wrong usage", async (words, message) => {
    const { code, err } = await line(["opt", ...words], table([]));
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("the context", () => {
  it("prints one JSON document in which large integers are exact", async () => {
    const rows = function* () {
      yield { id: 18446744073709551615n };
      yield { id: 7n };
    };
    const value = {
      rows: rows(),
      bytes: new Float64Array([1, 0.5]),
      none: null,
      gone: undefined,
      bad: Number.NaN,
    };
    const { out } = await attempt((context) => context.printJson(value), ["--json"]);
    expect(out).toBe(
      '{"rows":[{"id":"18446744073709551615"},{"id":7}],"bytes":[1,0.5],"none":null,"bad":null}\n',
    );
  });

  it.each([
    [{}, true, true],
    [{ NO_COLOR: "1" }, true, false],
    [{ TERM: "dumb" }, true, false],
    [{}, false, false],
  ])("with %j and terminal %j, colour is %j", async (env, terminal, expected) => {
    let color: boolean | undefined;
    await attempt((context) => void (color = context.color), [], fakeWorld({ env: env as never, terminal }));
    expect(color).toBe(expected);
  });

  it("shows progress only on a terminal and only after two seconds", async () => {
    const work = (world: ReturnType<typeof fakeWorld>) =>
      attempt(
        (context) => {
          const bar = context.progress({ label: "reading", total: 100, unit: "logs" });
          world.clockMs = 1900;
          bar.update(40);
          expect(world.err).toBe("");
          world.clockMs = 4000;
          bar.update(50);
          bar.end();
        },
        [],
        world,
      );
    expect((await work(fakeWorld({ terminal: true }))).err).toMatch(
      /50% {2}50 logs {2}13 logs\/s {2}4 s left/,
    );
    expect((await work(fakeWorld())).err).toBe("");
  });

  it("removes what was half written when the command fails, and keeps what was done", async () => {
    const [half, whole] = [join(folder, "half"), join(folder, "whole")];
    await attempt((context) => {
      for (const path of [half, whole]) {
        const output = context.partialOutput(path);
        writeFileSync(path, "x");
        if (path === whole) output.done();
      }
      throw new FormatError("in", {}, "broken");
    });
    expect([existsSync(half), existsSync(whole)]).toEqual([false, true]);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s removes what was half written and exits %i", async (signal, expected) => {
    const path = join(folder, signal);
    const world = fakeWorld();
    const { code, err } = await attempt(
      (context) => {
        context.partialOutput(path);
        writeFileSync(path, "x");
        setTimeout(() => world.send(signal));
        return new Promise(() => {});
      },
      [],
      world,
    );
    expect({ code, err, left: existsSync(path) }).toEqual({ code: expected, err: "", left: false });
  });

  it("a command that takes the signal may stop by itself", async () => {
    const world = fakeWorld();
    let stopped = false;
    const { code } = await attempt(
      async (context) => {
        const { signal } = context;
        setTimeout(() => world.send("SIGINT"));
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        stopped = true;
      },
      [],
      world,
    );
    expect({ code, stopped }).toEqual({ code: 130, stopped: true });
  });
});

describe.each(commands)("plimsoll $name", (entry) => {
  it("has the same name in the table and in its file, and its help has an example", async () => {
    const command = (await entry.load()).default;
    expect(command.name).toBe(entry.name);
    const { code, out } = await line([...entry.name.split(" "), "--help"], commands);
    expect(code).toBe(0);
    for (const flag of ["--json", "--debug", "--help"]) expect(out).toContain(flag);
    expect(out).toMatch(/Examples:\n {2}\S/);
    expect(out).toContain("plimsoll");
  });
});
