// SPDX-License-Identifier: BSD-3-Clause
// Runs a call: finds out who counts it, who decides about it, and what runs it.
#include "foundation/assert.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/communicator_state.hpp"
#include "mpi_face/counting.hpp"
#include "mpi_face/policy/cause.hpp"
#include "mpi_face/recording/recorder.hpp"
#include "mpi_face/settings.hpp"
#include "mpi_face/world.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr Bytes longest_block = Bytes{1} << 30;

// Returns the only block of a side, or invalid elements if it has none.
Elements only_block(const SideBlocks& blocks) {
  Elements only;
  blocks.for_each([&](const CallBlock& block) {
    only.memory = block.memory, only.count = block.count, only.type = block.type, only.facts = block.facts;
    return MPI_SUCCESS;
  });
  return only;
}

}  // namespace

void begin_run() noexcept {
  try {
    int is_initialised = 0;
    if (Settings::get().is_off || PMPI_Initialized(&is_initialised) != MPI_SUCCESS || !is_initialised) return;
    CommunicatorState::expect_end();
    Recorder::begin();
    World& world = World::get();
    if (!world.is_wished()) return;
    world.begin();
    world.agree(Counting::get() != nullptr);
  } catch (const std::exception& error) {
    remark(error.what());
  }
}

// Catches all exceptions, because none may cross MPI's C interface.
int run(const MpiCall& call, VendorCall vendor) {
  try {
    CommunicatorState* const state = CommunicatorState::of(call.communicator);
    if (!state) return vendor();
    if (Recorder* const recorder = Recorder::get()) return recorder->run(*state, call, vendor);
    if (Counting* const counting = Counting::get()) return counting->run(*state, call, vendor);
    if (state->only_observes()) return vendor();
    CallOutcome outcome;
    return state->run(call, vendor, outcome);
  } catch (const std::exception& error) {
    remark(error.what());
    PMPI_Comm_call_errhandler(call.communicator, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
  }
}

int CommunicatorState::run(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  outcome.why = sentence(Cause::intercommunicator);
  if (facts_.is_inter) return vendor();
  if (facts_.ranks == 1) return run_alone(call, vendor, outcome);
  return is_exchanged(call.function) ? irregular_.run(call, vendor, outcome) : run_planned(call, vendor, outcome);
}

// Called before a call: counts the call, and lets the ranks meet if a meeting is due.
void CommunicatorState::synchronise(bool synchronises, double price_s, CallOutcome& outcome) {
  const bool meets = deciding_.meets(synchronises, price_s);
  if (meets || (deciding_.is_asked() && Settings::get().admits_anywhere)) [[unlikely]]
    deciding_.meet(outcome);
  if (synchronises) sample(price_s, outcome);
}

// All ranks take the same path, because a site's key contains only values that MPI requires to be equal on all ranks.
int CommunicatorState::run_planned(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  RecentCall& recent = calls_.recent(call);
  if (recent.signature.is_of(call)) [[likely]]
    return run_again(recent, call, vendor, outcome);
  // Only one call in eight is remembered as recent, because remembering costs more than it saves if calls do not repeat.
  const bool remembers = ++other_calls_ % 8 == 0;
  Site* const site = calls_.site_of(call);
  if (!site) return run_first(recent, call, vendor, outcome);
  if (remembers) {
    recent = {.signature = CallSignature(call), .site = site, .synchronises = site->synchronises, .price_s = site->price_s};
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

// Runs a call whose signature is not known, or cannot be kept. Calls with wrong arguments are passed to the MPI library, which
// reports the error.
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
      recent = {.signature = CallSignature(call),
                .synchronises = synchronises_here,
                .price_s = price_s,
                .why = outcome.why,
                .shape = shape};
    else if (site && (!Settings::get().admits_at_once || site->calls > 0))
      calls_.add(call, *site);
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
  RecentCall& recent = calls_.recent(call);
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

// Copies, unless one side is invalid or empty.
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
