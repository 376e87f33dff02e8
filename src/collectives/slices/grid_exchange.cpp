// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/array_routes.hpp"

#include <algorithm>

#include "collectives/slices/pairs.hpp"
#include "collectives/slices/slice_passes.hpp"
#include "patterns/rank_array.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// A pair of ranks with data, and the slots that its units occupy in the row pass. A unit is `grain` bytes; slots are
// dealt to the ranks in turn (patterns/rank_array.hpp).
struct Entry : Pair {
  Count place = 0;  // of the target: its position in column order
  Count units = 0;
  SlotCount before, after;
};

struct Units {
  Count first = 0, last = 0;
};

// Computes the slices that each rank receives by formulas, for arrays of rows and columns. replay_route
// (slice_passes.hpp) computes the same for arrays of any number of dimensions by following all slices, but that is too
// slow for a rank that makes only its own program. With four passes, 256 ranks and uniform blocks around 4 KiB, this
// class takes 13 ms, and then 6 ms per program; following slices takes 530 ms before the first program (processor time
// of make_schedule and Schedule::program, for four-stage:columns=16 and four-stage:sides=1x16x16, which generate the
// same programs). The test ArrayExchange.WithTwoSidesIsTheExchangeOnAGrid checks that both agree.
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
  std::vector<Rank> holders_for(Rank target) const;  // ranks that may hold data for `target` before the row collection

  CodedSlice slice(const Entry& entry, Units units) const;
  CodedSlice whole(const Entry& entry) const { return {entry.place, entry.source, 0, entry.bytes}; }
  Units units_in_column(const Entry& entry, Count column) const;
  void build_lines();
  void chain_starts();

  // Visits the data that `relay` holds after the row pass for the targets in a column, ordered by target, then source.
  template <class Visit>
  void for_each_dealt(Rank relay, Count target_column, Visit&& visit) const;

  // Visits the slices into which the data of for_each_dealt is cut when it is dealt out along the relay's column:
  // visit(slice, row), ordered by target, then row, then source. If `row` is absent,
  // visits all rows; if `target` is absent, all targets.
  template <class Visit>
  void for_each_dealt_again(Rank relay, Count target_column, std::optional<Count> row, std::optional<Rank> target,
                            Visit&& visit) const;

  // The slices for the targets in a column that a rank holds after all dealing passes, in the order of a message.
  std::vector<CodedSlice> share_of(Rank rank, Count target_column) const;
  std::vector<Rank> other_feeders(Rank rank) const;

  // Returns the first entry of `source` whose target is at `place` or later, counted column by column (RankArray::place_of).
  std::vector<Entry>::const_iterator entries_from(Rank source, Count place) const;
  std::vector<Entry>::const_iterator entries_end(Rank source) const {
    return entries_.begin() + static_cast<std::ptrdiff_t>(row_starts_[index(source) + 1]);
  }

  const std::shared_ptr<const GridRoute> route_;
  const RankArray& array_;
  std::optional<Split> split_;
  Bytes grain_;
  bool with_headers_;  // each message has a header, because no rank knows the counts of others
  std::optional<CountsAgreement> agreement_;
  std::vector<Entry> entries_;              // by source, then by the target's place
  std::vector<std::size_t> row_starts_;     // index in entries_ of each source's first entry, and the end
  std::vector<Rank> sources_;               // by target, ascending
  std::vector<std::size_t> column_starts_;  // index in sources_ of each target's first source, and the end
  // Used with four passes only. lines_: for each row of the array, the entries dealt to its relays, by target, then
  // source. sections_: the positions in a line at which the entries for each column of targets begin. starts_
  // (Split::chain): the slot at which each relay begins to deal out its data for the targets of a column.
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

// A counting sort by target. A row may receive an additional message from a rank of the last row; this rank has the
// highest number, so its entries come last.
void GridExchange::build_lines() {
  const Count rows = array_.rows(), columns = array_.columns();
  lines_.resize(index(rows));
  std::vector<std::size_t> next(index(array_.ranks()) + 1);
  for (Count row = 0; row < rows; ++row) {
    std::vector<Rank> sources;
    for (Rank rank = array_.rank_at(row, 0); rank < std::min(array_.ranks(), array_.rank_at(row + 1, 0)); ++rank)
      sources.push_back(rank);
    if (row < array_.short_row() && row < rows - 1) sources.push_back(array_.rank_at(rows - 1, row));
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

// Follows the dealing of all data, but only counts slots.
void GridExchange::chain_starts() {
  const Count columns = array_.columns();
  starts_.resize(index(array_.ranks() * columns));
  ByRank<Count> slots(columns);
  for (Count row = 0; row < array_.rows(); ++row) {
    const auto& line = lines_[index(row)];
    const Rank first_rank = array_.rank_at(row, 0), end_rank = std::min(array_.ranks(), first_rank + columns);
    std::fill(slots.begin(), slots.end(), row);
    std::size_t at = 0;
    for (Count section = 0; section < columns; ++section) {
      for (Rank rank = first_rank; rank < end_rank; ++rank) {
        const Count column = array_.column_of(rank);
        Count& slot = slots[column];
        slot %= array_.height(column);
        starts_[index(rank * columns + section)] = slot;
      }
      for (const std::size_t end = sections_[index(row * (columns + 1) + section + 1)]; at < end; ++at) {
        const Entry& entry = *line[at];
        const bool additional = array_.row_of(entry.source) != row;
        const Count first = additional ? array_.short_row() : 0;
        Count left = entry.after.left_of(array_, first) - entry.before.left_of(array_, first);
        for (Count column = first; column < end_rank - first_rank; ++column) {
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
  const Rank first = array_.rank_at(row, 0), end = array_.rank_at(row + 1, 0);
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
  std::vector<Part> parts;  // parts for one target
  Count total = 0;
  const auto deal = [&] {
    if (parts.empty()) return;
    const Rank its_target = parts.front().entry->target;
    if (split_ == Split::paper) slot = its_target % height;
    if (!target || *target == its_target) {
      std::size_t part = 0;
      Count before = 0;  // units of the earlier parts
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
  const Count last_place = target ? array_.place_of(*target) : array_.ranks();
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

std::vector<CodedSlice> GridExchange::share_of(Rank rank, Count target_column) const {
  std::vector<CodedSlice> share;
  if (split_) {
    const Count column = array_.column_of(rank);
    for (Count row = 0; row < array_.height(column); ++row)
      for_each_dealt_again(array_.rank_at(row, column), target_column, array_.row_of(rank), {},
                           [&](const CodedSlice& slice, Count) { share.push_back(slice); });
    std::sort(share.begin(), share.end(), comes_before);
    return share;
  }
  for (auto entry = entries_from(rank, array_.first_place(target_column));
       entry != entries_end(rank) && entry->place < array_.first_place(target_column + 1); ++entry)
    share.push_back(whole(*entry));
  return share;
}

std::vector<Rank> GridExchange::other_feeders(Rank rank) const {
  std::vector<Rank> list;
  const Rank first = array_.rank_at(array_.row_of(rank), 0);
  for (Rank mate = first; mate < std::min(array_.ranks(), first + array_.columns()); ++mate)
    if (mate != rank) list.push_back(mate);
  if (const auto additional = array_.additional_sender(rank)) list.push_back(*additional);
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
    std::vector<CodedSlice>& slices = arrivals[array_.rank_at(row, own_column)];
    for (Count column = 0; column < array_.columns(); ++column)
      for_each_dealt_again(array_.rank_at(row, own_column), column, own_row, {},
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
  const auto arrives = [&](Rank holder, const CodedSlice& slice) {  // `holder` has the slice before it is collected
    by_row[index(array_.row_of(array_.relay(holder, own_column)))].push_back(slice);
  };
  for (const Rank holder : holders_for(me)) {
    if (split_) {
      for_each_dealt_again(holder, own_column, {}, me, [&](const CodedSlice& slice, Count row) {
        arrives(array_.rank_at(row, array_.column_of(holder)), slice);
      });
    } else {
      const auto entry = entries_from(holder, array_.place_of(me));
      if (entry != entries_end(holder) && entry->target == me) arrives(holder, whole(*entry));
    }
  }
  Arrivals arrivals;
  for (std::size_t row = 0; row < by_row.size(); ++row) {
    std::sort(by_row[row].begin(), by_row[row].end(), comes_before);
    std::vector<CodedSlice>& slices = arrivals[array_.rank_at(static_cast<Count>(row), own_column)];
    for (const CodedSlice& slice : by_row[row]) add_slice(slices, slice);
  }
  return arrivals;
}

Program GridExchange::program(const Problem& problem, Rank me) const {
  return SlicePasses(problem, route_, grain_, with_headers_, agreement_ ? &*agreement_ : nullptr, me).run([&](Count pass) {
    return arrivals(route_->pass(pass), me);
  });
}

// With two sides, the array is a grid of rows and columns, if that grid is valid.
bool is_grid(const Problem& problem, const Parameters& parameters) {
  const std::size_t dimensions = sides_of(parameters).size();
  return dimensions == 0 || (dimensions == 2 && RankArray::is_valid(problem.ranks, number(parameters, "columns")));
}

std::shared_ptr<const SliceRoute> route_of(const Problem& problem, const Parameters& parameters, std::optional<Split> split,
                                           Bytes grain) {
  if (is_grid(problem, parameters)) return std::make_shared<GridRoute>(problem.ranks, number(parameters, "columns"), split, grain);
  return std::make_shared<ArrayRoute>(problem.ranks, sides_of(parameters), split, grain);
}

}  // namespace

std::shared_ptr<const Analysis> analyse_grid_exchange(const Problem& problem, const Parameters& parameters,
                                                      std::optional<Split> split, Bytes grain) {
  if (is_grid(problem, parameters)) return std::make_shared<GridExchange>(problem, parameters, split, grain);
  return replay_route(problem, parameters, route_of(problem, parameters, split, grain), grain);
}

std::unique_ptr<IncrementalProgram> grid_exchange_in_stages(const Problem& problem, const Parameters& parameters,
                                                            std::optional<Split> split, Bytes grain, Rank me) {
  return route_in_stages(problem, parameters, route_of(problem, parameters, split, grain), grain, me);
}

}  // namespace quadrille
