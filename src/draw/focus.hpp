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

  // Of links, of which `used` carry messages. A focus is needed if most pairs of at least 24 ranks have a link. It is on the links
  // that carry messages, unless they are many, too: then on those of `usual_rank`.
  Focus(const Topology& topology, Rank usual_rank, Count used);

  Emphasis of(Rank from, Rank to) const;
  Emphasis of_link(const Link& link, bool is_used) const;
  std::optional<Rank> rank() const { return rank_; }  // the rank whose messages are strong; nothing: all are
  std::string explanation() const;                    // a sentence; empty if all messages are strong

 private:
  void take(Rank rank, Count ranks);

  bool is_of_links_ = false, is_on_used_ = false;
  std::optional<Rank> rank_;
  Count every_ = 1;        // of the other ranks, the messages that every `every_`-th sends are faint
  bool is_alone_ = false;  // nothing is faint
};

}  // namespace quadrille
