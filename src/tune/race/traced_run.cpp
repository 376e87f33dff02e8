// SPDX-License-Identifier: BSD-3-Clause
// Runs an observed plan, converts the ranks' time stamps to one clock, and gathers them at rank 0.
#include "quadrille/traced_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "execute/executors.hpp"
#include "execute/script/execution_record.hpp"
#include "foundation/assert.hpp"
#include "plan/gathered.hpp"
#include "plan/plan.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/transports.hpp"
#include "schedule/ordering.hpp"
#include "trace/message_index.hpp"
#include "tune/race/clocks.hpp"

namespace quadrille {
namespace {

// The kinds of facts that a rank tells rank 0. All times are of the reference clock.
enum class ToldKind : std::int64_t { whole, send, receive, local, wait, packing };

struct Told {
  ToldKind kind = ToldKind::whole;
  Rank peer = 0;     // of a message: the other rank
  Count number = 0;  // of a message: in its channel; of a local operation: in its round
  Count round = 0;   // the round; not used for messages
  Nanoseconds begin = 0, end = 0;
};

// Converts the ticks of an execution to times of the reference clock. Ticks and the monotonic clock are compared at two moments,
// before and after the execution. Ranks that read the same clock also have the same ticks. Such ranks all use the two moments of
// one of them, so that they all have the same error of comparison.
class TickConversion {
 public:
  TickConversion(const Clocks& clocks, const TickMoment& before, const TickMoment& after)
      : clocks_(clocks), before_(before), rate_(tick_rate(before, after)) {}

  Nanoseconds operator()(std::uint64_t ticks) const {
    const double seconds = rate_ > 0 ? static_cast<double>(static_cast<std::int64_t>(ticks - before_.ticks)) / rate_ : 0;
    return clocks_.reference(before_.monotonic_ns + std::llround(seconds * 1e9));
  }

 private:
  const Clocks& clocks_;
  const TickMoment before_;
  const double rate_;  // ticks per second
};

// Lists what a rank tells of its execution.
class Teller {
 public:
  Teller(const Script& script, const Program& program, const TickConversion& time)
      : script_(script), program_(program), record_(*script.record), time_(time) {}

  std::vector<Told> list() && {
    add(ToldKind::whole, 0, 0, 0, record_.whole());
    if (script_.policy == Policy::dataflow)
      add_tasks();
    else
      add_windows();
    return std::move(list_);
  }

 private:
  void add(ToldKind kind, Rank peer, Count number, Count round, const TickSpan& span) {
    list_.push_back({kind, peer, number, round, time_(span.begin), time_(span.end)});
  }

  void add_message(std::uint32_t index, std::uint64_t posted) {
    const ScriptMessage& message = script_.messages[index];
    add(message.is_send ? ToldKind::send : ToldKind::receive, message.peer, message.ordinal, 0,
        {posted, std::max(posted, record_.completed()[index])});
  }

  void add_windows() {
    for (std::size_t i = 0; i < script_.windows.size(); ++i) {
      const Window& window = script_.windows[i];
      const ExecutionRecord::Wait& wait = record_.waits_begin()[i];
      add_copies(window, record_.copies_before()[i]);
      for (std::uint32_t k = window.messages.first; k < window.messages.last; ++k) add_message(k, wait.time.begin);
      if (window.messages.size() > 0) add(ToldKind::wait, 0, 0, wait.round, wait.time);
      if (window.copies_after.size() > 0) add(ToldKind::packing, 0, 0, window.last_round, record_.copies_after()[i]);
    }
  }

  // The copies before the messages of a window: all local operations of its rounds, and packing.
  void add_copies(const Window& window, const TickSpan& span) {
    if (window.copies_before.size() == 0) return;
    bool has_locals = false;
    for (const Round& round : program_.rounds) {
      if (round.number < window.first_round || round.number > window.last_round) continue;
      for (Count k = 0; k < size(round.locals); ++k) add(ToldKind::local, 0, k, round.number, span);
      has_locals = has_locals || !round.locals.empty();
    }
    if (!has_locals) add(ToldKind::packing, 0, 0, window.first_round, span);
  }

  void add_tasks() {
    for (std::size_t i = 0; i < script_.tasks.size(); ++i) {
      const Task& task = script_.tasks[i];
      if (task.message != Task::no_message)
        add_message(task.message, record_.posted()[task.message]);
      else if (task.copies.size() > 0)
        add(task.local >= 0 ? ToldKind::local : ToldKind::packing, 0, task.local, task.round, record_.copies_before()[i]);
    }
    for (const auto* wait = record_.waits_begin(); wait != record_.waits_end(); ++wait)
      add(ToldKind::wait, 0, 0, wait->round, wait->time);
  }

  const Script& script_;
  const Program& program_;
  const ExecutionRecord& record_;
  const TickConversion& time_;
  std::vector<Told> list_;
};

// Collective: returns the lists of all ranks.
ByRank<std::vector<Told>> all_lists(Communicator& ranks, std::vector<Told> mine) {
  const ByRank<Count> lengths = gathered(ranks, size(mine));
  const Count longest = *std::max_element(lengths.begin(), lengths.end());
  mine.resize(index(longest));
  std::vector<Told> all(index(longest * ranks.size()));
  ranks.all_gather(mine.data(), all.data(), longest * static_cast<Bytes>(sizeof(Told)));
  ByRank<std::vector<Told>> lists;
  for (Rank rank = 0; rank < ranks.size(); ++rank) {
    const auto first = all.begin() + rank * longest;
    lists.emplace_back(first, first + lengths[rank]);
  }
  return lists;
}

// Returns the index of the first local operation of each rank and round.
std::map<std::pair<Rank, Count>, std::size_t> first_locals(const Trace& trace) {
  std::map<std::pair<Rank, Count>, std::size_t> first;
  for (std::size_t i = 0; i < trace.locals.size(); ++i) first.try_emplace({trace.locals[i].rank, trace.locals[i].round}, i);
  return first;
}

TracedTime executed_time(const Trace& trace, const ByRank<std::vector<Told>>& lists) {
  TracedTime time{.kind = TimeKind::executed, .unit = TimeUnit::nanosecond};
  time.sends.resize(trace.messages.size());
  time.receives.resize(trace.messages.size());
  time.locals.resize(trace.locals.size());
  const MessagesByChannel messages(trace);
  const auto locals = first_locals(trace);
  Nanoseconds zero = std::numeric_limits<Nanoseconds>::max();
  QUADRILLE_ASSERT(std::none_of(lists.begin(), lists.end(), [](const auto& list) { return list.empty(); }));
  for (const auto& list : lists) zero = std::min(zero, list.front().begin);
  for (Rank rank = 0; rank < std::ssize(lists); ++rank)
    for (const Told& told : lists[index(rank)]) {
      const TimeInterval interval{told.begin - zero, std::max(told.begin, told.end) - zero};  // cores' counters may differ
      switch (told.kind) {
        case ToldKind::whole:
          time.rank_ends.push_back(interval.end);
          time.end = std::max(time.end, interval.end);
          break;
        case ToldKind::send: time.sends[messages.message(rank, told.peer, told.number)] = interval; break;
        case ToldKind::receive: time.receives[messages.message(told.peer, rank, told.number)] = interval; break;
        case ToldKind::local: time.locals.at(locals.at({rank, told.round}) + index(told.number)) = interval; break;
        case ToldKind::wait: time.waits.push_back({rank, told.round, interval}); break;
        case ToldKind::packing: time.packing.push_back({rank, told.round, interval}); break;
      }
    }
  QUADRILLE_ASSERT(size(time.rank_ends) == trace.problem.ranks);
  const auto in_order = [](std::vector<TracedActivity>& list) {
    std::stable_sort(list.begin(), list.end(), [](const TracedActivity& a, const TracedActivity& b) {
      return std::tie(a.rank, a.time.begin) < std::tie(b.rank, b.time.begin);
    });
  };
  in_order(time.waits);
  in_order(time.packing);
  return time;
}

}  // namespace

struct TracedPlan::State {
  State(Communicator& group, const Schedule& made, const PlanOptions& options)
      : ranks(group),
        schedule(made),
        policy(options.policy),
        observed(observed_plan(ranks, schedule, false, options)),
        clocks(ranks) {
    clocks.compare();
  }

  Communicator& ranks;
  const Schedule schedule;
  const Policy policy;
  ObservedPlan observed;
  Clocks clocks;
  std::optional<TickMoment> before, after;  // the begin and the end of the last execution
};

TracedPlan::TracedPlan(Group group, const Schedule& schedule, const PlanOptions& options) {
  if (options.in_place) throw Error(ErrorCode::misuse, "runs in place are not traced; leave in_place out");
  plan(group, schedule, options);  // verifies the schedule, and checks that all ranks pass the same one
  state_ = std::make_unique<State>(group, schedule, options);
}

TracedPlan::~TracedPlan() = default;

void TracedPlan::execute(const void* input, void* output) {
  state_->before = TickMoment::now();
  state_->observed.plan.execute(input, output);
  state_->after = TickMoment::now();
}

Trace TracedPlan::trace() {
  auto& [ranks, schedule, policy, observed, clocks, before, after] = *state_;
  if (!after) throw Error(ErrorCode::misuse, "nothing has been executed since the last trace; call execute first");
  clocks.compare();
  struct Moments {
    TickMoment before, after;
  };
  const Moments common = gathered(ranks, Moments{*before, *std::exchange(after, {})})[clocks.first_of_clock()];
  const TickConversion conversion(clocks, common.before, common.after);
  const ByRank<std::vector<Told>> lists =
      all_lists(ranks, Teller(*observed.script, schedule.program(ranks.rank()), conversion).list());
  if (ranks.rank() != 0) return {};
  Trace trace = trace_of(schedule);
  TracedTime time = executed_time(trace, lists);
  time.policy = name(policy);
  time.executor = name(observed.plan.executor());
  time.title = fmt::format("executed {}{}, {}", row_of(observed.plan.executor()).phrase,
                           ranks.transport_name() == name(TransportKind::threads) ? " among threads" : "", time.policy);
  if (clocks.bound() > 0) time.clock_bound = clocks.bound();
  trace.times.push_back(std::move(time));
  return trace;
}

Trace traced_run(Group group, const Schedule& schedule, const PlanOptions& options, const void* input, void* output, int warm_up) {
  TracedPlan plan(group, schedule, options);
  for (int run = 0; run < warm_up; ++run) plan.execute(input, output);
  Communicator& ranks = group;
  ranks.barrier();
  plan.execute(input, output);
  return plan.trace();
}

}  // namespace quadrille
