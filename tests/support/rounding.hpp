// SPDX-License-Identifier: BSD-3-Clause
// Inputs whose floating-point sums round, so that a different order of additions gives different bits.
#pragma once

#include <cmath>
#include <cstring>
#include <random>

#include "quadrille/interpreter.hpp"
#include "support/cases.hpp"

namespace quadrille::testing {

inline std::vector<Collective> reductions() {
  std::vector<Collective> list = all_collectives();
  std::erase_if(list, [](Collective collective) { return !is_reduction(collective); });
  return list;
}

// Returns inputs whose magnitudes differ so much that hardly any two orders of adding them give the same bits.
inline std::vector<ByteVector> inputs_that_round(const Problem& problem) {
  std::mt19937 random(11);
  std::vector<ByteVector> inputs;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    std::vector<float> vector(static_cast<std::size_t>(input_bytes(problem, rank)) / sizeof(float));
    for (float& number : vector)
      number = std::ldexp(std::uniform_real_distribution<float>(-1, 1)(random), static_cast<int>(random() % 12));
    const auto* bytes = reinterpret_cast<const std::byte*>(vector.data());
    inputs.emplace_back(bytes, bytes + vector.size() * sizeof(float));
  }
  return inputs;
}

inline float element(const std::vector<ByteVector>& inputs, Rank rank, Bytes offset) {
  float number;
  std::memcpy(&number, inputs[static_cast<std::size_t>(rank)].data() + offset, sizeof number);
  return number;
}

inline Problem sums(Collective collective, Count p, Rank root, bool reproducible) {
  Problem problem = with_elements_of(problem_of(collective, p, 21, root), sizeof(float));
  problem.reproducible = reproducible;
  return problem;
}

// Returns the largest difference between two sums, divided by the largest error that rounding can cause in both. So it is at most 1
// if rounding is the only difference. Each of the p - 1 additions rounds by at most half an epsilon of the sum of absolute values
// [higham2002, section 4.2].
inline double rounding_difference(const Problem& problem, Rank rank, const std::vector<ByteVector>& inputs, const ByteVector& some,
                                  const ByteVector& other) {
  double most = 0;
  for (const ExpectedPiece& piece : expected_output(problem, rank))
    for (Bytes at = 0; at < piece.length; at += static_cast<Bytes>(sizeof(float))) {
      double magnitude = 0;
      for (Rank from = piece.first; from <= piece.last; ++from)
        magnitude += std::abs(static_cast<double>(element(inputs, from, piece.input_offset + at)));
      float a, b;
      std::memcpy(&a, some.data() + piece.offset + at, sizeof a);
      std::memcpy(&b, other.data() + piece.offset + at, sizeof b);
      const double bound =
          static_cast<double>(problem.ranks - 1) * static_cast<double>(std::numeric_limits<float>::epsilon()) * magnitude;
      if (a != b) most = std::max(most, std::abs(static_cast<double>(a) - static_cast<double>(b)) / std::max(bound, 1e-300));
    }
  return most;
}

}  // namespace quadrille::testing
