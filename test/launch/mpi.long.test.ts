/** Real MPI through koffi: ABI tables, messages, endings, files. Both MPIs run four ranks. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ABIS, type Abi } from "../../src/launch/mpi/abi.ts";
import { ENV, LAUNCHERS, missing, noneLeft, Ranks, run } from "./mpi/kit.ts";

const ranks = new Ranks();
beforeAll(() => ranks.make());
afterAll(() => ranks.remove());

const SLOW_MS = 150_000;

it("finds both MPIs", () => {
  expect(missing.map(({ name }) => name)).toEqual([]);
});

describe.each(LAUNCHERS)("$name", (launcher) => {
  const abi: Abi = launcher.name === "MPICH" ? ABIS.mpich : ABIS.openmpi;

  it("has the constants of its table", () => {
    expect(compiled(launcher.mpicc, abi)).toEqual(table(abi));
  });

  it(
    "carries collective calls and messages between four ranks",
    async () => {
      const all = await ranks.run(launcher, "all");
      expect(all).toMatchObject({ code: 0, err: "" });
      expect(JSON.parse(all.out)).toMatchObject({
        size: 4,
        localSize: 4,
        ranks: [0, 1, 2, 3],
        name: expect.stringMatching(new RegExp(`^${launcher.name} \\d[\\w.]* \\(${abi.name}\\)$`)),
      });
    },
    SLOW_MS,
  );

  it(
    "splits what is too long for one call, keeps order, and lets timers go on",
    async () => {
      const storm = await ranks.run(launcher, "storm", ["400"], { CHUNK_BYTES: "50000" });
      expect(storm).toMatchObject({ code: 0, err: "" });
      expect(JSON.parse(storm.out).ticks).toBeGreaterThan(3);
      const all = await ranks.run(launcher, "all", [], { CHUNK_BYTES: "77" });
      expect(all).toMatchObject({ code: 0, err: "" });
    },
    SLOW_MS,
  );

  it(
    "waits for messages without keeping a core busy",
    async () => {
      const idle = await ranks.run(launcher, "idle", [], {}, 2);
      expect(JSON.parse(idle.out).cpuShare).toBeLessThan(0.3);
    },
    SLOW_MS,
  );

  it(
    "ends the run when a rank fails, with one line of that rank",
    async () => {
      const thrown = await ranks.run(launcher, "throw");
      expect(thrown.code).toBe(1);
      expect(ours(thrown.err)).toEqual(["plimsoll: rank 2 of 4: the third rank has had enough"]);
      const rejected = await ranks.run(launcher, "reject");
      expect(rejected.code).toBe(1);
      expect(ours(rejected.err)).toEqual(["plimsoll: rank 1 of 4: rejected here"]);
      const left = await ranks.run(launcher, "exit");
      expect(left.code).toBe(7);
      expect(ours(left.err)).toEqual([]);
      expect(await noneLeft(ranks.program)).toBe(true);
    },
    SLOW_MS,
  );

  it.each(["SIGTERM", "SIGINT"] as const)(
    "ends with its launcher: %s",
    async (signal) => {
      const words = [...launcher.words(3), process.execPath, ranks.program, "wait"];
      let told = false;
      const ended = await run(launcher.mpiexec, words, {
        heard: (text, pid) => {
          if (!text.includes("waiting") || told) return;
          told = true;
          process.kill(pid, signal);
        },
      });
      expect(ended.code).not.toBe(0);
      expect(await noneLeft(ranks.program)).toBe(true);
    },
    SLOW_MS,
  );

  it(
    "reads and writes every shape with every method as a plain program does",
    async () => {
      const folder = join(ranks.folder, abi.id);
      mkdirSync(folder);
      const files = await ranks.run(launcher, "files", [folder]);
      expect(files).toMatchObject({ code: 0, err: "" });
      expect(JSON.parse(files.out).checks).toBeGreaterThan(25);
    },
    SLOW_MS,
  );
});

describe("MPI that does not fit", () => {
  it(
    "is told from ranks that all believe to be alone",
    async () => {
      const [mpich] = LAUNCHERS as [(typeof LAUNCHERS)[0]];
      const ended = await ranks.run(mpich, "all", [], { PLIMSOLL_MPI: "libmpi.so.40" }, 2);
      expect(ended.code).not.toBe(0);
      expect(ended.err).toMatch(
        /mpiexec started 2 processes, but Open MPI \S+ \(libmpi\.so\.40\) sees 1: this launcher belongs to MPICH/,
      );
    },
    SLOW_MS,
  );

  it("is asked for by name", async () => {
    const nothing = await run(process.execPath, [ranks.program], {
      env: { ...ENV, PLIMSOLL_MPI: "libnone.so.1" },
    });
    expect(nothing.err).toMatch(/cannot load the library in PLIMSOLL_MPI \(libnone\.so\.1: .*No such file/);
    const other = await run(process.execPath, [ranks.program], {
      env: { ...ENV, PLIMSOLL_MPI: "libz.so.1" },
    });
    expect(other.err).toContain("libz.so.1 is not an MPI library with MPI-IO: it has no MPI_Init_thread");
  });

  it("needs koffi, and says so", async () => {
    const elsewhere = join(ranks.folder, "ranks.mjs");
    copyFileSync(ranks.program, elsewhere);
    const { err, code } = await run(process.execPath, [elsewhere]);
    expect(code).toBe(1);
    expect(err).toContain("MPI needs the package koffi (not installed); install it with npm install koffi");
  });

  it(
    "refuses methods of Open MPI's own I/O",
    async () => {
      const open = LAUNCHERS[1] as (typeof LAUNCHERS)[0];
      const folder = join(ranks.folder, "ompio");
      mkdirSync(folder);
      const ended = await ranks.run(open, "files", [folder, "posix"], { OMPI_MCA_io: "ompio" }, 1);
      expect(ended.err).toContain("start it with mpiexec --mca io romio321");
    },
    SLOW_MS,
  );
});

describe("the table of the MPI 5 ABI", () => {
  it("has values apart from each other, in the ranges of the standard", () => {
    const { handles, modes, status } = ABIS.standard;
    const values = Object.values(handles);
    expect(new Set(values).size).toBe(values.length);
    // Handles of the standard fit into ten bits, and none is zero.
    expect(values.every((one) => typeof one === "number" && one > 0 && one < 1024)).toBe(true);
    expect(Object.values(modes).reduce((sum, one) => sum | one, 0)).toBe(
      Object.values(modes).reduce((sum, one) => sum + one, 0),
    );
    expect(status).toEqual({ bytes: 32, source: 0, tag: 4 });
  });
});

const ours = (text: string) => text.split("\n").filter((line) => line.startsWith("plimsoll:"));

const CONSTANTS = {
  statusBytes: "sizeof(MPI_Status)",
  source: "offsetof(MPI_Status, MPI_SOURCE)",
  tag: "offsetof(MPI_Status, MPI_TAG)",
  anySource: "MPI_ANY_SOURCE",
  anyTag: "MPI_ANY_TAG",
  commTypeShared: "MPI_COMM_TYPE_SHARED",
  threadFunneled: "MPI_THREAD_FUNNELED",
  maxErrorString: "MPI_MAX_ERROR_STRING",
  maxVersionString: "MPI_MAX_LIBRARY_VERSION_STRING",
  maxInfoValue: "MPI_MAX_INFO_VAL",
  create: "MPI_MODE_CREATE",
  readOnly: "MPI_MODE_RDONLY",
  writeOnly: "MPI_MODE_WRONLY",
  readWrite: "MPI_MODE_RDWR",
  exclusive: "MPI_MODE_EXCL",
  deleteOnClose: "MPI_MODE_DELETE_ON_CLOSE",
  handleBytes: "sizeof(MPI_Comm)",
  fileBytes: "sizeof(MPI_File)",
  offsetBytes: "sizeof(MPI_Offset)",
};

const HANDLES = {
  world: "MPI_COMM_WORLD",
  byte: "MPI_BYTE",
  infoNull: "MPI_INFO_NULL",
  requestNull: "MPI_REQUEST_NULL",
  errorsReturn: "MPI_ERRORS_RETURN",
};

/** What the library's own header says; handles that are addresses are compared by their symbol. */
function compiled(mpicc: string, abi: Abi): unknown {
  const source = join(ranks.folder, `${abi.id}.c`);
  const program = join(ranks.folder, `${abi.id}.out`);
  const numbers = Object.entries(CONSTANTS).map(
    ([name, text]) => `  printf("${name} %ld\\n", (long) ${text});`,
  );
  const handles = Object.entries(HANDLES).map(([name, text]) => {
    const symbol = abi.handles[name as keyof typeof HANDLES];
    return typeof symbol === "number"
      ? `  printf("${name} %ld\\n", (long) ${text});`
      : `  printf("${name} %s\\n", (void *) ${text} == (void *) &${symbol} ? "${symbol}" : "?");`;
  });
  const head = "#include <mpi.h>\n#include <stddef.h>\n#include <stdio.h>\n";
  writeFileSync(source, `${head}int main(void) {\n${[...numbers, ...handles].join("\n")}\n  return 0;\n}\n`);
  const made = spawnSync(mpicc, ["-w", source, "-o", program], { encoding: "utf8" });
  expect(made.stderr).toBe("");
  const { stdout } = spawnSync(program, { encoding: "utf8" });
  return Object.fromEntries(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.split(" ") as [string, string])
      .map(([name, value]) => [name, /^-?\d+$/.test(value) ? Number(value) : value]),
  );
}

function table(abi: Abi): unknown {
  const { status, modes, handles, anySource, anyTag, commTypeShared, threadFunneled } = abi;
  const { maxErrorString, maxVersionString, maxInfoValue } = abi;
  return {
    statusBytes: status.bytes,
    source: status.source,
    tag: status.tag,
    anySource,
    anyTag,
    commTypeShared,
    threadFunneled,
    maxErrorString,
    maxVersionString,
    maxInfoValue,
    ...modes,
    ...handles,
    handleBytes: abi.handleType === "int" ? 4 : 8,
    fileBytes: 8,
    offsetBytes: 8,
  };
}
