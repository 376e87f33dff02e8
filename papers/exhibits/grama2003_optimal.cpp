// SPDX-License-Identifier: BSD-3-Clause
// What the slides call optimal: lower bounds by bisection, the optimal exchange on a hypercube, and improved broadcasts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "papers/exhibit.hpp"
#include "papers/problems.hpp"
#include "quadrille/simulate.hpp"

namespace quadrille::papers {
namespace {

// Compares the slides' lower bounds, from the width of the bisection, with the algorithms that they call
// asymptotically optimal.

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

double words(Collective collective, const char* specification, const Topology& network) {
  return Number(plain_price(problem_of(collective, network.ranks(), 1), specification, 0, &network).terms.at(1).amount);
}

Reproduction make_grama2003_bounds(const Making& making) {
  Reproduction made{
      .remarks = {"A bound counts both directions of a link. The slides' algorithms are up to about 4 times above it on rings and "
                  "meshes, because they use one port: a rank drives only one of its links, in one direction."}};
  const std::vector<Count> sizes = making.small ? std::vector<Count>{16, 64} : std::vector<Count>{16, 64, 256};
  Sheet& sheet = made.add_sheet({.name = "ratios", .columns = {"ranks"}});
  for (const Claim& claim : claims)
    sheet.columns.push_back(fmt::format("{}, {} ({})", claim.operation, claim.specification, claim.bound_text));
  sheet.columns.emplace_back("all-to-all personalised, hypercube");
  sheet.columns.emplace_back("log p");
  std::vector<Extremes> ranges(claims.size());
  Extremes of_cube;
  for (const Count p : sizes) {
    const Number n = p, d = std::log2(n);
    auto& row = sheet.rows.emplace_back(std::vector<Cell>{p});
    for (std::size_t i = 0; i < claims.size(); ++i) {
      making.show(fmt::format("{} among {} ranks by {}", claims[i].operation, p, claims[i].specification));
      const double ratio = words(claims[i].collective, claims[i].specification, claims[i].network(p)) / claims[i].bound(n);
      row.emplace_back(ratio);
      ranges[i].add(ratio);
    }
    const double ratio = words(Collective::alltoall, "hypercube", cube(p)) / (n / 2);
    row.insert(row.end(), {ratio, d});
    of_cube.add(ratio / d);
  }
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const std::string what =
        fmt::format("{} by {}: words over the bound ({})", claims[i].operation, claims[i].specification, claims[i].bound_text);
    made.at_least(what + ", minimum over all p", 1, ranges[i].least, claims[i].place);
    made.at_most(what + ", maximum (\"asymptotically optimal\")", claims[i].most, ranges[i].most, claims[i].place).reading();
  }
  for (const auto& [value, which] : {std::pair(of_cube.least, "minimum"), std::pair(of_cube.most, "maximum")})
    made.equal(
        fmt::format("all-to-all personalised by hypercube: words over the bound, over log p, {} (\"O(mp log p) is not optimal\")",
                    which),
        1, value, "All-to-All Personalized Communication on a Hypercube: Cost");
  Panel& panel = made.add_panel(
      {.title = "words over the bound by bisection", .x_label = "ranks", .y_label = "ratio", .log_x = true, .range_group = 0});
  for (std::size_t i = 0; i < claims.size(); ++i)
    panel.curves.push_back({i + 1,
                            fmt::format("{}, {}", claims[i].collective == Collective::allgather ? "broadcast" : "personalised",
                                        claims[i].specification),
                            claims[i].network == Topology::ring && claims[i].collective == Collective::alltoall
                                ? CurveStyle::dashed
                                : CurveStyle::line});
  panel.curves.push_back({claims.size() + 1, "personalised, hypercube"});
  panel.curves.push_back(paper_points(claims.size() + 2, "log p"));
  return made;
}

// The slides' optimal exchange on a hypercube is free of congestion: no message ever waits in a simulation with wormhole
// switching, where a waiting message would hold its links.

constexpr Bytes words_of_message = 1000;
const MessageTimes times{.latency = 1000, .gap = 1000, .per_byte = ByteTime::of_seconds(1e-12), .is_first_byte_included = false};

EventSimulation simulated(const Topology& network, const char* specification, Count channels) {
  return simulate_events(make_schedule(problem_of(Collective::alltoall, network.ranks(), words_of_message), specification), times,
                         {.topology = &network, .switching = Switching::wormhole, .channels = channels});
}

Reproduction make_grama2003_ecube(const Making& making) {
  Reproduction made{.remarks = {"Here t_s is 1000 t_w and a message has 1000 words. A rank begins its next step when it has sent "
                                "and received the message of the step before; there are no barriers.",
                                "On rings and tori two virtual channels a link, with a dateline, prevent deadlock."}};
  Sheet& sheet = made.add_sheet({.columns = {"network", "schedule", "virtual channels", "messages", "waits at links", "time (t_w)",
                                             "(p - 1) (t_s + t_w m)"}});
  constexpr const char* place = "All-to-All Personalized Communication on a Hypercube: Optimal Algorithm";
  for (const Count p : making.small ? std::vector<Count>{8} : std::vector<Count>{2, 4, 8, 16, 32, 64, 128})
    for (const char* order : {"", ",last"}) {
      const Topology cube = parse_topology(fmt::format("hypercube:{}{}", p, order));
      making.show(cube.name());
      const EventSimulation run = simulated(cube, "xor", 1);
      const Count expected = (p - 1) * 2000;
      sheet.rows.push_back({cube.name(), "xor", Count{1}, run.messages, run.link_waits, run.end, expected});
      made.equal(fmt::format("{}: messages that wait for a link (\"all paths in every communication step are congestion-free\")",
                             cube.name()),
                 0, run.link_waits, place);
      made.equal(fmt::format("{}: time (t_w), (p - 1) (t_s + t_w m)", cube.name()), expected, run.end,
                 "All-to-All Personalized Communication on a Hypercube: Cost Analysis of Optimal Algorithm");
    }
  for (const char* name : {"ring:64", "torus:8x8", "mesh:8x8"})
    for (const char* schedule : {"xor", "shift"}) {
      if (making.small) continue;
      const EventSimulation run = simulated(parse_topology(name), schedule, 2);
      sheet.rows.push_back(
          {std::string(name), std::string(schedule), Count{2}, run.messages, run.link_waits, run.end, Count{63} * 2000});
    }
  return made;
}

// Finds the sizes above which a broadcast is faster as a scatter followed by an all-to-all broadcast.

// The time of a start-up equals the time of `startup_bytes` bytes.
constexpr double startup_bytes = 1024;

double time_of(Collective collective, Count p, Bytes bytes, const char* specification) {
  return plain_price(problem_of(collective, p, bytes), specification, startup_bytes).blocking_s * 1e6;
}

// Returns the ratio m tw / ts above which the improved form is faster. Finds it by bisection, to within 64 bytes.
double crossing(Count p) {
  Bytes below = 1, above = 1024;
  const auto better = [&](Bytes units) {
    return time_of(Collective::broadcast, p, units * 64, "scatter-allgather") <
           time_of(Collective::broadcast, p, units * 64, "binomial");
  };
  while (above - below > 1) {
    const Bytes middle = (above + below) / 2;
    (better(middle) ? above : below) = middle;
  }
  return Number(above * 64) / startup_bytes;
}

Reproduction make_grama2003_optimised(const Making& making) {
  Reproduction made{
      .remarks = {"The slides do not say where the two forms cross: (ts + tw m) log p = 2 (ts log p + tw m (p - 1)/p) there. Our "
                  "value is counted in steps of a sixteenth of a start-up."}};
  const Count p = 64;
  Sheet& sheet = made.add_sheet(
      {.name = "times", .columns = {"m tw / ts", "binomial (ts)", "scatter and all-to-all broadcast (ts)", "2 (log p + m tw/ts)"}});
  made.add_panel({.title = "broadcast among 64 ranks",
                  .x_label = "m tw / ts",
                  .y_label = "time (ts)",
                  .curves = {{1, "binomial"}, {2, "scatter and all-to-all broadcast"}, paper_points(3, "2 (ts log p + tw m)")},
                  .log_x = true});
  for (Bytes bytes = 64; bytes <= 8192; bytes *= 2) {
    const double m = Number(bytes) / startup_bytes;
    sheet.rows.push_back({m, time_of(Collective::broadcast, p, bytes, "binomial") / startup_bytes,
                          time_of(Collective::broadcast, p, bytes, "scatter-allgather") / startup_bytes,
                          2 * (std::log2(64.0) + m)});
  }
  Sheet& crossings =
      made.add_sheet({.name = "crossings", .columns = {"ranks", "m tw / ts, counted", "log p / (log p - 2 (p - 1)/p)"}});
  made.add_panel({.title = "where the improved form becomes faster",
                  .x_label = "ranks",
                  .y_label = "m tw / ts",
                  .curves = {{1, "counted"}, {2, "log p / (log p - 2 (p - 1)/p)", CurveStyle::dashed}},
                  .log_x = true});
  for (const Count n : {8, 16, 32, 64, 256}) {
    making.show(fmt::format("broadcast among {} ranks", n));
    const double d = std::log2(Number(n));
    const double said = d / (d - 2 * Number(n - 1) / Number(n)), ours = crossing(n);
    crossings.rows.push_back({n, ours, said});
    made.equal(fmt::format("{} ranks: m tw / ts from which the improved broadcast is faster, log p / (log p - 2 (p - 1)/p)", n),
               said, ours, "Optimizations of standard algorithms; Optimized one-to-all")
        .within(0.05);
  }
  for (const auto& [collective, specification] : {std::pair(Collective::broadcast, "scatter-allgather"),
                                                  {Collective::reduce, "reduce-scatter-gather"},
                                                  {Collective::allreduce, "circulant"}})
    made.equal(fmt::format("{} of 64 KiB on 64 ranks: time over 2 (ts log p + tw m)", name(collective)), 1,
               time_of(collective, p, 65536, specification) / (2 * (startup_bytes * 6 + 65536)),
               collective == Collective::broadcast ? "Optimized one-to-all" : "Application of concepts to reductions")
        .tolerance = 1.0 / 64;
  return made;
}

}  // namespace

extern const Exhibit grama2003_bounds{
    .title = "Lower bounds by bisection",
    .source = "grama2003, all-to-all broadcast and personalised communication",
    .about =
        "words counted on the networks, divided by those that have to cross the bisection; if an algorithm is asymptotically "
        "optimal, the ratio stays between constants",
    .make = make_grama2003_bounds,
};

extern const Exhibit grama2003_ecube{
    .title = "The optimal exchange on hypercubes with wormhole switching",
    .source = "grama2003, all-to-all personalised communication on a hypercube",
    .about = "simulated by events, with messages that hold links while they wait: how often a message waits, and the time",
    .make = make_grama2003_ecube,
};

extern const Exhibit grama2003_optimised{
    .title = "Improved broadcast, reduction and all-reduce",
    .source = "grama2003, optimisations of standard algorithms",
    .about = "schedules priced by the linear model, in start-ups; the slides leave open when the improved form is faster",
    .make = make_grama2003_optimised,
};

}  // namespace quadrille::papers
