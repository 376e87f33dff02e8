// SPDX-License-Identifier: BSD-3-Clause
// The functions of c.h that make plans. Each collective is one row, which says what its arguments mean; `planned` does the rest.
#include "c_interface/planned.hpp"

using quadrille::Collective;
using quadrille::c_interface::planned;

int quadrille_plan_alltoall(quadrille_group ranks, int64_t count, int64_t element_bytes, const quadrille_plan_options* options,
                            quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::alltoall, .count = count, .element_bytes = element_bytes}, options, plan);
}

int quadrille_plan_allgather(quadrille_group ranks, int64_t count, int64_t element_bytes, const quadrille_plan_options* options,
                             quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::allgather, .count = count, .element_bytes = element_bytes}, options, plan);
}

int quadrille_plan_broadcast(quadrille_group ranks, int64_t count, int64_t element_bytes, int64_t root,
                             const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::broadcast, .count = count, .element_bytes = element_bytes, .root = root},
                 options, plan);
}

int quadrille_plan_scatter(quadrille_group ranks, int64_t count, int64_t element_bytes, int64_t root,
                           const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::scatter, .count = count, .element_bytes = element_bytes, .root = root}, options,
                 plan);
}

int quadrille_plan_gather(quadrille_group ranks, int64_t count, int64_t element_bytes, int64_t root,
                          const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::gather, .count = count, .element_bytes = element_bytes, .root = root}, options,
                 plan);
}

int quadrille_plan_reduce(quadrille_group ranks, int64_t count, quadrille_operator operation, int64_t root,
                          const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::reduce, .count = count, .operation = operation, .root = root}, options, plan);
}

int quadrille_plan_allreduce(quadrille_group ranks, int64_t count, quadrille_operator operation,
                             const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::allreduce, .count = count, .operation = operation}, options, plan);
}

int quadrille_plan_reduce_scatter(quadrille_group ranks, int64_t count, quadrille_operator operation,
                                  const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::reduce_scatter, .count = count, .operation = operation}, options, plan);
}

int quadrille_plan_scan(quadrille_group ranks, int64_t count, quadrille_operator operation, const quadrille_plan_options* options,
                        quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::scan, .count = count, .operation = operation}, options, plan);
}

int quadrille_plan_exscan(quadrille_group ranks, int64_t count, quadrille_operator operation, const quadrille_plan_options* options,
                          quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::exscan, .count = count, .operation = operation}, options, plan);
}

int quadrille_plan_alltoallv(quadrille_group ranks, const int64_t* send_counts, const int64_t* send_displacements,
                             const int64_t* receive_counts, const int64_t* receive_displacements, int64_t element_bytes,
                             const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks,
                 {.collective = Collective::alltoallv,
                  .element_bytes = element_bytes,
                  .send = {send_counts, send_displacements},
                  .receive = {receive_counts, receive_displacements}},
                 options, plan);
}

int quadrille_plan_allgatherv(quadrille_group ranks, const int64_t* receive_counts, const int64_t* receive_displacements,
                              int64_t element_bytes, const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(
      ranks,
      {.collective = Collective::allgatherv, .element_bytes = element_bytes, .receive = {receive_counts, receive_displacements}},
      options, plan);
}

int quadrille_plan_gatherv(quadrille_group ranks, int64_t count, const int64_t* receive_counts,
                           const int64_t* receive_displacements, int64_t element_bytes, int64_t root,
                           const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks,
                 {.collective = Collective::gatherv,
                  .count = count,
                  .element_bytes = element_bytes,
                  .root = root,
                  .receive = {receive_counts, receive_displacements}},
                 options, plan);
}

int quadrille_plan_scatterv(quadrille_group ranks, const int64_t* send_counts, const int64_t* send_displacements, int64_t count,
                            int64_t element_bytes, int64_t root, const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks,
                 {.collective = Collective::scatterv,
                  .count = count,
                  .element_bytes = element_bytes,
                  .root = root,
                  .send = {send_counts, send_displacements}},
                 options, plan);
}

int quadrille_plan_reduce_scatterv(quadrille_group ranks, const int64_t* counts, quadrille_operator operation,
                                   const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::reduce_scatterv, .operation = operation, .send = {.counts = counts}}, options,
                 plan);
}
