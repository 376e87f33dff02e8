// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/runner.hpp"

#include <utility>

#include "mpi_face/settings.hpp"
#include "plan/plan.hpp"

namespace quadrille::mpi_face {
namespace {

void grow(std::vector<std::byte>& buffer, Bytes bytes) {
  if (static_cast<Bytes>(buffer.size()) < bytes) buffer.resize(static_cast<std::size_t>(bytes));
}

}  // namespace

bool overlap(const Elements& a, const Elements& b) {
  const auto first = reinterpret_cast<std::uintptr_t>(a.memory), second = reinterpret_cast<std::uintptr_t>(b.memory);
  return first < second + static_cast<std::uintptr_t>(b.bytes()) && second < first + static_cast<std::uintptr_t>(a.bytes());
}

int Runner::execute(Plan& plan, const Shape& shape) {
  try {
    if (shape.collective == Collective::broadcast) return execute_broadcast(plan, shape);
    const Elements &from = shape.input, &to = shape.output;
    const bool input_is_canonical = !shape.in_place && from.is_canonical() && !overlap(from, to);
    const bool output_is_canonical = !shape.keeps_output && to.is_canonical();
    if (!input_is_canonical) {
      grow(input_, from.bytes());
      if (const int code = pack(from, input_.data(), communicator_); code != MPI_SUCCESS) return code;
    }
    if (!output_is_canonical) grow(output_, to.bytes());
    auto* const output = output_is_canonical ? static_cast<std::byte*>(to.memory) : output_.data();
    quadrille::execute(plan, input_is_canonical ? from.memory : input_.data(), output, shape.block_bytes);
    if (output_is_canonical || shape.keeps_output) return MPI_SUCCESS;
    return unpack(output, to, communicator_);
  } catch (const std::exception& error) {
    return failed(error);
  }
}

int Runner::execute_broadcast(Plan& plan, const Shape& shape) {
  const Elements& data = shape.output;
  if (data.is_canonical()) {
    quadrille::execute(plan, data.memory, data.memory, shape.block_bytes);
    return MPI_SUCCESS;
  }
  grow(output_, data.bytes());
  const bool is_root = rank_ == shape.root;
  if (is_root)
    if (const int code = pack(data, output_.data(), communicator_); code != MPI_SUCCESS) return code;
  quadrille::execute(plan, output_.data(), output_.data(), shape.block_bytes);
  return is_root ? MPI_SUCCESS : unpack(output_.data(), data, communicator_);
}

// Reports an error of a planned call. Once a plan exists, an error can only come from a lost peer or from a mistake in the program.
int Runner::failed(const std::exception& error) {
  remark(error.what());
  PMPI_Comm_call_errhandler(communicator_, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

int Runner::copy(const Elements& from, const Elements& to) {
  if (to.is_canonical()) return pack(from, static_cast<std::byte*>(to.memory), communicator_);
  grow(input_, from.bytes());
  const int code = pack(from, input_.data(), communicator_);
  return code == MPI_SUCCESS ? unpack(input_.data(), to, communicator_) : code;
}

int Runner::exchange(Exchanger& exchange, const CallBlocks& blocks) {
  const SideBlocks &sent = blocks.sent, &received = blocks.received;
  const bool unpacks = !received.is_plain();
  edges_.clear();
  try {
    if (blocks.share_memory || !sent.is_plain()) grow(input_, sent.bytes());
    if (unpacks) grow(output_, received.bytes());
    std::byte* next = input_.data();
    const int code = sent.for_each([&](const CallBlock& block) {
      const bool packs = blocks.share_memory || !block.facts.is_plain;
      std::byte* const memory = packs ? std::exchange(next, next + block.bytes()) : block.memory;
      edges_.send(block.peer, memory, block.bytes());
      return packs ? pack(block.memory, block.count, block.type, block.facts, memory, communicator_) : MPI_SUCCESS;
    });
    if (code != MPI_SUCCESS) return code;
    next = output_.data();
    received.for_each([&](const CallBlock& block) {
      std::byte* const memory = block.facts.is_plain ? block.memory : std::exchange(next, next + block.bytes());
      return edges_.receive(block.peer, memory, block.bytes()), MPI_SUCCESS;
    });
    if (sent.is_by_rank() && received.is_by_rank()) edges_.begin_after(rank_);
    exchange.execute(edges_.edges(blocks.may_pack));
    if (!unpacks) return MPI_SUCCESS;
    next = output_.data();
    return received.for_each([&](const CallBlock& block) {
      if (block.facts.is_plain) return MPI_SUCCESS;
      const std::byte* const packed = std::exchange(next, next + block.bytes());
      return unpack(packed, block.memory, block.count, block.type, block.facts, communicator_);
    });
  } catch (const std::exception& error) {
    return failed(error);
  }
}

}  // namespace quadrille::mpi_face
