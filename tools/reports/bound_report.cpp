// SPDX-License-Identifier: BSD-3-Clause
#include "reports/bound_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "foundation/text/printable.hpp"
#include "options/cases.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "support/text.hpp"

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

}  // namespace

std::string over_bound_text(double figure, const std::optional<double>& bound) {
  return bound && *bound > 0 ? fmt::format("{:.2f}", figure / *bound) : "–";
}

std::optional<double> least_seconds(const Problem& problem, const Model& model, const MachineCosts& machine,
                                    const Topology* topology, bool by_rounds) {
  const auto times = least_times(model, machine, topology);
  if (!times || (!by_rounds && model.least_parts)) return std::nullopt;
  const Fraction least = time_bound(problem, quick_bounds(problem, times->ports, topology), *times, by_rounds).exact;
  return least == Fraction() ? std::nullopt : std::optional(least.approximate());
}

std::string bounds_text(std::vector<Bound> bounds) {
  std::stable_sort(bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) {
    const std::size_t one = place_of(a.figure), other = place_of(b.figure);
    return one != other ? one < other : b.exact < a.exact;
  });
  if (bounds.empty()) return "no bound is above 0: nothing has to move\n";
  Table table("figure|>at least|>exactly|kind|source");
  std::string last;
  for (const Bound& bound : bounds) {
    const bool is_first = std::exchange(last, bound.figure) != bound.figure;
    table.add({is_first ? std::string(headings_of_figures[place_of(bound.figure)].second) : "", value_text(bound),
               bound.figure == "time" ? "" : exact_text(bound.exact), std::string(name(bound.certificate.kind)), bound.source});
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
      verdict = fmt::format("{}: {}", error.code() == ErrorCode::too_large ? "not checked" : "NOT proved", error.what());
    }
    good += verdict == "proved" ? 1 : 0;
    text += fmt::format("{} at least {}, {}: {}\n", printable(bound.figure), exact_text(bound.exact), name(bound.certificate.kind),
                        verdict);
  }
  is_good = good == document.bounds.size();
  return text + fmt::format("{} of {} proved\n", good, counted(document.bounds.size(), "bound"));
}

namespace {

constexpr const char* compared_networks[] = {"ring", "torus", "hypercube", "fat tree"};

// Returns the network of one of these kinds with this many ranks, if there is one.
std::optional<Topology> compared_network(std::size_t kind, Count ranks) {
  if (kind == 0) return Topology::ring(ranks);
  if (kind == 2) return (ranks & (ranks - 1)) == 0 ? std::optional(Topology::hypercube(ranks)) : std::nullopt;
  if (kind == 3) {
    for (Count ports = 2; ports * ports * ports / 4 <= ranks; ports += 2)
      if (ports * ports * ports / 4 == ranks) return Topology::fat_tree(ports);
    return std::nullopt;
  }
  auto side = static_cast<Count>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % side != 0) --side;
  return side > 1 ? std::optional(Topology::torus({side, ranks / side})) : std::nullopt;
}

class RatioTable {
 public:
  RatioTable(Collective collective, Bytes block_bytes, const std::function<void(const std::string&)>& show)
      : collective_(collective), block_bytes_(block_bytes), show_(show) {}

  // `network` may be null; otherwise `column` is that of its figures.
  void add(Count ranks, const Topology* network, std::size_t column) {
    Problem problem{.collective = collective_, .ranks = ranks, .block_bytes = has_blocks(collective_) ? block_bytes_ : 0};
    if (is_irregular(collective_))
      problem.counts =
          std::make_shared<std::vector<Bytes>>(index(collective_ == Collective::alltoallv ? ranks * ranks : ranks), block_bytes_);
    std::vector<Bound> bounds;
    if (network) {
      problem.grid = network->grid();
      bounds = certified_bounds(problem, 1, network, 60);
    }
    check(problem);
    std::vector<LeftOut> left_out;
    for (const Case& entry : make_cases({problem}, {}, &left_out)) {
      const std::string name = entry.short_name().substr(0, entry.short_name().find(':'));
      show_(fmt::format("{}, {} ranks", name, ranks));
      const Schedule schedule = entry.schedule();
      if (network) {
        note(name, column, link_figures(schedule, *network).c2_shared, bounds, "c2_shared");
        continue;
      }
      const Figures counted = figures(schedule);
      bounds = lower_bounds(problem, counted.ports, counted.c1);
      note(name, 0, counted.c1, bounds, "c1");
      note(name, 1, counted.c2, bounds, "c2");
    }
  }

  std::string text() const {
    std::vector<Column> columns = headings("algorithm|>C1|>C2");
    for (const char* network : compared_networks) columns.push_back({fmt::format("C2 shared, {}", network), Align::right});
    Table table(columns);
    for (const auto& [name, ratios] : rows_) {
      std::vector<TableCell> cells{name};
      for (const double ratio : ratios) cells.push_back(ratio > 0 ? over_bound_text(ratio, 1.0) : "–");
      table.add(std::move(cells));
    }
    return table.text();
  }

 private:
  using Ratios = std::array<double, 2 + std::size(compared_networks)>;

  void note(const std::string& name, std::size_t column, Count figure, const std::vector<Bound>& bounds, std::string_view of) {
    auto row = std::find_if(rows_.begin(), rows_.end(), [&](const auto& each) { return each.first == name; });
    if (row == rows_.end()) row = rows_.insert(rows_.end(), {name, Ratios{}});
    Count least = 0;
    for (const Bound& bound : bounds)
      if (bound.figure == of) least = std::max(least, bound.value);
    if (least > 0) row->second[column] = std::max(row->second[column], static_cast<double>(figure) / static_cast<double>(least));
  }

  Collective collective_;
  Bytes block_bytes_;
  const std::function<void(const std::string&)>& show_;
  std::vector<std::pair<std::string, Ratios>> rows_;
};

}  // namespace

std::string worst_ratios_text(Collective collective, const std::vector<Count>& ranks, Bytes block_bytes,
                              const std::function<void(const std::string& what)>& show) {
  RatioTable table(collective, block_bytes, show);
  for (const Count count : ranks) {
    table.add(count, nullptr, 0);
    for (std::size_t kind = 0; kind < std::size(compared_networks); ++kind)
      if (const auto network = compared_network(kind, count)) table.add(count, &*network, 2 + kind);
  }
  return table.text();
}

}  // namespace quadrille::command
