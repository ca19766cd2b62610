/** The rest of a C program around a snippet: what it takes as given is declared here. */

const HEADERS = `#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
`;

const GIVEN = `
static int fd, process, rank, count = 16, n = 2, last = 1, passes = 2, steps = 2, capacity = 4096;
static int bytes_per_rank = 128, bytes_per_process = 128, piece_number = 3, record_bytes = 64, changes = 2;
static long bytes = 128, first, offset, next_offset = 128;
static long place[2] = {0, 64};
static const char *path = "data";
static char buffer[1 << 20], copy[1 << 20], next[1 << 20], result[4096], record[64], text[64], state[64], region[4096];
static int change[2];
static FILE *stream;
static void compute(int at) { result[0] += (char)at; }
static void compute_next_step(void) { buffer[0]++; }
static void compute_with(char *data) { data[0]++; }
static void use_record(const char *data) { result[1] += data[0]; }
static void work(char *data, size_t size) { if (size > 0) data[0]++; }
static void write_state(const char *to, const char *what) { if (to[0] == what[0]) result[2]++; }
static void apply(char *to, const int *what) { to[0] += (char)*what; }
static void unused(void) {
  (void)compute, (void)compute_next_step, (void)compute_with, (void)use_record, (void)work, (void)write_state;
  (void)apply, (void)unused;
  (void)process, (void)n, (void)last, (void)passes, (void)steps, (void)capacity, (void)bytes_per_rank;
  (void)bytes_per_process, (void)piece_number, (void)record_bytes, (void)changes, (void)first, (void)offset;
  (void)next_offset, (void)place, (void)copy, (void)next, (void)record, (void)text, (void)state, (void)change;
  (void)count, (void)bytes, (void)region;
}
`;

const PIECES = `
struct piece { off_t offset; size_t bytes; char *buffer; };
static struct piece pieces[3] = {{64, 64, buffer}, {0, 64, buffer + 64}, {512, 16, buffer + 128}};
static int by_offset(const void *a, const void *b) {
  const struct piece *x = a, *y = b;
  return (x->offset > y->offset) - (x->offset < y->offset);
}
`;

const MPI = `#include <mpi.h>
static MPI_Comm comm;
static MPI_File fh;
static MPI_Info info;
static int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
`;

const HDF5 = `#include <hdf5.h>
static hid_t file, space, memory_space, file_space, type, dataset;
static double data[16];
static hsize_t rows_per_access = 2, columns_per_access = 4, length = 1, step = 2;
static hid_t given(const char *name, hid_t fapl) {
  hid_t made = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
  for (int i = 0; i < 3; i++) {
    static const char *names[] = {"given", "step0", "step1"};
    hid_t set = H5Dcreate2(made, names[i], H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
  }
  if (READS) H5Lcreate_hard(made, "given", made, "data", H5P_DEFAULT, H5P_DEFAULT);
  return made;
}
`;

const PNETCDF = `#include <pnetcdf.h>
#define VARIABLES 2
static int ncid, varid, varids[VARIABLES];
static MPI_Offset start[1] = {0}, counts[1] = {4};
static double data[16], *data_of[VARIABLES] = {data, data + 4};
`;

const BEGIN_MPI = `  MPI_Init(NULL, NULL);
  comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Info_create(&info);
  MPI_File_open(comm, "given", mode, MPI_INFO_NULL, &fh);
`;

const BEGIN_PLAIN = `  process = rank;
  fd = open("plain", O_CREAT | O_RDWR, 0644);
  if (write(fd, buffer, 65536) < 0) return 1;
  stream = fopen("plain", "r+");
  int made = open("data", O_CREAT | O_RDWR, 0644);
  if (!READS || write(made, buffer, 65536) < 0) close(made);
  int input = open("data", O_CREAT | O_RDWR, 0644);
  if (write(input, buffer, 65536) < 0) return 1;
  close(input);
`;

const BEGIN_HDF5 = (mpi: boolean) => `  space = H5Screate_simple(2, (hsize_t[]){4, 4}, NULL);
  memory_space = H5Scopy(space);
  file_space = H5Scopy(space);
  type = H5T_NATIVE_DOUBLE;
  hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
${mpi ? "  H5Pset_fapl_mpio(fapl, comm, info);\n" : ""}  file = given("context.h5", fapl);
  dataset = H5Dopen2(file, "given", H5P_DEFAULT);
  H5Fclose(given("results.h5", fapl));
  if (READS) H5Fclose(given("data", fapl));
`;

const BEGIN_PNETCDF = `  int dimension;
  ncmpi_create(comm, "data.nc", NC_CLOBBER, MPI_INFO_NULL, &ncid);
  ncmpi_def_dim(ncid, "x", 8, &dimension);
  for (int v = 0; v < VARIABLES; v++) {
    char name[8];
    snprintf(name, sizeof name, "v%d", v);
    ncmpi_def_var(ncid, name, NC_DOUBLE, 1, &dimension, &varids[v]);
  }
  varid = varids[0];
  if (ENDDEF) ncmpi_enddef(ncid);
`;

/** A whole program; `reads` says whether the snippet expects its file to be there. */
export function cProgram(code: string, reads: boolean): string {
  const mpi = /\bMPI_|ncmpi_/.test(code);
  const hdf5 = /\bH5/.test(code);
  const pnetcdf = code.includes("ncmpi_");
  const isFunctions = code.includes("\nstatic void ");
  const structs = /pieces\[i/.test(code);
  const few =
    /\bpieces\b/.test(code) && !structs ? "static int pieces = 2;\nstatic char piece[2][64];\n" : "";
  // HDF5's own hyperslab of a 1-D space.
  const line = code.includes("H5Sselect_hyperslab")
    ? "  space = H5Screate_simple(1, (hsize_t[]){16}, NULL);\n"
    : "";
  const counted = structs ? code.replaceAll(/\bcount\b/g, "3") : code;
  return [
    HEADERS,
    `#define READS ${reads ? 1 : 0}\n#define ENDDEF ${code.includes("ncmpi_enddef") ? 0 : 1}`,
    ...(mpi ? [MPI] : []),
    GIVEN,
    ...(hdf5 ? [HDF5] : []),
    ...(pnetcdf ? [PNETCDF] : []),
    ...(structs ? [PIECES] : []),
    few.replace("static int pieces", hdf5 ? "static hsize_t pieces" : "static int pieces"),
    hdf5 ? "" : "static FILE *file;\nstatic int step;",
    isFunctions ? code : "",
    "static void snippet(void) {",
    isFunctions ? "put_record(fd, record, sizeof record);\nflush_records(fd);" : counted,
    "}",
    "int main(void) {\n  (void)unused;",
    ...(mpi ? [BEGIN_MPI] : []),
    BEGIN_PLAIN,
    hdf5 ? "" : '  file = fopen("plain", "r+");\n  (void)file, (void)step;',
    ...(hdf5 ? [BEGIN_HDF5(mpi)] : []),
    ...(pnetcdf ? [BEGIN_PNETCDF] : []),
    line,
    `  snippet();\n${mpi ? "  MPI_Finalize();\n" : ""}  return 0;\n}`,
  ].join("\n");
}
