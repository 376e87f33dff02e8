// SPDX-License-Identifier: BSD-3-Clause
// All ranks of a group throw, or none does. Each rank does its own part of something collective; then the ranks exchange how that
// went. Where a part threw, its rank throws that error, and the others throw one that tells it: "rank 2: there is not enough memory
// for this plan". This takes one all_gather if all is well, and three if not.
//
// A group is a Communicator or a SharedSpace. No part may call the group's collective members, unless these throw on all ranks or
// on none: otherwise ranks would wait for each other in different calls.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

// Of another rank, which has told it to this one.
class ErrorElsewhere : public Error {
 public:
  using Error::Error;
};

// How a rank's part went. It travels.
struct RankOutcome {
  enum State : std::uint8_t { done, failed, failed_elsewhere } state = done;
  ErrorCode code{};
};

// Of the exception that is being handled; `error` becomes what the rank throws in the end.
RankOutcome outcome_of_exception(std::optional<Error>& error);

// Collective: the text of rank `teller`, at all ranks.
template <class Group>
std::string told_by(Group& group, Rank teller, std::string text) {
  ByRank<Bytes> lengths(group.size());
  const auto mine = static_cast<Bytes>(text.size());
  group.all_gather(&mine, lengths.data(), sizeof mine);
  const Bytes length = lengths[teller];
  text.resize(index(length));
  std::string all(index(length * group.size()), ' ');
  group.all_gather(text.data(), all.data(), length);
  return all.substr(index(teller * length), index(length));
}

// Collective: what `part` returns on each rank, at all ranks. For values without pointers.
template <class Group, class Part>
auto gathered_or_thrown(Group& group, Part&& part) {
  using Value = decltype(part());
  struct Report {
    RankOutcome outcome;
    Value value;
  };
  Report mine{};
  std::optional<Error> error;
  try {
    mine.value = part();
  } catch (...) {
    mine.outcome = outcome_of_exception(error);
  }
  ByRank<Report> all(group.size());
  group.all_gather(&mine, all.data(), sizeof mine);
  ByRank<Value> values;
  std::optional<Rank> first;  // that failed itself
  for (const Report& report : all) {
    if (!first && report.outcome.state == RankOutcome::failed) first = quadrille::size(values);
    values.push_back(report.value);
  }
  if (!first) return values;
  std::string sentence = told_by(group, *first, error ? error->what() : "");
  if (mine.outcome.state == RankOutcome::failed) throw *error;
  Rank shown = *first;  // where the group is a part of a larger one, the ranks' names are those of that one
  if constexpr (requires { group.shown(shown); }) shown = group.shown(shown);
  throw ErrorElsewhere(all[*first].outcome.code, "rank " + std::to_string(shown) + ": " + sentence);
}

// Collective: what `part` returns on this rank.
template <class Group, class Part>
auto made_or_thrown(Group& group, Part&& part) {
  std::optional<decltype(part())> made;
  gathered_or_thrown(group, [&] {
    made.emplace(part());
    return '\0';
  });
  return *std::move(made);
}

}  // namespace quadrille
