// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a schedule, as pictures show it: places to mark, wrong bytes at the end, and a legend.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/svg.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/verify.hpp"

namespace quadrille {

// A part of a rank's output. Missing: nothing was delivered. Else foreign: something was that the collective does not ask for
// there.
struct WrongBytes {
  Bytes offset = 0, length = 0;
  bool missing = false;
  std::string explanation;
};

enum class FaultTime : std::uint8_t { before_rounds, in_round, at_end };

// Where something was found: one for all findings of a rank and round.
struct FaultPlace {
  Rank rank = 0;
  FaultTime time = FaultTime::at_end;
  Count round = 0;  // in_round only
  std::vector<Region> regions;
  bool is_first = false;  // has the first finding
  std::string explanation;
};

class Faults {
 public:
  // Without findings there are no faults. Throws Error{too_large} like `verify`.
  Faults(const Schedule& schedule, const std::vector<Program>& programs, const std::vector<Finding>& findings);

  bool any() const { return !places_.empty(); }
  const std::vector<FaultPlace>& places() const { return places_; }
  const std::vector<WrongBytes>& wrong_bytes(Rank rank) const { return wrong_[rank]; }
  std::string wrong_bytes_text(Rank rank) const;  // "8 B missing, 4 B foreign"; empty: all are right

  std::string marked(std::string headline) const { return headline + (any() ? ": wrong" : ""); }

  // With faults: writes what was found below a picture, and `key`, which tells how the picture marks it. Returns how far right and
  // down the picture now reaches.
  Point draw_legend(Svg& svg, Point reach, const std::string& key) const;

 private:
  void find_wrong_bytes(const Schedule& schedule, const std::vector<Program>& programs);
  void add_torn(const Finding& finding);
  void enter(const Finding& finding);

  std::vector<FaultPlace> places_;
  ByRank<std::vector<WrongBytes>> wrong_;
  std::vector<std::string> sentences_;
};

// The key of pictures that show ranks and no rounds.
inline constexpr const char* rank_key =
    "a cross: a rank with findings; in a circle: the first finding. This picture cannot show in which round they are; those of "
    "--as space-time and --as blocks do";

// A cross at a place, in a circle if the first finding is there.
void mark(Svg& svg, const FaultPlace& place, Point centre);

}  // namespace quadrille
