// SPDX-License-Identifier: BSD-3-Clause
// The figures of A1 to A4 by stage, from the counts alone. Many random draws are priced, and to make the programs of a draw takes
// a hundred times as long as to count it. The test CountedExchange.HasTheFiguresOfTheSchedule compares both.
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "papers/exhibits/irregular_times.hpp"
#include "patterns/rank_array.hpp"

namespace quadrille::papers {
namespace {

using Elements = std::vector<Bytes>;  // by rank and target, or by sender and receiver

class Dealing {
 public:
  Dealing(const Problem& problem, int algorithm)
      : p_(problem.ranks), array_(p_, RankArray::paper_columns(p_)), held_(index(p_ * p_)) {
    const Traffic traffic(problem);
    for (Rank x = 0; x < p_; ++x)
      for (Rank j = 0; j < p_; ++j) held_[index(x * p_ + j)] = traffic.bytes(x, j);
    const auto shifted = [this](Rank x, Count step) { return std::optional((x + step) % p_); };
    const auto to_target = [](Rank, Rank j, Bytes n, auto&& hand) { hand(j, n); };
    if (algorithm == 2)
      stage("spread", p_ - 1, shifted, [this](Rank x, Rank j, Bytes n, auto&& hand) {
        for (Count q = 0; q < std::min(p_, n); ++q) hand((x + j + q) % p_, n / p_ + (q < n % p_ ? 1 : 0));
      });
    if (algorithm <= 2) {
      stage(algorithm == 1 ? "exchange" : "collect", p_ - 1, shifted, to_target);
      return;
    }
    const auto along_row = [this](Rank x, Count step) { return array_.row_receiver(x, step); };
    const auto along_column = [this](Rank x, Count step) { return array_.column_receiver(x, step); };
    if (algorithm == 4) {
      stage("deal along rows", array_.row_steps(), along_row, [this](Rank x, Rank j, Bytes n, auto&& hand) {
        const SlotCount before(array_, array_.column_of(j)), after(array_, array_.column_of(j) + n);
        const auto left_of = [&](Count c) { return after.left_of(array_, c) - before.left_of(array_, c); };
        for (Count c = 0; c < array_.columns(); ++c) hand(array_.relay(x, c), left_of(c + 1) - left_of(c));
      });
      stage("deal along columns", array_.column_steps(), along_column, [this](Rank x, Rank j, Bytes n, auto&& hand) {
        const Count column = array_.column_of(x), height = array_.height(column), slot = j % height;
        const auto above = [&](Count row) { return slots_above(slot + n, height, row) - slots_above(slot, height, row); };
        for (Count row = 0; row < height; ++row) hand(array_.rank_at(row, column), above(row + 1) - above(row));
      });
    }
    stage("collect along rows", array_.row_steps(), along_row,
          [this](Rank x, Rank j, Bytes n, auto&& hand) { hand(array_.relay(x, array_.column_of(j)), n); });
    stage("collect along columns", array_.column_steps(), along_column, to_target);
  }

  CountedExchange counted;

 private:
  // Each rank passes on what it holds: deal(rank, target, elements, hand(to, elements)). In each step it sends to receiver(rank,
  // step).
  template <class Receiver, class Deal>
  void stage(const char* name, Count steps, const Receiver& receiver, const Deal& deal) {
    Elements next(held_.size()), lengths(held_.size());
    for (Rank x = 0; x < p_; ++x)
      for (Rank j = 0; j < p_; ++j)
        if (const Bytes n = held_[index(x * p_ + j)]; n > 0)
          deal(x, j, n, [&](Rank to, Bytes part) {
            next[index(to * p_ + j)] += part;
            lengths[index(x * p_ + to)] += part;
          });
    held_ = std::move(next);
    std::vector<std::vector<std::pair<Rank, Bytes>>> sends(index(2 * p_));  // by rank of both copies (with_own_messages)
    StageFigures figures{.name = name};
    const auto take = [&](Rank x, Rank to, Bytes& longest) {
      const Bytes length = lengths[index(x * p_ + to % p_)];
      if (length == 0) return;
      sends[index(x)].emplace_back(to, length);
      sends[index(x + p_)].emplace_back((to + p_) % (2 * p_), length);
      longest = std::max(longest, length);
    };
    const auto close_round = [&](Bytes longest) {
      if (longest == 0) return;
      ++figures.startups;
      figures.volume += longest;
    };
    for (Count step = 1; step <= steps; ++step) {
      Bytes longest = 0;
      for (Rank x = 0; x < p_; ++x)
        if (const auto to = receiver(x, step); to && *to != x) take(x, *to, longest);
      close_round(longest);
    }
    counted.without.stages.push_back(in_flight(figures, sends));
    Bytes longest = 0;
    for (Rank x = 0; x < p_; ++x) take(x, x + p_, longest);
    close_round(longest);
    counted.with_own.stages.push_back(in_flight(figures, sends));
  }

  // Adds the stage as one round and as one window. In the flat model this round takes as long as all rounds of the stage.
  StageFigures in_flight(StageFigures stage, const std::vector<std::vector<std::pair<Rank, Bytes>>>& sends) const {
    struct Ends {
      Count sent = 0, received = 0;
      Bytes bytes_sent = 0, bytes_received = 0, out = 0, in = 0;
    };
    std::vector<Ends> ranks(sends.size());
    RoundFigures window;
    bool more = true;
    for (std::size_t place = 0; std::exchange(more, false); ++place)
      for (std::size_t from = 0; from < sends.size(); ++from) {
        if (place >= sends[from].size()) continue;
        more = true;
        const auto& [to, length] = sends[from][place];
        Ends &sender = ranks[from], &receiver = ranks[index(to)];
        ++sender.sent, ++receiver.received;
        sender.bytes_sent += length, receiver.bytes_received += length;
        sender.out = receiver.in = std::max(sender.out, receiver.in) + length;  // as RoundFigures::chain says
        window.chain = std::max(window.chain, sender.out);
        window.longest = std::max(window.longest, length);
        window.messages = std::max({window.messages, sender.sent, receiver.received});
        window.bytes = std::max({window.bytes, sender.bytes_sent, receiver.bytes_received});
      }
    stage.messages = window.messages, stage.load = window.bytes;
    stage.rounds = {{.messages = stage.startups, .bytes = stage.volume, .longest = stage.volume}};
    stage.windows = {window};
    return stage;
  }

  Count p_;
  RankArray array_;
  Elements held_;
};

}  // namespace

// Several threads make exhibits, so access to the exchanges that have been counted is locked.
const CountedExchange& counted_exchange(const IrregularPoint& point, TrafficKind pattern, std::uint64_t seed, int algorithm,
                                        Bytes small) {
  static std::mutex mutex;
  static std::map<std::tuple<Count, Bytes, TrafficKind, std::uint64_t, int, Bytes>, CountedExchange> known;
  const auto key = std::tuple(point.ranks, point.most, pattern, seed, algorithm, small);
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end()) return found->second;
  }
  CountedExchange counted = Dealing(traffic_of(point.ranks, pattern, point.most, small, seed), algorithm).counted;
  const std::lock_guard lock(mutex);
  return known.try_emplace(key, std::move(counted)).first->second;
}

}  // namespace quadrille::papers
