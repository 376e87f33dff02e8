// SPDX-License-Identifier: BSD-3-Clause
#include "verify/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "foundation/text/wording.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

using Between = Likeness::Between;

// Sets of numbers that are united step by step. A set is named by its least number.
class Unions {
 public:
  explicit Unions(std::size_t count) : before_(count) { std::iota(before_.begin(), before_.end(), std::size_t{0}); }
  std::size_t first_with(std::size_t i) {
    while (before_[i] != i) i = before_[i] = before_[before_[i]];
    return i;
  }
  void unite(std::size_t a, std::size_t b) {
    const auto [less, more] = std::minmax({first_with(a), first_with(b)});
    before_[more] = less;
  }

 private:
  std::vector<std::size_t> before_;  // a number of the same set that is not larger
};

struct Rounds {
  Count first = 0, last = 0;
  bool operator==(const Rounds&) const = default;
};

// Returns three ranges of rounds: the round alone, the rounds of its stage, and all rounds. Equal ranges are listed once.
std::vector<Rounds> spans_of(Count round, const std::vector<Stage>& stages) {
  std::vector<Rounds> spans{{round, round}};
  const auto add = [&](Rounds rounds) {
    if (rounds != spans.back() && rounds.first <= round && round <= rounds.last) spans.push_back(rounds);
  };
  Rounds all{round, round};
  for (const Stage& stage : stages) {
    const Rounds rounds{stage.first_round, stage.first_round + stage.round_count - 1};
    if (rounds.first <= round && round <= rounds.last && spans.size() == 1) add(rounds);
    all = {std::min(all.first, rounds.first), std::max(all.last, rounds.last)};
  }
  add(all);
  return spans;
}

const char* plural_of(NamedOperation::Kind kind) {
  if (kind == NamedOperation::Kind::copy) return "copies";
  return kind == NamedOperation::Kind::reduce ? "reductions" : "messages";
}

bool before(const NamedOperation& a, const NamedOperation& b) {
  return std::tuple(a.round, a.kind, a.from, a.to) < std::tuple(b.round, b.kind, b.from, b.to);
}

bool is_one_a_rank(const Likeness& likeness) {
  return likeness.first_round == likeness.last_round &&
         (likeness.between == Between::distance || likeness.between == Between::exclusive_or || likeness.between == Between::sum);
}

}  // namespace

std::vector<Likeness> likenesses(const NamedOperation& operation, const std::vector<Stage>& stages, Count ranks) {
  const auto& [round, kind, from, to] = operation;
  const auto is_rank = [&](Rank rank) { return rank >= 0 && rank < ranks; };
  std::vector<std::pair<Between, Count>> pairs;
  if (is_rank(from) && is_rank(to)) pairs.emplace_back(Between::distance, (to - from + ranks) % ranks);
  if (from != to) pairs.emplace_back(Between::exclusive_or, from ^ to);
  if (from != to && is_rank(from) && is_rank(to)) pairs.emplace_back(Between::sum, (from + to) % ranks);
  pairs.emplace_back(Between::sender, from);
  if (from != to) pairs.emplace_back(Between::receiver, to);
  pairs.emplace_back(Between::any, 0);
  std::vector<Likeness> list;
  for (const Rounds& rounds : spans_of(round, stages))
    for (const auto& [between, value] : pairs) list.push_back({kind, rounds.first, rounds.last, between, value});
  return list;
}

void count_in(SetSizes& sizes, const NamedOperation& operation, const std::vector<Stage>& stages, Count ranks) {
  if (sizes.empty()) return;
  for (const Likeness& likeness : likenesses(operation, stages, ranks))
    if (const auto known = sizes.find(likeness); known != sizes.end()) ++known->second;
}

Patterns::Patterns(std::vector<NamedOperation> operations, Count ranks) : operations_(std::move(operations)), ranks_(ranks) {
  std::sort(operations_.begin(), operations_.end(), before);
  for (const NamedOperation& operation : operations_)
    for (const Likeness& likeness : likenesses(operation, {}, ranks_))
      if (is_one_a_rank(likeness)) ++sizes_[likeness];
}

Count Patterns::fit(const NamedOperation& operation) const {
  if (std::binary_search(operations_.begin(), operations_.end(), operation, before)) return 0;
  Count most = 0;
  for (const Likeness& likeness : likenesses(operation, {}, ranks_))
    if (const auto known = sizes_.find(likeness); known != sizes_.end()) most = std::max(most, known->second);
  return most;
}

bool is_systematic(const Likeness& likeness, Count found, Count all) {
  if (found < 3) return found == 2 && all == 2 && is_one_a_rank(likeness);
  return is_one_a_rank(likeness) && likeness.first_round >= 0 ? found > all / 2 : found >= all - all / 4;
}

std::string text_of(const Likeness& likeness, Count found, Count all, Count ranks, std::string_view things) {
  if (is_one_a_rank(likeness) && all == ranks)
    return found == all ? "the same at every rank" : fmt::format("the same at {} of {}", found, counted(all, "rank"));
  std::string text = fmt::format("the same for {} of {} {}", found, all, things.empty() ? plural_of(likeness.kind) : things);
  if (likeness.between == Between::sender) text += fmt::format(" from rank {}", likeness.value);
  if (likeness.between == Between::receiver) text += fmt::format(" to rank {}", likeness.value);
  if (likeness.between == Between::distance && likeness.value != 0)
    text += fmt::format(" from a rank r to rank r + {} (mod {})", likeness.value, ranks);
  if (likeness.between == Between::exclusive_or) text += fmt::format(" from a rank r to rank r ^ {}", likeness.value);
  if (likeness.between == Between::sum) text += fmt::format(" from a rank r to rank {} - r (mod {})", likeness.value, ranks);
  if (likeness.first_round < 0) return text;
  return text + (likeness.first_round == likeness.last_round
                     ? fmt::format(" in round {}", likeness.first_round)
                     : fmt::format(" in rounds {} to {}", likeness.first_round, likeness.last_round));
}

std::vector<AlikeGroup> alike_groups(const std::vector<NamedOperation>& wrong,
                                     const std::vector<std::pair<std::size_t, std::size_t>>& together,
                                     const std::vector<Stage>& stages, Count ranks, const std::function<void(SetSizes&)>& measure,
                                     std::string_view things) {
  Unions unions(wrong.size());
  for (const auto& [one, other] : together) unions.unite(one, other);
  std::map<Likeness, std::vector<std::size_t>> sets;
  for (std::size_t i = 0; i < wrong.size(); ++i)
    for (const Likeness& likeness : likenesses(wrong[i], stages, ranks)) sets[likeness].push_back(i);
  std::erase_if(sets, [](const auto& set) { return set.second.size() < 2; });
  SetSizes sizes;
  for (const auto& [likeness, members] : sets) sizes[likeness] = 0;
  measure(sizes);
  std::erase_if(sets, [&](const auto& set) { return !is_systematic(set.first, size(set.second), sizes[set.first]); });
  for (const auto& [likeness, members] : sets)
    for (const std::size_t member : members) unions.unite(members.front(), member);
  std::map<std::size_t, AlikeGroup> groups;
  for (std::size_t i = 0; i < wrong.size(); ++i) groups[unions.first_with(i)].members.push_back(i);
  std::map<std::size_t, std::tuple<Count, Count, Count>> best;  // by group: members, size and rounds of the best set
  for (const auto& [likeness, members] : sets) {
    const std::size_t group = unions.first_with(members.front());
    const std::tuple now{size(members), -sizes[likeness], likeness.first_round - likeness.last_round};
    if (const auto [known, fresh] = best.try_emplace(group, now); !fresh && known->second >= now) continue;
    best[group] = now;
    groups[group].text = text_of(likeness, size(members), sizes[likeness], ranks, things);
  }
  std::vector<AlikeGroup> list;
  for (auto& [first, group] : groups) list.push_back(std::move(group));
  return list;
}

}  // namespace quadrille
