// SPDX-License-Identifier: BSD-3-Clause
#include "projection/bands.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

#include "quadrille/indexed.hpp"

namespace quadrille::projection {
namespace {

using Key = std::tuple<std::string, std::string, Count, Bytes>;

struct Gathered {
  RowSums sums;
  std::set<std::size_t> communicators;
  BySide<std::map<std::string, double>> by_algorithm;  // seconds
  BySide<double> priced_s{};                           // the sum over all calls with a price and all members
  BySide<PriceError> errors{{{0, 0}, {0, 0}}};         // sums of errors, weighted by priced seconds
};

class Gathering {
 public:
  Gathering(const Recording& recording, const CallPrices& prices) : recording_(recording), prices_(prices) {}

  void add(const PricedCall& call) {
    const auto members = static_cast<double>(call.sites.size());
    Gathered& row = row_of(call.communicator, call.sites);
    row.sums.row.calls += call.calls;
    const PricedProblem& priced = *call.priced;
    if (priced.is_corrected) row.sums.row.corrected_calls += call.calls;
    if (row.sums.row.remark.empty()) row.sums.row.remark = priced.remark;
    for (std::size_t side = 0; side < sides; ++side) {
      row.sums.seconds[side] += call.inside_s[side];
      if (!priced.by[side]) continue;
      const SchedulePrice& price = priced.by[side]->price;
      const double weight = static_cast<double>(call.calls) * members;
      row.by_algorithm[side][priced.by[side]->algorithm] += weight * price.seconds;
      row.priced_s[side] += weight * price.seconds;
      row.errors[side].bias += weight * price.seconds * priced.by[side]->error.bias;
      row.errors[side].spread += weight * price.seconds * priced.by[side]->error.spread;
      add(row.sums.halved[side], weight, price.halved);
      add(row.sums.doubled[side], weight, price.doubled);
    }
    row.sums.is_same = row.sums.is_same && (!priced.by[0] || priced.by[0]->choice == priced.by[1]->choice);
  }

  void add(std::uint32_t site, const UnmatchedCalls& calls) {
    const std::vector<std::uint32_t> sites{site};
    Gathered& row = row_of(recording_.sites[site].communicator, sites);
    row.sums.row.calls += calls.calls;
    row.sums.row.remark = "calls of other members are not recorded, so they take as long as recorded";
    for (double& seconds : row.sums.seconds) seconds += calls.seconds;
  }

  std::vector<RowSums> rows() && {
    const auto ranks = static_cast<double>(recording_.ranks.size());
    std::vector<RowSums> all;
    for (auto& [key, gathered] : rows_) {
      RowSums& sums = gathered.sums;
      sums.row.communicators = static_cast<Count>(gathered.communicators.size());
      for (std::size_t side = 0; side < sides; ++side) {
        sums.seconds[side] /= ranks;
        ProjectedWay& way = side == 0 ? sums.row.vendor : sums.row.ours;
        const auto& names = gathered.by_algorithm[side];
        const auto most =
            std::max_element(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
        if (most != names.end()) way.algorithm = most->first, way.algorithms = static_cast<Count>(names.size());
        way.seconds = sums.seconds[side];
        const double priced_s = gathered.priced_s[side], factor = priced_s > 0 ? sums.seconds[side] / priced_s : 0;
        if (priced_s > 0) sums.errors[side] = {gathered.errors[side].bias / priced_s, gathered.errors[side].spread / priced_s};
        for (double& seconds : sums.halved[side]) seconds *= factor;
        for (double& seconds : sums.doubled[side]) seconds *= factor;
      }
      all.push_back(std::move(sums));
    }
    std::stable_sort(all.begin(), all.end(), [](const RowSums& a, const RowSums& b) { return a.seconds[0] > b.seconds[0]; });
    return all;
  }

 private:
  static void add(std::vector<double>& sums, double weight, const std::vector<double>& seconds) {
    sums.resize(std::max(sums.size(), seconds.size()), 0);
    for (std::size_t i = 0; i < seconds.size(); ++i) sums[i] += weight * seconds[i];
  }

  Gathered& row_of(std::size_t communicator, const std::vector<std::uint32_t>& sites) {
    const RecordedSite& first = recording_.sites[sites.front()];
    const RecordedCommunicator& on = recording_.communicators[communicator];
    const bool has_counts =
        std::any_of(sites.begin(), sites.end(), [&](std::uint32_t site) { return !recording_.sites[site].counts.empty(); });
    const auto ranks = static_cast<Count>(on.members.size());
    const auto [place, is_new] = rows_.try_emplace(Key{first.function, on.name, ranks, has_counts ? -1 : first.block_bytes});
    Gathered& row = place->second;
    if (is_new) {
      const std::vector<Count> nodes = on.is_inter ? std::vector<Count>{} : prices_.nodes_of(communicator);
      const Count most = nodes.empty() ? 0 : *std::max_element(nodes.begin(), nodes.end());
      row.sums.row = {.function = first.function,
                      .communicator = on.name,
                      .ranks = ranks,
                      .nodes = most + 1,
                      .least_bytes = first.block_bytes,
                      .most_bytes = first.block_bytes};
      row.sums.is_same = true;
    }
    for (const std::uint32_t site : sites) {
      const Bytes bytes = recording_.sites[site].block_bytes;
      if (!has_counts) break;
      row.sums.row.least_bytes = std::min(row.sums.row.least_bytes, bytes);
      row.sums.row.most_bytes = std::max(row.sums.row.most_bytes, bytes);
    }
    row.communicators.insert(communicator);
    return row;
  }

  const Recording& recording_;
  const CallPrices& prices_;
  std::map<Key, Gathered> rows_;
};

constexpr double low_percentile = 0.1, high_percentile = 0.9;
// How much of the measured ranks' biases the projected ranks share. With these figures a band covers the real value in about 80 %
// of cases or more, whether projected and measured ranks share all biases or none.
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

  // The row's time with the drawn figures, which lie between half and twice the assumed figures.
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

std::vector<RowSums> rows_of(const Recording& recording, const CallPrices& prices, const Replayed& replayed) {
  Gathering gathering(recording, prices);
  for (const PricedCall& call : prices.calls())
    if (recording.sites[call.sites.front()].kind != RecordedKind::making) gathering.add(call);
  for (std::uint32_t site = 0; site < replayed.unmatched.size(); ++site)
    if (replayed.unmatched[site].calls > 0) gathering.add(site, replayed.unmatched[site]);
  return std::move(gathering).rows();
}

Bands bands_of(const BandInputs& inputs) { return Drawing(inputs).run(); }

}  // namespace quadrille::projection
