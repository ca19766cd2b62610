/* Data sieving: pieces with holes between them are written by one independent call each round; ROMIO reads the whole window
 * with its holes, puts the pieces in and writes it back. Mended: the hint romio_ds_write=disable, each piece is written itself.
 * --count: rounds of 4 pieces of 16 KiB in a window of 2 MiB for each rank. */
#include "common.h"

#include <mpi.h>

#define PIECE (16 * KIB)
#define PIECES 4
#define WINDOW (2 * MIB)

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct options options = read_options(argc, argv, 40);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *path = path_in(options.folder[0], "grid");
  if (options.prepare) {
    if (rank == 0) make_input(path, options.count * ranks * WINDOW);
    MPI_Finalize();
    return 0;
  }
  MPI_Info hints;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "romio_ds_write", options.mended ? "disable" : "enable");
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, hints, &file) != MPI_SUCCESS) die(path);

  MPI_Datatype piece, holey;
  MPI_Type_contiguous(PIECE, MPI_BYTE, &piece);
  MPI_Type_create_hvector(PIECES, 1, WINDOW / PIECES, piece, &holey);
  MPI_Type_commit(&holey);
  char *data = aligned(PIECES * PIECE);
  for (long i = 0; i < options.count; i++) {
    MPI_Offset place = (i * ranks + rank) * WINDOW;
    fill(data, PIECES * PIECE, ~place);
    MPI_File_set_view(file, place, MPI_BYTE, holey, "native", hints);
    MPI_File_write_at(file, 0, data, PIECES * PIECE, MPI_BYTE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
  MPI_Type_free(&holey);
  MPI_Type_free(&piece);
  MPI_Info_free(&hints);
  MPI_Finalize();
  return 0;
}
