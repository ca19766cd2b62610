/** HDF5: property lists and selections. Versions are those of the C library. */
import { entry } from "./entry.ts";
import { type Directed, whole } from "./words.ts";

/** Transfers of all ranks together. */
const hdf5Collective = entry<Directed>("hdf5-collective", {
  mpi: {
    c: ({ way }) => `hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, info); /* for H5F${way === "write" ? "create" : "open"} */
hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE);
/* all ranks call it, also those without data: H5Sselect_none(file_space) */
H5D${way}(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, dxpl, data);`,
    fortran: ({ way }) => `integer(hid_t) :: fapl, dxpl
integer :: ierr
call h5pcreate_f(H5P_FILE_ACCESS_F, fapl, ierr)
call h5pset_fapl_mpio_f(fapl, MPI_COMM_WORLD, info, ierr)  ! for h5f${way === "write" ? "create" : "open"}_f
call h5pcreate_f(H5P_DATASET_XFER_F, dxpl, ierr)
call h5pset_dxpl_mpio_f(dxpl, H5FD_MPIO_COLLECTIVE_F, ierr)
! all ranks call it, also those without data: h5sselect_none_f(file_space, ierr)
call h5d${way}_f(dataset, H5T_NATIVE_DOUBLE, values, dims, ierr, memory_space, file_space, dxpl)`,
    python: ({ way }) => `import h5py
from mpi4py import MPI

with h5py.File(path, "${way === "write" ? "w" : "r"}", driver="mpio", comm=MPI.COMM_WORLD) as file:
    dataset = ${way === "write" ? 'file.create_dataset("data", shape, dtype="f8")' : 'file["data"]'}
    with dataset.collective:  # all ranks, also those without data
        ${way === "write" ? "dataset[start:stop] = values" : "values = dataset[start:stop]"}`,
  },
});

/** Metadata by one rank for all, and together in pages. */
const hdf5Metadata = entry<Directed>("hdf5-metadata", {
  mpi: {
    c: ({ way }) => `hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, info);
H5Pset_all_coll_metadata_ops(fapl, 1); /* from HDF5 1.10 on: one rank reads and broadcasts; all make the same calls */
${
  way === "read"
    ? `hid_t file = H5Fopen(path, H5F_ACC_RDONLY, fapl);

/* once, for files whose metadata is scattered (HDF5 1.10 and newer): h5repack -S PAGE -G 4194304 old.h5 new.h5 */`
    : `H5Pset_coll_metadata_write(fapl, 1); /* from HDF5 1.10 on: metadata is written with collective calls */

hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
/* from HDF5 1.10.1 on: metadata together in pages instead of scattered over the file */
H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_PAGE, 0, 1);
H5Pset_file_space_page_size(fcpl, 4 << 20);
hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl);`
}`,
    fortran: ({ way }) => `integer(hid_t) :: fapl, file
integer :: ierr
call h5pcreate_f(H5P_FILE_ACCESS_F, fapl, ierr)
call h5pset_fapl_mpio_f(fapl, MPI_COMM_WORLD, info, ierr)
call h5pset_all_coll_metadata_ops_f(fapl, .true., ierr)  ! from HDF5 1.10 on: one rank reads and broadcasts
${
  way === "read"
    ? `call h5fopen_f(path, H5F_ACC_RDONLY_F, file, ierr, fapl)

! once, for files whose metadata is scattered (HDF5 1.10 and newer): h5repack -S PAGE -G 4194304 old.h5 new.h5`
    : `call h5pset_coll_metadata_write_f(fapl, .true., ierr)  ! from HDF5 1.10 on: collective calls write metadata
call h5fcreate_f(path, H5F_ACC_TRUNC_F, file, ierr, access_prp=fapl)

! metadata together in pages, once the file is written (HDF5 1.10 and newer): h5repack -S PAGE -G 4194304 old.h5 new.h5`
}`,
    python: ({ way }) =>
      way === "read"
        ? `import h5py

# h5py has no switch for collective metadata: one rank opens the file, lists its objects and broadcasts the names
names = None
if comm.rank == 0:
    with h5py.File(path, "r") as file:
        names = [name for name in file]
names = comm.bcast(names, root=0)

# once, for files whose metadata is scattered (HDF5 1.10 and newer): h5repack -S PAGE -G 4194304 old.h5 new.h5`
        : `import h5py
from mpi4py import MPI

# metadata together in pages instead of scattered over the file (h5py 3, HDF5 1.10.1 and newer)
file = h5py.File(path, "w", driver="mpio", comm=MPI.COMM_WORLD, fs_strategy="page", fs_page_size=4 << 20)
for name in names:
    file.create_dataset(name, shape, dtype="f8")  # all objects before the data`,
  },
});

/** Chunks like the accesses, and a cache that holds those of a pass. */
const hdf5Chunks = entry<Directed>("hdf5-chunks", {
  plain: {
    c: ({ way }) => `${
      way === "write"
        ? `hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
hsize_t chunk[2] = {rows_per_access, columns_per_access}; /* what one call moves; 1 to 16 MiB */
H5Pset_chunk(dcpl, 2, chunk);

`
        : ""
    }hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
/* slots: a prime, about 100 times the chunks that fit; bytes: all chunks of a pass; 1.0: full chunks go first */
H5Pset_chunk_cache(dapl, 12421, 128 << 20, 1.0);
${
  way === "write"
    ? 'hid_t dataset = H5Dcreate2(file, "data", type, space, H5P_DEFAULT, dcpl, dapl);'
    : `hid_t dataset = H5Dopen2(file, "data", dapl);

/* or rewrite the file once, with chunks like the accesses: h5repack -l data:CHUNK=1024x1024 old.h5 new.h5 */`
}`,
    fortran: ({ way }) => `integer(hid_t) :: ${way === "write" ? "dcpl, " : ""}dapl, dataset
integer :: ierr
${
  way === "write"
    ? `call h5pcreate_f(H5P_DATASET_CREATE_F, dcpl, ierr)
! what one call moves; 1 to 16 MiB
call h5pset_chunk_f(dcpl, 2, [rows_per_access, columns_per_access], ierr)
`
    : ""
}call h5pcreate_f(H5P_DATASET_ACCESS_F, dapl, ierr)
! slots: a prime, about 100 times the chunks that fit; bytes: all chunks of a pass; 1.0: full chunks go first
call h5pset_chunk_cache_f(dapl, 12421_size_t, 134217728_size_t, 1.0, ierr)
${
  way === "write"
    ? "call h5dcreate_f(file, 'data', H5T_NATIVE_DOUBLE, space, dataset, ierr, dcpl_id=dcpl, dapl_id=dapl)"
    : `call h5dopen_f(file, 'data', dataset, ierr, dapl)

! or rewrite the file once, with chunks like the accesses: h5repack -l data:CHUNK=1024x1024 old.h5 new.h5`
}`,
    python: ({ way }) => `import h5py

# a cache for all chunks of a pass; slots: a prime, about 100 times the chunks that fit
file = h5py.File(path, "${way === "write" ? "w" : "r"}", rdcc_nbytes=128 << 20, rdcc_nslots=12421, rdcc_w0=1.0)
${
  way === "write"
    ? `# chunks like the accesses: what one call moves; 1 to 16 MiB
dataset = file.create_dataset("data", shape, dtype="f8", chunks=(rows_per_access, columns_per_access))`
    : `dataset = file["data"]

# or rewrite the file once, with chunks like the accesses: h5repack -l data:CHUNK=1024x1024 old.h5 new.h5`
}`,
  },
});

type Aligned = Directed & {
  readonly stripeBytes: number;
};

const stripe = ({ stripeBytes }: Aligned) => Math.max(1, whole(stripeBytes));

const REPACK = "h5repack -t 65536 -a";

const cAlignment = (params: Aligned, mpi: boolean) =>
  params.way === "read"
    ? `/* alignment is chosen when a file is created; for an input, once: ${REPACK} ${stripe(params)} old.h5 new.h5 */
hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);`
    : `hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
${mpi ? "H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, info);\n" : ""}/* objects of 64 KiB and more begin at a stripe; smaller ones stay packed */
H5Pset_alignment(fapl, 64 << 10, ${stripe(params)});
hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);`;

const fortranAlignment = (params: Aligned, mpi: boolean) =>
  params.way === "read"
    ? `! alignment is chosen when a file is created; for an input, once:
!   ${REPACK} ${stripe(params)} old.h5 new.h5
call h5fopen_f(path, H5F_ACC_RDONLY_F, file, ierr)`
    : `integer(hid_t) :: fapl, file
integer :: ierr
call h5pcreate_f(H5P_FILE_ACCESS_F, fapl, ierr)
${mpi ? "call h5pset_fapl_mpio_f(fapl, MPI_COMM_WORLD, info, ierr)\n" : ""}! objects of 64 KiB and more begin at a stripe; smaller ones stay packed
call h5pset_alignment_f(fapl, 65536_hsize_t, ${stripe(params)}_hsize_t, ierr)
call h5fcreate_f(path, H5F_ACC_TRUNC_F, file, ierr, access_prp=fapl)`;

const pythonAlignment = (params: Aligned, mpi: boolean) =>
  params.way === "read"
    ? `import h5py

# alignment is chosen when a file is created; for an input, once:
#   ${REPACK} ${stripe(params)} old.h5 new.h5
file = h5py.File(path, "r")`
    : `import h5py
${mpi ? "from mpi4py import MPI\n" : ""}
# objects of 64 KiB and more begin at a stripe; smaller ones stay packed (from h5py 3.5 on)
file = h5py.File(
    path, "w", ${mpi ? 'driver="mpio", comm=MPI.COMM_WORLD, ' : ""}alignment_threshold=64 << 10, alignment_interval=${stripe(params)}
)`;

/** Objects that begin at stripes. */
const hdf5Alignment = entry<Aligned>("hdf5-alignment", {
  mpi: {
    c: (params) => cAlignment(params, true),
    fortran: (params) => fortranAlignment(params, true),
    python: (params) => pythonAlignment(params, true),
  },
  plain: {
    c: (params) => cAlignment(params, false),
    fortran: (params) => fortranAlignment(params, false),
    python: (params) => pythonAlignment(params, false),
  },
});

/** One block instead of a list of points. */
const hdf5Hyperslab = entry<Directed>("hdf5-hyperslab", {
  plain: {
    c: ({ way }) => `/* one block instead of a list of points */
hsize_t start[1] = {first}, stride[1] = {step}, blocks[1] = {pieces}, block[1] = {length};
H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, blocks, block);
${
  way === "read"
    ? "/* or read the box around the points and select in memory */"
    : "/* or sort the points by place and write neighbours together */"
}`,
    fortran: ({ way }) => `! one block instead of a list of points
call h5sselect_hyperslab_f(space, H5S_SELECT_SET_F, [first], [pieces], ierr, [step], [length])
${
  way === "read"
    ? "! or read the box around the points and select in memory"
    : "! or sort the points by place and write neighbours together"
}`,
    python: ({ way }) =>
      way === "read"
        ? `# one block instead of a list of points: dataset[list_of_points]
box = dataset[first:last:step]
# or read the box around the points and select in memory
points = dataset[first:last][indices - first]`
        : `# one block instead of a list of points: dataset[list_of_points] = values
dataset[first:last:step] = values`,
  },
});

/** One call for many rows. */
const hdf5Rows = entry<Directed>("hdf5-rows", {
  plain: {
    c: ({ way }) => `/* one call for all rows of this process instead of one for each */
hsize_t start[2] = {first, 0}, rows[2] = {rows_per_access, columns_per_access};
H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, rows, NULL);
hid_t block = H5Screate_simple(2, rows, NULL);
${way === "read" ? "H5Dread" : "H5Dwrite"}(dataset, H5T_NATIVE_DOUBLE, block, file_space, H5P_DEFAULT, data);`,
    python: ({ way }) =>
      way === "read"
        ? `# one call for all rows instead of one for each
rows = dataset[first:last]`
        : `# collect the rows and write them with one call
dataset[first:last] = values`,
  },
});

const FILL = "only where the program writes every element that it reads later";

/** No pass of fill values before the data. */
const hdf5Fill = entry("hdf5-fill", {
  plain: {
    c: () => `hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
/* ${FILL} */
H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER);
hid_t dataset = H5Dcreate2(file, "data", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);`,
    fortran: () => `integer(hid_t) :: dcpl, dataset
integer :: ierr
call h5pcreate_f(H5P_DATASET_CREATE_F, dcpl, ierr)
! ${FILL}
call h5pset_fill_time_f(dcpl, H5D_FILL_TIME_NEVER_F, ierr)
call h5dcreate_f(file, 'data', H5T_NATIVE_DOUBLE, space, dataset, ierr, dcpl)`,
    python: () => `import h5py

dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
# ${FILL}
dcpl.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
space = h5py.h5s.create_simple(shape)
dataset = h5py.Dataset(h5py.h5d.create(file.id, b"data", h5py.h5t.NATIVE_DOUBLE, space, dcpl))`,
  },
});

export const HDF5_SNIPPETS = {
  hdf5Collective,
  hdf5Metadata,
  hdf5Chunks,
  hdf5Alignment,
  hdf5Hyperslab,
  hdf5Rows,
  hdf5Fill,
};
