// SPDX-License-Identifier: BSD-3-Clause
#include "verify/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

using Kind = NamedOperation::Kind;

class Grouping {
 public:
  explicit Grouping(const Investigation& known) : known_(known) {
    std::set<std::size_t> unfinished;
    for (const UnfinishedEnd& end : known_.flow.unfinished()) unfinished.insert(end.operation);
    numbers_.assign(unfinished.begin(), unfinished.end());
    for (const std::size_t number : numbers_) names_.push_back(timed(number).name);
  }

  std::vector<UnfinishedGroup> run() {
    unite_neighbours();
    find_shifts();
    unite_absent_ends();
    std::vector<UnfinishedGroup> groups;
    for (const AlikeGroup& alike :
         alike_groups(names_, together_, known_.stages, known_.ranks, [&](SetSizes& sizes) { known_.measure(sizes); })) {
      UnfinishedGroup& group = groups.emplace_back();
      for (const std::size_t member : alike.members) group.operations.push_back(numbers_[member]);
      group.text = alike.text;
      const std::set<std::size_t> members(alike.members.begin(), alike.members.end());
      Count most = 1;
      for (const auto& [rank, count] : absent_)
        if (count.all > most && count.absent == count.all && members.contains(count.first))
          most = count.all, group.text = fmt::format("rank {} takes part in none of its {} messages", rank, count.all);
      for (const auto& [key, shifted] : shifts_) {
        const Shift& shift = shifted.shift;
        if (shift.rounds != 0 && members.contains(shift.first) && (!group.shift || shift.messages > group.shift->messages))
          group.shift = shift;
      }
      if (group.shift) group.shift->first = numbers_[group.shift->first];
    }
    return groups;
  }

 private:
  struct Shifted {
    Shift shift;
    std::vector<std::size_t> members;
  };
  struct AbsentEnds {
    Count all = 0, absent = 0;
    std::size_t first = 0;  // the first of the absent operations
  };

  const TimedOperation& timed(std::size_t number) const { return known_.flow.operations()[number]; }
  bool has_sender(std::size_t i) const { return timed(numbers_[i]).source != nullptr; }
  bool lacks_an_end(std::size_t i) const {
    return names_[i].kind == Kind::message && has_sender(i) != (timed(numbers_[i]).target != nullptr);
  }

  void unite_neighbours() {
    std::map<std::tuple<Count, bool, Rank>, std::size_t> known;
    for (std::size_t i = 0; i < names_.size(); ++i)
      for (const bool sends : {true, false})
        unite_with_first(known, {names_[i].round, sends, sends ? names_[i].from : names_[i].to}, i);
  }

  template <class Key>
  void unite_with_first(std::map<Key, std::size_t>& known, const Key& key, std::size_t i) {
    if (const auto [first, fresh] = known.try_emplace(key, i); !fresh) together_.emplace_back(first->second, i);
  }

  void find_shifts() {
    struct Ends {
      std::vector<Count> sends, receives;  // rounds, in the order of the programs
    };
    std::map<std::pair<Rank, Rank>, Ends> all;
    for (const Program& program : known_.flow.programs())
      for (const Round& round : program.rounds) {
        for (const Message& send : round.sends) all[{program.rank, send.peer}].sends.push_back(round.number);
        for (const Message& receive : round.receives) all[{receive.peer, program.rank}].receives.push_back(round.number);
      }
    std::map<std::tuple<Rank, Rank, std::ptrdiff_t>, std::size_t> messages;  // the value is the first of the ends
    std::map<Rank, Count> messages_of;                                       // with an end at the rank
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto& [round, kind, from, to] = names_[i];
      if (!lacks_an_end(i) || round < 0) continue;
      const auto& [sends, receives] = all[{from, to}];
      const std::vector<Count>& own = has_sender(i) ? sends : receives;
      const auto place = std::find(own.begin(), own.end(), round) - own.begin();
      const bool has_partner = sends.size() == receives.size();
      const auto [message, is_new] = messages.try_emplace({from, to, has_partner ? place : -1 - place}, i);
      if (is_new) ++messages_of[from], ++messages_of[to];
      together_.emplace_back(message->second, i);
      if (!is_new || !has_partner) continue;
      const Count sent = sends.at(static_cast<std::size_t>(place)), received = receives.at(static_cast<std::size_t>(place));
      if (sent < 0 || received < 0) continue;
      enter_shift({from, sent - received, 0, i, sent, received}, i);
      enter_shift({to, received - sent, 0, i, sent, received}, i);
    }
    std::erase_if(shifts_, [&](const auto& each) {
      const Count all_messages = messages_of[each.second.shift.rank];
      return each.second.shift.messages < all_messages - all_messages / 4;
    });
    for (const auto& [key, shifted] : shifts_)
      for (const std::size_t i : shifted.members) together_.emplace_back(shifted.shift.first, i);
  }

  void enter_shift(const Shift& shift, std::size_t i) {
    Shifted& known = shifts_.try_emplace({shift.rank, shift.rounds}, Shifted{shift, {}}).first->second;
    ++known.shift.messages;
    known.members.push_back(i);
  }

  void unite_absent_ends() {
    for (const TimedOperation& operation : known_.flow.operations())
      if (operation.name.kind == Kind::message) ++absent_[operation.name.from].all, ++absent_[operation.name.to].all;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!lacks_an_end(i)) continue;
      AbsentEnds& ends = absent_[has_sender(i) ? names_[i].to : names_[i].from];
      if (ends.absent++ == 0) ends.first = i;
    }
    std::erase_if(absent_, [](const auto& each) {
      return each.second.absent < 2 || each.second.absent < each.second.all - each.second.all / 4;
    });
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!lacks_an_end(i)) continue;
      if (const auto ends = absent_.find(has_sender(i) ? names_[i].to : names_[i].from); ends != absent_.end())
        together_.emplace_back(ends->second.first, i);
    }
  }

  const Investigation& known_;
  std::vector<std::size_t> numbers_;   // of the operations in ByteFlow
  std::vector<NamedOperation> names_;  // by the same index, as all below
  std::vector<std::pair<std::size_t, std::size_t>> together_;
  std::map<std::pair<Rank, Count>, Shifted> shifts_;
  std::map<Rank, AbsentEnds> absent_;
};

}  // namespace

std::vector<UnfinishedGroup> unfinished_groups(const Investigation& known) { return Grouping(known).run(); }

std::string to_string(const Shift& shift, const ByteFlow& flow) {
  const std::string message = to_string(flow.operations()[shift.first].name);
  const std::string text =
      fmt::format("{} is sent in round {} and received in round {}", message, shift.send_round, shift.receive_round);
  if (shift.messages == 1) return text;
  const Count rounds = std::abs(shift.rounds);
  return fmt::format("rank {} is {} round{} {}: {}", shift.rank, rounds, rounds == 1 ? "" : "s",
                     shift.rounds > 0 ? "late" : "early", text);
}

}  // namespace quadrille
