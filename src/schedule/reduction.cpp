// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/composition.hpp"

#include <algorithm>
#include <boost/icl/interval_set.hpp>
#include <map>

#include "foundation/assert.hpp"

namespace quadrille {
namespace {

struct Place {
  Buffer buffer = Buffer::input;
  Bytes offset = 0;
};

struct Interval {
  Bytes first = 0;
  Bytes length = 0;
};

void append(Regions& regions, Place place, Bytes length) {
  if (!regions.empty() && regions.back().buffer == place.buffer && regions.back().offset + regions.back().length == place.offset)
    regions.back().length += length;
  else
    regions.push_back({place.buffer, place.offset, length, {}});
}

// Allocates scratch memory for the data that arrives. Memory that is given back in one round is used again in the next
// round at the earliest, so that two rounds can be in progress at once.
class Scratch {
 public:
  Bytes take(Bytes length) {
    const auto found =
        std::find_if(free_.begin(), free_.end(), [&](const auto& free) { return boost::icl::length(free) >= length; });
    Bytes first = found == free_.end() ? size_ : found->lower();
    // The free interval at the end is extended.
    if (found == free_.end() && !free_.empty() && free_.rbegin()->upper() == size_) first = free_.rbegin()->lower();
    size_ = std::max(size_, first + length);
    free_ -= Free::interval_type::right_open(first, first + length);
    return first;
  }

  void give_back(Interval interval) { given_back_.push_back(interval); }

  void next_round() {
    for (const auto& [first, length] : given_back_) free_ += Free::interval_type::right_open(first, first + length);
    given_back_.clear();
  }

  Bytes size() const { return size_; }

 private:
  using Free = boost::icl::interval_set<Bytes>;

  Free free_;  // joins adjacent intervals
  std::vector<Interval> given_back_;
  Bytes size_ = 0;
};

// The place of a rank's running value, for each byte of the vector. If nothing has arrived for a byte, its value is in
// the input.
class RunningValues {
 public:
  // Calls visit(interval, place) for each part of the interval whose value is contiguous in memory.
  template <class Visit>
  void for_each_run(Interval interval, Visit&& visit) const {
    auto [at, length] = interval;
    const Bytes end = at + length;
    auto next = held_.upper_bound(at);
    if (next != held_.begin() && std::prev(next)->first + std::prev(next)->second.length > at) --next;
    while (at < end) {
      if (next == held_.end() || next->first > at) {
        const Bytes last = next == held_.end() ? end : std::min(end, next->first);
        visit(Interval{at, last - at}, Place{Buffer::input, at});
        at = last;
      } else {
        const auto& [first, piece] = *next++;
        const Bytes last = std::min(end, first + piece.length);
        visit(Interval{at, last - at}, Place{piece.place.buffer, piece.place.offset + at - first});
        at = last;
      }
    }
  }

  void forget(Interval interval) {
    split(interval.first);
    split(interval.first + interval.length);
    held_.erase(held_.lower_bound(interval.first), held_.lower_bound(interval.first + interval.length));
  }

  void move(Interval interval, Place place) {
    forget(interval);
    held_.emplace(interval.first, Held{interval.length, place});
  }

 private:
  struct Held {
    Bytes length;
    Place place;
  };

  void split(Bytes at) {
    auto next = held_.lower_bound(at);
    if (next == held_.begin()) return;
    auto& [first, piece] = *std::prev(next);
    const Bytes kept = at - first;
    if (piece.length <= kept) return;
    held_.emplace_hint(next, at, Held{piece.length - kept, {piece.place.buffer, piece.place.offset + kept}});
    piece.length = kept;
  }

  std::map<Bytes, Held> held_;
};

class Reduction {
 public:
  explicit Reduction(const Program& spreading) : spreading_(spreading) {
    reduction_.rank = spreading.rank;
    for (const Round& round : spreading.rounds)
      for (const Local& local : round.locals) {
        QUADRILLE_ASSERT(local.kind == LocalKind::copy && own_.length == 0);
        const Region& source = local.source.front();
        const Region& target = local.target.front();
        QUADRILLE_ASSERT(source.buffer == Buffer::input && target.buffer == Buffer::output && bytes(local.source) == source.length);
        own_ = {target.offset, target.length};
        own_offset_ = source.offset;
      }
  }

  Program make() && {
    if (spreading_.stages.empty()) {  // every round belongs to a stage, so there is nothing to reverse
      QUADRILLE_ASSERT(spreading_.rounds.empty());
      return std::move(reduction_);
    }
    const Count rounds = spreading_.stages.back().first_round + spreading_.stages.back().round_count;
    for (auto stage = spreading_.stages.rbegin(); stage != spreading_.stages.rend(); ++stage)
      reduction_.stages.push_back({stage->name, rounds - stage->first_round - stage->round_count, stage->round_count});
    ++reduction_.stages.back().round_count;
    for (auto round = spreading_.rounds.rbegin(); round != spreading_.rounds.rend(); ++round) {
      if (round->sends.empty() && round->receives.empty()) continue;
      begin_round(rounds - 1 - round->number);
      for (const Message& message : round->receives) send(message);
      for (const Message& message : round->sends) receive(message);
    }
    begin_round(rounds);
    complete_own();
    if (current().locals.empty()) reduction_.rounds.pop_back();
    reduction_.scratch_bytes = scratch_.size();
    return std::move(reduction_);
  }

 private:
  Round& current() { return reduction_.rounds.back(); }

  // Begins a round with the reductions of the data that arrived in the round before.
  void begin_round(Count number) {
    QUADRILLE_ASSERT(reduction_.rounds.empty() || reduction_.rounds.back().number < number);
    reduction_.rounds.push_back({number, std::move(pending_), {}, {}, {}, {}});
    pending_.clear();
    scratch_.next_round();
    for (const Interval& interval : used_by_pending_) scratch_.give_back(interval);
    used_by_pending_.clear();
  }

  // Returns the bytes of the vector that a message of the spreading program carries.
  std::vector<Interval> vector_of(const Message& message) const {
    std::vector<Interval> intervals;
    for (const Region& region : message.regions) {
      QUADRILLE_ASSERT(region.buffer == Buffer::input || region.buffer == Buffer::output);
      const Bytes shift = region.buffer == Buffer::input ? own_.first - own_offset_ : 0;
      for_each_run(region, [&](Bytes offset, Bytes length) {
        if (!intervals.empty() && intervals.back().first + intervals.back().length == offset + shift)
          intervals.back().length += length;
        else
          intervals.push_back({offset + shift, length});
      });
    }
    return intervals;
  }

  void send(const Message& message) {
    Regions regions;
    for (const Interval& interval : vector_of(message)) {
      values_.for_each_run(interval, [&](Interval piece, Place place) {
        append(regions, place, piece.length);
        if (place.buffer == Buffer::scratch) scratch_.give_back({place.offset, piece.length});
      });
      values_.forget(interval);
    }
    current().sends.push_back({message.peer, std::move(regions), message.port});
  }

  bool is_own(const Interval& interval) const {
    return interval.first >= own_.first && interval.first + interval.length <= own_.first + own_.length;
  }

  Place place_in_output(const Interval& interval) const { return {Buffer::output, interval.first - own_.first + own_offset_}; }

  bool lies_in_output(const Interval& interval) const {
    bool found = false;
    values_.for_each_run(interval, [&](Interval, Place place) { found = found || place.buffer == Buffer::output; });
    return found;
  }

  void combine(Regions source, Regions target, OperandOrder order) {
    QUADRILLE_ASSERT(bytes(source) == bytes(target));
    if (!source.empty()) pending_.push_back({LocalKind::reduce, order, std::move(source), std::move(target)});
  }

  void receive(const Message& message) {
    const std::vector<Interval> intervals = vector_of(message);
    const bool from_below = message.peer < reduction_.rank;
    const OperandOrder into_arrived = from_below ? OperandOrder::target_first : OperandOrder::source_first;
    const OperandOrder into_running = from_below ? OperandOrder::source_first : OperandOrder::target_first;
    std::vector<std::pair<Interval, Place>> moved;
    Regions arriving, known, known_target, news, news_target;
    if (std::all_of(intervals.begin(), intervals.end(), [&](const Interval& i) { return is_own(i) && !lies_in_output(i); })) {
      for (const Interval& interval : intervals) {
        append(arriving, place_in_output(interval), interval.length);
        values_.for_each_run(interval, [&](Interval piece, Place place) {
          append(known, place, piece.length);
          append(known_target, place_in_output(piece), piece.length);
          if (place.buffer == Buffer::scratch) used_by_pending_.push_back({place.offset, piece.length});
        });
        moved.emplace_back(interval, place_in_output(interval));
      }
    } else {
      Bytes length = 0;
      for (const Interval& interval : intervals) length += interval.length;
      Bytes at = scratch_.take(length);
      append(arriving, {Buffer::scratch, at}, length);
      for (const Interval& interval : intervals)
        values_.for_each_run(interval, [&](Interval piece, Place place) {
          const Place arrived{Buffer::scratch, at};
          if (place.buffer == Buffer::input) {
            append(known, place, piece.length);
            append(known_target, arrived, piece.length);
            moved.emplace_back(piece, arrived);
          } else {
            append(news, arrived, piece.length);
            append(news_target, place, piece.length);
            used_by_pending_.push_back({at, piece.length});
          }
          at += piece.length;
        });
    }
    QUADRILLE_ASSERT(bytes(known) + bytes(news) == bytes(arriving));  // each byte that arrives is combined exactly once
    for (const auto& [interval, place] : moved) values_.move(interval, place);
    current().receives.push_back({message.peer, std::move(arriving), message.port});
    combine(std::move(known), std::move(known_target), into_arrived);
    combine(std::move(news), std::move(news_target), into_running);
  }

  // Copies to the output what it still lacks of the rank's own result.
  void complete_own() {
    values_.for_each_run(own_, [&](Interval piece, Place place) {
      if (place.buffer != Buffer::output)
        current().locals.push_back({LocalKind::copy,
                                    {},
                                    {{place.buffer, place.offset, piece.length, {}}},
                                    {{Buffer::output, place_in_output(piece).offset, piece.length, {}}}});
    });
  }

  const Program& spreading_;
  Program reduction_;
  Interval own_;          // the bytes of the vector that make up this rank's result
  Bytes own_offset_ = 0;  // their offset in the output
  RunningValues values_;
  Scratch scratch_;
  std::vector<Local> pending_;  // local operations for the beginning of the next round
  // Scratch memory that `pending_` reads. It is free after the round of these operations.
  std::vector<Interval> used_by_pending_;
};

}  // namespace

Program reduced(const Program& spreading) { return Reduction(spreading).make(); }

}  // namespace quadrille
