/* SPDX-License-Identifier: BSD-3-Clause */
/* device [RUNTIME]: loads the library RUNTIME and calls alltoall with buffers that only the MPI library may read: pages without
   any right. The function below stands for the MPI library, and notes the addresses. Without RUNTIME the pages may be read. The
   program prints how many of the calls have come to the MPI library with their own addresses. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>

enum { calls = 100, page = 4096 };
static char *in, *out;
static int come;

int PMPI_Alltoall(const void* from, int n, MPI_Datatype type, void* to, int m, MPI_Datatype received, MPI_Comm ranks) {
  if (from == in && to == out) return ++come, MPI_SUCCESS;
  int (*const library)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm) = dlsym(RTLD_NEXT, "PMPI_Alltoall");
  return library(from, n, type, to, m, received, ranks);
}

static char* pages(int rights) { return mmap(0, page, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

int main(int argc, char** argv) {
  const int rights = argc > 1 ? PROT_NONE : PROT_READ | PROT_WRITE;
  int rank = 0, i = 0, least = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && !dlopen(argv[1], RTLD_NOW)) return 1;
  in = pages(rights), out = pages(rights);
  for (i = 0; i < calls; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Alltoall(in, 8, MPI_INT, out, 8, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(in, 8, MPI_INT, out, 8, MPI_INT, MPI_COMM_SELF);
  }
  MPI_Reduce(&come, &least, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d of %d calls\n", least, 2 * calls);
  MPI_Finalize();
  return 0;
}
