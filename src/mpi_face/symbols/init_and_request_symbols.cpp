// SPDX-License-Identifier: BSD-3-Clause
// Defines, for preloading, MPI_Init and MPI_Init_thread, and MPI's C functions that complete, start or free requests. Time in a
// function on a collective's request counts for that collective. A tool that was preloaded after this library sees the calls,
// too.
#include "mpi_face/message_calls.hpp"
#include "mpi_face/symbols/preloaded.hpp"
#include "mpi_face/symbols/signature.hpp"

using namespace quadrille::mpi_face;

namespace {

const MPI_Request* address_of(const MPI_Request* request) { return request; }
const MPI_Request* address_of(const MPI_Request& request) { return &request; }

MPI_Request request_at(const void* requests, int i) { return static_cast<const MPI_Request*>(requests)[i]; }

}  // namespace

extern "C" {

int MPI_Init(int* count, char*** arguments) {
  const Initialising initialising;
  return next("MPI_Init", PMPI_Init)(count, arguments);
}

int MPI_Init_thread(int* count, char*** arguments, int required, int* provided) {
  const Initialising initialising;
  return next("MPI_Init_thread", PMPI_Init_thread)(count, arguments, required, provided);
}

// What the end of MPI runs (CommunicatorState::expect_end) knows the caller by this.
int MPI_Finalize() {
  note_caller();
  return next("MPI_Finalize", PMPI_Finalize)();
}

#define QUADRILLE_REQUESTS(name, arguments, kind, count, requests)                                                      \
  int MPI_##name(PARAMETERS(MPI_##name, arguments)) {                                                                   \
    note_caller();                                                                                                      \
    static auto* const call = next("MPI_" #name, PMPI_##name);                                                          \
    const RequestCall counted(RequestCall::Kind::kind, MessageFunction::name, address_of(requests), count, request_at); \
    return call(ARGUMENTS(arguments));                                                                                  \
  }
#define ONE_REQUEST(name, fortran, capitals, arguments, kind) QUADRILLE_REQUESTS(name, arguments, kind, 1, a0)
#define REQUESTS(name, fortran, capitals, arguments, kind) QUADRILLE_REQUESTS(name, arguments, kind, a0, a1)
#include "mpi_face/symbols/requests.def"
}
