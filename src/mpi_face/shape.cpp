// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/shape.hpp"

#include <array>

#include "problem/collective_facts.hpp"

namespace quadrille::mpi_face {
namespace {

// Calls `move` for each block, with its address, its number of elements and its offset in the canonical buffer, until a call fails.
template <class Move>
int for_each_block(const Elements& elements, const Move& move) {
  auto* const memory = static_cast<char*>(elements.memory);
  if (elements.blocks == 0) return move(memory, elements.count, Bytes{0});
  Bytes offset = 0;
  for (Count block = 0; block < elements.blocks; ++block) {
    const Count count = elements.block_counts[block];
    const int code = move(memory + elements.displacements[block] * elements.facts.extent, count, offset);
    if (code != MPI_SUCCESS) return code;
    offset += count * elements.facts.size;
  }
  return MPI_SUCCESS;
}

bool is_at_root(const BufferContents& contents) { return contents.holder == Holder::root; }
bool is_each(const BufferContents& contents) { return contents.holding == Holding::all; }

// A null pointer can be valid: buffers of derived types may be MPI_BOTTOM, which is null. MPI_IN_PLACE has been replaced where it
// is allowed.
bool is_right(const Elements& some) {
  return some.facts.is_valid && some.count >= 0 && some.memory != MPI_IN_PLACE &&
         (some.memory || !some.facts.is_plain || some.bytes() == 0);
}

class Shaping {
 public:
  Shaping(const MpiCall& call, Collective collective, Rank rank, Count ranks, Shape& shape)
      : call_(call), facts_(facts_of(collective)), rank_(rank), ranks_(ranks), shape_(shape) {}

  // Fills the shape. Returns false if the arguments are wrong.
  bool fill() {
    shape_.collective = facts_.collective;
    shape_.root = call_.root;
    if (!moves_data(shape_.collective)) return true;
    if (has_counts() && !side_of_counts().counts) return false;
    if (has_counts() && gathers() && !call_.receive.displacements) return false;
    if (call_.root < 0 || call_.root >= ranks_) return false;
    gives_ = !is_at_root(facts_.input) || rank_ == call_.root;
    gets_ = !is_at_root(facts_.output) || rank_ == call_.root;
    return shape_.collective == Collective::broadcast ? broadcast() : sides();
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
    if (gets_ && !take(shape_.output, call_.receive, facts_.output)) return false;
    if (gives_ && !take(shape_.input, call_.send, facts_.input)) return false;
    shape_.block_bytes = gets_ && !has_counts() ? block_of(shape_.output, facts_.output) : block_of(shape_.input, facts_.input);
    return has_counts() ? count_shares() : agrees();
  }

  // The root's input holds its own block, which stays there; there is no output to write.
  bool scatter_in_place() {
    if (shape_.collective != Collective::scatter || !take(shape_.input, call_.send, facts_.input)) return false;
    shape_.block_bytes = block_of(shape_.input, facts_.input);
    shape_.output = shape_.input;
    shape_.output.count /= ranks_;
    shape_.keeps_output = true;
    return true;
  }

  // The input is what the rank's output buffer contains before the call.
  bool in_place() {
    if (shape_.collective == Collective::scatter) return false;
    if (!gets_ || !take(shape_.output, call_.receive, facts_.output)) return false;
    shape_.in_place = true;
    shape_.input = shape_.output;
    const bool finds_own_block = is_each(facts_.output) && !is_each(facts_.input);
    if (has_counts()) {
      if (!count_shares_in_place(finds_own_block)) return false;
    } else if (finds_own_block) {
      shape_.input.count /= ranks_;
      shape_.input.memory = at(shape_.output, rank_ * shape_.input.count);
    } else if (is_each(facts_.input) && !is_each(facts_.output)) {
      shape_.input.count *= ranks_;
    }
    if (!has_counts()) shape_.block_bytes = block_of(shape_.output, facts_.output);
    return true;
  }

  bool has_counts() const { return is_irregular(shape_.collective); }
  bool gathers() const { return is_each(facts_.output); }

  // The side whose counts are the shares of all ranks, in elements.
  const Side& side_of_counts() const { return gathers() ? call_.receive : call_.send; }

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
    const Elements& all = gathers() ? shape_.output : shape_.input;
    shape_.block_bytes = sum * all.facts.size;
    const Elements& own = gathers() ? shape_.input : shape_.output;
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

  // Do the sizes of both sides match? They must, because MPI requires the same type signature on both sides.
  bool agrees() const {
    return (!gives_ || shape_.input.bytes() == bytes_of(facts_.input)) &&
           (!gets_ || shape_.output.bytes() == bytes_of(facts_.output));
  }
  Bytes bytes_of(const BufferContents& contents) const {
    return is_each(contents) ? shape_.block_bytes * ranks_ : shape_.block_bytes;
  }
  Bytes block_of(const Elements& elements, const BufferContents& contents) const {
    return is_each(contents) ? elements.bytes() / ranks_ : elements.bytes();
  }

  // Returns false if the side is not valid.
  bool take(Elements& elements, const Side& side, const BufferContents& contents) {
    if (side.counts) {
      if (!irregular(elements, side)) return false;
    } else {
      elements = regular(side, is_each(contents) ? ranks_ : 1);
    }
    // For reduce_scatter, the size of the output is this rank's entry in the counts.
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
  const CollectiveFacts& facts_;
  const Rank rank_;
  const Count ranks_;
  Shape& shape_;
  bool gives_ = true, gets_ = true;
};

}  // namespace

bool Elements::is_canonical() const {
  if (!facts.is_plain) return false;
  Count next = 0;
  for (Count block = 0; block < blocks; ++block) {
    if (block_counts[block] > 0 && displacements[block] != next) return false;
    next += block_counts[block];
  }
  return true;
}

int pack(const Elements& elements, std::byte* bytes, MPI_Comm communicator) {
  return for_each_block(elements, [&](const char* block, Count count, Bytes offset) {
    return pack(block, count, elements.type, elements.facts, bytes + offset, communicator);
  });
}

int unpack(const std::byte* bytes, const Elements& elements, MPI_Comm communicator) {
  return for_each_block(elements, [&](char* block, Count count, Bytes offset) {
    return unpack(bytes + offset, block, count, elements.type, elements.facts, communicator);
  });
}

std::optional<Collective> collective_of(Function function) {
  static const auto all = [] {
    std::array<std::optional<Collective>, ours_count> found;
    for (std::size_t i = 0; i < ours_count; ++i)
      if (const auto each = static_cast<Function>(i); !is_exchanged(each)) found[i] = collective_of_function(fortran_name(each));
    return found;
  }();
  const auto number = static_cast<std::size_t>(function);
  return number < ours_count ? all[number] : std::nullopt;
}

void Shape::set_buffers(const MpiCall& call) {
  if (in_place) {
    // The input begins at the rank's own block, or where the output begins.
    const Count before = input.facts.is_valid ? static_cast<std::byte*>(input.memory) - static_cast<std::byte*>(output.memory) : 0;
    output.memory = call.receive.buffer;
    if (input.facts.is_valid) input.memory = static_cast<std::byte*>(output.memory) + before;
    return;
  }
  if (input.facts.is_valid) input.memory = call.send.buffer;
  if (output.facts.is_valid) output.memory = keeps_output ? call.send.buffer : call.receive.buffer;
}

std::optional<Shape> shape_of(const MpiCall& call, Rank rank, Count ranks) {
  std::optional<Shape> shape;
  const auto collective = collective_of(call.function);
  if (collective && !Shaping(call, *collective, rank, ranks, shape.emplace()).fill()) shape.reset();
  return shape;
}

bool synchronises(const Shape& shape, Count ranks) {
  if (!all_depend_on_all(shape.collective)) return false;
  if (!moves_data(shape.collective)) return true;
  // No rank waits for a rank without data.
  if (is_irregular(shape.collective))
    for (Rank rank = 0; rank < ranks; ++rank)
      if (shape.counts[rank] == 0) return false;
  return shape.block_bytes > 0;
}

}  // namespace quadrille::mpi_face
