// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/array_routes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "foundation/text/parsing.hpp"
#include "foundation/text/wording.hpp"
#include "patterns/integers.hpp"
#include "patterns/rank_array.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// Parses text such as "4x4x4" into sides. Returns nothing if the text does not have this form.
std::optional<std::vector<Count>> parse_sides(std::string_view text) {
  std::vector<Count> sides;
  for (const std::string_view part : split(text, 'x')) {
    const auto side = number_in<Count>(part);
    if (!side || *side < 1) return std::nullopt;
    sides.push_back(*side);
  }
  return sides;
}

}  // namespace

Parameter split_parameter() {
  return {
      .name = "split",
      .summary = "dealing continues from target to target (chain), or starts anew for each target as in the paper: less balanced",
      .standard = "chain",
      .choices = {"chain", "paper"}};
}

Split split_of(const Parameters& parameters) { return word(parameters, "split") == "chain" ? Split::chain : Split::paper; }

void deal_along(const std::vector<Rank>& line, Count slots, Count first, Split split, Bytes grain,
                const std::vector<HeldSlice>& held, const SliceRoute::Hand& hand) {
  const Count length = size(line);
  Count slot = first;
  for (auto slice = held.begin(); slice != held.end();) {  // the slices for one target
    const Rank target = slice->target;
    Count total = 0;
    auto last = slice;
    for (; last != held.end() && last->target == target; ++last) total += ceil_divide(last->length(), grain);
    if (split == Split::paper) slot = target % length;
    Count before = 0;  // units of the earlier slices for this target
    for (Count position = 0, begin = 0; position < length; ++position) {
      const Count end = slots_before(slot + total, slots, length, position + 1) - slots_before(slot, slots, length, position + 1);
      while (begin < end) {
        const Count units = ceil_divide(slice->length(), grain);
        const Count stop = std::min(end, before + units);
        hand(slice->part(times_at_most(begin - before, grain, slice->length()),
                         times_at_most(stop - before, grain, slice->length())),
             line[index(position)]);
        begin = stop;
        if (stop == before + units) {
          before += units;
          ++slice;
        }
      }
    }
    slot = (slot + total) % slots;
    slice = last;
  }
}

GridRoute::GridRoute(Count ranks, Count columns, std::optional<Split> split, Bytes grain)
    : array_(ranks, columns), split_(split), grain_(grain) {
  const bool rows = array_.row_steps() > 0, columns_too = array_.column_steps() > 0;
  if (split && rows) passes_.push_back(Pass::deal_along_rows);
  if (split && columns_too) passes_.push_back(Pass::deal_along_columns);
  if (rows) passes_.push_back(Pass::collect_along_rows);
  if (columns_too || ranks == 1) passes_.push_back(Pass::collect_along_columns);
}

std::string_view GridRoute::name(Count number) const {
  switch (pass(number)) {
    case Pass::deal_along_rows: return "deal along rows";
    case Pass::deal_along_columns: return "deal along columns";
    case Pass::collect_along_rows: return "collect along rows";
    case Pass::collect_along_columns: return "collect along columns";
  }
  return "";
}

std::vector<SliceRoute::Meeting> GridRoute::meetings(Count number, Rank me) const {
  const auto other = [&](std::optional<Rank> rank) { return rank == me ? std::nullopt : rank; };
  std::vector<Meeting> list;
  if (pass(number) == Pass::deal_along_rows || pass(number) == Pass::collect_along_rows)
    for (Count step = 1; step <= array_.row_steps(); ++step)
      list.push_back({other(array_.row_receiver(me, step)), other(array_.row_sender(me, step))});
  else
    for (Count step = 1; step <= array_.column_steps(); ++step)
      list.push_back({other(array_.column_receiver(me, step)), other(array_.column_sender(me, step))});
  return list;
}

void GridRoute::deal(Count number, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const {
  switch (pass(number)) {
    case Pass::deal_along_rows: return deal_along_row(me, held, hand);
    case Pass::deal_along_columns: return deal_along_column(me, held, hand);
    case Pass::collect_along_rows:
      for (const HeldSlice& slice : held) hand(slice, array_.relay(me, array_.column_of(slice.target)));
      return;
    case Pass::collect_along_columns:
      for (const HeldSlice& slice : held) hand(slice, slice.target);
      return;
  }
}

void GridRoute::deal_along_row(Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const {
  Count slot = me;
  for (const HeldSlice& slice : held) {
    if (split_ == Split::paper) slot = array_.column_of(slice.target);
    const Count units = ceil_divide(slice.length(), grain_);
    const SlotCount before(array_, slot), after(array_, slot + units);
    const auto cut = [&](Count column) {
      return times_at_most(after.left_of(array_, column) - before.left_of(array_, column), grain_, slice.length());
    };
    Bytes done = 0;
    for (Count column = 0; column < array_.columns(); ++column) {
      const Bytes end = cut(column + 1);
      if (done < end) hand(slice.part(done, end), array_.relay(me, column));
      done = end;
    }
    slot = (slot + units) % array_.ranks();
  }
}

void GridRoute::deal_along_column(Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const {
  const Count column = array_.column_of(me);
  std::vector<Rank> line;
  for (Count row = 0; row < array_.height(column); ++row) line.push_back(array_.rank_at(row, column));
  deal_along(line, size(line), array_.row_of(me), *split_, grain_, held, hand);
}

Result<> ArrayRoute::check(Count ranks, const std::vector<Count>& sides) {
  Count places = 1;
  const bool is_huge =
      std::any_of(sides.begin(), sides.end(), [&](Count side) { return __builtin_mul_overflow(places, side, &places); });
  const std::string text = fmt::format("an array with sides {}", fmt::join(sides, "x"));
  if (is_huge) return cannot(fmt::format("{} has 2^63 or more places, but there are {}", text, counted(ranks, "rank")));
  const Count slab = places / sides.front(), least = sides.front() > 1 ? places - slab + 1 : places;
  if (least <= ranks && ranks <= places) return {};
  if (least == places) return cannot(fmt::format("{} has {}, but there are {}", text, counted(places, "rank"), ranks));
  return cannot(fmt::format("{} has {} to {}, because only its last row along the first side may be short, but there are {}", text,
                            least, counted(places, "rank"), ranks));
}

ArrayRoute::ArrayRoute(Count ranks, std::vector<Count> sides, std::optional<Split> split, Bytes grain)
    : ranks_(ranks), split_(split), grain_(grain) {
  Count stride = 1;
  for (std::size_t i = sides.size(); i-- > 0; stride *= sides[i]) dimensions_.insert(dimensions_.begin(), {sides[i], stride});
  slabs_ = dimensions_.front();
  for (const bool deals : {true, false})
    for (std::size_t i = sides.size(); i-- > 0;)
      if (sides[i] > 1 && (split || !deals))
        passes_.push_back({dimensions_[i], deals, fmt::format("{} along dimension {}", deals ? "deal" : "collect", i + 1)});
  if (passes_.empty()) passes_.push_back({{}, false, "collect"});  // a single rank has one pass
  for (Pass& pass : passes_)
    for (Rank rank = with_coordinate(slabs_, 0, slabs_.side - 1); rank < ranks_ && !is_first(pass.dimension); ++rank)
      pass.additional_rounds =
          std::max(pass.additional_rounds, additional_rounds(pass.dimension, line_length(pass.dimension, rank)));

  for (Rank rank = 0; rank < ranks_; ++rank) targets_.push_back(rank);
  std::sort(targets_.begin(), targets_.end(), [&](Rank one, Rank other) {
    for (auto dimension = dimensions_.rbegin(); dimension != dimensions_.rend(); ++dimension)
      if (const Count a = coordinate(*dimension, one), b = coordinate(*dimension, other); a != b) return a < b;
    return false;
  });
  places_.resize(targets_.size());
  for (std::size_t place = 0; place < targets_.size(); ++place) places_[index(targets_[place])] = static_cast<Count>(place);
}

// The ranks of a line have the coordinates 0, 1, .., because the ranks fill the array in their order.
Count ArrayRoute::line_length(const Dimension& dimension, Rank rank) const {
  const Rank first = with_coordinate(dimension, rank, 0);
  return std::clamp<Count>(ceil_divide(ranks_ - first, dimension.stride), 0, dimension.side);
}

// Each rank of a line with empty places sends a message for each empty place. Neighbouring senders take different earlier slabs,
// so a rank of these slabs receives from every (side - 1)-th sender, where `side` counts the slabs.
Count ArrayRoute::additional_rounds(const Dimension& dimension, Count line_length) const {
  if (line_length == 0 || line_length == dimension.side) return 0;
  return std::max(dimension.side - line_length, ceil_divide(line_length, slabs_.side - 1));
}

Rank ArrayRoute::relay(const Dimension& dimension, Rank rank, Count wanted) const {
  const Rank there = with_coordinate(dimension, rank, wanted);
  return there < ranks_ ? there : with_coordinate(slabs_, there, coordinate(dimension, rank) % (slabs_.side - 1));
}

// In round t the rank with coordinate x sends the message for empty place number t - x / (side - 1), modulo the number of rounds.
SliceRoute::Meeting ArrayRoute::additional_meeting(const Dimension& dimension, Rank me, Count round) const {
  const Count others = slabs_.side - 1, slab = coordinate(slabs_, me), own = coordinate(dimension, me);
  const Rank in_last = with_coordinate(slabs_, me, others);
  const Count length = line_length(dimension, in_last), rounds = additional_rounds(dimension, length);
  if (round >= rounds) return {};
  if (slab == others) {
    const Count empty = length + modulo(round - own / others, rounds);
    return {empty < dimension.side ? std::optional(relay(dimension, me, empty)) : std::nullopt, std::nullopt};
  }
  const Count sender = slab + others * modulo(round - (own - length), rounds);
  if (own < length || sender >= length) return {};
  return {std::nullopt, with_coordinate(dimension, in_last, sender)};
}

std::vector<SliceRoute::Meeting> ArrayRoute::meetings(Count pass, Rank me) const {
  const Dimension& dimension = at(pass).dimension;
  const Count own = coordinate(dimension, me);
  // A short line of the first dimension uses a shorter circle. In other dimensions, meetings with empty places are left out.
  const Count circle = is_first(dimension) ? line_length(dimension, me) : dimension.side;
  const auto rank_at = [&](Count wanted) {
    const Rank rank = with_coordinate(dimension, me, wanted % circle);
    return rank < ranks_ && rank != me ? std::optional(rank) : std::nullopt;
  };
  std::vector<Meeting> list;
  for (Count distance = 1; distance < dimension.side; ++distance)
    list.push_back({rank_at(own + distance), rank_at(own + 2 * circle - distance)});
  for (Count round = 0; round < at(pass).additional_rounds; ++round) list.push_back(additional_meeting(dimension, me, round));
  return list;
}

// Data is dealt out evenly over all ranks that this pass and the later passes can reach: each of these ranks has a slot. A
// position of the line gets the slots of all ranks that later passes reach from it.
void ArrayRoute::deal(Count pass, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const {
  const Dimension& dimension = at(pass).dimension;
  if (!at(pass).deals) {
    for (const HeldSlice& slice : held) hand(slice, relay(dimension, me, coordinate(dimension, slice.target)));
    return;
  }
  std::vector<Rank> line;
  for (Count wanted = 0; wanted < dimension.side; ++wanted) line.push_back(relay(dimension, me, wanted));
  const Count slots = ceil_divide(ranks_ - me % dimension.stride, dimension.stride);
  if (is_first(dimension)) line.resize(index(slots));
  deal_along(line, slots, me / dimension.stride, *split_, grain_, held, hand);
}

std::vector<Count> sides_of(const Parameters& parameters) {
  const auto given = parameters.find("sides");
  if (given == parameters.end() || std::get<std::string>(given->second) == "none") return {};
  return *parse_sides(std::get<std::string>(given->second));
}

Parameter sides_parameter() {
  return {
      .name = "sides",
      .summary = "sides of an array of ranks with any number of dimensions, one stage for each: more dimensions, fewer messages",
      .standard = "none",
      .choices = {"none"},
      .form = "sides, such as 4x4x4, whose product is p or of which only the last row along the first side is short",
      .is_of_the_form = [](std::string_view text) { return parse_sides(text).has_value(); }};
}

Parameter columns_parameter() {
  return {.name = "columns",
          .summary = "columns of the grid of ranks, for example the ranks of a node",
          .standard = Count{1},
          .standard_for = [](const Problem& problem, const Parameters& before) -> ParameterValue {
            const std::vector<Count> sides = sides_of(before);
            return sides.empty() ? RankArray::best_columns(problem.ranks) : sides.back();
          },
          .standard_rule = "the last of sides, else best: the fewest rounds",
          .least = 1,
          .most = [](const Problem& problem) { return problem.ranks; },
          .range = "1..p, if the last row is full or not longer than the column above it; or best; or paper: about the root of p",
          .named = {{"best", [](const Problem& problem) { return RankArray::best_columns(problem.ranks); }},
                    {"paper", [](const Problem& problem) { return RankArray::paper_columns(problem.ranks); }}}};
}

Result<> columns_apply(const Problem& problem, const Parameters& parameters) {
  const Count p = problem.ranks, columns = number(parameters, "columns");
  if (RankArray::is_valid(p, columns)) return {};
  return cannot(fmt::format("{} ranks in {} columns make {} full rows and a row of {}; each rank of that row needs a full row", p,
                            columns, p / columns, p % columns));
}

Result<> array_applies(const Problem& problem, const Parameters& parameters) {
  const std::vector<Count> sides = sides_of(parameters);
  if (sides.empty()) return columns_apply(problem, parameters);
  if (auto fits = ArrayRoute::check(problem.ranks, sides); !fits) return fits;
  if (const Count columns = number(parameters, "columns"); columns != sides.back())
    return cannot(fmt::format("sides={} has rows of {} ranks, which contradicts columns={}; give only one of the two",
                              word(parameters, "sides"), sides.back(), columns));
  return {};
}

}  // namespace quadrille
