// SPDX-License-Identifier: BSD-3-Clause
// Chooses the suspects that explain most findings: one, or most of a set of operations that are alike (likeness.hpp), each of
// findings that the others do not explain. Of several that explain as much, those are preferred whose repair leaves fewer findings:
// a suspect that explains findings may be innocent; what the schedule would do if it read or wrote other places shows the guilty
// one.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "verify/likeness.hpp"
#include "verify/suspects.hpp"

namespace quadrille {

// A change of an operation: regions that it reads, or writes, are moved by a distance, and perhaps to another buffer.
struct Repair {
  bool reads = false;
  Buffer buffer = Buffer::input;
  Bytes by = 0;
  auto operator<=>(const Repair&) const = default;
};

// The repair for which a suspicion of kind wrong_source or wrong_target asks.
Repair repair_for(const Suspicion& suspicion);

struct Repaired {
  Repair repair;
  std::size_t left = 0;  // findings
  // Comparable operations at other ranks with the same regions, before the repair less those after it: the guilty one is often the
  // one that differs from all others.
  Count irregular = 0;
  // Bytes of scratch at the repaired end's rank that are both written and read; right schedules leave no holes in it.
  Bytes used_scratch = 0;
};

// Tries the repairs that most suspicions suggest, with the regions that they suggest. Returns the repair that leaves the fewest
// findings; among equal ones, the most regular. At most `most` findings are counted. Returns nothing if nothing is
// asked for or if all regions would leave their buffers.
std::optional<Repaired> best_repair(const Schedule& schedule, const ByteFlow& flow, std::size_t operation,
                                    const std::vector<const Suspicions*>& suspicions, std::size_t most);

// The stages of the first program, and one for all rounds that any program has, because wrong programs may have rounds of no stage.
std::vector<Stage> all_stages(const std::vector<Program>& programs);

// What is known about a wrong schedule.
struct Investigation {
  Investigation(const Schedule& wrong_schedule, const std::vector<Finding>& its_findings);
  void measure(SetSizes& sizes) const;  // sets how many operations of the schedule are in each set

  const Schedule& schedule;
  const std::vector<Finding>& findings;
  const Count ranks = schedule.problem.ranks;
  ByteFlow flow{schedule};
  const std::vector<Stage> stages = all_stages(flow.programs());
  Budget budget;
  const std::vector<WrongByte> wrong = wrong_bytes(schedule, findings, flow, budget);
  std::vector<bool> assigned;  // the findings that have a cause
};

// The wrong bytes that a suspect explains, as indices.
struct Explained {
  // The rounds in which a missing operation may have been expected.
  struct Rounds {
    Count first = 0, last = 0;
  };
  Suspect suspect;
  std::vector<std::size_t> wrong;
  std::vector<Rounds> rounds;  // of each of `wrong`; empty: the operation is not missing

  // Whether it explains wrong[k], if it was expected in this round.
  bool explains(std::size_t k, std::optional<Count> round) const {
    return !round || (rounds[k].first <= *round && *round <= rounds[k].last);
  }
};

// A missing operation: how well it would fit into the schedule, and the rounds in which it may have been expected.
struct Expected {
  Count fit = 0;
  Count first = 0, last = 0;
};

// One suspect or several that are alike.
struct SuspectChoice {
  std::vector<std::size_t> suspects;  // those first that explain most
  std::size_t findings = 0;
  int likelihood = 0;
  std::optional<Count> round;  // missing: a round in which all findings ask for it
  Count fit = 0;               // how well a missing operation would fit
  Count copied = before_all;   // missing: since when the byte was where it stayed
  Count all = 1;
  Count rounds = 1;                // from the first to the last of the set
  std::string text;                // which are alike
  std::optional<Repaired> repair;  // if repairs were tried: the best
  // Of sets that explain as much, the smallest one of existing operations is best, because a missing operation explains whatever a
  // rank lacks.
  bool operator<(const SuspectChoice& other) const;
};

class Choices {
 public:
  explicit Choices(Investigation& known);

  // The best choice of suspects for the findings without a cause; nothing if no suspect explains any of them.
  std::optional<SuspectChoice> best();

  const Explained& suspect(std::size_t i) const { return suspects_[i]; }
  const Expected& expected(std::size_t i, Count round);  // of a suspect that is a missing operation

 private:
  // Suspects with a likeness, as indices.
  struct SuspectSet {
    std::vector<std::size_t> members;
    Count all = 0;          // operations of the schedule with this likeness
    std::size_t bound = 0;  // at least the number of findings that the members explain
  };

  void list_suspects();
  void list_sets();
  std::optional<Count> busiest_round(const std::vector<std::size_t>& suspects) const;
  bool is_open(std::size_t wrong) const { return !known_.assigned[known_.wrong[wrong].finding]; }
  SuspectChoice choice_of(std::size_t i);
  SuspectChoice choice_of(const Likeness& likeness, SuspectSet& set);
  // Of the suspects that explain most findings, returns the one whose repair leaves the fewest; of several, the first.
  SuspectChoice best_repaired(std::vector<SuspectChoice> choices);
  // Returns how many findings are left if the suspect of the choice is repaired. A suspect without a repair is believed to have
  // caused what it explains.
  std::size_t left_without(SuspectChoice& choice) const;

  Investigation& known_;
  std::vector<Explained> suspects_;
  std::map<Likeness, SuspectSet> sets_;
  std::optional<Patterns> patterns_;  // made when it is needed
  Count replayed_ = 0;
  std::map<std::pair<std::size_t, Count>, Expected> expected_;  // by index of the suspect and by round
};

}  // namespace quadrille
