// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/grid_exchange.hpp"

#include <algorithm>

#include "collectives/array_route.hpp"
#include "collectives/array_sides.hpp"
#include "collectives/pairs.hpp"
#include "collectives/route_replay.hpp"
#include "patterns/deal.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

namespace {

// A pair, with the slots that its units take in the row pass.
struct Entry : Pair {
  Count place = 0;  // of the target, column by column
  Count units = 0;
  SlotCount before, after;
};

struct Units {
  Count first = 0, last = 0;
};

// The closed form of dealing for two sides: what a rank receives is computed from numbers of slots. replay_route does the same for
// any number of sides by following all slices (slice_dealing.cpp), but that is too slow for a rank that makes only its own program.
// With four passes, 256 ranks and uniform blocks around 4 KiB the closed form takes 13 ms and then 6 ms a program; following slices
// takes 530 ms before the first program (processor time of make_schedule and Schedule::program, for four-stage:columns=16 and
// four-stage:sides=1x16x16, which are the two ways to the same programs). The test ArrayExchange.OfTwoSidesIsTheGrid holds both
// equal.
class GridExchange : public RouteAnalysis {
 public:
  GridExchange(const Problem& problem, const Parameters& parameters, std::optional<Split> split, Bytes grain);

  Program program(const Problem& problem, Rank me) const override;

 private:
  Arrivals arrivals(GridRoute::Pass pass, Rank me) const;
  Arrivals dealt_along_rows(Rank me) const;
  Arrivals dealt_along_columns(Rank me) const;
  Arrivals collected_along_rows(Rank me) const;
  Arrivals collected_along_columns(Rank me) const;
  std::vector<Rank> holders_for(Rank target) const;  // who may have something for it before it is collected along rows

  CodedSlice slice(const Entry& entry, Units units) const;
  CodedSlice whole(const Entry& entry) const { return {entry.place, entry.source, 0, entry.bytes}; }
  Units units_in_column(const Entry& entry, Count column) const;
  void build_lines();
  void chain_starts();

  // After the row pass: what `relay` has for the targets of a column, by target, then source.
  template <class Visit>
  void for_each_dealt(Rank relay, Count target_column, Visit&& visit) const;

  // The same as it is dealt out to the relay's column: visit(slice, row), by target, then row, then source.
  // Absent row, target: all.
  template <class Visit>
  void for_each_dealt_again(Rank relay, Count target_column, std::optional<Count> row, std::optional<Rank> target,
                            Visit&& visit) const;

  // What a node has for the targets of a column after dealing, in the order of a message.
  std::vector<CodedSlice> share_of(Rank node, Count target_column) const;
  std::vector<Rank> other_feeders(Rank node) const;

  // What `source` sends to the targets at places from `place` on.
  std::vector<Entry>::const_iterator entries_from(Rank source, Count place) const;
  std::vector<Entry>::const_iterator entries_end(Rank source) const {
    return entries_.begin() + static_cast<std::ptrdiff_t>(row_starts_[index(source) + 1]);
  }

  const std::shared_ptr<const GridRoute> route_;
  const NodeArray& array_;
  std::optional<Split> split_;
  Bytes grain_;
  bool with_headers_;  // ahead of each message, since nobody knows the counts of others
  std::optional<CountsAgreement> agreement_;
  std::vector<Entry> entries_;              // by source, then the target's place in the array
  std::vector<std::size_t> row_starts_;     // of each source in entries_, and the end
  std::vector<Rank> sources_;               // by target, ascending
  std::vector<std::size_t> column_starts_;  // of each target in sources_, and the end
  // Four passes: for each row of the array, what its relays are fed, by target, then source; where its targets' columns begin;
  // and with Split::chain the slot at which each relay begins to deal out what it has for a column's targets.
  std::vector<std::vector<const Entry*>> lines_;
  std::vector<std::size_t> sections_;  // [row * (C + 1) + column]
  std::vector<Count> starts_;          // [relay * C + column]
};

GridExchange::GridExchange(const Problem& problem, const Parameters& parameters, std::optional<Split> split, Bytes grain)
    : route_(std::make_shared<GridRoute>(problem.ranks, number(parameters, "columns"), split, grain)),
      array_(route_->array()),
      split_(split),
      grain_(grain),
      with_headers_(has_headers(parameters)) {
  if (word(parameters, "counts") == "gathered") agreement_.emplace(problem);
  const std::size_t p = index(problem.ranks);
  const std::vector<Pair> pairs = pairs_of(problem);
  entries_.reserve(pairs.size());
  row_starts_.assign(p + 1, 0);
  column_starts_.assign(p + 1, 0);
  for (const Pair& pair : pairs) {
    ++row_starts_[index(pair.source) + 1];
    ++column_starts_[index(pair.target) + 1];
    entries_.push_back({pair, array_.place_of(pair.target), split ? ceil_divide(pair.bytes, grain) : 1, {}, {}});
  }
  for (std::size_t rank = 0; rank < p; ++rank) column_starts_[rank + 1] += column_starts_[rank];
  sources_.resize(pairs.size());
  std::vector<std::size_t> next(column_starts_.begin(), column_starts_.end() - 1);
  for (const Pair& pair : pairs) sources_[next[index(pair.target)]++] = pair.source;
  for (std::size_t source = 0; source < p; ++source) {
    row_starts_[source + 1] += row_starts_[source];
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(row_starts_[source]),
               last = entries_.begin() + static_cast<std::ptrdiff_t>(row_starts_[source + 1]);
    std::sort(first, last, [](const Entry& a, const Entry& b) { return a.place < b.place; });
    if (!split) continue;
    Count slot = static_cast<Count>(source);
    for (auto entry = first; entry != last; ++entry) {
      if (split == Split::paper) slot = array_.column_of(entry->target);
      entry->before = SlotCount(array_, slot);
      entry->after = SlotCount(array_, slot + entry->units);
      slot = (slot + entry->units) % problem.ranks;
    }
  }
  if (!split) return;
  build_lines();
  if (split == Split::chain) chain_starts();
}

// Counting sort by target; what comes by additional messages is from the last row, so its sources come last.
void GridExchange::build_lines() {
  const Count rows = array_.rows(), columns = array_.columns();
  lines_.resize(index(rows));
  std::vector<std::size_t> next(index(array_.nodes()) + 1);
  for (Count row = 0; row < rows; ++row) {
    std::vector<Rank> sources;
    for (Rank node = array_.node_at(row, 0); node < std::min(array_.nodes(), array_.node_at(row + 1, 0)); ++node)
      sources.push_back(node);
    if (row < array_.short_row() && row < rows - 1) sources.push_back(array_.node_at(rows - 1, row));
    const auto for_each_entry = [&](auto&& visit) {
      for (const Rank source : sources)
        for (std::size_t i = row_starts_[index(source)]; i < row_starts_[index(source) + 1]; ++i) visit(entries_[i]);
    };
    std::fill(next.begin(), next.end(), 0);
    for_each_entry([&](const Entry& entry) { ++next[index(entry.place) + 1]; });
    for (std::size_t place = 1; place < next.size(); ++place) next[place] += next[place - 1];
    for (Count column = 0; column <= columns; ++column) sections_.push_back(next[index(array_.first_place(column))]);
    auto& line = lines_[index(row)];
    line.resize(next.back());
    for_each_entry([&](const Entry& entry) { line[next[index(entry.place)]++] = &entry; });
  }
}

// Deals everything out once, only counting.
void GridExchange::chain_starts() {
  const Count columns = array_.columns();
  starts_.resize(index(array_.nodes() * columns));
  ByRank<Count> slots(columns);
  for (Count row = 0; row < array_.rows(); ++row) {
    const auto& line = lines_[index(row)];
    const Rank first_node = array_.node_at(row, 0), end_node = std::min(array_.nodes(), first_node + columns);
    std::fill(slots.begin(), slots.end(), row);
    std::size_t at = 0;
    for (Count section = 0; section < columns; ++section) {
      for (Rank node = first_node; node < end_node; ++node) {
        const Count column = array_.column_of(node);
        Count& slot = slots[column];
        slot %= array_.height(column);
        starts_[index(node * columns + section)] = slot;
      }
      for (const std::size_t end = sections_[index(row * (columns + 1) + section + 1)]; at < end; ++at) {
        const Entry& entry = *line[at];
        const bool additional = array_.row_of(entry.source) != row;
        const Count first = additional ? array_.short_row() : 0;
        Count left = entry.after.left_of(array_, first) - entry.before.left_of(array_, first);
        for (Count column = first; column < end_node - first_node; ++column) {
          const Count next = entry.after.left_of(array_, column + 1) - entry.before.left_of(array_, column + 1);
          slots[column] += next - left;
          left = next;
        }
      }
    }
  }
}

CodedSlice GridExchange::slice(const Entry& entry, Units units) const {
  return {entry.place, entry.source, times_at_most(units.first, grain_, entry.bytes),
          times_at_most(units.last, grain_, entry.bytes)};
}

Units GridExchange::units_in_column(const Entry& entry, Count column) const {
  return {entry.after.left_of(array_, column) - entry.before.left_of(array_, column),
          entry.after.left_of(array_, column + 1) - entry.before.left_of(array_, column + 1)};
}

template <class Visit>
void GridExchange::for_each_dealt(Rank relay, Count target_column, Visit&& visit) const {
  const Count row = array_.row_of(relay), column = array_.column_of(relay);
  const auto& line = lines_[index(row)];
  const std::size_t section = index(row * (array_.columns() + 1) + target_column);
  const Rank first = array_.node_at(row, 0), end = array_.node_at(row + 1, 0);
  const bool takes_additional = array_.additional_sender(relay).has_value();
  for (std::size_t i = sections_[section]; i < sections_[section + 1]; ++i) {
    const Entry& entry = *line[i];
    if (!takes_additional && (entry.source < first || entry.source >= end)) continue;
    if (const Units units = units_in_column(entry, column); units.first < units.last) visit(entry, units);
  }
}

template <class Visit>
void GridExchange::for_each_dealt_again(Rank relay, Count target_column, std::optional<Count> row, std::optional<Rank> target,
                                        Visit&& visit) const {
  const Count height = array_.height(array_.column_of(relay));
  Count slot = split_ == Split::chain ? starts_[index(relay * array_.columns() + target_column)] : 0;
  struct Part {
    const Entry* entry;
    Units units;
  };
  std::vector<Part> parts;  // of one target
  Count total = 0;
  const auto deal = [&] {
    if (parts.empty()) return;
    const Rank its_target = parts.front().entry->target;
    if (split_ == Split::paper) slot = its_target % height;
    if (!target || *target == its_target) {
      std::size_t part = 0;
      Count before = 0;  // units of the parts before
      const auto cut = [&](Count r) { return slots_above(slot + total, height, r) - slots_above(slot, height, r); };
      for (Count r = row.value_or(0), last_row = row.value_or(height - 1); r <= last_row; ++r) {
        const Count end = cut(r + 1);
        for (Count begin = cut(r); begin < end;) {
          const auto [entry, units] = parts[part];
          const Count length = units.last - units.first;
          if (begin >= before + length) {
            before += length;
            ++part;
            continue;
          }
          const Count stop = std::min(end, before + length);
          visit(slice(*entry, {units.first + begin - before, units.first + stop - before}), r);
          begin = stop;
        }
      }
    }
    slot = (slot + total) % height;
    parts.clear();
    total = 0;
  };
  const Count last_place = target ? array_.place_of(*target) : array_.nodes();
  for_each_dealt(relay, target_column, [&](const Entry& entry, Units units) {
    if (entry.place > last_place) return;
    if (!parts.empty() && parts.front().entry->place != entry.place) deal();
    parts.push_back({&entry, units});
    total += units.last - units.first;
  });
  deal();
}

std::vector<Entry>::const_iterator GridExchange::entries_from(Rank source, Count place) const {
  return std::lower_bound(entries_.begin() + static_cast<std::ptrdiff_t>(row_starts_[index(source)]), entries_end(source), place,
                          [](const Entry& entry, Count wanted) { return entry.place < wanted; });
}

std::vector<CodedSlice> GridExchange::share_of(Rank node, Count target_column) const {
  std::vector<CodedSlice> share;
  if (split_) {
    const Count column = array_.column_of(node);
    for (Count row = 0; row < array_.height(column); ++row)
      for_each_dealt_again(array_.node_at(row, column), target_column, array_.row_of(node), {},
                           [&](const CodedSlice& slice, Count) { share.push_back(slice); });
    std::sort(share.begin(), share.end(), comes_before);
    return share;
  }
  for (auto entry = entries_from(node, array_.first_place(target_column));
       entry != entries_end(node) && entry->place < array_.first_place(target_column + 1); ++entry)
    share.push_back(whole(*entry));
  return share;
}

std::vector<Rank> GridExchange::other_feeders(Rank node) const {
  std::vector<Rank> list;
  const Rank first = array_.node_at(array_.row_of(node), 0);
  for (Rank mate = first; mate < std::min(array_.nodes(), first + array_.columns()); ++mate)
    if (mate != node) list.push_back(mate);
  if (const auto additional = array_.additional_sender(node)) list.push_back(*additional);
  return list;
}

Arrivals GridExchange::arrivals(GridRoute::Pass pass, Rank me) const {
  switch (pass) {
    case GridRoute::Pass::deal_along_rows: return dealt_along_rows(me);
    case GridRoute::Pass::deal_along_columns: return dealt_along_columns(me);
    case GridRoute::Pass::collect_along_rows: return collected_along_rows(me);
    case GridRoute::Pass::collect_along_columns: return collected_along_columns(me);
  }
  return {};
}

Arrivals GridExchange::dealt_along_rows(Rank me) const {
  Arrivals arrivals;
  for (Count column = 0; column < array_.columns(); ++column)
    for_each_dealt(me, column, [&](const Entry& entry, Units units) {
      if (entry.source != me) add_slice(arrivals[entry.source], slice(entry, units));
    });
  return arrivals;
}

Arrivals GridExchange::dealt_along_columns(Rank me) const {
  Arrivals arrivals;
  const Count own_row = array_.row_of(me), own_column = array_.column_of(me);
  for (Count row = 0; row < array_.height(own_column); ++row) {
    if (row == own_row) continue;
    std::vector<CodedSlice>& slices = arrivals[array_.node_at(row, own_column)];
    for (Count column = 0; column < array_.columns(); ++column)
      for_each_dealt_again(array_.node_at(row, own_column), column, own_row, {},
                           [&](const CodedSlice& slice, Count) { add_slice(slices, slice); });
  }
  return arrivals;
}

Arrivals GridExchange::collected_along_rows(Rank me) const {
  Arrivals arrivals;
  for (const Rank feeder : other_feeders(me))
    for (const CodedSlice& slice : share_of(feeder, array_.column_of(me))) add_slice(arrivals[feeder], slice);
  return arrivals;
}

std::vector<Rank> GridExchange::holders_for(Rank target) const {
  const std::size_t place = index(target);
  std::vector<Rank> holders;
  for (std::size_t i = column_starts_[place]; i < column_starts_[place + 1]; ++i)
    if (!split_)
      holders.push_back(sources_[i]);
    else
      for (Count column = 0; column < array_.columns(); ++column) holders.push_back(array_.relay(sources_[i], column));
  std::sort(holders.begin(), holders.end());
  holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
  return holders;
}

Arrivals GridExchange::collected_along_columns(Rank me) const {
  const Count own_column = array_.column_of(me);
  std::vector<std::vector<CodedSlice>> by_row(index(array_.height(own_column)));
  const auto arrives = [&](Rank node, const CodedSlice& slice) {  // which has it before it is collected
    by_row[index(array_.row_of(array_.relay(node, own_column)))].push_back(slice);
  };
  for (const Rank node : holders_for(me)) {
    if (split_) {
      for_each_dealt_again(node, own_column, {}, me, [&](const CodedSlice& slice, Count row) {
        arrives(array_.node_at(row, array_.column_of(node)), slice);
      });
    } else {
      const auto entry = entries_from(node, array_.place_of(me));
      if (entry != entries_end(node) && entry->target == me) arrives(node, whole(*entry));
    }
  }
  Arrivals arrivals;
  for (std::size_t row = 0; row < by_row.size(); ++row) {
    std::sort(by_row[row].begin(), by_row[row].end(), comes_before);
    std::vector<CodedSlice>& slices = arrivals[array_.node_at(static_cast<Count>(row), own_column)];
    for (const CodedSlice& slice : by_row[row]) add_slice(slices, slice);
  }
  return arrivals;
}

Program GridExchange::program(const Problem& problem, Rank me) const {
  return SlicePasses(problem, route_, grain_, with_headers_, agreement_ ? &*agreement_ : nullptr, me).run([&](Count pass) {
    return arrivals(route_->pass(pass), me);
  });
}

// Two sides are rows and columns.
bool is_grid(const Parameters& parameters) {
  const std::size_t dimensions = sides_of(parameters).size();
  return dimensions == 0 || dimensions == 2;
}

std::shared_ptr<const SliceRoute> route_of(const Problem& problem, const Parameters& parameters, std::optional<Split> split,
                                           Bytes grain) {
  if (is_grid(parameters)) return std::make_shared<GridRoute>(problem.ranks, number(parameters, "columns"), split, grain);
  return std::make_shared<ArrayRoute>(sides_of(parameters), split, grain);
}

}  // namespace

std::shared_ptr<const Analysis> analyse_grid_exchange(const Problem& problem, const Parameters& parameters,
                                                      std::optional<Split> split, Bytes grain) {
  if (is_grid(parameters)) return std::make_shared<GridExchange>(problem, parameters, split, grain);
  return replay_route(problem, parameters, route_of(problem, parameters, split, grain), grain);
}

std::unique_ptr<StagedProgram> grid_exchange_in_stages(const Problem& problem, const Parameters& parameters,
                                                       std::optional<Split> split, Bytes grain, Rank me) {
  return route_in_stages(problem, parameters, route_of(problem, parameters, split, grain), grain, me);
}

}  // namespace quadrille
