// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/shape.hpp"

namespace quadrille::mpi_face {
namespace {

// Which blocks a rank gives or gets.
enum class Part : std::uint8_t { one, each, one_at_root, each_at_root };

struct Row {
  Function function;
  Collective collective;
  Part input, output;
};

constexpr Row rows[] = {
    {Function::Barrier, Collective::barrier, Part::one, Part::one},
    {Function::Bcast, Collective::broadcast, Part::one, Part::one},
    {Function::Reduce, Collective::reduce, Part::one, Part::one_at_root},
    {Function::Allreduce, Collective::allreduce, Part::one, Part::one},
    {Function::Reduce_scatter, Collective::reduce_scatterv, Part::each, Part::one},
    {Function::Reduce_scatter_block, Collective::reduce_scatter, Part::each, Part::one},
    {Function::Scan, Collective::scan, Part::one, Part::one},
    {Function::Exscan, Collective::exscan, Part::one, Part::one},
    {Function::Gather, Collective::gather, Part::one, Part::each_at_root},
    {Function::Scatter, Collective::scatter, Part::each_at_root, Part::one},
    {Function::Allgather, Collective::allgather, Part::one, Part::each},
    {Function::Allgatherv, Collective::allgatherv, Part::one, Part::each},
    {Function::Alltoall, Collective::alltoall, Part::each, Part::each},
};

const Row* row_of(Function function) {
  for (const Row& row : rows)
    if (row.function == function) return &row;
  return nullptr;
}

bool is_at_root(Part part) { return part == Part::one_at_root || part == Part::each_at_root; }
bool is_each(Part part) { return part == Part::each || part == Part::each_at_root; }

// Buffers of derived types may be MPI_BOTTOM, which is null.
bool is_right(const Elements& some) {
  return some.facts.is_valid && some.count >= 0 && (some.memory || !some.facts.is_plain || some.bytes() == 0);
}

class Shaping {
 public:
  Shaping(const MpiCall& call, const Row& row, Rank rank, Count ranks) : call_(call), row_(row), rank_(rank), ranks_(ranks) {}

  std::optional<Shape> shape() {
    shape_.collective = row_.collective;
    shape_.root = call_.root;
    if (shape_.collective == Collective::barrier) return shape_;
    if (has_counts() && !side_of_counts().counts) return std::nullopt;
    if (shape_.collective == Collective::allgatherv && !call_.receive.displacements) return std::nullopt;
    if (call_.root < 0 || call_.root >= ranks_) return std::nullopt;
    gives_ = !is_at_root(row_.input) || rank_ == call_.root;
    gets_ = !is_at_root(row_.output) || rank_ == call_.root;
    const bool is_done = shape_.collective == Collective::broadcast ? broadcast() : sides();
    return is_done ? std::optional(shape_) : std::nullopt;
  }

 private:
  bool broadcast() {
    shape_.in_place = true;
    shape_.output = regular(call_.send, 1);
    shape_.block_bytes = shape_.output.bytes();
    if (rank_ == call_.root) shape_.input = shape_.output;
    return is_right(shape_.output);
  }

  bool sides() {
    if (gets_ && call_.receive.buffer == MPI_IN_PLACE) return scatter_in_place();
    if (gives_ && call_.send.buffer == MPI_IN_PLACE) return in_place();
    if (gets_ && !take(shape_.output, call_.receive, row_.output)) return false;
    if (gives_ && !take(shape_.input, call_.send, row_.input)) return false;
    shape_.block_bytes = gets_ && !has_counts() ? block_of(shape_.output, row_.output) : block_of(shape_.input, row_.input);
    return has_counts() ? count_shares() : agrees();
  }

  // The root's own block stays where it is, in what it sends.
  bool scatter_in_place() {
    if (shape_.collective != Collective::scatter || !take(shape_.input, call_.send, row_.input)) return false;
    shape_.block_bytes = block_of(shape_.input, row_.input);
    shape_.output = shape_.input;
    shape_.output.count /= ranks_;
    shape_.keeps_output = true;
    return true;
  }

  // What this rank finds in its own output before the call.
  bool in_place() {
    if (!gets_ || !take(shape_.output, call_.receive, row_.output)) return false;
    shape_.in_place = true;
    shape_.input = shape_.output;
    const bool finds_own_block = is_each(row_.output) && !is_each(row_.input);
    if (has_counts()) {
      if (!count_shares_in_place(finds_own_block)) return false;
    } else if (finds_own_block) {
      shape_.input.count /= ranks_;
      shape_.input.memory = at(shape_.output, rank_ * shape_.input.count);
    } else if (is_each(row_.input) && !is_each(row_.output)) {
      shape_.input.count *= ranks_;
    }
    if (!has_counts()) shape_.block_bytes = block_of(shape_.output, row_.output);
    return true;
  }

  bool has_counts() const { return is_irregular(shape_.collective); }

  // Shares of all ranks, in elements: of allgatherv the receive counts, of reduce_scatter the send counts.
  const Side& side_of_counts() const { return shape_.collective == Collective::allgatherv ? call_.receive : call_.send; }

  bool add_up_shares(Count& sum) {
    shape_.counts = side_of_counts().counts;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      if (shape_.counts[rank] < 0) return false;
      sum += shape_.counts[rank];
    }
    return true;
  }

  bool count_shares() {
    Count sum = 0;
    if (!add_up_shares(sum)) return false;
    const bool gathers = shape_.collective == Collective::allgatherv;
    const Elements& all = gathers ? shape_.output : shape_.input;
    shape_.block_bytes = sum * all.facts.size;
    const Elements& own = gathers ? shape_.input : shape_.output;
    return own.bytes() == shape_.counts[rank_] * all.facts.size;
  }

  bool count_shares_in_place(bool finds_own_block) {
    Count sum = 0;
    if (!add_up_shares(sum)) return false;
    shape_.block_bytes = sum * shape_.output.facts.size;
    if (finds_own_block) {
      shape_.input.memory = at(shape_.output, call_.receive.displacements[rank_]);
      shape_.input.count = shape_.counts[rank_];
      shape_.input.blocks = 0;
    } else {
      shape_.input.count = sum;
    }
    return true;
  }

  // MPI asks for the same type signature on both sides.
  bool agrees() const {
    return (!gives_ || shape_.input.bytes() == bytes_of(row_.input)) && (!gets_ || shape_.output.bytes() == bytes_of(row_.output));
  }
  Bytes bytes_of(Part part) const { return is_each(part) ? shape_.block_bytes * ranks_ : shape_.block_bytes; }
  Bytes block_of(const Elements& elements, Part part) const { return is_each(part) ? elements.bytes() / ranks_ : elements.bytes(); }

  // False where the side is not as MPI wants it.
  bool take(Elements& elements, const Side& side, Part part) {
    if (side.counts) {
      if (!irregular(elements, side)) return false;
    } else {
      elements = regular(side, is_each(part) ? ranks_ : 1);
    }
    // Of reduce_scatter the output's count stands in the counts.
    if (shape_.collective == Collective::reduce_scatterv && &side == &call_.receive) elements.count = call_.send.counts[rank_];
    return is_right(elements);
  }

  bool irregular(Elements& elements, const Side& side) const {
    elements = regular(side, 0);
    for (Rank rank = 0; rank < ranks_; ++rank) {
      if (side.counts[rank] < 0) return false;
      elements.count += side.counts[rank];
    }
    if (!side.displacements) return true;
    elements.blocks = ranks_, elements.block_counts = side.counts, elements.displacements = side.displacements;
    return true;
  }

  static Elements regular(const Side& side, Count blocks) {
    Elements elements;
    elements.memory = side.buffer;
    elements.count = side.count * blocks;
    elements.type = side.type;
    elements.facts = facts_of(side.type);
    return elements;
  }

  static char* at(const Elements& elements, Count element) {
    return static_cast<char*>(elements.memory) + element * elements.facts.extent;
  }

  const MpiCall& call_;
  const Row& row_;
  const Rank rank_;
  const Count ranks_;
  bool gives_ = true, gets_ = true;
  Shape shape_;
};

}  // namespace

std::optional<Collective> collective_of(Function function) {
  const Row* const row = row_of(function);
  return row ? std::optional(row->collective) : std::nullopt;
}

std::optional<Shape> shape_of(const MpiCall& call, Rank rank, Count ranks) {
  const Row* const row = row_of(call.function);
  return row ? Shaping(call, *row, rank, ranks).shape() : std::nullopt;
}

bool synchronises(const Shape& shape, Count ranks) {
  switch (shape.collective) {
    case Collective::barrier: return true;
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::allgather:
    case Collective::alltoall: return shape.block_bytes > 0;
    case Collective::allgatherv:
    case Collective::reduce_scatterv:
      // Nobody waits for a rank without data.
      for (Rank rank = 0; rank < ranks; ++rank)
        if (shape.counts[rank] == 0) return false;
      return shape.block_bytes > 0;
    default: return false;
  }
}

}  // namespace quadrille::mpi_face
