// SPDX-License-Identifier: BSD-3-Clause
// For tests and benchmarks: a library to preload into programs of MPICH's ch4:ucx device if there are more ranks than cores.
// 1. MPICH waits by polling UCX and never yields its core. The rank that it waits for may need this core and gets it only at the
// end of the time slice, some milliseconds later. Here, a poll that found nothing yields.
// 2. MPI_Finalize disconnects each endpoint and polls until the peer has answered, which the peer no longer does if it has already
// finished. Here, queued messages get the chance to leave, and the disconnection counts as done; destroying the worker frees the
// endpoints.
// Do not use it with a core for each rank, because a yield costs more than a poll.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

typedef unsigned poll_function(void* worker);

static void* last_worker;

unsigned ucp_worker_progress(void* worker) {
  // Looked up late: UCX comes with the MPI library, which a plug-in may load long after the program's start.
  static poll_function* poll;
  if (poll == NULL) *(void**)&poll = dlsym(RTLD_NEXT, "ucp_worker_progress");
  last_worker = worker;
  const unsigned event_count = poll(worker);
  if (event_count == 0) sched_yield();
  return event_count;
}

void* ucp_disconnect_nb(void* endpoint) {
  (void)endpoint;
  enum { quiet_enough = 1000, most_polls = 100000 };
  static int drained;
  for (int polls = 0, quiet = 0; last_worker != NULL && !drained && quiet < quiet_enough && polls < most_polls; ++polls)
    quiet = ucp_worker_progress(last_worker) > 0 ? 0 : quiet + 1;
  drained = 1;
  return NULL;  // UCS_OK
}
