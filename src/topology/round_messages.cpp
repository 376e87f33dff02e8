// SPDX-License-Identifier: BSD-3-Clause
#include "topology/round_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "foundation/text/wording.hpp"
#include "problem/limits.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/symmetry.hpp"

namespace quadrille {

void add_messages(Count ranks, const Program& program, Collective collective, MessagesByRound& rounds) {
  const auto exists = [&](Rank rank) { return rank >= 0 && rank < ranks && rank != program.rank; };
  for (const Round& round : program.rounds) {
    for (const Message& message : round.sends)
      if (exists(message.peer)) rounds[round.number].push_back({program.rank, message.peer, message.port, bytes(message.regions)});
    if (moves_data(collective)) continue;
    for (const Control& control : round.control_sends)
      if (exists(control.peer)) rounds[round.number].push_back({program.rank, control.peer, {}, control.bytes});
  }
}

BusiestLink busiest_link(const Topology& topology, const std::vector<RoutedMessage>& messages,
                         const std::function<void(const RoutedMessage&, const std::string&)>& refuse) {
  struct Use {
    Link link;
    std::size_t message;
    Count slowest = 1;  // capacity of the slowest link of the message's way
  };
  const Capacities& capacities = topology.capacities();
  std::vector<Use> uses;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto& [from, to, port, length] = messages[i];
    const std::size_t first = uses.size();
    const auto use = [&](const Link& link) { uses.push_back({link, i}); };
    if (const auto way = topology.for_each_link(from, to, port, use); !way) {
      refuse(messages[i], way.error());
      topology.for_each_link(from, to, {}, use);
    }
    std::vector<Count> way;
    for (std::size_t k = first; k < uses.size(); ++k) way.push_back(uses[k].link.number);
    for (std::size_t k = first; k < uses.size(); ++k) uses[k].slowest = least_capacity(capacities, way);
  }
  std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.link.number < b.link.number; });
  BusiestLink busiest;
  for (auto first = uses.begin(); first != uses.end();) {
    const auto last = std::find_if(first, uses.end(), [&](const Use& use) { return use.link.number != first->link.number; });
    Bytes carried = 0;
    Count taken = 0;
    for (auto each = first; each != last; ++each) add_bytes(carried, messages[each->message].bytes), taken += each->slowest;
    const Count capacity = capacities.of(first->link.number), sharing = ceil_divide(taken, capacity);
    carried = busiest.bytes = std::max(busiest.bytes, capacities.on_machine(carried, capacity));
    if (sharing > busiest.sharing)
      busiest = {sharing, last - first, first->link, first->message, (last - first > 1 ? first + 1 : first)->message, carried};
    first = last;
  }
  return busiest;
}

void check_ranks(const Topology& topology, const Problem& problem) {
  if (topology.ranks() != problem.ranks)
    throw Error(ErrorCode::misuse,
                fmt::format("the topology {} has {}, not {}", topology.name(), counted(topology.ranks(), "rank"), problem.ranks));
}

SendsByRound::SendsByRound(const Schedule& schedule, bool with_controls) : schedule_(schedule), with_controls_(with_controls) {
  const Count p = schedule.problem.ranks;
  check_limit(schedule.problem, p, most_programs, "programs");
  most_sends_ = available_memory() / static_cast<Bytes>(3 * sizeof(Send));  // the list may need twice its size while it grows
  if (!schedule.symmetry) return;
  check_memory(schedule.problem, times_at_most(p, 4 * sizeof(Rank), std::numeric_limits<Bytes>::max()), "ranks");
  orbit_start_.assign(index(p) + 1, 0);
  for (Rank rank = 0; rank < p; ++rank) {
    owner_.push_back(schedule.symmetry->representative_of(rank));
    ++orbit_start_[index(owner_.back()) + 1];
  }
  for (std::size_t i = 1; i < orbit_start_.size(); ++i) orbit_start_[i] += orbit_start_[i - 1];
  orbits_.resize(index(p));
  std::vector<Count> next = orbit_start_;
  for (Rank rank = 0; rank < p; ++rank) orbits_[index(next[index(owner_[index(rank)])]++)] = rank;
}

std::span<const Rank> SendsByRound::orbit(const Rank& owner) const {
  if (owner_.empty()) return {&owner, 1};
  const std::size_t first = index(orbit_start_[index(owner)]);
  return std::span(orbits_).subspan(first, index(orbit_start_[index(owner) + 1]) - first);
}

void SendsByRound::add(const Program& program) {
  const auto keep = [&](Rank peer, const Port* port, Bytes length) {
    if (peer < 0 || peer >= schedule_.problem.ranks || peer == program.rank) return;
    Send send{.bytes = length, .peer = static_cast<std::int32_t>(peer)};
    // A port with an invalid dimension leads nowhere. The largest dimension that fits in the type stands for a negative
    // dimension, too.
    if (port) {
      send.dimension = static_cast<std::int16_t>(std::clamp<int>(port->dimension < 0 ? INT16_MAX : port->dimension, 0, INT16_MAX));
      send.direction = static_cast<std::int8_t>(std::clamp(port->direction, -2, 2));
    }
    sends_.push_back(send);
  };
  for (const Round& round : program.rounds) {
    const std::size_t first = sends_.size();
    for (const Message& message : round.sends) keep(message.peer, message.port ? &*message.port : nullptr, bytes(message.regions));
    if (with_controls_)
      for (const Control& control : round.control_sends) keep(control.peer, nullptr, control.bytes);
    check_limit(schedule_.problem, size(sends_), most_sends_, "messages, all of which have to be held in memory");
    if (sends_.size() > first) groups_.push_back({round.number, program.rank, first, sends_.size()});
  }
}

void SendsByRound::sort() {
  std::stable_sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) { return a.round < b.round; });
}

}  // namespace quadrille
