// SPDX-License-Identifier: BSD-3-Clause
// Parts that all pictures share: the headline, the messages, limits on size, the bands of nodes, colours for amounts of bytes, and
// which arrows are drawn strongly.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "draw/svg.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/draw.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/topology.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {

constexpr double picture_margin = 14;
constexpr double faint_opacity = 0.3;   // of faint arrows
constexpr double headline_height = 34;  // height for the last line of the headline, including the margin

// Returns the unit for all sizes of a picture: it divides the size of a block and the bytes of each message.
ByteUnit unit_for(const Problem& problem, const MessagesByRound& messages);

// Returns the headline: what is drawn, without the parameters that have their default values.
std::string headline(const Schedule& schedule, const DrawOptions& options, const ByteUnit& unit);

// Returns the name of a stage, cut if it is very long.
std::string stage_text(const std::string& name);

// Writes the headline over a picture that reaches to the lower right corner `reach`, and returns the document.
std::string with_headline(Svg& svg, Point reach);

// Writes notes below a picture that reaches to the lower right corner `reach`, except empty ones. Returns the new corner.
Point draw_notes(Svg& svg, Point reach, const std::vector<std::string>& notes);

// Returns a note for each round with messages: what the algorithm does in it. Returns no notes if there would be more than six.
std::vector<std::string> said_notes(const Schedule& schedule, const MessagesByRound& messages);

// Returns part / whole.
inline double share(Count part, Count whole) { return static_cast<double>(part) / static_cast<double>(whole); }

constexpr double scale_height = 32;  // of a HeatScale

// Throws Error{too_large} if `count` exceeds `most`; in the error, `parts` names what was counted, such as "ranks".
void check_parts(Count count, Count most, const std::string& parts);

// Returns the messages by round, or only those of `round`. Throws like check_parts, and Error{misuse} if `round` has no messages.
MessagesByRound messages_of(const std::vector<Program>& programs, const Problem& problem, std::optional<Count> round = {});
std::vector<Program> programs_of(const Schedule& schedule, Count most_ranks);

// Neighbouring ranks of one node stand on a band with the node's number. Ranks first .. last are on this node; the ranks before
// and after them are not.
struct NodeBand {
  Count node = 0;  // the problem's number
  Rank first = 0, last = 0;

  Count ranks() const { return last - first + 1; }
};

// Returns the bands in the order of their ranks. There are none if the problem names no nodes. A node has several bands if its
// ranks are not consecutive.
std::vector<NodeBand> node_bands(const Problem& problem);

constexpr double between_bands = 3;  // the gap between two bands

// Colours for amounts of bytes, such as the loads of links. The colour of an amount depends on its ratio to the mean. So if all
// amounts are equal, they have a calm colour, however large they are.
class HeatScale {
 public:
  // Amounts of 0 are left out of the mean.
  HeatScale(std::span<const Bytes> amounts, const ByteUnit& unit);

  // Returns a number from 0 to 1: 1/4 for the mean, and 1 for the largest amount, or for 4/3 of the mean if that is larger.
  double share(Bytes amount) const;
  std::string colour(Bytes amount) const { return heat(share(amount)); }

  // Draws a bar of height `scale_height` with the colours and their amounts; `what` names the kind of amounts. Returns the right
  // end of the bar.
  double draw(Svg& svg, Point corner, const std::string& what) const;

 private:
  std::string mean_text() const;

  ByteUnit unit_;
  Bytes most_ = 0;
  double mean_ = 0;
};

// Which arrows a picture draws strongly, faintly or not at all. Arrows are messages, or links. If arrows cross too often to be
// followed, the arrows of one rank are strong and all other arrows are faint. From 24 ranks on, faint arrows are a sample.
enum class Emphasis : std::uint8_t { strong, faint, absent };

class Focus {
 public:
  // For messages. If `only_rank` is given, those of other ranks are absent. Otherwise those of `usual_rank` are strong if a focus
  // is needed.
  Focus(Count ranks, const MessagesByRound& messages, std::optional<Rank> only_rank, Rank usual_rank);

  // For links, of which `used` carry messages. A focus is needed if there are at least 24 ranks and most pairs have a link. Then
  // the links that carry messages are strong. If these are too many as well, only those of `usual_rank` are strong.
  Focus(const Topology& topology, Rank usual_rank, Count used);

  Emphasis of(Rank from, Rank to) const;
  Emphasis of_link(const Link& link, bool is_used) const;
  std::optional<Rank> rank() const { return rank_; }  // the rank whose messages are strong; nothing: all are
  std::string explanation() const;                    // a sentence; empty if all messages are strong

 private:
  void take(Rank rank, Count ranks);

  bool is_of_links_ = false, is_on_used_ = false;
  std::optional<Rank> rank_;
  Count every_ = 1;        // of the other ranks, every `every_`-th has faint messages
  bool is_alone_ = false;  // nothing is faint
};

}  // namespace quadrille
