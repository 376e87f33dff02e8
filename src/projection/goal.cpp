// SPDX-License-Identifier: BSD-3-Clause
// Writes a projected run as GOAL. Calls of different ranks are matched first, because a call's schedule depends on the arguments of
// all members. Then the ranks are written one after the other, as GOAL demands.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <optional>
#include <unordered_map>

#include "projection/call_prices.hpp"
#include "projection/call_problem.hpp"
#include "projection/projection.hpp"
#include "projection/replay.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/forms/goal.hpp"
#include "schedule/symmetry.hpp"

namespace quadrille {
namespace {

using namespace projection;

constexpr Count most_operations = Count{1} << 26;
constexpr double most_computing_s = 9e9;  // the limit, which is below 2^63 nanoseconds

struct GoalCall {
  std::optional<Schedule> schedule;  // nothing: the call takes its recorded time
  Policy policy = Policy::blocking;
  Count operations = 0;  // the operations of all ranks
  double then_s = 0;     // how long each rank computes afterwards
};

bool makes_communicator(const RecordedSite& site) { return site.kind == RecordedKind::making && makes_together(site.function); }

class GoalCalls {
 public:
  GoalCalls(const Recording& recording, const ProjectionOptions& options, Implementation side)
      : recording_(recording),
        side_(static_cast<std::size_t>(side)),
        prices_(recording, options),
        matching_(recording),
        kinds_(recording) {
    calls_.resize(recording.communicators.size());
    match();
  }

  bool is_matched(std::size_t communicator) const { return matching_.is_matched(communicator); }
  std::size_t member_of(std::size_t communicator, Rank rank) const { return matching_.member_of(communicator, rank); }

  // The number-th call on the communicator, or null if not all members have entered it.
  const GoalCall* call(std::size_t communicator, std::size_t number) const {
    const auto& calls = calls_[communicator];
    return number < calls.size() ? calls[number] : nullptr;
  }

 private:
  void match() {
    std::vector<RecordedCalls> entries;
    for (const RecordedRank& rank : recording_.ranks) entries.emplace_back(rank);
    Count operations = 0;
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (std::size_t rank = 0; rank < entries.size(); ++rank) {
        const auto entry = entries[rank].next();
        if (!entry) continue;
        goes_on = true;
        ++operations;  // the computing before the call
        if (const GoalCall* const call = enter(static_cast<Rank>(rank), *entry)) operations += call->operations;
        if (operations > most_operations)
          throw Error(ErrorCode::too_large,
                      fmt::format("the run has more than {} operations, too many for a file of GOAL; record fewer "
                                  "repetitions or fewer ranks",
                                  most_operations));
      }
    }
  }

  // Returns the call if this rank is the last one to enter it; otherwise null.
  const GoalCall* enter(Rank rank, const RecordedCall& entry) {
    const RecordedSite& site = recording_.sites[entry.site];
    const bool makes = makes_communicator(site);
    if (!makes && site.kind != RecordedKind::collective && site.kind != RecordedKind::start) return nullptr;
    if (!is_matched(site.communicator)) return nullptr;
    const std::size_t member = member_of(site.communicator, rank);
    MatchedCall& call = matching_.next(site.communicator, member);
    call.sites[member] = entry.site;
    call.shortest_s = std::min(call.shortest_s, entry.duration_s);
    ++call.entered;
    if (!call.is_complete()) return nullptr;
    const GoalCall& known = makes ? making(static_cast<Count>(call.sites.size()), call.shortest_s)
                                  : of(prices_.of(site.communicator, call.sites, kinds_.next(call.sites.front())));
    calls_[site.communicator].push_back(&known);
    for (std::size_t i = 0, members = call.sites.size(); i < members; ++i) matching_.leave(call);
    return &known;
  }

  const GoalCall& of(const PricedCall& priced) {
    const auto [place, is_new] = known_.try_emplace(&priced);
    GoalCall& call = place->second;
    if (!is_new || !priced.priced->by[side_]) return call;
    const SidePrice& price = *priced.priced->by[side_];
    const auto problem = problem_of_call(recording_, priced.sites, prices_.nodes_of(priced.communicator));
    call.schedule = make_schedule(*problem, price.choice);
    call.policy = price.price.policy;
    call.operations = operation_count(*call.schedule, most_operations);
    return call;
  }

  // The members wait for each other. After that the call takes the shortest recorded duration: the duration at the member that
  // waited least.
  const GoalCall& making(Count ranks, double shortest_s) {
    GoalCall& call = makings_.emplace_back();
    call.schedule = make_schedule(Problem::barrier(ranks), "dissemination");
    call.operations = operation_count(*call.schedule, most_operations);
    call.then_s = shortest_s;
    return call;
  }

  const Recording& recording_;
  const std::size_t side_;
  CallPrices prices_;
  Matching matching_;
  CallKinds kinds_;
  std::unordered_map<const PricedCall*, GoalCall> known_;
  std::deque<GoalCall> makings_;
  std::vector<std::vector<const GoalCall*>> calls_;  // by communicator
};

class WrittenRank {
 public:
  WrittenRank(Printer& out, const Recording& recording, const ProjectionOptions& options, const GoalCalls& calls,
              const std::vector<std::uint32_t>& starts, Rank rank)
      : recording_(recording), options_(options), calls_(calls), starts_(starts), rank_(rank), out_(out, rank) {
    made_.resize(recording.communicators.size(), 0);
    for (std::size_t i = 0; i < made_.size(); ++i) tags_.emplace_back(static_cast<Count>(i), static_cast<Count>(made_.size()));
  }

  void write() {
    RecordedCalls entries(recording_.ranks[index(rank_)]);
    while (const auto entry = entries.next()) {
      passed_s_ += entry->gap_s * options_.computing + entry->away_s * options_.away;
      take(*entry);
    }
    pass();
    out_.end();
  }

 private:
  // A nonblocking collective that the rank has started and not completed.
  struct Started {
    std::uint32_t site;
    GoalRank::Label done;
  };

  void take(const RecordedCall& entry) {
    const RecordedSite& site = recording_.sites[entry.site];
    if (site.kind == RecordedKind::collective || makes_communicator(site)) {
      if (const GoalCall* const call = next(site.communicator)) {
        now_ = run(*call, site.communicator);
        passed_s_ += call->then_s;
      } else {
        passed_s_ += entry.duration_s;
      }
      return;
    }
    switch (site.kind) {
      case RecordedKind::start:
        if (const GoalCall* const call = next(site.communicator)) started_.push_back({entry.site, run(*call, site.communicator)});
        passed_s_ += entry.duration_s;
        return;
      case RecordedKind::completion: {
        const auto oldest =
            std::find_if(started_.begin(), started_.end(), [&](const Started& each) { return each.site == starts_[entry.site]; });
        if (oldest == started_.end()) {
          passed_s_ += entry.duration_s;
          return;
        }
        pass();
        now_ = out_.calc(0, std::array{now_, oldest->done});
        started_.erase(oldest);
        return;
      }
      case RecordedKind::collective:
      case RecordedKind::point_to_point:
      case RecordedKind::making:
      case RecordedKind::others: passed_s_ += entry.duration_s; return;
    }
  }

  // The rank's next call on the communicator, if it has a schedule.
  const GoalCall* next(std::size_t communicator) {
    if (!calls_.is_matched(communicator)) return nullptr;
    const GoalCall* const call = calls_.call(communicator, made_[communicator]++);
    return call && call->schedule ? call : nullptr;
  }

  GoalRank::Label run(const GoalCall& call, std::size_t communicator) {
    pass();
    const auto member = static_cast<Rank>(calls_.member_of(communicator, rank_));
    auto known = programs_.find(&call);
    if (known == programs_.end())
      known = programs_.emplace(&call, ordered_for_goal(call.schedule->program(member), call.policy)).first;
    return out_.run(known->second, recording_.communicators[communicator].members, tags_[communicator], now_);
  }

  // Writes the time that has passed since the last call, in whole nanoseconds, and keeps the fraction for the next time.
  void pass() {
    if (passed_s_ > most_computing_s)
      throw Error(ErrorCode::too_large,
                  fmt::format("rank {} computes for more than {:g} s, which GOAL cannot say", rank_, most_computing_s));
    const auto nanoseconds = static_cast<Count>(std::floor(passed_s_ * 1e9));
    if (nanoseconds <= 0) return;
    passed_s_ -= static_cast<double>(nanoseconds) * 1e-9;
    now_ = out_.calc(nanoseconds, std::array{now_});
  }

  const Recording& recording_;
  const ProjectionOptions& options_;
  const GoalCalls& calls_;
  const std::vector<std::uint32_t>& starts_;
  const Rank rank_;
  GoalRank out_;
  GoalRank::Label now_ = GoalRank::none;  // the label of the rank's last operation
  double passed_s_ = 0;
  std::vector<std::size_t> made_;  // how many calls were made, by communicator
  std::vector<GoalTags> tags_;     // by communicator
  std::vector<Started> started_;
  std::unordered_map<const GoalCall*, OrderedProgram> programs_;
};

}  // namespace

void write_goal(std::ostream& out, const Recording& recording, const ProjectionOptions& options, Implementation side) {
  check(recording, options);
  if (options.total_cores > 0 || options.without_late_ranks)
    throw Error(ErrorCode::misuse, "GOAL can say neither that ranks share cores nor that none is late");
  const GoalCalls calls(recording, options, side);
  const std::vector<std::uint32_t> starts = starts_of(recording);
  Printer printer(out);
  printer.print("num_ranks {}\n", recording.world_size);
  for (Rank rank = 0; rank < recording.world_size; ++rank) WrittenRank(printer, recording, options, calls, starts, rank).write();
  printer.flush();
}

}  // namespace quadrille
