/*
 * Hpio's noncontiguous read with data sieving, for `plimsoll study metric`: one process reads REGIONS regions of SIZE bytes
 * that lie SPACING apart, in CALLS calls of MPI_File_read, PASSES times over. Compiled with mpicc on first use, run without mpiexec (one process
 * needs none) and under the recorder.
 *
 *   mpi-sieving REGIONS SIZE SPACING CALLS PASSES BUFFER FILE
 *   mpi-sieving --version                which MPI library it has
 *
 * Prints one JSON line with the wall time between MPI_Init and MPI_Finalize. Exit codes as those of workload.c.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check(int code, const char *what) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "mpi-sieving: %s: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void library(char *text) {
  int length;
  MPI_Get_library_version(text, &length);
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < 32 || *c == '"' || *c == '\\') *c = ' ';
}

int main(int argc, char **argv) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  if (argc == 2 && !strcmp(argv[1], "--version")) {
    MPI_Init(&argc, &argv);
    library(version);
    MPI_Finalize();
    printf("%.200s\n", version);
    return 0;
  }
  if (argc != 8) {
    fprintf(stderr, "mpi-sieving: REGIONS SIZE SPACING CALLS PASSES BUFFER FILE\n");
    return 2;
  }
  uint64_t regions = strtoull(argv[1], NULL, 10), size = strtoull(argv[2], NULL, 10);
  uint64_t spacing = strtoull(argv[3], NULL, 10), calls = strtoull(argv[4], NULL, 10);
  uint64_t passes = strtoull(argv[5], NULL, 10);
  const char *path = argv[7];
  if (size == 0 || size % 8 || spacing % 8 || calls == 0 || regions / calls * size > INT32_MAX) {
    fprintf(stderr, "mpi-sieving: sizes must be multiples of 8, and a call below 2 GiB\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  double began = now();
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_ds_read", "enable");
  MPI_Info_set(info, "romio_cb_read", "disable");
  MPI_Info_set(info, "ind_rd_buffer_size", argv[6]);
  MPI_File file;
  check(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, info, &file), path);
  MPI_Datatype region, spaced;
  MPI_Type_contiguous((int)size, MPI_BYTE, &region);
  MPI_Type_create_resized(region, 0, (MPI_Aint)(size + spacing), &spaced);
  MPI_Type_commit(&spaced);
  MPI_Type_free(&region);
  check(MPI_File_set_view(file, 0, MPI_BYTE, spaced, "native", info), "set view");
  char *data = malloc((regions / calls + 1) * size);
  if (!data) check(MPI_ERR_NO_MEM, "buffer");
  for (uint64_t i = 0; i < passes * calls; i++) {
    uint64_t c = i % calls;
    if (c == 0) check(MPI_File_seek(file, 0, MPI_SEEK_SET), path);
    uint64_t first = regions * c / calls, count = regions * (c + 1) / calls - first;
    if (count == 0) continue;
    MPI_Status status;
    check(MPI_File_read(file, data, (int)(count * size), MPI_BYTE, &status), path);
    for (uint64_t r = 0; r < count; r++) {
      uint64_t word, offset = (first + r) * (size + spacing);
      memcpy(&word, data + r * size, 8);
      if (word == offset / 8) continue;
      fprintf(stderr, "mpi-sieving: %s: byte %llu: expected word %llu, found %llu\n", path, (unsigned long long)offset,
              (unsigned long long)(offset / 8), (unsigned long long)word);
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
  }
  check(MPI_File_close(&file), path);
  MPI_Type_free(&spaced);
  MPI_Info_free(&info);
  double seconds = now() - began;
  MPI_Finalize();
  printf("{\"seconds\":%.9f}\n", seconds);
  return 0;
}
