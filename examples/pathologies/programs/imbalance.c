/* Imbalance: the domain is split by area, but most cells are in one place, so rank 0 writes most of the bytes and the others
 * wait. Mended: the same bytes in equal parts. --count: MiB of the whole file. */
#include "common.h"

#include <mpi.h>

#define SHARE_OF_FIRST 0.85

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct options options = read_options(argc, argv, 80);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  /* Rank r writes the pieces from edge(r) to edge(r + 1), of 1 MiB each. */
  double first = options.mended || ranks == 1 ? 1.0 / ranks : SHARE_OF_FIRST;
  double other = ranks == 1 ? 0 : (1 - first) / (ranks - 1);
  long begin = rank == 0 ? 0 : (long)(options.count * (first + other * (rank - 1)) + 0.5);
  long end = rank + 1 == ranks ? options.count : (long)(options.count * (first + other * rank) + 0.5);

  const char *path = path_in(options.folder[0], "out");
  if (rank == 0) make_empty(path, options.count * MIB);
  MPI_Barrier(MPI_COMM_WORLD);
  int fd = open_direct(path, O_WRONLY);
  char *piece = aligned(MIB);
  for (long i = begin; i < end; i++) {
    fill(piece, MIB, i * MIB);
    if (pwrite(fd, piece, MIB, i * MIB) != MIB) die(path);
  }
  close(fd);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
