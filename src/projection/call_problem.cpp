// SPDX-License-Identifier: BSD-3-Clause
#include "projection/call_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <string>
#include <tuple>

#include "problem/collective_facts.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille::projection {
namespace {

// "Ialltoall" and "Alltoall_init" become "alltoall" and "Alltoall".
std::string_view core_of(std::string_view function) {
  if (function.size() > 1 && function[0] == 'I' && std::islower(static_cast<unsigned char>(function[1]))) function.remove_prefix(1);
  if (function.ends_with("_init")) function.remove_suffix(std::string_view("_init").size());
  return function;
}

constexpr std::string_view sizes_unknown = "its sizes were not recorded";

class Posing {
 public:
  Posing(const Recording& recording, std::span<const std::uint32_t> sites) : recording_(recording), sites_(sites) {}

  Result<Problem> problem(const CallForm& form) {
    problem_.ranks = static_cast<Count>(sites_.size());
    problem_.collective = form.collective;
    const Result<> sized = form.is_of_neighbours                      ? neighbours()
                           : form.collective == Collective::alltoallv ? matrix()
                           : is_rooted(form.collective)               ? rooted()
                           : is_irregular(form.collective)            ? shares(site(0))
                                                                      : regular(site(0));
    if (!sized) return cannot(sized.error());
    if (is_reduction(form.collective)) problem_.element_bytes = std::max<Bytes>(site(0).type_bytes, 1);
    return std::move(problem_);
  }

 private:
  const RecordedSite& site(std::size_t member) const { return recording_.sites[sites_[member]]; }

  Result<> regular(const RecordedSite& from) {
    if (has_blocks(problem_.collective)) problem_.block_bytes = from.block_bytes;
    return {};
  }

  Result<> shares(const RecordedSite& from) {
    if (from.counts.size() != sites_.size()) return cannot(std::string(sizes_unknown));
    problem_.counts = std::make_shared<const std::vector<Bytes>>(from.counts);
    return {};
  }

  Result<> rooted() {
    const Rank root = site(0).root;
    if (root < 0 || root >= problem_.ranks) return cannot("its root was not recorded");
    problem_.root = root;
    return is_irregular(problem_.collective) ? shares(site(index(root))) : regular(site(index(root)));
  }

  Result<> matrix() {
    std::vector<Bytes> counts;
    counts.reserve(sites_.size() * sites_.size());
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      const std::vector<Bytes>& row = site(i).counts;
      if (row.size() != sites_.size()) return cannot(std::string(sizes_unknown));
      counts.insert(counts.end(), row.begin(), row.end());
    }
    problem_.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
    return {};
  }

  Result<> neighbours() {
    std::map<std::pair<Rank, Rank>, Bytes> sums;
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      const RecordedSite& own = site(i);
      if (!own.counts.empty() && own.counts.size() != own.peers.size()) return cannot(std::string(sizes_unknown));
      if (own.counts.empty() && !own.peers.empty() && own.block_bytes == 0) return cannot(std::string(sizes_unknown));
      for (std::size_t k = 0; k < own.peers.size(); ++k) {
        if (own.peers[k] >= problem_.ranks) return cannot("its neighbours were not recorded");
        if (own.peers[k] < 0) continue;
        Bytes& bytes = sums[{static_cast<Rank>(i), own.peers[k]}];
        const auto sum = checked_sum(bytes, own.counts.empty() ? own.block_bytes : own.counts[k]);
        if (!sum) return cannot("its blocks have 2^63 bytes or more together");
        bytes = *sum;
      }
    }
    std::vector<TrafficEntry> entries;
    for (const auto& [pair, bytes] : sums) entries.push_back({pair.first, pair.second, bytes});
    problem_ = Problem::alltoallv(problem_.ranks, std::move(entries));
    return {};
  }

  const Recording& recording_;
  const std::span<const std::uint32_t> sites_;
  Problem problem_;
};

}  // namespace

std::optional<CallForm> form_of(std::string_view function) {
  constexpr std::string_view of_neighbours = "Neighbor_";
  std::string_view core = core_of(function);
  const bool is_of_neighbours = core.starts_with(of_neighbours) || core.starts_with("neighbor_");
  if (is_of_neighbours) core.remove_prefix(of_neighbours.size());
  const bool has_types = core == "Alltoallw" || core == "alltoallw";
  const auto collective = has_types ? Collective::alltoallv : collective_of_function(core);
  if (!collective) return std::nullopt;
  return CallForm{is_of_neighbours ? Collective::alltoallv : *collective, is_of_neighbours, core_of(function) != function};
}

bool makes_together(std::string_view function) {
  constexpr std::string_view functions[] = {
      "Comm_dup",    "Comm_dup_with_info", "Comm_split",   "Comm_split_type",   "Comm_create",
      "Cart_create", "Cart_sub",           "Graph_create", "Dist_graph_create", "Dist_graph_create_adjacent"};
  return std::find(std::begin(functions), std::end(functions), function) != std::end(functions);
}

Result<Problem> problem_of_call(const Recording& recording, std::span<const std::uint32_t> sites, std::vector<Count> nodes) {
  const std::string& function = recording.sites[sites.front()].function;
  for (const std::uint32_t site : sites)
    if (recording.sites[site].function != function)
      return cannot(fmt::format("some ranks call {}, others {}", function, recording.sites[site].function));
  const std::optional<CallForm> form = form_of(function);
  if (!form) return cannot(fmt::format("{} is not known", function));
  try {
    Result<Problem> problem = Posing(recording, sites).problem(*form);
    if (!problem) return problem;
    problem->nodes = std::move(nodes);
    check(*problem);
    return problem;
  } catch (const Error& error) {
    return cannot(error.what());
  }
}

CallKinds::CallKinds(const Recording& recording) {
  std::map<std::tuple<std::size_t, std::string, int>, std::uint32_t> numbers;
  for (const RecordedSite& site : recording.sites) {
    const auto bytes = static_cast<std::uint64_t>(std::max<Bytes>(site.block_bytes, 0));
    const int size_class = site.counts.empty() ? static_cast<int>(std::bit_width(bytes)) : -1;
    const auto next = static_cast<std::uint32_t>(numbers.size());
    kinds_.push_back(numbers.try_emplace({site.communicator, site.function, size_class}, next).first->second);
  }
  calls_.resize(numbers.size(), 0);
}

}  // namespace quadrille::projection
