/* Independent MPI-IO: the ranks' blocks of 4 KiB alternate in the file, and each is written by a call of its own. Mended: a
 * file view says where the blocks belong, and one collective call writes them all. --count: blocks for each rank. */
#include "common.h"

#include <mpi.h>

#define BLOCK (4 * KIB)

static void write_alone(MPI_File file, char *data, long blocks, int rank, int ranks) {
  for (long i = 0; i < blocks; i++)
    MPI_File_write_at(file, (i * ranks + rank) * BLOCK, data + i * BLOCK, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void write_together(MPI_File file, char *data, long blocks, int rank, int ranks) {
  MPI_Datatype block, woven;
  MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
  MPI_Type_vector(blocks, 1, ranks, block, &woven);
  MPI_Type_commit(&block);
  MPI_Type_commit(&woven);
  MPI_File_set_view(file, rank * BLOCK, block, woven, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, data, blocks, block, MPI_STATUS_IGNORE);
  MPI_Type_free(&woven);
  MPI_Type_free(&block);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct options options = read_options(argc, argv, 500);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char *data = aligned(options.count * BLOCK);
  for (long i = 0; i < options.count; i++) fill(data + i * BLOCK, BLOCK, (i * ranks + rank) * BLOCK);

  MPI_File file;
  const char *path = path_in(options.folder[0], "out");
  if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS) die(path);
  (options.mended ? write_together : write_alone)(file, data, options.count, rank, ranks);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
