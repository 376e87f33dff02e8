// SPDX-License-Identifier: BSD-3-Clause
// Makes all ranks of a group throw, or none. Each rank does its part of a collective operation; then the ranks tell each other
// whether their parts succeeded. If a part threw, its rank throws that error again, and the other ranks throw an error that
// quotes it: "rank 2: there is not enough memory for this plan". On success this takes one all_gather; on failure, two
// all_gathers and a broadcast.
//
// A group is a Communicator, an MpiGroup or a SharedSpace. A part may call only those collective members of the group that throw
// on all ranks or on none; otherwise ranks would wait for each other in different calls.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "execute/transport.hpp"
#include "foundation/assert.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

// An error that another rank has reported to this rank.
class ErrorElsewhere : public Error {
 public:
  using Error::Error;
};

// The outcome of a rank's part, without the error's text; ranks exchange it by all_gather.
struct RankOutcome {
  enum State : std::uint8_t { done, failed, failed_elsewhere } state = done;
  ErrorCode code{};
};

// Classifies the exception being handled and stores in `error` what this rank will throw. Call it in a catch block.
RankOutcome outcome_of_exception(std::optional<Error>& error);

// Collective. Copies `bytes` bytes of rank `teller` to `data` at all other ranks.
template <class Group>
void tell(Group& group, Rank teller, void* data, Bytes bytes) {
  if constexpr (requires { group.transport(); }) {
    group.transport().broadcast(data, bytes, teller);
  } else if constexpr (requires { group.broadcast(data, bytes, teller); }) {
    group.broadcast(data, bytes, teller);
  } else {
    std::vector<std::byte> all(index(bytes * group.size()));
    group.all_gather(data, all.data(), bytes);
    if (bytes > 0) std::memcpy(data, all.data() + teller * bytes, index(bytes));
  }
}

// Collective. Returns the text of rank `teller` on all ranks. All ranks must know its length, `length` bytes.
template <class Group>
std::string told_by(Group& group, Rank teller, std::string text, Bytes length) {
  text.resize(index(length));
  tell(group, teller, text.data(), length);
  return text;
}

// Collective. Returns the text of rank `teller` on all ranks.
template <class Group>
std::string told_by(Group& group, Rank teller, std::string text) {
  ByRank<Bytes> lengths(group.size());
  const auto mine = static_cast<Bytes>(text.size());
  group.all_gather(&mine, lengths.data(), sizeof mine);
  QUADRILLE_ASSERT(lengths[group.rank()] == mine);
  return told_by(group, teller, std::move(text), lengths[teller]);
}

// Collective. Sends a long text from rank `teller` to all ranks, and returns it. All ranks must know its length, `length` bytes.
// The text is sent in parts, because in shared memory every rank allocates room for one part of each rank.
template <class Group>
std::string told_in_parts(Group& group, Rank teller, std::string text, Bytes length) {
  const Bytes part = std::max<Bytes>(4096, (Bytes{1} << 24) / group.size());
  text.resize(index(length));
  std::string whole;
  whole.reserve(index(length));
  for (Bytes told = 0; told < length; told += part) {
    const Bytes next = std::min(part, length - told);
    whole += told_by(group, teller, text.substr(index(told), index(next)), next);
  }
  return whole;
}

// Called on ranks other than `first`: throws what rank `first` has thrown.
template <class Group>
[[noreturn]] void throw_elsewhere(Group& group, Rank first, const RankOutcome& outcome, const std::string& sentence) {
  if (outcome.state == RankOutcome::failed_elsewhere) throw ErrorElsewhere(outcome.code, sentence);  // `sentence` names the rank
  // Errors of a node's group show a rank's number in the whole communicator.
  if constexpr (requires { group.shown(first); }) first = group.shown(first);
  throw ErrorElsewhere(outcome.code, "rank " + std::to_string(first) + ": " + sentence);
}

// Collective. Returns, on all ranks, the values that `part` returns on each rank. Values must not hold pointers.
template <class Group, class Part>
auto gathered_or_thrown(Group& group, Part&& part) {
  using Value = decltype(part());
  static_assert(std::is_trivially_copyable_v<Value>, "values are exchanged as bytes");
  struct PartOutcome {
    RankOutcome outcome;
    Value value;
  };
  PartOutcome mine{};
  std::optional<Error> error;
  try {
    mine.value = part();
  } catch (...) {
    mine.outcome = outcome_of_exception(error);
  }
  ByRank<PartOutcome> all(group.size());
  group.all_gather(&mine, all.data(), sizeof mine);
  QUADRILLE_ASSERT(std::memcmp(&all[group.rank()], &mine, sizeof mine) == 0);  // values lie in rank order
  ByRank<Value> values;
  std::optional<Rank> first;  // the first rank whose own part failed; else the first that learnt of a failure elsewhere
  for (const PartOutcome& part_outcome : all) {
    const bool has_failed = part_outcome.outcome.state == RankOutcome::failed;
    if (first ? has_failed && all[*first].outcome.state != RankOutcome::failed : part_outcome.outcome.state != RankOutcome::done)
      first = quadrille::size(values);
    values.push_back(part_outcome.value);
  }
  if (!first) return values;
  const std::string sentence = told_by(group, *first, error ? error->what() : "");
  if (mine.outcome.state == RankOutcome::failed) throw *error;
  throw_elsewhere(group, *first, all[*first].outcome, sentence);
}

// Collective. Returns what `part` returns on this rank.
template <class Group, class Part>
auto made_or_thrown(Group& group, Part&& part) {
  std::optional<decltype(part())> made;
  gathered_or_thrown(group, [&] {
    made.emplace(part());
    return '\0';
  });
  return *std::move(made);
}

// Collective. Returns, on all ranks, the text that `part` returns at rank `teller`. The other ranks do not call `part`. A short
// text is sent together with its length.
template <class Group, class Part>
std::string told_or_thrown(Group& group, Rank teller, Part&& part) {
  struct Told {
    RankOutcome outcome;
    Bytes length;
    char beginning[1384];
  } told{};
  static_assert(sizeof told <= 1400);  // with headers it fits into one Ethernet frame
  std::string text;
  std::optional<Error> error;
  if (group.rank() == teller) {
    try {
      text = part();
    } catch (...) {
      told.outcome = outcome_of_exception(error);
      text = error->what();
    }
    told.length = static_cast<Bytes>(text.size());
    text.copy(told.beginning, sizeof told.beginning);
  }
  tell(group, teller, &told, sizeof told);
  const bool is_short = told.length <= static_cast<Bytes>(sizeof told.beginning);
  text = is_short ? std::string(told.beginning, index(told.length)) : told_by(group, teller, std::move(text), told.length);
  if (told.outcome.state == RankOutcome::done) return text;
  if (error) throw *error;
  throw_elsewhere(group, teller, told.outcome, text);
}

}  // namespace quadrille
