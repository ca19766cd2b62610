/** Opens, stats, closes, and how data is divided among files. */
import { entry } from "./entry.ts";
import { cString, fileName, fortranString, pythonString } from "./literals.ts";
import { capital, cMode, type Directed, fortranMode, pythonMode, whole } from "./words.ts";

const cOpenOnce = {
  write: `FILE *file = fopen(path, "ab"); /* once, before the loop */
for (int step = 0; step < steps; step++) {
  compute(step);
  fwrite(result, 1, bytes, file);
  fflush(file); /* only where others must see it now */
}
if (fclose(file) != 0) perror(path); /* once, after the loop */`,
  read: `FILE *file = fopen(path, "rb"); /* once, before the loop */
for (int step = 0; step < steps; step++) {
  fseeko(file, place[step], SEEK_SET); /* instead of opening it again */
  if (fread(result, 1, bytes, file) == 0) break;
  compute(step);
}
fclose(file); /* once, after the loop */`,
};

const fortranOpenOnce = {
  write: `open(newunit=unit, file=path, access='stream', form='unformatted', position='append')  ! once
do step = 1, steps
  call compute(step)
  write(unit) values
  flush(unit)  ! only where others must see it now
end do
close(unit)  ! once, after the loop`,
  read: `open(newunit=unit, file=path, access='stream', form='unformatted', action='read')  ! once
do step = 1, steps
  read(unit, pos=place(step)) values  ! instead of opening it again
  call compute(step)
end do
close(unit)  ! once, after the loop`,
};

const pythonOpenOnce = {
  write: `with open(path, "ab") as file:  # once, around the loop
    for step in range(steps):
        file.write(compute(step))
        file.flush()  # only where others must see it now`,
  read: `with open(path, "rb") as file:  # once, around the loop
    for step in range(steps):
        file.seek(place[step])  # instead of opening it again
        result = file.read(count)`,
};

/** One open for the whole loop. */
const openOnce = entry<Directed>("open-once", {
  plain: {
    c: ({ way }) => cOpenOnce[way],
    fortran: ({ way }) => fortranOpenOnce[way],
    python: ({ way }) => pythonOpenOnce[way],
  },
});

/** One rank asks the metadata server, the others ask that rank. */
const askOnce = (id: string, cCall: string, pythonCall: string) =>
  entry(id, {
    mpi: {
      c: () => `int found = 0;
${cCall.startsWith("stat") ? "struct stat status;\n" : ""}if (rank == 0) found = ${cCall} == 0;
MPI_Bcast(&found, 1, MPI_INT, 0, comm); /* one call instead of one per rank */`,
      fortran: () => `logical :: found
integer :: ierr
if (rank == 0) inquire(file=path, exist=found)
call MPI_Bcast(found, 1, MPI_LOGICAL, 0, comm, ierr)  ! one call instead of one per rank`,
      python: () => `import os

found = os.${pythonCall} if comm.rank == 0 else None
found = comm.bcast(found, root=0)  # one call instead of one per rank`,
    },
    plain: {
      c: () => `${cCall.startsWith("stat") ? "struct stat status;\n" : ""}const int found = ${cCall} == 0; /* once, before the loop */
for (int step = 0; step < steps; step++)
  if (found) compute(step);`,
      fortran: () => `logical :: found
inquire(file=path, exist=found)  ! once, before the loop
do step = 1, steps
  if (found) call compute(step)
end do`,
      python: () => `import os

found = os.${pythonCall}  # once, before the loop
for step in range(steps):
    if found:
        compute(step)`,
    },
  });

const statOnce = askOnce("stat-once", "stat(path, &status)", "path.exists(path)");
const accessOnce = askOnce("access-once", "access(path, R_OK)", "access(path, os.R_OK)");

/** Only the aggregators open the file. */
const deferredOpen = entry<Directed>("deferred-open", {
  mpi: {
    c: () => `/* ROMIO: only the aggregators open the file; independent reads and writes are then not allowed */
MPI_Info_set(info, "romio_cb_write", "enable");
MPI_Info_set(info, "romio_cb_read", "enable");
MPI_Info_set(info, "romio_no_indep_rw", "true");
MPI_File_open(comm, path, mode, info, &fh);`,
    fortran:
      () => `! ROMIO: only the aggregators open the file; independent reads and writes are then not allowed
call MPI_Info_set(info, 'romio_cb_write', 'enable', ierr)
call MPI_Info_set(info, 'romio_cb_read', 'enable', ierr)
call MPI_Info_set(info, 'romio_no_indep_rw', 'true', ierr)
call MPI_File_open(comm, path, mode, info, fh, ierr)`,
    python: () => `from mpi4py import MPI

# ROMIO: only the aggregators open the file; independent reads and writes are then not allowed
info.Set("romio_cb_write", "enable")
info.Set("romio_cb_read", "enable")
info.Set("romio_no_indep_rw", "true")
fh = MPI.File.Open(comm, path, mode, info)`,
  },
  plain: {
    c: ({ way }) => cOpenOnce[way],
    fortran: ({ way }) => fortranOpenOnce[way],
    python: ({ way }) => pythonOpenOnce[way],
  },
});

type Input = {
  readonly path: string;
};

/** One reads, all have it. Without MPI, processes of a node share the pages of a mapping. */
const broadcastFile = entry<Input>("broadcast-file", {
  mpi: {
    c: ({ path }) => `if (rank == 0) {
  FILE *file = fopen(${cString(fileName(path))}, "rb");
  bytes = file == NULL ? 0 : fread(buffer, 1, capacity, file);
  if (file != NULL) fclose(file);
}
MPI_Bcast(&bytes, 1, MPI_LONG, 0, comm);
MPI_Bcast(buffer, (int)bytes, MPI_BYTE, 0, comm); /* below 2 GiB; from MPI 4.0 on MPI_Bcast_c above */`,
    fortran: ({ path }) => `integer :: unit, bytes, ierr
if (rank == 0) then
  open(newunit=unit, file=${fortranString(fileName(path))}, access='stream', form='unformatted', action='read')
  inquire(unit=unit, size=bytes)
  read(unit) buffer(1:bytes)
  close(unit)
end if
call MPI_Bcast(bytes, 1, MPI_INTEGER, 0, comm, ierr)
call MPI_Bcast(buffer, bytes, MPI_BYTE, 0, comm, ierr)  ! below 2 GiB`,
    python: ({ path }) => `import numpy as np

name = ${pythonString(fileName(path))}
data = np.fromfile(name, dtype=np.uint8) if comm.rank == 0 else None
size = comm.bcast(data.size if comm.rank == 0 else None, root=0)
if comm.rank != 0:
    data = np.empty(size, dtype=np.uint8)
comm.Bcast(data, root=0)`,
  },
  plain: {
    c: ({
      path,
    }) => `/* processes of a node share the pages of a mapping, so that each node reads the file once */
int fd = open(${cString(fileName(path))}, O_RDONLY);
struct stat status;
fstat(fd, &status);
const char *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
if (data == MAP_FAILED) perror("mmap");`,
    python: ({ path }) => `import numpy as np

# processes of a node share the pages of a mapping, so that each node reads the file once
data = np.memmap(${pythonString(fileName(path))}, dtype=np.uint8, mode="r")`,
  },
});

const cContainer = {
  write: `/* a file with many datasets instead of many files */
hid_t file = H5Fcreate("results.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT); /* once */
for (int step = 0; step < steps; step++) {
  char name[32];
  snprintf(name, sizeof name, "step%d", step);
  hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(set);
}
H5Fclose(file);`,
  read: `/* a file with many datasets instead of many files */
hid_t file = H5Fopen("results.h5", H5F_ACC_RDONLY, H5P_DEFAULT); /* once */
for (int step = 0; step < steps; step++) {
  char name[32];
  snprintf(name, sizeof name, "step%d", step);
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(set);
}
H5Fclose(file);`,
};

const fortranContainer = {
  write: `! a file with many datasets instead of many files
integer(hid_t) :: file, set
character(len=32) :: name
call h5fcreate_f('results.h5', H5F_ACC_TRUNC_F, file, ierr)  ! once
do step = 1, steps
  write(name, '("step", i0)') step
  call h5dcreate_f(file, trim(name), H5T_NATIVE_DOUBLE, space, set, ierr)
  call h5dwrite_f(set, H5T_NATIVE_DOUBLE, values, dims, ierr)
  call h5dclose_f(set, ierr)
end do
call h5fclose_f(file, ierr)`,
  read: `! a file with many datasets instead of many files
integer(hid_t) :: file, set
character(len=32) :: name
call h5fopen_f('results.h5', H5F_ACC_RDONLY_F, file, ierr)  ! once
do step = 1, steps
  write(name, '("step", i0)') step
  call h5dopen_f(file, trim(name), set, ierr)
  call h5dread_f(set, H5T_NATIVE_DOUBLE, values, dims, ierr)
  call h5dclose_f(set, ierr)
end do
call h5fclose_f(file, ierr)`,
};

const pythonContainer = {
  write: `import h5py

with h5py.File("results.h5", "w") as store:  # once
    for step in range(steps):
        store.create_dataset(f"step{step}/field", data=field)  # instead of a file for each`,
  read: `import h5py

with h5py.File("results.h5", "r") as store:  # once, instead of a file for each
    for step in range(steps):
        field = store[f"step{step}/field"][...]`,
};

/** Many pieces in one file of HDF5. */
const container = entry<Directed>("container", {
  plain: {
    c: ({ way }) => cContainer[way],
    fortran: ({ way }) => fortranContainer[way],
    python: ({ way }) => pythonContainer[way],
  },
});

type Shared = Directed & {
  /** OSTs of a new file. */
  readonly stripes: number;
};

const stripeHint = ({ way, stripes }: Shared, line: (key: string, value: string) => string) =>
  way === "write" ? `\n${line("striping_factor", String(Math.max(1, whole(stripes))))}` : "";

/** One file of all ranks instead of one for each. */
const sharedFile = entry<Shared>("shared-file", {
  mpi: {
    c: (
      params,
    ) => `/* all ranks together, each its part, ${params.way === "write" ? "into" : "from"} one file */
MPI_Info info;
MPI_Info_create(&info);
MPI_Info_set(info, "romio_cb_${params.way}", "enable");${stripeHint(params, (key, value) => `MPI_Info_set(info, "${key}", "${value}"); /* OSTs of a new file */`)}
MPI_File_open(comm, path, ${cMode(params)}, info, &fh);
MPI_Offset offset = (MPI_Offset)rank * bytes_per_rank;
MPI_File_${params.way}_at_all(fh, offset, buffer, bytes_per_rank, MPI_BYTE, MPI_STATUS_IGNORE);
MPI_File_close(&fh);`,
    fortran: (
      params,
    ) => `! all ranks together, each its part, ${params.way === "write" ? "into" : "from"} one file
integer :: info, fh, ierr
integer(kind=MPI_OFFSET_KIND) :: offset
call MPI_Info_create(info, ierr)
call MPI_Info_set(info, 'romio_cb_${params.way}', 'enable', ierr)${stripeHint(params, (key, value) => `call MPI_Info_set(info, '${key}', '${value}', ierr)  ! OSTs of a new file`)}
call MPI_File_open(comm, path, ${fortranMode(params)}, info, fh, ierr)
offset = int(rank, MPI_OFFSET_KIND) * bytes_per_rank
call MPI_File_${params.way}_at_all(fh, offset, buffer, bytes_per_rank, MPI_BYTE, MPI_STATUS_IGNORE, ierr)
call MPI_File_close(fh, ierr)`,
    python: (params) => `from mpi4py import MPI

# all ranks together, each its part, ${params.way === "write" ? "into" : "from"} one file
info = MPI.Info.Create()
info.Set("romio_cb_${params.way}", "enable")${stripeHint(params, (key, value) => `info.Set("${key}", "${value}")  # OSTs of a new file`)}
fh = MPI.File.Open(comm, path, ${pythonMode(params)}, info)
fh.${capital(params.way)}_at_all(comm.rank * buffer.nbytes, buffer)
fh.Close()`,
  },
  plain: {
    c: ({ way }) => cContainer[way],
    fortran: ({ way }) => fortranContainer[way],
    python: ({ way }) => pythonContainer[way],
  },
});

/** A close whose result is looked at. */
const closeChecked = entry("close-checked", {
  plain: {
    c: () => "if (fclose(file) != 0) perror(path); /* the last chance to see a failed write */",
    fortran: () => `integer :: status
close(unit, iostat=status)  ! the last chance to see a failed write
if (status /= 0) print *, 'cannot close ', path`,
    python: () => `with open(path, "rb+") as file:  # closed at the end of the block, also after an error
    use(file)`,
  },
});

export const FILE_SNIPPETS = {
  openOnce,
  statOnce,
  accessOnce,
  deferredOpen,
  broadcastFile,
  container,
  sharedFile,
  closeChecked,
};
