/*
 * `mpi-io FILE`: every rank writes and reads blocks of 4096 bytes with all forms of MPI-IO, once each, checks what it
 * reads, and ends with 0. Rank 0 prints how many calls of each direction one rank makes.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define SIZE 4096
static char out[SIZE], in[SIZE];
static int rank, ranks, writes, reads;

static void fail(const char *what)
{
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 9);
}
static void wrote(void)
{
    writes++;
}
static void got(const char *what, int fill)
{
    reads++;
    for (int i = 0; i < SIZE; i++)
        if (in[i] != fill) fail(what);
    memset(in, 0, SIZE);
}

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Request request[4];
    MPI_Status status[4];
    int flag = 0, index, done, indices[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 2) fail("no file named");
    memset(out, 'a' + rank, SIZE);
    if (MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file)) fail("open");
    MPI_Offset mine = (MPI_Offset)rank * SIZE, all = (MPI_Offset)ranks * SIZE;

    MPI_File_seek(file, mine, MPI_SEEK_SET);
    if (MPI_File_write(file, out, SIZE, MPI_CHAR, status)) fail("write");
    wrote();
    MPI_File_seek(file, mine, MPI_SEEK_SET);
    MPI_File_read(file, in, SIZE, MPI_CHAR, status);
    got("read", 'a' + rank);
    MPI_File_write_at(file, all + mine, out, SIZE / 4, MPI_INT, status);
    wrote();
    MPI_File_read_at(file, all + mine, in, SIZE / 4, MPI_INT, status);
    got("read_at", 'a' + rank);
    MPI_File_write_at_all(file, 2 * all + mine, out, SIZE, MPI_CHAR, status);
    wrote();
    MPI_File_read_at_all(file, 2 * all + mine, in, SIZE, MPI_CHAR, status);
    got("read_at_all", 'a' + rank);
    MPI_File_seek(file, 3 * all + mine, MPI_SEEK_SET);
    MPI_File_write_all(file, out, SIZE, MPI_CHAR, status);
    wrote();
    MPI_File_seek(file, 3 * all + mine, MPI_SEEK_SET);
    MPI_File_read_all(file, in, SIZE, MPI_CHAR, status);
    got("read_all", 'a' + rank);

    MPI_File_iwrite_at(file, 4 * all + mine, out, SIZE, MPI_CHAR, request);
    MPI_Wait(request, status);
    wrote();
    MPI_File_iread_at(file, 4 * all + mine, in, SIZE, MPI_CHAR, request);
    while (!flag) MPI_Test(request, &flag, status);
    got("iread_at", 'a' + rank);
    MPI_File_iwrite_at(file, 5 * all + mine, out, SIZE, MPI_CHAR, &request[0]);
    MPI_File_iwrite_at(file, 6 * all + mine, out, SIZE, MPI_CHAR, &request[1]);
    MPI_Waitall(2, request, status);
    wrote();
    wrote();
    MPI_File_iread_at(file, 5 * all + mine, in, SIZE, MPI_CHAR, &request[0]);
    MPI_Waitany(1, request, &index, status);
    got("iread_at, waitany", 'a' + rank);
    MPI_File_iread_at(file, 6 * all + mine, in, SIZE, MPI_CHAR, &request[0]);
    MPI_Waitsome(1, request, &done, indices, status);
    got("iread_at, waitsome", 'a' + rank);

    MPI_File_write_at_all_begin(file, 7 * all + mine, out, SIZE, MPI_CHAR);
    MPI_File_write_at_all_end(file, out, status);
    wrote();
    MPI_File_read_at_all_begin(file, 7 * all + mine, in, SIZE, MPI_CHAR);
    MPI_File_read_at_all_end(file, in, status);
    got("read_at_all_begin", 'a' + rank);

    /* In units of four bytes from a start; then in units that are composed. */
    MPI_Datatype block;
    MPI_File_set_view(file, 8 * all, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_at(file, mine / 4, out, SIZE, MPI_CHAR, status);
    wrote();
    MPI_Type_contiguous(SIZE, MPI_CHAR, &block);
    MPI_Type_commit(&block);
    MPI_File_set_view(file, 9 * all + mine, MPI_CHAR, block, "native", MPI_INFO_NULL);
    MPI_File_write_at(file, 0, out, SIZE, MPI_CHAR, status);
    wrote();
    MPI_Type_free(&block);

    MPI_File_sync(file);
    MPI_File_close(&file);
    if (rank == 0) printf("%d writes %d reads\n", writes, reads);
    MPI_Finalize();
    return 0;
}
