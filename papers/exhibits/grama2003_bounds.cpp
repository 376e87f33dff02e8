// SPDX-License-Identifier: BSD-3-Clause
// Compares the slides' lower bounds, from the width of the bisection, with the algorithms that they call
// asymptotically optimal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "papers/exhibit.hpp"
#include "papers/machines.hpp"

namespace quadrille::papers {
namespace {

struct Claim {
  const char* operation;
  Collective collective;
  const char* specification;
  Topology (*network)(Count p);
  double (*bound)(double p);  // lower bound on the words, divided by m
  const char* bound_text;
  double most;  // upper limit of our words divided by the bound, for all p
  const char* place;
};

Topology square_mesh(Count p) {
  const auto side = static_cast<Count>(std::sqrt(Number(p)));
  return Topology::mesh({side, side});
}

Topology cube(Count p) { return Topology::hypercube(p); }

// Each direction of the bisection carries half of the words that cross it. The bisection has two links in a ring, sqrt p in
// a mesh, p/2 in a hypercube.
const std::vector<Claim> claims{
    {"all-to-all broadcast", Collective::allgather, "ring", Topology::ring, [](double p) { return p / 4; },
     "p/2 words over 2 links: p/4", 4, "Analysis of ring all-to-all broadcast algorithm"},
    {"all-to-all broadcast", Collective::allgather, "mesh", square_mesh, [](double p) { return p - 1; },
     "a rank receives p - 1 words", 1, "Mesh based All-to-All broadcast Analysis"},
    {"all-to-all personalised", Collective::alltoall, "ring", Topology::ring, [](double p) { return p * p / 8; },
     "p^2/4 words each way over 2 links: p^2/8", 4, "All-to-All Personalized Communication on a Ring: Cost"},
    {"all-to-all personalised", Collective::alltoall, "mesh", square_mesh, [](double p) { return p * std::sqrt(p) / 4; },
     "p^2/4 words each way over sqrt(p) links", 4, "All-to-All Personalized Communication on a Mesh: Cost"},
    {"all-to-all personalised, optimal", Collective::alltoall, "xor", cube, [](double p) { return p / 2; },
     "p^2/4 words each way over p/2 links", 2,
     "All-to-All Personalized Communication on a Hypercube: Cost Analysis of Optimal Algorithm"}};

// Returns the words divided by m in the linear model. The words of a round are multiplied by the number of messages
// on its busiest link.
double words(Collective collective, const char* specification, const Topology& network) {
  const Coefficients plain{{"startup_us", 0}, {"transfer_us_per_byte", 1}, {"ports", 1}};
  const Problem problem = problem_of(collective, network.ranks(), 1);
  return Number(price_of(workload(make_schedule(problem, specification), {.topology = &network}), *find_model("linear"), plain)
                    .terms.at(1)
                    .amount);
}

Reproduction make_grama2003_bounds(const Making& making) {
  Reproduction made{
      .remarks = {"A bound counts both directions of a link. The slides' algorithms are up to about 4 times above it on rings and "
                  "meshes, because they use one port: a rank drives only one of its links, in one direction."}};
  const std::vector<Count> sizes = making.small ? std::vector<Count>{16, 64} : std::vector<Count>{16, 64, 256};
  Sheet sheet{.name = "ratios", .columns = {"ranks"}};
  for (const Claim& claim : claims)
    sheet.columns.push_back(fmt::format("{}, {} ({})", claim.operation, claim.specification, claim.bound_text));
  sheet.columns.emplace_back("all-to-all personalised, hypercube");
  sheet.columns.emplace_back("log p");
  std::vector<double> most(claims.size(), 0), least(claims.size(), 1e300);
  double most_of_cube = 0, least_of_cube = 1e300;
  for (const Count p : sizes) {
    const Number n = p, d = std::log2(n);
    auto& row = sheet.rows.emplace_back(std::vector<Cell>{p});
    for (std::size_t i = 0; i < claims.size(); ++i) {
      making.show(fmt::format("{} among {} ranks by {}", claims[i].operation, p, claims[i].specification));
      const double ratio = words(claims[i].collective, claims[i].specification, claims[i].network(p)) / claims[i].bound(n);
      row.emplace_back(ratio);
      most[i] = std::max(most[i], ratio);
      least[i] = std::min(least[i], ratio);
    }
    const double ratio = words(Collective::alltoall, "hypercube", cube(p)) / (n / 2);
    row.insert(row.end(), {ratio, d});
    most_of_cube = std::max(most_of_cube, ratio / d);
    least_of_cube = std::min(least_of_cube, ratio / d);
  }
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const std::string what =
        fmt::format("{} by {}: words over the bound ({})", claims[i].operation, claims[i].specification, claims[i].bound_text);
    made.at_least(what + ", minimum over all p", 1, least[i], claims[i].place);
    made.at_most(what + ", maximum (\"asymptotically optimal\")", claims[i].most, most[i], claims[i].place).is_reading = true;
  }
  for (const auto& [value, which] : {std::pair(least_of_cube, "minimum"), std::pair(most_of_cube, "maximum")})
    made.equal(
        fmt::format("all-to-all personalised by hypercube: words over the bound, over log p, {} (\"O(mp log p) is not optimal\")",
                    which),
        1, value, "All-to-All Personalized Communication on a Hypercube: Cost");
  Panel panel{.title = "words over the bound by bisection",
              .x_label = "ranks",
              .y_label = "ratio",
              .sheet = 0,
              .log_x = true,
              .range_group = 0};
  for (std::size_t i = 0; i < claims.size(); ++i)
    panel.curves.push_back({i + 1,
                            fmt::format("{}, {}", claims[i].collective == Collective::allgather ? "broadcast" : "personalised",
                                        claims[i].specification),
                            claims[i].network == Topology::ring && claims[i].collective == Collective::alltoall
                                ? CurveStyle::dashed
                                : CurveStyle::line});
  panel.curves.push_back({claims.size() + 1, "personalised, hypercube"});
  panel.curves.push_back(paper_points(claims.size() + 2, "log p"));
  made.sheets.push_back(std::move(sheet));
  made.panels.push_back(std::move(panel));
  return made;
}

}  // namespace

extern const Exhibit grama2003_bounds{
    .id = "grama2003-bounds",
    .title = "Lower bounds by bisection",
    .source = "grama2003, all-to-all broadcast and personalised communication",
    .about =
        "words counted on the networks, divided by those that have to cross the bisection; if an algorithm is asymptotically "
        "optimal, the ratio stays between constants",
    .make = make_grama2003_bounds,
};

}  // namespace quadrille::papers
