// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/communicator_state.hpp"

#include <algorithm>
#include <limits>

#include "foundation/assert.hpp"
#include "foundation/system/ticks.hpp"
#include "mpi_face/policy/cause.hpp"
#include "mpi_face/settings.hpp"
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

LateRanks::LateRanks(const KnownCommunicator& communicator)
    : communicator_(communicator), sampling_(communicator.ranks), last_s_(PMPI_Wtime()) {}

// The last rank to arrive waits for nobody. So the shortest time over all ranks is the barrier's own time, and the rest of a rank's
// time is its wait. The same allreduce finds the greatest cost, over all ranks, of the previous measurement.
double LateRanks::measure(CallOutcome& outcome) {
  const double begin_s = PMPI_Wtime();
  const std::uint64_t begin = ticks();
  PMPI_Barrier(communicator_.handle);
  const std::uint64_t took = ticks() - begin;
  const double took_s = PMPI_Wtime() - begin_s;

  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t least[] = {static_cast<std::int64_t>(took), most - last_cost_ns_, most};
  if (communicator_.rank == 0)
    least[2] = static_cast<std::int64_t>(cost_s_ > 0 ? sampling_.interval(begin_s - last_s_, cost_s_) : Sampling::first);
  PMPI_Allreduce(MPI_IN_PLACE, least, 3, MPI_INT64_T, MPI_MIN, communicator_.handle);
  barrier_ticks_ = std::min(barrier_ticks_, static_cast<std::uint64_t>(least[0]));
  if (const double cost_s = 1e-9 * static_cast<double>(most - least[1]); cost_s > 0)
    cost_s_ = cost_s_ > 0 ? 0.75 * cost_s_ + 0.25 * cost_s : cost_s;
  sampling_.go_on(static_cast<std::uint64_t>(least[2]));

  const std::uint64_t late = took - std::min(took, barrier_ticks_);
  const double late_s = took > 0 ? took_s * static_cast<double>(late) / static_cast<double>(took) : 0;
  outcome.late_ticks = late;
  outcome.settling_ticks += ticks() - begin - late;
  last_s_ = PMPI_Wtime();
  const double cost_s = std::max(last_s_ - begin_s - late_s, 1e-9);
  last_cost_ns_ = static_cast<std::int64_t>(1e9 * cost_s);
  return cost_s;
}

CommunicatorState::CommunicatorState(MPI_Comm communicator)
    : facts_(communicator),
      deciding_(facts_),
      runner_(communicator, facts_.rank),
      irregular_(facts_, deciding_, runner_),
      late_ranks_(facts_),
      counts_everywhere_(World::get().counts_everywhere() && !facts_.is_inter && facts_.ranks > 1 && facts_.is_of_one_world()) {}

void CommunicatorState::measure_late_ranks(CallOutcome& outcome) { deciding_.spend(late_ranks_.measure(outcome)); }

int CommunicatorState::run(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  outcome.why = sentence(Cause::intercommunicator);
  if (facts_.is_inter) return vendor();
  if (facts_.ranks == 1) return run_alone(call, vendor, outcome);
  return is_exchanged(call.function) ? irregular_.run(call, vendor, outcome) : run_planned(call, vendor, outcome);
}

// Before a call: counts it, and lets the ranks meet if it is time.
void CommunicatorState::synchronise(bool synchronises, double price_s, CallOutcome& outcome) {
  const bool meets = deciding_.meets(synchronises, price_s);
  if (meets || (deciding_.is_asked() && Settings::get().admits_anywhere)) [[unlikely]]
    deciding_.meet(outcome);
  if (synchronises) sample(price_s, outcome);
}

// All ranks take the same path, because a site's key contains only values that MPI requires to be equal on all ranks.
int CommunicatorState::run_planned(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  RecentCall& recent = deciding_.sites().recent(call);
  if (recent.signature.is_of(call)) [[likely]]
    return run_again(recent, call, vendor, outcome);
  // Only one call in eight is remembered as recent, because remembering costs more than it saves if calls do not repeat.
  const bool remembers = ++other_calls_ % 8 == 0;
  Site* const site = deciding_.sites().known(call);
  if (!site) return run_first(recent, call, vendor, outcome);
  if (remembers) {
    recent = {CallSignature(call), site, site->synchronises, site->price_s};
    return run_again(recent, call, vendor, outcome);
  }
  synchronise(site->synchronises, site->price_s, outcome);
  std::optional<Shape> shape;
  return run_at(*site, call, shape, vendor, outcome);
}

int CommunicatorState::run_again(RecentCall& recent, const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  synchronise(recent.synchronises, recent.price_s, outcome);
  if (recent.site) return run_at(*recent.site, call, recent.shape, vendor, outcome);
  outcome.block_bytes = recent.shape->block_bytes;
  outcome.is_root = is_rooted(recent.shape->collective) && call.root == facts_.rank;
  outcome.why = recent.why;
  return vendor();
}

// A call whose signature is not known, or cannot be kept. Calls with wrong arguments are passed to the MPI library, which reports
// the error.
int CommunicatorState::run_first(RecentCall& recent, const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  std::optional<Shape> shape = shape_of(call, facts_.rank, facts_.ranks);
  outcome.why = sentence(Cause::wrong_arguments);
  if (!shape) return vendor();
  outcome.block_bytes = shape->block_bytes;
  outcome.is_root = is_rooted(shape->collective) && shape->root == facts_.rank;
  outcome.why = sentence(shape->block_bytes == 0 ? Cause::no_data : Cause::long_blocks);
  if (shape->block_bytes > longest_block) return vendor();
  if (shape->block_bytes == 0 && shape->collective != Collective::barrier) return vendor();
  const std::optional<Key> key = deciding_.sites().key_of(call, *shape);
  const std::size_t before = deciding_.sites().size();
  Site* const site = key ? deciding_.sites().of(*key, call, *shape) : nullptr;
  const bool synchronises_here = synchronises(*shape, facts_.ranks);
  if (site && deciding_.sites().size() > before) deciding_.ask_for(*site);
  if (site && Settings::get().admits_at_once && site->calls == 1) deciding_.ask();
  // Making and trying plans waits for all ranks, so it happens only in a call that synchronises them anyway.
  const double price_s = site ? site->price_s : price_of_call(facts_.ranks, shape->block_bytes);
  synchronise(synchronises_here, price_s, outcome);
  outcome.why = sentence(key ? Cause::many_kinds : Cause::own_operator);
  if (CallSignature::can_be_of(call)) {
    if (!site && other_calls_ % 8 == 0)
      recent = {CallSignature(call), nullptr, synchronises_here, price_s, outcome.why, shape};
    else if (site && (!Settings::get().admits_at_once || site->calls > 0))
      deciding_.sites().know(call, *site);
  }
  return site ? run_at(*site, call, shape, vendor, outcome) : vendor();
}

// `shape`: of a call with the same signature, if it was needed before.
int CommunicatorState::run_at(Site& site, const MpiCall& call, std::optional<Shape>& shape, VendorCall vendor,
                              CallOutcome& outcome) {
  ++site.calls;
  outcome.site = &site;
  outcome.block_bytes = site.key.block_bytes;
  outcome.is_root = site.is_rooted && call.root == facts_.rank;
  if (site.mode == Site::Mode::counting) return site.timed(vendor);
  if (site.mode == Site::Mode::vendor) return vendor();
  if (shape)
    shape->set_buffers(call);
  else
    shape = shape_of(call, facts_.rank, facts_.ranks);
  if (site.mode == Site::Mode::trying) return run_tried(site, *shape, vendor, outcome);
  QUADRILLE_ASSERT(site.plans.size() == 1 && shape->block_bytes == site.key.block_bytes);  // the plan is for blocks of this size
  outcome.by_ours = true;
  return runner_.execute(site.plans.front(), *shape);
}

// A call of a trial in place.
int CommunicatorState::run_tried(Site& site, const Shape& shape, VendorCall vendor, CallOutcome& outcome) {
  const auto ours = [&](std::size_t contender) { return runner_.execute(site.plans[contender], shape); };
  return site.tried(
      vendor, ours, [this] { deciding_.ask(); }, outcome.by_ours);
}

// A communicator of one rank: collectives are local copies.
int CommunicatorState::run_alone(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  if (is_exchanged(call.function)) return exchange_alone(call, vendor, outcome);
  RecentCall& recent = deciding_.sites().recent(call);
  if (recent.signature.is_of(call)) [[likely]]
    return run_known_alone(recent, call, vendor, outcome);
  outcome.why = sentence(Cause::wrong_arguments);
  const std::optional<Shape> shape = shape_of(call, facts_.rank, facts_.ranks);
  if (!shape) return vendor();
  const bool is_known = !is_reduction(shape->collective) || deciding_.sites().key_of(call, *shape);
  RecentCall now{.signature = CallSignature(call), .why = is_known ? "" : sentence(Cause::own_operator), .shape = shape};
  if (CallSignature::can_be_of(call)) recent = now;
  return run_known_alone(now, call, vendor, outcome);
}

int CommunicatorState::run_known_alone(RecentCall& now, const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  Shape& shape = *now.shape;
  outcome.block_bytes = shape.block_bytes;
  outcome.why = now.why;
  if (!now.why.empty()) return vendor();
  shape.set_buffers(call);
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
