// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/watch/mismatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace quadrille::mpi_face {
namespace {

using Why = HangVerdict::Cause;

// A rank's calls on a communicator by their numbers.
using History = std::map<std::uint64_t, const WatchedCall*>;

template <class Visit>
void for_each_call(const SeenRun& run, Rank rank, int on, const Visit& visit) {
  for (const WatchedCall& call : run.at(rank).calls)
    if (call.is_collective && call.number > 0 && run.communicator_of(rank, call) == on) visit(call);
}

History history_of(const SeenRun& run, Rank rank, int on) {
  History history;
  for_each_call(run, rank, on, [&](const WatchedCall& call) { history[call.number] = &call; });
  return history;
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

// The rank of a camp whose history reaches furthest.
Rank longest(const Camp& camp) {
  return std::max_element(camp.begin(), camp.end(), [](const auto& a, const auto& b) { return a.member->begun < b.member->begun; })
      ->member->rank;
}

bool look_alike(const WatchedCall& a, const WatchedCall& b) {
  return a.function == b.function && (a.place.empty() || b.place.empty() || a.place == b.place);
}

bool was_followed(const History& history, const WatchedCall& call, const WatchedCall& by) {
  return std::any_of(history.begin(), history.end(), [&](const auto& each) {
    const auto next = history.find(each.first + 1);
    return next != history.end() && look_alike(*each.second, call) && look_alike(*next->second, by);
  });
}

// True if the calls of `history` from `first` are those of `other` after one was left out. What will follow the last one is
// guessed.
bool lacks_one(const History& history, const History& other, std::uint64_t first) {
  bool does = false;
  for (auto at = history.lower_bound(first); at != history.end(); ++at) {
    const auto left_out = other.find(at->first), next = other.find(at->first + 1);
    if (next != other.end() && !look_alike(*at->second, *next->second)) return false;
    does |= next != other.end() || (left_out != other.end() && was_followed(other, *left_out->second, *at->second));
  }
  return does;
}

class Explanation {
 public:
  Explanation(const SeenRun& run, int on, std::uint64_t number, const std::vector<Camp>& camps)
      : camps_(camps), usual_(history_of(run, longest(camps[0]), on)), odd_(history_of(run, camps[1][0].member->rank, on)) {
    found_.number = number;
    for (std::size_t i = 1; i < camps.size(); ++i)
      for (const Rank rank : ranks_of(camps[i])) found_.odd.push_back(rank);
    std::sort(found_.odd.begin(), found_.odd.end());
  }

  Mismatch take(Why property) {
    // The calls before may have differed already, but only in their places.
    for (std::uint64_t at = found_.number; usual_.contains(at) && odd_.contains(at) && compare(at); --at) found_.number = at;
    found_.cause = skipped_ || repeated_ ? Why::order : property;
    if (found_.cause == Why::order)
      explain_order();
    else
      explain_property();
    return std::move(found_);
  }

 private:
  // Is the odd rank's history from here the usual one after a call was left out, or with one more?
  bool compare(std::uint64_t number) {
    if (look_alike(*odd_.at(number), *usual_.at(number))) return false;
    const bool skipped = lacks_one(odd_, usual_, number), repeated = lacks_one(usual_, odd_, number);
    if (skipped || repeated) skipped_ = skipped, repeated_ = repeated;
    return skipped || repeated;
  }

  void explain_order() {
    const WatchedCall &mine = *odd_.at(found_.number), &theirs = *usual_.at(found_.number);
    const std::string who = ranks_phrase(ranks_of(camps_[1])), others = ranks_phrase(ranks_of(camps_[0]));
    const auto with_place = [](const WatchedCall& call) { return call.place.empty() ? "" : ", " + call.place; };
    const auto told = [&](const WatchedCall& call) {
      return fmt::format("{} (call {}{})", call.function, number_words(call.number), with_place(call));
    };
    const std::string before = " before " + (mine.place.empty() ? "its " + call_words(mine) : mine.place);
    std::string what = "took another branch" + (is_tie() ? " than " + others : "") + before;
    if (skipped_) what = "skipped " + told(theirs) + (repeated_ ? ", or made one more " + told(mine) : before);
    if (repeated_ && !skipped_) what = "made one more " + told(mine);
    found_.sentences = {"the order of collectives differs: " + who + " " + what};
    if (odd_.rbegin()->first > found_.number || usual_.rbegin()->first > found_.number)
      found_.sentences.push_back(fmt::format("call {} is {}{} on {}, and {}{} on {}", number_words(found_.number), mine.function,
                                             at_place(mine.place), who, theirs.function, at_place(theirs.place), others));
    const auto last = usual_.find(found_.number - 1);
    if (last != usual_.end() && odd_.contains(last->first))
      found_.sentences.push_back("the last call that all ranks share is " + call_words(*last->second) + with_place(*last->second));
  }

  void explain_property() {
    constexpr std::size_t most = 4;
    std::string sentence = fmt::format("the {} of {}, differ: ", noun_of(found_.cause), call_words(*camps_[1][0].call));
    const auto value = [&](const Camp& camp) { return property_words(*camp[0].call, found_.cause); };
    for (std::size_t i = 1; i < std::min(camps_.size(), most); ++i)
      sentence += fmt::format("{} give{} {}{}, ", ranks_phrase(ranks_of(camps_[i])), camps_[i].size() == 1 ? "s" : "",
                              value(camps_[i]), at_place(camps_[i][0].call->place));
    if (is_tie())
      sentence += ranks_phrase(ranks_of(camps_[0])) + " " + value(camps_[0]) + at_place(camps_[0][0].call->place);
    else
      sentence += (camps_.size() > most ? "most others " : "the others ") + value(camps_[0]);
    found_.sentences = {sentence};
  }

  bool is_tie() const { return camps_[0].size() == camps_[1].size(); }

  const std::vector<Camp>& camps_;
  const History usual_, odd_;
  bool skipped_ = false, repeated_ = false;
  Mismatch found_;
};

// A number of an irregular call's list, or -1 if it is unknown.
Bytes listed_for(const std::vector<Bytes>& list, std::size_t rank) {
  return list.size() == 1 ? list[0] : rank < list.size() ? list[rank] : -1;
}

// What ranks send in an irregular call that others do not expect.
std::optional<Mismatch> mismatch_of_blocks(const CommonCommunicator& communicator, const std::vector<ComparedCall>& calls) {
  const auto form = form_of(*calls[0].call);
  if (!communicator.is_ordered || !form || !is_irregular_function(*form)) return std::nullopt;
  Mismatch found{Why::blocks, calls[0].call->number, {}, {}};
  std::uint64_t wrong = 0;
  std::vector<ComparedCall> senders = calls, receivers = calls;
  std::erase_if(senders, [](const ComparedCall& each) { return each.call->sent.empty(); });
  std::erase_if(receivers, [](const ComparedCall& each) { return each.call->received.empty(); });
  const auto index = [&](const Member* member) { return static_cast<std::size_t>(member - communicator.members.data()); };
  for (const auto& [from, sender] : senders)
    for (const auto& [to, receiver] : receivers) {
      const Bytes sends = listed_for(sender->sent, index(to)), expects = listed_for(receiver->received, index(from));
      if (sends < 0 || expects < 0 || sends == expects || ++wrong > 1) continue;
      found.odd = {from->rank};
      if (from != to) found.odd.push_back(to->rank);
      found.sentences = {fmt::format("the sizes of {}, differ: rank {} sends {} to rank {}{}, which expects {}{}",
                                     call_words(*sender), from->rank, size_words(sends), to->rank, at_place(sender->place),
                                     size_words(expects), at_place(receiver->place))};
    }
  if (wrong == 0) return std::nullopt;
  if (wrong == 2) found.sentences[0] += "; 1 other pair differs";
  if (wrong > 2) found.sentences[0] += fmt::format("; {} other pairs differ", number_words(wrong - 1));
  std::sort(found.odd.begin(), found.odd.end());
  return found;
}

}  // namespace

std::optional<Mismatch> first_mismatch(const SeenRun& run, int on, std::uint64_t from, bool only_order) {
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
      if (camps.size() > 1) return Explanation(run, on, number, camps).take(property);
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
