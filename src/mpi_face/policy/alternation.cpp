// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/alternation.hpp"

#include <algorithm>
#include <numeric>

#include "foundation/median.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr int first_rounds = 2, further_rounds = 2;           // rounds of a part; the first one of all is the warm-up
constexpr int enough_rounds = 5, most_rounds = 9;             // counted rounds after which the trial may end, and ends
constexpr double clearly_faster = 0.6, clearly_slower = 1.3;  // these need only three rounds
constexpr int few_rounds = 3;

}  // namespace

Alternation::Alternation(int contenders, double bar) : contenders_(contenders), bar_(bar), remaining_((1u << contenders) - 1) {
  begin_part(first_rounds);
}

// Every other round runs the ways in reverse order, so that no way always follows the same other one.
void Alternation::begin_part(int rounds) {
  order_.clear();
  calls_ = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> one{vendor};
    for (int contender = 0; contender < contenders_; ++contender)
      if (remaining_ >> contender & 1) one.push_back(contender + 1);
    if (round % 2 == 1) std::reverse(one.begin(), one.end());
    const bool warms_up = !is_warm_ && round == 0;
    for (const int way : one)
      for (int call = 0; call < (warms_up ? 1 : calls_of_turn); ++call)
        order_.push_back({way, !warms_up && call > 0, !warms_up && call == 0 && way == one.front()});
  }
}

void Alternation::count(double seconds) {
  if (is_due()) return;
  const Call call = order_[static_cast<std::size_t>(calls_++)];
  if (call.begins_round) times_.resize(times_.size() + static_cast<std::size_t>(ways()));
  if (call.counts) times_[times_.size() - static_cast<std::size_t>(ways() - call.way)] += seconds / (calls_of_turn - 1);
  is_warm_ = is_warm_ || is_due();
}

std::vector<double> Alternation::of_way(const std::vector<double>& times, int way) const {
  std::vector<double> own;
  for (int round = 0; round < rounds(); ++round) own.push_back(times[static_cast<std::size_t>(round * ways() + way)]);
  return own;
}

Alternation::Conclusion Alternation::concluded(const std::vector<double>& sums) const {
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

void Alternation::go_on(std::uint32_t remaining) {
  remaining_ = remaining;
  begin_part(further_rounds);
}

double Alternation::excess_s() const {
  if (times_.empty()) return 0;
  double least = 1e9;
  for (int way = 0; way < ways(); ++way)
    if (const double own = median_of(of_way(times_, way)); own > 0) least = std::min(least, own);
  double excess = 0;
  for (const double time : times_) excess += time > 0 ? std::max(time - least, 0.0) : 0;
  return excess * calls_of_turn;
}

}  // namespace quadrille::mpi_face
