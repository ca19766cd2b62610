/** The rest of a Fortran program around a snippet. The snippet is a contained subroutine, so that it may declare names again. */

const GIVEN = `
integer, parameter :: long = 8
character(len=4) :: path = 'data'
integer :: rank = 0, ierr, unit, request, count = 16, i, pass, passes = 2, bytes = 128
integer :: bytes_per_rank = 128, piece_number = 3, changes = 2, change(2) = 1
integer(long) :: step = 2, steps = 2, n = 2, last = 1, first = 0, records = 5000, pieces = 2, length = 1
integer(long) :: place(2) = [1_8, 65_8], places(16) = [(i * 8_8 + 1, i = 0, 15)], next_offset = 128, offset = 0
integer(1) :: piece(64, 2) = 0, record(8, 5000) = 0
integer(1) :: buffer(65536) = 0
integer(1), asynchronous :: copy(65536) = 0, next(65536) = 0
double precision :: values(16) = 0
`;

const MPI = `integer :: comm, fh, info, mode = ior(MPI_MODE_CREATE, MPI_MODE_RDWR)
`;

const HDF5 = `integer(hid_t) :: file, space, memory_space, file_space, dataset, fapl_given, set_given, other
integer(hsize_t) :: dims(2) = [4_hsize_t, 4_hsize_t], rows_per_access = 2, columns_per_access = 4
`;

const PNETCDF = `integer, parameter :: variables = 2
integer :: ncid, varid, varids(variables), dimension, v
integer(kind=MPI_OFFSET_KIND) :: starts(1) = 1, counts(1) = 4
double precision :: fields(4, variables) = 0
`;

const BEGIN_MPI = `call MPI_Init(ierr)
comm = MPI_COMM_WORLD
call MPI_Comm_rank(comm, rank, ierr)
call MPI_Info_create(info, ierr)
call MPI_File_open(comm, 'given', mode, MPI_INFO_NULL, fh, ierr)
`;

/** A stream to read from and write to, and the input. */
const BEGIN_PLAIN = `open(newunit=unit, file='data', access='stream', form='unformatted')
write(unit) buffer
close(unit)
open(newunit=unit, file='plain', access='stream', form='unformatted')
write(unit) buffer
rewind(unit)
`;

const beginHdf5 = (mpi: boolean, reads: boolean) => `call h5open_f(ierr)
call h5screate_simple_f(2, dims, space, ierr)
call h5scopy_f(space, memory_space, ierr)
call h5scopy_f(space, file_space, ierr)
call h5pcreate_f(H5P_FILE_ACCESS_F, fapl_given, ierr)
${mpi ? "call h5pset_fapl_mpio_f(fapl_given, comm, info, ierr)\n" : ""}call make('results.h5', other)
call h5fclose_f(other, ierr)
${reads ? "call make('data', other)\ncall h5fclose_f(other, ierr)\n" : ""}call make('context.h5', file)
call h5dopen_f(file, 'given', dataset, ierr)
`;

const makeHdf5 = (reads: boolean) => `subroutine make(name, made)
character(len=*), intent(in) :: name
integer(hid_t), intent(out) :: made
character(len=5) :: names(${reads ? 4 : 3}) = [${reads ? "'data ', " : ""}'given', 'step1', 'step2']
call h5fcreate_f(name, H5F_ACC_TRUNC_F, made, ierr, access_prp=fapl_given)
do i = 1, size(names)
  call h5dcreate_f(made, trim(names(i)), H5T_NATIVE_DOUBLE, space, set_given, ierr)
  call h5dwrite_f(set_given, H5T_NATIVE_DOUBLE, values, dims, ierr)
  call h5dclose_f(set_given, ierr)
end do
end subroutine
`;

const beginPnetcdf = (
  code: string,
) => `ierr = nf90mpi_create(comm, 'data.nc', NF90_CLOBBER, MPI_INFO_NULL, ncid)
ierr = nf90mpi_def_dim(ncid, 'x', 8_8, dimension)
ierr = nf90mpi_def_var(ncid, 'v1', NF90_DOUBLE, [dimension], varids(1))
ierr = nf90mpi_def_var(ncid, 'v2', NF90_DOUBLE, [dimension], varids(2))
varid = varids(1)
${code.includes("enddef") ? "" : "ierr = nf90mpi_enddef(ncid)\n"}`;

const CALLED = `subroutine compute(at)
integer(long), intent(in) :: at
values(1) = at
end subroutine
subroutine compute_next_step()
buffer(1) = 1
end subroutine
subroutine compute_with(data)
integer(1), intent(inout) :: data(:)
data(1) = 1
end subroutine
subroutine work(data)
double precision, intent(inout) :: data(:)
data(1) = 1
end subroutine
subroutine apply(data, what)
double precision, intent(inout) :: data(:)
integer, intent(in) :: what
data(1) = what
end subroutine
subroutine write_state(to, data)
character(len=*), intent(in) :: to
double precision, intent(in) :: data(:)
if (to == 'x') print *, data
end subroutine
subroutine sort(list)
integer(long), intent(inout) :: list(:)
list(1) = minval(list)
end subroutine
`;

export function fortranProgram(code: string, reads: boolean): string {
  const mpi = /\bMPI_|nf90mpi_/.test(code);
  const hdf5 = /\bh5/.test(code);
  const pnetcdf = code.includes("nf90mpi_");
  const line = code.includes("h5sselect_hyperslab_f")
    ? "call h5screate_simple_f(1, [16_hsize_t], space, ierr)\n"
    : "";
  const place = /pos=place\b(?!\()/.test(code) ? code.replaceAll("pos=place)", "pos=place(1))") : code;
  return [
    "program test",
    ...(mpi ? ["use mpi"] : []),
    ...(hdf5 ? ["use hdf5"] : []),
    ...(pnetcdf ? ["use pnetcdf"] : []),
    "implicit none",
    GIVEN,
    ...(mpi ? [MPI] : []),
    ...(hdf5 ? [HDF5] : []),
    ...(pnetcdf ? [PNETCDF] : []),
    ...(mpi ? [BEGIN_MPI] : []),
    BEGIN_PLAIN,
    ...(hdf5 ? [beginHdf5(mpi, reads)] : []),
    ...(pnetcdf ? [beginPnetcdf(code)] : []),
    line,
    `call snippet()\n${mpi ? "call MPI_Finalize(ierr)\n" : ""}contains`,
    "subroutine snippet()",
    place,
    "end subroutine",
    CALLED,
    ...(hdf5 ? [makeHdf5(reads)] : []),
    "end program",
    "",
  ].join("\n");
}
