// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/watch/mismatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace quadrille::mpi_face {
namespace {

using Why = HangReason::Cause;

// Calls on a communicator by their numbers.
using History = std::map<std::uint64_t, const WatchedCall*>;

template <class Visit>
void for_each_call(const SeenRun& run, Rank rank, int on, const Visit& visit) {
  for (const WatchedCall& call : run.at(rank).calls)
    if (call.is_collective && call.number > 0 && run.communicator_of(rank, call) == on) visit(call);
}

// A call with the number that is compared.
struct ComparedCall {
  const Member* member;
  const WatchedCall* call;
};

// Calls that agree in a property.
using Camp = std::vector<ComparedCall>;

// In what calls with the same number must agree, in the order in which it is compared.
constexpr Why properties[]{Why::order, Why::root, Why::operation, Why::element, Why::bytes};

// The call's value of a property. An empty text, or a negative number, agrees with all.
std::pair<std::string_view, std::int64_t> value_of(const WatchedCall& call, Why property) {
  switch (property) {
    case Why::order: return {call.function, 0};
    case Why::root: return {"root", call.root};
    case Why::operation: return {call.operation, 0};
    case Why::element: return {call.element, 0};
    default: break;
  }
  const auto form = form_of(call);
  const bool has_equal_blocks = form && !is_irregular_function(*form) && *form != Function::Reduce_scatter;
  return {"size", has_equal_blocks ? call.bytes : -1};
}

std::string property_words(const WatchedCall& call, Why property) {
  const auto& [text, number] = value_of(call, property);
  return property == Why::root ? fmt::format("root {}", number) : property == Why::bytes ? size_words(number) : std::string(text);
}

std::string_view noun_of(Why property) {
  return property == Why::root        ? "roots"
         : property == Why::operation ? "operators"
         : property == Why::element   ? "element types"
                                      : "sizes";
}

// The calls by their value of the property. The most frequent is first, or else that of the first member.
std::vector<Camp> camps_of(const std::vector<ComparedCall>& calls, Why property) {
  std::map<std::pair<std::string_view, std::int64_t>, Camp> by_value;
  for (const ComparedCall& each : calls)
    if (const auto value = value_of(*each.call, property); !value.first.empty() && value.second >= 0)
      by_value[value].push_back(each);
  std::vector<Camp> camps;
  for (auto& [value, camp] : by_value) camps.push_back(std::move(camp));
  std::sort(camps.begin(), camps.end(),
            [](const Camp& a, const Camp& b) { return a.size() != b.size() ? a.size() > b.size() : a[0].member < b[0].member; });
  return camps;
}

std::vector<Rank> ranks_of(const Camp& camp) {
  std::vector<Rank> ranks;
  for (const ComparedCall& each : camp) ranks.push_back(each.member->rank);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

// The last calls of ranks that agree.
History history_of(const SeenRun& run, int on, const Camp& camp) {
  History history;
  for (const ComparedCall& each : camp)
    for_each_call(run, each.member->rank, on, [&](const WatchedCall& call) { history.try_emplace(call.number, &call); });
  return history;
}

bool look_alike(const WatchedCall& a, const WatchedCall& b) {
  return a.function == b.function && (a.place.empty() || b.place.empty() || a.place == b.place);
}

// True if the calls of `history` from `first` are those of `other` after one was left out, as far as both are known.
bool lacks_one(const History& history, const History& other, std::uint64_t first) {
  bool is_compared = false;
  for (auto at = history.lower_bound(first); at != history.end(); ++at) {
    const auto next = other.find(at->first + 1);
    if (next == other.end()) continue;
    if (!look_alike(*at->second, *next->second)) return false;
    is_compared = true;
  }
  return is_compared;
}

std::string with_place(const WatchedCall& call) { return call.place.empty() ? "" : ", " + call.place; }

// Why the calls of two camps are not of the same function, or do not look alike.
class OrderProblem {
 public:
  OrderProblem(const SeenRun& run, int on, const std::vector<Camp>& camps)
      : camps_(camps), usual_(history_of(run, on, camps[0])), odd_(history_of(run, on, camps[1])) {}

  // Goes back to the first call from which the odd rank's history is the usual one after a call was left out, or with one more: the
  // calls before the one that was found may differ in their places only. Returns false if there is none.
  bool find_shift(std::uint64_t& number) {
    for (std::uint64_t at = number; usual_.contains(at) && odd_.contains(at); --at) {
      const bool skipped = lacks_one(odd_, usual_, at), repeated = lacks_one(usual_, odd_, at);
      if ((!skipped && !repeated) || look_alike(*odd_.at(at), *usual_.at(at))) break;
      number = at, skipped_ = skipped, repeated_ = repeated;
    }
    return skipped_ || repeated_;
  }

  std::vector<std::string> sentences(std::uint64_t number) const {
    const WatchedCall &mine = *odd_.at(number), &theirs = *usual_.at(number);
    const std::string who = ranks_phrase(ranks_of(camps_[1])), others = ranks_phrase(ranks_of(camps_[0]));
    const auto told = [&](const WatchedCall& call) {
      return fmt::format("{} (call {}{})", call.function, number_words(call.number), with_place(call));
    };
    const std::string before = " before " + (mine.place.empty() ? "its " + call_words(mine) : mine.place);
    const std::string than = camps_[0].size() == camps_[1].size() ? " than " + others : "";
    const std::string what = skipped_ && repeated_ ? "skipped " + told(theirs) + ", or made one more " + told(mine)
                             : skipped_            ? "skipped " + told(theirs) + before
                             : repeated_           ? "made one more " + told(mine)
                                                   : "took another branch" + than + before;
    std::vector<std::string> all{"the order of collectives differs: " + who + " " + what};
    if (odd_.rbegin()->first > number || usual_.rbegin()->first > number)
      all.push_back(fmt::format("call {} is {}{} on {}, and {}{} on {}", number_words(number), mine.function, at_place(mine.place),
                                who, theirs.function, at_place(theirs.place), others));
    const auto last = usual_.find(number - 1);
    if (last != usual_.end() && odd_.contains(last->first))
      all.push_back("the last call that all ranks share is " + call_words(*last->second) + with_place(*last->second));
    return all;
  }

 private:
  const std::vector<Camp>& camps_;
  const History usual_, odd_;
  bool skipped_ = false, repeated_ = false;
};

std::string property_sentence(const std::vector<Camp>& camps, Why property) {
  constexpr std::size_t most = 4;
  const auto told = [&](const Camp& camp, std::string_view verb, bool with_place) {
    return fmt::format("{} {}", verb, property_words(*camp[0].call, property)) + (with_place ? at_place(camp[0].call->place) : "");
  };
  std::string sentence = fmt::format("the {} of {}, differ: ", noun_of(property), call_words(*camps[1][0].call));
  for (std::size_t i = 1; i < std::min(camps.size(), most); ++i)
    sentence += ranks_phrase(ranks_of(camps[i])) + told(camps[i], camps[i].size() == 1 ? " gives" : " give", true) + ", ";
  const bool is_tie = camps[0].size() == camps[1].size();
  const std::string others = is_tie ? ranks_phrase(ranks_of(camps[0])) : camps.size() > most ? "most others" : "the others";
  return sentence + told(camps[0], others, is_tie);
}

HangReason reason_of(const SeenRun& run, int on, std::uint64_t number, const std::vector<Camp>& camps, Why property) {
  HangReason reason{property, number, {}};
  OrderProblem problem(run, on, camps);
  if (problem.find_shift(reason.number)) reason.cause = Why::order;
  reason.sentences =
      reason.cause == Why::order ? problem.sentences(reason.number) : std::vector{property_sentence(camps, property)};
  for (std::size_t i = 1; i < camps.size(); ++i)
    for (const ComparedCall& each : camps[i]) reason.causes.push_back(each.member->rank);
  return reason;
}

// A number of an irregular call's list, or -1 if it is unknown.
Bytes listed_for(const std::vector<Bytes>& list, std::size_t rank) {
  return list.size() == 1 ? list[0] : rank < list.size() ? list[rank] : -1;
}

// What ranks send in an irregular call that others do not expect.
std::optional<HangReason> mismatch_of_blocks(const CommonCommunicator& communicator, const std::vector<ComparedCall>& calls) {
  const auto form = form_of(*calls[0].call);
  if (!communicator.is_ordered || !form || !is_irregular_function(*form)) return std::nullopt;
  HangReason found{Why::blocks, calls[0].call->number, {}};
  std::uint64_t wrong = 0;
  std::vector<ComparedCall> senders = calls, receivers = calls;
  std::erase_if(senders, [](const ComparedCall& each) { return each.call->sent.empty(); });
  std::erase_if(receivers, [](const ComparedCall& each) { return each.call->received.empty(); });
  const auto index = [&](const Member* member) { return static_cast<std::size_t>(member - communicator.members.data()); };
  for (const auto& [from, sender] : senders)
    for (const auto& [to, receiver] : receivers) {
      const Bytes sends = listed_for(sender->sent, index(to)), expects = listed_for(receiver->received, index(from));
      if (sends < 0 || expects < 0 || sends == expects || ++wrong > 1) continue;
      found.causes = {from->rank, to->rank};
      found.sentences = {fmt::format("the sizes of {}, differ: rank {} sends {} to rank {}{}, which expects {}{}",
                                     call_words(*sender), from->rank, size_words(sends), to->rank, at_place(sender->place),
                                     size_words(expects), at_place(receiver->place))};
    }
  if (wrong == 0) return std::nullopt;
  if (wrong > 1)
    found.sentences[0] += wrong == 2 ? "; 1 other pair differs" : fmt::format("; {} other pairs differ", number_words(wrong - 1));
  return found;
}

}  // namespace

std::optional<HangReason> first_mismatch(const SeenRun& run, int on, std::uint64_t from, bool only_order) {
  const CommonCommunicator& communicator = run.communicator(on);
  std::map<std::uint64_t, std::vector<ComparedCall>> by_number;
  for (const Member& member : communicator.members)
    for_each_call(run, member.rank, on, [&](const WatchedCall& call) {
      if (call.number < from) return;
      std::vector<ComparedCall>& calls = by_number[call.number];
      if (!calls.empty() && calls.back().member == &member) calls.pop_back();  // its file is damaged
      calls.push_back({&member, &call});
    });
  for (const auto& [number, calls] : by_number) {
    for (const Why property : properties) {
      if (only_order && property != Why::order) break;
      const std::vector<Camp> camps = camps_of(calls, property);
      if (camps.size() > 1) return reason_of(run, on, number, camps, property);
    }
    if (only_order) continue;
    if (auto found = mismatch_of_blocks(communicator, calls)) return found;
  }
  return std::nullopt;
}

const WatchedCall* call_with(const SeenRun& run, Rank rank, int on, std::uint64_t number) {
  const WatchedCall* found = nullptr;
  for_each_call(run, rank, on, [&](const WatchedCall& call) {
    if (call.number == number) found = &call;
  });
  return found;
}

}  // namespace quadrille::mpi_face
