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

// Remembers the blocks of the site's latest call for a trial.
void remember(Site& site, const CallBlocks& blocks) {
  site.trial_arguments.sent = blocks.sent.lengths();
  site.trial_arguments.received = blocks.received.lengths();
  site.trial_arguments.call = site.calls;
  site.knows_blocks = true;
}

}  // namespace

void Census::start(bool is_full) {
  entries_.remove_if([](Entry& entry) {
    int is_complete = 0;
    PMPI_Test(&entry.request, &is_complete, MPI_STATUS_IGNORE);
    return is_complete != 0;
  });
  const auto size = static_cast<std::size_t>(ranks_);
  Entry& entry = entries_.emplace_back();
  entry.mine.assign(size, static_cast<char>(is_full));
  entry.all.resize(size);
  // Uses alltoallv because MPI libraries run it in one step among so few ranks: a rank that has started it has sent all its data.
  PMPI_Ialltoallv(entry.mine.data(), ones_.data(), places_.data(), MPI_CHAR, entry.all.data(), ones_.data(), places_.data(),
                  MPI_CHAR, communicator_, &entry.request);
}

bool Census::is_full() {
  if (entries_.empty() || !entries_.back().mine[0]) return false;
  Entry& entry = entries_.back();
  PMPI_Wait(&entry.request, MPI_STATUS_IGNORE);
  const bool is_full = std::all_of(entry.all.begin(), entry.all.end(), [](char each) { return each != 0; });
  entries_.pop_back();
  return is_full;
}

void Census::finish() {
  for (Entry& entry : entries_) PMPI_Wait(&entry.request, MPI_STATUS_IGNORE);
  entries_.clear();
}

Site* Irregular::site_of(Function function) {
  Site*& site = known_[static_cast<std::size_t>(function)];
  if (site) return site;
  site = deciding_.sites().make({.function = function});
  if (!site) return nullptr;
  site->neighbours = communicator_.neighbours_for(function);
  deciding_.begin_site(*site);
  return site;
}

// Decisions that must be equal on all ranks never depend on counts, because each rank knows only its own counts.
int Irregular::run(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  if (is_of_neighbours(call.function)) {
    if (!communicator_.neighbours_for(call.function)->exists()) return leave_to_vendor(outcome, Cause::wrong_arguments, vendor);
    outcome.block_bytes = block_of_neighbours(call);
  }
  Site* const site = site_of(call.function);
  if (!site) return leave_to_vendor(outcome, Cause::many_kinds, vendor);
  ++site->calls;
  outcome.site = site;
  return never_synchronises(call.function) ? run_apart(*site, call, vendor, outcome) : run_all_to_all(*site, call, vendor, outcome);
}

int Irregular::run_all_to_all(Site& site, const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  if (next_look_ == 0) next_look_ = Settings::get().admits_at_once ? 2 : Meetings::at_the_latest;
  const bool is_due = site.calls >= next_look_ && site.mode != Site::Mode::vendor;
  if (!site.may_be_ours() && !is_due) return site.timed(vendor);
  const auto blocks = blocks_of(call, communicator_);
  if (!blocks) return leave_to_vendor(outcome, Cause::wrong_arguments, vendor);
  return is_due ? run_due(site, *blocks, vendor, outcome) : run_by_mode(site, *blocks, vendor, outcome);
}

// Runs the call. If a census says that no rank has an empty block, all ranks are in the call, and they meet. A census takes time,
// so it is held only in calls whose number is a power of two (calls 2^k). A trial uses the counts of this call.
int Irregular::run_due(Site& site, const CallBlocks& blocks, VendorCall vendor, CallOutcome& outcome) {
  remember(site, blocks);
  next_look_ = std::bit_ceil(site.calls + 1);
  const auto run = [&] { return run_by_mode(site, blocks, vendor, outcome); };
  if (site.mode == Site::Mode::counting) {
    if (Settings::get().admits_at_once) deciding_.ask();
    if (Settings::get().admits_anywhere) {
      deciding_.meet(outcome);
      return run();
    }
  }
  if (!communicator_.is_of_one_world() || communicator_.ranks > Census::most_ranks) return run();
  const auto is_full = [](const std::vector<Bytes>& bytes) { return std::find(bytes.begin(), bytes.end(), 0) == bytes.end(); };
  if (!census_) census_ = std::make_unique<Census>(communicator_.handle, static_cast<int>(communicator_.ranks));
  census_->start(is_full(site.trial_arguments.sent) && is_full(site.trial_arguments.received));
  const int code = run();
  if (census_->is_full()) deciding_.meet(outcome);
  return code;
}

// Call it in calls 2^k. Does the same on all ranks.
void Irregular::note(Site& site, const MpiCall& call) {
  const bool at_once = Settings::get().admits_at_once;
  if (site.calls == 2 && at_once) deciding_.ask();
  if (site.calls == (at_once ? 2 : Meetings::at_the_latest)) deciding_.be_guest();
  if (has_root(call.function) && call.root >= 0 && call.root < communicator_.ranks) site.trial_arguments.root = call.root;
}

// The ranks do not meet here, except for tests. In calls 2^k each rank remembers its blocks for a trial. If there is a root, all
// ranks remember which rank it is, but only the root remembers blocks.
int Irregular::run_apart(Site& site, const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  const bool is_power = std::has_single_bit(site.calls);
  if (is_power) [[unlikely]]
    note(site, call);
  if (deciding_.is_asked() && Settings::get().admits_anywhere) deciding_.meet(outcome);
  if (site.mode == Site::Mode::vendor) return vendor();
  if (!site.may_be_ours() && !is_power) return site.timed(vendor);
  const auto blocks = blocks_of(call, communicator_);
  if (!blocks) return leave_to_vendor(outcome, Cause::wrong_arguments, vendor);
  if (is_power && (!has_root(call.function) || communicator_.rank == call.root)) remember(site, *blocks);
  return run_by_mode(site, *blocks, vendor, outcome);
}

int Irregular::run_by_mode(Site& site, const CallBlocks& blocks, VendorCall vendor, CallOutcome& outcome) {
  const auto ours = [&](std::size_t = 0) { return runner_.exchange(*deciding_.exchange(), blocks); };
  switch (site.mode) {
    case Site::Mode::ours: outcome.by_ours = true; return ours();
    case Site::Mode::trying:
      return site.tried(
          vendor, ours, [this] { deciding_.ask(); }, outcome.by_ours);
    case Site::Mode::counting: return site.timed(vendor);
    case Site::Mode::vendor: break;
  }
  return vendor();
}

}  // namespace quadrille::mpi_face
