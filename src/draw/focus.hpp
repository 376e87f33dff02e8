// SPDX-License-Identifier: BSD-3-Clause
// Which arrows a picture draws strongly, which faintly, and which not: messages of space-time diagrams, and links. Where they cross
// too often to be followed, those of one rank are strong and the others faint. From 24 ranks on, faint arrows are a sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "quadrille/topology.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {

enum class Emphasis : std::uint8_t { strong, faint, absent };

class Focus {
 public:
  // Of messages. `only_rank`: those of other ranks are absent. Otherwise `usual_rank` is strong if a focus is needed.
  Focus(Count ranks, const MessagesByRound& messages, std::optional<Rank> only_rank, Rank usual_rank);

  // Of links. A focus is needed if most pairs of at least 24 ranks have a link.
  Focus(const Topology& topology, Rank usual_rank);

  Emphasis of(Rank from, Rank to) const;
  std::optional<Rank> rank() const { return rank_; }  // the rank whose messages are strong; nothing: all are
  std::string explanation() const;                    // a sentence; empty if all messages are strong

 private:
  void take(Rank rank, Count ranks);

  bool is_of_links_ = false;
  std::optional<Rank> rank_;
  Count every_ = 1;        // of the other ranks, the messages that every `every_`-th sends are faint
  bool is_alone_ = false;  // nothing is faint
};

}  // namespace quadrille
