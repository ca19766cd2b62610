/** MPI-IO: hints, collective calls, file views. Fortran programs are taken to `use mpi`. */
import { entry } from "./entry.ts";
import { capital, cMode, type Directed, fortranMode, pythonMode, whole } from "./words.ts";

type Hint = {
  readonly key: string;
  readonly value: string | number;
};

type Hints = {
  readonly hints: readonly Hint[];
};

/** The same hints without touching the program, as a comment of its language. */
function outside({ hints }: Hints, mark: string): string {
  return [
    "Without a change of the program, for ROMIO (MPICH, Intel MPI, Open MPI 4 with --mca io ^ompio):",
    "  cat > romio-hints <<'EOF'",
    ...hints.map(({ key, value }) => `  ${key} ${value}`),
    "  EOF",
    '  export ROMIO_HINTS="$PWD/romio-hints"',
    "Cray MPICH:",
    `  export MPICH_MPIIO_HINTS="*:${hints.map(({ key, value }) => `${key}=${value}`).join(":")}"`,
  ]
    .map((line) => `${mark} ${line}`)
    .join("\n");
}

/** Hints for `MPI_File_open`. */
const mpiHints = entry<Hints>("mpi-hints", {
  mpi: {
    c: (params) => `MPI_Info info;
MPI_Info_create(&info);
${params.hints.map(({ key, value }) => `MPI_Info_set(info, "${key}", "${value}");`).join("\n")}
MPI_File_open(comm, path, mode, info, &fh);

/*
${outside(params, " *")}
 */`,
    fortran: (params) => `integer :: info, fh, ierr
call MPI_Info_create(info, ierr)
${params.hints.map(({ key, value }) => `call MPI_Info_set(info, '${key}', '${value}', ierr)`).join("\n")}
call MPI_File_open(comm, path, mode, info, fh, ierr)

${outside(params, "!")}`,
    python: (params) => `from mpi4py import MPI

info = MPI.Info.Create()
${params.hints.map(({ key, value }) => `info.Set("${key}", "${value}")`).join("\n")}
fh = MPI.File.Open(comm, path, mode, info)

${outside(params, "#")}`,
  },
});

/** Collective instead of independent calls. */
const collectiveCall = entry<Directed>("collective-call", {
  mpi: {
    c: (params) => `MPI_Info info;
MPI_Info_create(&info);
MPI_Info_set(info, "romio_cb_${params.way}", "enable");
MPI_File_open(MPI_COMM_WORLD, path, ${cMode(params)}, info, &fh);
/* instead of MPI_File_${params.way}_at; all ranks call it, those without data with a count of 0 */
MPI_File_${params.way}_at_all(fh, offset, buffer, count, MPI_BYTE, MPI_STATUS_IGNORE);
MPI_File_close(&fh);`,
    fortran: (params) => `integer :: info, fh, ierr
call MPI_Info_create(info, ierr)
call MPI_Info_set(info, 'romio_cb_${params.way}', 'enable', ierr)
call MPI_File_open(MPI_COMM_WORLD, path, ${fortranMode(params)}, info, fh, ierr)
! instead of MPI_File_${params.way}_at; all ranks call it, those without data with a count of 0
call MPI_File_${params.way}_at_all(fh, offset, buffer, count, MPI_BYTE, MPI_STATUS_IGNORE, ierr)
call MPI_File_close(fh, ierr)`,
    python: (params) => `from mpi4py import MPI

info = MPI.Info.Create()
info.Set("romio_cb_${params.way}", "enable")
fh = MPI.File.Open(MPI.COMM_WORLD, path, ${pythonMode(params)}, info)
# instead of fh.${capital(params.way)}_at; all ranks call it, those without data with an empty array
fh.${capital(params.way)}_at_all(offset, buffer)
fh.Close()`,
  },
});

/** Each rank its part of one file. */
const ownPart = entry<Directed>("own-part", {
  mpi: {
    c: (params) => `MPI_File fh;
MPI_File_open(comm, path, ${cMode(params)}, MPI_INFO_NULL, &fh);
MPI_Offset offset = (MPI_Offset)rank * bytes_per_rank; /* where this rank's part begins */
MPI_File_${params.way}_at_all(fh, offset, buffer, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
MPI_File_close(&fh);`,
    fortran: (params) => `integer :: fh, ierr
integer(kind=MPI_OFFSET_KIND) :: offset
call MPI_File_open(comm, path, ${fortranMode(params)}, MPI_INFO_NULL, fh, ierr)
offset = int(rank, MPI_OFFSET_KIND) * bytes_per_rank  ! where this rank's part begins
call MPI_File_${params.way}_at_all(fh, offset, values, count, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
call MPI_File_close(fh, ierr)`,
    python: (params) => `from mpi4py import MPI

fh = MPI.File.Open(comm, path, ${pythonMode(params)})
fh.${capital(params.way)}_at_all(comm.rank * values.nbytes, values)  # the part of this rank
fh.Close()`,
  },
});

type Pieces = Directed & {
  readonly regionBytes: number;
  readonly gapBytes: number;
};

const pieceSizes = ({ regionBytes, gapBytes }: Pieces) => ({
  region: Math.max(1, whole(regionBytes)),
  gap: whole(gapBytes),
});

/** One call for pieces at equal distances: a file view with MPI, else one large transfer and copies in memory. */
const vectorView = entry<Pieces>("vector-view", {
  mpi: {
    c: (
      params,
    ) => `/* count pieces of \`region\` bytes, \`region + gap\` apart; each rank begins at its own \`first\` byte */
const MPI_Aint region = ${pieceSizes(params).region}, gap = ${pieceSizes(params).gap};
MPI_Datatype piece, pieces;
MPI_Type_contiguous((int)region, MPI_BYTE, &piece);
MPI_Type_create_hvector(count, 1, region + gap, piece, &pieces);
MPI_Type_commit(&piece);
MPI_Type_commit(&pieces);
MPI_File_set_view(fh, first, MPI_BYTE, pieces, "native", info);
MPI_File_${params.way}_all(fh, buffer, count, piece, MPI_STATUS_IGNORE);`,
    fortran: (
      params,
    ) => `! count pieces of region bytes, region + gap apart; each rank begins at its own first byte
integer(kind=MPI_ADDRESS_KIND), parameter :: region = ${pieceSizes(params).region}_MPI_ADDRESS_KIND
integer(kind=MPI_ADDRESS_KIND), parameter :: gap = ${pieceSizes(params).gap}_MPI_ADDRESS_KIND
integer :: piece, pieces, ierr
call MPI_Type_contiguous(int(region), MPI_BYTE, piece, ierr)
call MPI_Type_create_hvector(count, 1, region + gap, piece, pieces, ierr)
call MPI_Type_commit(piece, ierr)
call MPI_Type_commit(pieces, ierr)
call MPI_File_set_view(fh, first, MPI_BYTE, pieces, 'native', info, ierr)
call MPI_File_${params.way}_all(fh, buffer, count, piece, MPI_STATUS_IGNORE, ierr)`,
    python: (params) => `from mpi4py import MPI

# count pieces of region bytes, region + gap apart; each rank begins at its own first byte
region, gap = ${pieceSizes(params).region}, ${pieceSizes(params).gap}
piece = MPI.BYTE.Create_contiguous(region).Commit()
pieces = piece.Create_hvector(count, 1, region + gap).Commit()
fh.Set_view(first, MPI.BYTE, pieces)
fh.${capital(params.way)}_all([buffer, count, piece])  # buffer has count * region bytes`,
  },
  plain: {
    c: (
      params,
    ) => `/* count pieces of \`region\` bytes, \`region + gap\` apart: one large transfer, copies in memory */
const size_t region = ${pieceSizes(params).region}, gap = ${pieceSizes(params).gap};
const size_t span = count * (region + gap) - gap; /* for large counts in turns of some megabytes */
char *whole = malloc(span);
${
  params.way === "read"
    ? `ssize_t got = pread(fd, whole, span, first);
for (size_t i = 0; got >= 0 && i < (size_t)count && (i + 1) * region + i * gap <= (size_t)got; i++)
  memcpy(buffer + i * region, whole + i * (region + gap), region);`
    : `pread(fd, whole, span, first); /* content of the gaps; not needed if they are unused */
for (size_t i = 0; i < (size_t)count; i++)
  memcpy(whole + i * (region + gap), buffer + i * region, region);
pwrite(fd, whole, span, first); /* no other process may write there meanwhile */`
}
free(whole);`,
    python: (params) => `import os

import numpy as np

# count pieces of region bytes, region + gap apart: one large transfer, copies in memory
region, gap = ${pieceSizes(params).region}, ${pieceSizes(params).gap}
span = count * (region + gap) - gap
whole = bytearray(os.pread(fd, span, first).ljust(span, b"\\0") + bytes(gap))
rows = np.frombuffer(whole, dtype=np.uint8).reshape(count, region + gap)
${
  params.way === "read"
    ? "pieces = rows[:, :region].copy()"
    : `rows[:, :region] = pieces  # the content of the gaps stays
os.pwrite(fd, memoryview(whole)[:span], first)  # no other process may write there meanwhile`
}`,
  },
});

/** Where the parts of ranks begin when their sizes differ. */
const cPrefix = `MPI_Offset mine = bytes, offset = 0;
MPI_Exscan(&mine, &offset, 1, MPI_OFFSET, MPI_SUM, comm);
if (rank == 0) offset = 0; /* MPI_Exscan leaves it undefined there */`;
const fortranPrefix = `integer(kind=MPI_OFFSET_KIND) :: mine, offset
integer :: ierr
mine = bytes
offset = 0
call MPI_Exscan(mine, offset, 1, MPI_OFFSET, MPI_SUM, comm, ierr)
if (rank == 0) offset = 0  ! MPI_Exscan leaves it undefined there`;
const pythonPrefix = `from mpi4py import MPI

offset = comm.exscan(buffer.nbytes)  # None on rank 0
offset = 0 if offset is None else offset`;

/** All at once instead of one after another. */
const allAtOnce = entry<Directed>("all-at-once", {
  mpi: {
    c: ({ way }) => `/* instead of: receive the turn, ${way}, pass the turn on */
${cPrefix}
MPI_File_${way}_at_all(fh, offset, buffer, bytes, MPI_BYTE, MPI_STATUS_IGNORE);`,
    fortran: ({ way }) => `! instead of: receive the turn, ${way}, pass the turn on
${fortranPrefix}
call MPI_File_${way}_at_all(fh, offset, buffer, bytes, MPI_BYTE, MPI_STATUS_IGNORE, ierr)`,
    python: ({ way }) => `# instead of: receive the turn, ${way}, pass the turn on
${pythonPrefix}
fh.${capital(way)}_at_all(offset, buffer)`,
  },
  plain: {
    c: ({ way }) => `/* each process knows where its part begins, so none waits for another */
off_t offset = (off_t)process * bytes_per_process;
p${way}(fd, buffer, bytes_per_process, offset);`,
    python: ({ way }) => `import os

# each process knows where its part begins, so none waits for another
offset = process * bytes_per_process
${way === "read" ? "part = os.pread(fd, bytes_per_process, offset)" : "os.pwrite(fd, buffer, offset)"}`,
  },
});

/** Parts of ranks that do not overlap. */
const ownOffsets = entry("own-offsets", {
  mpi: {
    c: () => `/* bytes before mine: each rank begins where the previous one ends */
${cPrefix}`,
    fortran: () => `! bytes before mine: each rank begins where the previous one ends
${fortranPrefix}`,
    python: () => `# bytes before mine: each rank begins where the previous one ends
${pythonPrefix}`,
  },
  plain: {
    c: () => `/* processes that add to one file: each write goes to its end, none over another */
int fd = open(path, O_CREAT | O_WRONLY | O_APPEND, 0644);
write(fd, record, bytes); /* whole records */`,
    python: () => `import os

# processes that add to one file: each write goes to its end, none over another
fd = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
os.write(fd, record)  # whole records`,
  },
});

/** One open of all ranks. */
const openTogether = entry("open-together", {
  mpi: {
    c: () => `/* instead of MPI_File_open(MPI_COMM_SELF, ...) by every rank */
MPI_File_open(MPI_COMM_WORLD, path, mode, info, &fh);`,
    fortran: () => `! instead of MPI_File_open(MPI_COMM_SELF, ...) by every rank
call MPI_File_open(MPI_COMM_WORLD, path, mode, info, fh, ierr)`,
    python: () => `from mpi4py import MPI

# instead of MPI.File.Open(MPI.COMM_SELF, ...) by every rank
fh = MPI.File.Open(MPI.COMM_WORLD, path, mode, info)`,
  },
});

/** One sync after all writes. */
const mpiSyncOnce = entry("mpi-sync-once", {
  mpi: {
    c: () => `for (int i = 0; i < pieces; i++)
  MPI_File_write_all(fh, piece[i], count, MPI_BYTE, MPI_STATUS_IGNORE);
MPI_File_sync(fh); /* once */`,
    fortran: () => `do i = 1, pieces
  call MPI_File_write_all(fh, piece(:, i), count, MPI_BYTE, MPI_STATUS_IGNORE, ierr)
end do
call MPI_File_sync(fh, ierr)  ! once`,
    python: () => `for piece in pieces:
    fh.Write_all(piece)
fh.Sync()  # once`,
  },
});

/** On which node a rank runs. */
/** How long each rank waits for the last one, apart from the transfer. */
const waitingBefore = entry("mpi-waiting", {
  mpi: {
    c: () => `double before = MPI_Wtime();
MPI_Barrier(comm); /* waiting for the late rank is here now, and no longer in the transfer */
fprintf(stderr, "rank %d waited %.3f s\\n", rank, MPI_Wtime() - before);`,
    fortran: () => `double precision :: before
integer :: ierr
before = MPI_Wtime()
call MPI_Barrier(comm, ierr) ! waiting for the late rank is here now, and no longer in the transfer
print *, 'rank', rank, 'waited', MPI_Wtime() - before, 's'`,
    python: () => `from mpi4py import MPI

before = MPI.Wtime()
comm.Barrier()  # waiting for the late rank is here now, and no longer in the transfer
print(f"rank {comm.rank} waited {MPI.Wtime() - before:.3f} s")`,
  },
});

/** Parts of other ranks without a way through a file. */
const byMessage = entry("mpi-message", {
  mpi: {
    c: () => `int ranks;
MPI_Comm_size(comm, &ranks);
MPI_Sendrecv(buffer, count, MPI_BYTE, (rank + ranks - 1) % ranks, 0, /* to the rank that needs this part */
             next, count, MPI_BYTE, (rank + 1) % ranks, 0, /* from the rank that has the part needed here */
             comm, MPI_STATUS_IGNORE);`,
    fortran: () => `integer :: ranks, ierr
call MPI_Comm_size(comm, ranks, ierr)
! to the rank that needs this part, from the rank that has the part needed here
call MPI_Sendrecv(buffer, count, MPI_BYTE, modulo(rank - 1, ranks), 0, &
                  next, count, MPI_BYTE, modulo(rank + 1, ranks), 0, comm, MPI_STATUS_IGNORE, ierr)`,
    python: () => `# to the rank that needs this part, from the rank that has the part needed here
comm.Sendrecv(buffer, dest=(comm.rank - 1) % comm.size, recvbuf=following, source=(comm.rank + 1) % comm.size)`,
  },
});

const hostOfRank = entry<{ readonly rank: number }>("host-of-rank", {
  mpi: {
    c: (params) => `char host[MPI_MAX_PROCESSOR_NAME];
int length;
MPI_Get_processor_name(host, &length);
if (rank == ${whole(params.rank)}) fprintf(stderr, "rank %d runs on %s\\n", rank, host);`,
    fortran: (params) => `character(len=MPI_MAX_PROCESSOR_NAME) :: host
integer :: length, ierr
call MPI_Get_processor_name(host, length, ierr)
if (rank == ${whole(params.rank)}) print *, 'rank', rank, 'runs on ', host(1:length)`,
    python: (params) => `from mpi4py import MPI

if comm.rank == ${whole(params.rank)}:
    print(f"rank {comm.rank} runs on {MPI.Get_processor_name()}")`,
  },
});

export const MPI_IO_SNIPPETS = {
  mpiHints,
  collectiveCall,
  ownPart,
  vectorView,
  allAtOnce,
  ownOffsets,
  openTogether,
  mpiSyncOnce,
  byMessage,
  hostOfRank,
  waitingBefore,
};
