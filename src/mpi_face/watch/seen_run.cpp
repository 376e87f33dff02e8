// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/watch/seen_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

#include "foundation/text/wording.hpp"
#include "mpi_face/report/report_words.hpp"

namespace quadrille::mpi_face {
namespace {

bool waits_for_requests(const WatchedCall& call) {
  return !call.is_collective && (call.function.starts_with("Wait") || call.function.starts_with("Test"));
}

std::string label_of(const CommonCommunicator& communicator) {
  std::vector<Rank> ranks;
  for (const Member& member : communicator.members) ranks.push_back(member.rank);
  std::sort(ranks.begin(), ranks.end());
  static constexpr std::array<std::string_view, 5> words{"first", "second", "third", "fourth", "fifth"};
  const std::string which = communicator.made == 0 ? ""
                            : communicator.made < words.size()
                                ? fmt::format(" (the {} one)", words[communicator.made])
                                : fmt::format(" (number {} of them)", number_words(communicator.made + 1));
  return "a communicator of " + ranks_phrase(ranks) + which;
}

}  // namespace

std::string base_of(const std::string& function) {
  std::string base = function;
  if (base.ends_with("_init")) base.resize(base.size() - 5);
  if (base.size() > 1 && base[0] == 'I' && std::islower(static_cast<unsigned char>(base[1]))) {
    base.erase(0, 1);
    base[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(base[0])));
  }
  return base;
}

SeenRun::SeenRun(std::span<const SeenRank> ranks, Count world_size) {
  constexpr Rank most = Rank{1} << 26;
  Rank size = std::clamp<Rank>(world_size, 0, most);
  for (const SeenRank& rank : ranks)
    if (rank.rank >= 0 && rank.rank < most) size = std::max(size, rank.rank + 1);
  by_rank_.resize(index(size));
  for (const SeenRank& rank : ranks)
    if (rank.rank >= 0 && rank.rank < most) by_rank_[index(rank.rank)] = &rank;
  for (Rank rank = 0; rank < size; ++rank) {
    if (by_rank_[index(rank)]) continue;
    unseen_.emplace_back().rank = rank;
    by_rank_[index(rank)] = &unseen_.back();
  }
  shared_.resize(index(size));
  for (Rank rank = 0; rank < size; ++rank) add_communicators(at(rank));
  for (Rank rank = 0; rank < size; ++rank) {
    std::vector<std::uint64_t> begun(at(rank).communicators.size());
    for (std::size_t i = 0; i < begun.size(); ++i) begun[i] = at(rank).communicators[i].calls;
    for (const WatchedCall& call : at(rank).calls)
      if (call.communicator >= 0 && index(call.communicator) < begun.size() && call.is_collective)
        begun[index(call.communicator)] = std::max(begun[index(call.communicator)], call.number);
    for (std::size_t i = 0; i < begun.size(); ++i)
      communicators_[index(shared_[index(rank)][i])].members.push_back({rank, &at(rank).communicators[i], begun[i]});
    waiting_.push_back(waiting_of(at(rank)));
  }
  for (CommonCommunicator& each : communicators_) {
    put_in_order(each);
    if (each.label.empty()) each.label = label_of(each);
  }
}

// Also adds members of which it has not been seen that they know the communicator.
void SeenRun::put_in_order(CommonCommunicator& communicator) const {
  std::vector<Rank> world;
  if (communicator.label == "MPI_COMM_WORLD")
    for (Rank rank = 0; rank < size(); ++rank) world.push_back(rank);
  const std::vector<Rank>* order = world.empty() ? nullptr : &world;
  for (const Member& member : communicator.members)
    if ((!order || order == &world) && !member.communicator->world_ranks.empty()) order = &member.communicator->world_ranks;
  if (!order || std::any_of(order->begin(), order->end(), [&](Rank rank) { return rank < 0 || rank >= size(); })) return;
  std::unordered_map<Rank, Member> known;
  for (const Rank rank : *order) known[rank].rank = rank;
  const bool are_distinct = known.size() == order->size();
  for (const Member& member : communicator.members) known[member.rank] = member;
  if (!are_distinct || known.size() != order->size()) return;  // the list is damaged, or two ranks list different members
  communicator.members.clear();
  for (const Rank rank : *order) communicator.members.push_back(known[rank]);
  communicator.is_ordered = true;
}

const SeenRank& SeenRun::at(Rank rank) const { return *by_rank_[index(rank)]; }

void SeenRun::add_communicators(const SeenRank& rank) {
  for (const SeenCommunicator& seen : rank.communicators) {
    const auto [place, is_new] = places_.try_emplace(seen.key, static_cast<int>(communicators_.size()));
    if (is_new) communicators_.emplace_back();
    CommonCommunicator& shared = communicators_[index(place->second)];
    if (shared.label.empty()) shared.label = seen.name;
    shared.made = seen.key.made;
    shared.usual_s = std::max(shared.usual_s, seen.usual_s);
    shared_[index(rank.rank)].push_back(place->second);
  }
}

Waiting SeenRun::waiting_of(const SeenRank& rank) const {
  using State = SeenRank::State;
  if (rank.state == State::computes || rank.state == State::sleeps || rank.state == State::unknown) return {};
  const auto last = std::find_if(rank.calls.rbegin(), rank.calls.rend(), [](const auto& call) { return !call.has_left; });
  if (last == rank.calls.rend()) return {};
  Waiting waiting{&*last, {}};
  if (last->is_collective || last->peer != -1) waiting.targets = {&*last};
  if (!waits_for_requests(*last)) return waiting;
  for (const WatchedCall& call : rank.calls)
    if (last->number > 0 && call.is_collective && call.number == last->number && call.communicator == last->communicator)
      return {&*last, {&call}};
  // Which requests it waits for is a guess: each wait before is assumed to have completed the oldest request, or all messages.
  std::vector<const WatchedCall*> open;
  const auto is_message = [](const WatchedCall* call) { return !call->is_collective; };
  for (const WatchedCall& call : std::span(&rank.calls.front(), &*last)) {
    if (!call.is_blocking)
      open.push_back(&call);
    else if (call.function == "Waitall" && std::erase_if(open, is_message) == 0)
      open.clear();
    else if (call.function.starts_with("Wait") && call.function != "Waitall" && !open.empty())
      open.erase(open.begin());
  }
  // A wait for a collective of which it is known has that collective's number.
  if (std::any_of(open.begin(), open.end(), is_message))
    std::erase_if(open, [&](const auto* call) { return !is_message(call); });
  else if (!open.empty())
    open.resize(1);
  waiting.targets = std::move(open);
  // Receives first: a send may be complete before the peer has received it.
  std::stable_partition(waiting.targets.begin(), waiting.targets.end(),
                        [](const auto* call) { return call->function.find("recv") != std::string::npos; });
  return waiting;
}

int SeenRun::communicator_of(Rank rank, const WatchedCall& call) const {
  const std::vector<int>& shared = shared_[index(rank)];
  return call.communicator >= 0 && index(call.communicator) < shared.size() ? shared[index(call.communicator)] : -1;
}

Rank SeenRun::peer_of(Rank rank, const WatchedCall& call) const {
  const int on = communicator_of(rank, call);
  if (call.peer == -2) return -2;
  if (on < 0 || call.peer < 0) return -1;
  const CommonCommunicator& shared = communicators_[index(on)];
  return shared.is_ordered && index(call.peer) < shared.members.size() ? shared.members[index(call.peer)].rank : -1;
}

int SeenRun::waits_on(Rank rank) const {
  const std::vector<const WatchedCall*>& targets = waiting(rank).targets;
  const bool is_in = state(rank) == SeenRank::State::in_call;
  return is_in && targets.size() == 1 && targets[0]->is_collective ? communicator_of(rank, *targets[0]) : -1;
}

bool SeenRun::is_quiet(Rank rank, double limit_s) const {
  using State = SeenRank::State;
  const State now = state(rank);
  return now == State::died || now == State::finalised || now == State::unknown || at(rank).since_s >= limit_s;
}

std::string ranks_list(const std::vector<Rank>& ranks) {
  constexpr std::size_t most = 8;
  std::string words;
  std::size_t told = 0, parts = 0;
  bool has_range = false;
  for (; told < ranks.size() && parts < most; ++parts) {
    std::size_t end = told + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - told < 3) end = told + 1;
    has_range |= end - told > 1;
    words += (words.empty() ? "" : ", ") +
             (end - told > 1 ? fmt::format("{}..{}", ranks[told], ranks[end - 1]) : fmt::format("{}", ranks[told]));
    told = end;
  }
  if (told < ranks.size()) words += fmt::format(" and {} more", number_words(ranks.size() - told));
  if ((has_range && ranks.size() > 4) || told < ranks.size()) words += fmt::format(" ({})", number_words(ranks.size()));
  return words;
}

std::string ranks_phrase(const std::vector<Rank>& ranks) { return (ranks.size() == 1 ? "rank " : "ranks ") + ranks_list(ranks); }

std::string number_words(std::uint64_t number) {
  return count_words(static_cast<Count>(std::min<std::uint64_t>(number, INT64_MAX)));
}

std::string size_words(Bytes bytes) {
  const ByteUnit unit = common_unit(std::array{bytes});
  return fmt::format("{} {}", count_words(bytes / unit.bytes), unit.name);
}

std::string duration_words(double seconds) {
  if (seconds >= 10) return count_words(static_cast<Count>(std::min(seconds, 1e15))) + " s";
  std::string words = seconds < 1 ? seconds_words(seconds) : fmt::format("{:.1f} s", seconds);
  const std::size_t end = words.find(' ');
  if (words.find('.') < end) {
    const std::size_t last = words.find_last_not_of('0', end - 1);
    words.erase(last + (words[last] == '.' ? 0 : 1), end - last - (words[last] == '.' ? 0 : 1));
  }
  return words;
}

std::string call_words(const WatchedCall& call) {
  return call.number > 0 ? fmt::format("{}, call {}", call.function, number_words(call.number)) : call.function;
}

std::string at_place(const std::string& place) { return place.empty() ? "" : fmt::format(" ({})", place); }

}  // namespace quadrille::mpi_face
