// SPDX-License-Identifier: BSD-3-Clause
// A problem describes a collective call: the collective, the number of ranks, their nodes, and how many bytes each rank has as
// input and output. This file also defines the postcondition of every collective. Algorithms decide how it is reached.
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
std::string_view summary(Collective collective);  // one line: what every rank has at the end
std::optional<Collective> collective_named(std::string_view name);
const std::vector<Collective>& all_collectives();

bool is_rooted(Collective collective);     // one rank, the root, sends or receives all data
bool is_reduction(Collective collective);  // operands are combined by an operator
bool is_irregular(Collective collective);  // sizes come from `counts` instead of `block_bytes`
bool has_blocks(Collective collective);    // sizes come from `block_bytes`
// False for a barrier only: its messages carry no data. They are control messages, but still count as messages.
bool moves_data(Collective collective);

// The order in which the operands of ranks first .. last may be combined. Each enumerator is stricter than the one before it.
// `tree_split` defines the fixed tree: with this tree all algorithms give the same result bit by bit, also for floating-point
// numbers.
enum class Combining : std::uint8_t { any_order, rank_order, fixed_tree };

// Returns the split of the fixed tree over ranks first .. last. The tree combines the result of first .. split - 1 with that of
// split .. last, where split - first is the largest power of two below the number n of ranks. `first` must be 0 or the split of a
// larger tree. The tree has depth ceil(log2 n).
Rank tree_split(Rank first, Rank last);

class SparseCounts;  // traffic.hpp
struct TrafficEntry;

// The properties of a reduction's operator that a problem states. facts_of (operator.hpp) takes them from an Operator.
struct OperatorFacts {
  Bytes element_bytes = 1;
  bool commutative = true;
};

struct Problem {
  Collective collective = Collective::alltoall;
  Count ranks = 1;

  // The size of a block of a regular collective. alltoall: the bytes that one rank sends to one rank. allgather, gather, scatter,
  // reduce_scatter: one rank's share. broadcast, reduce, allreduce, scan, exscan: the whole vector.
  Bytes block_bytes = 0;

  // Irregular collectives. alltoallv: p*p counts; row i has the bytes that rank i sends to each rank. Others: p shares, one per
  // rank. Shared, so that copying a problem is cheap.
  std::shared_ptr<const std::vector<Bytes>> counts;
  // alltoallv: the entries that are not 0, instead of the whole matrix. Read counts of alltoallv through a Traffic, which reads
  // both forms.
  std::shared_ptr<const SparseCounts> sparse_counts;

  Rank root = 0;              // rooted collectives
  Bytes element_bytes = 1;    // reductions: operands are combined element by element
  bool commutative = true;    // reductions: may operands be swapped?
  bool reproducible = false;  // reductions: must all algorithms combine along the fixed tree?

  // The places of the ranks: the node (host) of each rank, and the sides of a grid of ranks. Both may be empty (unknown).
  std::vector<Count> nodes;
  std::vector<Count> grid;

  // One factory for each collective. The arguments mean the same as the fields above. `counts` has one share for each rank; in
  // alltoallv, p*p counts row by row. All throw Error{misuse} or Error{too_large} as `check` does.
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

// Returns the order of combining that a reduction requires: the fixed tree if it must be reproducible, else rank order if the
// operator does not commute, else any order.
Combining required_combining(const Problem& problem);

// Throws Error{misuse} if a field is out of range or fields contradict each other, and Error{too_large} if the
// input or the output of all ranks together reaches 2^62 bytes.
void check(const Problem& problem);

// The sizes of a rank's canonical buffers, which have no gaps (docs/schedule-format.md, "The buffers of each collective").
Bytes input_bytes(const Problem& problem, Rank rank);
Bytes output_bytes(const Problem& problem, Rank rank);

// Bytes [offset, offset + length) of a rank's output must be the combination, in rank order, of bytes [input_offset, input_offset +
// length) of the inputs of ranks first .. last. If first == last, the piece is a plain copy.
struct ExpectedPiece {
  Bytes offset = 0;
  Bytes length = 0;
  Rank first = 0;
  Rank last = 0;
  Bytes input_offset = 0;
};

// Returns the postcondition at `rank`: pieces in ascending order of offset that cover its output exactly. A barrier has none.
std::vector<ExpectedPiece> expected_output(const Problem& problem, Rank rank);

}  // namespace quadrille
