// SPDX-License-Identifier: BSD-3-Clause
#include "tune/fit/fit_max_rate.hpp"

#include <algorithm>
#include <cmath>

#include "quadrille/indexed.hpp"
#include "tune/median.hpp"

namespace quadrille {
namespace {

const Model& model() { return *find_model("max-rate"); }

// Returns the coefficients to fit: all but the number of cores and the memory rate of a whole node. If all measurements have the
// same number of ranks per node, they cannot separate this rate from a rank's own time per byte.
std::vector<std::string_view> fitted_keys() {
  std::vector<std::string_view> keys;
  for (const Coefficient& coefficient : model().coefficients)
    if (!coefficient.is_whole && coefficient.key != "memory_us_per_byte") keys.push_back(coefficient.key);
  return keys;
}

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

// Non-negative least squares by coordinate descent: returns the x >= 0 that minimises |A x - b|, from A^T A and A^T b.
Vector non_negative_least_squares(const Matrix& products, const Vector& right) {
  constexpr int most_sweeps = 5000;
  constexpr double accuracy = 1e-9;
  Vector x(right.size());
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (products[i][i] <= 0) continue;
      double rest = right[i];
      for (std::size_t j = 0; j < x.size(); ++j)
        if (j != i) rest -= products[i][j] * x[j];
      const double next = std::max(0.0, rest / products[i][i]);
      change = std::max(change, std::abs(next - x[i]) * std::sqrt(products[i][i]));
      x[i] = next;
    }
    if (change < accuracy) break;
  }
  return x;
}

class Fitting {
 public:
  Fitting(const std::vector<FitSample>& samples, Count cores) : samples_(samples), keys_(fitted_keys()), values_(keys_.size()) {
    for (const Coefficient& coefficient : model().coefficients) coefficients_.emplace(coefficient.key, 0.0);
    coefficients_["cores"] = static_cast<double>(cores);
  }

  // The model's formula is a sum of coefficients times figures; some terms are the larger of two such sums. So
  // it is linear near given coefficients. Each step computes the slopes at the present coefficients and finds
  // the next coefficients by linear least squares.
  MaxRateFit run() {
    constexpr int steps = 12;
    Vector predicted;  // empty in the first step
    MaxRateFit best;
    for (int step = 0; step < steps; ++step) {
      values_ = solved(slopes(), predicted);
      for (std::size_t k = 0; k < keys_.size(); ++k) coefficients_.find(keys_[k])->second = rounded(values_[k]);
      predicted = times();
      const double error = median_error(predicted);
      if (step == 0 || error < best.error) best = {coefficients_, error};
    }
    return best;
  }

 private:
  Vector times() const {
    Vector seconds;
    for (const FitSample& sample : samples_) seconds.push_back(price_of(sample.workload, model(), coefficients_).blocking_s);
    return seconds;
  }

  // Returns the slopes: one row for each sample, one column for each coefficient. A slope is the change of the predicted time per
  // unit of the coefficient, divided by the measured time.
  Matrix slopes() {
    Matrix rows(samples_.size(), Vector(keys_.size()));
    const Vector now = times();
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      double& value = coefficients_.find(keys_[k])->second;
      const double kept = value, more = std::max(1e-3, 0.01 * kept);  // prices are whole picoseconds, so take a large enough step
      value = kept + more;
      const Vector then = times();
      value = kept;
      for (std::size_t i = 0; i < samples_.size(); ++i) rows[i][k] = (then[i] - now[i]) / more / samples_[i].seconds;
    }
    return rows;
  }

  // Solves (row . coefficients = 1) for all samples, that is, minimises the squares of relative errors. Weights
  // from the last prediction change how errors count: an error counts as the logarithm of the ratio, and a
  // large one counts linearly instead of squared.
  Vector solved(const Matrix& rows, const Vector& predicted) const {
    constexpr double near = 0.1;  // relative errors below this count by their squares
    Matrix products(keys_.size(), Vector(keys_.size()));
    Vector right(keys_.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double weight = 1;
      if (!predicted.empty()) {
        const double ratio = std::max(1e-3, predicted[i] / samples_[i].seconds);
        weight = 1 / ratio / std::max(near, std::abs(std::log(ratio)));
      }
      for (std::size_t k = 0; k < keys_.size(); ++k) {
        right[k] += weight * rows[i][k];
        for (std::size_t j = 0; j < keys_.size(); ++j) products[k][j] += weight * rows[i][k] * rows[i][j];
      }
    }
    return non_negative_least_squares(products, right);
  }

  double median_error(const Vector& predicted) const {
    Vector errors;
    for (std::size_t i = 0; i < samples_.size(); ++i) errors.push_back(std::abs(predicted[i] / samples_[i].seconds - 1));
    return median(errors);
  }

  const std::vector<FitSample>& samples_;
  const std::vector<std::string_view> keys_;
  Vector values_;
  Coefficients coefficients_;
};

}  // namespace

MaxRateFit fit_max_rate(const std::vector<FitSample>& samples, Count cores) { return Fitting(samples, cores).run(); }

double rounded(double value) {
  if (value <= 0) return 0;
  const double scale = std::pow(10, 3 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

}  // namespace quadrille
