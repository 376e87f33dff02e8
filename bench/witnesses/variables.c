// SPDX-License-Identifier: BSD-3-Clause
// PnetCDF: all ranks write a variable of a record each, by one collective call and by several that wait together, and read it
// transposed. Usage: variables RECORDS SIDE
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int error) {
  if (error == NC_NOERR) return;
  fprintf(stderr, "%s\n", ncmpi_strerror(error));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int records = atoi(argv[1]), side = atoi(argv[2]);
  int rank, size, file, dimensions[3], variable, request, status;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int share = side / size;
  check(ncmpi_create(MPI_COMM_WORLD, "variables.nc", NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  check(ncmpi_def_dim(file, "record", NC_UNLIMITED, &dimensions[0]));
  check(ncmpi_def_dim(file, "row", side, &dimensions[1]));
  check(ncmpi_def_dim(file, "column", side, &dimensions[2]));
  check(ncmpi_def_var(file, "figures", NC_DOUBLE, 3, dimensions, &variable));
  check(ncmpi_enddef(file));
  double* data = malloc(sizeof(double) * share * side);
  for (int k = 0; k < records; ++k) {
    const MPI_Offset row[3] = {k, rank * share, 0}, rows[3] = {1, share, side}, column[3] = {k, 0, rank * share}, columns[3] = {1, side, share};
    for (int i = 0; i < share * side; ++i) data[i] = k * 1000 + (rank * share * side + i) % 977;
    if (k % 2) {
      check(ncmpi_put_vara_double_all(file, variable, row, rows, data));
    } else {
      check(ncmpi_iput_vara_double(file, variable, row, rows, data, &request));
      check(ncmpi_wait_all(file, 1, &request, &status));
      check(status);
    }
    check(ncmpi_sync(file));
    MPI_Barrier(MPI_COMM_WORLD);  // MPI makes what other ranks have written visible only so
    check(ncmpi_get_vara_double_all(file, variable, column, columns, data));
    double sum = 0, sums[64];
    for (int i = 0; i < share * side; ++i) sum += data[i] * (i % 13 + 1);
    if (size > 64) MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < size; ++r) printf("result %d %d %.0f\n", k, r, sums[r]);
  }
  check(ncmpi_close(file));
  MPI_Finalize();
}
