// SPDX-License-Identifier: BSD-3-Clause
#include "projection/bands.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "quadrille/indexed.hpp"

namespace quadrille::projection {
namespace {

constexpr double low_percentile = 0.1, high_percentile = 0.9;
// The part of the biases that the projected ranks share with those that were measured. With these figures a band covers about 80 %
// or more, both if they share all of it and if they share nothing.
constexpr double mean_carried = 0.5, deviation_carried = 0.5;
constexpr auto computing = static_cast<std::size_t>(ProjectedPart::computing);
constexpr auto collectives = static_cast<std::size_t>(ProjectedPart::collectives);

// The values of a quantity in all draws.
class Drawn {
 public:
  void add(double value) { values_.push_back(value); }
  Band band(double value) {
    if (values_.empty()) return {value, value, value};
    std::sort(values_.begin(), values_.end());
    const auto at = [&](double share) { return values_[index(std::llround(share * static_cast<double>(values_.size() - 1)))]; };
    return {value, std::min(value, at(low_percentile)), std::max(value, at(high_percentile))};
  }

 private:
  std::vector<double> values_;
};

double share(double vendor, double ours) { return vendor > 0 ? (vendor - ours) / vendor : 0; }

double sum_of(const PartTimes& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

class Drawing {
 public:
  explicit Drawing(const BandInputs& inputs)
      : in_(inputs),
        has_biases_(!inputs.options.machine.residuals.empty()),
        random_(inputs.options.seed),
        of_rows_(inputs.rows.size()) {}

  Bands run() {
    for (Count i = 0; i < in_.options.draws; ++i) draw();
    Bands bands;
    BySide<double> totals{};
    for (std::size_t side = 0; side < sides; ++side) {
      const PartTimes& parts = in_.parts[side];
      ProjectedRun& run = bands.runs[side];
      totals[side] = sum_of(parts);
      run.total = totals_[side].band(totals[side]);
      for (std::size_t part = 0; part < projected_parts; ++part) run.parts[part] = {parts[part], parts[part], parts[part]};
      run.parts[computing] = computing_[side].band(parts[computing]);
      run.parts[collectives] = collectives_[side].band(parts[collectives]);
    }
    bands.gain = gain_.band(share(totals[0], totals[1]));
    for (std::size_t row = 0; row < of_rows_.size(); ++row)
      bands.gains.push_back(of_rows_[row].band(in_.rows[row].seconds[0] - in_.rows[row].seconds[1]));
    return bands;
  }

 private:
  double normal() { return normal_(random_); }

  void draw() {
    for (double& figure : figures_) figure = std::uniform_real_distribution<double>(-1, 1)(random_);
    const double gaps_s = in_.gap_deviation_s * normal();
    const double carried = has_biases_ ? mean_carried + deviation_carried * normal() : 0;
    BySide<double> changes{gaps_s, gaps_s};
    BySide<double> changes_inside{};
    for (std::size_t row = 0; row < in_.rows.size(); ++row) {
      const RowSums& sums = in_.rows[row];
      BySide<double> own{normal(), normal()};
      if (sums.is_same) own[1] = own[0];
      BySide<double> seconds{};
      for (std::size_t side = 0; side < sides; ++side) {
        const bool is_priced = !sums.halved[side].empty() || !sums.row.vendor.algorithm.empty();
        const double factor = std::exp(carried * sums.errors[side].bias + own[side] * sums.errors[side].spread);
        seconds[side] = is_priced ? factor * with_figures(sums, side) : sums.seconds[side];
        changes_inside[side] += seconds[side] - sums.seconds[side];
      }
      of_rows_[row].add(seconds[0] - seconds[1]);
    }
    BySide<double> totals{};
    for (std::size_t side = 0; side < sides; ++side) {
      const PartTimes& parts = in_.parts[side];
      computing_[side].add(std::max(0.0, parts[computing] + changes[side]));
      collectives_[side].add(std::max(0.0, parts[collectives] + changes_inside[side]));
      totals[side] = std::max(0.0, sum_of(parts) + changes[side] + changes_inside[side]);
      totals_[side].add(totals[side]);
    }
    gain_.add(share(totals[0], totals[1]));
  }

  // The row's time with the drawn figures, between half and twice the assumed ones.
  double with_figures(const RowSums& sums, std::size_t side) const {
    const double own = sums.seconds[side];
    double seconds = own;
    for (std::size_t i = 0; i < sums.halved[side].size(); ++i) {
      const double part = std::abs(figures_[i]);
      seconds += part * ((figures_[i] < 0 ? sums.halved : sums.doubled)[side][i] - own);
    }
    return std::max(0.0, seconds);
  }

  const BandInputs& in_;
  const bool has_biases_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::vector<double> figures_ = std::vector<double>(in_.figures, 0);  // logarithms of their factors, to the base of 2
  BySide<Drawn> totals_, computing_, collectives_;
  Drawn gain_;
  std::vector<Drawn> of_rows_;
};

}  // namespace

Bands bands_of(const BandInputs& inputs) { return Drawing(inputs).run(); }

}  // namespace quadrille::projection
