/* SPDX-License-Identifier: BSD-3-Clause
   The C interface: groups of ranks, plans of collectives, requests. docs/c.md has a section for each family of functions.

     quadrille_group ranks;
     quadrille_plan exchange;
     int error = quadrille_over(MPI_COMM_WORLD, &ranks);                            // quadrille/mpi_c.h
     if (!error) error = quadrille_plan_alltoall(ranks, 100, sizeof(double), NULL, &exchange);   // 100 elements for each rank
     if (!error) error = quadrille_execute(exchange, input, output);
     if (error) fprintf(stderr, "%s\n", quadrille_error_text());

   C99 and C++. All functions but quadrille_error_text return QUADRILLE_SUCCESS (0) or a quadrille_error, and no C++ exception
   leaves them. What is collective, how long objects live, and which threads may call is the same as in C++ (docs/using.md). A
   program links with libquadrille; quadrille/mpi_c.h says with what else if it calls MPI. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Handles. NULL is no object. Functions that make an object set the handle to NULL if they fail; functions that free one set it
   to NULL, too. A handle is a number that is never used for a second object. So the handle of an object that was freed, or never
   made, is refused with QUADRILLE_MISUSE. */
typedef struct quadrille_group_handle* quadrille_group;       /* this rank's handle for a group of ranks */
typedef struct quadrille_operator_handle* quadrille_operator; /* the operator of a reduction, and the type of its elements */
typedef struct quadrille_plan_handle* quadrille_plan;         /* a collective made ready to run any number of times */
typedef struct quadrille_request_handle* quadrille_request;   /* an execution of a plan that was started */

/* ---- Errors */

typedef enum quadrille_error {
  QUADRILLE_SUCCESS = 0,
  QUADRILLE_MISUSE,      /* an argument is out of range, or arguments contradict each other */
  QUADRILLE_MALFORMED,   /* a document does not have the format that it should have */
  QUADRILLE_TOO_LARGE,   /* a size overflows, or needs more than this machine has */
  QUADRILLE_ENVIRONMENT, /* a problem with a file, a plug-in or the machine */
  QUADRILLE_TRANSPORT,   /* MPI reported an error */
  QUADRILLE_PEER_LOST    /* another rank of the group failed; this rank stopped waiting for it */
} quadrille_error;

/* Returns the sentence of the last error that a function returned in the calling thread; "" if there was none. It is valid until
   another function returns an error in this thread. */
const char* quadrille_error_text(void);

/* ---- Groups */

/* Collective. The group in which a launcher (mpirun, `quadrille run`) started this process, which must not call MPI itself. */
int quadrille_launched_world(quadrille_group* ranks);

/* The group of an MPI communicator that is given as the bytes of its handle. `library`: the id of its library in mpi_libraries.def.
   C programs call quadrille_over (quadrille/mpi_c.h); this one is for other languages. */
int quadrille_over_handle(const char* library, const void* handle, int64_t handle_bytes, quadrille_group* ranks);

/* The function that each rank runs. Returns 0, or another value if the rank failed. */
typedef int quadrille_body(quadrille_group ranks, void* context);

/* Runs `body` as each of `threads` ranks, which are threads of this process, and joins them. If a body returns a value other than
   0, the calls of the other ranks fail, and the function returns the first such value. The group is freed when `body`
   returns. */
int quadrille_run_threads(int64_t threads, quadrille_body* body, void* context);

/* For programs that may be started in any way: runs `body` once as a rank of the launched world or, if no launcher started this
   process, as each of `threads` threads. A launched program calls either this function or quadrille_launched_world, and only
   once. */
int quadrille_run_launched(int64_t threads, quadrille_body* body, void* context);

int quadrille_group_rank(quadrille_group ranks, int64_t* rank); /* 0 .. size - 1 */
int quadrille_group_size(quadrille_group ranks, int64_t* size);
int quadrille_group_barrier(quadrille_group ranks);              /* collective: returns when all ranks have called it */
int quadrille_group_abort(quadrille_group ranks, int exit_code); /* ends this process, and makes the group fail */
int quadrille_group_free(quadrille_group* ranks);                /* local; plans of the group can still be executed */

/* ---- Operators */

/* `operation`: sum, prod, min, max, band, bor, bxor, land, lor, lxor, minloc, maxloc, matmul2. `type`: i8 .. i64, u8 .. u64, f32,
   f64, c64 and c128 (complex), and pairs of a value and an index such as f64_i32 (MPI_DOUBLE_INT). */
int quadrille_built_in_operator(const char* operation, const char* type, quadrille_operator* made);

/* Sets result[i] to lower[i] o upper[i] for all i < count. The operands in `lower` are those of lower ranks. `result` is `lower` or
   `upper`: so read element i of both before you write result[i]. Several threads may call the function at the same time. */
typedef void quadrille_combine(const void* lower, const void* upper, void* result, int64_t count, void* context);

/* An associative function as an operator. It gets aligned elements of `element_bytes` bytes, and `context`, which must live as long
   as plans use the operator. `commutative`: 0 or 1. All ranks give the same `name`, which is copied. */
int quadrille_operator_of_function(quadrille_combine* combine, void* context, int64_t element_bytes, int commutative,
                                   const char* name, quadrille_operator* made);

int quadrille_operator_free(quadrille_operator* operation); /* local; plans that use it keep what they need */

/* ---- Calls without a plan */

/* Collective. Each call finds the plan of an earlier call with equal arguments, or makes one. Buffers are as for plans, and are not
   in place, except for broadcast. If an argument is wrong, the call fails on this rank alone. */
int quadrille_call_alltoall(quadrille_group ranks, const void* input, void* output, int64_t count, int64_t element_bytes);
int quadrille_call_allgather(quadrille_group ranks, const void* input, void* output, int64_t count, int64_t element_bytes);
int quadrille_call_broadcast(quadrille_group ranks, void* buffer, int64_t count, int64_t element_bytes, int64_t root);
int quadrille_call_scatter(quadrille_group ranks, const void* input, void* output, int64_t count, int64_t element_bytes,
                           int64_t root);
int quadrille_call_gather(quadrille_group ranks, const void* input, void* output, int64_t count, int64_t element_bytes,
                          int64_t root);
int quadrille_call_reduce(quadrille_group ranks, const void* input, void* output, int64_t count, quadrille_operator operation,
                          int64_t root);
int quadrille_call_allreduce(quadrille_group ranks, const void* input, void* output, int64_t count, quadrille_operator operation);
int quadrille_call_reduce_scatter(quadrille_group ranks, const void* input, void* output, int64_t count,
                                  quadrille_operator operation);
int quadrille_call_scan(quadrille_group ranks, const void* input, void* output, int64_t count, quadrille_operator operation);
int quadrille_call_exscan(quadrille_group ranks, const void* input, void* output, int64_t count, quadrille_operator operation);

/* Makes no plan, so counts may change in each call, and a rank waits only for the ranks that it exchanges data with. */
int quadrille_call_alltoallv(quadrille_group ranks, const void* input, const int64_t* send_counts,
                             const int64_t* send_displacements, void* output, const int64_t* receive_counts,
                             const int64_t* receive_displacements, int64_t element_bytes);

/* ---- Plans */

/* `length` bytes that begin at the address of a buffer plus `offset`, which may be negative. */
typedef struct quadrille_piece {
  int64_t offset, length;
} quadrille_piece;

/* The pieces of a buffer in the order of its blocks' bytes. No pieces: the blocks follow each other. */
typedef struct quadrille_layout {
  const quadrille_piece* pieces;
  int64_t count;
} quadrille_layout;

/* Options of a plan. In a struct of zeros, as in quadrille_plan_options options = {0}, each field has its default. All ranks give
   equal options, except for `buffers`, `in_place` and layouts. */
typedef struct quadrille_plan_options {
  const char* algorithm;          /* NULL, "auto" or the name of one, such as "bruck:radix=2" */
  const char* effort;             /* NULL or "estimate", "measure", "exhaustive", "wisdom_only": work spent on choosing */
  const char* policy;             /* NULL or "blocking", "nonblocking", "dataflow" */
  const char* executor;           /* NULL or "automatic", "mpi", "shared", "hybrid" */
  int buffers;                    /* policy dataflow: how many rounds may have packed messages in flight, 1 or 2; 0 means 2 */
  int in_place;                   /* not 0: input and output share one buffer (quadrille_execute_in_place) */
  quadrille_layout input, output; /* where this rank's blocks lie; not for plans with counts, which have displacements */
} quadrille_plan_options;

/* Collective. `count`: elements of a block, as in MPI. `element_bytes`: bytes of an element; a reduction takes it from its
   operator. Lists of counts and displacements have one value for each rank, in elements; displacements may be NULL if blocks
   follow each other. `options` may be NULL. Buffers have the sizes of MPI's (docs/c.md). If an argument is wrong, the call fails
   on all ranks, and they may continue. If `ranks` is wrong or `plan` is NULL, the call fails only on this rank. */
int quadrille_plan_alltoall(quadrille_group ranks, int64_t count, int64_t element_bytes, const quadrille_plan_options* options,
                            quadrille_plan* plan);
int quadrille_plan_allgather(quadrille_group ranks, int64_t count, int64_t element_bytes, const quadrille_plan_options* options,
                             quadrille_plan* plan);
int quadrille_plan_broadcast(quadrille_group ranks, int64_t count, int64_t element_bytes, int64_t root,
                             const quadrille_plan_options* options, quadrille_plan* plan); /* always in place */
int quadrille_plan_scatter(quadrille_group ranks, int64_t count, int64_t element_bytes, int64_t root,
                           const quadrille_plan_options* options, quadrille_plan* plan);
int quadrille_plan_gather(quadrille_group ranks, int64_t count, int64_t element_bytes, int64_t root,
                          const quadrille_plan_options* options, quadrille_plan* plan);
int quadrille_plan_reduce(quadrille_group ranks, int64_t count, quadrille_operator operation, int64_t root,
                          const quadrille_plan_options* options, quadrille_plan* plan);
int quadrille_plan_allreduce(quadrille_group ranks, int64_t count, quadrille_operator operation,
                             const quadrille_plan_options* options, quadrille_plan* plan);
int quadrille_plan_reduce_scatter(quadrille_group ranks, int64_t count, quadrille_operator operation,
                                  const quadrille_plan_options* options, quadrille_plan* plan);
int quadrille_plan_scan(quadrille_group ranks, int64_t count, quadrille_operator operation, const quadrille_plan_options* options,
                        quadrille_plan* plan);
int quadrille_plan_exscan(quadrille_group ranks, int64_t count, quadrille_operator operation, const quadrille_plan_options* options,
                          quadrille_plan* plan);

/* In place, `send_counts` may be NULL: then the block received from a rank replaces the block sent to that rank. Received blocks
   must not overlap each other, but in place they may overlap sent ones. */
int quadrille_plan_alltoallv(quadrille_group ranks, const int64_t* send_counts, const int64_t* send_displacements,
                             const int64_t* receive_counts, const int64_t* receive_displacements, int64_t element_bytes,
                             const quadrille_plan_options* options, quadrille_plan* plan);
int quadrille_plan_allgatherv(quadrille_group ranks, const int64_t* receive_counts, const int64_t* receive_displacements,
                              int64_t element_bytes, const quadrille_plan_options* options, quadrille_plan* plan);

/* `count`: elements that this rank gives (gatherv) or gets (scatterv). The lists are read at the root only. */
int quadrille_plan_gatherv(quadrille_group ranks, int64_t count, const int64_t* receive_counts,
                           const int64_t* receive_displacements, int64_t element_bytes, int64_t root,
                           const quadrille_plan_options* options, quadrille_plan* plan);
int quadrille_plan_scatterv(quadrille_group ranks, const int64_t* send_counts, const int64_t* send_displacements, int64_t count,
                            int64_t element_bytes, int64_t root, const quadrille_plan_options* options, quadrille_plan* plan);

/* `counts`: elements of the result on each rank. */
int quadrille_plan_reduce_scatterv(quadrille_group ranks, const int64_t* counts, quadrille_operator operation,
                                   const quadrille_plan_options* options, quadrille_plan* plan);

/* Sets `algorithm` to the specification of the plan's algorithm, with all parameters. The text lives as long as the plan. */
int quadrille_plan_algorithm(quadrille_plan plan, const char** algorithm);

int quadrille_plan_free(quadrille_plan* plan); /* local; requests of the plan can still be waited for */

/* ---- Executions */

/* Collective. Return when this rank's output is complete and its input may be changed. The in-place form is for plans that were
   made in place, and for broadcasts. */
int quadrille_execute(quadrille_plan plan, const void* input, void* output);
int quadrille_execute_in_place(quadrille_plan plan, void* buffer);

/* Start an execution without waiting for other ranks. Do not touch the buffers until the request is over. */
int quadrille_start(quadrille_plan plan, const void* input, void* output, quadrille_request* request);
int quadrille_start_in_place(quadrille_plan plan, void* buffer, quadrille_request* request);

/* Local. quadrille_test sets `is_over` to 1 if the execution is over, else to 0; quadrille_wait returns when it is over. Both
   free the request of an execution that is over, even if it ended with an error. A NULL request counts as over. */
int quadrille_test(quadrille_request* request, int* is_over);
int quadrille_wait(quadrille_request* request);
int quadrille_wait_all(int64_t count, quadrille_request* requests); /* waits for all, then returns the first error */

#ifdef __cplusplus
}
#endif
