// SPDX-License-Identifier: BSD-3-Clause
// Typed calls that must not compile. Behind each stands a part of the one error that the compiler prints for it (refused_test.sh).
// A compiler reports a template once for the same types, so calls with the same error pass different types.
#include <array>
#include <string>
#include <vector>

#include "quadrille/collectives.hpp"
#include "quadrille/neighborhood.hpp"

using namespace quadrille;

void refused(Communicator& ranks, const Neighbors& near) {
  std::vector<int> ints(4), counts(4), places(4);
  std::vector<double> doubles(4);
  std::vector<float> floats(4);
  std::vector<std::string> strings(4);
  const std::vector<int> constant(4);
  int value = 0;
  alltoall(ranks, strings, ints);                           // an input is a contiguous range of trivially copyable elements
  ialltoall(ranks, value, ints);                            // pass one value as std::span(&value, 1)
  alltoall(ranks, ints, constant);                          // elements that are not const
  allgather(ranks, in_place, value);                        // an output is a contiguous range
  igather(ranks, ints, doubles);                            // input and output have elements of one type
  broadcast(ranks, constant);                               // elements that are not const
  allreduce(ranks, ints, strings, op::sum);                 // an output is a contiguous range
  reduce(ranks, in_place, doubles, op::band);               // there is no such operator on these elements
  scan(ranks, ints, counts, value);                         // a reduction takes op::sum or another of these
  alltoallv(ranks, ints, doubles, counts, counts);          // counts and displacements are contiguous ranges of an integer type
  gatherv(ranks, ints, counts, {counts, floats});           // counts and displacements are contiguous ranges of an integer type
  iscatterv(ranks, ints, 4, counts);                        // counts and displacements are contiguous ranges of an integer type
  plan_allgatherv<int>(ranks, strings);                     // counts and displacements are contiguous ranges of an integer type
  neighbor_allgather(ranks, near, in_place, ints);          // cannot be in place
  neighbor_alltoallv(ranks, near, ints, counts, ints, 4L);  // counts and displacements are contiguous ranges of an integer type
  plan_alltoall<int>(ranks, 1).execute(doubles, ints);      // the buffers have the plan's type of elements
  exscan(ranks, ints, counts);                              // no matching function
  allreduce(ranks, strings, op::sum);                       // no matching function
  alltoallv(ranks, ints, counts, places, ints, counts, places);  // no matching function
}
