// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoallv inside a node: exchanged directly, without a plan, since counts are each rank's own and may change at each call.
#include "mpi_face/communicator_state.hpp"
#include "mpi_face/settings.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::uint64_t call_of_exchange = 8;

// What a rank may judge by itself. Whoever calls wrongly gets the MPI library's error.
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

// Whether a rank has anything to send is its own business, and enters nothing that all ranks decide.
int CommunicatorState::run_irregular(const MpiCall& call, VendorCall vendor) {
  const bool in_place = call.send.buffer == MPI_IN_PLACE;
  if (!is_right(call.receive, facts_of(call.receive.type), ranks_)) return vendor();
  if (!in_place && !is_right(call.send, facts_of(call.send.type), ranks_)) return vendor();
  const std::uint64_t first_event = Settings::get().admits_at_once ? 2 : call_of_exchange;
  Site* site = site_of({.function = Function::Alltoallv}, first_event);
  if (!site) return vendor();
  if (++site->calls == site->next_event) admit_irregular(*site);
  return site->mode == Site::Mode::ours ? exchange(call) : vendor();
}

void CommunicatorState::admit_irregular(Site& site) {
  const bool is_made = with_group(site, [&](Communicator& group) { exchange_ = std::make_unique<DirectExchange>(group); });
  if (!is_made) return;
  site.mode = Site::Mode::ours;
  outgoing_.resize(static_cast<std::size_t>(ranks_));
  incoming_.resize(static_cast<std::size_t>(ranks_));
}

int CommunicatorState::exchange(const MpiCall& call) {
  const Side& receive = call.receive;
  const bool in_place = call.send.buffer == MPI_IN_PLACE;
  const Side& send = in_place ? receive : call.send;
  const TypeFacts sent = facts_of(send.type), received = facts_of(receive.type);
  const bool packs = in_place || !sent.is_plain;
  try {
    if (packs) input_.resize(std::max(input_.size(), static_cast<std::size_t>(total(send, sent, ranks_))));
    if (!received.is_plain) output_.resize(std::max(output_.size(), static_cast<std::size_t>(total(receive, received, ranks_))));
    Bytes in = 0, out = 0;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      const Bytes sent_bytes = send.counts[rank] * sent.size, received_bytes = receive.counts[rank] * received.size;
      if (packs) {
        const int code = pack(block(send, sent, rank), send.counts[rank], send.type, sent, input_.data() + in, communicator_);
        if (code != MPI_SUCCESS) return code;
      }
      outgoing_[at] = {packs ? input_.data() + in : reinterpret_cast<std::byte*>(block(send, sent, rank)), sent_bytes};
      incoming_[at] = {received.is_plain ? reinterpret_cast<std::byte*>(block(receive, received, rank)) : output_.data() + out,
                       received_bytes};
      in += sent_bytes, out += received_bytes;
    }
    exchange_->exchange(outgoing_, incoming_);
    for (Rank rank = 0; rank < ranks_ && !received.is_plain; ++rank)
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
