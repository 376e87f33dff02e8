// SPDX-License-Identifier: BSD-3-Clause
// Runs the programs of a few ranks in all orders of their steps, and with all values that their loads may return. Each state is
// visited once, however many executions lead there.
//
// Loops of waiting ranks are finite. A *wait* is a loop that does nothing but evaluate a condition. Turns that find it false are
// left out: the search goes on only after a turn that has found it true. No failure is lost. A turn in vain only adds to what the
// rank knows, and a rank that knows less may read all that it could read otherwise, and has at least the same races.
//
// Any other loop *passes time* at one point. A turn that reads the same stores as the turn before changes nothing. So the rank
// goes on only if it can read a newer store to an object that it has read since it last passed time. The search tries each such
// object: the rank then reads a newer store to it.
//
// If all ranks that are not finished are blocked, it is a failure. A rank is blocked if the newest stores, which it sees in the
// end, do not let it go on.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "support/interleavings/run.hpp"

namespace quadrille::interleavings {

struct Result {
  std::string failure;           // what is wrong, and the operations that lead there; empty if no execution is wrong
  std::set<Outcome> outcomes;    // what the ranks have noted, rank by rank
  std::set<Order> orders;        // those met
  std::uint64_t executions = 0;  // how many there are without turns of waits in vain, unless one is wrong
  std::size_t states = 0;        // how many were visited
};

class Search {
 public:
  using Programs = std::vector<std::function<void()>>;

  Search(Run& run, const Programs& programs) : run_(run), programs_(programs) {}

  Result result() {
    Result result;
    try {
      State state{run_.initial(), std::vector<Progress>(programs_.size())};
      for (std::size_t rank = 0; rank < programs_.size(); ++rank) run_.advance(state, rank, programs_[rank], std::nullopt);
      result.executions = visit(state);
    } catch (const Failure& failure) {
      result.failure = failure.what() + run_.shown_trace();
    }
    result.outcomes = outcomes_;
    result.orders = run_.orders();
    result.states = visited_.size();
    return result;
  }

 private:
  // Returns the number of executions from this state on.
  std::uint64_t visit(const State& state) {
    const auto [found, is_new] = visited_.emplace(state.key(), 0);
    std::uint64_t& executions = found->second;  // remains valid when elements are added
    if (!is_new || state.has(Stage::looked_in_vain)) return executions;
    if (state.are_all(Stage::is_over)) {
      outcomes_.insert(state.outcome());
      return executions = 1;
    }
    const std::size_t traced = run_.traced();
    bool all_blocked = true;
    for (std::size_t rank = 0; rank < state.ranks.size(); ++rank) {
      if (state.ranks[rank].stage == Stage::is_over) continue;
      all_blocked = all_blocked && is_blocked(state, rank);
      run_.cut_trace(traced);
    }
    if (all_blocked) throw Failure("all ranks that are not finished wait");
    for (std::size_t rank = 0; rank < state.ranks.size(); ++rank) {
      if (!may_go_on(state, rank)) continue;
      std::size_t choices = 1;
      for (std::size_t choice = 0; choice < choices; ++choice) {
        State next = state;
        choices = run_.advance(next, rank, programs_[rank], choice);
        executions += visit(next);
        run_.cut_trace(traced);
      }
    }
    return executions;
  }

  static bool may_go_on(const State& state, std::size_t rank) {
    const Stage stage = state.ranks[rank].stage;
    return stage != Stage::is_over && (stage != Stage::passes_time || !state.outdated(rank).empty());
  }

  // Can a rank not go on if it reads the newest stores? An old one may let it go on, but perhaps the rank does not look in time.
  bool is_blocked(const State& state, std::size_t rank) {
    if (state.ranks[rank].stage != Stage::about_to_look) return !may_go_on(state, rank);
    State next = state;
    do run_.advance(next, rank, programs_[rank], Run::newest);
    while (next.ranks[rank].stage == Stage::looks);
    return next.ranks[rank].stage == Stage::looked_in_vain;
  }

  Run& run_;
  const Programs& programs_;
  std::unordered_map<std::string, std::uint64_t> visited_;  // the number of executions from each state on
  std::set<Outcome> outcomes_;
};

}  // namespace quadrille::interleavings
