// SPDX-License-Identifier: BSD-3-Clause
// Ranks of a simulated program, each with the states of policy/step.hpp for its communicators. A seed makes the program: its ranks,
// communicators, kinds of calls, the user's wishes, and the calls in an order that all ranks follow. It also decides which rank is
// next, how late the ranks are, what calls, trials and races take, what cannot be made, and when a rank ends early. Messages arrive
// in any order that MPI allows: a rank leaves a collective as soon as the ranks have entered for which it must wait.
//
// Checked in each step: members of a communicator carry out the same actions, and run the same calls in the same way, in the same
// order; the ranks meet only in calls that synchronise; a meeting ends; nobody hangs, although a program may need its broadcasts
// not to wait, unless for a rank that has ended early; what is carried out was affordable; a plan that lost is given up; there are
// at most 128 plans; a plan that runs calls of other kinds is in use and elastic; what earlier runs found about other calls is not
// tried; a kind is raced once, then counts again, and races take at most the user's share of rank 0's time.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mpi_face/policy/step.hpp"

namespace quadrille::mpi_face::simulated {

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
  forgets_to_race,
  races_without_account,  // all ranks do
  exceeds_most_plans,     // all ranks do
  lacks_findings,         // of earlier runs, which the other ranks know
  forgets_to_share,       // the plan of another kind of its class
  shares_lost_plans,      // all ranks do
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
  bool is_elastic = false;  // its plans run all kinds of their class
};

struct Program {
  int ranks = 2;
  std::vector<CommunicatorOfProgram> communicators;
  std::vector<Call> calls;
  std::vector<double> skew_s;  // of each rank's clock
  bool names_many = false, admits_at_once = false, has_ranks_ahead = false;
  std::string wishes;              // the user's, and findings
  std::string wishes_alone;        // without findings
  std::vector<CallFinding> found;  // by earlier runs
  double tune_share = 0;           // among these
  double pause_s = 0;              // between calls, at most
  int mortal = -1;                 // the rank that ends early, if any
  int steps_of_mortal = 0;         // after so many calls of Simulation::advance()
  bool reports_end = false;        // the MPI library ends a rank that waits for one that has ended, or lets its action fail
};

Program program_of(std::uint64_t seed);

// What a rank does next on a communicator: an action, or a call of the program.
struct Doing {
  int action = -1, kind = 0, number = 0, way = 0;
  bool operator==(const Doing&) const = default;
};

inline std::string text_of(const Doing& doing) {
  if (doing.action < 0) return fmt::format("call {} of kind {}, way {}", doing.number, doing.kind, doing.way);
  return fmt::format("{} (kind {}, number {})", names_of_actions[static_cast<Do>(doing.action)], doing.kind, doing.number);
}

// Something that all members of a communicator do together.
struct Together {
  enum class Leaves { all_together, after_root, root_last, at_once };  // who waits for whom
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
  std::set<std::uint32_t> raced;      // kinds
};

struct Simulation {
  Simulation(std::uint64_t seed, Fault fault, const std::vector<Call>* calls)
      : program_(program_of(seed)), fault_(fault), random_(seed ^ 0x9e3779b97f4a7c15u) {
    if (calls) program_.calls = *calls;
  }

  std::string run();

  // How often there was what the programs must reach.
  enum Reached {
    guest_meetings,
    races,
    failed_races,
    calls_with_most_plans,
    ended_ranks,
    failures_by_end,
    shared_calls,
    ends_of_sharing,
    reached_count
  };
  std::array<int, reached_count> reached{};

 private:
  enum class Stage { before, meeting, call };
  struct RankNow {
    std::vector<std::size_t> order;  // of the program's calls
    std::size_t next_turn = 0;
    Stage stage = Stage::before;
    double clock_s = 0;
    // When a message was carried out; what these, and what races have taken, apart from the accounts.
    double began_s = 0, spent_s = 0, raced_s = 0;
    int steps = 0;  // in this meeting
    Action action;
    int communicator = 0;
    bool is_guest = false;  // it meets in a meeting of the world, which goes on afterwards
    bool has_entered = false;
    std::unique_ptr<DecidingProcess> process = std::make_unique<DecidingProcess>();
  };

  bool is_over(const RankNow& now) const { return now.next_turn == now.order.size(); }
  const Call& call_of(const RankNow& now) const { return program_.calls[now.order[now.next_turn]]; }
  const KindOfProgram& kind_of(const Call& call) const { return of(call.communicator).kinds[static_cast<std::size_t>(call.kind)]; }
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
  void begin(int rank, int communicator);
  void begin_meeting(int rank, int communicator, bool is_guest = false);
  void end_meeting(int rank);
  void run_call(int rank);
  bool meets_as_guest(const Together& together, int rank);
  void go_on(int rank, const Event& event);
  void note_mode(const Instruction& message, CallKind::Mode before, const State& state);
  void err_in_sharing(int rank, Member& here, const std::vector<CallKind*>& before);
  void act(int rank, const Action& action);
  void enter(int rank, const Doing& doing, Together::Leaves leaves, int root, const Action* action);
  static bool needs(const Together& together, int index, int other);
  bool waits_for(int rank, const std::vector<bool>& ranks);
  bool hears_of_end(int rank);
  void check_waits();
  void check_learned(int rank, const Instruction& message);
  void check_race(int rank, Member& member, const Action& action);
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
  std::vector<bool> has_ended_;                 // ranks that make no further step, early
  std::string wrong_;
};

// `calls`: instead of the seed's own, to shorten it. Returns what is wrong, or nothing.
std::string first_violation(std::uint64_t seed, Fault fault, const std::vector<Call>* calls = nullptr);

// Leaves out calls as long as something is wrong, and returns what is wrong with the calls that remain.
std::string shortest_violation(std::uint64_t seed, Fault fault);

}  // namespace quadrille::mpi_face::simulated
