/* SPDX-License-Identifier: BSD-3-Clause
   An MPI program that calls no collective. */
#include <mpi.h>
#include <stddef.h>
int main(void) {
  MPI_Init(NULL, NULL);
  MPI_Finalize();
  return 0;
}
