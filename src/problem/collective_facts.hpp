// SPDX-License-Identifier: BSD-3-Clause
// The table of collectives: one row of facts for each. Other layers use these facts, so they need not name single collectives.
#pragma once

#include "quadrille/problem.hpp"

namespace quadrille {

// Which field of a problem gives the sizes of a rank's input and output.
enum class SizeSource : std::uint8_t {
  none,    // there is no data
  blocks,  // Problem::block_bytes
  shares,  // Problem::counts, one for each rank
  pairs,   // Problem::counts or Problem::sparse_counts, one for each ordered pair of ranks
};

// What a buffer contains: nothing, one block (or a whole vector, or one share), or one block for each rank.
enum class Holding : std::uint8_t { nothing, one, all };
enum class Holder : std::uint8_t { every_rank, root, all_but_first };

struct BufferContents {
  Holding holding = Holding::nothing;
  Holder holder = Holder::every_rank;  // other ranks have nothing
};

// Ranks first .. last.
struct OperandRange {
  Rank first = 0, last = 0;
};

// Stands for block_bytes * times / parts bytes.
struct BlockRatio {
  Count times = 0, parts = 1;
};

// The facts from which lower bounds follow [bruck1997, section 2], each with its source.
struct BoundFacts {
  // The larger of two maxima over all ranks: of how many ranks a rank needs data, and how many ranks need its data. Both counts
  // include the rank itself.
  Count (*connected_ranks)(Count ranks) = nullptr;
  const char* rounds_source = "";
  // The least number of bytes that the busiest rank must send or receive. Used if sizes are blocks; null if there is no data.
  BlockRatio (*volume)(Count ranks) = nullptr;
  const char* volume_source = "";
};

struct CollectiveFacts {
  Collective collective{};
  std::string_view name, summary;
  std::string_view mpi_name;  // empty: the same as `name`
  SizeSource sizes = SizeSource::blocks;
  BufferContents input, output;

  // For an output of one block: returns the ranks whose inputs are combined in this block, or the rank whose input is copied to
  // it. Null if the output has a block of each rank, or nothing.
  OperandRange (*operands)(const Problem& problem, Rank rank) = nullptr;
  bool is_reduction = false;
  bool is_prefix = false;  // a reduction of the operands of lower ranks (scan, exscan)
  BoundFacts bounds;
};

const CollectiveFacts& facts_of(Collective collective);

// The same as the functions of these names, for callers that ask for several facts.
inline bool has_pair_counts(const CollectiveFacts& facts) { return facts.sizes == SizeSource::pairs; }
inline bool is_rooted(const CollectiveFacts& facts) {
  return facts.input.holder == Holder::root || facts.output.holder == Holder::root;
}

// The name of MPI's function without "MPI_", in small letters: "reduce_scatter_block".
std::string mpi_name(Collective collective);
// The collective whose function of MPI has this name: "Bcast" or "bcast". Nothing for nonblocking functions and other names.
std::optional<Collective> collective_of_function(std::string_view function);

bool has_pair_counts(Collective collective);              // sizes are SizeSource::pairs
bool every_rank_has_all(const BufferContents& contents);  // does this buffer have a block for each rank, on every rank?

// Does the output of every rank depend on the inputs of all ranks, if no count is 0? True also for a barrier, which waits for all
// ranks. If the answer is yes and sizes are blocks, the postcondition is the same under any permutation of the ranks.
bool all_depend_on_all(Collective collective);

bool has(const BufferContents& contents, const Problem& problem, Rank rank);

// The size of a rank's block or share, and its offset in a buffer that has the blocks of all ranks. Not for counts of pairs.
Bytes share_bytes(const Problem& problem, Rank rank);
Bytes share_offset(const Problem& problem, Rank rank);

}  // namespace quadrille
