// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoallv inside a node: ranks exchange directly, without a plan, because each rank knows only its own counts and these may
// change in each call.
#include <algorithm>
#include <bit>

#include "foundation/assert.hpp"
#include "mpi_face/communicator_state.hpp"
#include "mpi_face/settings.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::uint64_t call_of_exchange = 64;

// True if this rank's arguments are valid. Calls with invalid arguments are passed to the MPI library, which reports the error.
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

std::vector<Bytes> block_bytes(const Side& side, const TypeFacts& facts, Count ranks) {
  std::vector<Bytes> bytes;
  for (Rank rank = 0; rank < ranks; ++rank) bytes.push_back(side.counts[rank] * facts.size);
  return bytes;
}

char* block(const Side& side, const TypeFacts& facts, Rank rank) {
  return static_cast<char*>(side.buffer) + side.displacements[rank] * facts.extent;
}

}  // namespace

// Decisions that must be equal on all ranks never depend on the counts, because each rank knows only its own.
int CommunicatorState::run_irregular(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  outcome.why = "too many kinds of calls";
  if (!irregular_) irregular_ = made({.function = Function::Alltoallv}, Settings::get().admits_at_once ? 2 : call_of_exchange);
  if (!irregular_) return vendor();
  Site& site = *irregular_;
  const bool is_due = ++site.calls >= site.next_event;
  outcome.site = &site;
  outcome.why = site.why;
  if (site.mode != Site::Mode::ours && !is_due) return vendor();
  const Side& send = call.send.buffer == MPI_IN_PLACE ? call.receive : call.send;
  if (!is_right(call.receive, facts_of(call.receive.type), ranks_) || !is_right(send, facts_of(send.type), ranks_)) {
    outcome.site = nullptr, outcome.why = "wrong arguments";
    return vendor();
  }
  outcome.by_ours = site.mode == Site::Mode::ours;
  return is_due ? run_and_settle(site, call, vendor, outcome) : exchange(call);
}

// Runs the call and settles the site in it. A trial uses the counts of this call. A direct exchange always synchronises. Whether a
// call of the MPI library's function has synchronised is determined by a census. A census costs time, so it is held only at calls
// whose number is a power of two.
int CommunicatorState::run_and_settle(Site& site, const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  if (!is_of_one_world()) {
    give_up(site, no_group_);
    return vendor();
  }
  const Side& send = call.send.buffer == MPI_IN_PLACE ? call.receive : call.send;
  site.sent = block_bytes(send, facts_of(send.type), ranks_);
  site.received = block_bytes(call.receive, facts_of(call.receive.type), ranks_);
  await_settling(site);
  if (site.mode == Site::Mode::ours) {
    const int code = exchange(call);
    settle_after_call(outcome);
    return code;
  }
  if (Settings::get().admits_anywhere) settle(outcome);
  if (!site.is_waiting || ranks_ > Census::most_ranks) return vendor();
  site.next_event = std::bit_ceil(site.calls + 1);
  const auto is_full = [](const std::vector<Bytes>& blocks) { return std::find(blocks.begin(), blocks.end(), 0) == blocks.end(); };
  if (!census_) census_ = std::make_unique<Census>(communicator_, static_cast<int>(ranks_));
  census_->start(is_full(site.sent) && is_full(site.received));
  const int code = vendor();
  if (census_->is_full()) settle_after_call(outcome);
  return code;
}

// Packs all blocks of a side into `input_`, one after the other.
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

int CommunicatorState::exchange(const MpiCall& call) {
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
      const auto at = static_cast<std::size_t>(rank);
      const Bytes sent_bytes = send.counts[rank] * sent.size, received_bytes = receive.counts[rank] * received.size;
      outgoing_[at] = {packs ? input_.data() + in : reinterpret_cast<std::byte*>(block(send, sent, rank)), sent_bytes};
      incoming_[at] = {unpacks ? output_.data() + out : reinterpret_cast<std::byte*>(block(receive, received, rank)),
                       received_bytes};
      in += sent_bytes, out += received_bytes;
    }
    QUADRILLE_ASSERT((!packs || in <= static_cast<Bytes>(input_.size())) &&
                     (!unpacks || out <= static_cast<Bytes>(output_.size())));
    exchange_->exchange(outgoing_, incoming_);
    for (Rank rank = 0; rank < ranks_ && unpacks; ++rank)
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
