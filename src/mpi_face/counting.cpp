// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/counting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

#include "execute/shared/memory/process.hpp"
#include "execute/shared/memory/program_heap.hpp"
#include "foundation/system/proc.hpp"
#include "foundation/system/ticks.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/made_objects.hpp"
#include "mpi_face/message_calls.hpp"
#include "mpi_face/mpi_facts.hpp"
#include "mpi_face/policy/cause.hpp"
#include "mpi_face/policy/meetings.hpp"
#include "mpi_face/recording/recorder.hpp"
#include "mpi_face/settings.hpp"
#include "mpi_face/shape.hpp"
#include "mpi_face/world.hpp"

namespace quadrille::mpi_face {
namespace {

// The time when this library was loaded, which is close to the start of the program.
const TickMoment loaded = TickMoment::now();

constexpr std::string_view failed = sentence(Cause::failed);
constexpr std::size_t samples_of_trial = 3;  // a trial appends at most this many samples

// Names by number in the record: collectives first, then the functions of CountedMessage.
constexpr auto short_names = [] {
  std::array<std::string_view, function_names.size() + message_function_names.size()> names;
  for (std::size_t i = 0; i < function_names.size(); ++i) names[i] = short_name(static_cast<Function>(i));
  std::copy(message_function_names.begin(), message_function_names.end(), names.begin() + function_names.size());
  return names;
}();

// Keeps where the program's files are in its memory, so that a watcher can name lines after the program's death.
void write_modules(const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  std::ofstream(path) << maps.rdbuf();
}

// What runs the calls of a site, in mode ours.
std::string what_runs(Site& site) {
  if (site.is_exchanged()) return "exchange";
  return fmt::format("{} ({})", site.plan().algorithm(), name(site.plan().executor()));
}

std::string_view reason_of(Function function) { return is_persistent(function) ? "persistent" : "nonblocking"; }

}  // namespace

Counting* Counting::make() try {
  World& world = World::get();
  if (!world.is_wished() || !world.has_name() || (world.is_only_watched() && !world.has_begun())) return nullptr;
  const std::optional<WatchWish>& watch = Settings::get().watch;
  // The rank's watcher removes the counters, so there are none without it. All ranks still meet in begin_run().
  const bool is_only_watched = watch && watch->watcher != 0 && !world.reports();
  const auto watcher = is_only_watched ? process_stat("/proc/" + std::to_string(watch->watcher)) : std::nullopt;
  if (is_only_watched && (!watcher || watcher->state == 'Z')) return nullptr;
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    const std::string folder = make_report_folder(world.wish(), world.run());
    const RecordOptions options{.path = record_path(folder, rank),
                                .world_rank = rank,
                                .world_size = ranks,
                                .functions = short_names,
                                .run = world.run(),
                                .program = own_command_line(200),
                                .mpi = library_version(),
                                .thread_level = thread_level(),
                                .start = loaded,
                                .sees_messages = CountedMessage::sees_all(),
                                .is_watched = world.is_watched(),
                                .has_threads = thread_level() == "multiple"};
    auto* const counting = new Counting(options, folder);  // never destroyed, because MPI may call back late
    // Threads may make communicators in different orders on different ranks, so their calls could not be compared.
    if (options.is_watched && watch->checks && thread_level() != "multiple")
      counting->checks_ = std::make_unique<CallChecks>(calls_path(folder, world.run()));
    if (options.is_watched) write_modules(maps_path(counting->record_.path()));
    CountedMessage::count_in(counting->record_);
    if (options.is_watched) MadeObjects::count_in(counting->record_.ring().page(), options.has_threads);
    return counting;
  } catch (const std::exception& error) {
    if (rank == 0 && !is_only_watched) remark(std::string(error.what()) + "; no report is written");
    world.cannot_count(error.what());
  }
  return nullptr;
} catch (const std::exception&) {
  return nullptr;
}

// The communicator's number in the record.
int Counting::number_of(CommunicatorState& state, bool is_just_made) {
  const std::atomic<int>& number = state.counted().number;
  if (number.load(std::memory_order_acquire) < 0) [[unlikely]]
    open(state, is_just_made);
  return number.load(std::memory_order_relaxed);
}

// Ranks may use communicators that they have not been seen to make, as by MPI_Comm_idup, in different orders. So these are not
// known.
void Counting::open(CommunicatorState& state, bool is_just_made) {
  const std::lock_guard lock(mutex_);
  if (state.counted().number.load(std::memory_order_relaxed) >= 0) return;
  const KnownCommunicator& facts = state.communicator();
  const std::vector<Rank> members =
      facts.is_inter ? std::vector<Rank>(static_cast<std::size_t>(facts.ranks), -1) : facts.world_ranks();
  const int number = record_.add_communicator(name_of(facts.handle), members);
  const std::uint64_t hash = record_.members_hash(number);
  const bool is_ordered = is_just_made || facts.handle == MPI_COMM_WORLD || facts.handle == MPI_COMM_SELF;
  const std::uint32_t made = hash && is_ordered ? with_members_[hash]++ : 0;
  // Else it is not known which of the communicators with these members it is.
  const bool has_identity = is_ordered && made < 0xFFFF;
  state.counted().identity.store(has_identity ? static_cast<std::uint32_t>(number) | made << 16 : RingEntry::no_communicator,
                                 std::memory_order_relaxed);
  state.counted().number.store(number, std::memory_order_release);
}

CountedCommunicator::Entry& Counting::entry(CommunicatorState& state, Function function, Bytes block_bytes) {
  auto& place = state.counted().entries[static_cast<std::size_t>(function)];
  CountedCommunicator::Entries* entries = place.load(std::memory_order_acquire);
  if (!entries) [[unlikely]] {
    const std::lock_guard lock(mutex_);
    entries = place.load(std::memory_order_relaxed);
    if (!entries) place.store(entries = new CountedCommunicator::Entries, std::memory_order_release);
  }
  CountedCommunicator::Entry& found = (*entries)[size_class_of(block_bytes)];
  if (!found.counters.load(std::memory_order_acquire)) [[unlikely]]
    found.counters.store(&record_.counters(static_cast<int>(function), number_of(state), block_bytes), std::memory_order_release);
  return found;
}

int Counting::run(CommunicatorState& state, const MpiCall& call, VendorCall vendor) {
  const int number = number_of(state);
  const std::uint64_t began = ticks();
  record_.enter(static_cast<int>(call.function), number, began);
  RingEntry* const noted = record_.ring() ? note(state, call.function, call, began) : nullptr;
  CallOutcome outcome;
  int code = MPI_SUCCESS;
  try {
    if (state.only_observes()) {
      outcome.why = sentence(Cause::only_observed);
      const SeenCall* const seen = observe(state, call.function, call, outcome);
      if (seen && seen->synchronises) state.sample(seen->price_s, outcome);
      code = vendor();
    } else {
      code = state.run(call, vendor, outcome);
    }
  } catch (...) {
    record_.leave();
    throw;
  }
  const std::uint64_t ended = ticks(), took = ended - began - outcome.settling_ticks;
  record_.leave();
  if (noted) record_.ring().leave(*noted, ended);
  if (code != MPI_SUCCESS) [[unlikely]]
    outcome = {.why = failed};
  count(state, call, outcome, ended, took);
  if (outcome.settling_ticks > 0) [[unlikely]] {
    record_.count_own(outcome.settling_ticks);
    record_.calibrate();
    read_name(state);
  }
  return code;
}

// Finds the sizes of a call that the MPI library runs in any case. Returns null if the call has no shape, because its arguments
// are wrong or it is a collective of neighbours, whose block is what one neighbour gets or sends; or if the communicator has ranks
// of other worlds.
const SeenCall* Counting::observe(CommunicatorState& state, Function function, const MpiCall& call, CallOutcome& outcome) {
  if (is_neighbourhood(function)) return outcome.block_bytes = block_of_neighbours(call), nullptr;
  const KnownCommunicator& communicator = state.communicator();
  if (!communicator.is_of_one_world()) return nullptr;
  const KnownCall* const known = state.calls().find(call, function);
  const SeenCall* seen = known ? known->seen.get() : nullptr;
  if (!seen) {
    const std::optional<Shape> shape = shape_of(call, communicator.rank, communicator.ranks);
    if (!shape) return nullptr;
    const Bytes moved = shape->block_bytes * (has_blocks(shape->collective) ? communicator.ranks : 1);
    seen = &state.calls().keep(call, function,
                               {*shape, synchronises(*shape, communicator.ranks), price_of_call(communicator.ranks, moved), {}});
  }
  outcome.block_bytes = seen->shape.block_bytes;
  outcome.is_root = is_rooted(seen->shape.collective) && call.root == communicator.rank;
  return seen;
}

void Counting::count(CommunicatorState& state, const MpiCall& call, const CallOutcome& outcome, std::uint64_t ended,
                     std::uint64_t took) {
  const bool is_irregular = is_irregular_function(call.function);
  const Bytes bytes = is_irregular ? sent(state.communicator(), call, outcome, traffic_) : outcome.block_bytes;
  Counters* counters = nullptr;
  PassedCalls* passed = nullptr;
  if (Site* const site = outcome.site) {
    Site::Told& told = site->told;
    if (const std::size_t size_class = size_class_of(outcome.block_bytes); !site->is_described || told.size_class != size_class)
        [[unlikely]] {
      describe(*site, *entry(state, call.function, outcome.block_bytes).counters.load(std::memory_order_relaxed));
      told.size_class = size_class;
    }
    counters = told.counters;
    if (!outcome.by_ours && !told.passed) [[unlikely]]
      told.passed = &reason(*counters, site->mode == Site::Mode::ours ? std::string_view() : site->why);
    passed = told.passed;
  } else {
    CountedCommunicator::Entry& place = entry(state, call.function, outcome.block_bytes);
    counters = place.counters.load(std::memory_order_relaxed);
    if (!outcome.by_ours) passed = &reason(place, outcome.why);
  }
  if (outcome.by_ours)
    count_ours(*counters, bytes, took);
  else
    count_passed(*counters, *passed, bytes, took);
  if (outcome.is_root) count_root(*counters, bytes);
  record_.keep_if_costly({.begin_ticks = ended - took,
                          .ticks = took,
                          .bytes = static_cast<std::uint64_t>(bytes),
                          .function = static_cast<std::int32_t>(call.function),
                          .communicator = number_of(state),
                          .is_ours = outcome.by_ours});
  if (outcome.late_ticks) [[unlikely]]
    count_late(*counters, *outcome.late_ticks, took);
}

// Records what runs the site's calls. Adds the times that trials have measured since the last call.
void Counting::describe(Site& site, Counters& counters) {
  Site::Told& told = site.told;
  const TrialTimes& times = site.trials.times;
  const bool is_measured = site.mode == Site::Mode::ours && !times.vendors_s.empty() &&
                           (told.samples != times.vendors_s.size() || told.last_sample_s != times.vendors_s.back());
  if (is_measured) {
    const std::size_t count = times.vendors_s.size();
    const std::size_t added = count > told.samples ? count - told.samples : std::min(samples_of_trial, count);
    const auto as_ticks = [&](double seconds) { return static_cast<std::uint64_t>(seconds * record_.ticks_per_second()); };
    for (std::size_t i = count - added; i < count; ++i) {
      add_sample(counters.vendor, as_ticks(times.vendors_s[i]));
      add_sample(counters.ours, as_ticks(times.ours_s[i]));
    }
    told.samples = count;
    told.last_sample_s = times.vendors_s.back();
  }
  site.is_described = true;
  told.counters = &counters;
  told.passed = nullptr;
  if (site.mode == Site::Mode::counting && site.trials.put_off_s > 0)
    counters.trial_ticks = static_cast<std::uint64_t>(site.trials.put_off_s * record_.ticks_per_second());
  if (site.mode == Site::Mode::ours) record_.describe(counters, what_runs(site), site.why);
}

PassedCalls& Counting::reason(Counters& counters, std::string_view why) {
  return record_.reason(counters, why.empty() ? sentence(Cause::rare) : why);
}

// For calls without a site. Their reasons are string literals, which the address identifies.
PassedCalls& Counting::reason(CountedCommunicator::Entry& place, std::string_view why) {
  PassedCalls* known = place.passed.load(std::memory_order_relaxed);
  if (known && place.why.load(std::memory_order_relaxed) == why.data()) [[likely]]
    return *known;
  known = &reason(*place.counters.load(std::memory_order_relaxed), why);
  place.passed.store(known, std::memory_order_relaxed);
  place.why.store(why.data(), std::memory_order_relaxed);
  return *known;
}

// Adds bytes that go to another rank to a row of traffic. Returns the bytes, at least 0.
Bytes Counting::send_to(const KnownCommunicator& communicator, Rank to, Bytes bytes, std::uint64_t* traffic) {
  if (to != communicator.rank && bytes > 0)
    add_to(traffic[communicator.world_ranks()[static_cast<std::size_t>(to)]], static_cast<std::uint64_t>(bytes));
  return std::max<Bytes>(bytes, 0);
}

// The bytes that this rank sent in a call of an irregular collective, including its own block. Returns 0 for alltoallw and for
// intercommunicators, whose bytes are not known.
Bytes Counting::sent(const KnownCommunicator& communicator, const MpiCall& call, const CallOutcome& outcome,
                     std::uint64_t* traffic) {
  const Count ranks = communicator.ranks;
  const bool is_root = call.root == communicator.rank, in_place = call.send.buffer == MPI_IN_PLACE;
  if (!communicator.is_of_one_world() || outcome.why == failed) return 0;
  const Side& side = in_place ? call.receive : call.send;
  Bytes sum = 0;
  if (call.function == Function::Alltoallv || (call.function == Function::Scatterv && is_root)) {
    if (!side.counts) return 0;
    const Bytes size = facts_of(side.type).size;
    for (Rank to = 0; to < ranks; ++to) sum += send_to(communicator, to, side.counts[to] * size, traffic);
  } else if (call.function == Function::Gatherv && !is_root && call.root >= 0 && call.root < ranks) {
    sum = send_to(communicator, call.root, call.send.count * facts_of(call.send.type).size, traffic);
  } else if (call.function == Function::Allgatherv) {
    const Count count = !in_place ? side.count : side.counts ? side.counts[communicator.rank] : 0;
    const Bytes share = count * facts_of(side.type).size;
    for (Rank to = 0; to < ranks; ++to) send_to(communicator, to, share, traffic);
    sum = std::max<Bytes>(share, 0);
  }
  return sum;
}

void Counting::enter(CommunicatorState& state, Function function, const MpiCall& call, std::uint64_t now) {
  record_.enter(static_cast<int>(function), number_of(state), now);
  if (!record_.ring()) return;
  if (RingEntry* const noted = note(state, function, call, now)) record_.ring().leave(*noted, now);
}

// The calls of a persistent collective are its starts.
void Counting::leave(CommunicatorState& state, Function function, const MpiCall& call, std::uint64_t began, MPI_Request request) {
  const std::uint64_t took = ticks() - began;
  record_.leave();
  CallOutcome outcome{.why = reason_of(function)};
  observe(state, function, call, outcome);
  CountedCommunicator::Entry& place = entry(state, function, outcome.block_bytes);
  OpenCollective collective{.function = function,
                            .communicator = number_of(state),
                            .counters = place.counters.load(std::memory_order_relaxed),
                            .reason = &reason(place, outcome.why),
                            .identity = identity_of(state),
                            .number = std::atomic_ref(state.counted().calls).load(std::memory_order_relaxed),
                            .bytes = outcome.block_bytes,
                            .is_root = outcome.is_root};
  if (is_irregular_function(call.function)) {
    if (is_persistent(function)) collective.traffic.resize(static_cast<std::size_t>(record_.header().world_size));
    collective.bytes = sent(state.communicator(), call, outcome, is_persistent(function) ? collective.traffic.data() : traffic_);
  }
  add_to(collective.counters->passed_ticks, took);
  if (!is_persistent(function)) count_start(collective);
  if (request == MPI_REQUEST_NULL) return;
  OpenRequests::get().add(request, std::move(collective));
  MadeObjects::add(LiveSite::Kind::request, request);
}

void Counting::count_start(const OpenCollective& collective) {
  count_passed(*collective.counters, *collective.reason, collective.bytes, 0);
  if (collective.is_root) count_root(*collective.counters, collective.bytes);
  for (std::size_t rank = 0; rank < collective.traffic.size(); ++rank)
    if (collective.traffic[rank] > 0) add_to(traffic_[rank], collective.traffic[rank]);
}

void Counting::read_name(CommunicatorState& state) {
  const int number = state.counted().number.load(std::memory_order_acquire);
  if (number < 0) return;
  if (const std::string name = name_of(state.communicator().handle); !name.empty()) record_.rename_communicator(number, name);
}

void Counting::forget(CommunicatorState& state) {
  read_name(state);
  MadeObjects::remove(state.communicator().handle);
  if (const int number = state.counted().number.load(std::memory_order_acquire); number >= 0) record_.free_communicator(number);
}

void Counting::see_made(MPI_Comm communicator) noexcept try {
  Counting* const counting = communicator == MPI_COMM_NULL ? nullptr : get();
  if (!counting || !counting->record_.ring()) return;
  if (CommunicatorState* const state = CommunicatorState::of(communicator)) counting->number_of(*state, true);
  MadeObjects::add(LiveSite::Kind::communicator, communicator);
} catch (const std::exception&) {
  return;  // no memory
}

namespace {

void describe_heap(Record& record) {
  if (!has_program_heap()) return;
  std::string why_none = why_no_program_heap();
  if (why_none.empty()) {
    const SharedFile& heap = Process::current()->heap();
    if (heap.has_program_pages()) return record.describe_heap(heap.most_taken_bytes(), heap.lent(), "");
    why_none = fmt::format("the program allocated less than {} KiB at a time", least_large / 1024);
  }
  record.describe_heap(0, 0, why_none);
}

}  // namespace

void Counting::end() {
  Counting* const counting = get();
  try {
    if (counting) {
      describe_heap(counting->record_);
      counting->record_.end();
    }
    World::get().report(counting ? &counting->record_ : nullptr, counting ? counting->folder_ : std::string());
  } catch (const std::exception& error) {
    remark(error.what());
  }
}

PassedThrough::PassedThrough(Function function, const MpiCall& call) noexcept : function_(function), call_(call) {
  if (Recorder* const recorder = Recorder::get()) {
    is_recorded_ = recorder->enter();
    return;
  }
  if (!Settings::get().report && !Settings::get().watch) return;
  try {
    CommunicatorState* const state = CommunicatorState::of(call.communicator);
    Counting* const counting = state ? Counting::get() : nullptr;
    if (!counting) return;
    began_ = ticks();
    counting->enter(*state, function, call, began_);
    state_ = state;
  } catch (const std::exception&) {
    return;  // no memory to count with
  }
}

// The state still exists, because a correct program does not free the communicator during the call.
PassedThrough::~PassedThrough() {
  if (is_recorded_) Recorder::get()->leave_passed(function_, call_, request_);
  if (!state_) return;
  try {
    Counting::get()->leave(*state_, function_, call_, began_, request_);
  } catch (const std::exception&) {
    return;  // no memory to count with
  }
}

}  // namespace quadrille::mpi_face
