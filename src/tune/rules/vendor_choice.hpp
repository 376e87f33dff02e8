// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's functions for the table of vendor_choice.cpp, and tables that map algorithms of an MPI library to specifications of
// our table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "quadrille/problem.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

// Rows of one algorithm are tried in their order; the first row whose `where` holds is taken. A regular collective and its
// irregular form share the rows of `collective`, unless the irregular form has rows of its own.
struct Equivalent {
  Collective collective;
  std::string_view algorithm;  // the library's name
  std::string_view ours;       // a specification, in which {p-1} stands for max(p - 1, 1), p ranks; empty: there is none
  bool (*where)(const Problem&) = nullptr;  // null: everywhere
  std::string_view reason = {};             // why `ours` is empty
};

// Returns the specification, or the reason why there is none: the row's reason, or that no row has the algorithm.
Result<std::string> equivalent_in(std::span<const Equivalent> table, const Problem& problem, std::string_view algorithm);

// The elements of a vector, and the largest power of two that is not larger than the number of ranks.
Count elements_of(const Problem& problem);
Count power_of_two_below(Count ranks);

// Conditions of rows.
bool has_power_of_two(const Problem& problem);
bool has_even(const Problem& problem);              // is the number of ranks even?
bool has_element_for_each(const Problem& problem);  // are there at least as many elements as ranks?
bool can_halve(const Problem& problem);             // does the operator commute, with power_of_two_below(ranks) elements or more?
bool fills_all_shares(const Problem& problem);      // do shares of the same length, rounded up, leave none empty?

// Reasons of rows.
inline constexpr std::string_view empty_share = "the table's scatter-allgather leaves no share empty";

Result<std::string> openmpi_algorithm(const Problem& problem);   // what Open MPI 4.1 takes
Result<std::string> openmpi5_algorithm(const Problem& problem);  // what Open MPI 5.0 takes
Result<std::string> openmpi_equivalent(const Problem& problem, std::string_view algorithm);

}  // namespace quadrille
