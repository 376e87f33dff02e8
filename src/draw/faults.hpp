// SPDX-License-Identifier: BSD-3-Clause
// Shows in pictures what is wrong with a schedule: marked places, wrong bytes of the output, and a legend.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/svg.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/verify.hpp"

namespace quadrille {

// A range of bytes of a rank's output that is wrong at the end. The bytes are missing if nothing was delivered there. Otherwise
// they are foreign: they hold data that the collective does not require there.
struct WrongBytes {
  Bytes offset = 0, length = 0;
  bool missing = false;
  std::string explanation;
};

enum class FaultTime : std::uint8_t { before_rounds, in_round, at_end };

// A place in the drawing. All findings with the same rank, time and round share one place.
struct FaultPlace {
  Rank rank = 0;
  FaultTime time = FaultTime::at_end;
  Count round = 0;  // only if time is in_round
  std::vector<Region> regions;
  bool is_first = false;  // true if the finding that `verify` lists first is here
  std::string explanation;

  void explain(const Finding& finding);  // adds the finding to the place's explanation
};

class Faults {
 public:
  // There are faults only if there are findings. Throws Error{too_large} like `verify`.
  Faults(const Schedule& schedule, const std::vector<Program>& programs, const std::vector<Finding>& findings);

  bool any() const { return !places_.empty(); }
  const std::vector<FaultPlace>& places() const { return places_; }
  const std::vector<WrongBytes>& wrong_bytes(Rank rank) const { return wrong_[rank]; }
  std::string wrong_bytes_text(Rank rank) const;  // "8 B missing, 4 B foreign"; empty if all bytes are right

  // The round of the first cause; nothing if it is not in a round.
  std::optional<Count> cause_round() const { return cause_round_; }

  // Adds to a headline how many findings and causes there are.
  std::string marked(const std::string& headline) const { return any() ? headline + ": wrong, " + count_ : headline; }

  // Returns the key for a picture that shows ranks but no rounds, or that has a panel for each round. The key names the rounds
  // with findings.
  std::string rank_key(bool has_panels = false) const;

  // If there are faults, writes a legend below the picture: the first cause, the first finding, what is wrong at the end, and
  // `key`, which explains the marks. Returns the lower right corner of the picture including the legend.
  Point draw_legend(Svg& svg, Point reach, const std::string& key) const;

 private:
  void find_wrong_bytes(const Schedule& schedule, const std::vector<Program>& programs);
  void add_torn(const Finding& finding);
  FaultPlace& place_of(const Finding& finding);  // adds the place if it is new

  std::vector<FaultPlace> places_;
  ByRank<std::vector<WrongBytes>> wrong_;
  std::string count_;
  std::optional<Count> cause_round_;
  std::vector<std::string> sentences_;
};

// Draws a cross at a place, and a circle around it if the first finding is there.
void mark(Svg& svg, const FaultPlace& place, Point centre);

// Draws a frame around the words that name a round with findings. `base` is the point of the words' base line that `anchor`
// names.
void mark_round(Svg& svg, Point base, const std::string& words, Anchor anchor = Anchor::start, double size = 12);

}  // namespace quadrille
