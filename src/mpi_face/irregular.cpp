// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/irregular.hpp"

#include <algorithm>
#include <bit>

#include "mpi_face/policy/cause.hpp"
#include "mpi_face/settings.hpp"

namespace quadrille::mpi_face {
namespace {

int leave_to_vendor(CallOutcome& outcome, Cause cause, VendorCall vendor) {
  outcome.site = nullptr, outcome.why = sentence(cause);
  return vendor();
}

}  // namespace

Site* Irregular::site_of(Function function) {
  Site*& site = function == Function::Alltoallv ? known_[0] : function == Function::Gatherv ? known_[1] : known_[2];
  if (site) return site;
  site = sites_.make({.function = function});
  if (site) deciding_.ask_for(*site);
  return site;
}

// Decisions that must be equal on all ranks never depend on the counts, because each rank knows only its own.
int Irregular::run(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  Site* const site = site_of(call.function);
  if (!site) return leave_to_vendor(outcome, Cause::many_kinds, vendor);
  ++site->calls;
  outcome.site = site;
  return has_root(call.function) ? run_rooted(*site, call, vendor, outcome) : run_all_to_all(*site, call, vendor, outcome);
}

int Irregular::run_all_to_all(Site& site, const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  if (next_look_ == 0) next_look_ = Settings::get().admits_at_once ? 2 : Meetings::at_the_latest;
  const bool is_due = site.calls >= next_look_ && site.mode != Site::Mode::vendor;
  outcome.why = site.choice.why;
  if (site.mode != Site::Mode::ours && !is_due) return site.timed(vendor);
  const auto blocks = blocks_of(call, rank_, ranks_);
  if (!blocks) return leave_to_vendor(outcome, Cause::wrong_arguments, vendor);
  outcome.by_ours = site.mode == Site::Mode::ours;
  return is_due ? run_due(site, *blocks, vendor, outcome) : runner_.exchange(*deciding_.exchange(), *blocks);
}

// Runs the call. The ranks meet in it if a census says that no rank has an empty block: then all ranks are in the call. A census
// takes time, so it is held only in calls 2^k. A trial uses the counts of this call.
int Irregular::run_due(Site& site, const CallBlocks& blocks, VendorCall vendor, CallOutcome& outcome) {
  site.trial_arguments.sent = blocks.sent.by_rank(ranks_);
  site.trial_arguments.received = blocks.received.by_rank(ranks_);
  next_look_ = std::bit_ceil(site.calls + 1);
  const auto run = [&] {
    return site.mode == Site::Mode::ours ? runner_.exchange(*deciding_.exchange(), blocks) : site.timed(vendor);
  };
  if (site.mode != Site::Mode::ours) {
    if (Settings::get().admits_at_once) deciding_.ask();
    if (Settings::get().admits_anywhere) {
      deciding_.meet(outcome);
      return run();
    }
  }
  if (!deciding_.is_of_one_world() || ranks_ > Census::most_ranks) return run();
  const auto is_full = [](const std::vector<Bytes>& bytes) { return std::find(bytes.begin(), bytes.end(), 0) == bytes.end(); };
  if (!census_) census_ = std::make_unique<Census>(communicator_, static_cast<int>(ranks_));
  census_->start(is_full(site.trial_arguments.sent) && is_full(site.trial_arguments.received));
  const int code = run();
  if (census_->is_full()) deciding_.meet(outcome);
  return code;
}

// In calls 2^k. Equal on all ranks.
void Irregular::note(Site& site, const MpiCall& call) {
  const bool at_once = Settings::get().admits_at_once;
  if (site.calls == 2 && at_once) deciding_.ask();
  if (site.calls == (at_once ? 2 : Meetings::at_the_latest)) deciding_.be_guest();
  if (call.root >= 0 && call.root < ranks_) site.trial_arguments.root = call.root;
}

// The ranks do not meet here, except for tests. All of them remember who is the root in calls 2^k, and the root remembers the
// counts: a trial needs both.
int Irregular::run_rooted(Site& site, const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  const bool is_power = std::has_single_bit(site.calls);
  if (is_power) [[unlikely]]
    note(site, call);
  if (deciding_.is_asked() && Settings::get().admits_anywhere) deciding_.meet(outcome);
  outcome.why = site.choice.why;
  const bool is_ours = site.mode == Site::Mode::ours;
  if (site.mode == Site::Mode::vendor) return vendor();
  if (!is_ours && !is_power) return site.timed(vendor);
  const auto blocks = blocks_of(call, rank_, ranks_);
  if (!blocks) return leave_to_vendor(outcome, Cause::wrong_arguments, vendor);
  if (is_power && rank_ == call.root)
    site.trial_arguments.at_root = (call.function == Function::Gatherv ? blocks->received : blocks->sent).by_rank(ranks_);
  outcome.by_ours = is_ours;
  return is_ours ? runner_.exchange(*deciding_.exchange(), *blocks) : site.timed(vendor);
}

}  // namespace quadrille::mpi_face
