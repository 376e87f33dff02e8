// SPDX-License-Identifier: BSD-3-Clause
#include "projection/draws.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "foundation/hash.hpp"
#include "projection/rows.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::projection {
namespace {

constexpr double low_percentile = 0.1, high_percentile = 0.9;
constexpr Count least_drawn_entries = 64;  // of each rank and draw

// A number above 0 and below 1.
double uniform(std::uint64_t hash) { return (static_cast<double>(mixed(hash) >> 12) + 0.5) * 0x1p-52; }

double normal_of(std::uint64_t hash) {
  return std::sqrt(-2 * std::log(uniform(hash))) * std::cos(2 * std::numbers::pi * uniform(hash + 1));
}

std::uint64_t with(std::uint64_t seed, std::uint64_t a, std::uint64_t b) { return mixed(mixed(mixed(seed) ^ a) ^ b); }

// Means of the ranks. The run lasts until its last rank ends.
PartTimes parts_of(const std::vector<RankTimes>& ranks) {
  PartTimes sums{};
  double last_s = 0;
  for (const RankTimes& rank : ranks) last_s = std::max(last_s, rank.now_s);
  for (const RankTimes& rank : ranks) {
    for (std::size_t part = 0; part < projected_parts; ++part) sums[part] += rank.parts[part];
    sums[static_cast<std::size_t>(ProjectedPart::waiting)] += last_s - rank.now_s;
  }
  for (double& sum : sums) sum /= static_cast<double>(std::max<std::size_t>(ranks.size(), 1));
  return sums;
}

double sum_of(const PartTimes& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

double share(double vendor, double ours) { return vendor > 0 ? (vendor - ours) / vendor : 0; }

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

  template <class Is>
  double share_of(Is is) const {
    return static_cast<double>(std::count_if(values_.begin(), values_.end(), is)) / static_cast<double>(values_.size());
  }

 private:
  std::vector<double> values_;
};

struct ReplaySums {
  BySide<PartTimes> parts{};
  std::vector<double> gains_s;  // by row

  double total(std::size_t side) const { return sum_of(parts[side]); }
};

ReplaySums sums_of(const Replayed& replayed, const std::vector<ProjectedRow>& rows) {
  ReplaySums sums{.parts = {parts_of(replayed.ranks[0]), parts_of(replayed.ranks[1])}, .gains_s = {}};
  for (const ProjectedRow& row : rows) sums.gains_s.push_back(row.vendor.seconds - row.ours.seconds);
  return sums;
}

class Drawing {
 public:
  Drawing(const Recording& recording, const ProjectionOptions& options, CallPrices& prices, const Replayed& replayed,
          const std::vector<ProjectedRow>& rows, const DrawnReplays& how)
      : recording_(recording),
        options_(options),
        prices_(prices),
        as_if_calibrated_(how.as_if_calibrated),
        whole_(sums_of(replayed, rows)),
        first_(whole_),
        gains_(rows.size()) {
    options_.pieces = {};
    options_.progress = {};
    const auto ranks = static_cast<Count>(recording.ranks.size());
    most_ = std::max(least_drawn_entries, how.most_entries / std::max<Count>(1, options.draws * ranks));
    Count all = 0, taken = 0;
    for (const RecordedRank& rank : recording.ranks) all += rank.calls, taken += std::min(rank.calls, most_);
    if (taken == all || options.draws == 0) return;
    scale_ = static_cast<double>(all) / static_cast<double>(taken);
    first_ = sums_with(nullptr);
  }

  DrawnBands run() {
    for (Count i = 0; i < options_.draws; ++i) draw(i);
    DrawnBands bands;
    for (std::size_t side = 0; side < sides; ++side) {
      ProjectedRun& run = bands.runs[side];
      run.total = totals_[side].band(whole_.total(side));
      for (std::size_t part = 0; part < projected_parts; ++part)
        run.parts[part] = parts_[side][part].band(whole_.parts[side][part]);
    }
    const double value = share(whole_.total(0), whole_.total(1));
    if (options_.draws == 0) gain_.add(value);
    bands.gain = gain_.band(value);
    bands.shorter = gain_.share_of([](double gain) { return gain > 0; });
    bands.worthwhile = gain_.share_of([](double gain) { return gain >= least_gain; });
    for (std::size_t row = 0; row < gains_.size(); ++row) bands.gains.push_back(gains_[row].band(whole_.gains_s[row]));
    return bands;
  }

 private:
  ReplaySums sums_with(const Draw* draw) {
    for (PricedCall& call : prices_.calls()) call.inside_s = {};
    const Replayed replayed = replay(recording_, options_, prices_, {.draw = draw, .most_entries = most_});
    ReplaySums sums = sums_of(replayed, {});
    sums.gains_s.resize(gains_.size(), 0);
    const auto ranks = static_cast<double>(recording_.ranks.size());
    for (const PricedCall& call : prices_.calls())
      if (is_in_row(recording_, call)) sums.gains_s[call.row] += (call.inside_s[0] - call.inside_s[1]) / ranks;
    return sums;
  }

  double scaled(double whole, double drawn, double first) const { return whole + scale_ * (drawn - first); }

  void draw(Count number) {
    const Draw draw(with(options_.seed, 0, static_cast<std::uint64_t>(number)), prices_.machine().assumed().size(),
                    as_if_calibrated_);
    const ReplaySums drawn = sums_with(&draw);
    BySide<double> totals{};
    for (std::size_t side = 0; side < sides; ++side) {
      for (std::size_t part = 0; part < projected_parts; ++part) {
        const double seconds = scaled(whole_.parts[side][part], drawn.parts[side][part], first_.parts[side][part]);
        parts_[side][part].add(std::max(0.0, seconds));
        totals[side] += std::max(0.0, seconds);
      }
      totals_[side].add(totals[side]);
    }
    gain_.add(share(totals[0], totals[1]));
    for (std::size_t row = 0; row < gains_.size(); ++row)
      gains_[row].add(scaled(whole_.gains_s[row], drawn.gains_s[row], first_.gains_s[row]));
  }

  const Recording& recording_;
  ProjectionOptions options_;
  CallPrices& prices_;
  const bool as_if_calibrated_;
  Count most_ = 0;          // entries of each rank in a draw
  double scale_ = 1;        // how many times the entries of a draw the recording has
  const ReplaySums whole_;  // without a draw
  ReplaySums first_;        // without a draw, of the entries that draws replay
  BySide<Drawn> totals_;
  BySide<std::array<Drawn, projected_parts>> parts_;
  Drawn gain_;
  std::vector<Drawn> gains_;
};

}  // namespace

Draw::Draw(std::uint64_t seed, std::size_t figures, bool as_if_calibrated)
    : seed_(seed), common_(common_spread * normal_of(with(seed, 1, 0))), as_if_calibrated_(as_if_calibrated) {
  for (std::size_t i = 0; i < figures; ++i) figures_.push_back(as_if_calibrated ? 0 : 2 * uniform(with(seed, 2, i)) - 1);
}

double Draw::factor(const SidePrice& side) const {
  const SchedulePrice& price = side.price;
  double seconds = price.seconds;
  for (std::size_t i = 0; i < price.halved.size(); ++i)
    seconds += std::abs(figures_[i]) * ((figures_[i] < 0 ? price.halved : price.doubled)[i] - price.seconds);
  const double of_figures = price.seconds > 0 && seconds > 0 ? seconds / price.seconds : 1;
  const double spread = as_if_calibrated_ ? std::min(side.error.spread, calibrated_spread) : side.error.spread;
  return of_figures * std::exp(common_ + spread * normal_of(with(seed_, 3, side.kind)));
}

double Draw::factor(const SidePrice& price, std::uint64_t call) const {
  const double noise = price.error.noise;
  const double of_call = noise > 0 ? std::exp(noise * normal_of(with(seed_, 4, call)) - noise * noise / 2) : 1;
  return factor(price) * of_call;
}

bool Draw::swaps(Rank rank, Count entry) const {
  return (with(seed_, static_cast<std::uint64_t>(rank) << 3 | 5, static_cast<std::uint64_t>(entry)) & 1) != 0;
}

double Draw::normal(Rank rank, Count entry) const {
  return normal_of(with(seed_, static_cast<std::uint64_t>(rank) << 3 | 6, static_cast<std::uint64_t>(entry)));
}

DrawnBands drawn_bands(const Recording& recording, const ProjectionOptions& options, CallPrices& prices, const Replayed& replayed,
                       const std::vector<ProjectedRow>& rows, const DrawnReplays& how) {
  return Drawing(recording, options, prices, replayed, rows, how).run();
}

}  // namespace quadrille::projection
