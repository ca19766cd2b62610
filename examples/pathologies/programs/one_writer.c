/* One writer: rank 0 collects the data of all ranks and writes them alone. Mended: each rank writes its part of the same file.
 * --count: MiB for each rank. */
#include "common.h"

#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct options options = read_options(argc, argv, 20);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *path = path_in(options.folder[0], "out");
  int writes = options.mended || rank == 0;
  if (rank == 0) make_empty(path, ranks * options.count * MIB);
  MPI_Barrier(MPI_COMM_WORLD);
  int fd = writes ? open_direct(path, O_WRONLY) : -1;
  char *mine = aligned(MIB), *all = aligned(ranks * MIB);

  for (long i = 0; i < options.count; i++) {
    /* Part i of rank r belongs at (i * ranks + r) MiB. */
    off_t place = (i * ranks + rank) * MIB;
    fill(mine, MIB, place);
    if (options.mended) {
      if (pwrite(fd, mine, MIB, place) != MIB) die(path);
      continue;
    }
    MPI_Gather(mine, MIB, MPI_BYTE, all, MIB, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (writes && pwrite(fd, all, ranks * MIB, place) != ranks * MIB) die(path);
  }
  if (writes) close(fd);
  MPI_Finalize();
  return 0;
}
