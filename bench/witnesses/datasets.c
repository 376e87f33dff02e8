// SPDX-License-Identifier: BSD-3-Clause
// Parallel HDF5: all ranks write rows of data sets together, in turn, and read them transposed. Usage: datasets SETS SIDE
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int sets = atoi(argv[1]);
  const hsize_t side = atoi(argv[2]);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS), together = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  H5Pset_dxpl_mpio(together, H5FD_MPIO_COLLECTIVE);
  const hsize_t shape[2] = {side, side}, share = side / size, rows[2] = {share, side}, columns[2] = {side, share};
  const hsize_t first_row[2] = {rank * share, 0}, first_column[2] = {0, rank * share};
  const hid_t in_file = H5Screate_simple(2, shape, NULL), in_rows = H5Screate_simple(2, rows, NULL), in_columns = H5Screate_simple(2, columns, NULL);
  double* data = malloc(sizeof(double) * share * side);
  const hid_t file = H5Fcreate("datasets.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  for (int k = 0; k < sets; ++k) {
    char name[20];
    snprintf(name, sizeof name, "set%d", k);
    const hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, in_file, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (hsize_t i = 0; i < share * side; ++i) data[i] = (double)k * 1000 + (double)((rank * share * side + i) % 977);
    H5Sselect_hyperslab(in_file, H5S_SELECT_SET, first_row, NULL, rows, NULL);
    if (H5Dwrite(set, H5T_NATIVE_DOUBLE, in_rows, in_file, together, data) < 0) MPI_Abort(MPI_COMM_WORLD, 1);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    MPI_Barrier(MPI_COMM_WORLD);  // MPI makes what other ranks have written visible only so
    H5Sselect_hyperslab(in_file, H5S_SELECT_SET, first_column, NULL, columns, NULL);
    if (H5Dread(set, H5T_NATIVE_DOUBLE, in_columns, in_file, together, data) < 0) MPI_Abort(MPI_COMM_WORLD, 1);
    H5Dclose(set);
    double sum = 0, sums[64];
    for (hsize_t i = 0; i < share * side; ++i) sum += data[i] * (double)(i % 13 + 1);
    if (size > 64) MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < size; ++r) printf("result %d %d %.0f\n", k, r, sums[r]);
  }
  H5Fclose(file);
  MPI_Finalize();
}
