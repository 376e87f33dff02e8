// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/runner.hpp"

#include <utility>

#include "mpi_face/settings.hpp"

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
    plan.execute(input_is_canonical ? from.memory : input_.data(), output);
    if (output_is_canonical || shape.keeps_output) return MPI_SUCCESS;
    return unpack(output, to, communicator_);
  } catch (const std::exception& error) {
    return failed(error);
  }
}

int Runner::execute_broadcast(Plan& plan, const Shape& shape) {
  const Elements& data = shape.output;
  if (data.is_canonical()) {
    plan.execute_in_place(data.memory);
    return MPI_SUCCESS;
  }
  grow(output_, data.bytes());
  const bool is_root = rank_ == shape.root;
  if (is_root)
    if (const int code = pack(data, output_.data(), communicator_); code != MPI_SUCCESS) return code;
  plan.execute_in_place(output_.data());
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

// Packs the blocks into `input_`, one after the other.
int Runner::pack_blocks(const SideBlocks& blocks) {
  grow(input_, blocks.bytes());
  std::byte* at = input_.data();
  return blocks.for_each([&](Rank, const std::byte* memory, Count count) {
    std::byte* const packed = std::exchange(at, at + count * blocks.facts().size);
    return pack(memory, count, blocks.type(), blocks.facts(), packed, communicator_);
  });
}

// Unpacks the blocks from `output_`.
int Runner::unpack_blocks(const SideBlocks& blocks) {
  const std::byte* at = output_.data();
  return blocks.for_each([&](Rank, std::byte* memory, Count count) {
    const std::byte* const packed = std::exchange(at, at + count * blocks.facts().size);
    return unpack(packed, memory, count, blocks.type(), blocks.facts(), communicator_);
  });
}

int Runner::exchange(Exchanger& exchange, const CallBlocks& blocks) {
  const SideBlocks &sent = blocks.sent, &received = blocks.received;
  const bool packs = blocks.share_memory || !sent.is_plain(), unpacks = !received.is_plain();
  edges_.clear();
  try {
    if (packs)
      if (const int code = pack_blocks(sent); code != MPI_SUCCESS) return code;
    if (unpacks) grow(output_, received.bytes());
    Bytes in = 0, out = 0;
    sent.for_each([&](Rank to, const std::byte* memory, Count count) {
      const Bytes bytes = count * sent.facts().size;
      edges_.send(to, packs ? input_.data() + in : memory, bytes);
      return in += bytes, MPI_SUCCESS;
    });
    received.for_each([&](Rank from, std::byte* memory, Count count) {
      const Bytes bytes = count * received.facts().size;
      edges_.receive(from, unpacks ? output_.data() + out : memory, bytes);
      return out += bytes, MPI_SUCCESS;
    });
    edges_.begin_after(rank_);
    exchange.execute(edges_.edges(blocks.may_pack));
    return unpacks ? unpack_blocks(received) : MPI_SUCCESS;
  } catch (const std::exception& error) {
    return failed(error);
  }
}

}  // namespace quadrille::mpi_face
