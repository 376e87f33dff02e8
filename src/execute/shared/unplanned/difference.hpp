// SPDX-License-Identifier: BSD-3-Clause
// What a receiver notes when the two ends of an edge do not agree on its length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "quadrille/types.hpp"

namespace quadrille {

// The first edge of an exchange on whose length its ends do not agree.
class EdgeDifference {
 public:
  static constexpr Bytes nothing = -1;   // instead of a length: that rank does not list the edge
  static constexpr Bytes too_long = -2;  // instead of what was sent: more than expected, and no more is known

  // `edge`: its number among the edges from that rank, from 0.
  void note(Rank from, std::uint64_t edge, Bytes sent, Bytes expected) {
    if (!first_) first_ = {from, edge, sent, expected};
  }
  void clear() { first_.reset(); }

  // Returns a sentence; "" if there is no such edge. `shown` returns the number by which the user knows a rank.
  template <class Shown>
  std::string sentence(Rank me, Shown&& shown) const {
    return first_ ? sentence_of(*first_, shown(first_->from), shown(me)) : "";
  }

 private:
  struct Edge {
    Rank from;
    std::uint64_t number;
    Bytes sent, expected;
  };
  static std::string sentence_of(const Edge& edge, Rank sender, Rank receiver);

  std::optional<Edge> first_;
};

}  // namespace quadrille
