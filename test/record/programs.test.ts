/** Real programs under the recorder: they do what they do without it, and the trace has what they are known to do. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "../../src/base/prng.ts";
import { CALL_COLLECTIVE, CALL_NESTED } from "../../src/model/calls.ts";
import { ensureShim } from "../../src/record/shim.ts";
import { type Access, listFolder, readFolder, Workshop, WRITE_FLAG } from "./kit.ts";

const shop = new Workshop();
afterAll(() => shop.remove());

const input = shop.path("input");
const INPUT_BYTES = 1_000_000;
beforeAll(() => {
  const random = new Random(1);
  writeFileSync(
    input,
    Uint8Array.from({ length: INPUT_BYTES }, () => random.below(256)),
  );
  ensureShim();
});

/** Runs a command in a folder of its own, with and without the recorder, and compares all that can be seen of it. */
function both(
  command: readonly string[],
  env: Record<string, string> = {},
  prepare: (folder: string) => void = () => {},
) {
  const run = (recorded: boolean) => {
    const folder = shop.path("run");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    prepare(folder);
    const trace = shop.path("trace");
    rmSync(trace, { recursive: true, force: true });
    mkdirSync(trace);
    writeFileSync(join(trace, "options"), `only=${folder}\nonly=${input}\n`);
    const extra = recorded ? { LD_PRELOAD: ensureShim().path, PLIMSOLL_RECORD: trace } : {};
    const child = spawnSync(command[0] as string, command.slice(1), {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, ...env, ...extra },
    });
    const files = listFolder(folder).filter((name) => statSync(join(folder, name)).isFile());
    const contents = files.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex"),
    ]);
    return {
      status: child.status,
      signal: child.signal,
      stdout: child.stdout,
      stderr: child.stderr,
      contents,
    };
  };
  const plain = run(false);
  const recorded = run(true);
  expect(recorded).toEqual(plain);
  return { ...plain, ...readFolder(shop.path("trace")) };
}

const sum = (
  accesses: readonly Access[],
  write: boolean,
  of: (one: Access) => number = ({ moved }) => moved,
) =>
  accesses
    .filter(({ flags }) => ((flags & WRITE_FLAG) !== 0) === write)
    .reduce((total, one) => total + of(one), 0);

describe("programs of every day", () => {
  it("dd: blocks in and out", () => {
    const { accesses, status } = both(["dd", `if=${input}`, "of=copy", "bs=4096", "status=none"]);
    expect(status).toBe(0);
    // 244 whole blocks and a part of 576 bytes; then one read that finds the end.
    expect(accesses.filter(({ path }) => path === input)).toHaveLength(246);
    expect(accesses.filter(({ path }) => path.endsWith("/copy"))).toHaveLength(245);
    expect(sum(accesses, false)).toBe(INPUT_BYTES);
    expect(sum(accesses, true, ({ bytes }) => bytes)).toBe(INPUT_BYTES);
    expect(sum(accesses, false, ({ bytes }) => bytes)).toBe(246 * 4096);
  });

  it("dd with a failing end", () => {
    expect(both(["dd", "if=missing", "of=copy"]).status).toBe(1);
  });

  it("tar: all bytes of the files, and an archive of whole records", () => {
    const { accesses, status } = both(
      ["tar", "--mtime=@0", "--owner=0", "--group=0", "--sort=name", "-cf", "a.tar", "data"],
      {},
      (folder) => {
        mkdirSync(join(folder, "data"));
        for (let i = 0; i < 20; i++) writeFileSync(join(folder, "data", `f${i}`), "x".repeat(1000 * i));
      },
    );
    expect(status).toBe(0);
    const archive = accesses.filter(({ path }) => path.endsWith("/a.tar"));
    // GNU tar writes records of 20 blocks.
    expect(archive.every(({ bytes, moved }) => bytes === 10_240 && moved === 10_240)).toBe(true);
    expect(sum(archive, true)).toBe(10_240 * archive.length);
    expect(sum(accesses, false)).toBe(1000 * 190);
  });

  it("sqlite3: pages of the database", () => {
    const sql =
      "pragma page_size=4096; create table t(a, b); with recursive c(x) as (select 1 union all select x+1 from c where x<20000) insert into t select x, x*x from c; select count(*), sum(b) from t;";
    const { accesses, stdout, notes } = both(["sqlite3", "x.db", sql]);
    expect(stdout.trim()).toBe("20000|2666866670000");
    const pages = accesses.filter(
      ({ path, flags, bytes }) => path.endsWith("/x.db") && flags & WRITE_FLAG && bytes === 4096,
    );
    expect(pages.length).toBeGreaterThan(50);
    expect(notes.get("sync")?.count).toBeGreaterThan(0);
  });

  it("python3: raw, buffered and positioned accesses, and a child", () => {
    const script = `
import os, subprocess, sys
with open("a", "wb", buffering=0) as f:
    for i in range(50): f.write(b"x" * 1000)
with open("a", "rb") as f:
    assert len(f.read()) == 50000
fd = os.open("b", os.O_RDWR | os.O_CREAT)
for i in range(25): os.pwrite(fd, b"y" * 2000, 2000 * i)
os.close(fd)
subprocess.run(["cp", "b", "c"], check=True)
if os.fork() == 0:
    open("d", "wb", buffering=0).write(b"z" * 123)
    os._exit(0)
os.wait()
print("done")
sys.exit(5)
`;
    const python = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], {
      encoding: "utf8",
    }).stdout.trim();
    const { accesses, status, stdout, processes } = both([python, "-c", script]);
    expect([status, stdout]).toEqual([5, "done\n"]);
    const on = (name: string, write: boolean) =>
      accesses.filter(
        ({ path, flags }) => path.endsWith(`/run/${name}`) && ((flags & WRITE_FLAG) !== 0) === write,
      );
    expect(on("a", true).map(({ bytes }) => bytes)).toEqual(Array(50).fill(1000));
    expect(on("a", false).reduce((total, { moved }) => total + moved, 0)).toBe(50_000);
    expect(on("b", true).map(({ bytes }) => bytes)).toEqual(Array(25).fill(2000));
    expect(on("c", true).reduce((total, { moved }) => total + moved, 0)).toBe(50_000);
    expect(on("d", true).map(({ bytes }) => bytes)).toEqual([123]);
    // Itself, cp and the forked child.
    expect(processes).toHaveLength(3);
  });

  it("node: synchronous calls, promises and streams", () => {
    const script = `
const fs = require("fs");
(async () => {
  const fd = fs.openSync("a", "w+");
  for (let i = 0; i < 30; i++) fs.writeSync(fd, Buffer.alloc(1500), 0, 1500, 1500 * i);
  fs.fsyncSync(fd);
  const handle = await fs.promises.open("b", "w");
  for (let i = 0; i < 20; i++) await handle.write(Buffer.alloc(700), 0, 700, 700 * i);
  await handle.close();
  fs.copyFileSync("a", "c");
  let total = 0;
  for await (const piece of fs.createReadStream("a", { highWaterMark: 5000 })) total += piece.length;
  console.log(total);
  process.exitCode = 6;
})();
`;
    const { accesses, status, stdout, notes } = both([process.execPath, "-e", script]);
    expect([status, stdout]).toEqual([6, "45000\n"]);
    const on = (name: string, write: boolean) =>
      accesses.filter(
        ({ path, flags }) => path.endsWith(`/run/${name}`) && ((flags & WRITE_FLAG) !== 0) === write,
      );
    expect(on("a", true).map(({ bytes }) => bytes)).toEqual(Array(30).fill(1500));
    expect(on("b", true).map(({ bytes }) => bytes)).toEqual(Array(20).fill(700));
    expect(on("c", true).reduce((total, { moved }) => total + moved, 0)).toBe(45_000);
    // The copy reads it once, the stream once.
    expect(on("a", false).reduce((total, { moved }) => total + moved, 0)).toBe(90_000);
    expect(notes.get("sync")?.count).toBe(1);
  });

  it("a shell with pipes and redirections", () => {
    const { accesses, status } = both([
      "sh",
      "-c",
      `cat ${input} | head -c 50000 > out; wc -c < out; exit 3`,
    ]);
    expect(status).toBe(3);
    expect(
      sum(
        accesses.filter(({ path }) => path.endsWith("/out")),
        true,
      ),
    ).toBe(50_000);
  });
});

const stacks = [
  {
    name: "MPICH",
    compiler: "mpicc.mpich",
    fortran: "mpif90.mpich",
    run: "mpiexec.mpich",
    words: [] as string[],
  },
  {
    name: "Open MPI",
    compiler: "mpicc.openmpi",
    fortran: "mpif90.openmpi",
    run: "mpiexec.openmpi",
    words: ["--oversubscribe"],
  },
];
/** Root may not run Open MPI without these. */
const env = {
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  OMPI_MCA_btl_vader_single_copy_mechanism: "none",
};
const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

/** At least one is there: the list of what tests need has an MPI. */
const present = stacks.filter(({ compiler }) => has(compiler));

it("has an MPI to try", () => {
  expect(present.map(({ name }) => name)).not.toEqual([]);
});

describe.each(present)("MPI-IO of $name", ({ compiler, fortran, run, words }) => {
  it("every form is one access of each rank, with what it moves inside", () => {
    const program = shop.build("mpi-io", { compiler, as: compiler });
    const { accesses, status, stdout, processes } = both([run, ...words, "-n", "2", program, "shared"], env);
    expect([status, stdout]).toEqual([0, "10 writes 8 reads\n"]);
    expect(processes.map(({ rank, ranks }) => [rank, ranks]).sort()).toEqual([
      [0, 2],
      [1, 2],
    ]);
    expect(new Set(accesses.map(({ path }) => path.split("/").at(-1)))).toEqual(new Set(["shared"]));
    for (const pid of new Set(accesses.map((one) => one.pid))) {
      const outer = accesses.filter((one) => one.pid === pid && !(one.flags & CALL_NESTED));
      expect(outer.map(({ bytes }) => bytes)).toEqual(Array(18).fill(4096));
      expect(outer.filter(({ flags }) => flags & WRITE_FLAG)).toHaveLength(10);
      expect(outer.filter(({ flags }) => flags & CALL_COLLECTIVE)).toHaveLength(6);
      // Block after block of both ranks; none where the view is made of composed types.
      const offsets = outer.filter(({ flags }) => flags & WRITE_FLAG).map(({ offset }) => offset);
      const first = Math.min(...offsets.filter((offset) => !Number.isNaN(offset)));
      expect([0, 4096]).toContain(first);
      expect([...offsets].sort((a, b) => a - b)).toEqual(
        [...Array(9).keys()].map((k) => k * 8192 + first).concat(Number.NaN),
      );
      // Nothing of the library's own: what is inside lies within an outer access of its process.
      for (const { startNs, endNs } of accesses.filter((one) => one.pid === pid && one.flags & CALL_NESTED))
        expect(outer.some((one) => one.startNs <= startNs && endNs <= one.endNs)).toBe(true);
    }
    // What was moved: each byte at least once, and by nobody twice.
    const moved = accesses.reduce((total, one) => total + (Number.isNaN(one.moved) ? 0 : one.moved), 0);
    expect(moved).toBe(2 * 18 * 4096);
  });

  if (spawnSync(fortran, ["--version"]).status !== 0) return;
  it("the same from Fortran", () => {
    const program = shop.path(fortran);
    const built = spawnSync(fortran, ["-o", program, join(import.meta.dirname, "mpi-io.f90")], {
      encoding: "utf8",
      cwd: shop.folder,
    });
    expect(built.status, built.stderr).toBe(0);
    const { accesses, status } = both([run, ...words, "-n", "2", program, "shared"], env);
    expect(status).toBe(0);
    const outer = accesses.filter(({ flags }) => !(flags & CALL_NESTED));
    expect(outer.map(({ bytes }) => bytes)).toEqual(Array(2 * 5).fill(4096));
    expect(outer.filter(({ flags }) => flags & WRITE_FLAG)).toHaveLength(2 * 3);
  });
});
