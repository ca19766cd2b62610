/* One writer: rank 0 collects the data of all ranks and writes them alone, while the others wait. Mended: each rank writes its
 * own part of the same file. --count: MiB for each rank. */
#include "common.h"

#include <mpi.h>

static void write_at(int fd, const char *data, long bytes, off_t place) {
  for (long done = 0; done < bytes; done += MIB)
    if (pwrite(fd, data + done, MIB, place + done) != MIB) die("pwrite");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct options options = read_options(argc, argv, 8);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  long bytes = options.count * MIB;
  char *mine = aligned(bytes);
  fill(mine, bytes, rank * bytes);
  const char *path = path_in(options.folder[0], "out");
  if (rank == 0) make_empty(path, ranks * bytes);
  MPI_Barrier(MPI_COMM_WORLD);

  if (options.mended) {
    int fd = open_direct(path, O_WRONLY);
    write_at(fd, mine, bytes, rank * bytes);
    close(fd);
  } else {
    char *all = rank == 0 ? aligned(ranks * bytes) : NULL;
    MPI_Gather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      int fd = open_direct(path, O_WRONLY);
      write_at(fd, all, ranks * bytes, 0);
      close(fd);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
