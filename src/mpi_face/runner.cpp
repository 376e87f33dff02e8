// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/runner.hpp"

#include <algorithm>

#include "foundation/assert.hpp"
#include "mpi_face/settings.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::mpi_face {
namespace {

void grow(std::vector<std::byte>& buffer, Bytes bytes) {
  if (static_cast<Bytes>(buffer.size()) < bytes) buffer.resize(static_cast<std::size_t>(bytes));
}

char* block(const Side& side, const TypeFacts& facts, Rank rank) {
  return static_cast<char*>(side.buffer) + side.displacements[rank] * facts.extent;
}

Bytes total(const Side& side, const TypeFacts& facts, Count ranks) {
  Bytes sum = 0;
  for (Rank rank = 0; rank < ranks; ++rank) sum += side.counts[rank] * facts.size;
  return sum;
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

// Packs all blocks of a side into `input_`, one after the other.
int Runner::pack_blocks(const Side& side, const TypeFacts& facts) {
  input_.resize(std::max(input_.size(), static_cast<std::size_t>(total(side, facts, ranks_))));
  Bytes at = 0;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    const int code = pack(block(side, facts, rank), side.counts[rank], side.type, facts, input_.data() + at, communicator_);
    if (code != MPI_SUCCESS) return code;
    at += side.counts[rank] * facts.size;
  }
  return MPI_SUCCESS;
}

// Unpacks all blocks of a side from `output_`.
int Runner::unpack_blocks(const Side& side, const TypeFacts& facts) {
  Bytes at = 0;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    const int code = unpack(output_.data() + at, block(side, facts, rank), side.counts[rank], side.type, facts, communicator_);
    if (code != MPI_SUCCESS) return code;
    at += side.counts[rank] * facts.size;
  }
  return MPI_SUCCESS;
}

int Runner::exchange(Exchanger& exchange, const MpiCall& call) {
  edges_.clear();
  const Side& receive = call.receive;
  const bool in_place = call.send.buffer == MPI_IN_PLACE;
  const Side& send = in_place ? receive : call.send;
  const TypeFacts sent = facts_of(send.type), received = facts_of(receive.type);
  const bool packs = in_place || !sent.is_plain, unpacks = !received.is_plain;
  try {
    if (packs)
      if (const int code = pack_blocks(send, sent); code != MPI_SUCCESS) return code;
    if (unpacks) output_.resize(std::max(output_.size(), static_cast<std::size_t>(total(receive, received, ranks_))));
    Bytes in = 0, out = 0;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const Bytes sent_bytes = send.counts[rank] * sent.size, received_bytes = receive.counts[rank] * received.size;
      edges_.send(rank, packs ? input_.data() + in : reinterpret_cast<std::byte*>(block(send, sent, rank)), sent_bytes);
      edges_.receive(rank, unpacks ? output_.data() + out : reinterpret_cast<std::byte*>(block(receive, received, rank)),
                     received_bytes);
      in += sent_bytes, out += received_bytes;
    }
    QUADRILLE_ASSERT((!packs || in <= static_cast<Bytes>(input_.size())) &&
                     (!unpacks || out <= static_cast<Bytes>(output_.size())));
    edges_.begin_after(rank_);
    exchange.execute(edges_.edges());
    return unpacks ? unpack_blocks(receive, received) : MPI_SUCCESS;
  } catch (const std::exception& error) {
    return failed(error);
  }
}

}  // namespace quadrille::mpi_face
