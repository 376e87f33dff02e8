// SPDX-License-Identifier: BSD-3-Clause
// Decides which calls on a communicator Quadrille runs ("ours") instead of the MPI library ("the vendor"), in a pure function:
// from a rank's state and an event it computes the next state and an action. No clock, no MPI: mpi_face/deciding.cpp reads the
// clock, carries out each action, and passes its result on as the next event.
//
// The ranks meet only in some of the calls that synchronise them anyway (meetings.hpp), because a program may rely on calls, such
// as a broadcast, that do not wait for all ranks. In a meeting rank 0 decides by its own clock and account what is worth its
// cost. It tells the others by a message: make the group, make plans and try them, take them or leave them. All ranks carry out
// the message, then rank 0 sends the next one, until nothing is left to do. The time that a process may spend is limited
// (Account), so rare calls and short runs cost next to nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mpi_face/policy/cause.hpp"
#include "mpi_face/policy/kind.hpp"
#include "mpi_face/policy/meetings.hpp"
#include "mpi_face/rules.hpp"
#include "plan/way.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

// What a process may spend on groups, plans, trials and meetings.
struct Allowance {
  double at_first_s = 0.03;                 // from the beginning on
  double early_share = 0.03, early_s = 10;  // the part of the run's time so far, during its first seconds
  double share = 0.02;                      // the same, later
  double of_savings = 0.25;                 // the part of what our calls have saved

  // Returns how many seconds a process may have spent in total `elapsed_s` after the run's beginning.
  double after(double elapsed_s) const {
    return std::max({at_first_s, early_share * std::min(elapsed_s, early_s), share * elapsed_s});
  }
  // Returns when a process may have spent `total_s`.
  double when(double total_s) const {
    if (total_s <= at_first_s) return 0;
    return total_s <= early_share * early_s ? total_s / early_share : total_s / share;
  }
};

// How likely the next trial is to be won, by Laplace's rule of succession: from the first trials of kinds in this run.
class Odds {
 public:
  void add(bool is_won) { (is_won ? won_ : lost_).fetch_add(1, std::memory_order_relaxed); }
  // Relative to a run without trials: above 1 after more wins than losses, 0.5 after two losses.
  double factor() const {
    const double won = won_.load(std::memory_order_relaxed), lost = lost_.load(std::memory_order_relaxed);
    return 2 * (won + 1) / (won + lost + 2);
  }

 private:
  std::atomic<int> won_{0}, lost_{0};
};

// What a process spends. Threads may spend at the same time, on different communicators.
class Account {
 public:
  double spent_s() const { return spent_s_.load(std::memory_order_relaxed); }
  void spend(double seconds) { spent_s_.fetch_add(seconds, std::memory_order_relaxed); }

 private:
  std::atomic<double> spent_s_{0};
};

// Estimates the cost of an action, which grows with the number of ranks. Holds the seconds per rank: a guess until they are
// measured.
class CostOfRank {
 public:
  explicit constexpr CostOfRank(double guess_s) : seconds_(guess_s) {}
  double of(Count ranks) const { return seconds_.load(std::memory_order_relaxed) * static_cast<double>(ranks); }
  void measured(double seconds, Count ranks) {
    seconds_.store(seconds / static_cast<double>(ranks), std::memory_order_relaxed);
    is_known_.store(true, std::memory_order_relaxed);
  }
  // The first one may cost more than all later ones, so it only bounds the guess.
  void measured_after_first(double seconds, Count ranks) { measured(is_known() ? seconds : std::min(seconds, of(ranks)), ranks); }
  bool is_known() const { return is_known_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> seconds_;
  std::atomic<bool> is_known_{false};
};

constexpr double tuning_race_s = 0.05;                   // seconds of a race during the program's run
constexpr int barriers_of_timing = 4;                    // number of barriers in Do::time_call
constexpr int many_mates = 16;                           // with so many kinds in a class, only elastic plans are tried for them
constexpr std::size_t most_plans_of_trial = 3;           // number of plans that a trial of short calls compares
constexpr int most_trials = 2;                           // trials of a kind in a meeting: a second one if the first is not clear
constexpr Bytes most_memory_of_trial = Bytes{64} << 20;  // limit on the input and on the output of a rank
constexpr double asked_for = 1e300;                      // State::worth_ticks after State::ask

// What rank 0 tells the ranks of a meeting, by one broadcast.
struct Instruction {
  enum class What : std::int32_t {
    nothing,       // the meeting is over
    wishes,        // `number` bytes follow: the texts of the user's wishes, and what earlier runs found
    time_call,     // time a short call
    group,         // make the group
    obey,          // follow the user's rule for the kind
    admit,         // run the kind by the best known plan, without a trial
    leave,         // leave the kind to the MPI library, for `cause`
    take,          // run the kind by the named way, which was the fastest in an earlier trial
    try_in_loop,   // hold a trial that times at most `number` calls together
    try_in_place,  // begin a trial of at most `number` contenders; is_learned: of the one that `number` earlier runs found
    conclude,      // go on with, or end, a trial in place
    tune,          // race candidates for the kind
    host,          // let guests meet
  };
  What what = What::nothing;
  std::uint32_t kind = 0;  // CallKind::number
  std::int32_t number = 0;
  Cause cause{};
  Alternation::Conclusion conclusion;
  double cost_s = 0;  // expected cost of carrying it out; 0 if the user has asked for it
  double allowance_s = 0;
  std::uint64_t next_meeting = 0;  // with `nothing`: the call in which the ranks meet next; 0: the next call 2^k
  PackedWay way;                   // with `take`, and with `try_in_place` if is_learned
  bool is_learned = false;         // an earlier run found it to pay
};
static_assert(std::is_trivially_copyable_v<Instruction>);

// When rank 0 sends a message, and what follows. `from` and `to`: CallKind::mode before and after the message, "" if it is about
// no kind. Rank 0 tries the rows in this order, but `group` and `leave` may be needed earlier.
struct InstructionRule {
  Instruction::What what;
  std::string_view name, when, then, from, to;
};
const std::vector<InstructionRule>& instruction_rules();

// The results of trials. A verdict also holds for calls of about the same size, and on other communicators whose ranks lie on
// nodes in the same way, so that a program with a thousand sizes, or with many communicators, does not pay for a thousand trials.
struct Verdict {
  bool is_faster = false;
  std::optional<Way> way;  // our fastest way, if is_faster; absent for exchanges
};

class Verdicts {
 public:
  // `nodes`: Communicator::nodes.
  std::optional<Verdict> find(const Key& key, const std::vector<Count>& nodes);
  void add(const Key& key, const std::vector<Count>& nodes, Verdict verdict);
  // Forgets the verdict, because a new race may contradict it.
  void remove(const Key& key, const std::vector<Count>& nodes);

 private:
  struct Entry {
    Key calls;  // with the largest size of the class
    std::vector<Count> nodes;
    Verdict verdict;
  };
  static constexpr std::size_t most_entries = 1024;

  std::vector<Entry>::iterator found(const Key& key, const std::vector<Count>& nodes);

  std::mutex mutex_;
  std::vector<Entry> entries_;
};

struct State;

// Guests: communicators whose ranks meet in the meetings of MPI_COMM_WORLD, because their own calls may never synchronise them:
// those on which the program calls gatherv, scatterv, alltoallw or collectives of neighbours.
//
// Why that is right. MPI allows each collective to wait for all ranks, and a correct program does not hang if all collectives do
// so. Suppose that, in a synchronising call of the world, a rank A has made a call on a guest that a rank B has yet to make. If
// all collectives waited, A would wait in its call on the guest for B, and B in its call of the world for A: the program would
// hang. So all ranks of a guest have made the same calls on it, as in a call of its own that synchronises. They agree on all that
// they count, and their decisions hold from their next call on it. No rank is inside another call, unless several threads may
// call MPI: then there are no guests. For the same reason, two ranks first use the guests that they share in the same order. So
// there is always a guest that comes first on all of its ranks.
//
// Many programs rely on MPI libraries that do not wait. So the ranks do not trust the proof: they compare how many calls of each
// kind they have made on the guest and on all other guests of the same ranks, and decide nothing about it if the numbers differ.
// Ranks may have started different numbers of nonblocking collectives on a guest. So they meet on a communicator that they make
// for the meeting. If two guests have the same ranks and equal numbers, and the ranks first used them in different orders, the
// numbers cannot tell which one a rank means. A name from rank 0 would need a collective on the guest, and nothing could complete
// it before the program frees the guest.
struct Guest {
  State* state = nullptr;
  int colour = 0;  // a hash of the ranks; if it is equal for guests of different ranks, these guests do not meet
};

// What all communicators of a process share.
struct DecidingProcess {
  Allowance allowance;
  Account account, tuning;         // tuning: for the races that the user asks for (QUADRILLE_TUNE)
  std::atomic<double> saved_s{0};  // rank 0: what calls by Quadrille have saved, by the times of the trials that they won
  Odds odds;
  CostOfRank group_cost{1.2e-3}, choice_cost{400e-6}, plan_cost{300e-6}, split_cost{20e-6};
  Verdicts verdicts;
  // Guests meet in the order in which they became guests. `waiting`: in a meeting of the world, guests with something to decide.
  std::vector<Guest> guests;
  std::deque<Guest> waiting;
  bool has_met = false;  // in the last turn, the guest that comes first on this rank has met

  // What may have been spent in total `elapsed_s` after the run's beginning.
  double allowed_s(double elapsed_s) const {
    return allowance.after(elapsed_s) + allowance.of_savings * std::max(0.0, saved_s.load());
  }

  // A hash of three things: the colour of the first waiting guest; the numbers of calls of each kind that this rank has made on
  // the guests with this colour; and which of these guests is the first. MPI gives communicators no names by which ranks could
  // tell which guest they mean. Requires that a guest waits.
  std::uint64_t calls_on_guests() const;
};

// What all ranks do next in a meeting. An event follows when it is done.
enum class Do : std::uint8_t {
  leave,          // the meeting is over
  add_up,         // rank 0 gets the sum of each of the `figures` over the ranks
  find_slowest,   // rank 0 gets the maximum of each of the `figures` over the ranks
  ask_guests,     // all ranks of MPI_COMM_WORLD get the maximum of each of the `figures` over them
  send_message,   // all ranks get rank 0's State::message
  agree_account,  // all ranks get the maximum of `figures[0]` over the ranks
  hear_wishes,    // all ranks get `number` bytes from rank 0
  time_call,      // the ranks time barriers
  make_group,
  host,             // let the guests meet that come first on all of their ranks
  make_named,       // make a plan by the user's rule
  make_way,         // make a plan by State::message's way
  make_contenders,  // make at most `number` plans; `is_anyhow`: one, whatever is known
  make_exchange,
  run_trial,      // of the contenders or the plan in use; at most `number` calls are timed together
  keep,           // contender `number` runs the calls, the others are dropped
  share_figures,  // all ranks get rank 0's `figures`
  race,           // race candidates, from which later contenders follow
};

constexpr ByEnum<Do, std::string_view, 18> names_of_actions{
    {"leave", "add_up", "find_slowest", "ask_guests", "send_message", "agree_account", "hear_wishes", "time_call", "make_group",
     "host", "make_named", "make_way", "make_contenders", "make_exchange", "run_trial", "keep", "share_figures", "race"}};

struct Action {
  Do what = Do::leave;
  std::uint32_t kind = 0;  // for add_up, and from make_named on
  std::int32_t number = 0;
  bool is_anyhow = false;
  std::int32_t mates = 0;  // make_way, make_contenders: kinds of the same class; plans shall run them, too, if algorithms allow it
  std::vector<double> figures;
};

struct Event {
  enum class What : std::uint8_t {
    meeting,  // the ranks meet; `is_guest`: in a meeting of MPI_COMM_WORLD
    done,     // the action is done
    failed,   // it could not be done, on all ranks
  };
  What what = What::done;
  double now_s = 0;  // since the run's beginning, by this rank's clock
  bool is_guest = false;
  // The sums or maxima that the action asked for, or rank 0's figures. After time_call: seconds. After host: seconds, and whether
  // guests have met.
  std::vector<double> figures;
  Instruction message;  // after send_message
  std::shared_ptr<const Wishes> wishes;
  std::vector<Count> nodes;                 // of the group
  std::vector<PlannedWay> made;             // the plans that were made
  std::string why;                          // the reason if there is no plan, exchange, group or trial
  double choice_s = 0, plan_s = 0;          // seconds that choosing what to try and making a plan took; 0: not measured
  std::vector<double> vendors_s;            // times of the MPI library in a trial, on the slowest rank
  std::vector<std::vector<double>> ours_s;  // the same times of each of our ways
};

// The group of a communicator's ranks.
struct GroupState {
  bool exists = false, has_exchange = false;
  std::string why_not;       // the reason if there can be none
  std::vector<Count> nodes;  // Communicator::nodes
};

// What a rank knows of the present meeting.
struct MeetingState {
  bool is_guest = false, had_group = false;
  bool knows_accounts = false;
  double spent_s = 0;         // what this rank had spent when the ranks agreed
  double others_spent_s = 0;  // the greatest account of all ranks minus this rank's account; kept until the ranks agree again
  double began_s = 0;         // when the ranks began to carry out the message
  std::size_t next_kind = 0;
  std::vector<PlannedWay> made;
  std::vector<double> vendors_s;  // of the trials so far
  std::vector<std::vector<double>> ours_s;
  int trials = 0;
  // Rank 0.
  double wanted_ratio = 0;                                          // the run must be this factor longer to pay for a step
  double short_s = 0;                                               // seconds of a short call, as far as it is known
  std::vector<std::pair<CallKind*, std::vector<double>>> gathered;  // trials to conclude, and the sums of their times
  std::vector<double> means;  // Alternation::times() of the trial that is concluded, means over the ranks
};

// What one rank knows of one communicator.
struct State {
  // Members that each call reads come first.
  Meetings meetings{1};
  bool is_asked = false, asks_host = false;
  bool has_synchronised = false;  // there was a call that synchronises

  // Equal on all ranks, except `rank`, `own_wishes` and figures in seconds.
  Rank rank = 0;
  Count ranks = 1;
  bool is_world = false;        // MPI_COMM_WORLD, in whose meetings guests may decide, too
  bool admits_at_once = false;  // for tests: ours runs calls from the second one on, even if it is slower
  // The ranks of the world / those of this communicator: the factor with which time spent here counts in the account. A program's
  // ranks wait for each other, so work of a quarter of the ranks can delay all ranks, and the other quarters may do such work at
  // other times.
  double weight = 1;
  std::string own_wishes;  // text_of_wishes of this process's environment and file
  double tick_s = 1e-9;    // seconds of a tick, by this rank's clock

  std::vector<CallKind*> kinds;          // by their numbers
  std::shared_ptr<const Wishes> wishes;  // the user's, and findings; equal on all ranks; null: not known yet
  GroupState group;
  std::optional<double> short_call_s;  // seconds of a short call, once it was timed
  // While calls_so_far() is below this number, this communicator, as a guest, has nothing to decide, unless ask() was called.
  std::uint64_t next_as_guest = Meetings::at_the_latest;
  double worth_of_guests = 0;  // ticks: the greatest worth_ticks() of the ranks' first guests; equal on all ranks

  // The action that the rank carries out now, and the message that asked for it.
  Do doing = Do::leave;
  Instruction message;
  MeetingState meeting;

  // Counts a call that synchronises the ranks, and returns whether they meet in it. Equal on all ranks.
  bool meets(double call_price_s) { return meetings.counts(call_price_s) || is_asked; }
  // Makes the ranks meet in their next call that synchronises. All ranks must ask in the same call.
  void ask() { is_asked = asks_host = true; }
  // For a new kind: asks if the user's rules name what runs the calls. If earlier runs made such calls, the ranks meet soon.
  void ask_for(const CallKind& kind) {
    if (!wishes) return;
    if (wishes->rules.find(kind.called, kind.key.block_bytes)) ask();
    if (wishes->findings.find(kind, ranks, {})) meetings.expect();
  }

  // For a new kind, or one whose calls are counted: if another kind of its class has an elastic plan, that plan runs the calls from
  // now on. Equal on all ranks, because all ranks make the same kinds between the same two meetings.
  void let_share(CallKind& kind) const;
  std::int32_t mates_of(const CallKind& kind) const;  // how many other kinds are of the same class

  double seconds_of(double ticks) const { return ticks * tick_s; }
  std::uint64_t calls_so_far() const;
  // The ticks that this rank has spent in the calls about which guests may decide; `asked_for` after ask(). Ranks with equal
  // counts of calls all return 0, or none of them does.
  double worth_ticks() const;
};

// Computes what the rank does next, after `event`. Changes `state`, its kinds, and `process`. Other threads may change `process`
// between two steps.
Action step(State& state, DecidingProcess& process, const Event& event);

// The message that rank 0 sends next, after `now_s` seconds of the run; a part of step().
Instruction next_instruction(State& state, DecidingProcess& process, double now_s);

}  // namespace quadrille::mpi_face
