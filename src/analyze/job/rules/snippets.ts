/** Code to copy: hints, collective calls, property lists. Names are those of MPI, ROMIO, Lustre, HDF5 and PnetCDF. */
import type { Snippet } from "../../../model/index.ts";
import type { Way } from "./measures.ts";

const c = (...lines: readonly string[]): Snippet => ({ language: "c", code: lines.join("\n") });

interface Hint {
  readonly key: string;
  readonly value: string | number;
}

/** The same hints in the program, and without touching it. */
export function hints(list: readonly Hint[]): Snippet {
  return c(
    "MPI_Info info;",
    "MPI_Info_create(&info);",
    ...list.map(({ key, value }) => `MPI_Info_set(info, "${key}", "${value}");`),
    "MPI_File_open(comm, path, mode, info, &fh);",
    "",
    "/* Without a change of the program, for ROMIO (MPICH, Intel MPI, Open MPI with --mca io ^ompio):",
    " *   cat > romio-hints <<'EOF'",
    ...list.map(({ key, value }) => ` *   ${key} ${value}`),
    " *   EOF",
    " *   export ROMIO_HINTS=$PWD/romio-hints",
    " * Cray MPICH:",
    ` *   export MPICH_MPIIO_HINTS="*:${list.map(({ key, value }) => `${key}=${value}`).join(":")}" */`,
  );
}

/** One collective call for pieces at equal distances. */
export function vectorView(way: Way, regionBytes: number, gapBytes: number): Snippet {
  return c(
    "/* count pieces of `region` bytes, `region + gap` apart; each rank begins at its own `first` byte */",
    `const int region = ${Math.round(regionBytes)}, gap = ${Math.round(gapBytes) || 0};`,
    "MPI_Datatype pieces;",
    "MPI_Type_vector(count, region, region + gap, MPI_BYTE, &pieces);",
    "MPI_Type_commit(&pieces);",
    'MPI_File_set_view(fh, first, MPI_BYTE, pieces, "native", info);',
    `MPI_File_${way}_all(fh, buffer, count * region, MPI_BYTE, MPI_STATUS_IGNORE);`,
  );
}

export function collectiveCall(way: Way): Snippet {
  return c(
    "MPI_Info info;",
    "MPI_Info_create(&info);",
    `MPI_Info_set(info, "romio_cb_${way}", "enable");`,
    way === "write"
      ? "MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &fh);"
      : "MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, info, &fh);",
    way === "write" ? "/* instead of MPI_File_write_at */" : "/* instead of MPI_File_read_at */",
    `MPI_File_${way}_at_all(fh, offset, buffer, count, MPI_BYTE, MPI_STATUS_IGNORE);`,
    "MPI_File_close(&fh);",
  );
}

export const writeBuffer = c(
  "/* gather small records, write whole megabytes */",
  "enum { CAPACITY = 4 << 20 };",
  "static char buffer[CAPACITY];",
  "static size_t used;",
  "",
  "static void flush_records(int fd) {",
  "  for (size_t done = 0; done < used;) {",
  "    ssize_t n = write(fd, buffer + done, used - done);",
  '    if (n < 0) { perror("write"); exit(1); }',
  "    done += (size_t)n;",
  "  }",
  "  used = 0;",
  "}",
  "",
  "static void put_record(int fd, const void *data, size_t bytes) {",
  "  if (used + bytes > CAPACITY) flush_records(fd);",
  "  memcpy(buffer + used, data, bytes); /* bytes <= CAPACITY */",
  "  used += bytes;",
  "}",
);

export const readAhead = c(
  "/* one large read, then take records from memory */",
  "enum { CAPACITY = 4 << 20 };",
  "posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);",
  "char *buffer = malloc(CAPACITY);",
  "ssize_t filled = pread(fd, buffer, CAPACITY, offset);",
);

export const prefetch = c(
  "/* no read-ahead that will not be used, and the next pieces announced */",
  "posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);",
  "qsort(pieces, count, sizeof pieces[0], by_offset);",
  "for (size_t i = 0; i < count; i++)",
  "  posix_fadvise(fd, pieces[i].offset, pieces[i].bytes, POSIX_FADV_WILLNEED);",
  "for (size_t i = 0; i < count; i++)",
  "  pread(fd, pieces[i].buffer, pieces[i].bytes, pieces[i].offset);",
);

export const sortedWrites = c(
  "/* collect, sort by place, write neighbours together */",
  "qsort(pieces, count, sizeof pieces[0], by_offset);",
  "for (size_t i = 0; i < count; i += run) {",
  "  run = length_of_contiguous_run(pieces, i, count); /* <= IOV_MAX */",
  "  pwritev(fd, &vectors[i], (int)run, pieces[i].offset);",
  "}",
);

export const alignedPieces = (stripeBytes: number): Snippet =>
  c(
    `enum { STRIPE = ${stripeBytes} };`,
    "/* each rank begins at a stripe; the rest of the last stripe stays empty */",
    "MPI_Offset share = (bytes_per_rank + STRIPE - 1) / STRIPE * STRIPE;",
    "MPI_Offset offset = rank * share;",
    "",
    "/* memory that direct I/O and servers like: */",
    "posix_memalign(&buffer, 4096, share);",
  );

export const readOnce = c(
  "/* read once, keep it: the second pass comes from memory */",
  "void *data = malloc(bytes);",
  "pread(fd, data, bytes, offset);",
  "for (int pass = 0; pass < passes; pass++) work(data, bytes);",
);

export const setvbufLarge = c(
  'FILE *stream = fopen(path, "w");',
  "/* before the first read or write; the buffer lives as long as the stream */",
  "setvbuf(stream, NULL, _IOFBF, 4 << 20);",
  "/* no fflush() after each record, no setbuf(stream, NULL) */",
);

export const readRegion = c(
  "/* one seek and one read for the region, then pick in memory */",
  "fseeko(stream, first, SEEK_SET);",
  "size_t got = fread(region, 1, bytes, stream);",
);

export const posixInstead = c(
  "int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);",
  "pwrite(fd, buffer, bytes, offset); /* megabytes a call */",
  "close(fd);",
);

export const hdf5Collective = c(
  "hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);",
  "H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, info);",
  "hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);",
  "H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE);",
  "/* all ranks call it, also those with nothing to write: H5Sselect_none(space) */",
  "H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, dxpl, data);",
);

export const hdf5Metadata = c(
  "hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);",
  "H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, info);",
  "H5Pset_coll_metadata_write(fapl, 1);   /* metadata is written with collective calls */",
  "H5Pset_all_coll_metadata_ops(fapl, 1); /* one rank reads and broadcasts; all ranks make the same calls */",
  "",
  "hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);",
  "/* metadata together in pages instead of scattered over the file */",
  "H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_PAGE, 0, 1);",
  "H5Pset_file_space_page_size(fcpl, 4 << 20);",
  "hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl);",
);

export const hdf5Chunks = c(
  "hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);",
  "hsize_t chunk[2] = {rows_per_access, columns_per_access}; /* what one call moves; 1 to 16 MiB */",
  "H5Pset_chunk(dcpl, 2, chunk);",
  "",
  "hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);",
  "/* slots: a prime, about 100 times the chunks that fit; bytes: all chunks of a pass; 1.0: full chunks go first */",
  "H5Pset_chunk_cache(dapl, 12421, 128 << 20, 1.0);",
  'hid_t dataset = H5Dcreate2(file, "data", type, space, H5P_DEFAULT, dcpl, dapl);',
);

export const hdf5Alignment = (stripeBytes: number): Snippet =>
  c(
    "hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);",
    "H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, info);",
    "/* objects of 64 KiB and more begin at a stripe; smaller ones stay packed */",
    `H5Pset_alignment(fapl, 64 << 10, ${stripeBytes});`,
    "hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);",
  );

export const hdf5Hyperslab = c(
  "/* one block instead of a list of points */",
  "hsize_t start[1] = {first}, stride[1] = {step}, count[1] = {pieces}, block[1] = {length};",
  "H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block);",
  "/* or read the box around the points and pick in memory */",
);

export const pnetcdfCollective = c(
  "ncmpi_enddef(ncid); /* data mode is collective; no ncmpi_begin_indep_data() */",
  "ncmpi_put_vara_double_all(ncid, varid, start, count, data); /* all ranks; count 0 for those without */",
);

export const pnetcdfNonblocking = c(
  "int requests[VARIABLES], statuses[VARIABLES];",
  "for (int v = 0; v < VARIABLES; v++)",
  "  ncmpi_iput_vara_double(ncid, varids[v], start, count, data[v], &requests[v]);",
  "/* one collective MPI-IO write for all of them; data[] may not change before */",
  "ncmpi_wait_all(ncid, VARIABLES, requests, statuses);",
);

export const nonblockingWrite = c(
  "MPI_Request request;",
  "MPI_File_iwrite_at_all(fh, offset, copy, count, MPI_BYTE, &request); /* MPI 3.1 */",
  "compute_next_step();",
  "MPI_Wait(&request, MPI_STATUS_IGNORE); /* before `copy` is used again */",
);

export const openTogether = c(
  "/* instead of MPI_File_open(MPI_COMM_SELF, …) by every rank */",
  "MPI_File_open(MPI_COMM_WORLD, path, mode, info, &fh);",
);
