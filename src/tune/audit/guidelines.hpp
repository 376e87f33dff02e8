// SPDX-License-Identifier: BSD-3-Clause
// Self-consistent performance guidelines: a collective should not be slower than a mock-up, a sequence of other collectives that
// has the same result [traff2010] [hunold2016] [hunold2018]. All are rows of one table; docs/benchmarking.md explains it.
#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "quadrille/operator.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

// The buffers of a mock-up on one rank: the two of the caller and two temporary ones.
enum class Place : std::uint8_t { input, output, first, second };

struct Spot {
  Place place = Place::input;
  Bytes offset = 0;
};

struct Call {
  Problem problem;
  std::shared_ptr<const Operator> operation;  // null unless the call is a reduction
  Spot input, output;
};

// Copies `pieces` pieces of `length` bytes each. A stride is the distance from the start of one piece to the start of the next.
struct CopyPieces {
  Spot source;
  Bytes source_stride = 0;
  Spot target;
  Bytes target_stride = 0;
  Bytes length = 0;
  Count pieces = 1;
};

struct Clear {
  Place place = Place::first;
  Bytes length = 0;
};

// target = target o source
struct CombineInto {
  Place source = Place::input, target = Place::output;
  Bytes length = 0;
};

using Step = std::variant<Call, CopyPieces, Clear, CombineInto>;

// The steps of one rank. All ranks make the same calls in the same order; local copies may differ.
struct MockUp {
  Problem problem;  // the problem that the steps solve
  std::vector<Step> steps;
};

// A problem and rank for which a guideline is instantiated.
struct Setting {
  Problem problem;                            // the problem of the left side
  std::shared_ptr<const Operator> operation;  // of the left side; null unless it is a reduction
  Rank rank = 0;                              // the rank that will run the mock-up
};

// The lengths of the ranks' shares if the left side is irregular: all equal, or rising with the rank.
enum class CountsForm : std::uint8_t { equal, rising };

struct Guideline {
  Collective left{};
  CountsForm shares = CountsForm::equal;
  // The right side in words, such as "gather + broadcast". Together with `left` and `shares` these words identify the guideline.
  std::string_view mock_up;
  std::string_view source;                           // key in docs/references.bib; empty: the guideline is not from the literature
  Result<MockUp> (*make)(const Setting&) = nullptr;  // fails on all ranks or on none
};

// Sorted in the order of all_collectives().
const std::vector<Guideline>& all_guidelines();

// "gatherv, rising shares <= allgatherv"
std::string name(const Guideline& guideline);

// The left side of a guideline. `block_bytes`: size of a block, of the vector, or of the mean share. Throws Error{misuse,
// too_large} like `check`.
Problem left_side(const Guideline& guideline, Count ranks, Bytes block_bytes, const Operator* operation);

}  // namespace quadrille
