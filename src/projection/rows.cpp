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
  ProjectedRow row;
  std::set<std::size_t> communicators;
  BySide<std::map<std::string, double>> by_algorithm;  // seconds
  std::vector<PricedCall*> calls;
};

class Gathering {
 public:
  Gathering(const Recording& recording, const CallPrices& prices) : recording_(recording), prices_(prices) {}

  void add(PricedCall& call) {
    const auto members = static_cast<double>(call.sites.size());
    Gathered& gathered = gathered_of(call.communicator, call.sites);
    gathered.calls.push_back(&call);
    ProjectedRow& row = gathered.row;
    row.calls += call.calls;
    const PricedProblem& priced = *call.priced;
    if (priced.is_corrected) row.corrected_calls += call.calls;
    if (row.remark.empty()) row.remark = priced.remark;
    for (std::size_t side = 0; side < sides; ++side) {
      way_of(row, side).seconds += call.inside_s[side];
      if (!priced.by[side]) continue;
      gathered.by_algorithm[side][priced.by[side]->algorithm] +=
          static_cast<double>(call.calls) * members * priced.by[side]->price.seconds;
    }
  }

  void add(std::uint32_t site, const UnmatchedCalls& calls) {
    const std::vector<std::uint32_t> sites{site};
    ProjectedRow& row = gathered_of(recording_.sites[site].communicator, sites).row;
    row.calls += calls.calls;
    row.remark = "calls of other members are not recorded, so they take as long as recorded";
    for (std::size_t side = 0; side < sides; ++side) way_of(row, side).seconds += calls.seconds;
  }

  std::vector<ProjectedRow> rows() && {
    const auto ranks = static_cast<double>(recording_.ranks.size());
    std::vector<Gathered*> sorted;
    for (auto& [key, gathered] : rows_) {
      ProjectedRow& row = gathered.row;
      row.communicators = static_cast<Count>(gathered.communicators.size());
      for (std::size_t side = 0; side < sides; ++side) {
        ProjectedWay& way = way_of(row, side);
        const auto& names = gathered.by_algorithm[side];
        const auto most =
            std::max_element(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
        if (most != names.end()) way.algorithm = most->first, way.algorithms = static_cast<Count>(names.size());
        way.seconds /= ranks;
      }
      sorted.push_back(&gathered);
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Gathered* a, const Gathered* b) { return a->row.vendor.seconds > b->row.vendor.seconds; });
    std::vector<ProjectedRow> all;
    for (Gathered* const gathered : sorted) {
      for (PricedCall* const call : gathered->calls) call->row = all.size();
      all.push_back(std::move(gathered->row));
    }
    return all;
  }

 private:
  static ProjectedWay& way_of(ProjectedRow& row, std::size_t side) { return side == 0 ? row.vendor : row.ours; }

  Gathered& gathered_of(std::size_t communicator, const std::vector<std::uint32_t>& sites) {
    const RecordedSite& first = recording_.sites[sites.front()];
    const RecordedCommunicator& on = recording_.communicators[communicator];
    const bool has_counts =
        std::any_of(sites.begin(), sites.end(), [&](std::uint32_t site) { return !recording_.sites[site].counts.empty(); });
    const auto ranks = static_cast<Count>(on.members.size());
    const auto [place, is_new] = rows_.try_emplace(Key{first.function, on.name, ranks, has_counts ? -1 : first.block_bytes});
    ProjectedRow& row = place->second.row;
    if (is_new) {
      const std::vector<Count> nodes = on.is_inter ? std::vector<Count>{} : prices_.nodes_of(communicator);
      const Count most = nodes.empty() ? 0 : *std::max_element(nodes.begin(), nodes.end());
      row = {.function = first.function,
             .communicator = on.name,
             .ranks = ranks,
             .nodes = most + 1,
             .least_bytes = first.block_bytes,
             .most_bytes = first.block_bytes};
    }
    for (const std::uint32_t site : sites) {
      const Bytes bytes = recording_.sites[site].block_bytes;
      if (!has_counts) break;
      row.least_bytes = std::min(row.least_bytes, bytes);
      row.most_bytes = std::max(row.most_bytes, bytes);
    }
    place->second.communicators.insert(communicator);
    return place->second;
  }

  const Recording& recording_;
  const CallPrices& prices_;
  std::map<Key, Gathered> rows_;
};

}  // namespace

bool is_in_row(const Recording& recording, const PricedCall& call) {
  return recording.sites[call.sites.front()].kind != RecordedKind::making;
}

std::vector<ProjectedRow> rows_of(const Recording& recording, CallPrices& prices, const Replayed& replayed) {
  Gathering gathering(recording, prices);
  for (PricedCall& call : prices.calls())
    if (is_in_row(recording, call)) gathering.add(call);
  for (std::uint32_t site = 0; site < replayed.unmatched.size(); ++site)
    if (replayed.unmatched[site].calls > 0) gathering.add(site, replayed.unmatched[site]);
  return std::move(gathering).rows();
}

}  // namespace quadrille::projection
