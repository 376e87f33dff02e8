// SPDX-License-Identifier: BSD-3-Clause
#include "reports/bound_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::command {
namespace {

constexpr std::pair<std::string_view, std::string_view> headings_of_figures[] = {{"c1", "C1"},
                                                                                 {"c2", "C2"},
                                                                                 {"c2_shared", "C2 shared"},
                                                                                 {"node_rounds", "rounds between nodes"},
                                                                                 {"node_traffic_out", "out of a node"},
                                                                                 {"node_traffic_in", "into a node"},
                                                                                 {"matchings", "matchings of nodes"},
                                                                                 {"time", "time"}};

std::size_t place_of(const std::string& figure) {
  return static_cast<std::size_t>(std::find_if(std::begin(headings_of_figures), std::end(headings_of_figures),
                                               [&](const auto& each) { return each.first == figure; }) -
                                  std::begin(headings_of_figures));
}

std::string value_text(const Bound& bound) {
  if (bound.figure == "time") return seconds_text(bound.exact.approximate());
  const bool is_bytes = bound.figure.starts_with("c2") || bound.figure.find("traffic") != std::string::npos;
  return is_bytes ? bytes_text(bound.value) : fmt::format("{}", bound.value);
}

std::string exact_text(const Fraction& value) {
  if (value.denominator() == 1) return decimal(value.numerator());
  return fmt::format("{}/{}", decimal(value.numerator()), decimal(value.denominator()));
}

std::string certificate_text(const Certificate& certificate) {
  const char* const direction = certificate.outwards ? "out" : "in";
  switch (certificate.kind) {
    case BoundKind::spread: return fmt::format("{} of {}", direction, certificate.members.at(0));
    case BoundKind::crossing:
      if (certificate.members.size() == 1) return fmt::format("{} of {}", direction, certificate.members[0]);
      return fmt::format("{} of a set of {}", direction, certificate.members.size());
    case BoundKind::odd_set: return fmt::format("a set of {}", certificate.members.size());
    case BoundKind::flow: return fmt::format("prices of {}", counted(certificate.prices.size(), "link"));
    case BoundKind::time: return certificate.is_compound ? "with the compound bound" : "";
    default: return "";
  }
}

}  // namespace

std::string over_bound_text(double figure, const std::optional<double>& bound) {
  return bound && *bound > 0 ? fmt::format("{:.2f}", figure / *bound) : "–";
}

std::optional<double> least_seconds(const Problem& problem, const Model& model, const MachineCosts& machine,
                                    const Topology* topology, bool by_rounds) {
  constexpr Count most_ranks = 256;  // for which cuts and prices are found in a second
  const auto times = least_times(model, machine, topology);
  if (!times) return std::nullopt;
  const bool is_small = problem.ranks <= most_ranks && topology;
  const std::vector<Bound> bounds =
      is_small ? certified_bounds(problem, times->ports, topology, 60) : lower_bounds(problem, times->ports);
  const Fraction least = time_bound(problem, bounds, *times, by_rounds).exact;
  return least == Fraction() ? std::nullopt : std::optional(least.approximate());
}

std::string bounds_text(std::vector<Bound> bounds) {
  std::stable_sort(bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) {
    const std::size_t one = place_of(a.figure), other = place_of(b.figure);
    return one != other ? one < other : b.exact < a.exact;
  });
  Table table("figure|>at least|>exactly|kind|certificate|source");
  std::string last;
  for (const Bound& bound : bounds) {
    const bool is_first = std::exchange(last, bound.figure) != bound.figure;
    table.add({is_first ? std::string(headings_of_figures[place_of(bound.figure)].second) : "", value_text(bound),
               bound.figure == "time" ? "" : exact_text(bound.exact), std::string(name(bound.certificate.kind)),
               certificate_text(bound.certificate), bound.source});
  }
  return table.text();
}

std::string check_text(const BoundDocument& document, bool& is_good) {
  std::string text;
  std::size_t good = 0;
  for (const Bound& bound : document.bounds) {
    std::string verdict = "proved";
    try {
      const Fraction proves = proved_value(document.problem, document.network, bound);
      if (!(proves == bound.exact)) verdict = fmt::format("NOT proved: the certificate proves {}", exact_text(proves));
    } catch (const Error& error) {
      verdict = fmt::format("NOT proved: {}", error.what());
    }
    good += verdict == "proved" ? 1 : 0;
    text += fmt::format("{} at least {}, {}: {}\n", bound.figure, exact_text(bound.exact), name(bound.certificate.kind), verdict);
  }
  is_good = good == document.bounds.size();
  return text + fmt::format("{} of {} proved\n", good, counted(document.bounds.size(), "bound"));
}

std::optional<Topology> compared_network(std::size_t kind, Count ranks) {
  const auto is_power = (ranks & (ranks - 1)) == 0;
  switch (kind) {
    case 0: return Topology::ring(ranks);
    case 1: {
      Count side = static_cast<Count>(std::sqrt(static_cast<double>(ranks)));
      while (ranks % side != 0) --side;
      if (side == 1) return std::nullopt;
      return Topology::torus({side, ranks / side});
    }
    case 2: return is_power ? std::optional(Topology::hypercube(ranks)) : std::nullopt;
    default:
      for (Count ports = 2; ports * ports * ports / 4 <= ranks; ports += 2)
        if (ports * ports * ports / 4 == ranks) return Topology::fat_tree(ports);
      return std::nullopt;
  }
}

namespace {

class RatioTable {
 public:
  RatioTable(Collective collective, Bytes block_bytes, const std::function<void(const std::string&)>& show)
      : collective_(collective), block_bytes_(block_bytes), show_(show) {}

  void add_problems(Count ranks) {
    add(ranks, nullptr, 0);
    for (std::size_t kind = 0; kind < std::size(compared_networks); ++kind)
      if (const auto network = compared_network(kind, ranks)) add(ranks, &*network, kind);
  }

  std::vector<WorstRatios> rows() const {
    std::vector<WorstRatios> list;
    for (const std::string& name : order_) list.push_back({name, worst_.at(name)});
    return list;
  }

 private:
  void add(Count ranks, const Topology* network, std::size_t kind) {
    Problem problem{.collective = collective_, .ranks = ranks, .block_bytes = has_blocks(collective_) ? block_bytes_ : 0};
    if (is_irregular(collective_))
      problem.counts =
          std::make_shared<std::vector<Bytes>>(index(collective_ == Collective::alltoallv ? ranks * ranks : ranks), block_bytes_);
    if (network) problem.grid = network->grid();
    check(problem);
    std::vector<LeftOut> left_out;
    std::optional<double> least;
    if (network)
      for (const Bound& bound : certified_bounds(problem, 1, network, 60))
        if (bound.figure == "c2_shared") least = std::max(least.value_or(0), static_cast<double>(bound.value));
    for (const Case& entry : make_cases({problem}, {}, &left_out)) {
      const std::string name = entry.short_name().substr(0, entry.short_name().find(':'));
      show_(fmt::format("{}, {} ranks", name, ranks));
      try {
        if (network)
          note(name, 2 + kind, static_cast<double>(link_figures(entry.schedule(), *network).c2_shared), least);
        else
          note_figures(name, entry.schedule());
      } catch (const Error& error) {
        if (error.code() != ErrorCode::too_large) throw;
      }
    }
  }

  void note_figures(const std::string& name, const Schedule& schedule) {
    const Figures counted = figures(schedule);
    std::map<std::string, double> least;
    for (const Bound& bound : lower_bounds(schedule.problem, counted.ports, counted.c1))
      least[bound.figure] = std::max(least[bound.figure], static_cast<double>(bound.value));
    note(name, 0, static_cast<double>(counted.c1), least["c1"]);
    note(name, 1, static_cast<double>(counted.c2), least["c2"]);
  }

  void note(const std::string& name, std::size_t column, double figure, const std::optional<double>& least) {
    auto [row, is_new] = worst_.try_emplace(name, std::vector<double>(2 + std::size(compared_networks)));
    if (is_new) order_.push_back(name);
    if (least && *least > 0) row->second[column] = std::max(row->second[column], figure / *least);
  }

  Collective collective_;
  Bytes block_bytes_;
  const std::function<void(const std::string&)>& show_;
  std::map<std::string, std::vector<double>> worst_;  // by algorithm
  std::vector<std::string> order_;
};

}  // namespace

std::vector<WorstRatios> worst_ratios(Collective collective, const std::vector<Count>& ranks, Bytes block_bytes,
                                      const std::function<void(const std::string& what)>& show) {
  RatioTable table(collective, block_bytes, show);
  for (const Count count : ranks) table.add_problems(count);
  return table.rows();
}

}  // namespace quadrille::command
