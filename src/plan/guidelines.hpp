// SPDX-License-Identifier: BSD-3-Clause
// Self-consistent performance guidelines: a collective should not be slower than a mock-up, which is a sequence of other
// collectives that does the same work [traff2010] [hunold2016] [hunold2018]. One table; docs/benchmarking.md explains it.
#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "quadrille/operator.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

// The buffers of a mock-up at one rank: those of the caller, and two of its own.
enum class Place : std::uint8_t { input, output, first, second };

struct Spot {
  Place place = Place::input;
  Bytes offset = 0;
};

struct Call {
  Problem problem;
  std::shared_ptr<const Operator> operation;  // null for those that do not reduce
  Spot input, output;
};

// `pieces` pieces of `length` bytes each; a stride is the distance from one to the next.
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

// What one rank does. Ranks have the same calls in the same order, and copies of their own.
struct MockUp {
  Problem problem;  // that the steps solve
  std::vector<Step> steps;
};

// Where a guideline is tried.
struct Setting {
  Problem problem;                            // the left side
  std::shared_ptr<const Operator> operation;  // of the left side; null for those that do not reduce
  Rank rank = 0;                              // for which the mock-up is made
};

// The shares of the left side, where it is irregular.
enum class CountsForm : std::uint8_t { equal, rising };

struct Guideline {
  Collective left{};
  CountsForm shares = CountsForm::equal;
  std::string_view mock_up;  // "gather + broadcast": the right side, for people; with `left` and `shares` it names the guideline
  std::string_view source;   // its key in docs/references.bib; empty: listed in none of them
  Result<MockUp> (*make)(const Setting&) = nullptr;  // refuses on all ranks alike
};

// In the order of all_collectives().
const std::vector<Guideline>& all_guidelines();

// "gatherv, rising shares <= allgatherv"
std::string name(const Guideline& guideline);

// The left side: `block_bytes` are those of a block, a vector or the mean share. Throws Error{misuse, too_large} like `check`.
Problem left_side(const Guideline& guideline, Count ranks, Bytes block_bytes, const Operator* operation);

}  // namespace quadrille
