// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/communicator_state.hpp"

#include "foundation/assert.hpp"
#include "mpi_face/policy/account.hpp"
#include "mpi_face/policy/cause.hpp"
#include "mpi_face/settings.hpp"
#include "mpi_face/ticks.hpp"
#include "mpi_face/world.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr Bytes longest_block = Bytes{1} << 30;

// Returns the block of a side that has one, or invalid elements.
Elements only_block(const SideBlocks& blocks) {
  Elements only;
  blocks.for_each([&](const CallBlock& block) {
    only.memory = block.memory, only.count = block.count, only.type = block.type, only.facts = block.facts;
    return MPI_SUCCESS;
  });
  return only;
}

}  // namespace

CommunicatorState::Facts CommunicatorState::facts_of_communicator(MPI_Comm communicator) {
  int is_inter = 0, rank = 0, ranks = 1;
  if (PMPI_Comm_test_inter(communicator, &is_inter) != MPI_SUCCESS || is_inter ||
      PMPI_Comm_rank(communicator, &rank) != MPI_SUCCESS || PMPI_Comm_size(communicator, &ranks) != MPI_SUCCESS)
    return {};
  return {rank, ranks, false};
}

CommunicatorState::CommunicatorState(MPI_Comm communicator)
    : communicator_(communicator),
      facts_(facts_of_communicator(communicator)),
      sites_(facts_.ranks),
      deciding_(communicator, facts_.rank, facts_.ranks, sites_),
      runner_(communicator, facts_.rank),
      irregular_(communicator, facts_.rank, facts_.ranks, sites_, deciding_, runner_),
      late_ranks_(communicator, facts_.rank, facts_.ranks),
      counts_everywhere_(World::get().counts_everywhere() && !facts_.is_inter && facts_.ranks > 1 && deciding_.is_of_one_world()) {}

void CommunicatorState::measure_late_ranks(CallOutcome& outcome) {
  Account::of_process().spend(deciding_.weight() * late_ranks_.measure(outcome));
}

int CommunicatorState::run(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  outcome.why = sentence(Cause::intercommunicator);
  if (facts_.is_inter) return vendor();
  if (facts_.ranks == 1) return run_alone(call, vendor, outcome);
  return is_exchanged(call.function) ? irregular_.run(call, vendor, outcome) : run_planned(call, vendor, outcome);
}

int CommunicatorState::run_again(RecentCall& recent, const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  Shape& shape = recent.shape;
  outcome.block_bytes = shape.block_bytes;
  outcome.is_root = is_rooted(shape.collective) && shape.root == facts_.rank;
  outcome.why = recent.why;
  if (!recent.site) return vendor();
  ++recent.site->calls;
  recent.set_buffers(call);
  return run_at(*recent.site, shape, vendor, outcome);
}

// All ranks take the same path, because the key contains only values that MPI requires to be equal on all ranks. Calls with wrong
// arguments are passed to the MPI library, which reports the error.
int CommunicatorState::run_planned(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  RecentCall& recent = sites_.recent(call);
  if (recent.is_like(call)) [[likely]] {
    const bool meets = deciding_.meets(recent.synchronises, recent.price_s);
    if (meets || (deciding_.is_asked() && Settings::get().admits_anywhere)) [[unlikely]]
      deciding_.meet(outcome);
    if (recent.synchronises) sample(recent.price_s, outcome);
    return run_again(recent, call, vendor, outcome);
  }
  const std::optional<Shape> shape = shape_of(call, facts_.rank, facts_.ranks);
  outcome.why = sentence(Cause::wrong_arguments);
  if (!shape) return vendor();
  outcome.block_bytes = shape->block_bytes;
  outcome.is_root = is_rooted(shape->collective) && shape->root == facts_.rank;
  outcome.why = sentence(shape->block_bytes == 0 ? Cause::no_data : Cause::long_blocks);
  if (shape->block_bytes > longest_block) return vendor();
  if (shape->block_bytes == 0 && shape->collective != Collective::barrier) return vendor();
  const std::optional<Key> key = sites_.key_of(call, *shape);
  const std::size_t before = sites_.size();
  Site* const site = key ? sites_.of(*key, call, *shape) : nullptr;
  const bool synchronises_here = synchronises(*shape, facts_.ranks);
  if (site && sites_.size() > before) deciding_.ask_for(*site);
  if (site && Settings::get().admits_at_once && site->calls == 1) deciding_.ask();
  // Making and trying plans waits for all ranks, so it happens only in a call that synchronises them anyway.
  const double price_s = site ? site->price_s : price_of_call(facts_.ranks, shape->block_bytes);
  const bool meets = deciding_.meets(synchronises_here, price_s);
  if (meets || (deciding_.is_asked() && Settings::get().admits_anywhere)) [[unlikely]]
    deciding_.meet(outcome);
  if (synchronises_here) sample(price_s, outcome);
  outcome.why = sentence(key ? Cause::many_kinds : Cause::own_operator);
  // Only one call in eight is remembered, because remembering costs more than it saves if calls do not repeat.
  if (++unknown_calls_ % 8 == 0 && RecentCall::can_hold(call) && !(Settings::get().admits_at_once && site && site->calls == 0))
    recent = {true, site, outcome.why, call, *shape, synchronises_here, price_s};
  if (!site) return vendor();
  ++site->calls;
  return run_at(*site, *shape, vendor, outcome);
}

int CommunicatorState::run_at(Site& site, const Shape& shape, VendorCall vendor, CallOutcome& outcome) {
  outcome.site = &site;
  outcome.why = site.choice.why;
  switch (site.mode) {
    case Site::Mode::ours:
      QUADRILLE_ASSERT(site.choice.plan && shape.block_bytes == site.key.block_bytes);  // the plan is for blocks of this size
      outcome.by_ours = true;
      return runner_.execute(*site.choice.plan, shape);
    case Site::Mode::trying: return run_tried(site, shape, vendor, outcome);
    case Site::Mode::counting: return site.timed(vendor);
    case Site::Mode::vendor: break;
  }
  return vendor();
}

// A call of a trial in place.
int CommunicatorState::run_tried(Site& site, const Shape& shape, VendorCall vendor, CallOutcome& outcome) {
  const auto ours = [&](std::size_t contender) { return runner_.execute(site.trial->contenders[contender].plan, shape); };
  return site.trial->run(
      vendor, ours, [this] { deciding_.ask(); }, outcome.by_ours);
}

// A communicator of one rank: collectives are local copies.
int CommunicatorState::run_alone(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  if (is_exchanged(call.function)) return exchange_alone(call, vendor, outcome);
  RecentCall& recent = sites_.recent(call);
  if (recent.is_like(call)) [[likely]]
    return run_known_alone(recent, call, vendor, outcome);
  outcome.why = sentence(Cause::wrong_arguments);
  const std::optional<Shape> shape = shape_of(call, facts_.rank, facts_.ranks);
  if (!shape) return vendor();
  const bool is_known = !is_reduction(shape->collective) || sites_.key_of(call, *shape);
  RecentCall now{true, nullptr, is_known ? "" : sentence(Cause::own_operator), call, *shape};
  if (RecentCall::can_hold(call)) recent = now;
  return run_known_alone(now, call, vendor, outcome);
}

int CommunicatorState::run_known_alone(RecentCall& now, const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  Shape& shape = now.shape;
  outcome.block_bytes = shape.block_bytes;
  outcome.why = now.why;
  if (!now.why.empty()) return vendor();
  now.set_buffers(call);
  if (!shape.in_place && !shape.keeps_output && call.function != Function::Exscan)
    return copy_alone(shape.input, shape.output, vendor, outcome);
  outcome.by_ours = true;
  return MPI_SUCCESS;
}

// The rank exchanges data with itself.
int CommunicatorState::exchange_alone(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  outcome.why = sentence(Cause::alone);
  if (is_of_neighbours(call.function)) return vendor();
  const auto blocks = blocks_of(call, facts_.rank, facts_.ranks);
  outcome.why = sentence(Cause::wrong_arguments);
  if (!blocks || blocks->sent.bytes() != blocks->received.bytes()) return vendor();
  outcome.why = "";
  const Elements received = only_block(blocks->received);
  return copy_alone(blocks->share_memory ? Elements() : only_block(blocks->sent), received, vendor, outcome);
}

// Copies, unless one of the two is invalid or empty.
int CommunicatorState::copy_alone(const Elements& from, const Elements& to, VendorCall vendor, CallOutcome& outcome) {
  const bool copies = to.facts.is_valid && from.count > 0;
  if (copies && overlap(from, to)) {
    outcome.why = sentence(Cause::overlapping);
    return vendor();
  }
  outcome.by_ours = true;
  return copies ? runner_.copy(from, to) : MPI_SUCCESS;
}

}  // namespace quadrille::mpi_face
