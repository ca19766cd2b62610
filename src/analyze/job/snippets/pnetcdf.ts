/** PnetCDF, in C and Fortran. */
import { entry } from "./entry.ts";
import type { Directed } from "./words.ts";

/** The calls that end in _all. */
const pnetcdfCollective = entry<Directed>("pnetcdf-collective", {
  mpi: {
    c: ({ way }) => `${
      way === "write"
        ? "ncmpi_enddef(ncid); /* data mode is collective; no ncmpi_begin_indep_data() */\n"
        : "/* data mode is collective; no ncmpi_begin_indep_data() */\n"
    }/* all ranks; a count of 0 for those without data */
ncmpi_${way === "write" ? "put" : "get"}_vara_double_all(ncid, varid, start, counts, data);`,
    fortran: ({ way }) => `${
      way === "write"
        ? "ierr = nf90mpi_enddef(ncid)  ! data mode is collective; no nf90mpi_begin_indep_data\n"
        : "! data mode is collective; no nf90mpi_begin_indep_data\n"
    }! all ranks; a count of 0 for those without data
ierr = nf90mpi_${way === "write" ? "put" : "get"}_var_all(ncid, varid, values, starts, counts)`,
  },
});

/** Many variables in one collective write. */
const pnetcdfNonblocking = entry("pnetcdf-nonblocking", {
  mpi: {
    c: () => `int requests[VARIABLES], statuses[VARIABLES];
for (int v = 0; v < VARIABLES; v++)
  ncmpi_iput_vara_double(ncid, varids[v], start, counts, data_of[v], &requests[v]);
/* one collective MPI-IO write for all of them; data_of[] may not change before */
ncmpi_wait_all(ncid, VARIABLES, requests, statuses);`,
    fortran: () => `integer :: requests(variables), statuses(variables), v, ierr
do v = 1, variables
  ierr = nf90mpi_iput_var(ncid, varids(v), fields(:, v), requests(v), starts, counts)
end do
! one collective MPI-IO write for all of them; fields may not change before
ierr = nf90mpi_wait_all(ncid, variables, requests, statuses)`,
  },
});

export const PNETCDF_SNIPPETS = {
  pnetcdfCollective,
  pnetcdfNonblocking,
};
