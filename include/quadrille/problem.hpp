// SPDX-License-Identifier: BSD-3-Clause
// A problem says what is asked: the collective, who takes part and where they sit, and how much data each rank gives
// and gets. It holds the postcondition of every collective; how a result is reached is the business of algorithms.
//
//   Problem problem = Problem::alltoall(/*ranks=*/5, /*block_bytes=*/8);
//   input_bytes(problem, 0);       // 40
//   expected_output(problem, 0);   // five pieces: bytes 8*j .. 8*j+7 come from rank j
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

enum class Collective : std::uint8_t {
  alltoall,
  alltoallv,
  allgather,
  allgatherv,
  broadcast,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatterv,
  scan,
  exscan,
  scatter,
  scatterv,
  gather,
  gatherv,
  barrier,
};

std::string_view name(Collective collective);
std::string_view summary(Collective collective);  // what every rank ends with, in one line
std::optional<Collective> collective_named(std::string_view name);
const std::vector<Collective>& all_collectives();

bool is_rooted(Collective collective);     // one rank gives or gets everything
bool is_reduction(Collective collective);  // operands are combined by an operator
bool is_irregular(Collective collective);  // sizes come from `counts` instead of `block_bytes`
bool has_blocks(Collective collective);    // sizes come from `block_bytes`
// False for a barrier: its messages carry no data. All of them are control messages, and they count as messages.
bool moves_data(Collective collective);

// How the operands of ranks first .. last are combined, from the freest way to the strictest. The fixed tree is that of
// `tree_split`: with it results are the same bit by bit whatever the algorithm, also of floating-point numbers.
enum class Combining : std::uint8_t { any_order, rank_order, fixed_tree };

// The fixed tree over ranks first .. last combines first .. split - 1 with split .. last, where split - first is the largest
// power of two below the number of ranks; `first` is 0 or a split of a larger tree. Of depth ceil(log2 n).
Rank tree_split(Rank first, Rank last);

class SparseCounts;  // traffic.hpp
struct TrafficEntry;

// What a problem says of the operator of a reduction; facts_of (operator.hpp) takes it from an Operator.
struct OperatorFacts {
  Bytes element_bytes = 1;
  bool commutative = true;
};

struct Problem {
  Collective collective = Collective::alltoall;
  Count ranks = 1;

  // One block of a regular collective. alltoall: what one rank sends to one rank. allgather, gather, scatter,
  // reduce_scatter: one rank's share. broadcast, reduce, allreduce, scan, exscan: the whole vector.
  Bytes block_bytes = 0;

  // Irregular collectives. alltoallv: p*p, row i holds the bytes rank i sends to each rank. Others: p shares.
  // Shared, so that copying a problem costs nothing.
  std::shared_ptr<const std::vector<Bytes>> counts;
  // alltoallv: its entries instead of the whole matrix. Who reads counts of alltoallv does so through a Traffic.
  std::shared_ptr<const SparseCounts> sparse_counts;

  Rank root = 0;              // rooted collectives
  Bytes element_bytes = 1;    // reductions: operands are combined element by element
  bool commutative = true;    // reductions: may operands change places
  bool reproducible = false;  // reductions: combine along the fixed tree, whatever the algorithm

  // The place: the node (host) of each rank, and a grid shape. Both may be empty (unknown).
  std::vector<Count> nodes;
  std::vector<Count> grid;

  // A problem of each collective. The sizes mean what the fields above say. Those with `counts` have one share for each rank, and
  // alltoallv p*p counts, row by row, or its entries. All throw Error{misuse, too_large} like `check`.
  static Problem alltoall(Count ranks, Bytes block_bytes);
  static Problem alltoallv(Count ranks, std::vector<Bytes> counts);
  static Problem alltoallv(Count ranks, std::vector<TrafficEntry> entries);
  static Problem allgather(Count ranks, Bytes block_bytes);
  static Problem allgatherv(Count ranks, std::vector<Bytes> counts);
  static Problem broadcast(Count ranks, Bytes block_bytes, Rank root = 0);
  static Problem reduce(Count ranks, Bytes block_bytes, OperatorFacts facts = {}, Rank root = 0);
  static Problem allreduce(Count ranks, Bytes block_bytes, OperatorFacts facts = {});
  static Problem reduce_scatter(Count ranks, Bytes block_bytes, OperatorFacts facts = {});
  static Problem reduce_scatterv(Count ranks, std::vector<Bytes> counts, OperatorFacts facts = {});
  static Problem scan(Count ranks, Bytes block_bytes, OperatorFacts facts = {});
  static Problem exscan(Count ranks, Bytes block_bytes, OperatorFacts facts = {});
  static Problem scatter(Count ranks, Bytes block_bytes, Rank root = 0);
  static Problem scatterv(Count ranks, std::vector<Bytes> counts, Rank root = 0);
  static Problem gather(Count ranks, Bytes block_bytes, Rank root = 0);
  static Problem gatherv(Count ranks, std::vector<Bytes> counts, Rank root = 0);
  static Problem barrier(Count ranks);
};

// What a reduction asks for: the fixed tree where it is to be reproducible, rank order where the operator does not commute.
Combining required_combining(const Problem& problem);

// Throws Error{misuse} if a field is out of range or fields contradict each other, and Error{too_large} if the
// input or the output of all ranks together reaches 2^63 bytes.
void check(const Problem& problem);

// Canonical buffers, gap-free (docs/schedule-format.md, "Layout of the user's buffers").
Bytes input_bytes(const Problem& problem, Rank rank);
Bytes output_bytes(const Problem& problem, Rank rank);

// Bytes [offset, offset + length) of a rank's output are, position by position, the combination in rank order of
// bytes [input_offset(r), ...) of the inputs of ranks first .. last. A piece of one rank (first == last) is a plain copy.
struct ExpectedPiece {
  Bytes offset = 0;
  Bytes length = 0;
  Rank first = 0;
  Rank last = 0;
  Bytes input_offset = 0;
};

// The postcondition at `rank`: pieces in ascending order that cover its output exactly. A barrier has none.
std::vector<ExpectedPiece> expected_output(const Problem& problem, Rank rank);

}  // namespace quadrille
