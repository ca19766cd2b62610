/*
 * The same accesses as ours, written by hand in C: region i of rank r at (i * ranks + r) * spacing of the file, or one block
 * per rank; in memory `spacing` bytes from start to start, or packed. Prints the slowest rank's seconds of every repeat, a line
 * for each case in their order.
 *
 *   mpiexec -n 4 peer FILE REPEATS CASE…
 *   CASE: c-c|nc-c|c-nc|nc-nc,posix|sieving|two-phase,write|read,COUNT,SIZE,SPACING
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void check(int code, const char *what) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "peer: %s: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void hint(MPI_Info info, const char *name, const char *value) {
  char full[64];
  snprintf(full, sizeof full, "romio_%s_read", name);
  MPI_Info_set(info, full, value);
  snprintf(full, sizeof full, "romio_%s_write", name);
  MPI_Info_set(info, full, value);
}

static double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Prints the greatest value over all ranks of each repeat. */
static void report(const char *name, double *values, int count, int rank) {
  double *slowest = malloc((count + 1) * sizeof(double));
  MPI_Reduce(values, slowest, count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%s", name);
    for (int i = 0; i < count; i++) printf(" %.9f", slowest[i]);
    printf("\n");
  }
  free(slowest);
}

struct access {
  char shape[8], method[16], direction[8];
  int count, size, spacing;
};

static void perform(const char *path, const struct access *a, int repeats, int rank, int ranks) {
  const int writes = strcmp(a->direction, "write") == 0;
  const int memory_apart = strncmp(a->shape, "nc-", 3) == 0;
  const int file_apart = strcmp(strchr(a->shape, '-') + 1, "nc") == 0;
  const int collective = strcmp(a->method, "two-phase") == 0;
  const size_t packed = (size_t) a->count * a->size;

  MPI_Info info;
  MPI_Info_create(&info);
  if (collective) hint(info, "cb", "enable");
  else {
    hint(info, "cb", "disable");
    hint(info, "ds", strcmp(a->method, "sieving") == 0 ? "enable" : "disable");
  }

  MPI_Datatype memory = MPI_BYTE, file_type = MPI_BYTE;
  if (memory_apart) {
    MPI_Type_create_hvector(a->count, a->size, a->spacing, MPI_BYTE, &memory);
    MPI_Type_commit(&memory);
  }
  if (file_apart) {
    MPI_Type_create_hvector(a->count, a->size, (MPI_Aint) a->spacing * ranks, MPI_BYTE, &file_type);
    MPI_Type_commit(&file_type);
  }
  const size_t length = memory_apart ? (size_t) (a->count - 1) * a->spacing + a->size : packed;
  char *buffer = malloc(length);
  memset(buffer, rank + 1, length);
  const int items = memory_apart ? 1 : (int) packed;
  double *seconds = calloc(repeats, sizeof(double));

  MPI_File file;
  const double began_cpu = cpu_seconds();
  check(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file), "open");
  const MPI_Offset start = file_apart ? (MPI_Offset) rank * a->spacing : (MPI_Offset) (rank * packed);
  check(MPI_File_set_view(file, start, MPI_BYTE, file_type, "native", MPI_INFO_NULL), "view");
  for (int i = 0; i < repeats; i++) {
    MPI_Status status;
    int code, got;
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    if (writes && collective) code = MPI_File_write_at_all(file, 0, buffer, items, memory, &status);
    else if (writes) code = MPI_File_write_at(file, 0, buffer, items, memory, &status);
    else if (collective) code = MPI_File_read_at_all(file, 0, buffer, items, memory, &status);
    else code = MPI_File_read_at(file, 0, buffer, items, memory, &status);
    check(code, a->direction);
    check(MPI_Get_count(&status, MPI_BYTE, &got), "count");
    seconds[i] = MPI_Wtime() - began;
    if ((size_t) got != packed) {
      fprintf(stderr, "peer: %d of %zu bytes\n", got, packed);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  check(MPI_File_close(&file), "close");
  double cpu = cpu_seconds() - began_cpu;
  report("seconds", seconds, repeats, rank);
  report("cpu", &cpu, 1, rank);
  MPI_Info_free(&info);
  if (memory_apart) MPI_Type_free(&memory);
  if (file_apart) MPI_Type_free(&file_type);
  free(buffer);
  free(seconds);
}

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 3; i < argc; i++) {
    struct access a;
    if (sscanf(argv[i], "%7[^,],%15[^,],%7[^,],%d,%d,%d", a.shape, a.method, a.direction, &a.count, &a.size, &a.spacing) != 6) {
      fprintf(stderr, "peer: no case: %s\n", argv[i]);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    perform(argv[1], &a, atoi(argv[2]), rank, ranks);
  }
  MPI_Finalize();
  return 0;
}
