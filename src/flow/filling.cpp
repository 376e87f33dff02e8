// SPDX-License-Identifier: BSD-3-Clause
#include "flow/filling.hpp"

#include <algorithm>
#include <numeric>

#include "flow/ways.hpp"
#include "foundation/arithmetic.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

class RoundFiller {
 public:
  RoundFiller(const RankNetwork& network, const std::vector<BlockPart>& parts, const RoundLimits& limits)
      : network_(network),
        parts_(parts),
        limits_(limits),
        left_(link_bytes(network, parts)),
        below_(parts.size()),
        urgencies_(parts.size()),
        heights_(parts.size()),
        sent_(network.hops.size()),
        taken_(network.link_numbers) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::vector<PartStep>& steps = parts[part].steps;
      below_[part].resize(steps.size());
      heights_[part].assign(steps.size(), 0);
      for (std::size_t step = steps.size(); step-- > 0;) {
        if (steps[step].before < 0) {
          ready_.push_back({part, step, 0, parts[part].length, -1});
          continue;
        }
        const std::size_t before = index(steps[step].before);
        below_[part][before].push_back(step);
        heights_[part][before] = std::max(heights_[part][before], heights_[part][step] + 1);
      }
    }
  }

  FilledRounds filled() {
    FilledRounds result;
    while (!ready_.empty()) {
      sort_by_urgency();
      std::fill(sent_.begin(), sent_.end(), 0);
      std::fill(taken_.begin(), taken_.end(), 0);
      std::vector<PartTransfer> taken, kept;
      for (PartTransfer& transfer : ready_) {
        const Bytes length = std::min(transfer.length, room(hop_of(transfer)));
        if (length > 0) {
          taken.push_back(transfer);
          taken.back().length = length;
          take(hop_of(transfer), length);
        }
        if (length == transfer.length) continue;
        transfer.first += length, transfer.length -= length;
        kept.push_back(transfer);
      }
      for (const PartTransfer& transfer : taken) {
        for (const std::size_t step : below_[transfer.part][transfer.step])
          kept.push_back({transfer.part, step, transfer.first, transfer.length, transfers_});
        ++transfers_;
      }
      result.c2_shared += c2_shared();
      result.rounds.push_back(std::move(taken));
      ready_ = std::move(kept);
    }
    return result;
  }

 private:
  std::size_t hop_of(const PartTransfer& transfer) const { return parts_[transfer.part].steps[transfer.step].hop; }

  // The bytes that a hop can still take in this round.
  Bytes room(std::size_t hop) const {
    if (sent_[hop] == 0)
      for (const std::size_t link : network_.hops[hop].links)
        if (taken_[link] + network_.hops[hop].capacity > limits_.sharing * capacity(link)) return 0;
    if (network_.capacities.of_links.empty()) return limits_.longest - sent_[hop];
    const double longest = static_cast<double>(limits_.longest) * static_cast<double>(network_.hops[hop].capacity) /
                           static_cast<double>(network_.capacities.of_machine);
    return std::max<Bytes>(1, static_cast<Bytes>(longest)) - sent_[hop];
  }

  Count capacity(std::size_t link) const { return network_.capacities.of(static_cast<Count>(link)); }

  // The longest message of the round times its sharing (LinkFigures).
  Bytes c2_shared() const {
    Bytes longest = 0;
    Count sharing = 0;
    for (std::size_t hop = 0; hop < sent_.size(); ++hop)
      longest = std::max(longest, network_.capacities.on_machine(sent_[hop], network_.hops[hop].capacity));
    for (std::size_t link = 0; link < taken_.size(); ++link) sharing = std::max(sharing, ceil_divide(taken_[link], capacity(link)));
    return longest * sharing;
  }

  void take(std::size_t hop, Bytes length) {
    for (const std::size_t link : network_.hops[hop].links) {
      if (sent_[hop] == 0) taken_[link] += network_.hops[hop].capacity;
      left_[link] -= length;
    }
    sent_[hop] += length;
  }

  // For each step of a part: how many rounds it takes at least until all steps that follow it, and all else that goes over their
  // links, are done.
  void find_urgencies(std::size_t part) {
    const std::vector<PartStep>& steps = parts_[part].steps;
    std::vector<double>& urgencies = urgencies_[part];
    urgencies.assign(steps.size(), 0);
    for (std::size_t step = steps.size(); step-- > 0;) {
      Bytes most = 0;
      for (const std::size_t link : network_.hops[steps[step].hop].links)
        most = std::max(most, network_.capacities.on_machine(left_[link], capacity(link)));
      const double rounds = static_cast<double>(most) / static_cast<double>(limits_.longest * limits_.sharing);
      urgencies[step] = std::max(urgencies[step], rounds + static_cast<double>(heights_[part][step]));
      if (steps[step].before >= 0) {
        double& before = urgencies[index(steps[step].before)];
        before = std::max(before, urgencies[step]);
      }
    }
  }

  void sort_by_urgency() {
    for (const PartTransfer& transfer : ready_) urgencies_[transfer.part].clear();
    for (const PartTransfer& transfer : ready_)
      if (urgencies_[transfer.part].empty()) find_urgencies(transfer.part);
    using Key = std::pair<double, double>;
    std::vector<std::pair<Key, std::size_t>> order;
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      const double urgency = urgencies_[ready_[i].part][ready_[i].step],
                   height = static_cast<double>(heights_[ready_[i].part][ready_[i].step]);
      order.push_back({Key{-urgency, -height}, i});
    }
    std::sort(order.begin(), order.end());
    std::vector<PartTransfer> sorted;
    for (const auto& [key, place] : order) sorted.push_back(ready_[place]);
    ready_ = std::move(sorted);
  }

  const RankNetwork& network_;
  const std::vector<BlockPart>& parts_;
  const RoundLimits limits_;
  std::vector<Bytes> left_;                                   // by link: what still goes over it
  std::vector<std::vector<std::vector<std::size_t>>> below_;  // by part and step: the steps that follow it
  std::vector<std::vector<double>> urgencies_;                // by part and step
  std::vector<std::vector<Count>> heights_;                   // by part and step: how many hops follow
  std::vector<PartTransfer> ready_;
  std::vector<Bytes> sent_;   // by hop, in this round
  std::vector<Count> taken_;  // by link, in this round: the sum of the capacities of the hops that use it
  Count transfers_ = 0;
};

}  // namespace

FilledRounds filled_rounds(const RankNetwork& network, const std::vector<BlockPart>& parts, const RoundLimits& limits) {
  return RoundFiller(network, parts, limits).filled();
}

}  // namespace quadrille
