// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/symmetry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "problem/limits.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Count largest = std::numeric_limits<Count>::max();

}  // namespace

Symmetry::Symmetry(std::vector<Digit> digits) : representatives_{0} {
  Count stride = 1;
  for (const Digit& digit : digits) {
    if (digit.length < 1 || digit.period < 1 || digit.length % digit.period != 0)
      throw Error(ErrorCode::misuse,
                  fmt::format("a digit of a symmetry has length {} and period {}; the period must divide the length", digit.length,
                              digit.period));
    if (digit.length == 1) continue;
    digits_.push_back(digit);
    by_bits_ = by_bits_ && digit.length == 2;
    if (by_bits_ && digit.period == 1) moved_bits_ |= stride;
    const std::size_t before = representatives_.size();
    for (Count place = 1; place < digit.period; ++place)
      for (std::size_t i = 0; i < before; ++i) representatives_.push_back(representatives_[i] + place * stride);
    stride *= digit.length;
  }
}

Count Symmetry::ranks() const {
  Count ranks = 1;
  for (const Digit& digit : digits_) ranks *= digit.length;
  return ranks;
}

Count Symmetry::orbit_of(Rank rank) const {
  Count orbit = 0, orbits = 1;
  for (const Digit& digit : digits_) {
    orbit += rank % digit.length % digit.period * orbits;
    rank /= digit.length;
    orbits *= digit.period;
  }
  return orbit;
}

Rank Symmetry::representative_of(Rank rank) const {
  if (by_bits_) return rank & ~moved_bits_;
  Rank representative = 0;
  Count stride = 1;
  for (const Digit& digit : digits_) {
    representative += rank % digit.length % digit.period * stride;
    rank /= digit.length;
    stride *= digit.length;
  }
  return representative;
}

Rank Symmetry::moved(Rank rank, Rank x, int direction) const {
  if (by_bits_) return x ^ (rank & moved_bits_);
  if (const Count p = digits_[0].length; digits_.size() == 1 && digits_[0].period == 1)
    return x += direction * rank, x < 0 ? x + p : x >= p ? x - p : x;
  Rank result = 0;
  Count stride = 1;
  for (const Digit& digit : digits_) {
    const Count place = rank % digit.length, shift = place - place % digit.period;
    Count there = x % digit.length + direction * shift;
    there += there < 0 ? digit.length : there >= digit.length ? -digit.length : 0;
    result += there * stride;
    rank /= digit.length;
    x /= digit.length;
    stride *= digit.length;
  }
  return result;
}

Rank Symmetry::image(Rank rank, Rank x) const { return moved(rank, x, 1); }
Rank Symmetry::preimage(Rank rank, Rank x) const { return moved(rank, x, -1); }

// Consecutive ranks have consecutive images until the lowest digit that the symmetry changes wraps around or carries.
Count Symmetry::stretch(Rank rank, Rank x) const {
  if (by_bits_) {
    const Rank bits = rank & moved_bits_, chunk = bits & -bits;
    return bits == 0 ? (Rank{1} << digits_.size()) - x : chunk - x % chunk;
  }
  Count stride = 1;
  for (const Digit& digit : digits_) {
    const Count place = rank / stride % digit.length, shift = place - place % digit.period;
    if (shift != 0) {
      const Count here = x / stride % digit.length, wrap = digit.length - shift;
      return ((here < wrap ? wrap : digit.length) - here) * stride - x % stride;
    }
    stride *= digit.length;
  }
  return stride - x;
}

std::string Symmetry::name() const {
  if (digits_.empty() || digits_ == std::vector{Digit{digits_[0].length, 1}}) return "translation";
  if (by_bits_ && representatives_.size() == 1) return "exclusive or";
  std::string lengths, periods;
  for (auto digit = digits_.rbegin(); digit != digits_.rend(); ++digit) {
    const char* times = lengths.empty() ? "" : "x";
    lengths += fmt::format("{}{}", times, digit->length);
    periods += fmt::format("{}{}", times, digit->period);
  }
  return fmt::format("translation of {} by multiples of {}", lengths, periods);
}

Symmetry translation_symmetry(Count ranks) { return Symmetry({{ranks, 1}}); }

Symmetry exclusive_or_symmetry(Count ranks) {
  return Symmetry(
      std::vector<Symmetry::Digit>(static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(ranks))), {2, 1}));
}

void for_each_program(const Schedule& schedule, bool by_symmetry, const std::function<bool(const Program&, Count ranks)>& visit) {
  if (by_symmetry && schedule.symmetry) {
    const std::vector<Rank>& representatives = schedule.symmetry->representatives();
    for (const Rank rank : representatives)
      if (!visit(schedule.program(rank), schedule.problem.ranks / size(representatives))) return;
    return;
  }
  check_limit(schedule.problem, schedule.problem.ranks, most_programs, "programs");
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    if (!visit(schedule.program(rank), 1)) return;
}

Count operation_count(const Program& program) {
  std::size_t count = 0;
  for (const Round& round : program.rounds)
    count += 1 + round.locals.size() + round.sends.size() + round.receives.size() + round.control_sends.size() +
             round.control_receives.size();
  return static_cast<Count>(count);
}

Count operation_count(const Schedule& schedule, Count most) {
  Count count = 0;
  for_each_program(schedule, true, [&](const Program& program, Count ranks) {
    count = checked_sum(count, times_at_most(ranks, operation_count(program), largest)).value_or(largest);
    return count <= most;
  });
  return count;
}

}  // namespace quadrille
