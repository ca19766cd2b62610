import { describe, expect, it } from "vitest";
import { posix, mpiio } from "../../../formats/darshan/modules/index.ts";
import type { Job } from "../job.ts";
import { countersJob } from "../rules/test-kit.ts";
import { programOf } from "./program.ts";

const WRITES = { OPENS: 1, WRITES: 4, BYTES_WRITTEN: 4096 };

interface Seen {
  readonly line?: string;
  readonly application?: string;
  readonly paths?: readonly string[];
  readonly ranks?: number;
}

function seen({ line = "./sim", application = "sim", paths = [], ranks = 1 }: Seen): Job {
  const job = countersJob(
    ranks,
    ["/scratch/out", ...paths].map((path) => ({ module: posix, path, values: WRITES })),
  );
  return {
    ...job,
    kept: new Map(),
    runs: job.runs.map((run) => ({ ...run, commandLine: line, application })),
  };
}

describe("the language of the program", () => {
  it.each([
    "python train.py --epochs 3",
    "/usr/bin/python3.11 -m package",
    "./analysis.py in.h5",
    "mpiexec -n 4 python3 solve.py",
    "srun -p gpu --ntasks=8 python train.py",
    "env OMP_NUM_THREADS=4 python solve.py",
    "torchrun --nproc-per-node 4 train.py",
  ])("is Python by the command line %j", (line) => {
    expect(programOf(seen({ line })).language).toBe("python");
  });

  it.each([
    "./sim --script input.py",
    "/opt/lammps/lmp -in run.in",
    "mpiexec -n 4 ./sim",
    "",
    "sim pythonic",
  ])("is C by the command line %j", (line) => {
    expect(programOf(seen({ line })).language).toBe("c");
  });

  it("is what the run-time libraries and modules are of, when the command line does not tell", () => {
    expect(programOf(seen({ paths: ["/home/a/lib/python3.11/site-packages/numpy/core.py"] })).language).toBe(
      "python",
    );
    expect(programOf(seen({ paths: ["/home/a/__pycache__/x.cpython-311.pyc"] })).language).toBe("python");
    expect(programOf(seen({ paths: ["/usr/lib/x86_64-linux-gnu/libgfortran.so.5"] })).language).toBe(
      "fortran",
    );
    expect(programOf(seen({ paths: ["/scratch/run/fort.11"] })).language).toBe("fortran");
    expect(programOf(seen({ paths: ["/scratch/run/input.nml"] })).language).toBe("fortran");
    expect(programOf(seen({ paths: ["/scratch/run/comfort.11", "/scratch/x.normal"] })).language).toBe("c");
  });

  it("is Python when Python has loaded Fortran, and not when a program has loaded a little Python", () => {
    const both = ["/a/site-packages/scipy/x.py", "/a/lib/libgfortran.so.5"];
    expect(programOf(seen({ line: "python3 x.py", paths: both })).language).toBe("python");
    expect(programOf(seen({ line: "./model.exe", paths: both })).language).toBe("fortran");
    expect(programOf(seen({ line: "srun ./sim", application: "python3.9" })).language).toBe("python");
  });

  it("knows PyTorch by its package", () => {
    const job = seen({ line: "python x.py", paths: ["/a/site-packages/torch/_C.so"] });
    expect(programOf(job)).toEqual({ language: "python", mpi: false, torch: true });
  });
});

describe("MPI", () => {
  it("is there with several ranks or MPI-IO, not with one process", () => {
    expect(programOf(seen({ ranks: 4 })).mpi).toBe(true);
    expect(programOf(seen({ ranks: 1 })).mpi).toBe(false);
    expect(
      programOf(countersJob(1, [{ module: mpiio, path: "/scratch/x", values: { INDEP_OPENS: 1 } }])).mpi,
    ).toBe(true);
  });

  it("is not there where processes are no ranks", () => {
    const job = seen({ ranks: 4 });
    const facts = new Set([...job.facts].filter((fact) => fact !== "ranks"));
    expect(programOf({ ...job, kept: new Map(), facts }).mpi).toBe(false);
  });
});
