// SPDX-License-Identifier: BSD-3-Clause
// Ranks of a simulated program, each with the states of policy/step.hpp for its communicators. A seed makes the program: its ranks,
// communicators, kinds of calls, and the calls in an order that all ranks follow. It also decides which rank is next, how late the
// ranks are, what calls and trials take, and what cannot be made. Messages arrive in any order that MPI allows: a rank leaves a
// collective as soon as the ranks have entered for which it must wait.
//
// Checked in each step: members of a communicator carry out the same actions, and run the same calls in the same way, in the same
// order; the ranks meet only in calls that synchronise; nobody hangs, although a program may need its broadcasts not to wait; what
// is carried out was affordable; a plan that lost is given up; there are at most 128 plans.
#include "mpi_face/policy/step.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/cases.hpp"

namespace quadrille::mpi_face {
namespace {

using quadrille::testing::extent;

// An error in one rank, which the simulation must notice (in some programs).
enum class Fault {
  none,
  counts_a_call_twice,
  meets_by_its_own_clock,  // once in a while
  meets_in_any_call,       // all ranks do
  forgets_a_message,
  forgets_the_next_meeting,  // that rank 0 has named
  decides_itself,            // instead of carrying out rank 0's message
  acts_before_it_tells,      // rank 0
  concludes_from_own_times,  // of a trial of short calls
  keeps_a_plan_that_lost,    // all ranks do
  drops_a_plan_alone,
  spends_without_account,  // all ranks do
  numbers_kinds_otherwise,
  ignores_a_refused_group,
  trusts_guests_unchecked,  // in a meeting of the world, all ranks do
  count,
};

struct Call {
  int communicator = 0, kind = 0;
  // A rank that no call lets wait for `needs` sends it a message after this call, and `needs` receives it before the call.
  int sender = -1, needs = -1;
};

constexpr double tick_s = 1e-9;

// What makes a program, equal for all ranks.
struct KindOfProgram {
  Key key;
  bool synchronises = false;
  int root = 0;  // if it does not synchronise
  double vendor_s = 0, ours_s = 0;
  bool has_plan = true;
};

struct CommunicatorOfProgram {
  std::vector<int> members;
  std::vector<KindOfProgram> kinds;
  bool has_group = true;
  double group_s = 0, plan_s = 0;
};

struct Program {
  int ranks = 2;
  std::vector<CommunicatorOfProgram> communicators;
  std::vector<Call> calls;
  std::vector<double> skew_s;  // of each rank's clock
  bool has_rule = false, admits_at_once = false, has_ranks_ahead = false;
  double pause_s = 0;  // between calls, at most
};

Program program_of(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int most) { return static_cast<int>(random() % static_cast<std::uint64_t>(most)); };
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, static_cast<double>(random() >> 11) * 0x1p-53);
  };
  Program program{.ranks = 2 + below(4),
                  .communicators = {},
                  .calls = {},
                  .skew_s = {},
                  .has_rule = below(8) == 0,
                  .admits_at_once = below(8) == 0,
                  .has_ranks_ahead = below(3) == 0};
  program.pause_s = between(1e-6, 1e-1);
  for (int rank = 0; rank < program.ranks; ++rank) program.skew_s.push_back(below(2) ? 0 : between(1e-6, 0.1));
  const int communicators = 1 + below(3);
  for (int i = 0; i < communicators; ++i) {
    CommunicatorOfProgram communicator{.members = {}, .kinds = {}, .has_group = below(10) > 0};
    for (int rank = 0; rank < program.ranks; ++rank)
      if (i == 0 || below(3) > 0) communicator.members.push_back(rank);
    if (communicator.members.size() < 2) communicator.members = {0, program.ranks - 1};
    communicator.group_s = between(1e-5, 2e-3), communicator.plan_s = between(1e-6, 2e-3);
    const int kinds = below(40) == 0 ? 140 : 1 + below(4);
    const bool synchronises = i == 0 || below(3) > 0;
    for (int k = 0; k < kinds; ++k) {
      KindOfProgram kind{.key = {.block_bytes = Bytes{8} << below(20), .function = Function::Allreduce}};
      kind.key.counts = static_cast<std::uint64_t>(k);
      kind.synchronises = synchronises && (k == 0 || below(3) > 0);
      kind.root = communicator.members[static_cast<std::size_t>(below(static_cast<int>(communicator.members.size())))];
      if (!kind.synchronises) kind.key.function = below(2) ? Function::Gatherv : Function::Bcast;
      kind.vendor_s = between(1e-6, 2e-2), kind.ours_s = kind.vendor_s * between(0.3, 2.0);
      kind.has_plan = below(10) > 0;
      communicator.kinds.push_back(kind);
    }
    program.communicators.push_back(std::move(communicator));
  }
  const int calls = 100 + (below(8) == 0 ? below(3000) : below(300));
  for (int i = 0; i < calls; ++i) {
    Call call{.communicator = below(communicators)};
    const CommunicatorOfProgram& communicator = program.communicators[static_cast<std::size_t>(call.communicator)];
    call.kind = below(3) ? 0 : below(static_cast<int>(communicator.kinds.size()));
    const KindOfProgram& kind = communicator.kinds[static_cast<std::size_t>(call.kind)];
    if (!kind.synchronises && below(2)) {
      const int other = communicator.members[static_cast<std::size_t>(below(static_cast<int>(communicator.members.size())))];
      const bool is_gather = kind.key.function == Function::Gatherv;
      if (other != kind.root) call.sender = is_gather ? other : kind.root, call.needs = is_gather ? kind.root : other;
    }
    program.calls.push_back(call);
  }
  return program;
}

// What a rank does next on a communicator: an action, or a call of the program.
struct Doing {
  int action = -1, kind = 0, number = 0, way = 0;
  bool operator==(const Doing&) const = default;
};

std::string text_of(const Doing& doing) {
  if (doing.action < 0) return fmt::format("call {} of kind {}, way {}", doing.number, doing.kind, doing.way);
  return fmt::format("{} (kind {}, number {})", names_of_actions[static_cast<Do>(doing.action)], doing.kind, doing.number);
}

// Something that all members of a communicator do together.
struct Together {
  enum class Leaves { all_together, after_root, root_last };  // who waits for whom
  Doing doing;
  Leaves leaves = Leaves::all_together;
  int root = 0;  // index among the members
  std::vector<bool> has_entered;
  std::vector<double> entered_s;
  std::vector<std::vector<double>> figures;
  std::vector<std::pair<int, std::uint64_t>> guests;  // the communicator that comes first, and DecidingProcess::calls_on_guests()
  std::optional<Instruction> message;
  Event result;
  double takes_s = 0;
};

struct Member {  // a rank of a communicator
  State state;
  std::deque<CallKind> kinds;
  std::size_t next_together[2] = {};  // on the communicator, and on that of its meetings as a guest
  int lost_trials = 0;
};

struct Simulation {
  Simulation(std::uint64_t seed, Fault fault, const std::vector<Call>* calls)
      : program_(program_of(seed)), fault_(fault), random_(seed ^ 0x9e3779b97f4a7c15u) {
    if (calls) program_.calls = *calls;
  }

  std::string run();

  int guest_meetings = 0;

 private:
  enum class Stage { before, meeting, call };
  struct RankNow {
    std::vector<std::size_t> order;  // of the program's calls
    std::size_t next_turn = 0;
    Stage stage = Stage::before;
    double clock_s = 0;
    double began_s = 0, spent_s = 0;  // when a message was carried out; what these have taken, apart from the account
    Action action;
    int communicator = 0;
    bool is_guest = false;  // it meets in a meeting of the world, which goes on afterwards
    bool has_entered = false;
    std::unique_ptr<DecidingProcess> process = std::make_unique<DecidingProcess>();
  };

  const Call& call_of(const RankNow& now) const { return program_.calls[now.order[now.next_turn]]; }
  int below(int most) { return static_cast<int>(random_() % static_cast<std::uint64_t>(most)); }
  bool is_faulty(int rank) const { return rank == faulty_; }
  Member& member(int communicator, int rank) { return members_[static_cast<std::size_t>(communicator * program_.ranks + rank)]; }
  const CommunicatorOfProgram& of(int communicator) const { return program_.communicators[static_cast<std::size_t>(communicator)]; }
  int colour_of(int communicator) const {  // the first one with the same members
    int first = 0;
    while (of(first).members != of(communicator).members) ++first;
    return first;
  }
  int index_in(int communicator, int rank) const {
    const auto& members = of(communicator).members;
    return static_cast<int>(std::find(members.begin(), members.end(), rank) - members.begin());
  }
  void make_states();
  bool advance(int rank);
  bool begin_call(int rank, const Call& call);
  void begin_meeting(int rank, int communicator, bool is_guest = false);
  void end_meeting(int rank);
  void run_call(int rank);
  bool meets_as_guest(const Together& together, int rank);
  void go_on(int rank, const Event& event);
  void note_mode(const Instruction& message, CallKind::Mode before, const State& state);
  void act(int rank, const Action& action);
  void enter(int rank, const Doing& doing, Together::Leaves leaves, int root, const Action* action);
  bool may_leave(const Together& together, int index) const;
  bool leave(int rank);
  Event event_after(int rank, const Together& together);
  void set_result(Together& together, int communicator, const Action& action);
  void end_call(int rank, double took_s);
  void check_affordable(int rank, const Member& member);
  std::deque<Together>& all_of(const RankNow& now) {
    return together_[static_cast<std::size_t>(now.communicator) + (now.is_guest ? program_.communicators.size() : 0)];
  }
  Together& together_of(int rank) {
    RankNow& now = now_[static_cast<std::size_t>(rank)];
    return all_of(now)[member(now.communicator, rank).next_together[now.is_guest]];
  }
  void violate(std::string sentence) {
    if (wrong_.empty()) wrong_ = std::move(sentence);
  }

  Program program_;
  const Fault fault_;
  std::mt19937_64 random_;
  int faulty_ = 0;
  std::vector<Member> members_;
  std::vector<RankNow> now_;
  std::vector<std::deque<Together>> together_;  // of each communicator, then of each one's meetings as a guest
  std::vector<bool> sent_;                      // by a call's sender
  std::string wrong_;
};

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

Doing doing_of(const Action& action) {
  return {.action = static_cast<int>(action.what),
          .kind = action.what >= Do::make_named ? static_cast<int>(action.kind) : 0,
          .number = action.number};
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

std::string_view name_of(CallKind::Mode mode) {
  constexpr std::string_view names[] = {"counting", "trying", "ours", "vendor"};
  return names[static_cast<std::size_t>(mode)];
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

// One rank alone, to which a test gives the events.
class OneRank : public ::testing::Test {
 protected:
  CallKind& add_kind(Bytes block_bytes) {
    CallKind& kind = kinds_.emplace_back();
    kind.key = {.block_bytes = block_bytes, .function = Function::Allreduce};
    kind.called = "allreduce", kind.synchronises = true, kind.moved = block_bytes;
    kind.number = static_cast<std::uint32_t>(state_.kinds.size());
    state_.kinds.push_back(&kind);
    return kind;
  }
  Action after(Event event = {}) {
    event.now_s = 1000;
    if (action_.what == Do::send_message) event.message = state_.message;
    if (action_.what == Do::agree_account) event.figures = action_.figures;
    return action_ = step(state_, process_, event);
  }
  // Begins a meeting, and goes on as far as to what the first message asks for.
  Action meet() {
    after({.what = Event::What::meeting});
    while (action_.what == Do::send_message || action_.what == Do::agree_account) after();
    return action_;
  }
  Action after_trial(double ratio) {
    Event event;
    event.vendors_s = {1e-5, 1e-5, 1e-5}, event.ours_s = {{ratio * 1e-5, ratio * 1e-5, ratio * 1e-5}};
    return after(event);
  }
  CallKind& kind_in_use() {
    CallKind& kind = add_kind(Bytes{8} << 20);
    state_.has_group = true;
    kind.mode = CallKind::Mode::ours, kind.calls = 1 << 20, kind.next_trial = 512;
    for (int call = 0; call < 100; ++call) kind.vendor_times.count(10'000);
    return kind;
  }

  DecidingProcess process_;
  State state_;
  std::deque<CallKind> kinds_;
  Action action_;
};

TEST_F(OneRank, GivesUpAPlanForShortCallsThatHasLostTwice) {
  const CallKind& kind = kind_in_use();
  ASSERT_EQ(meet().what, Do::run_trial);
  EXPECT_EQ(after_trial(1.5).what, Do::run_trial) << "again";
  after_trial(1.5);
  EXPECT_EQ(kind.mode, CallKind::Mode::vendor);
}

TEST_F(OneRank, KeepsAPlanForShortCallsThatHasLostOnce) {
  CallKind& kind = kind_in_use();
  kind.trial_times = {{5e-6, 5e-6, 5e-6}, {1e-5, 1e-5, 1e-5}};
  ASSERT_EQ(meet().what, Do::run_trial);
  EXPECT_EQ(after_trial(1.5).what, Do::run_trial);
  after_trial(0.4);
  EXPECT_EQ(kind.mode, CallKind::Mode::ours);
  EXPECT_EQ(kind.trial_times.ours_s.size(), 9u) << "all of them count";
}

TEST_F(OneRank, KeepsAPlanWhoseTrialCannotBeHeld) {
  const CallKind& kind = kind_in_use();
  ASSERT_EQ(meet().what, Do::run_trial);
  after({.why = "too large"});
  EXPECT_EQ(kind.mode, CallKind::Mode::ours);
}

TEST_F(OneRank, MakesAtMost128PlansByTheUsersRules) {
  for (int kind = 0; kind < 130; ++kind) add_kind(8 + kind);
  state_.has_group = true;
  state_.wishes = std::make_shared<const Wishes>(parse_wishes("allreduce=bruck\n"));
  after({.what = Event::What::meeting});
  int made = 0;
  for (int steps = 0; steps < 2000 && action_.what != Do::leave; ++steps) {
    made += action_.what == Do::make_named ? 1 : 0;
    Event event;
    if (action_.what == Do::make_named) event.made = {{std::nullopt, "the user said so"}};
    after(event);
  }
  EXPECT_EQ(made, 128);
  for (std::size_t kind = 128; kind < 130; ++kind) EXPECT_EQ(kinds_[kind].why, sentence(Cause::many_plans));
}

TEST(InstructionRules, AreOneForEachMessage) {
  std::set<Instruction::What> told;
  for (const InstructionRule& rule : instruction_rules()) told.insert(rule.what);
  EXPECT_EQ(told.size(), instruction_rules().size());
  EXPECT_EQ(told.size(), static_cast<std::size_t>(Instruction::What::host) + 1);
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

// Runs of MPI programs that were recorded before step() existed, on rank 0: calls, events, and the actions that followed. Long
// calls and two communicators, guests, and random programs. Lines, after the number of a communicator:
//   c RANK RANKS IS_WORLD WEIGHT ADMITS_AT_ONCE      a communicator
//   k KIND FUNCTION BYTES ELEMENT COUNTS SYNCHRONISES MOVED PRICE NAME
//   x (KIND TICKS)...        calls in which the ranks do not meet. KIND!: which they do not count for it. For TICKS, -: Quadrille
//   ran
//                            the call; ~SECONDS: it is part of a trial in place
//   e PRICE MEETS, p PRICE, q, n KIND, t KIND TICKS, a KIND SECONDS, b KIND      parts of other calls, and of trials in place
//   g                        the communicator is a guest from now on
//   m NOW IS_GUEST TICK_S    a meeting begins
//   > ACTION KIND NUMBER     what follows
//   < NOW RESULT ...         what came of it
class RecordedRun : public ::testing::TestWithParam<const char*> {
 protected:
  struct Recorded {
    State state;
    std::deque<CallKind> kinds;
    Action next;
  };

  void replay(const std::string& line);
  void replay_calls(Recorded& here, std::istringstream& words);
  Event event_of(std::istringstream& words);
  void expect(const Recorded& here, std::istringstream& words);

  DecidingProcess process_;
  std::map<int, Recorded> recorded_;
  int actions_ = 0, messages_ = 0;
};

template <class T>
T next(std::istringstream& words) {
  T value{};
  words >> value;
  return value;
}

std::string until_bar(std::istringstream& words) {
  std::string text;
  std::getline(words >> std::ws, text, '|');
  return text;
}

void RecordedRun::replay_calls(Recorded& here, std::istringstream& words) {
  for (std::string number; words >> number;) {
    const bool is_apart = number.ends_with('!');
    CallKind& kind = here.kinds.at(std::stoul(number));
    const bool meets = !is_apart && kind.synchronises && here.state.meets(kind.price_s);
    EXPECT_FALSE(meets) << number;
    if (!is_apart && !kind.synchronises) here.state.meetings.adds(kind.price_s);
    ++kind.calls;
    const auto time = next<std::string>(words);
    if (time.starts_with('~')) kind.trial->count(std::stod(time.substr(1)));
    if (std::isdigit(time[0])) kind.vendor_times.count(std::stoul(time));
  }
}

Event RecordedRun::event_of(std::istringstream& words) {
  Event event{.now_s = next<double>(words)};
  if (next<std::string>(words) == "failed") event.what = Event::What::failed;
  const auto doubles = [&] {
    std::vector<double> all(next<std::size_t>(words));
    for (double& each : all) words >> each;
    return all;
  };
  for (std::string tag; words >> tag && tag != "Y";) {
    if (tag == "F") event.figures = doubles();
    if (tag == "V") event.vendors_s = doubles();
    if (tag == "O") event.ours_s.push_back(doubles());
    if (tag == "N")
      for (const double node : doubles()) event.nodes.push_back(static_cast<Count>(node));
    if (tag == "C") words >> event.choice_s >> event.plan_s;
    if (tag == "W") {
      const bool has_way = next<int>(words) != 0;
      Way way{.policy = static_cast<Policy>(next<int>(words)),
              .buffers = next<int>(words),
              .executor = static_cast<Executor>(next<int>(words))};
      way.algorithm = until_bar(words);
      PlannedWay& made = event.made.emplace_back();
      if (has_way) made.way = way;
      made.why = until_bar(words);
    }
    if (tag == "M") {
      Instruction& message = event.message;
      message.what = static_cast<Instruction::What>(next<int>(words));
      words >> message.kind >> message.number;
      message.cause = static_cast<Cause>(next<int>(words));
      message.conclusion.end = static_cast<Alternation::End>(next<int>(words));
      words >> message.conclusion.remaining >> message.conclusion.best >> message.conclusion.ratio >> message.cost_s >>
          message.allowance_s >> message.next_meeting >> message.policy >> message.executor >> message.buffers;
      until_bar(words).copy(message.algorithm, sizeof message.algorithm - 1);
    }
  }
  std::getline(words >> std::ws, event.why);
  return event;
}

void RecordedRun::expect(const Recorded& here, std::istringstream& words) {
  EXPECT_EQ(names_of_actions[here.next.what], next<std::string>(words));
  const auto kind = next<std::uint32_t>(words);
  const int number = next<int>(words);
  EXPECT_TRUE(here.next.what < Do::make_named || here.next.kind == kind);
  EXPECT_TRUE(here.next.what < Do::make_contenders || here.next.number == number) << here.next.number;
  ++actions_;
}

void RecordedRun::replay(const std::string& line) {
  std::istringstream words(line);
  const char what = next<char>(words);
  Recorded& here = recorded_[next<int>(words)];
  State& state = here.state;
  const auto kind = [&]() -> CallKind& { return here.kinds.at(next<std::size_t>(words)); };
  switch (what) {
    case 'c':
      words >> state.rank >> state.ranks >> state.is_world >> state.weight >> state.admits_at_once;
      state.meetings = Meetings(state.ranks);
      break;
    case 'k': {
      CallKind& made = here.kinds.emplace_back();
      words >> made.number;
      ASSERT_EQ(made.number, state.kinds.size());
      made.key.function = static_cast<Function>(next<int>(words));
      words >> made.key.block_bytes >> made.key.element >> made.key.counts >> made.synchronises >> made.moved >> made.price_s;
      state.kinds.push_back(&made);
      break;
    }
    case 'x': replay_calls(here, words); break;
    case 'e': {
      const double price_s = next<double>(words);
      EXPECT_EQ(state.meets(price_s), next<bool>(words));
      break;
    }
    case 'p': state.meetings.adds(next<double>(words)); break;
    case 'q': state.ask(); break;
    case 'n': ++kind().calls; break;
    case 't': kind().vendor_times.count(next<std::uint64_t>(words)); break;
    case 'a': kind().trial->count(next<double>(words)); break;
    case 'b': kind().knows_blocks = true; break;
    case 'g':
      if (std::none_of(process_.guests.begin(), process_.guests.end(), [&](const Guest& guest) { return guest.state == &state; }))
        process_.guests.push_back({&state, 0});
      break;
    case 'm': {
      const Event event{.what = Event::What::meeting, .now_s = next<double>(words), .is_guest = next<bool>(words)};
      words >> state.tick_s;
      here.next = step(state, process_, event);
      break;
    }
    case '>': expect(here, words); break;
    case '<': {
      const Event event = event_of(words);
      if (here.next.what == Do::send_message && state.rank == 0) {
        const Instruction &ours = state.message, &told = event.message;
        EXPECT_EQ(ours.what, told.what);
        EXPECT_EQ(ours.kind, told.kind);
        EXPECT_EQ(ours.number, told.number);
        EXPECT_EQ(ours.cause, told.cause);
        EXPECT_EQ(ours.conclusion.end, told.conclusion.end);
        EXPECT_EQ(ours.conclusion.remaining, told.conclusion.remaining);
        EXPECT_EQ(ours.conclusion.best, told.conclusion.best);
        EXPECT_EQ(ours.next_meeting, told.next_meeting);
        EXPECT_EQ(ours.way(), told.way());
        EXPECT_NEAR(ours.cost_s, told.cost_s, 1e-3 * told.cost_s);
        ++messages_;
      }
      here.next = step(state, process_, event);
      break;
    }
    default: FAIL() << "an unknown line";
  }
}

TEST_P(RecordedRun, IsRepeatedActionByAction) {
  std::ifstream lines(std::string(QUADRILLE_SOURCE_DIR "/tests/mpi_face/policy/recorded/") + GetParam() + ".txt");
  int number = 0;
  for (std::string line; std::getline(lines, line) && !HasFailure();) {
    SCOPED_TRACE("line " + std::to_string(++number) + ": " + line);
    replay(line);
  }
  EXPECT_GT(actions_, 30);
  EXPECT_GE(messages_, 10);
}

INSTANTIATE_TEST_SUITE_P(Programs, RecordedRun, ::testing::Values("long", "guests", "random"));

TEST(Account, AllowsTwoPercentOnceTheRunHasLastedASecond) {
  EXPECT_DOUBLE_EQ(Account::allowance(0), 0.02);
  EXPECT_DOUBLE_EQ(Account::allowance(1), 0.02);
  EXPECT_DOUBLE_EQ(Account::allowance(50), 1.0);
}

TEST(Account, AddsUp) {
  Account account;
  account.spend(0.25);
  account.spend(0.5);
  EXPECT_DOUBLE_EQ(account.spent_s(), 0.75);
  EXPECT_DOUBLE_EQ(Account().spent_s(), 0);
}

TEST(CostOfRank, IsAGuessUntilItWasMeasured) {
  CostOfRank cost(1e-3);
  EXPECT_DOUBLE_EQ(cost.of(8), 8e-3);
  cost.measured(0.1, 10);
  EXPECT_DOUBLE_EQ(cost.of(8), 80e-3);
}

}  // namespace
}  // namespace quadrille::mpi_face
