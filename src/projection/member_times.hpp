// SPDX-License-Identifier: BSD-3-Clause
// When the members of a communicator leave a call, by when they enter it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "quadrille/exit_delays.hpp"

namespace quadrille::projection {

class MemberTimes {
 public:
  // Every member leaves `seconds` after the last one has entered.
  explicit MemberTimes(double seconds) : seconds_(seconds) {}
  explicit MemberTimes(ExitDelays delays);

  void exits(std::span<const double> entries, std::span<double> exits) const;

  // How long the member is in the call if the others enter when it does.
  double alone(std::size_t member) const { return delays_ ? alone_[member] : seconds_; }

 private:
  double seconds_ = 0;
  std::optional<ExitDelays> delays_;
  std::vector<double> alone_;
};

}  // namespace quadrille::projection
