/* SPDX-License-Identifier: BSD-3-Clause
   A stand-in for libmpi_abi.so, for jobs of one process, with the functions that program.c calls. The environment variable
   ABI_MAJOR sets the version of the ABI that it claims. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define WEAK(name, arguments) int MPI_##name arguments __attribute__((weak, alias("PMPI_" #name)));

int PMPI_Init(int* count, char*** words) {
  (void)count, (void)words;
  return MPI_SUCCESS;
}
WEAK(Init, (int*, char***))

int PMPI_Finalize(void) { return MPI_SUCCESS; }
WEAK(Finalize, (void))

int PMPI_Abi_get_version(int* major, int* minor) {
  const char* claimed = getenv("ABI_MAJOR");
  *major = claimed ? atoi(claimed) : MPI_ABI_VERSION;
  *minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}
WEAK(Abi_get_version, (int*, int*))

int PMPI_Get_library_version(char* text, int* length) {
  strcpy(text, "Stub of the ABI 1.0\nwith a second line");
  *length = (int)strlen(text);
  return MPI_SUCCESS;
}
WEAK(Get_library_version, (char*, int*))

int PMPI_Barrier(MPI_Comm comm) { return comm == MPI_COMM_WORLD ? MPI_SUCCESS : 5; }
WEAK(Barrier, (MPI_Comm))

int PMPI_Alltoall_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count, MPI_Datatype out_type,
                    MPI_Comm comm) {
  if (comm != MPI_COMM_WORLD || out_type != MPI_BYTE) return 5;
  if (in == MPI_IN_PLACE) return MPI_SUCCESS;
  if (in_type != MPI_BYTE || in_count != out_count) return 3;
  memcpy(out, in, (size_t)in_count);
  return MPI_SUCCESS;
}
WEAK(Alltoall_c, (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm))

int PMPI_Alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                  MPI_Comm comm) {
  return PMPI_Alltoall_c(in, in_count, in_type, out, out_count, out_type, comm);
}
WEAK(Alltoall, (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm))
