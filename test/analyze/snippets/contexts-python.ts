/** What a Python snippet takes as given. */

const GIVEN = `import os
import numpy as np

path, count, first, offset, next_offset, process, steps, passes = "data", 16, 0, 0, 128, 0, 2, 2
bytes_per_process, record_bytes, piece_bytes, piece_number = 128, 64, 1000, 3
step, n, last, state = 2, 2, 4, b"state"
place = [0, 64]
with open("plain", "wb") as made:
    made.write(bytes(65536))
with open(path, "wb") as made:
    made.write(bytes(65536))
fd = os.open("plain", os.O_RDWR)
file = open("plain", "r+b")
buffer = np.zeros(128, dtype=np.uint8)
following = np.zeros(128, dtype=np.uint8)
array = values = field = np.zeros(16)
region = bytes(128)
record, text, data = bytes(64), b"text", bytes(64)
records = [record] * 3
pieces = [(64, 64), (0, 64), (512, 16)]
writes = [(64, bytes(64)), (0, bytes(64)), (512, bytes(16))]
changes = [(0, b"x"), (5, b"yz")]
indices = np.array([1, 3])
batch = 4


def compute(at):
    return bytes(8)


def compute_next_step():
    pass


def compute_with(what):
    pass


def work(what):
    pass


def use(what):
    pass


def write_state(to, what):
    pass
`;

const MPI = `from mpi4py import MPI

comm = MPI.COMM_WORLD
info = MPI.Info.Create()
mode = MPI.MODE_CREATE | MPI.MODE_RDWR
fh = MPI.File.Open(comm, "given", mode)
fh.Write_at_all(0, np.zeros(4096, dtype=np.uint8))
bytes_per_rank = 128
`;

/** Files with the objects that snippets expect; one rank makes them. */
const HDF5 = `import h5py

shape, start, stop, step, last = (16,), 0, 16, 1, 16
rows_per_access, columns_per_access = 2, 4
names = ["a", "b"]
for name in ["results.h5"] + (["data"] if READS else []):
    with h5py.File(name, "w") as made:
        made["data"] = made["samples"] = values
        for i in range(2):
            made[f"step{i}/field"] = values
file = h5py.File("context.h5", "w")
dataset = file.create_dataset("given", data=values)
`;

const TORCH = `dataset = [float(i) for i in range(64)]
data = np.arange(8192.0)
`;

const wantsPieces = `pieces = [buffer, buffer]
`;

export const pythonNeedsMpi = (code: string): boolean => /\bMPI\b|\bcomm\b|\bfh\./.test(code);

export function pythonProgram(code: string, reads: boolean): string {
  const mpi = pythonNeedsMpi(code);
  const grid = code.includes("chunks=(") ? "shape = (4, 4)\n" : "";
  const rows = code.includes("rows[:, :region] = pieces")
    ? `pieces = np.zeros((count, ${/region, gap = (\d+)/.exec(code)?.[1]}), dtype=np.uint8)\n`
    : "";
  const isTorch = code.includes("torch");
  return [
    GIVEN,
    ...(mpi ? [MPI] : []),
    `READS = ${reads ? "True" : "False"}`,
    // Files are made once: the ranks would lock one another out.
    ...(code.includes("h5py") || code.includes("dataset[")
      ? [mpi ? `os.chdir(".")\n${forRankZero(HDF5)}` : HDF5]
      : []),
    ...(isTorch ? [TORCH] : []),
    ...(isTorch && code.includes("h5py") ? ['path = "results.h5"'] : []),
    grid,
    rows,
    /for piece in pieces/.test(code) ? wantsPieces : "",
    code,
    ...(isTorch ? ["print(len(list(loader)))"] : []),
    "",
  ].join("\n");
}

/** The files by rank 0, the names by all. */
function forRankZero(text: string): string {
  const [, names, made] = /([\s\S]*?)(for name in [\s\S]*)/.exec(text) as RegExpExecArray;
  const files = (made as string).replace(/^file = [\s\S]*/m, "");
  return `${names}if comm.rank == 0:\n${files.replace(/^(?=.)/gm, "    ")}comm.barrier()\nindices = np.array([1, 3])\n`;
}
