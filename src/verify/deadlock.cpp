// SPDX-License-Identifier: BSD-3-Clause
// Runs the programs at their own pace under a rendezvous protocol: a message completes when both ends have posted it, the
// k-th send from i to j meeting the k-th receive at j from i, as executors match them. What is left over is a deadlock.
#include <fmt/format.h>

#include <deque>
#include <map>

#include "schedule/dependence.hpp"
#include "schedule/transform.hpp"
#include "verify/report.hpp"

namespace quadrille {
namespace {

constexpr std::size_t none = no_operation;

// One rank. An operation is *posted* when all it waits for is complete; a local operation completes at once.
struct RankState {
  DependenceGraph graph;
  std::vector<std::vector<std::size_t>> releases;  // completing i counts down these
  std::vector<std::size_t> waits_for;              // completions still missing before the operation is posted
  std::vector<std::size_t> next_in_channel;        // is posted after this one, none at the end
  std::vector<bool> channel_open;                  // all before it in its channel are posted
  std::vector<bool> posted, complete;
};

class Rendezvous {
 public:
  Rendezvous(const std::vector<Program>& programs, Policy policy, Report& report) : policy_(policy), report_(report) {
    for (const Program& program : programs) programs_.push_back(with_control_messages(program));
    for (const Program& program : programs_) ranks_.push_back(prepared(program));
    match();
  }

  void run() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      for (std::size_t i = 0; i < ranks_[rank].posted.size(); ++i) try_to_post(rank, i);
    while (!ready_.empty()) {
      const auto [rank, operation] = ready_.front();
      ready_.pop_front();
      for (const std::size_t next : ranks_[rank].releases[operation])
        if (--ranks_[rank].waits_for[next] == 0) try_to_post(rank, next);
    }
    report_stuck();
  }

 private:
  using Place = std::pair<std::size_t, std::size_t>;  // rank, operation

  RankState prepared(const Program& program) const {
    RankState state{dependences(program), {}, {}, {}, {}, {}, {}};
    const std::size_t count = state.graph.operations.size();
    state.releases.resize(count);
    state.waits_for.assign(count, 0);
    state.next_in_channel.assign(count, none);
    state.channel_open.assign(count, true);
    state.posted.assign(count, false);
    state.complete.assign(count, false);
    const auto wait = [&](std::size_t operation, std::size_t on) {
      state.releases[on].push_back(operation);
      ++state.waits_for[operation];
    };
    if (policy_ == Policy::dataflow) {
      for (std::size_t i = 0; i < count; ++i)
        for (const Dependence& dependence : state.graph.before[i]) {
          // A send whose memory a receive of the same round overwrites is packed before either is posted.
          const bool packed = dependence.hazard == Hazard::write_after_read &&
                              state.graph.operations[dependence.on].kind == OperationKind::send &&
                              state.graph.operations[dependence.on].round == state.graph.operations[i].round;
          if (!packed) wait(i, dependence.on);
        }
    } else {
      wait_for_windows(program, state, wait);
    }
    const auto previous = previous_in_channel(program, state.graph);
    for (std::size_t i = 0; i < count; ++i)
      if (previous[i] != none) {
        state.next_in_channel[previous[i]] = i;
        state.channel_open[i] = false;
      }
    return state;
  }

  // Everything of a window waits for everything of the one before; locals come first in their window.
  void wait_for_windows(const Program& program, const RankState& state, const auto& wait) const {
    const auto window = windows(program, state.graph, policy_);
    std::vector<std::size_t> before, current;
    std::size_t number = 0;
    for (std::size_t i = 0; i < state.graph.operations.size(); ++i) {
      const std::size_t mine = window[state.graph.operations[i].round];
      if (mine != number) {
        before = std::exchange(current, {});
        number = mine;
      }
      for (const std::size_t earlier : before) wait(i, earlier);
      current.push_back(i);
    }
  }

  void match() {
    std::map<std::pair<Rank, Rank>, std::deque<Place>> sends;
    for_each_message([&](Place place, const Message& message, OperationKind kind) {
      if (kind == OperationKind::send) sends[{static_cast<Rank>(place.first), message.peer}].push_back(place);
    });
    for_each_message([&](Place place, const Message& message, OperationKind kind) {
      if (kind != OperationKind::receive) return;
      auto& queue = sends[{message.peer, static_cast<Rank>(place.first)}];
      if (queue.empty()) return;
      other_end_[place] = queue.front();
      other_end_[queue.front()] = place;
      queue.pop_front();
    });
  }

  template <class Visit>
  void for_each_message(Visit&& visit) const {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      for (std::size_t i = 0; i < ranks_[rank].graph.operations.size(); ++i)
        if (const OperationKind kind = ranks_[rank].graph.operations[i].kind; kind != OperationKind::local)
          visit(Place{rank, i}, ranks_[rank].graph.message(programs_[rank], i), kind);
  }

  void try_to_post(std::size_t rank, std::size_t operation) {
    RankState& state = ranks_[rank];
    // A channel that opens may let several posts through.
    while (operation != none && !state.posted[operation] && state.waits_for[operation] == 0 && state.channel_open[operation]) {
      state.posted[operation] = true;
      if (state.graph.operations[operation].kind == OperationKind::local) {
        complete({rank, operation});
        return;
      }
      if (const auto other = other_end_.find({rank, operation});
          other != other_end_.end() && ranks_[other->second.first].posted[other->second.second]) {
        complete(other->second);
        complete({rank, operation});
      }
      operation = state.next_in_channel[operation];
      if (operation != none) state.channel_open[operation] = true;
    }
  }

  void complete(Place place) {
    ranks_[place.first].complete[place.second] = true;
    ready_.push_back(place);
  }

  void report_stuck() {
    static constexpr std::array<std::string_view, 3> names{"blocking", "nonblocking", "dataflow"};
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      for (std::size_t i = 0; i < ranks_[rank].complete.size(); ++i)
        if (!ranks_[rank].complete[i] && ranks_[rank].posted[i]) {
          const Operation& operation = ranks_[rank].graph.operations[i];
          const Message& message = ranks_[rank].graph.message(programs_[rank], i);
          const Count number = programs_[rank].rounds[operation.round].number;
          report_.add({Rule::deadlock,
                       static_cast<Rank>(rank),
                       stage_name(programs_[rank].stages, number),
                       number,
                       {},
                       fmt::format("under {} its {} rank {} never completes", names[static_cast<std::size_t>(policy_)],
                                   operation.kind == OperationKind::send ? "send to" : "receive from", message.peer)});
          break;
        }
  }

  std::vector<Program> programs_;  // control messages can keep ranks waiting as any message can
  const Policy policy_;
  Report& report_;
  std::vector<RankState> ranks_;
  std::map<Place, Place> other_end_;
  std::deque<Place> ready_;
};

}  // namespace

void check_deadlock(const std::vector<Program>& programs, Policy policy, Report& report) {
  Rendezvous(programs, policy, report).run();
}

}  // namespace quadrille
