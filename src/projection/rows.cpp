// SPDX-License-Identifier: BSD-3-Clause
#include "projection/rows.hpp"

#include <algorithm>
#include <map>
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
  BySide<double> priced_s{};                           // of calls with a price: sum over members
  BySide<PriceError> errors{{{0, 0}, {0, 0}}};         // sums, weighted by priced seconds
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

}  // namespace

std::vector<RowSums> rows_of(const Recording& recording, const CallPrices& prices, const Replayed& replayed) {
  Gathering gathering(recording, prices);
  for (const PricedCall& call : prices.calls())
    if (recording.sites[call.sites.front()].kind != RecordedKind::making) gathering.add(call);
  for (std::uint32_t site = 0; site < replayed.unmatched.size(); ++site)
    if (replayed.unmatched[site].calls > 0) gathering.add(site, replayed.unmatched[site]);
  return std::move(gathering).rows();
}

}  // namespace quadrille::projection
