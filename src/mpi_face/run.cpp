// SPDX-License-Identifier: BSD-3-Clause
// Runs a call: finds out who counts it, who decides about it, and what runs it.
#include <sys/prctl.h>

#include "foundation/assert.hpp"
#include "foundation/environment.hpp"
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

void expect_run() noexcept try {
  const auto& watch = Settings::get().watch;
  if (!watch || watch->watcher == 0) return;
  // Where Yama lets only ancestors read a program. MPI libraries may allow it to all processes afterwards.
  if (watch->watcher > 0) ::prctl(PR_SET_PTRACER, watch->watcher);
  empty_environment_value("QUADRILLE_WATCH");
} catch (const std::exception&) {
  return;  // begin_run() says why
}

void begin_run() noexcept {
  try {
    int is_initialised = 0;
    if (Settings::get().is_off || PMPI_Initialized(&is_initialised) != MPI_SUCCESS || !is_initialised) return;
    CommunicatorState::expect_end();
    Recorder::begin();
    World& world = World::get();
    if (!world.is_wished()) return;
    world.begin();
    Counting* const counting = Counting::get();
    world.agree(counting != nullptr);
    if (world.is_watched()) {
      WatchPage none{};
      world.tell_meeting(counting ? counting->record().ring().page() : none);
      if (Settings::get().watch->checks) world.agree_on_checks(counting && counting->checks());
    }
    if (counting)
      if (CommunicatorState* const all = CommunicatorState::of(MPI_COMM_WORLD)) counting->identity_of(*all);
  } catch (const std::exception& error) {
    remark(error.what());
  }
}

// Catches all exceptions, because none may cross MPI's C interface.
int run(const MpiCall& call, VendorCall vendor) {
  try {
    CommunicatorState* const state = CommunicatorState::of(call.communicator);
    if (!state) {
      Counting::see_stray(call.function);
      return vendor();
    }
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
  KnownCall* const known = calls_.find(call);
  if (!known) return run_first(call, vendor, outcome);
  if (Site* const site = known->site) {
    synchronise(site->synchronises, site->price_s, outcome);
    return run_at(
        *site, call, [&]() -> const Shape& { return shape_again(*known, call); }, vendor, outcome);
  }
  const SeenCall& seen = *known->seen;
  synchronise(seen.synchronises, seen.price_s, outcome);
  outcome.block_bytes = seen.shape.block_bytes;
  outcome.is_root = is_rooted(seen.shape.collective) && call.root == facts_.rank;
  outcome.why = seen.why;
  return vendor();
}

// The shape of a call like earlier ones.
const Shape& CommunicatorState::shape_again(KnownCall& known, const MpiCall& call) {
  if (known.seen)
    known.seen->shape.set_buffers(call);
  else
    known.seen = std::make_unique<SeenCall>(SeenCall{.shape = *shape_of(call, facts_.rank, facts_.ranks)});
  return known.seen->shape;
}

// Runs a call whose signature is not known, or cannot be kept. Calls with wrong arguments are passed to the MPI library, which
// reports the error.
int CommunicatorState::run_first(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  const std::optional<Shape> shape = shape_of(call, facts_.rank, facts_.ranks);
  outcome.why = sentence(Cause::wrong_arguments);
  if (!shape) return vendor();
  outcome.block_bytes = shape->block_bytes;
  outcome.is_root = is_rooted(shape->collective) && shape->root == facts_.rank;
  outcome.why = sentence(shape->block_bytes == 0 ? Cause::no_data : Cause::long_blocks);
  if (shape->block_bytes > longest_block) return vendor();
  if (shape->block_bytes == 0 && moves_data(shape->collective)) return vendor();
  const std::optional<Key> key = deciding_.sites().key_of(call, *shape);
  const std::size_t before = deciding_.sites().size();
  Site* const site = key ? deciding_.sites().of(*key, call, *shape) : nullptr;
  const bool synchronises_here = synchronises(*shape, facts_.ranks);
  if (site && deciding_.sites().size() > before) deciding_.begin_site(*site);
  if (site && Settings::get().admits_at_once && site->calls == 1) deciding_.ask();
  // Making and trying plans waits for all ranks, so it happens only in a call that synchronises them anyway.
  const double price_s = site ? site->price_s : price_of_call(facts_.ranks, shape->block_bytes);
  synchronise(synchronises_here, price_s, outcome);
  outcome.why = sentence(key ? Cause::many_kinds : Cause::own_operator);
  const bool is_kept = !site || !Settings::get().admits_at_once || site->calls > 0;
  if (KnownCall* const known = is_kept ? calls_.add(call, call.function) : nullptr) {
    known->site = site;
    if (!site) known->seen = std::make_unique<SeenCall>(SeenCall{*shape, synchronises_here, price_s, outcome.why});
  }
  if (!site) return vendor();
  return run_at(
      *site, call, [&]() -> const Shape& { return *shape; }, vendor, outcome);
}

// `shape`: returns the shape of the call.
int CommunicatorState::run_at(Site& site, const MpiCall& call, const auto& shape, VendorCall vendor, CallOutcome& outcome) {
  ++site.calls;
  outcome.site = &site;
  outcome.block_bytes = site.key.block_bytes;
  outcome.is_root = site.is_rooted && call.root == facts_.rank;
  if (site.mode == Site::Mode::counting) return site.timed(vendor);
  if (site.mode == Site::Mode::vendor) return vendor();
  if (site.mode == Site::Mode::trying) return run_tried(site, shape(), vendor, outcome);
  const Shape& here = shape();
  QUADRILLE_ASSERT((site.plans.size() == 1 || site.plan_of) && here.block_bytes == site.key.block_bytes);
  outcome.by_ours = true;
  return runner_.execute(site.plan(), here);
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
  if (KnownCall* const known = calls_.find(call)) return run_known_alone(*known->seen, call, vendor, outcome);
  outcome.why = sentence(Cause::wrong_arguments);
  const std::optional<Shape> shape = shape_of(call, facts_.rank, facts_.ranks);
  if (!shape) return vendor();
  const bool is_known = deciding_.sites().key_of(call, *shape).has_value();
  SeenCall& seen = calls_.keep(call, call.function, {.shape = *shape, .why = is_known ? "" : sentence(Cause::own_operator)});
  return run_known_alone(seen, call, vendor, outcome);
}

int CommunicatorState::run_known_alone(SeenCall& seen, const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  Shape& shape = seen.shape;
  outcome.block_bytes = shape.block_bytes;
  outcome.why = seen.why;
  if (!seen.why.empty()) return vendor();
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
  outcome.why = sentence(Cause::device_memory);
  if (may_pass_device_memory()) return vendor();
  outcome.why = "";
  const bool copies = to.facts.is_valid && from.count > 0;
  if (copies && overlap(from, to)) {
    outcome.why = sentence(Cause::overlapping);
    return vendor();
  }
  outcome.by_ours = true;
  return copies ? runner_.copy(from, to) : MPI_SUCCESS;
}

}  // namespace quadrille::mpi_face
