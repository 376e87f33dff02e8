// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/irregular.hpp"

#include <algorithm>
#include <bit>

#include "mpi_face/policy/cause.hpp"
#include "mpi_face/settings.hpp"

namespace quadrille::mpi_face {
namespace {

// True if this rank's arguments are valid. Calls with invalid arguments are passed to the MPI library, which reports the error.
bool is_right(const Side& side, const TypeFacts& facts, Count ranks) {
  if (!facts.is_valid || !side.counts || !side.displacements) return false;
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (side.counts[rank] < 0) return false;
    if (side.counts[rank] * facts.size > 0 && facts.is_plain && !side.buffer) return false;
  }
  return true;
}

std::vector<Bytes> block_bytes(const Side& side, const TypeFacts& facts, Count ranks) {
  std::vector<Bytes> bytes;
  for (Rank rank = 0; rank < ranks; ++rank) bytes.push_back(side.counts[rank] * facts.size);
  return bytes;
}

}  // namespace

// Decisions that must be equal on all ranks never depend on the counts, because each rank knows only its own.
int Irregular::run(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  outcome.why = sentence(Cause::many_kinds);
  if (!site_) {
    site_ = sites_.make({.function = Function::Alltoallv});
    if (site_) deciding_.ask_for(*site_);
    next_look_ = Settings::get().admits_at_once ? 2 : Meetings::at_the_latest;
  }
  if (!site_) return vendor();
  Site& site = *site_;
  const bool is_due = ++site.calls >= next_look_ && site.mode != Site::Mode::vendor;
  outcome.site = &site;
  outcome.why = site.choice.why;
  if (site.mode != Site::Mode::ours && !is_due) return site.timed(vendor);
  const Side& send = call.send.buffer == MPI_IN_PLACE ? call.receive : call.send;
  if (!is_right(call.receive, facts_of(call.receive.type), ranks_) || !is_right(send, facts_of(send.type), ranks_)) {
    outcome.site = nullptr, outcome.why = sentence(Cause::wrong_arguments);
    return vendor();
  }
  outcome.by_ours = site.mode == Site::Mode::ours;
  return is_due ? run_due(site, call, vendor, outcome) : runner_.exchange(*deciding_.exchange(), call);
}

// Runs the call, and lets the ranks meet in it if all of them are known to be in it: a census tells. It costs time, so it is held
// only in calls 2^k. A trial uses the counts of this call.
int Irregular::run_due(Site& site, const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  const Side& send = call.send.buffer == MPI_IN_PLACE ? call.receive : call.send;
  site.trial_arguments.sent = block_bytes(send, facts_of(send.type), ranks_);
  site.trial_arguments.received = block_bytes(call.receive, facts_of(call.receive.type), ranks_);
  next_look_ = std::bit_ceil(site.calls + 1);
  const auto run = [&] {
    return site.mode == Site::Mode::ours ? runner_.exchange(*deciding_.exchange(), call) : site.timed(vendor);
  };
  if (site.mode != Site::Mode::ours) {
    if (Settings::get().admits_at_once) deciding_.ask();
    if (Settings::get().admits_anywhere) {
      deciding_.meet(outcome);
      return run();
    }
  }
  if (!deciding_.is_of_one_world() || ranks_ > Census::most_ranks) return run();
  const auto is_full = [](const std::vector<Bytes>& blocks) { return std::find(blocks.begin(), blocks.end(), 0) == blocks.end(); };
  if (!census_) census_ = std::make_unique<Census>(communicator_, static_cast<int>(ranks_));
  census_->start(is_full(site.trial_arguments.sent) && is_full(site.trial_arguments.received));
  const int code = run();
  if (census_->is_full()) deciding_.meet(outcome);
  return code;
}

}  // namespace quadrille::mpi_face
