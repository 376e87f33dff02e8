// SPDX-License-Identifier: BSD-3-Clause
// Runs the programs with a rendezvous protocol, each rank at its own pace: a message completes when both ends have posted it.
// Operations that never complete are reported as a deadlock.
#include <fmt/format.h>

#include <algorithm>

#include "foundation/assert.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/composition.hpp"
#include "schedule/dependence.hpp"
#include "schedule/ordering.hpp"
#include "verify/finding_list.hpp"

namespace quadrille {
namespace {

using Step = std::size_t;  // a step of the ordering of some rank; all ranks' steps are numbered consecutively
constexpr Step none = no_operation;

// A program with its messages in posting order, and its dependences.
class Posted {
 public:
  explicit Posted(const Program& own)
      : as_it_was_(own),
        ordered_(is_in_posting_order(own) ? std::nullopt : std::optional(in_posting_order(own))),
        graph_(dependences(program())) {}

  const Program& program() const { return ordered_ ? *ordered_ : as_it_was_; }
  const DependenceGraph& graph() const { return graph_; }

 private:
  const Program& as_it_was_;
  const std::optional<Program> ordered_;
  const DependenceGraph graph_;
};

// One execution under one policy. A step is posted when everything for which the step waits is complete and all earlier steps of
// its channel have been posted. A message completes when both of its ends are posted. A gate or a local operation completes when
// it is posted.
class Rendezvous {
 public:
  Rendezvous(const std::vector<Posted>& ranks, Policy policy) {
    for (const Posted& posted : ranks) enter(posted, policy);
    first_.push_back(steps_.size());
    std::sort(waits_.begin(), waits_.end());
    for (const auto& [on, waiting] : waits_) ++steps_[waiting].missing;
    for (auto* ends : {&sends_, &receives_})
      std::stable_sort(ends->begin(), ends->end(), [](const End& a, const End& b) { return a.channel < b.channel; });
    for_each_meeting(
        sends_, receives_, [](const End& a, const End& b) { return a.channel <=> b.channel; },
        [&](const End& send, const End& receive) {
          steps_[send.step].other_end = receive.step;
          steps_[receive.step].other_end = send.step;
        },
        [](const End&) {}, [](const End&) {});
  }

  void run() {
    for (Step step = 0; step < steps_.size(); ++step) post(step);
    while (!completed_.empty()) {
      const Step step = completed_.back();
      completed_.pop_back();
      for (auto wait = std::lower_bound(waits_.begin(), waits_.end(), std::pair(step, Step{0}));
           wait != waits_.end() && wait->first == step; ++wait) {
        QUADRILLE_ASSERT(steps_[wait->second].missing > 0 && !steps_[wait->second].is_posted);
        --steps_[wait->second].missing;
        post(wait->second);
      }
    }
  }

  // Returns the first operation of a rank that was posted and never completed.
  std::optional<std::size_t> stuck(std::size_t rank) const {
    for (Step step = first_[rank]; step < first_[rank + 1]; ++step)
      if (steps_[step].is_posted && !steps_[step].is_complete) return steps_[step].operation;
    return std::nullopt;
  }

 private:
  struct End {
    std::pair<Rank, Rank> channel;
    Step step;
  };

  struct State {
    std::size_t operation = none;  // of a message; none for a gate or a local operation
    Step other_end = none;         // the matching end of a message
    Step next_in_channel = none;   // the next step of the channel, posted after this one
    std::size_t missing = 0;       // the number of completions for which the step still waits
    bool channel_open = true, is_posted = false, is_complete = false;
  };

  void enter(const Posted& posted, Policy policy) {
    const Ordering own = ordering(posted.program(), posted.graph(), policy);
    const std::vector<ChannelPlace> places = channel_places(posted.program(), posted.graph());
    std::vector<Step> step_of(places.size(), none);
    first_.push_back(steps_.size());
    for (const auto& [from, to] : own.edges) waits_.emplace_back(first_.back() + from, first_.back() + to);
    for (const Ordering::Step& own_step : own.steps) {
      State& state = steps_.emplace_back();
      if (own_step.kind != Ordering::Kind::send && own_step.kind != Ordering::Kind::receive) continue;
      state.operation = own_step.operation;
      step_of[own_step.operation] = steps_.size() - 1;
      const bool sends = own_step.kind == Ordering::Kind::send;
      const Rank me = posted.program().rank, peer = posted.graph().message(posted.program(), own_step.operation).peer;
      (sends ? sends_ : receives_).push_back({sends ? std::pair(me, peer) : std::pair(peer, me), steps_.size() - 1});
      if (const std::size_t before = places[own_step.operation].previous; before != none) {
        QUADRILLE_ASSERT(step_of[before] != none);  // a channel is entered in its order
        steps_[step_of[before]].next_in_channel = steps_.size() - 1;
        state.channel_open = false;
      }
    }
  }

  // Posts the step if that is possible. Then posts the following steps of its channel that waited only for it.
  void post(Step step) {
    while (step != none && steps_[step].missing == 0 && !steps_[step].is_posted && steps_[step].channel_open) {
      State& state = steps_[step];
      state.is_posted = true;
      if (state.operation == none) return complete(step);
      if (state.other_end != none && steps_[state.other_end].is_posted) {
        complete(state.other_end);
        complete(step);
      }
      step = state.next_in_channel;
      if (step != none) steps_[step].channel_open = true;
    }
  }

  void complete(Step step) {
    QUADRILLE_ASSERT(steps_[step].is_posted && !steps_[step].is_complete);
    steps_[step].is_complete = true;
    completed_.push_back(step);
  }

  std::vector<State> steps_;
  std::vector<Step> first_;                   // first step of each rank, then the number of steps
  std::vector<End> sends_, receives_;         // all ends of messages
  std::vector<std::pair<Step, Step>> waits_;  // pairs (awaited step, waiting step), sorted
  std::vector<Step> completed_;               // completed steps whose waiting steps have not been updated yet
};

}  // namespace

void check_deadlock(const std::vector<Program>& programs, const std::vector<Policy>& policies, FindingList& findings) {
  if (policies.empty()) return;
  const std::vector<Posted> ranks(programs.begin(), programs.end());
  for (const Policy policy : policies) {
    Rendezvous run(ranks, policy);
    run.run();
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const auto stuck = run.stuck(rank);  // one place per rank is enough to find the cause
      if (!stuck) continue;
      const Program& program = ranks[rank].program();
      const DependenceGraph& graph = ranks[rank].graph();
      const Count number = program.rounds[graph.operations[*stuck].round].number;
      findings.add({.rule = Rule::deadlock,
                    .rank = program.rank,
                    .stage = stage_name(program.stages, number),
                    .round = number,
                    .message = fmt::format("under {} its {} rank {} never completes", name(policy),
                                           graph.operations[*stuck].kind == OperationKind::send ? "send to" : "receive from",
                                           graph.message(program, *stuck).peer)});
    }
  }
}

}  // namespace quadrille
