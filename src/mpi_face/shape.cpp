// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/shape.hpp"

namespace quadrille::mpi_face {
namespace {

Elements elements(void* memory, Count count, MPI_Datatype type) { return {memory, count, type, facts_of(type)}; }

// Buffers of derived types may be MPI_BOTTOM, which is null.
bool is_right(const Elements& some) {
  return some.facts.is_valid && some.count >= 0 && (some.memory || !some.facts.is_plain || some.bytes() == 0);
}

// What a rank finds in its own output before the call.
Elements input_in_place(const Shape& shape, Rank rank, Count ranks) {
  Elements input = shape.output;
  if (shape.collective == Collective::allgather) {
    input.count /= ranks;
    input.memory = static_cast<char*>(input.memory) + rank * input.count * input.facts.extent;
  }
  if (shape.collective == Collective::reduce_scatter) input.count *= ranks;
  return input;
}

}  // namespace

std::optional<Shape> shape_of(const MpiCall& call, Rank rank, Count ranks) {
  Shape shape;
  Count blocks_in = 1, blocks_out = 1;
  switch (call.function) {
    case Function::Barrier: return shape;
    case Function::Allreduce: shape.collective = Collective::allreduce; break;
    case Function::Reduce_scatter_block: shape.collective = Collective::reduce_scatter, blocks_in = ranks; break;
    case Function::Allgather: shape.collective = Collective::allgather, blocks_out = ranks; break;
    case Function::Alltoall: shape.collective = Collective::alltoall, blocks_in = blocks_out = ranks; break;
    default: return std::nullopt;
  }
  if (call.receive.buffer == MPI_IN_PLACE || call.receive.count < 0) return std::nullopt;
  shape.output = elements(call.receive.buffer, call.receive.count * blocks_out, call.receive.type);
  if (!is_right(shape.output)) return std::nullopt;
  shape.block_bytes = call.receive.count * shape.output.facts.size;
  shape.in_place = call.send.buffer == MPI_IN_PLACE;
  if (shape.in_place) {
    shape.input = input_in_place(shape, rank, ranks);
    return shape;
  }
  if (call.send.count < 0) return std::nullopt;
  shape.input = elements(call.send.buffer, call.send.count * blocks_in, call.send.type);
  if (!is_right(shape.input) || shape.input.bytes() != shape.block_bytes * blocks_in) return std::nullopt;
  return shape;
}

}  // namespace quadrille::mpi_face
