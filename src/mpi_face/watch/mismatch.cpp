// SPDX-License-Identifier: BSD-3-Clause
// Compares the last calls of ranks that have the same number on a communicator.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "mpi_face/watch/reasons.hpp"

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

// The call's value of a property. An empty text agrees with all.
std::string value_of(const WatchedCall& call, Why property) {
  switch (property) {
    case Why::order: return call.function;
    case Why::root: return call.root < 0 ? "" : fmt::format("root {}", call.root);
    case Why::operation: return call.operation;
    case Why::element: return call.element;
    default: break;
  }
  const auto form = call.bytes < 0 ? std::nullopt : form_of(call);
  const bool has_equal_blocks = form && !is_irregular_function(*form) && *form != Function::Reduce_scatter;
  return has_equal_blocks ? size_words(call.bytes) : "";
}

// The calls by their value of the property. The most frequent is first, or else that of the first member.
std::vector<Camp> camps_of(const std::vector<ComparedCall>& calls, Why property) {
  std::map<std::string, Camp> by_value;
  for (const ComparedCall& each : calls)
    if (const std::string value = value_of(*each.call, property); !value.empty()) by_value[value].push_back(each);
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

// Says why the calls with a number are not the same, or do not look alike; nothing if they do. Changes the number to that of the
// first call from which the odd ranks' history is the usual one after a call was left out, or with one more: the calls between may
// differ in their places only.
std::vector<std::string> order_sentences(const std::vector<Camp>& camps, const History& usual, const History& odd,
                                         std::uint64_t& number) {
  bool skipped = false, repeated = false;
  for (std::uint64_t at = number; usual.contains(at) && odd.contains(at) && !look_alike(*odd.at(at), *usual.at(at)); --at) {
    const bool lacks = lacks_one(odd, usual, at), has_more = lacks_one(usual, odd, at);
    if (!lacks && !has_more) break;
    number = at, skipped = lacks, repeated = has_more;
  }
  const WatchedCall &mine = *odd.at(number), &theirs = *usual.at(number);
  if (!skipped && !repeated && mine.function == theirs.function) return {};
  const std::string who = ranks_phrase(ranks_of(camps[1])), others = ranks_phrase(ranks_of(camps[0]));
  const auto told = [&](const WatchedCall& call) {
    return fmt::format("{} (call {}{})", call.function, number_words(call.number), with_place(call));
  };
  const std::string before = " before " + (mine.place.empty() ? "its " + call_words(mine) : mine.place);
  const std::string than = camps[0].size() == camps[1].size() ? " than " + others : "";
  const std::string what = skipped && repeated ? "skipped " + told(theirs) + ", or made one more " + told(mine)
                           : skipped           ? "skipped " + told(theirs) + before
                           : repeated          ? "made one more " + told(mine)
                                               : "took another branch" + than + before;
  std::vector<std::string> all{"the order of collectives differs: " + who + " " + what};
  if (odd.rbegin()->first > number || usual.rbegin()->first > number)
    all.push_back(fmt::format("call {} is {}{} on {}, and {}{} on {}", number_words(number), mine.function, at_place(mine.place),
                              who, theirs.function, at_place(theirs.place), others));
  const auto last = usual.find(number - 1);
  if (last != usual.end() && odd.contains(last->first))
    all.push_back("the last call that all ranks share is " + call_words(*last->second) + with_place(*last->second));
  return all;
}

std::string property_sentence(const std::vector<Camp>& camps, Why property) {
  static const std::map<Why, std::string_view> nouns{
      {Why::root, "roots"}, {Why::operation, "operators"}, {Why::element, "element types"}, {Why::bytes, "sizes"}};
  constexpr std::size_t most = 4;
  const auto value = [&](const Camp& camp) { return value_of(*camp[0].call, property); };
  const auto place = [&](const Camp& camp) { return at_place(camp[0].call->place); };
  std::string sentence = fmt::format("the {} of {}, differ: ", nouns.at(property), call_words(*camps[1][0].call));
  for (std::size_t i = 1; i < std::min(camps.size(), most); ++i)
    sentence += fmt::format("{} give{} {}{}, ", ranks_phrase(ranks_of(camps[i])), camps[i].size() == 1 ? "s" : "", value(camps[i]),
                            place(camps[i]));
  if (camps[0].size() == camps[1].size())
    return sentence + ranks_phrase(ranks_of(camps[0])) + " " + value(camps[0]) + place(camps[0]);
  return sentence + (camps.size() > most ? "most others " : "the others ") + value(camps[0]);
}

HangReason reason_of(const SeenRun& run, int on, std::uint64_t number, const std::vector<Camp>& camps, Why property) {
  HangReason reason{property, number, {}};
  reason.sentences = order_sentences(camps, history_of(run, on, camps[0]), history_of(run, on, camps[1]), reason.number);
  if (reason.sentences.empty())
    reason.sentences = {property_sentence(camps, property)};
  else
    reason.cause = Why::order;
  for (std::size_t i = 1; i < camps.size(); ++i)
    for (const Rank rank : ranks_of(camps[i])) reason.causes.push_back(rank);
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
      if (calls.empty() || calls.back().member != &member)
        calls.push_back({&member, &call});  // the first one, if its file is damaged
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
