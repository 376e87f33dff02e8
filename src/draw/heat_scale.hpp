// SPDX-License-Identifier: BSD-3-Clause
// Colours for amounts of bytes, such as the loads of links. Even amounts are calm, however large they are: the colour of an amount
// depends on how it compares with the mean.
#pragma once

#include <span>
#include <string>

#include "draw/svg.hpp"
#include "foundation/text/wording.hpp"

namespace quadrille {

constexpr double scale_height = 32;

class HeatScale {
 public:
  // Amounts of 0 are left out of the mean.
  HeatScale(std::span<const Bytes> amounts, const ByteUnit& unit);

  // Returns a number from 0 to 1: 1/4 for the mean, and 1 for the largest amount, or for 4/3 of the mean if that is larger.
  double share(Bytes amount) const;
  std::string colour(Bytes amount) const { return heat(share(amount)); }

  // Draws a bar with the colours and what they stand for; `what` says which amounts they are. Returns its right end. It is
  // `scale_height` high.
  double draw(Svg& svg, Point corner, const std::string& what) const;

 private:
  std::string mean_text() const;

  ByteUnit unit_;
  Bytes most_ = 0;
  double mean_ = 0;
};

}  // namespace quadrille
