// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/simulated_ranks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/cases.hpp"

namespace quadrille::mpi_face::simulated {
namespace {

using quadrille::testing::extent;

Doing doing_of(const Action& action) {
  return {.action = static_cast<int>(action.what),
          .kind = action.what >= Do::make_named ? static_cast<int>(action.kind) : 0,
          .number = action.number};
}

std::string_view name_of(CallKind::Mode mode) {
  constexpr std::string_view names[] = {"counting", "trying", "ours", "vendor"};
  return names[static_cast<std::size_t>(mode)];
}

}  // namespace

void Simulation::make_states() {
  faulty_ = fault_ == Fault::acts_before_it_tells ? of(0).members[0] : below(program_.ranks);
  members_ = std::vector<Member>(program_.communicators.size() * static_cast<std::size_t>(program_.ranks));
  now_.resize(static_cast<std::size_t>(program_.ranks));
  together_.resize(2 * program_.communicators.size());
  sent_.resize(program_.calls.size());
  // A rank need not wait in a gather unless it is the root. So it may make the call before a synchronising one that others make
  // first.
  for (int rank = 0; rank < program_.ranks; ++rank) {
    std::vector<std::size_t>& order = now_[static_cast<std::size_t>(rank)].order;
    for (std::size_t i = 0; i < program_.calls.size(); ++i) {
      const Call& call = program_.calls[i];
      const auto& members = of(call.communicator).members;
      if (std::find(members.begin(), members.end(), rank) == members.end()) continue;
      order.push_back(i);
      const KindOfProgram& kind = of(call.communicator).kinds[static_cast<std::size_t>(call.kind)];
      const bool may_be_ahead = kind.key.function == Function::Gatherv && kind.root != rank && call.needs < 0 && call.sender < 0;
      if (program_.has_ranks_ahead && may_be_ahead && order.size() > 1 &&
          program_.calls[order[order.size() - 2]].communicator == 0 && call.communicator > 0 && below(2))
        std::swap(order[order.size() - 2], order[order.size() - 1]);
    }
  }
  for (int c = 0; c < static_cast<int>(program_.communicators.size()); ++c)
    for (const int rank : of(c).members) {
      Member& here = member(c, rank);
      const auto ranks = static_cast<Count>(of(c).members.size());
      here.state.rank = index_in(c, rank), here.state.ranks = ranks;
      here.state.weight = static_cast<double>(program_.ranks) / static_cast<double>(ranks);
      here.state.tick_s = tick_s, here.state.is_world = c == 0;
      here.state.admits_at_once = program_.admits_at_once;
      here.state.meetings = Meetings(ranks);
      if (program_.has_rule && c == 0 && here.state.rank == 0) here.state.own_wishes = text_of_wishes("allreduce:8-64=bruck", "");
      for (const KindOfProgram& kind : of(c).kinds) {
        CallKind& made = here.kinds.emplace_back();
        made.key = kind.key;
        made.called = kind.synchronises ? "allreduce" : "broadcast";
        made.number = static_cast<std::uint32_t>(here.state.kinds.size());
        made.synchronises = kind.synchronises;
        made.moved = kind.key.block_bytes;
        made.price_s = 1e-5;
        here.state.kinds.push_back(&made);
      }
      if (fault_ == Fault::numbers_kinds_otherwise && is_faulty(rank) && here.kinds.size() > 1) {
        std::swap(here.state.kinds[0], here.state.kinds[1]);
        here.kinds[0].number = 1, here.kinds[1].number = 0;
      }
    }
}

std::string Simulation::run() {
  make_states();
  while (wrong_.empty()) {
    const int first = below(program_.ranks);
    bool is_over = true, has_advanced = false;
    for (int i = 0; i < program_.ranks && !has_advanced; ++i) {
      const int rank = (first + i) % program_.ranks;
      const RankNow& now = now_[static_cast<std::size_t>(rank)];
      if (now.next_turn == now.order.size()) continue;
      is_over = false;
      has_advanced = advance(rank);
    }
    if (is_over) break;
    if (!has_advanced) violate("the ranks wait for each other for ever");
  }
  return wrong_;
}

// Lets the rank go on as far as to where others are next concerned. Returns false if it has to wait.
bool Simulation::advance(int rank) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  if (now.has_entered) return leave(rank);
  return begin_call(rank, call_of(now));
}

bool Simulation::begin_call(int rank, const Call& call) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  if (call.needs == rank && !sent_[now.order[now.next_turn]]) return false;
  now.communicator = call.communicator;
  now.clock_s += program_.pause_s * static_cast<double>(below(1000)) * 1e-3;
  Member& here = member(call.communicator, rank);
  CallKind& kind = here.kinds[static_cast<std::size_t>(call.kind)];
  bool meets = false;
  if (kind.synchronises) {
    if (!std::exchange(here.state.has_synchronised, true) && call.communicator == 0) here.state.ask();
    meets = here.state.meets(kind.price_s);
    if (fault_ == Fault::counts_a_call_twice && is_faulty(rank) && below(20) == 0) meets |= here.state.meets(kind.price_s);
  } else {
    here.state.meetings.adds(kind.price_s);
    meets = fault_ == Fault::meets_in_any_call && kind.calls % 16 == 15;
  }
  if (fault_ == Fault::meets_by_its_own_clock && is_faulty(rank) && kind.synchronises &&
      static_cast<int>(now.clock_s * 1e6) % 29 == 0)
    meets = true;
  if (meets)
    begin_meeting(rank, call.communicator);
  else
    run_call(rank);
  return true;
}

void Simulation::run_call(int rank) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  const Call& call = call_of(now);
  Member& here = member(call.communicator, rank);
  CallKind& kind = here.kinds[static_cast<std::size_t>(call.kind)];
  now.stage = Stage::call;
  ++kind.calls;
  auto& guests = now.process->guests;
  const auto is_it = [&](const Guest& guest) { return guest.state == &here.state; };
  const bool is_due = kind.is_exchanged() && kind.calls == (program_.admits_at_once ? 2 : Meetings::at_the_latest);
  if (is_due && program_.admits_at_once) here.state.ask();
  if (is_due && call.communicator > 0 && std::none_of(guests.begin(), guests.end(), is_it))
    guests.push_back({&here.state, colour_of(call.communicator)});
  const auto plans =
      std::count_if(here.kinds.begin(), here.kinds.end(), [](const CallKind& each) { return each.mode == CallKind::Mode::ours; });
  if (plans > 128) violate("there are more than 128 plans");
  const auto& made = of(call.communicator).kinds[static_cast<std::size_t>(call.kind)];
  const int way = kind.mode == CallKind::Mode::trying ? kind.trial->next() : kind.mode == CallKind::Mode::ours ? 1 : 0;
  enter(rank, {.kind = call.kind, .number = static_cast<int>(kind.calls), .way = way},
        made.synchronises     ? Together::Leaves::all_together
        : kind.is_exchanged() ? Together::Leaves::root_last
                              : Together::Leaves::after_root,
        index_in(call.communicator, made.root), nullptr);
}

void Simulation::begin_meeting(int rank, int communicator, bool is_guest) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  now.stage = Stage::meeting, now.communicator = communicator, now.is_guest = is_guest;
  const Event event{
      .what = Event::What::meeting, .now_s = now.clock_s + program_.skew_s[static_cast<std::size_t>(rank)], .is_guest = is_guest};
  act(rank, step(member(communicator, rank).state, *now.process, event));
}

void Simulation::act(int rank, const Action& action) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  Member& here = member(now.communicator, rank);
  now.action = action;
  if (action.what == Do::leave) return end_meeting(rank);
  if (action.what >= Do::hear_wishes && !here.state.kinds.empty()) check_affordable(rank, here);
  const bool to_rank0 = action.what == Do::add_up || action.what == Do::find_slowest;
  const bool from_rank0 = action.what == Do::send_message || action.what == Do::share_figures || action.what == Do::hear_wishes;
  enter(rank, doing_of(action),
        to_rank0     ? Together::Leaves::root_last
        : from_rank0 ? Together::Leaves::after_root
                     : Together::Leaves::all_together,
        0, &now.action);
}

// The call follows, or the meeting of the world.
void Simulation::end_meeting(int rank) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  if (!now.is_guest) return run_call(rank);
  ++guest_meetings;
  now.communicator = 0, now.is_guest = false;
  now.action = {.what = Do::host};
  Event event{.now_s = now.clock_s + program_.skew_s[static_cast<std::size_t>(rank)]};
  event.figures = {1e-5, 1};
  go_on(rank, event);
}

// Do all of its ranks name the guest that comes first on this one, and are they equally far on it?
bool Simulation::meets_as_guest(const Together& together, int rank) {
  const auto named = together.guests[static_cast<std::size_t>(index_in(0, rank))];
  if (named.first < 0) return false;
  for (const int other : of(named.first).members) {
    const auto& others = together.guests[static_cast<std::size_t>(index_in(0, other))];
    if (others.first < 0 || colour_of(others.first) != colour_of(named.first)) return false;
    if (others.second != named.second && fault_ != Fault::trusts_guests_unchecked) return false;
  }
  return true;
}

// By the greatest account of the members, at the time when rank 0 allowed it.
void Simulation::check_affordable(int rank, const Member& here) {
  const Instruction& message = here.state.message;
  if (message.cost_s == 0 || here.state.trials > 0) return;
  const RankNow& now = now_[static_cast<std::size_t>(rank)];
  const double spent_s = std::max(now.spent_s, now.process->account.spent_s());
  if (spent_s + here.state.weight * message.cost_s > message.allowance_s * 1.000001 &&
      (now.action.what == Do::make_group || now.action.what == Do::make_contenders || now.action.what == Do::run_trial))
    violate(fmt::format("rank {} has spent {} s, and a step of {} s exceeds the allowance of {} s", rank, spent_s, message.cost_s,
                        message.allowance_s));
}

void Simulation::enter(int rank, const Doing& doing, Together::Leaves leaves, int root, const Action* action) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  Member& here = member(now.communicator, rank);
  auto& all = all_of(now);
  std::size_t& next = here.next_together[now.is_guest];
  const auto size = of(now.communicator).members.size();
  const auto index = static_cast<std::size_t>(index_in(now.communicator, rank));
  if (next == all.size()) {
    Together& made = all.emplace_back();
    made.doing = doing, made.leaves = leaves, made.root = root;
    made.has_entered.resize(size), made.entered_s.resize(size), made.figures.resize(size), made.guests.resize(size);
    made.takes_s = 1e-7 * below(100);
    if (action) set_result(made, now.communicator, *action);
  }
  Together& together = all[next];
  if (together.doing != doing)
    violate(fmt::format("call {}: rank {} begins {}, and another rank {}", now.order[now.next_turn], rank, text_of(doing),
                        text_of(together.doing)));
  together.has_entered[index] = true, together.entered_s[index] = now.clock_s;
  if (action) together.figures[index] = action->figures;
  if (action && action->what == Do::host) {
    together.guests[index] = {-1, 0};
    for (int c = 0; c < static_cast<int>(program_.communicators.size()) && !now.process->waiting.empty(); ++c)
      if (now.process->waiting.front().state == &member(c, rank).state)
        together.guests[index] = {c, now.process->calls_on_guests()};
  }
  if (action && action->what == Do::send_message && here.state.rank == 0) together.message = here.state.message;
  now.has_entered = true;
}

bool Simulation::may_leave(const Together& together, int index) const {
  const bool has_root = together.has_entered[static_cast<std::size_t>(together.root)];
  const bool have_all = std::all_of(together.has_entered.begin(), together.has_entered.end(), [](bool each) { return each; });
  switch (together.leaves) {
    case Together::Leaves::all_together: return have_all;
    case Together::Leaves::after_root: return has_root;
    case Together::Leaves::root_last: return index != together.root || have_all;
  }
  return false;
}

// What comes of an action, equal on all ranks.
void Simulation::set_result(Together& together, int communicator, const Action& action) {
  const CommunicatorOfProgram& here = of(communicator);
  const auto noise = [&] { return 0.8 + 0.4 * static_cast<double>(below(1000)) * 1e-3; };
  Event& result = together.result;
  const auto plans = [&](int number) {
    for (int i = 0; i < number; ++i) result.made.push_back({Way{.algorithm = "bruck"}, "it is fast"});
    result.why = sentence(Cause::no_contender);
    together.takes_s = here.plan_s * static_cast<double>(here.members.size());
  };
  switch (action.what) {
    case Do::time_call: result.figures = {1e-6 * noise()}; break;
    case Do::hear_wishes: result.wishes = std::make_shared<const Wishes>(parse_wishes("allreduce:8-64=bruck\n")); break;
    case Do::make_group:
      together.takes_s = here.group_s * static_cast<double>(here.members.size());
      result.nodes.assign(here.members.size(), 0);
      if (!here.has_group) result.what = Event::What::failed, result.why = "no group";
      break;
    case Do::make_named:
    case Do::make_way:
    case Do::make_contenders:
      plans(here.kinds[action.kind].has_plan ? std::max(1, action.number) : 0);
      if (below(50) == 0) result.what = Event::What::failed;  // no memory
      break;
    case Do::run_trial: {
      const KindOfProgram& kind = here.kinds[action.kind];
      together.takes_s = 4 * action.number * (kind.vendor_s + kind.ours_s);
      result.ours_s.resize(1);
      for (int i = 0; i < 3; ++i)
        result.vendors_s.push_back(kind.vendor_s * noise()), result.ours_s[0].push_back(kind.ours_s * noise());
      break;
    }
    default: break;
  }
}

bool Simulation::leave(int rank) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  Member& here = member(now.communicator, rank);
  Together& together = together_of(rank);
  const int index = index_in(now.communicator, rank);
  if (!may_leave(together, index)) return false;
  double begin_s = now.clock_s;
  for (std::size_t i = 0; i < together.entered_s.size(); ++i) {
    const bool waits = together.leaves == Together::Leaves::all_together || static_cast<int>(i) == together.root ||
                       (together.leaves == Together::Leaves::root_last && index == together.root);
    if (waits && together.has_entered[i]) begin_s = std::max(begin_s, together.entered_s[i]);
  }
  const double entered_s = now.clock_s;
  now.clock_s = begin_s + together.takes_s;
  now.has_entered = false;
  ++here.next_together[now.is_guest];
  if (now.stage == Stage::call) {
    end_call(rank, now.clock_s - entered_s);
    return true;
  }
  if (now.action.what == Do::host) {
    const int named = together.guests[static_cast<std::size_t>(index)].first;
    if (meets_as_guest(together, rank)) return begin_meeting(rank, named, true), true;
  }
  go_on(rank, event_after(rank, together));
  return true;
}

Event Simulation::event_after(int rank, const Together& together) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  Event event = together.result;
  event.now_s = now.clock_s + program_.skew_s[static_cast<std::size_t>(rank)];
  const Action& done = now.action;
  const bool errs = is_faulty(rank) && below(3) == 0;
  switch (done.what) {
    case Do::host: event.figures = {1e-5, 0}; break;
    case Do::add_up:
      event.figures.assign(together.figures[0].size(), 0);
      for (const auto& each : together.figures)
        for (std::size_t i = 0; i < each.size() && i < event.figures.size(); ++i) event.figures[i] += each[i];
      break;
    case Do::find_slowest:
    case Do::ask_guests:
    case Do::agree_account:
      for (const auto& each : together.figures) {
        event.figures.resize(std::max(event.figures.size(), each.size()));
        for (std::size_t i = 0; i < each.size(); ++i) event.figures[i] = std::max(event.figures[i], each[i]);
      }
      break;
    case Do::share_figures: event.figures = together.figures[0]; break;
    case Do::send_message:
      event.message = *together.message;
      if (fault_ == Fault::forgets_a_message && errs) event.message = {};
      if (fault_ == Fault::forgets_the_next_meeting && errs) event.message.next_meeting = 0;
      break;
    case Do::run_trial:
      if (fault_ == Fault::concludes_from_own_times)
        for (double& each : event.ours_s[0]) each *= 0.7 + 0.6 * static_cast<double>(below(1000)) * 1e-3;
      if (fault_ == Fault::keeps_a_plan_that_lost)
        for (double& each : event.ours_s[0]) each *= 1e-3;
      break;
    case Do::make_group:
      if (fault_ == Fault::ignores_a_refused_group && is_faulty(rank) && event.what == Event::What::failed)
        event.what = Event::What::done, event.nodes.assign(together.has_entered.size(), 0);
      break;
    default: break;
  }
  return event;
}

// A change of mode must be in the table that the documentation has.
void Simulation::note_mode(const Instruction& message, CallKind::Mode before, const State& state) {
  if (message.kind >= state.kinds.size()) return;
  const CallKind::Mode after = state.kinds[message.kind]->mode;
  const auto& rules = instruction_rules();
  const auto rule =
      std::find_if(rules.begin(), rules.end(), [&](const InstructionRule& each) { return each.what == message.what; });
  if (before == after || rule == rules.end() || message.what == Instruction::What::group) return;
  const bool is_told = rule->from.find(name_of(before)) != rule->from.npos && rule->to.find(name_of(after)) != rule->to.npos;
  if (!is_told) violate(fmt::format("{} leads from {} to {}", rule->name, name_of(before), name_of(after)));
}

void Simulation::go_on(int rank, const Event& event) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  Member& here = member(now.communicator, rank);
  State& state = here.state;
  const Action done = now.action;
  const bool errs = is_faulty(rank) && below(3) == 0;
  const bool is_loop = state.message.what == Instruction::What::try_in_loop;  // rank 0 then has the next message
  const Instruction message = done.what == Do::send_message ? event.message : state.message;
  const auto before = state.kinds.at(message.kind)->mode;
  Action action = step(state, *now.process, event);
  if (fault_ == Fault::none && done.what >= Do::send_message) note_mode(message, before, state);
  if (fault_ == Fault::spends_without_account && done.what >= Do::make_group && action.what == Do::send_message)
    now.process->account.spend(-now.process->account.spent_s());
  if (fault_ == Fault::decides_itself && errs && state.rank != 0 && done.what == Do::send_message &&
      action.what >= Do::hear_wishes) {
    action.what = Do::leave;  // as if it were too dear by this rank's account
    state.doing = Do::leave;
  }
  if (fault_ == Fault::acts_before_it_tells && errs && state.rank == 0 && action.what == Do::send_message &&
      state.message.what == Instruction::What::group) {
    action.what = Do::make_group;
    state.doing = Do::make_group;
  }
  if (fault_ == Fault::drops_a_plan_alone && errs)
    for (CallKind& kind : here.kinds)
      if (kind.mode == CallKind::Mode::ours) kind.leave("alone");
  const bool begins = done.what == Do::send_message || done.what == Do::agree_account;
  if (begins) now.began_s = now.clock_s;
  if (!begins && action.what == Do::send_message && done.what >= Do::hear_wishes)
    now.spent_s += state.weight * (now.clock_s - now.began_s);
  // A trial of short calls has ended: what it found, all trials of the kind together, decides.
  if (action.what == Do::send_message && (done.what == Do::run_trial || done.what == Do::keep) && is_loop) {
    const CallKind& kind = *state.kinds[done.kind];
    const auto& [ours_s, vendors_s] = kind.trial_times;
    int slower = 0;
    for (std::size_t i = 0; i < ours_s.size(); ++i) slower += ours_s[i] > vendors_s[i] ? 1 : 0;
    const KindOfProgram& made = of(now.communicator).kinds[done.kind];
    const bool has_lost =
        2 * slower > static_cast<int>(ours_s.size()) || (done.what == Do::keep && made.ours_s > 1.6 * made.vendor_s);
    if (kind.mode == CallKind::Mode::ours && has_lost) violate("a plan that lost runs further calls");
  }
  act(rank, action);
}

void Simulation::end_call(int rank, double took_s) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  const Call& call = call_of(now);
  Member& here = member(now.communicator, rank);
  CallKind& kind = here.kinds[static_cast<std::size_t>(call.kind)];
  const KindOfProgram& made = of(now.communicator).kinds[static_cast<std::size_t>(call.kind)];
  const double call_s = took_s + (kind.mode == CallKind::Mode::ours ? made.ours_s : made.vendor_s);
  now.clock_s += call_s - took_s;
  if (kind.mode == CallKind::Mode::counting) kind.vendor_times.count(static_cast<std::uint64_t>(call_s / tick_s));
  if (kind.mode == CallKind::Mode::trying && !kind.trial->is_due()) {
    kind.trial->count(kind.trial->next() > 0 ? took_s + made.ours_s : call_s);
    if (kind.trial->is_due()) here.state.ask();
  }
  if (rank == call.sender) sent_[now.order[now.next_turn]] = true;
  ++now.next_turn;
  now.stage = Stage::before;
}

namespace {

// `calls`: instead of the seed's own, to shorten it. Returns what is wrong, or nothing.
std::string first_violation(std::uint64_t seed, Fault fault, const std::vector<Call>* calls = nullptr) {
  return Simulation(seed, fault, calls).run();
}

// Leaves out calls as long as something is wrong, and returns those that remain and what is then wrong.
std::string shortest_violation(std::uint64_t seed, Fault fault) {
  std::vector<Call> calls = program_of(seed).calls;
  std::string wrong = first_violation(seed, fault, &calls);
  for (std::size_t size = calls.size() / 2; size > 0; size /= 2)
    for (std::size_t at = 0; at + size <= calls.size();) {
      std::vector<Call> fewer = calls;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at), fewer.begin() + static_cast<std::ptrdiff_t>(at + size));
      const std::string still = first_violation(seed, fault, &fewer);
      if (still.empty())
        at += size;
      else
        calls = std::move(fewer), wrong = still;
    }
  std::string text = fmt::format("seed {}, {} calls:", seed, calls.size());
  for (const Call& call : calls) text += fmt::format(" {}.{}", call.communicator, call.kind);
  return text + "\n" + wrong;
}

TEST(SimulatedRanks, DecideTogetherInEveryOrder) {
  int guest_meetings = 0;
  for (std::uint64_t seed = 1; seed <= extent<std::uint64_t>(500, 5'000, 100'000); ++seed) {
    Simulation simulation(seed, Fault::none, nullptr);
    if (!simulation.run().empty()) FAIL() << shortest_violation(seed, Fault::none);
    guest_meetings += simulation.guest_meetings;
  }
  EXPECT_GT(guest_meetings, 20);
}

class PlantedFault : public ::testing::TestWithParam<int> {};

TEST_P(PlantedFault, IsFoundWithinAThousandSeeds) {
  const auto fault = static_cast<Fault>(GetParam());
  std::uint64_t seed = 1;
  while (seed <= 1000 && first_violation(seed, fault).empty()) ++seed;
  EXPECT_LE(seed, 1000u);
}

INSTANTIATE_TEST_SUITE_P(All, PlantedFault, ::testing::Range(1, static_cast<int>(Fault::count)));

}  // namespace
}  // namespace quadrille::mpi_face::simulated
