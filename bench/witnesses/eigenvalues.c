// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues of a symmetric matrix by ELPA's two stages, on a grid of 2 x RANKS / 2 ranks. Usage: eigenvalues ORDER TIMES
#include <elpa/elpa.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

extern void Cblacs_get(int, int, int*);
extern void Cblacs_gridinit(int*, const char*, int, int);
extern void Cblacs_gridinfo(int, int*, int*, int*, int*);

static int local_count(int order, int block, int mine, int all) {
  int count = 0;
  for (int i = 0; i < order; ++i) count += i / block % all == mine;
  return count;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int order = atoi(argv[1]), times = atoi(argv[2]), block = 16;
  int rank, size, context, rows = 2, columns, row, column, error;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "R", rows, size / rows);
  Cblacs_gridinfo(context, &rows, &columns, &row, &column);
  const int height = local_count(order, block, row, rows), width = local_count(order, block, column, columns);

  if (elpa_init(20181113) != ELPA_OK) MPI_Abort(MPI_COMM_WORLD, 1);
  elpa_t elpa = elpa_allocate(&error);
  const struct {
    const char* name;
    int value;
  } settings[] = {{"na", order}, {"nev", order}, {"local_nrows", height}, {"local_ncols", width}, {"nblk", block},
                  {"mpi_comm_parent", MPI_Comm_c2f(MPI_COMM_WORLD)}, {"process_row", row}, {"process_col", column}};
  for (unsigned i = 0; i < sizeof settings / sizeof *settings; ++i) elpa_set(elpa, settings[i].name, settings[i].value, &error);
  elpa_setup(elpa);
  elpa_set(elpa, "solver", ELPA_SOLVER_2STAGE, &error);
  double* matrix = malloc(sizeof(double) * height * width);
  double* vectors = malloc(sizeof(double) * height * width);
  double* values = malloc(sizeof(double) * order);
  for (int time = 0; time < times; ++time) {
    for (int j = 0; j < width; ++j)
      for (int i = 0; i < height; ++i) {
        const int y = (i / block * rows + row) * block + i % block, x = (j / block * columns + column) * block + j % block;
        matrix[j * height + i] = 1.0 / (1 + abs(x - y)) + (x == y) * (x % 7);
      }
    elpa_eigenvectors(elpa, matrix, values, vectors, &error);
    if (error != ELPA_OK) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 0; rank == 0 && i < order; i += order / 20) printf("result %.10g\n", values[i]);
  elpa_deallocate(elpa, &error);
  elpa_uninit(&error);
  MPI_Finalize();
}
