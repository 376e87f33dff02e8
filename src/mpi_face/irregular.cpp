// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoallv inside a node: exchanged directly, without a plan, since counts are each rank's own and may change at each call.
#include "mpi_face/communicator_state.hpp"
#include "mpi_face/settings.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::uint64_t call_of_exchange = 8;

// Are the arguments of this rank valid? Invalid ones are passed to the MPI library, which reports the error.
bool is_right(const Side& side, const TypeFacts& facts, Count ranks) {
  if (!facts.is_valid || !side.counts || !side.displacements) return false;
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (side.counts[rank] < 0) return false;
    if (side.counts[rank] * facts.size > 0 && facts.is_plain && !side.buffer) return false;
  }
  return true;
}

Bytes total(const Side& side, const TypeFacts& facts, Count ranks) {
  Bytes sum = 0;
  for (Rank rank = 0; rank < ranks; ++rank) sum += side.counts[rank] * facts.size;
  return sum;
}

char* block(const Side& side, const TypeFacts& facts, Rank rank) {
  return static_cast<char*>(side.buffer) + side.displacements[rank] * facts.extent;
}

}  // namespace

// Counts are local, so they never influence what all ranks must decide alike.
int CommunicatorState::run_irregular(const MpiCall& call, VendorCall vendor) {
  const bool in_place = call.send.buffer == MPI_IN_PLACE;
  if (!is_right(call.receive, facts_of(call.receive.type), ranks_)) return vendor();
  if (!in_place && !is_right(call.send, facts_of(call.send.type), ranks_)) return vendor();
  const std::uint64_t first_event = Settings::get().admits_at_once ? 2 : call_of_exchange;
  Site* site = site_of({.function = Function::Alltoallv}, first_event);
  if (!site) return vendor();
  if (++site->calls != site->next_event) return site->mode == Site::Mode::ours ? exchange(call, {}) : vendor();
  if (site->mode == Site::Mode::counting) {
    admit_irregular(*site);
    return site->mode == Site::Mode::ours ? exchange(call, {}) : vendor();
  }
  const int code = with_both_timed(
      *site, in_place, [&] { return pack_blocks(call.receive, facts_of(call.receive.type)); },
      [&](Ours how) { return exchange(call, how); }, vendor);
  judge(*site);
  return code;
}

void CommunicatorState::admit_irregular(Site& site) {
  const bool is_made = with_group(site, [&](Communicator& group) { exchange_ = std::make_unique<DirectExchange>(group); });
  if (!is_made) return;
  outgoing_.resize(static_cast<std::size_t>(ranks_));
  incoming_.resize(static_cast<std::size_t>(ranks_));
  begin_trial(site);
}

// All blocks of a side, one after the other, into `input_`.
int CommunicatorState::pack_blocks(const Side& side, const TypeFacts& facts) {
  input_.resize(std::max(input_.size(), static_cast<std::size_t>(total(side, facts, ranks_))));
  Bytes at = 0;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    const int code = pack(block(side, facts, rank), side.counts[rank], side.type, facts, input_.data() + at, communicator_);
    if (code != MPI_SUCCESS) return code;
    at += side.counts[rank] * facts.size;
  }
  return MPI_SUCCESS;
}

int CommunicatorState::exchange(const MpiCall& call, Ours how) {
  const Side& receive = call.receive;
  const bool in_place = call.send.buffer == MPI_IN_PLACE;
  const Side& send = in_place ? receive : call.send;
  const TypeFacts sent = facts_of(send.type), received = facts_of(receive.type);
  const bool packs = in_place || !sent.is_plain, unpacks = how.to_scratch || !received.is_plain;
  try {
    if (packs && !how.saved)
      if (const int code = pack_blocks(send, sent); code != MPI_SUCCESS) return code;
    if (unpacks) output_.resize(std::max(output_.size(), static_cast<std::size_t>(total(receive, received, ranks_))));
    Bytes in = 0, out = 0;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      const Bytes sent_bytes = send.counts[rank] * sent.size, received_bytes = receive.counts[rank] * received.size;
      outgoing_[at] = {packs ? input_.data() + in : reinterpret_cast<std::byte*>(block(send, sent, rank)), sent_bytes};
      incoming_[at] = {unpacks ? output_.data() + out : reinterpret_cast<std::byte*>(block(receive, received, rank)),
                       received_bytes};
      in += sent_bytes, out += received_bytes;
    }
    exchange_->exchange(outgoing_, incoming_);
    for (Rank rank = 0; rank < ranks_ && unpacks && !how.to_scratch; ++rank)
      if (const int code = unpack(incoming_[static_cast<std::size_t>(rank)].memory, block(receive, received, rank),
                                  receive.counts[rank], receive.type, received, communicator_);
          code != MPI_SUCCESS)
        return code;
    return MPI_SUCCESS;
  } catch (const std::exception& error) {
    return failed(error);
  }
}

}  // namespace quadrille::mpi_face
