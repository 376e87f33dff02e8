// SPDX-License-Identifier: BSD-3-Clause
// A kind of calls on one communicator: how many there were, how long they took, and whether Quadrille ("ours") or the MPI library
// ("the vendor") runs them. All ranks make the same kinds in the same order, and the kinds change their modes in the same calls
// on all ranks. Values only; nothing here depends on MPI.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/arithmetic.hpp"
#include "foundation/hash.hpp"
#include "mpi_face/policy/alternation.hpp"
#include "mpi_face/symbols/function.hpp"
#include "plan/capacity.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille::mpi_face {

constexpr double enough_gain = 0.9;  // a plan is taken if it takes at most this fraction of the MPI library's time

// Number of executions in a trial that are timed together. In a program's loop consecutive calls overlap, which the times of
// single calls after a barrier would not show. Also, the clock's and the barrier's errors are as long as a short call. `moved`:
// bytes that leave or reach a rank in a call.
inline int batch_of_trial(Bytes moved) {
  if (moved <= 4 << 10) return 32;
  if (moved <= 64 << 10) return 8;
  return moved <= 1 << 20 ? 4 : 2;
}
constexpr int repetitions_of_trial = 4;  // repetitions of ours and of the MPI library's; the first is a warm-up

// The number of the call, a power of two, in which our algorithm is next compared with the MPI library's. The distance between
// comparisons is so large that trials make at most a few percent of all calls.
inline std::uint64_t next_epoch(std::uint64_t calls, Bytes moved) {
  constexpr std::uint64_t calls_for_each_of_trial = 32;
  const auto calls_of_trial = static_cast<std::uint64_t>(2 * repetitions_of_trial * batch_of_trial(moved));
  return std::bit_ceil(std::max(calls + 1, calls_for_each_of_trial * calls_of_trial));
}

// Other work of the ranks disturbs a trial of the program's own calls. So if Quadrille loses such a trial by little, there may be
// a second one. Returns the number of the first call in which the second trial may begin; nothing if the first was lost by far.
// `ratio`: our time / the MPI library's.
inline std::optional<std::uint64_t> second_trial_after(std::uint64_t calls, double ratio) {
  constexpr double lost_by_far = 1.3;
  return ratio < lost_by_far ? std::optional(4 * calls) : std::nullopt;
}

// Times of a plan and of the MPI library's function, in seconds; ours_s[i] and vendors_s[i] belong to the same repetition.
struct TrialTimes {
  std::vector<double> ours_s, vendors_s;
  // The median of ours_s[i] / vendors_s[i]. Requires at least one repetition.
  double ratio() const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours_s.size(); ++i) ratios.push_back(ours_s[i] / std::max(vendors_s[i], 1e-9));
    return median_of(std::move(ratios));
  }
};

// The times of the calls that the MPI library ran, in ticks.
class CallTimes {
 public:
  static constexpr std::uint64_t calls_of_window = 8;

  void count(std::uint64_t ticks) {
    ++calls_, ticks_ += ticks, window_ticks_ += ticks;
    if (calls_ % calls_of_window == 0) least_window_ticks_ = std::min(least_window_ticks_, std::exchange(window_ticks_, 0));
  }

  std::uint64_t calls() const { return calls_; }
  std::uint64_t ticks() const { return ticks_; }

  // Estimates the time of a call: the least mean over `calls_of_window` consecutive calls, or the mean of all if there were
  // fewer. The time of a single call may lack waits for cores that ranks share; a mean over all calls would contain long waits
  // for late ranks. Requires at least one call.
  double ticks_of_call() const {
    if (least_window_ticks_ != never) return static_cast<double>(least_window_ticks_) / static_cast<double>(calls_of_window);
    return static_cast<double>(ticks_) / static_cast<double>(calls_);
  }

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t calls_ = 0, ticks_ = 0;
  std::uint64_t window_ticks_ = 0, least_window_ticks_ = never;  // of the present window of calls, and of the shortest one so far
};

// What all calls of one kind on a communicator have in common.
struct Key {
  Bytes block_bytes = 0;
  Function function = Function::Barrier;
  Rank root = 0;                // for rooted collectives
  int element = -1;             // for reductions (ElementType::number)
  Bytes type_bytes = 0;         // of an element
  std::uint64_t operation = 0;  // for reductions: bits of the operator's handle
  std::uint64_t counts = 0;     // a hash of the shares or blocks; 0: there are none
  bool operator==(const Key&) const = default;
};

inline std::uint64_t hash_of(const Key& key) {
  auto hash = static_cast<std::uint64_t>(key.function);
  for (const std::uint64_t field : {static_cast<std::uint64_t>(key.block_bytes), static_cast<std::uint64_t>(key.root),
                                    static_cast<std::uint64_t>(key.element), key.operation, key.counts})
    hash = hash_with(hash, field);
  return hash;
}

// Calls whose keys differ only in the block size are of one class if one elastic plan can run them (plan/capacity.hpp). Returns the
// largest block of the class; 0 if there is no class.
inline Bytes capacity_of(const Key& key) {
  return key.counts != 0 || is_exchanged(key.function)
             ? 0
             : quadrille::capacity_of(key.block_bytes, std::max<Bytes>(key.type_bytes, 1));
}

inline bool are_of_one_class(const Key& a, Key b) {
  const Bytes capacity = capacity_of(a);
  if (capacity == 0 || capacity != capacity_of(b)) return false;
  b.block_bytes = a.block_bytes;
  return a == b;
}

// How a plan runs calls, and why it is taken, for the report.
struct PlannedWay {
  std::optional<Way> way;  // absent if the user named the algorithm
  std::string why;
  bool is_elastic = false;  // the plan runs the calls of all kinds of the class
};

// When trials of a kind are due, as numbers of calls, and the results of its trials.
struct TrialsOfKind {
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t next = never;  // mode ours: the first call in which ours may again be compared with the MPI library's
  // Mode counting, after a trial in place that was lost by little: the first call in which there may be another trial.
  std::uint64_t second = 0;
  double put_off_s = 0;                // rank 0, mode counting: the cost of a trial that was put off as too costly
  std::vector<PlannedWay> contenders;  // of a trial in place; none for exchanges
  TrialTimes times;                    // of the latest trials
  std::uint64_t saved_until = 0;       // rank 0: the call up to which saved_s() has counted
  bool ignores_findings = false;       // of earlier runs, because there was a trial in this run
};

struct alignas(64) CallKind {  // 64: a cache line, see below
  enum class Mode : std::uint8_t {
    counting,  // the MPI library runs the calls; Quadrille may do so later
    trying,    // both run them alternately
    ours,
    vendor,  // the MPI library runs the calls for good, unless the user asks for a race
  };
  // Has the user named what runs the calls? `refused`: the rule does not fit the problem.
  enum class Rule : std::uint8_t { none, followed, refused };

  // In calls that the MPI library runs, only the members up to the key's block size are used. These members share a cache line,
  // because in a program with many kinds of calls they are rarely cached.
  std::uint64_t calls = 0;
  Mode mode = Mode::counting;
  bool is_rooted = false, synchronises = false;
  bool is_described = false;  // in the report: false if the mode, `why` or the times of trials have changed since
  double price_s = 0;         // expected time of a call, equal on all ranks; decides when the ranks meet
  CallTimes vendor_times;     // of the calls that the MPI library ran while the mode was `counting`, on this rank
  Key key;
  // On rank 0, for calls that do not synchronise: seconds of a call and of all calls, each on the rank where it was longest,
  // until the latest meeting. (A root may leave a broadcast long before the others have its data.)
  struct {
    double call_s = 0, all_s = 0;
  } slowest;

  std::uint32_t number = 0;         // among the communicator's kinds
  std::string_view operation_name;  // for reductions: Operator::name, which is the same in all runs
  std::string_view called;          // in the user's rules: a collective's name, or the function's
  Bytes moved = 0;                  // bytes that leave or reach a rank in a call; 0 for exchanges
  bool knows_blocks = false;        // exchanges without a root: a rank has remembered its blocks for a trial
  std::string why;                  // the reason for this mode; for the MPI library a sentence of cause.hpp
  std::optional<Way> way;           // mode ours: of the plan, if it was chosen and not named by the user
  Rule rule = Rule::none;
  bool is_elastic = false;           // mode ours: its own plan runs the calls of all kinds of its class
  CallKind* plan_of = nullptr;       // mode ours: the kind whose elastic plan runs the calls; null: the kind has a plan of its own
  bool is_tuned = false;             // candidates were raced during the program's run
  std::optional<Alternation> trial;  // mode trying: a trial in place
  TrialsOfKind trials;

  bool may_be_ours() const { return mode == Mode::ours || mode == Mode::trying; }  // may ours run its next call?
  bool is_exchanged() const { return mpi_face::is_exchanged(key.function); }

  // Returns the seconds that our calls have saved since this was last asked, by the times of the latest trials.
  double saved_s() {
    const std::uint64_t first = std::exchange(trials.saved_until, calls);
    if (calls == first || mode != Mode::ours || trials.times.ours_s.empty()) return 0;
    return static_cast<double>(calls - first) * (median_of(trials.times.vendors_s) - median_of(trials.times.ours_s));
  }

  // Lets the elastic plan of another kind run the calls. They need no trials of their own.
  void share(CallKind& owner) {
    mode = Mode::ours;
    plan_of = &owner;
    way = owner.way;
    why = "the plan of other calls of about this size also runs these";
    is_described = false;
  }

  // Leaves the calls to the MPI library for good.
  void leave(std::string cause) {
    mode = Mode::vendor;
    way.reset(), trial.reset(), trials.contenders.clear();
    is_elastic = false, plan_of = nullptr;
    why = std::move(cause);
    is_described = false;
  }
};

}  // namespace quadrille::mpi_face
