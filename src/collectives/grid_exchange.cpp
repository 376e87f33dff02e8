// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/grid_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <tuple>

#include "collectives/counts_agreement.hpp"
#include "collectives/pairs.hpp"
#include "collectives/slice_code.hpp"
#include "patterns/deal.hpp"
#include "quadrille/program_builder.hpp"

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

// A slice that a rank has, and where.
struct Held : Slice {
  Count place = 0;  // of the target
  Buffer buffer = Buffer::input;
  Bytes offset = 0;

  Held(const Entry& entry, Slice slice) : Slice(slice), place(entry.place) {}
  Region region() const { return {buffer, offset, length(), {}}; }
  void put(Buffer where, Bytes at) {
    buffer = where;
    offset = at;
  }
  bool operator<(const Held& other) const {
    return std::tuple(place, pair->source, first) < std::tuple(other.place, other.pair->source, other.first);
  }
};

class GridExchange : public Analysis {
 public:
  GridExchange(const Problem& problem, const Parameters& parameters, std::optional<Split> split, Bytes grain);

  Program program(Rank me) const;

 private:
  class Passes;

  Slice slice(const Entry& entry, Units units) const;
  Units units_in_column(const Entry& entry, Count column) const;
  void build_lines();
  void chain_starts();

  // After the row pass: what `relay` has for the targets of a column, by target, then source.
  template <class Visit>
  void for_each_dealt(Rank relay, Count target_column, Visit&& visit) const;

  // The same as it is dealt out to the relay's column: visit(entry, slice, row), by target, then row, then source.
  // Absent row, target: all.
  template <class Visit>
  void for_each_dealt_again(Rank relay, Count target_column, std::optional<Count> row, std::optional<Rank> target,
                            Visit&& visit) const;

  // What a node has for the targets of a column after dealing.
  std::vector<Held> share_of(Rank node, Count target_column) const;
  std::vector<Rank> feeders(Rank node) const;

  NodeArray array_;
  std::optional<Split> split_;
  Bytes grain_;
  bool with_headers_;  // ahead of each message, since nobody knows the counts of others
  std::optional<CountsAgreement> agreement_;
  std::vector<Entry> entries_;           // by source, then the target's place in the array
  std::vector<std::size_t> row_starts_;  // of each source in entries_, and the end
  // Four passes: for each row of the array, what its relays are fed, by target, then source; where its targets' columns begin;
  // and with Split::chain the slot at which each relay begins to deal out what it has for a column's targets.
  std::vector<std::vector<const Entry*>> lines_;
  std::vector<std::size_t> sections_;  // [row * (C + 1) + column]
  std::vector<Count> starts_;          // [relay * C + column]
};

GridExchange::GridExchange(const Problem& problem, const Parameters& parameters, std::optional<Split> split, Bytes grain)
    : array_(problem.ranks, number(parameters, "columns")),
      split_(split),
      grain_(grain),
      with_headers_(word(parameters, "counts") == "headers") {
  if (word(parameters, "counts") == "gathered") agreement_.emplace(problem);
  const auto p = static_cast<std::size_t>(problem.ranks);
  const std::vector<Pair> pairs = pairs_of(problem);
  entries_.reserve(pairs.size());
  row_starts_.assign(p + 1, 0);
  for (const Pair& pair : pairs) {
    ++row_starts_[static_cast<std::size_t>(pair.source) + 1];
    entries_.push_back({pair, array_.place_of(pair.target), split ? ceil_divide(pair.bytes, grain) : 1, {}, {}});
  }
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
  lines_.resize(static_cast<std::size_t>(rows));
  std::vector<std::size_t> next(static_cast<std::size_t>(array_.nodes()) + 1);
  for (Count row = 0; row < rows; ++row) {
    std::vector<Rank> sources;
    for (Rank node = array_.node_at(row, 0); node < std::min(array_.nodes(), array_.node_at(row + 1, 0)); ++node)
      sources.push_back(node);
    if (row < array_.short_row() && row < rows - 1) sources.push_back(array_.node_at(rows - 1, row));
    const auto for_each_entry = [&](auto&& visit) {
      for (const Rank source : sources)
        for (std::size_t i = row_starts_[static_cast<std::size_t>(source)]; i < row_starts_[static_cast<std::size_t>(source) + 1];
             ++i)
          visit(entries_[i]);
    };
    std::fill(next.begin(), next.end(), 0);
    for_each_entry([&](const Entry& entry) { ++next[static_cast<std::size_t>(entry.place) + 1]; });
    for (std::size_t place = 1; place < next.size(); ++place) next[place] += next[place - 1];
    for (Count column = 0; column <= columns; ++column)
      sections_.push_back(next[static_cast<std::size_t>(array_.first_place(column))]);
    auto& line = lines_[static_cast<std::size_t>(row)];
    line.resize(next.back());
    for_each_entry([&](const Entry& entry) { line[next[static_cast<std::size_t>(entry.place)]++] = &entry; });
  }
}

// Deals everything out once, only counting.
void GridExchange::chain_starts() {
  const Count columns = array_.columns();
  starts_.resize(static_cast<std::size_t>(array_.nodes() * columns));
  std::vector<Count> slots(static_cast<std::size_t>(columns));
  for (Count row = 0; row < array_.rows(); ++row) {
    const auto& line = lines_[static_cast<std::size_t>(row)];
    const Rank first_node = array_.node_at(row, 0), end_node = std::min(array_.nodes(), first_node + columns);
    std::fill(slots.begin(), slots.end(), row);
    std::size_t at = 0;
    for (Count section = 0; section < columns; ++section) {
      for (Rank node = first_node; node < end_node; ++node) {
        const Count column = array_.column_of(node);
        Count& slot = slots[static_cast<std::size_t>(column)];
        slot %= array_.height(column);
        starts_[static_cast<std::size_t>(node * columns + section)] = slot;
      }
      for (const std::size_t end = sections_[static_cast<std::size_t>(row * (columns + 1) + section + 1)]; at < end; ++at) {
        const Entry& entry = *line[at];
        const bool additional = array_.row_of(entry.source) != row;
        const Count first = additional ? array_.short_row() : 0;
        Count left = entry.after.left_of(array_, first) - entry.before.left_of(array_, first);
        for (Count column = first; column < end_node - first_node; ++column) {
          const Count next = entry.after.left_of(array_, column + 1) - entry.before.left_of(array_, column + 1);
          slots[static_cast<std::size_t>(column)] += next - left;
          left = next;
        }
      }
    }
  }
}

Slice GridExchange::slice(const Entry& entry, Units units) const {
  return {&entry, std::min(units.first * grain_, entry.bytes), std::min(units.last * grain_, entry.bytes)};
}

Units GridExchange::units_in_column(const Entry& entry, Count column) const {
  return {entry.after.left_of(array_, column) - entry.before.left_of(array_, column),
          entry.after.left_of(array_, column + 1) - entry.before.left_of(array_, column + 1)};
}

template <class Visit>
void GridExchange::for_each_dealt(Rank relay, Count target_column, Visit&& visit) const {
  const Count row = array_.row_of(relay), column = array_.column_of(relay);
  const auto& line = lines_[static_cast<std::size_t>(row)];
  const auto section = static_cast<std::size_t>(row * (array_.columns() + 1) + target_column);
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
  Count slot = split_ == Split::chain ? starts_[static_cast<std::size_t>(relay * array_.columns() + target_column)] : 0;
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
          visit(*entry, slice(*entry, {units.first + begin - before, units.first + stop - before}), r);
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

std::vector<Held> GridExchange::share_of(Rank node, Count target_column) const {
  std::vector<Held> share;
  if (split_) {
    const Count column = array_.column_of(node);
    for (Count row = 0; row < array_.height(column); ++row)
      for_each_dealt_again(array_.node_at(row, column), target_column, array_.row_of(node), {},
                           [&](const Entry& entry, Slice slice, Count) { share.emplace_back(entry, slice); });
    std::sort(share.begin(), share.end());
    return share;
  }
  const auto own = static_cast<std::size_t>(node);
  const auto place_less = [](const Entry& entry, Count place) { return entry.place < place; };
  auto entry = std::lower_bound(entries_.begin() + static_cast<std::ptrdiff_t>(row_starts_[own]),
                                entries_.begin() + static_cast<std::ptrdiff_t>(row_starts_[own + 1]),
                                array_.first_place(target_column), place_less);
  for (; entry != entries_.begin() + static_cast<std::ptrdiff_t>(row_starts_[own + 1]) &&
         entry->place < array_.first_place(target_column + 1);
       ++entry)
    share.emplace_back(*entry, Slice{&*entry, 0, entry->bytes});
  return share;
}

std::vector<Rank> GridExchange::feeders(Rank node) const {
  std::vector<Rank> list;
  const Rank first = array_.node_at(array_.row_of(node), 0);
  for (Rank mate = first; mate < std::min(array_.nodes(), first + array_.columns()); ++mate) list.push_back(mate);
  if (const auto additional = array_.additional_sender(node)) list.push_back(*additional);
  return list;
}

// The passes of one rank, one after the other.
class GridExchange::Passes {
 public:
  Passes(const GridExchange& exchange, Rank me)
      : exchange_(exchange),
        array_(exchange.array_),
        me_(me),
        row_(array_.row_of(me)),
        column_(array_.column_of(me)),
        program_(me) {}

  Program run() && {
    if (exchange_.agreement_) exchange_.agreement_->add_to(program_, me_);
    if (exchange_.split_) {
      deal_along_row();
      deal_along_column();
    } else {
      for (Count column = 0; column < array_.columns(); ++column)
        for (Held& held : exchange_.share_of(me_, column)) {
          held.put(Buffer::input, held.pair->input_offset);
          held_.push_back(held);
        }
    }
    collect_along_row();
    collect_along_column();
    program_.scratch(scratch_);
    return std::move(program_).finish();
  }

 private:
  // A message: what it reads, or writes, and what its header says.
  struct Bucket {
    Regions regions;
    SliceCoder code;
    bool is_coded;

    void add(const Region& region, Count place, const Slice& slice) {
      if (region.length == 0) return;
      append(regions, region);
      if (is_coded) code.add({place, slice.pair->source, slice.first, slice.last});
    }
    void add(const Region& region, const Held& held) { add(region, held.place, held); }
  };
  using Buckets = std::vector<Bucket>;

  Bucket bucket() const { return {{}, SliceCoder(exchange_.grain_), exchange_.with_headers_}; }

  void send(Rank to, Bucket& bucket) {
    if (bucket.is_coded) program_.control_send(to, bucket.code.size());
    program_.send(to, std::move(bucket.regions));
  }

  void receive(Rank from, Bucket& bucket) {
    if (bucket.is_coded) program_.control_receive(from, bucket.code.size());
    program_.receive(from, std::move(bucket.regions));
  }

  Region in_scratch(Bytes length) {
    scratch_ += length;
    return {Buffer::scratch, scratch_ - length, length, {}};
  }

  // Sends by the receiver's column, receives by the sender: of the row, or (one more) the additional one.
  void row_pass(const char* name, Buckets sends, Buckets receives) {
    if (array_.row_steps() == 0) return;
    program_.stage(name);
    for (Count step = 1; step <= array_.row_steps(); ++step) {
      program_.begin_round();
      if (step == 1) copy_own(/*last_pass=*/array_.column_steps() == 0);
      if (const auto to = array_.row_receiver(me_, step); to && *to != me_)
        send(*to, sends[static_cast<std::size_t>(array_.column_of(*to))]);
      if (const auto from = array_.row_sender(me_, step); from && *from != me_) receive(*from, receives[feeder_index(*from)]);
    }
  }

  void column_pass(const char* name, Buckets sends, Buckets receives) {
    if (array_.column_steps() == 0) return;
    program_.stage(name);
    for (Count step = 1; step <= array_.column_steps(); ++step) {
      program_.begin_round();
      if (step == 1) copy_own(/*last_pass=*/true);
      if (const auto to = array_.column_receiver(me_, step); to && *to != me_)
        send(*to, sends[static_cast<std::size_t>(array_.row_of(*to))]);
      if (const auto from = array_.column_sender(me_, step); from && *from != me_)
        receive(*from, receives[static_cast<std::size_t>(array_.row_of(*from))]);
    }
  }

  std::size_t feeder_index(Rank from) const {
    return static_cast<std::size_t>(array_.row_of(from) == row_ ? array_.column_of(from) : array_.columns());
  }

  void copy_own(bool last_pass) {
    if (last_pass) program_.copy(std::move(own_from_), std::move(own_to_));
  }

  void keep_for_output(const Held& held) {
    append(own_from_, held.region());
    append(own_to_, held.output());
  }

  void deal_along_row() {
    Buckets sends(static_cast<std::size_t>(array_.columns()), bucket()),
        receives(static_cast<std::size_t>(array_.columns()) + 1, bucket());
    const auto own = static_cast<std::size_t>(me_);
    for (std::size_t i = exchange_.row_starts_[own]; i < exchange_.row_starts_[own + 1]; ++i) {
      const Entry& entry = exchange_.entries_[i];
      for (Count column = 0; column < array_.columns(); ++column) {
        const Slice slice = exchange_.slice(entry, exchange_.units_in_column(entry, column));
        sends[static_cast<std::size_t>(column)].add(slice.input(), entry.place, slice);
      }
    }
    std::vector<Bytes> next(receives.size(), 0);  // of each feeder: first how much, then where
    for_all_targets([&](Count column) {
      exchange_.for_each_dealt(me_, column, [&](const Entry& entry, Units units) {
        const Slice slice = exchange_.slice(entry, units);
        held_.emplace_back(entry, slice);
        next[feeder_index(entry.source)] += slice.length();
      });
    });
    for (const Rank feeder : exchange_.feeders(me_)) {
      if (feeder == me_) continue;
      const Region arrived = in_scratch(next[feeder_index(feeder)]);
      next[feeder_index(feeder)] = arrived.offset;
    }
    for (Held& held : held_) {
      if (held.pair->source == me_) {
        held.put(Buffer::input, held.pair->input_offset + held.first);
        continue;
      }
      Bytes& place = next[feeder_index(held.pair->source)];
      held.put(Buffer::scratch, place);
      place += held.length();
      receives[feeder_index(held.pair->source)].add(held.region(), held);
    }
    row_pass("deal along rows", std::move(sends), std::move(receives));
  }

  void deal_along_column() {
    Buckets sends(static_cast<std::size_t>(array_.height(column_)), bucket()), receives(sends);
    std::vector<Held> after;
    auto held = held_.begin();  // goes through what is held in the order of dealing
    for_all_targets([&](Count column) {
      exchange_.for_each_dealt_again(me_, column, {}, {}, [&](const Entry& entry, Slice slice, Count row) {
        while (held->pair != slice.pair) ++held;
        Held part(entry, slice);
        part.put(held->buffer, held->offset + slice.first - held->first);
        if (row == row_)
          after.push_back(part);
        else
          sends[static_cast<std::size_t>(row)].add(part.region(), part);
      });
    });
    for (Count row = 0; row < array_.height(column_); ++row) {
      if (row == row_) continue;
      for_all_targets([&](Count column) {
        exchange_.for_each_dealt_again(array_.node_at(row, column_), column, row_, {}, [&](const Entry& entry, Slice slice, Count) {
          after.emplace_back(entry, slice);
          after.back().put(Buffer::scratch, in_scratch(slice.length()).offset);
          receives[static_cast<std::size_t>(row)].add(after.back().region(), after.back());
        });
      });
    }
    std::sort(after.begin(), after.end());
    held_ = std::move(after);
    column_pass("deal along columns", std::move(sends), std::move(receives));
  }

  void collect_along_row() {
    const bool last = array_.column_steps() == 0;
    Buckets sends(static_cast<std::size_t>(array_.columns()), bucket()),
        receives(static_cast<std::size_t>(array_.columns()) + 1, bucket());
    std::vector<Held> after;
    for (const Held& held : held_) {
      const Count column = array_.column_of(held.pair->target);
      if (column != column_)
        sends[static_cast<std::size_t>(column)].add(held.region(), held);
      else
        after.push_back(held);
    }
    if (last)
      for (const Held& held : after) keep_for_output(held);
    for (const Rank feeder : exchange_.feeders(me_)) {
      if (feeder == me_) continue;
      for (Held& held : exchange_.share_of(feeder, column_)) {
        if (!last) {
          held.put(Buffer::scratch, in_scratch(held.length()).offset);
          after.push_back(held);
        }
        receives[feeder_index(feeder)].add(last ? held.output() : held.region(), held);
      }
    }
    std::sort(after.begin(), after.end());
    held_ = std::move(after);
    row_pass("collect along rows", std::move(sends), std::move(receives));
  }

  void collect_along_column() {
    if (array_.column_steps() == 0) return copy_own(/*last_pass=*/array_.nodes() == 1);
    Buckets sends(static_cast<std::size_t>(array_.height(column_)), bucket()), receives(sends);
    for (const Held& held : held_) {
      if (held.pair->target == me_)
        keep_for_output(held);
      else
        sends[static_cast<std::size_t>(array_.row_of(held.pair->target))].add(held.region(), held);
    }
    std::vector<std::vector<Slice>> arrivals(sends.size());  // by the row of the sender
    for_each_arrival([&](Rank node, Slice slice) {
      arrivals[static_cast<std::size_t>(array_.row_of(array_.relay(node, column_)))].push_back(slice);
    });
    for (std::size_t row = 0; row < arrivals.size(); ++row) {
      std::sort(arrivals[row].begin(), arrivals[row].end(), [](const Slice& a, const Slice& b) {
        return std::pair(a.pair->source, a.first) < std::pair(b.pair->source, b.first);
      });
      for (const Slice& slice : arrivals[row]) receives[row].add(slice.output(), array_.place_of(me_), slice);
    }
    column_pass("collect along columns", std::move(sends), std::move(receives));
  }

  // What is for this rank, and which node has it before it is collected.
  template <class Visit>
  void for_each_arrival(Visit&& visit) const {
    if (exchange_.split_) {
      for (Rank relay = 0; relay < array_.nodes(); ++relay)
        exchange_.for_each_dealt_again(relay, column_, {}, me_, [&](const Entry&, Slice slice, Count row) {
          visit(array_.node_at(row, array_.column_of(relay)), slice);
        });
      return;
    }
    const Count place = array_.place_of(me_);
    for (Rank source = 0; source < array_.nodes(); ++source) {
      const auto end =
          exchange_.entries_.begin() + static_cast<std::ptrdiff_t>(exchange_.row_starts_[static_cast<std::size_t>(source) + 1]);
      const auto found = std::lower_bound(
          exchange_.entries_.begin() + static_cast<std::ptrdiff_t>(exchange_.row_starts_[static_cast<std::size_t>(source)]), end,
          place, [](const Entry& entry, Count wanted) { return entry.place < wanted; });
      if (found != end && found->place == place) visit(source, Slice{&*found, 0, found->bytes});
    }
  }

  template <class Visit>
  void for_all_targets(Visit&& visit) const {
    for (Count column = 0; column < array_.columns(); ++column) visit(column);
  }

  const GridExchange& exchange_;
  const NodeArray& array_;
  const Rank me_;
  const Count row_, column_;
  ProgramBuilder program_;
  Bytes scratch_ = 0;
  std::vector<Held> held_;     // by target, column by column, then source, then offset
  Regions own_from_, own_to_;  // what is at its target before the last pass
};

Program GridExchange::program(Rank me) const { return Passes(*this, me).run(); }

}  // namespace

std::shared_ptr<const Analysis> analyse_grid_exchange(const Problem& problem, const Parameters& parameters,
                                                      std::optional<Split> split, Bytes grain) {
  return std::make_shared<GridExchange>(problem, parameters, split, grain);
}

Program grid_exchange(const Analysis* analysis, Rank me) { return static_cast<const GridExchange&>(*analysis).program(me); }

Parameter columns_parameter() {
  return {.name = "columns",
          .summary = "columns of the grid of ranks, such as the ranks of a host",
          .standard = Count{1},
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
            return NodeArray::best_columns(problem.ranks);
          },
          .standard_rule = "best, the fewest rounds",
          .least = 1,
          .most = [](const Problem& problem) { return problem.ranks; },
          .range = "1..p where the last row is full or no longer than the column above it, or best, or paper, about the root of p",
          .named = {{"best", [](const Problem& problem) { return NodeArray::best_columns(problem.ranks); }},
                    {"paper", [](const Problem& problem) { return NodeArray::paper_columns(problem.ranks); }}}};
}

std::optional<std::string> reason_against_columns(const Problem& problem, const Parameters& parameters) {
  const Count p = problem.ranks, columns = number(parameters, "columns");
  if (NodeArray::is_valid(p, columns)) return std::nullopt;
  return fmt::format("{} ranks in {} columns make {} full rows and one of {}, and each rank of that needs a full row", p, columns,
                     p / columns, p % columns);
}

}  // namespace quadrille
