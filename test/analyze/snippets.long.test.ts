/**
 * Every variant of every snippet becomes a whole program. C and Fortran are compiled and run, with MPICH and its HDF5, and
 * with Open MPI for PnetCDF, which Debian has for that MPI only; Python runs with Debian's mpi4py and h5py, PyTorch where it
 * is installed (else it is compiled only); commands go through `bash -n`, shellcheck, and a run with programs that do nothing.
 */
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
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileName } from "../../src/analyze/job/snippets/literals.ts";
import { ENV } from "../launch/mpi/kit.ts";
import { type Case, CASES } from "./snippets/cases.ts";
import { cProgram } from "./snippets/contexts-c.ts";
import { fortranProgram } from "./snippets/contexts-fortran.ts";
import { pythonNeedsMpi, pythonProgram } from "./snippets/contexts-python.ts";

let root: string;
let folders = 0;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "plimsoll-snippets-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A folder with the file that a snippet may read, by its own name. */
function folderFor({ params }: Case): string {
  const made = join(root, String(folders++));
  mkdirSync(made);
  for (const name of ["FILE", fileName((params as { path?: string } | undefined)?.path ?? "")])
    writeFileSync(join(made, name), "data");
  return made;
}

interface Ended {
  readonly status: number | null;
  readonly text: string;
}

function run(cwd: string, program: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Ended {
  const ended = spawnSync(program, words, {
    cwd,
    env: { ...ENV, ...env },
    encoding: "utf8",
    timeout: 50_000,
  });
  return { status: ended.status, text: `${ended.error ?? ""}${ended.stdout}${ended.stderr}` };
}

const OK: Ended = { status: 0, text: "" };

const isPnetcdf = ({ code }: Case) => /ncmpi_|nf90mpi_/.test(code);
const isHdf5 = ({ code }: Case) => /\bH5|\bh5/.test(code);
const isMpi = ({ code }: Case) => /MPI_|ncmpi_|nf90mpi_/.test(code);

/** Where Debian keeps the module files of gfortran. */
function pnetcdfModule(): string {
  for (const place of readdirSync("/usr/lib")) {
    const modules = join("/usr/lib", place, "fortran");
    for (const version of existsSync(modules) ? readdirSync(modules) : [])
      if (existsSync(join(modules, version, "pnetcdf.mod"))) return join(modules, version);
  }
  throw new Error("no pnetcdf.mod; install libpnetcdf-dev");
}

function runBuilt(cwd: string, one: Case): Ended {
  if (!isMpi(one)) return run(cwd, "./program", []);
  return isPnetcdf(one)
    ? run(cwd, "mpiexec.openmpi", ["--oversubscribe", "-n", "2", "./program"])
    : run(cwd, "mpiexec.mpich", ["-n", "2", "./program"]);
}

/** Errors of HDF5 and of MPI are printed, and the program may go on. */
function expectQuiet(ended: Ended): void {
  expect(ended.text).not.toMatch(/HDF5-DIAG|MPI error|Fatal error|Traceback|error:/);
  expect(ended.status, ended.text).toBe(0);
}

const of = (...variants: readonly string[]) => CASES.filter(({ variant }) => variants.includes(variant));

describe("C", () => {
  it.each(of("c"))("$name compiles and runs", (one) => {
    const cwd = folderFor(one);
    writeFileSync(join(cwd, "program.c"), cProgram(one.code, one.reads));
    const compiler = isPnetcdf(one)
      ? "mpicc.openmpi"
      : isHdf5(one)
        ? "h5pcc.mpich"
        : isMpi(one)
          ? "mpicc.mpich"
          : "cc";
    const flags = [
      "-Wall",
      "-Werror=implicit-function-declaration",
      "-Werror=overflow",
      "-Werror=incompatible-pointer-types",
    ];
    const quiet = ["-Wno-unused", "-Wno-unused-result"];
    const libraries = isPnetcdf(one) ? ["-lpnetcdf"] : [];
    const built = run(cwd, compiler, [...flags, ...quiet, "-o", "program", "program.c", ...libraries]);
    expect(built).toEqual(OK);
    expectQuiet(runBuilt(cwd, one));
  });
});

describe("Fortran", () => {
  it.each(of("fortran"))("$name compiles and runs", (one) => {
    const cwd = folderFor(one);
    writeFileSync(join(cwd, "program.f90"), fortranProgram(one.code, one.reads));
    const compiler = isPnetcdf(one)
      ? "mpif90.openmpi"
      : isHdf5(one)
        ? "h5pfc.mpich"
        : isMpi(one)
          ? "mpif90.mpich"
          : "gfortran";
    const libraries = isPnetcdf(one) ? [`-I${pnetcdfModule()}`, "-lpnetcdf"] : [];
    const built = run(cwd, compiler, [
      "-Werror=line-truncation",
      "-o",
      "program",
      "program.f90",
      ...libraries,
    ]);
    // gfortran warns of calls with buffers of different types, which MPI is for.
    expect(built.status, built.text).toBe(0);
    expectQuiet(runBuilt(cwd, one));
  });
});

/** Debian's own, which has the packages. */
const PYTHON = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";

describe("Python", () => {
  it.each(of("python"))("$name runs", (one) => {
    const cwd = folderFor(one);
    writeFileSync(join(cwd, "program.py"), pythonProgram(one.code, one.reads));
    expectQuiet(
      pythonNeedsMpi(one.code)
        ? run(cwd, "mpiexec.openmpi", ["--oversubscribe", "-n", "2", PYTHON, "program.py"])
        : run(cwd, PYTHON, ["program.py"]),
    );
  });

  it.each(of("torch"))("$name compiles, and runs where PyTorch is installed", (one) => {
    const cwd = folderFor(one);
    writeFileSync(join(cwd, "program.py"), pythonProgram(one.code, one.reads));
    expect(run(cwd, PYTHON, ["-m", "py_compile", "program.py"])).toEqual(OK);
    const python = process.env.PLIMSOLL_TORCH_PYTHON ?? PYTHON;
    if (run(cwd, python, ["-c", "import torch, h5py"]).status === 0)
      expectQuiet(run(cwd, python, ["program.py"]));
  });
});

/** Programs of clusters that only say how they were called. */
const STUBS = ["lfs", "lctl", "cp", "mksquashfs", "squashfuse", "plimsoll"];

function stubs(cwd: string): string {
  const bin = join(cwd, "bin");
  mkdirSync(bin);
  for (const name of STUBS) {
    writeFileSync(join(bin, name), `#!/bin/bash\nprintf '%s\\0' "${name}" "$@" $'\\n' >> "$SNIPPET_CALLS"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

const isShell = (one: Case) => one.variant === "shell";

describe("commands", () => {
  it.each(CASES.filter(isShell))("$name are bash that shellcheck likes", (one) => {
    const cwd = folderFor(one);
    writeFileSync(join(cwd, "snippet.sh"), `#!/bin/bash\n${one.code}\n`);
    expect(run(cwd, "bash", ["-n", "snippet.sh"])).toEqual(OK);
    expect(run(cwd, "shellcheck", ["--shell=bash", "--exclude=SC2016", "snippet.sh"])).toEqual(OK);
  });

  it.each(CASES.filter(isShell))("$name act on nothing but the path of the log", (one) => {
    const cwd = folderFor(one);
    const bin = stubs(cwd);
    const calls = join(cwd, "calls");
    writeFileSync(calls, "");
    writeFileSync(join(cwd, "snippet.sh"), one.code);
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      SNIPPET_CALLS: calls,
      SCRATCH: cwd,
      USER: "test",
      TMPDIR: cwd,
    };
    run(cwd, "bash", ["snippet.sh"], env);
    expect(readdirSync(cwd).filter((name) => name === "hacked")).toEqual([]);
    const words = readFileSync(calls, "utf8").split("\0");
    const named = words.filter((text) => /^(\/|\(record|<)/.test(text) && !text.startsWith(`${cwd}/`));
    for (const word of named) expect(["/tmp/data", ...allowed(one.params)]).toContain(word);
  });

  it.each(CASES.filter(({ code }) => code.includes("ROMIO_HINTS")))(
    "$name has commands in its comment",
    (one) => {
      const cwd = folderFor(one);
      const lines = [...one.code.matchAll(/^(?: \*|!|#) {3}(.*)$/gm)].map(([, line]) => line);
      writeFileSync(join(cwd, "comment.sh"), `#!/bin/bash\n${lines.join("\n")}\n`);
      expect(run(cwd, "bash", ["-n", "comment.sh"])).toEqual(OK);
      expect(run(cwd, "shellcheck", ["--shell=bash", "comment.sh"])).toEqual(OK);
      expect(lines.length).toBeGreaterThan(3);
    },
  );
});

/** The path itself and its directory, never a mount point or the root. */
function allowed(params: unknown): string[] {
  const path = (params as { path?: string } | undefined)?.path;
  if (path === undefined) return [];
  const kept = [path, path.slice(0, path.lastIndexOf("/"))];
  return kept.filter((one) => !["", "/", "/scratch"].includes(one) && !/record|<|3f9a/.test(one));
}
