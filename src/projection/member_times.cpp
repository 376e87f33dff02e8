// SPDX-License-Identifier: BSD-3-Clause
#include "projection/member_times.hpp"

#include <algorithm>

#include "quadrille/indexed.hpp"

namespace quadrille::projection {

MemberTimes::MemberTimes(ExitDelays delays) : seconds_(delays.together()), delays_(std::move(delays)) {
  const std::vector<double> entries(index(delays_->ranks()), 0);
  alone_.resize(entries.size());
  delays_->exits(entries, alone_);
}

void MemberTimes::exits(std::span<const double> entries, std::span<double> exits) const {
  if (delays_) return delays_->exits(entries, exits);
  std::fill(exits.begin(), exits.end(), *std::max_element(entries.begin(), entries.end()) + seconds_);
}

}  // namespace quadrille::projection
