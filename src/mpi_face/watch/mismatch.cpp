// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/watch/mismatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

namespace quadrille::mpi_face {
namespace {

using Why = HangVerdict::Cause;

// The properties in which calls with the same number must agree, in the order in which they are compared.
constexpr std::array<Why, 5> properties{Why::order, Why::root, Why::operation, Why::element, Why::bytes};

bool has_equal_blocks(const std::string& function) {
  static const std::set<std::string> functions{"Bcast",     "Reduce",   "Allreduce", "Scan",    "Exscan",
                                               "Allgather", "Alltoall", "Gather",    "Scatter", "Reduce_scatter_block"};
  return functions.contains(base_of(function));
}

bool is_irregular(const std::string& function) {
  static const std::set<std::string> functions{"Alltoallv", "Alltoallw", "Gatherv", "Scatterv", "Allgatherv"};
  return functions.contains(base_of(function));
}

// The call's value of a property. Empty matches everything.
std::string value_of(const WatchedCall& call, Why property) {
  switch (property) {
    case Why::order: return call.function;
    case Why::root: return call.root < 0 ? "" : fmt::format("root {}", call.root);
    case Why::operation: return call.operation;
    case Why::element: return call.element;
    default: return call.bytes < 0 || !has_equal_blocks(call.function) ? "" : size_words(call.bytes);
  }
}

bool agree(const WatchedCall& a, const WatchedCall& b, Why property) {
  switch (property) {
    case Why::order: return a.function == b.function;
    case Why::root: return a.root < 0 || b.root < 0 || a.root == b.root;
    case Why::operation: return a.operation.empty() || b.operation.empty() || a.operation == b.operation;
    case Why::element: return a.element.empty() || b.element.empty() || a.element == b.element;
    default: return a.bytes < 0 || b.bytes < 0 || a.bytes == b.bytes || !has_equal_blocks(a.function);
  }
}

bool is_wild(const WatchedCall& call, Why property) {
  return (property == Why::root && call.root < 0) || (property == Why::operation && call.operation.empty()) ||
         (property == Why::element && call.element.empty()) || (property == Why::bytes && call.bytes < 0);
}

template <class Visit>
void for_each_call(const SeenRun& run, const Member& member, const Visit& visit) {
  if (!member.communicator) return;
  const SeenRank& rank = run.at(member.rank);
  const auto index = static_cast<int>(member.communicator - rank.communicators.data());
  for (const WatchedCall& call : rank.calls)
    if (call.is_collective && call.number > 0 && call.communicator == index) visit(call);
}

using History = std::map<std::uint64_t, const WatchedCall*>;

History history_of(const SeenRun& run, const Member& member) {
  History history;
  for_each_call(run, member, [&](const WatchedCall& call) { history[call.number] = &call; });
  return history;
}

bool look_alike(const WatchedCall& a, const WatchedCall& b) {
  return a.function == b.function && (a.place.empty() || b.place.empty() || a.place == b.place);
}

// True if all calls of `history` from `first` are those of `other` with a number greater by one, and at least one can be compared.
bool is_ahead(const History& history, const History& other, std::uint64_t first) {
  bool compared = false;
  for (auto at = history.lower_bound(first); at != history.end(); ++at) {
    const auto its = other.find(at->first + 1);
    if (its == other.end()) continue;
    if (!look_alike(*at->second, *its->second)) return false;
    compared = true;
  }
  return compared;
}

// True if a call like `first` was followed by one like `second` before `number`.
bool was_followed(const History& history, const WatchedCall& first, const WatchedCall& second, std::uint64_t number) {
  for (auto at = history.begin(); at != history.end() && at->first < number; ++at) {
    const auto next = std::next(at);
    if (next != history.end() && next->first == at->first + 1 && next->first < number && look_alike(*at->second, first) &&
        look_alike(*next->second, second))
      return true;
  }
  return false;
}

struct Shift {
  bool skipped = false, repeated = false;
};

// Whether the odd rank's calls from `number` are the usual ones after one was left out, or with one more.
Shift shift_of(const History& odd, const History& usual, std::uint64_t number) {
  const WatchedCall &mine = *odd.at(number), &theirs = *usual.at(number);
  if (look_alike(mine, theirs)) return {};
  if (is_ahead(odd, usual, number)) return {true, false};
  if (is_ahead(usual, odd, number)) return {false, true};
  Shift shift;
  for (const History* history : {&odd, &usual}) {
    shift.skipped |= was_followed(*history, theirs, mine, number);
    const auto before = history->find(number - 1);
    shift.repeated |= before != history->end() && look_alike(*before->second, mine) && was_followed(*history, mine, theirs, number);
  }
  return shift;
}

struct Camp {
  std::string value;
  std::vector<const Member*> members;
};

// What a call says about one message: bytes, or -1 if it says nothing.
Bytes sent_to(const WatchedCall& call, std::size_t rank) {
  if (!call.sent.empty()) return call.sent.size() == 1 ? call.sent[0] : rank < call.sent.size() ? call.sent[rank] : -1;
  return base_of(call.function) == "Gatherv" || base_of(call.function) == "Allgatherv" ? call.bytes : -1;
}
Bytes received_from(const WatchedCall& call, std::size_t rank) {
  if (!call.received.empty()) {
    if (call.received.size() == 1 && base_of(call.function) == "Scatterv") return call.received[0];
    return rank < call.received.size() ? call.received[rank] : -1;
  }
  return base_of(call.function) == "Scatterv" ? call.bytes : -1;
}

std::vector<Rank> ranks_of(const std::vector<const Member*>& members) {
  std::vector<Rank> ranks;
  for (const Member* member : members) ranks.push_back(member->rank);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

class Comparison {
 public:
  Comparison(const SeenRun& run, const CommonCommunicator& communicator) : run_(run), communicator_(communicator) {}

  std::optional<Mismatch> first(std::uint64_t from, bool only_order) {
    for (const Member& member : communicator_.members)
      for_each_call(run_, member, [&](const WatchedCall& call) {
        if (call.number >= from) compare(member, call, only_order);
      });
    if (!only_order) compare_blocks();
    if (found_.number == 0) return std::nullopt;
    if (found_.cause != Why::blocks && !explain()) return std::nullopt;
    std::sort(found_.odd.begin(), found_.odd.end());
    return std::move(found_);
  }

 private:
  struct Irregular {
    std::vector<std::pair<std::size_t, const WatchedCall*>> calls;  // index of the member
    bool has_blocks = false;
  };

  bool is_before_found(std::uint64_t number, Why cause) const {
    return found_.number == 0 || number < found_.number || (number == found_.number && cause < found_.cause);
  }

  void compare(const Member& member, const WatchedCall& call, bool only_order) {
    auto& known = known_[call.number];
    for (std::size_t i = 0; i < (only_order ? 1 : properties.size()); ++i) {
      if (is_wild(call, properties[i])) continue;
      if (!known[i]) known[i] = &call;
      if (!agree(*known[i], call, properties[i]) && is_before_found(call.number, properties[i]))
        found_.number = call.number, found_.cause = properties[i];
    }
    if (!only_order && communicator_.is_ordered && is_irregular(call.function)) {
      Irregular& irregular = irregular_[call.number];
      irregular.calls.emplace_back(static_cast<std::size_t>(&member - communicator_.members.data()), &call);
      irregular.has_blocks |= !call.sent.empty() || !call.received.empty();
    }
  }

  void compare_blocks() {
    for (const auto& [number, irregular] : irregular_) {
      if (!irregular.has_blocks || !is_before_found(number, Why::blocks)) continue;
      // With a root, only that rank's pairs count; so the work is not more than the bytes that the calls name.
      const std::string function = base_of(irregular.calls[0].second->function);
      auto senders = irregular.calls, receivers = irregular.calls;
      const auto is_no_root = [](const auto& each) { return each.second->root != static_cast<Rank>(each.first); };
      if (function == "Scatterv") std::erase_if(senders, is_no_root);
      if (function == "Gatherv") std::erase_if(receivers, is_no_root);
      if (function != "Scatterv") std::erase_if(receivers, [](const auto& each) { return each.second->received.empty(); });
      Count wrong = 0;
      std::string pair;
      for (const auto& [from, sender] : senders)
        for (const auto& [to, receiver] : receivers) {
          const Bytes sends = sent_to(*sender, to), expects = received_from(*receiver, from);
          if (sends < 0 || expects < 0 || sends == expects || ++wrong > 1) continue;
          found_.number = number, found_.cause = Why::blocks;
          const Rank a = communicator_.members[from].rank, b = communicator_.members[to].rank;
          found_.odd = {a, b};
          if (a == b) found_.odd.pop_back();
          pair = fmt::format("the sizes of {}, differ: rank {} sends {} to rank {}{}, which expects {}{}", call_words(*sender), a,
                             size_words(sends), b, at_place(sender->place), size_words(expects), at_place(receiver->place));
        }
      if (wrong == 0) continue;
      if (wrong > 1)
        pair += fmt::format("; {} other pair{} differ{}", number_words(static_cast<std::uint64_t>(wrong - 1)),
                            wrong == 2 ? "" : "s", wrong == 2 ? "s" : "");
      found_.sentences = {pair};
    }
  }

  // The members by their value of the property that differs. The most frequent is first, or else that of the lowest rank.
  std::vector<Camp> camps() const {
    std::vector<Camp> camps;
    std::unordered_map<std::string, std::size_t> places;
    for (const Member& member : communicator_.members) {
      const WatchedCall* call = call_with(run_, member, found_.number);
      const std::string value = call ? value_of(*call, found_.cause) : "";
      if (value.empty()) continue;
      const auto [place, is_new] = places.try_emplace(value, camps.size());
      if (is_new) camps.push_back({value, {}});
      camps[place->second].members.push_back(&member);
    }
    std::stable_sort(camps.begin(), camps.end(), [](const Camp& a, const Camp& b) { return a.members.size() > b.members.size(); });
    return camps;
  }

  const WatchedCall& call_of(const Member* member) const { return *call_with(run_, *member, found_.number); }

  // Returns false if only one rank has two calls with the same number.
  bool explain() {
    const std::vector<Camp> all = camps();
    if (all.size() < 2) return false;
    const Member& usual = longest(all[0]);
    const History usual_history = history_of(run_, usual);
    const Member& odd = *all[1].members[0];
    const History odd_history = history_of(run_, odd);
    for (std::size_t i = 1; i < all.size(); ++i)
      for (const Member* member : all[i].members) found_.odd.push_back(member->rank);
    Shift shift = shift_of(odd_history, usual_history, found_.number);
    // The calls before may have differed already, but only in their places.
    while (shift.skipped || shift.repeated) {
      const std::uint64_t before = found_.number - 1;
      if (!odd_history.contains(before) || !usual_history.contains(before)) break;
      const Shift earlier = shift_of(odd_history, usual_history, before);
      if (!earlier.skipped && !earlier.repeated) break;
      shift = earlier, found_.number = before;
    }
    if (found_.cause == Why::order || shift.skipped || shift.repeated) {
      found_.cause = Why::order;
      explain_order(all, shift, usual);
      const auto before = usual_history.find(found_.number - 1);
      if (before != usual_history.end() && odd_history.contains(found_.number - 1)) {
        const std::string& place = before->second->place;
        found_.sentences.push_back("the last call that all ranks share is " + call_words(*before->second) +
                                   (place.empty() ? "" : ", " + place));
      }
    } else {
      explain_property(all);
    }
    return true;
  }

  // The member of a camp whose history reaches furthest.
  const Member& longest(const Camp& camp) const {
    return **std::max_element(camp.members.begin(), camp.members.end(),
                              [](const Member* a, const Member* b) { return a->begun < b->begun; });
  }

  void explain_order(const std::vector<Camp>& all, Shift shift, const Member& usual) {
    const WatchedCall &mine = call_of(all[1].members[0]), &theirs = call_of(&usual);
    const std::string ranks = ranks_phrase(ranks_of(all[1].members));
    const std::string before = mine.place.empty() ? fmt::format(" before its {}", call_words(mine)) : " before " + mine.place;
    const std::string skipped = fmt::format("skipped {} (call {}{}{})", theirs.function, number_words(theirs.number),
                                            theirs.place.empty() ? "" : ", ", theirs.place);
    const std::string repeated = fmt::format("made one more {} (call {}{}{})", mine.function, number_words(mine.number),
                                             mine.place.empty() ? "" : ", ", mine.place);
    const bool is_tie = all[0].members.size() == all[1].members.size();
    const std::string than = is_tie ? " than " + ranks_phrase(ranks_of(all[0].members)) : "";
    std::string sentence = "the order of collectives differs: " + ranks + " ";
    if (shift.skipped && shift.repeated)
      sentence += skipped + ", or " + repeated;
    else if (shift.skipped)
      sentence += skipped + before;
    else if (shift.repeated)
      sentence += repeated;
    else
      sentence += "took another branch" + than + before;
    found_.sentences.push_back(sentence);
    if (all[1].members[0]->begun <= found_.number && usual.begun <= found_.number) return;
    found_.sentences.push_back(fmt::format("call {} is {}{} on {}, and {}{} on {}", number_words(found_.number), mine.function,
                                           at_place(mine.place), ranks, theirs.function, at_place(theirs.place),
                                           ranks_phrase(ranks_of(all[0].members))));
  }

  void explain_property(const std::vector<Camp>& all) {
    static const std::map<Why, std::string> nouns{
        {Why::root, "roots"}, {Why::operation, "operators"}, {Why::element, "element types"}, {Why::bytes, "sizes"}};
    std::string sentence = fmt::format("the {} of {}, differ: ", nouns.at(found_.cause), call_words(call_of(all[1].members[0])));
    constexpr std::size_t most = 4;
    for (std::size_t i = 1; i < std::min(all.size(), most); ++i)
      sentence += fmt::format("{} give{} {}{}, ", ranks_phrase(ranks_of(all[i].members)), all[i].members.size() == 1 ? "s" : "",
                              all[i].value, at_place(call_of(all[i].members[0]).place));
    const bool is_tie = all[0].members.size() == all[1].members.size();
    sentence += (is_tie              ? ranks_phrase(ranks_of(all[0].members)) + " "
                 : all.size() > most ? "most others "
                                     : "the others ") +
                all[0].value + (is_tie ? at_place(call_of(all[0].members[0]).place) : "");
    found_.sentences.push_back(sentence);
  }

  const SeenRun& run_;
  const CommonCommunicator& communicator_;
  std::unordered_map<std::uint64_t, std::array<const WatchedCall*, properties.size()>> known_;  // first call with a value
  std::map<std::uint64_t, Irregular> irregular_;
  Mismatch found_;
};

}  // namespace

std::optional<Mismatch> first_mismatch(const SeenRun& run, const CommonCommunicator& communicator, std::uint64_t from,
                                       bool only_order) {
  return Comparison(run, communicator).first(from, only_order);
}

const WatchedCall* call_with(const SeenRun& run, const Member& member, std::uint64_t number) {
  const WatchedCall* found = nullptr;
  for_each_call(run, member, [&](const WatchedCall& call) {
    if (call.number == number) found = &call;
  });
  return found;
}

}  // namespace quadrille::mpi_face
