// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/alternation.hpp"

#include <algorithm>

#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr int enough_rounds = 5, most_rounds = 9;             // a trial may end after 5 counted rounds, and ends after 9
constexpr double clearly_faster = 0.6, clearly_slower = 1.3;  // such ratios need only three rounds
constexpr int few_rounds = 3;

}  // namespace

Alternation::Alternation(int contenders, double bar) : contenders_(contenders), bar_(bar), remaining_((1u << contenders) - 1) {
  QUADRILLE_ASSERT(contenders >= 1 && contenders < 32);  // each has a bit of `remaining_`
  begin_part(1);
}

// Every second round runs the ways in reverse order, so that a way does not always follow the same other way.
void Alternation::begin_part(int rounds) {
  order_.clear();
  calls_ = 0;
  first_round_ = all_rounds();
  const int calls_of_way = is_warm() ? calls_of_turn : calls_of_first_part;
  for (int round = first_round_; round < first_round_ + rounds; ++round) {
    std::vector<int> one{vendor};
    for (int contender = 0; contender < contenders_; ++contender)
      if (remaining_ >> contender & 1) one.push_back(contender + 1);
    if (round % 2 == 1) std::reverse(one.begin(), one.end());
    for (const int way : one)
      for (int call = 0; call < calls_of_way; ++call)
        order_.push_back({way, call > 0 || calls_of_way == 1, call == 0 && way == one.front()});
  }
}

void Alternation::count(double seconds) {
  if (is_due()) return;
  const Call call = order_[static_cast<std::size_t>(calls_++)];
  if (call.begins_round) times_.resize(times_.size() + static_cast<std::size_t>(ways()));
  const int counted = all_rounds() == 1 ? 1 : calls_of_turn - 1;
  if (call.counts) times_[times_.size() - static_cast<std::size_t>(ways() - call.way)] += seconds / counted;
}

std::vector<double> Alternation::of_way(const std::vector<double>& times, int way) const {
  QUADRILLE_ASSERT(way >= 0 && way < ways());
  std::vector<double> own;
  for (int round = 1; round < all_rounds(); ++round) own.push_back(at(times, round, way));
  return own;
}

Alternation::Conclusion Alternation::concluded(const std::vector<double>& sums) const {
  if (rounds() == 0) return {.end = End::goes_on, .remaining = remaining_};
  Conclusion conclusion{.end = End::left, .ratio = 1e9};
  const std::vector<double> vendors = of_way(sums, vendor);
  for (int contender = 0; contender < contenders_; ++contender) {
    if (!(remaining_ >> contender & 1)) continue;
    std::vector<double> ratios = of_way(sums, contender + 1);
    for (std::size_t round = 0; round < ratios.size(); ++round) ratios[round] /= std::max(vendors[round], 1e-9);
    const double ratio = median_of(ratios);
    if (ratio < conclusion.ratio) conclusion.ratio = ratio, conclusion.best = contender;
    if (ratio < clearly_slower) conclusion.remaining |= 1u << contender;
  }
  const bool is_settled = rounds() >= enough_rounds || (rounds() >= few_rounds && conclusion.ratio <= clearly_faster);
  const bool is_near = rounds() < most_rounds && conclusion.ratio > 0.95 * bar_ && conclusion.ratio < 1.1 * bar_;
  if (rounds() >= few_rounds && conclusion.remaining == 0) return conclusion;
  if (!is_settled || is_near) {
    conclusion.end = End::goes_on;
    if (rounds() < few_rounds && conclusion.remaining == 0) conclusion.remaining = 1u << conclusion.best;
    return conclusion;
  }
  conclusion.end = conclusion.ratio <= bar_ ? End::taken : End::left;
  return conclusion;
}

// The sum, over the contenders, of the seconds by which a mean call took longer than the MPI library's; 0 for dropped ones.
double Alternation::excess_of_call(const std::vector<double>& times, int round, std::uint32_t contenders) const {
  double excess = 0;
  for (int contender = 0; contender < contenders_; ++contender)
    if (contenders >> contender & 1) excess += std::max(0.0, at(times, round, contender + 1) - at(times, round, vendor));
  return excess;
}

double Alternation::expected_excess(const std::vector<double>& sums, std::uint32_t remaining) const {
  QUADRILLE_ASSERT(is_warm() && sums.size() == times_.size());
  return excess_of_call(sums, all_rounds() - 1, remaining) * calls_of_turn * rounds_of_part();
}

double Alternation::excess_s() const {
  double excess = 0;
  for (int round = first_round_; round < all_rounds(); ++round)
    excess += excess_of_call(times_, round, ~0u) * (round == 0 ? calls_of_first_part : calls_of_turn);
  return excess;
}

void Alternation::go_on(std::uint32_t remaining) {
  QUADRILLE_ASSERT(remaining != 0);
  remaining_ = remaining;
  begin_part(rounds_of_part());
}

}  // namespace quadrille::mpi_face
