! Each rank writes and reads a block of 4096 bytes: blocking, collective, split, and started and waited for.
program forms
  use mpi
  implicit none
  integer :: ierr, rank, fh, request, status(MPI_STATUS_SIZE)
  integer(kind=MPI_OFFSET_KIND) :: at
  integer, parameter :: n = 1024
  integer :: out(n), back(n)
  character(len=1024) :: path
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call get_command_argument(1, path)
  out = rank + 7
  call MPI_File_open(MPI_COMM_WORLD, path, ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, fh, ierr)
  at = int(rank, MPI_OFFSET_KIND) * 4096
  call MPI_File_write_at(fh, at, out, n, MPI_INTEGER, status, ierr)
  call MPI_File_read_at(fh, at, back, n, MPI_INTEGER, status, ierr)
  if (any(back /= out)) call MPI_Abort(MPI_COMM_WORLD, 9, ierr)
  call MPI_File_write_at_all(fh, at, out, n, MPI_INTEGER, status, ierr)
  call MPI_File_read_at_all_begin(fh, at, back, n, MPI_INTEGER, ierr)
  call MPI_File_read_at_all_end(fh, back, status, ierr)
  call MPI_File_iwrite_at(fh, at, out, n, MPI_INTEGER, request, ierr)
  call MPI_Wait(request, status, ierr)
  call MPI_File_close(fh, ierr)
  call MPI_Finalize(ierr)
end program forms
