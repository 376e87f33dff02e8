// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/deciding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

#include "foundation/assert.hpp"
#include "foundation/environment.hpp"
#include "foundation/hash.hpp"
#include "foundation/system/ticks.hpp"
#include "foundation/text/wording.hpp"
#include "mpi_face/contenders.hpp"
#include "mpi_face/learning.hpp"
#include "mpi_face/settings.hpp"
#include "mpi_face/trial.hpp"
#include "plan/plan.hpp"
#include "quadrille/error.hpp"
#include "quadrille/mpi.hpp"

namespace quadrille::mpi_face {
namespace {

// What all communicators of the process share. Made when this library is loaded, or by a call of MPI before that. Never
// destroyed, because MPI may be called before and after the constructors and destructors of this library.
struct OfProcess {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point began = Clock::now();  // of the run
  DecidingProcess state;
  // The owners of state.guests. The lock is for programs with threads that free communicators; such programs have no guests.
  std::vector<Deciding*> guests;
  std::mutex guests_mutex;

  static OfProcess& get() {
    static OfProcess& only = *new OfProcess;
    return only;
  }
  double now_s() const { return std::chrono::duration<double>(Clock::now() - began).count(); }
};
const OfProcess& made_when_loaded = OfProcess::get();

void check_meeting(int code) {
  if (code != MPI_SUCCESS) throw Error(ErrorCode::transport, "the MPI library's own collective failed in a meeting of the ranks");
}

// The user's wishes, once all ranks of the world know them. Null if threads of any rank may call MPI concurrently. Otherwise all
// ranks learn the wishes between the same two calls on each communicator.
std::atomic<std::shared_ptr<const Wishes>> wishes_of_world;

bool has_threads() {
  int level = MPI_THREAD_MULTIPLE;
  return PMPI_Query_thread(&level) != MPI_SUCCESS || level == MPI_THREAD_MULTIPLE;
}

// Does each of these ranks mean a guest that has exactly these ranks, and are their counts of calls on such guests equal?
bool are_right(MPI_Comm ranks, MPI_Comm guest) {
  int likeness = MPI_UNEQUAL;
  check_meeting(PMPI_Comm_compare(ranks, guest, &likeness));
  const auto calls = static_cast<std::int64_t>(OfProcess::get().state.calls_on_guests() >> 1);
  std::int64_t least[] = {likeness == MPI_CONGRUENT, calls, -calls};
  check_meeting(PMPI_Allreduce(MPI_IN_PLACE, least, 3, MPI_INT64_T, MPI_MIN, ranks));
  return least[0] == 1 && least[1] == -least[2];
}

double weight_of(Count ranks) {
  static const int world = [] {
    int size = 1;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
  }();
  return static_cast<double>(std::max<Count>(world, ranks)) / static_cast<double>(ranks);
}

}  // namespace

Deciding::Deciding(const KnownCommunicator& communicator)
    : state_{.meetings = Meetings(communicator.ranks),
             .rank = communicator.rank,
             .ranks = communicator.ranks,
             .is_world = communicator.handle == MPI_COMM_WORLD,
             .admits_at_once = Settings::get().admits_at_once,
             .weight = weight_of(communicator.ranks)},
      communicator_(communicator),
      sites_(communicator.ranks, state_.kinds),
      on_(communicator.handle) {}

// Called in the first call that synchronises. In the first such call on MPI_COMM_WORLD the ranks meet, because the user's wishes
// apply from the first call on. After that meeting all communicators know the wishes.
void Deciding::begin() {
  state_.has_synchronised = true;
  if (state_.is_world) return ask();
  state_.wishes = wishes_of_world.load();
  for (const CallKind* const kind : state_.kinds) state_.ask_for(*kind);
}

void Deciding::spend(double seconds) { OfProcess::get().state.account.spend(weight() * seconds); }

void Deciding::be_guest() {
  if (state_.is_world || has_threads() || !communicator_.is_of_one_world()) return;
  std::uint64_t hash = 1;
  for (const Rank rank : communicator_.world_ranks()) hash = hash_with(hash, static_cast<std::uint64_t>(rank));
  OfProcess& process = OfProcess::get();
  const std::lock_guard lock(process.guests_mutex);
  if (std::find(process.guests.begin(), process.guests.end(), this) != process.guests.end()) return;
  process.guests.push_back(this);
  process.state.guests.push_back({&state_, static_cast<int>(hash >> 34)});
}

Deciding::~Deciding() {
  Learning::get().note(state_);
  OfProcess& process = OfProcess::get();
  const std::lock_guard lock(process.guests_mutex);
  std::erase(process.guests, this);
  std::erase_if(process.state.guests, [&](const Guest& guest) { return guest.state == &state_; });
}

// The group must not outlive the communicator of the meeting. Exchanges that were made with the group may outlive it.
void Deciding::meet_as_guest(MPI_Comm ranks) {
  if (!state_.has_synchronised) begin();
  CallOutcome outcome;
  meet_on(ranks, outcome);
  if (!state_.group.exists) group_.reset();
}

// The meeting's time counts from the end of the allreduce of accounts: before that, ranks may wait for late ranks, as they would
// in the call.
void Deciding::meet_on(MPI_Comm ranks, CallOutcome& outcome) {
  on_ = ranks;
  if (!communicator_.is_of_one_world()) state_.group.why_not = sentence(Cause::two_worlds);
  state_.tick_s = seconds_of(1.0);
  if (state_.rank == 0 && !state_.wishes && state_.own_wishes.empty()) {
    if (state_.is_world) Learning::get().begin(state_.ranks);
    state_.own_wishes =
        text_of_wishes(environment_value("QUADRILLE_CHOOSE"), environment_value("QUADRILLE_TUNE"), Learning::get().known());
  }
  OfProcess& process = OfProcess::get();
  std::optional<std::uint64_t> begun;
  Event event{.what = Event::What::meeting, .now_s = process.now_s(), .is_guest = ranks != communicator_.handle};
  while (true) {
    const std::uint32_t kind = state_.message.kind;  // on rank 0, the step replaces the message by the next one
    const Action action = step(state_, process.state, event);
    for (const std::uint32_t number : {kind, state_.message.kind}) drop_plans(number);
    if (action.what == Do::leave) break;
    event = {};
    carry_out(action, event);
    event.now_s = process.now_s();
    if (action.what == Do::agree_account && !begun) begun = ticks();
  }
  on_ = communicator_.handle;
  if (begun) outcome.settling_ticks += ticks() - *begun;
}

// Does nothing unless the MPI library now runs the kind's calls.
void Deciding::drop_plans(std::uint32_t kind) {
  if (kind >= sites_.size() || state_.doing == Do::run_trial) return;
  if (Site& site = sites_[kind]; !site.may_be_ours()) site.plans.clear();
}

std::vector<double> Deciding::reduced(const std::vector<double>& figures, MPI_Op operation) {
  std::vector<double> all(figures.size());
  check_meeting(PMPI_Reduce(figures.data(), all.data(), static_cast<int>(figures.size()), MPI_DOUBLE, operation, 0, on_));
  return all;
}

void Deciding::carry_out(const Action& action, Event& event) {
  switch (action.what) {
    case Do::leave: return;
    case Do::add_up: event.figures = reduced(action.figures, MPI_SUM); return;
    case Do::find_slowest: event.figures = reduced(action.figures, MPI_MAX); return;
    case Do::ask_guests:
      event.figures = action.figures;
      check_meeting(PMPI_Allreduce(MPI_IN_PLACE, event.figures.data(), 2, MPI_DOUBLE, MPI_MAX, on_));
      return;
    case Do::send_message:
      event.message = state_.message;
      check_meeting(PMPI_Bcast(&event.message, sizeof event.message, MPI_BYTE, 0, on_));
      return;
    case Do::agree_account:
      event.figures = action.figures;
      check_meeting(PMPI_Allreduce(MPI_IN_PLACE, event.figures.data(), 1, MPI_DOUBLE, MPI_MAX, on_));
      return;
    case Do::hear_wishes: return hear_wishes(action.number, event);
    case Do::time_call: return time_call(event);
    case Do::make_group: return make_group(event);
    case Do::host: return host(event);
    default: break;
  }
  try {
    carry_out(action, sites_[action.kind], event);
  } catch (const std::exception& error) {
    if (state_.rank == 0) remark(error.what());
    event = {.what = Event::What::failed};
  }
}

void Deciding::carry_out(const Action& action, Site& site, Event& event) {
  switch (action.what) {
    case Do::make_named: return make_named(site, event);
    case Do::make_exchange: return make_exchange(site, event);
    case Do::make_contenders: return make_contenders(site, action, event);
    case Do::make_way: {
      const double begin = PMPI_Wtime();
      const Way way = unpacked(state_.message.way).value();
      auto made = plan_by(*group_, site, way, action.mates > 0);
      event.plan_s = PMPI_Wtime() - begin;
      event.why = sentence(Cause::no_contender);
      if (!made) return;
      const bool is_elastic = quadrille::capacity_of(*made) > 0;
      site.plans.clear();
      site.plans.push_back(*std::move(made));
      const std::string learned = fmt::format("{} {}", learned_from, counted(state_.message.number, "earlier run"));
      event.made = {
          {way, state_.message.is_learned ? learned : "it was the fastest in a trial of calls of about this size", is_elastic}};
      return;
    }
    case Do::run_trial: return run_trial(site, action.number, event);
    case Do::keep: {
      QUADRILLE_ASSERT(action.number >= 0 && static_cast<std::size_t>(action.number) < site.plans.size());
      Plan kept = std::move(site.plans[static_cast<std::size_t>(action.number)]);
      site.plans.clear();
      site.plans.push_back(std::move(kept));
      return;
    }
    case Do::share_figures:
      event.figures = action.figures;
      check_meeting(PMPI_Bcast(event.figures.data(), static_cast<int>(event.figures.size()), MPI_DOUBLE, 0, on_));
      return;
    case Do::race: try { race_for(*group_, site, tuning_race_s);
      } catch (const Error& error) {
        if (state_.rank == 0) warn_once(error.what());
      }
      return;
    default: QUADRILLE_ASSERT(false);
  }
}

void Deciding::hear_wishes(int bytes, Event& event) {
  std::string text = state_.rank == 0 ? state_.own_wishes : std::string();
  QUADRILLE_ASSERT(bytes >= 0 && (state_.rank != 0 || text.size() == static_cast<std::size_t>(bytes)));
  text.resize(static_cast<std::size_t>(bytes));
  check_meeting(PMPI_Bcast(text.data(), bytes, MPI_CHAR, 0, on_));
  event.wishes = std::make_shared<const Wishes>(parse_wishes(text));
  static std::atomic<bool> was_told = false;
  if (state_.rank == 0 && !was_told.exchange(true))
    for (const std::string& sentence : event.wishes->rules.refused) remark(sentence + "; it is ignored");
  if (!state_.is_world) return;
  int mine = has_threads(), any = 1;
  check_meeting(PMPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, communicator_.handle));
  if (!any) wishes_of_world.store(event.wishes);
}

// The first barrier waits for late ranks. The least time of the later barriers counts, because other programs can only lengthen a
// barrier.
void Deciding::time_call(Event& event) {
  check_meeting(PMPI_Barrier(on_));
  double least_s = 1e9;
  for (int barrier = 1; barrier < barriers_of_timing; ++barrier) {
    const double begin = PMPI_Wtime();
    check_meeting(PMPI_Barrier(on_));
    least_s = std::min(least_s, PMPI_Wtime() - begin);
  }
  event.figures = {least_s};
}

// The guests meet on a communicator made for the meeting, because the program may have nonblocking collectives in flight on the
// guests.
void Deciding::host(Event& event) {
  const double begin = PMPI_Wtime();
  const OfProcess& process = OfProcess::get();
  const auto& waiting = process.state.waiting;
  Deciding* next = nullptr;
  const int colour = waiting.empty() ? MPI_UNDEFINED : waiting.front().colour;
  if (!waiting.empty())
    next = *std::find_if(process.guests.begin(), process.guests.end(),
                         [&](const Deciding* each) { return &each->state_ == waiting.front().state; });
  MPI_Comm ranks = MPI_COMM_NULL;
  check_meeting(PMPI_Comm_split(MPI_COMM_WORLD, colour, next ? static_cast<int>(next->state_.rank) : 0, &ranks));
  const bool has_met = next && are_right(ranks, next->communicator_.handle);
  event.figures = {PMPI_Wtime() - begin, has_met ? 1.0 : 0.0};
  if (has_met) next->meet_as_guest(ranks);
  if (ranks != MPI_COMM_NULL) check_meeting(PMPI_Comm_free(&ranks));
}

void Deciding::make_group(Event& event) {
  try {
    int device = may_pass_device_memory();
    check_meeting(PMPI_Allreduce(MPI_IN_PLACE, &device, 1, MPI_INT, MPI_MAX, on_));
    if (device) {
      event = {.what = Event::What::failed, .why = std::string(sentence(Cause::device_memory))};
      return;
    }
    group_ = over(on_);
    QUADRILLE_ASSERT(group_->rank() == state_.rank && group_->size() == state_.ranks);
    event.nodes = group_->nodes();
  } catch (const std::exception& error) {
    if (state_.rank == 0) remark(error.what());
    event = {.what = Event::What::failed, .why = std::string(sentence(Cause::no_group))};
  }
}

// Follows the user's rule for the site. If the rule does not fit the site's problem, rank 0 reports that once.
void Deciding::make_named(Site& site, Event& event) {
  const ChoiceRule& rule = *state_.wishes->rules.find(site.called, site.key.block_bytes);
  try {
    if (site.is_exchanged())
      throw Error(ErrorCode::misuse, fmt::format("{} runs without a plan here; only vendor can be named for it", site.called));
    site.plans.push_back(named_plan(*group_, site, rule.algorithm));
    event.made = {{std::nullopt, std::string(sentence(Cause::chosen))}};
  } catch (const Error& error) {
    if (is_of_group(error)) throw;
    if (state_.rank == 0)
      warn_once(fmt::format("QUADRILLE_CHOOSE: {}={} is ignored: {}", site.called, rule.algorithm, error.what()));
  }
}

// Does the MPI library pair the edges of any rank in another order than ours (neighbourhood.hpp)? Each rank tests this on a new
// communicator of itself alone, because other threads may be using MPI_COMM_SELF.
bool Deciding::is_otherwise_in_library(const Site& site) {
  const auto any = [&](int mine) {
    check_meeting(PMPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MAX, on_));
    return mine != 0;
  };
  if (!site.neighbours || !any(site.neighbours->has_repeats())) return false;
  MPI_Comm self = MPI_COMM_NULL;
  check_meeting(PMPI_Comm_split(on_, static_cast<int>(state_.rank), 0, &self));
  const bool is_otherwise = site.neighbours->is_otherwise_in_library(site.key.function, self);
  check_meeting(PMPI_Comm_free(&self));
  return any(is_otherwise);
}

void Deciding::make_exchange(Site& site, Event& event) {
  if (is_otherwise_in_library(site)) {
    event.why = sentence(Cause::own_order);
    return;
  }
  if (!exchange_) exchange_ = Exchanger::of(*group_);
}

void Deciding::make_contenders(Site& site, const Action& action, Event& event) {
  Contenders made = contenders(*group_, site, static_cast<std::size_t>(action.number), action.is_anyhow, action.mates);
  site.plans = std::move(made.plans);
  event.made = std::move(made.ways);
  event.why = std::move(made.cause);
  event.choice_s = made.choice_s, event.plan_s = made.plan_s;
}

void Deciding::run_trial(Site& site, int most_batch, Event& event) {
  Trial::Times times;
  if (const auto cause =
          Trial(site, on_, *group_, site.plans, site.is_exchanged() ? exchange_.get() : nullptr, most_batch).run(times))
    event.why = sentence(*cause);
  QUADRILLE_ASSERT(times.vendors_s.empty() || site.is_exchanged() || times.ours_s.size() == site.plans.size());
  event.vendors_s = std::move(times.vendors_s), event.ours_s = std::move(times.ours_s);
}

}  // namespace quadrille::mpi_face
