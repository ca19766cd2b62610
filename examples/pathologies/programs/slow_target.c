/* A slow target: each rank writes a file of its own, and the target of one rank is many times slower than the others; all
 * wait for that rank. Mended: ranks try the targets first and leave out those that are slow. --count: MiB for each rank. */
#include "common.h"

#include <mpi.h>

/* Seconds to write one MiB to a file below a folder. */
static double try_target(const char *folder, int rank) {
  char name[32];
  snprintf(name, sizeof name, "probe.%d", rank);
  const char *path = path_in(folder, name);
  int fd = open_direct(path, O_WRONLY | O_CREAT | O_TRUNC);
  char *piece = aligned(MIB);
  double start = MPI_Wtime();
  if (write(fd, piece, MIB) != MIB) die(path);
  double seconds = MPI_Wtime() - start;
  close(fd);
  unlink(path);
  free(piece);
  return seconds;
}

/* Ranks share the work of trying; gives the folders that are not four times slower than the fastest. */
static int good_targets(const struct options *options, int rank, int ranks, const char **good) {
  double mine[FOLDERS_MAX] = {0}, all[FOLDERS_MAX], fastest = 1e9;
  int count = 0;
  for (int i = rank; i < options->folders; i += ranks) mine[i] = try_target(options->folder[i], rank);
  MPI_Allreduce(mine, all, options->folders, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < options->folders; i++)
    if (all[i] < fastest) fastest = all[i];
  for (int i = 0; i < options->folders; i++)
    if (all[i] <= 4 * fastest) good[count++] = options->folder[i];
  return count;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct options options = read_options(argc, argv, 20);
  int rank, ranks, folders = options.folders;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *folder[FOLDERS_MAX];
  memcpy(folder, options.folder, sizeof folder);
  if (options.mended) folders = good_targets(&options, rank, ranks, folder);

  char name[32];
  snprintf(name, sizeof name, "part.%d", rank);
  const char *path = path_in(folder[rank % folders], name);
  int fd = open_direct(path, O_WRONLY | O_CREAT | O_TRUNC);
  char *piece = aligned(MIB);
  for (long i = 0; i < options.count; i++) {
    fill(piece, MIB, (rank * options.count + i) * MIB);
    if (write(fd, piece, MIB) != MIB) die(path);
  }
  close(fd);
  MPI_Finalize();
  return 0;
}
