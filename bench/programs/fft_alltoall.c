/* SPDX-License-Identifier: BSD-3-Clause
   A typical user's program: transforms of N^3 complex numbers by FFTW-MPI, out of place, planned with MEASURE. With MEASURE, FFTW
   times MPI_Alltoall and uses it if it is fast. With "transposed" the planes stay as the forward transform leaves them, and FFTW
   takes MPI_Alltoall(v) without timing it. Usage, under mpirun: fft_alltoall [N [TRANSFORMS [transposed]]]. Prints the time of the
   transforms and figures of the result. bench/programs.sh and bench/projection.sh build and run it. */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  fftw_mpi_init();
  const ptrdiff_t n = count > 1 ? atol(arguments[1]) : 64, transforms = count > 2 ? atol(arguments[2]) : 200;
  if (n < 1 || transforms < 1) {
    fprintf(stderr, "usage: fft_alltoall [N [TRANSFORMS [transposed]]], numbers at least 1\n");
    MPI_Finalize();
    return 2;
  }
  ptrdiff_t rows, first;
  const ptrdiff_t room = fftw_mpi_local_size_3d(n, n, n, MPI_COMM_WORLD, &rows, &first);
  fftw_complex *in = fftw_alloc_complex(room), *out = fftw_alloc_complex(room);
  const int transposed = count > 3 && strcmp(arguments[3], "transposed") == 0;
  const unsigned effort = transposed ? FFTW_ESTIMATE | FFTW_DESTROY_INPUT : FFTW_MEASURE;
  const double planning = MPI_Wtime();
  const fftw_plan forth =
      fftw_mpi_plan_dft_3d(n, n, n, in, out, MPI_COMM_WORLD, FFTW_FORWARD, effort | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0));
  const fftw_plan back =
      fftw_mpi_plan_dft_3d(n, n, n, out, in, MPI_COMM_WORLD, FFTW_BACKWARD, effort | (transposed ? FFTW_MPI_TRANSPOSED_IN : 0));
  const double planned = MPI_Wtime();

  const double scale = 1.0 / ((double)n * (double)n * (double)n);
  for (ptrdiff_t i = 0; i < rows * n * n; ++i) {
    const double place = (double)(first * n * n + i);
    in[i][0] = sin(0.001 * place);
    in[i][1] = cos(0.002 * place);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (ptrdiff_t k = 0; k < transforms; ++k) {
    fftw_execute(forth);
    if (k + 1 == transforms) break;
    fftw_execute(back);
    for (ptrdiff_t i = 0; i < rows * n * n; ++i) in[i][0] *= scale, in[i][1] *= scale;
  }
  double took = MPI_Wtime() - start, most = 0;
  MPI_Reduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

  double sums[3] = {0, 0, 0}, all[3]; /* the transform at 0, and the square of its norm */
  if (first == 0 && rows > 0) sums[0] = out[0][0], sums[1] = out[0][1];
  for (ptrdiff_t i = 0; i < rows * n * n; ++i) sums[2] += out[i][0] * out[i][0] + out[i][1] * out[i][1];
  MPI_Reduce(sums, all, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("planned_s %.4f transforms_s %.4f\n", planned - planning, most);
    printf("result %.17g %.17g %.17g\n", all[0], all[1], all[2]);
  }
  fftw_destroy_plan(forth);
  fftw_destroy_plan(back);
  fftw_free(in);
  fftw_free(out);
  MPI_Finalize();
  return 0;
}
