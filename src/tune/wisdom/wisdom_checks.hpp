// SPDX-License-Identifier: BSD-3-Clause
// Constraints on the contents of a wisdom file. They are checked when a line is read and when wisdom is added, so every file that
// is written can be read. Also the order in which wisdom keeps its records.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "quadrille/result.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

// Each returns success, or says what is wrong.
Result<> check_wisdom(const Situation& situation);
Result<> check_wisdom(const WisdomRecord& record);
Result<> check_wisdom(const ExecutorFit& fit);
Result<> check_wisdom(const VendorFit& fit);

inline constexpr Count wisdom_format = 4;  // the version of the files' format

// A hash of the table of algorithms: their names, parameters and the parameters' permitted values. If it is equal for two
// versions of the table, a text such as "bruck:radix=4" means the same in both.
std::uint64_t table_fingerprint();

// Returns true if all nodes have equally many ranks. The number of ranks of a node then follows from the number of ranks.
inline bool is_even(const Situation& s) { return s.ranks % s.nodes == 0 && s.ranks_of_node == s.ranks / s.nodes; }

// Returns the fields of a situation besides bytes and ranks. Situations of one family have equal fields.
inline auto family(const Situation& s) {
  return std::tuple(s.collective, s.nodes, is_even(s) ? 0 : s.ranks_of_node, s.combining, s.counts_known, s.skew, s.sparsity,
                    s.irregularity);
}

inline auto place(const WisdomRecord& record) {
  const Situation& situation = record.situation;
  return std::tuple_cat(family(situation), std::tuple(situation.ranks, situation.block_bytes));
}
inline auto place(const ExecutorFit& fit) { return std::tuple(fit.executor, fit.nodes, fit.ranks, fit.ranks_of_node); }
inline auto place(const VendorFit& fit) { return std::tuple(fit.collective, fit.nodes, fit.ranks, fit.ranks_of_node); }

// Inserts `item` into a sorted list and returns null. If the list has an item for the same situation, does not
// insert, and returns that item.
template <class Item>
Item* put_in_place(std::vector<Item>& list, Item item) {
  const auto found =
      std::lower_bound(list.begin(), list.end(), item, [](const Item& a, const Item& b) { return place(a) < place(b); });
  if (found != list.end() && place(*found) == place(item)) return &*found;
  list.insert(found, std::move(item));
  return nullptr;
}

// Computes the range of situations for which each record is used.
void fit_all_ranges(std::vector<WisdomRecord>& records);

}  // namespace quadrille
