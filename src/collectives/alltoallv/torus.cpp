// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/torus: irregular exchange on all-port rings and tori. Every block takes a shortest path, and no link is used twice in
// a round.
// Source  [liu2005], as alltoall/torus with order=dimension-split and kernel=sr. The counts, the balance and the choice to send
//         straight are ours.
// Needs   a grid. Ranks that pass data on must know the counts of others, so counts are gathered or known.
// Idea    A block is cut into one part for each dimension; part q crosses the dimensions q, q+1, .. in turn, so all links are
//         busy all the time. Along a line, blocks go the shorter way, one link in a round. If both ways are equally long, the
//         block is cut in two, so that the busiest links of both ways carry about the same. All ranks compute the same cuts,
//         from all counts. If few ranks have data, or few pairs have most of it, this takes longer than sending straight. Then the
//         exchange is alltoallv/direct, unless relays=always.
// Cost    N is the longest of k sides: at most k N / 2 rounds on 2k ports. For equal counts b and even N, C2 = p N b / 8, the
//         least possible, if the halves and parts of a block are whole bytes. A rank copies nothing but its own block.
// Prefer  dense counts on a network that is a torus with the grid's sides, whose ranks can use all links at once.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include "collectives/exchange/direct_exchange.hpp"
#include "collectives/exchange/torus_slots.hpp"
#include "collectives/slices/pairs.hpp"
#include "collectives/slices/slice_code.hpp"
#include "patterns/integers.hpp"
#include "problem/limits.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/composition.hpp"

namespace quadrille {
namespace {

constexpr Count straight_window = 32;        // messages in a round, if blocks go straight: the default of `direct`
constexpr Count most_hops = Count{1} << 27;  // takes some seconds

// A run of bytes of a pair's data that takes one way.
struct TorusPiece {
  Bytes input_offset = 0, output_offset = 0, bytes = 0;
};

// A piece crosses `distance` links of a line.
struct LineCrossing {
  std::size_t piece = 0;
  Count distance = 0;
  bool is_last = false;  // the line ends at the target of the piece
};

// The part of a rank's scratch memory that holds no data. Memory is taken where it is free first, and at the end if nothing fits.
class FreeScratch {
 public:
  Bytes take(Bytes length) {
    const auto found = std::find_if(free_.begin(), free_.end(), [&](const auto& run) { return run.second >= length; });
    if (found == free_.end()) return std::exchange(size_, size_ + length);
    const auto [offset, room] = *found;
    free_.erase(found);
    if (room > length) free_[offset + length] = room - length;
    return offset;
  }
  void give(const Region& region) {
    auto run = free_.emplace(region.offset, region.length).first;
    if (const auto next = std::next(run); next != free_.end() && next->first == run->first + run->second) {
      run->second += next->second;
      free_.erase(next);
    }
    if (run == free_.begin()) return;
    const auto before = std::prev(run);
    if (before->first + before->second != run->first) return;
    before->second += run->second;
    free_.erase(run);
  }
  Bytes size() const { return size_; }

 private:
  std::map<Bytes, Bytes> free_;  // lengths by offset
  Bytes size_ = 0;
};

class TorusWays : public Analysis {
 public:
  TorusWays(const Problem& problem, bool with_agreement, bool always_relays)
      : sides_(torus_sides(problem)), ranks_(problem.ranks), turns_(std::max<Count>(1, size(sides_))) {
    if (with_agreement) agreement_.emplace(problem);
    for (const TorusSide& side : sides_) rounds_of_turn_ = std::max(rounds_of_turn_, side.length / 2);
    const std::vector<Pair> pairs = pairs_of(problem);
    check_limit(problem, size(pairs) * turns_ * turns_ * rounds_of_turn_, most_hops, "links to follow");
    loads_.resize(index(turns_ * lanes() * ranks_));
    crossings_.resize(loads_.size());
    // First the blocks whose ways are given, then those that can go either way.
    for (const bool either_way : {false, true})
      for (const Pair& pair : pairs)
        for (Count part = 0; part < turns_; ++part) add_part(pair, part, either_way);
    for (auto& list : crossings_)
      std::stable_sort(list.begin(), list.end(),
                       [](const LineCrossing& a, const LineCrossing& b) { return a.distance < b.distance; });
    is_straight_ = !always_relays && !is_better_than_straight(pairs);
  }

  Program program(const Problem& problem, Rank me) const {
    ProgramBuilder builder(me);
    if (agreement_) agreement_->add_to(builder, me);
    if (is_straight_) {
      Program straight = exchange_by_distance(problem, straight_window, me);
      return agreement_ ? joined({.program = std::move(builder).finish()}, {.program = std::move(straight)}) : straight;
    }
    const Traffic traffic(problem);
    Bytes output_offset = 0;  // of the data of `me` for itself
    for (const Share& share : traffic.received_by(me)) output_offset += share.peer < me ? share.bytes : 0;
    FreeScratch scratch;
    std::unordered_map<std::size_t, Region> held;  // where this rank has pieces of others
    for (Count turn = 0; turn < turns_; ++turn) {
      builder.stage(fmt::format("turn {}", turn));
      for (Count round = 0; round < rounds_of_turn_; ++round) {
        builder.begin_round();
        if (const Bytes own = traffic.bytes(me, me); turn == 0 && round == 0)
          builder.copy({{Buffer::input, traffic.input_offset(me, me), own, {}}}, {{Buffer::output, output_offset, own, {}}});
        Regions emptied;
        for (Count lane = 0; lane < lanes(); ++lane) send_and_receive(builder, turn, lane, round, me, held, scratch, emptied);
        for (const Region& region : emptied) scratch.give(region);  // only now: this round's messages read it
      }
    }
    builder.scratch(scratch.size());
    return std::move(builder).finish();
  }

 private:
  // A lane is a dimension with a direction. In each turn a link carries one part of the blocks only.
  Count lanes() const { return 2 * size(sides_); }
  const TorusSide& side_of(Count lane) const { return sides_[index(lane / 2)]; }
  static int direction_of(Count lane) { return lane % 2 == 0 ? 1 : -1; }
  std::size_t place(Count turn, Count lane, Rank rank) const { return index((turn * lanes() + lane) * ranks_ + rank); }

  // Calls `visit(turn, dimension, start, displacement)` for each line that data from `source` to `target` crosses if it crosses the
  // dimensions in the order first, first + 1, ..
  template <class Visit>
  void for_each_line(Rank source, Rank target, Count first, const Visit& visit) const {
    for (Count turn = 0; turn < size(sides_); ++turn) {
      const Count dimension = (first + turn) % size(sides_);
      const TorusSide& side = sides_[index(dimension)];
      const Count displacement = modulo(place_on(side, target) - place_on(side, source), side.length);
      if (displacement != 0) visit(turn, dimension, source, displacement);
      source = moved(source, side, displacement);
    }
  }

  // Calls `visit(load)` for each link of a way.
  template <class Visit>
  void for_each_load(std::vector<Bytes>& loads, Count turn, Count lane, Rank start, Count distance, const Visit& visit) const {
    for (Count link = 0; link < distance; ++link)
      visit(loads[place(turn, lane, moved(start, side_of(lane), direction_of(lane) * link))]);
  }
  void add_load(std::vector<Bytes>& loads, Count turn, Count lane, Rank start, Count distance, Bytes bytes) const {
    for_each_load(loads, turn, lane, start, distance, [&](Bytes& load) { load += bytes; });
  }

  void add_part(const Pair& pair, Count part, bool either_way) {
    const Bytes begin = cut_position(pair.bytes, turns_, part), end = cut_position(pair.bytes, turns_, part + 1);
    if (begin == end || pair.source == pair.target) return;
    std::vector<Bytes> cuts{begin, end};
    std::vector<Bytes> ups(sides_.size());  // by dimension: data before this offset goes up, if both ways are equally long
    bool has_choice = false;
    for_each_line(pair.source, pair.target, part, [&](Count turn, Count dimension, Rank start, Count displacement) {
      const Count length = sides_[index(dimension)].length;
      if (2 * displacement != length) {
        const bool is_down = 2 * displacement > length;
        if (!either_way)
          add_load(loads_, turn, 2 * dimension + is_down, start, is_down ? length - displacement : displacement, end - begin);
        return;
      }
      has_choice = true;
      if (!either_way) return;
      Bytes most[2] = {0, 0};
      for (const Count down : {0, 1})
        for_each_load(loads_, turn, 2 * dimension + down, start, displacement,
                      [&](Bytes load) { most[down] = std::max(most[down], load); });
      const Bytes up = std::clamp<Bytes>((most[1] - most[0] + end - begin + 1) / 2, 0, end - begin);
      add_load(loads_, turn, 2 * dimension, start, displacement, up);
      add_load(loads_, turn, 2 * dimension + 1, start, displacement, end - begin - up);
      ups[index(dimension)] = begin + up;
      cuts.push_back(begin + up);
    });
    if (has_choice != either_way) return;
    std::sort(cuts.begin(), cuts.end());
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      if (cuts[i] < cuts[i + 1]) add_piece(pair, part, cuts[i], cuts[i + 1], ups);
  }

  void add_piece(const Pair& pair, Count part, Bytes begin, Bytes end, const std::vector<Bytes>& ups) {
    LineCrossing* last = nullptr;
    for_each_line(pair.source, pair.target, part, [&](Count turn, Count dimension, Rank start, Count displacement) {
      const Count length = sides_[index(dimension)].length;
      const bool is_down = 2 * displacement > length || (2 * displacement == length && begin >= ups[index(dimension)]);
      last = &crossings_[place(turn, 2 * dimension + is_down, start)].emplace_back(
          LineCrossing{pieces_.size(), is_down ? length - displacement : displacement, false});
    });
    last->is_last = true;
    pieces_.push_back({pair.input_offset + begin, pair.output_offset + begin, end - begin});
  }

  // The pieces that cross a link in a round, by the distance that they cross.
  std::span<const LineCrossing> crossing(Count turn, Count lane, Rank sender, Count round) const {
    const Rank start = moved(sender, side_of(lane), -direction_of(lane) * round);
    const std::vector<LineCrossing>& all = crossings_[place(turn, lane, start)];
    const auto first = std::partition_point(all.begin(), all.end(), [&](const LineCrossing& one) { return one.distance <= round; });
    return std::span(all).subspan(index(first - all.begin()));
  }

  void send_and_receive(ProgramBuilder& builder, Count turn, Count lane, Count round, Rank me,
                        std::unordered_map<std::size_t, Region>& held, FreeScratch& scratch, Regions& emptied) const {
    const TorusSide& side = side_of(lane);
    const Port port{side.dimension, direction_of(lane)};
    Regions read, write;
    for (const LineCrossing& one : crossing(turn, lane, me, round)) {
      const TorusPiece& piece = pieces_[one.piece];
      const auto found = held.find(one.piece);
      const Region region = found == held.end() ? Region{Buffer::input, piece.input_offset, piece.bytes, {}} : found->second;
      append(read, region);
      if (found != held.end()) append(emptied, region);
    }
    const Rank from = moved(me, side, -port.direction);
    const std::span<const LineCrossing> arriving = crossing(turn, lane, from, round);
    const auto stays = [&](const LineCrossing& one) { return one.is_last && one.distance == round + 1; };
    Bytes passing = 0;
    for (const LineCrossing& one : arriving) passing += stays(one) ? 0 : pieces_[one.piece].bytes;
    Bytes offset = passing == 0 ? 0 : scratch.take(passing);
    for (const LineCrossing& one : arriving) {
      const TorusPiece& piece = pieces_[one.piece];
      if (stays(one)) {
        append(write, {Buffer::output, piece.output_offset, piece.bytes, {}});
      } else {
        append(write, held[one.piece] = {Buffer::scratch, offset, piece.bytes, {}});
        offset += piece.bytes;
      }
    }
    builder.send(moved(me, side, port.direction), folded(read), port);
    builder.receive(from, folded(write), port);
  }

  // The bytes on the busiest link if all data goes straight, dimension by dimension, upwards if both ways are equally long.
  Bytes busiest_link(const std::vector<Pair>& pairs) const {
    std::vector<Bytes> loads(index(lanes() * ranks_));
    for (const Pair& pair : pairs)
      for_each_line(pair.source, pair.target, 0, [&](Count, Count dimension, Rank start, Count displacement) {
        const Count length = sides_[index(dimension)].length;
        const bool is_down = 2 * displacement > length;
        add_load(loads, 0, 2 * dimension + is_down, start, is_down ? length - displacement : displacement, pair.bytes);
      });
    return loads.empty() ? 0 : *std::max_element(loads.begin(), loads.end());
  }

  // The longest message of each round in which messages are sent.
  std::vector<Bytes> longest_messages() const {
    std::vector<Bytes> longest(index(turns_ * rounds_of_turn_));
    for (Count turn = 0; turn < turns_; ++turn)
      for (Count lane = 0; lane < lanes(); ++lane)
        for (Rank start = 0; start < ranks_; ++start) {
          Bytes left = 0;
          const std::vector<LineCrossing>& all = crossings_[place(turn, lane, start)];
          for (std::size_t i = all.size(); i-- > 0;) {
            left += pieces_[all[i].piece].bytes;
            for (Count round = i == 0 ? 0 : all[i - 1].distance; round < all[i].distance; ++round) {
              Bytes& length = longest[index(turn * rounds_of_turn_ + round)];
              length = std::max(length, left);
            }
          }
        }
    std::erase(longest, 0);
    return longest;
  }

  // Adds the number of rounds, as a share of the start-ups of the busiest rank if all data goes straight from 2k ports, to the
  // volume, as a share of the bytes on the busiest link. If the sum is at most 1, relays are never slower: straight messages take
  // at least as long as these start-ups, and at least as long as the link needs. Straight messages also wait for each other at
  // links. So relays are faster up to about 1.6 in simulations (docs/collectives/alltoallv.md).
  bool is_better_than_straight(const std::vector<Pair>& pairs) const {
    ByRank<Count> sent(ranks_, 0), received(ranks_, 0);
    for (const Pair& pair : pairs)
      if (pair.source != pair.target) ++sent[pair.source], ++received[pair.target];
    const Count messages =
        std::max(*std::max_element(sent.begin(), sent.end()), *std::max_element(received.begin(), received.end()));
    if (messages == 0) return false;
    const std::vector<Bytes> longest = longest_messages();
    const double rounds = static_cast<double>(longest.size()) / static_cast<double>(ceil_divide(messages, lanes()));
    const double volume = std::accumulate(longest.begin(), longest.end(), 0.0);  // the sum of counts may exceed 2^63
    return rounds + volume / static_cast<double>(busiest_link(pairs)) <= 1.5;
  }

  const std::vector<TorusSide> sides_;
  const Count ranks_, turns_;
  Count rounds_of_turn_ = 1;
  std::optional<CountsAgreement> agreement_;
  std::vector<Bytes> loads_;  // by turn, lane and sender: the bytes that the link carries
  std::vector<TorusPiece> pieces_;
  std::vector<std::vector<LineCrossing>> crossings_;  // by turn, lane and rank at which they start; ascending by distance
  bool is_straight_ = false;
};

}  // namespace

extern const Algorithm alltoallv_torus{
    .collective = Collective::alltoallv,
    .id = "torus",
    .summary =
        "all-port exchange on the grid as a torus: shortest paths, no link used twice in a round; straight if that is better",
    .picture =
        "Blocks leave in several directions at once, each on a shortest way, link after link, and in no round do two messages "
        "share a link. Blocks for the opposite place of a line are cut so that both ways carry about the same.",
    .needs = "a grid",
    .source = "liu2005, sections 3 and 4",
    .parameters = {counts_of_all_parameter(),
                   {.name = "relays",
                    .summary =
                        "ranks pass blocks on along shortest ways, unless that takes longer than sending straight (if-better), "
                        "or always",
                    .standard = "if-better",
                    .choices = {"if-better", "always"},
                    .worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> {
                      return {"if-better", "always"};
                    }}},
    .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                   Rank me) { return static_cast<const TorusWays&>(*analysis).program(problem, me); },
    .applies = [](const Problem& problem, const Parameters&) -> Result<> {
      if (problem.grid.empty()) return cannot("the ranks are on no grid, so there is no torus; name its sides");
      return {};
    },
    .analyse = [](const Problem& problem, const Parameters& parameters) -> std::shared_ptr<const Analysis> {
      return std::make_shared<TorusWays>(problem, word(parameters, "counts") == "gathered", word(parameters, "relays") == "always");
    },
    .ports =
        [](const Problem& problem, const Parameters&) {
          return std::max({Count{1}, 2 * size(torus_sides(problem)), std::min(straight_window, problem.ranks - 1)});
        },
};

}  // namespace quadrille
