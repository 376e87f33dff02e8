// SPDX-License-Identifier: BSD-3-Clause
// What ranks need of each other's inputs: the postcondition of a problem as a list of vectors. A rank needs the combination of a
// vector over some ranks, or a copy of it from one rank. Bounds of any collective follow from this list.
#pragma once

#include <span>
#include <vector>

#include "quadrille/bound.hpp"
#include "quadrille/problem.hpp"

namespace quadrille {

// Rank `target` needs the combination of the vector over ranks first .. last, at least one of which is another rank.
struct Need {
  Rank from = 0;     // with `offset`, identifies the vector: the rank that has it; -1 for reductions, in which all ranks have one
  Bytes offset = 0;  // of the vector in the input
  Bytes bytes = 0;
  Rank first = 0, last = 0;
  Rank target = 0;
};

class Demand {
 public:
  // Throws Error{too_large} if there are more than four million needs.
  explicit Demand(const Problem& problem);

  Count ranks() const { return ranks_; }

  // Calls visit(needs) for each vector. All needs of a vector have the same `first`, and are sorted by `last`.
  template <class Visit>
  void for_each_vector(Visit&& visit) const {
    for (std::size_t i = 0, end = 0; i < needs_.size(); i = end) {
      while (end < needs_.size() && needs_[end].from == needs_[i].from && needs_[end].offset == needs_[i].offset) ++end;
      visit(std::span(needs_).subspan(i, end - i));
    }
  }

  // Returns the bytes that must leave a set of ranks; `inside` says of each rank whether it belongs to the set. Each combination of
  // different ranks of the set that is needed outside takes a message of its own: the sets of ranks grow with `last`, and only a
  // message that has no operand beyond the smaller set is part of the smaller combination.
  Fraction::Wide leaving(const std::vector<bool>& inside) const;

  const std::vector<Need>& needs() const { return needs_; }

 private:
  Count ranks_;
  std::vector<Need> needs_;
};

}  // namespace quadrille
