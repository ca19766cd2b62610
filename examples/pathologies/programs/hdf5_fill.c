/* HDF5 fill values: parallel HDF5 allocates a dataset when it is created, and with a fill value (as netCDF-4 sets one) it
 * writes that to every element before the data come. Mended: H5D_FILL_TIME_NEVER, since every element is written anyway.
 * --count: MiB for each rank. */
#include "common.h"

#include <hdf5.h>
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct options options = read_options(argc, argv, 24);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  hsize_t mine = options.count * MIB / sizeof(double), all = mine * ranks, start = mine * rank;
  char *data = aligned(mine * sizeof(double));
  fill(data, mine * sizeof(double), start * sizeof(double));

  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  hid_t file = H5Fcreate(path_in(options.folder[0], "out.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  double fill_value = 9.96920996838687e36;
  H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &fill_value);
  if (options.mended) H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  hid_t space = H5Screate_simple(1, &all, NULL), memory = H5Screate_simple(1, &mine, NULL);
  hid_t dataset = H5Dcreate(file, "field", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);

  H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &mine, NULL);
  herr_t status = H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, data);
  H5Dclose(dataset);
  H5Sclose(space);
  H5Sclose(memory);
  H5Pclose(creation);
  H5Pclose(access);
  H5Fclose(file);
  MPI_Finalize();
  return status < 0;
}
