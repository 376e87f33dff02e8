// SPDX-License-Identifier: BSD-3-Clause
// Which exchange among nodes is faster by [sanders2002]: its measurements simulated, and its sentences beside what a plan takes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "papers/exhibit.hpp"
#include "papers/exhibits/conclusions.hpp"
#include "papers/problems.hpp"
#include "quadrille/simulate.hpp"

namespace quadrille::papers {
namespace {

// Tests the paper's measurement that the clustered exchange is faster than posting all messages at once. Both are simulated event
// by event, on the links of six small hosts and on a larger cluster.

// Measured on links of 100 Mbit/s between several hosts on one machine: the time of a byte between two hosts, and of
// a message without data.
const Coefficients links{{"startup_us", 8}, {"transfer_us_per_byte", 1 / 11.97}, {"ports", 1}};

struct Distribution {
  std::string name;
  std::vector<Count> sizes;  // number of processes on each node
};

std::vector<Distribution> distributions() {
  std::vector<Distribution> list{
      {"regular", {4, 4, 4, 4, 4, 4}}, {"organ pipe", {1, 2, 4, 4, 2, 1}}, {"alternating full and small", {4, 1, 4, 1, 4, 1}}};
  std::mt19937_64 bits(2002);
  for (int drawn = 1; drawn <= 3; ++drawn) {
    Distribution& random = list.emplace_back(Distribution{fmt::format("random {}", drawn), {}});
    for (int node = 0; node < 6; ++node) random.sizes.push_back(static_cast<Count>(1 + bits() % 4));
  }
  return list;
}

// Returns a network in which the processes of each node share one link to a crossbar.
Topology crossbar(const std::vector<Count>& sizes) {
  std::string edges;
  Rank rank = 0;
  for (std::size_t node = 0; node < sizes.size(); ++node) {
    for (Count i = 0; i < sizes[node]; ++i) edges += fmt::format("{} node-{}\n", rank++, node);
    edges += fmt::format("node-{} crossbar\n", node);
  }
  return parse_edge_list(edges, "crossbar");
}

double seconds(const std::vector<Count>& sizes, Bytes block_bytes, const char* specification) {
  const Topology network = crossbar(sizes);
  return seconds_of(simulate_events(make_schedule(on_nodes(sizes, block_bytes), specification),
                                    message_times(*find_model("linear"), links), {.topology = &network})
                        .end);
}

// Returns the time of the bytes on the busiest node's link, which is a lower bound for every algorithm.
double least_seconds(const std::vector<Count>& sizes, Bytes block_bytes) {
  const Count p = std::accumulate(sizes.begin(), sizes.end(), Count{0});
  Count most = 0;
  for (const Count size : sizes) most = std::max(most, size * (p - size));
  return Number(most * block_bytes) * links.at("transfer_us_per_byte") * 1e-6;
}

constexpr const char* bandwidth_place = "section 4, last paragraph";
constexpr const char* no_congestion =
    "in the simulation messages that meet at a link wait in a queue without loss or additional cost, so posting all of them at "
    "once keeps every link busy; the paper gained by avoiding the congestion of real switches and adapters and the cost of "
    "handling many messages at a time, for which it gives no figures";

void compare_bandwidths(double least, double least_where_they_vary, double most_where_they_vary, Reproduction& made) {
  made.at_least(
          "six nodes of up to four processes: bandwidth of the clustered exchange over that of the trivial one, minimum (\"never "
          "performs worse\")",
          1, least, bandwidth_place)
      .reason = no_congestion;
  made.at_least(
          "six nodes of varying numbers of processes: bandwidth of clustered over trivial, minimum (\"achieves at least 10% .. "
          "higher bandwidth when the number of active processes per SMP varies\")",
          1.1, least_where_they_vary, bandwidth_place)
      .reason = no_congestion;
  made.at_least(
          "six nodes of varying numbers of processes: bandwidth of clustered over trivial, maximum (\"and sometimes up to 20%\")",
          1.2, most_where_they_vary, bandwidth_place)
      .because(no_congestion)
      .reading();
}

void add_six_nodes(const std::vector<Bytes>& lengths, const Making& making, Reproduction& made) {
  Sheet sheet{.name = "six-nodes",
              .columns = {"distribution", "processes", "bytes per block", "trivial (ms)", "clustered (ms)",
                          "bandwidth of clustered over trivial", "time of the busiest link's bytes alone, over trivial",
                          "time of the busiest link's bytes alone, over clustered"}};
  Sheet ratios{.name = "ratios", .columns = {"distribution"}};
  for (const Bytes length : lengths) ratios.columns.push_back(fmt::format("{} bytes per block", length));
  ratios.columns.emplace_back("paper");
  double most_above = 0;  // the trivial algorithm's largest relative excess over the time of the bytes alone
  double least = 1e300, least_where_they_vary = 1e300, most_where_they_vary = 0;
  for (const Distribution& distribution : distributions()) {
    making.show(distribution.name);
    auto& ratio_row = ratios.rows.emplace_back(std::vector<Cell>{distribution.name});
    const bool varies = distribution.name != "regular";
    for (const Bytes length : lengths) {
      const double trivial = seconds(distribution.sizes, length, "direct"), ours = seconds(distribution.sizes, length, "clustered");
      const double ratio = trivial / ours, bytes_alone = least_seconds(distribution.sizes, length);
      sheet.rows.push_back({distribution.name, fmt::format("{}", fmt::join(distribution.sizes, " ")), length, trivial * 1e3,
                            ours * 1e3, ratio, bytes_alone / trivial, bytes_alone / ours});
      ratio_row.emplace_back(ratio);
      least = std::min(least, ratio);
      most_above = std::max(most_above, trivial / bytes_alone - 1);
      if (!varies) continue;
      least_where_they_vary = std::min(least_where_they_vary, ratio);
      most_where_they_vary = std::max(most_where_they_vary, ratio);
    }
    ratio_row.emplace_back(varies ? Cell{1.1} : Cell{1.0});
  }
  compare_bandwidths(least, least_where_they_vary, most_where_they_vary, made);
  made.remarks.push_back(
      fmt::format("On six nodes the trivial algorithm takes at most {:.1f} % longer than the bytes of the busiest link alone, and "
                  "the clustered one takes up to {:.2f} times as long as the trivial one. So the clustered one is faster in all "
                  "distributions only if the trivial one loses that much to congestion.",
                  most_above * 100, 1 / least));
  made.remarks.emplace_back(
      "The picture has no points for the paper's 1.2 and 2: \"sometimes up to 20%\" names no distribution, and the factor of two "
      "is for another cluster, whose size is not given.");
  const std::size_t shown = index(std::find(lengths.begin(), lengths.end(), 8192) - lengths.begin());
  made.panels.push_back({.title = "six nodes of up to four processors, 8192 bytes per block",
                         .x_label = "processes of the nodes",
                         .y_label = "bandwidth of clustered over trivial",
                         .sheet = 1,
                         .curves = {{1 + shown, "simulated"}, paper_points(1 + lengths.size(), "at least (section 4)")},
                         .kind = PanelKind::bars});
  made.sheets = {std::move(sheet), std::move(ratios)};
}

void add_larger_clusters(const std::vector<Bytes>& lengths, const Making& making, Reproduction& made) {
  Sheet large{.name = "large-cluster",
              .columns = {"nodes", "processes per node", "bytes per block", "trivial (ms)", "clustered (ms)",
                          "bandwidth of clustered over trivial"}};
  double most = 0;
  for (const auto& [nodes, size] : {std::pair<Count, Count>{8, 8}, {16, 8}, {8, 16}}) {
    if (making.small && nodes * size > 64) continue;
    making.show(fmt::format("{} nodes of {}", nodes, size));
    const std::vector<Count> sizes(index(nodes), size);
    for (const Bytes length : lengths) {
      const double trivial = seconds(sizes, length, "direct"), ours = seconds(sizes, length, "clustered");
      large.rows.push_back({nodes, size, length, trivial * 1e3, ours * 1e3, trivial / ours});
      most = std::max(most, trivial / ours);
    }
  }
  made.at_least(
          "larger clusters with a crossbar: bandwidth of the clustered exchange over that of the trivial one, maximum (\"speed-up "
          "over a trivial all-to-all algorithm by a factor of two and more\")",
          2, most, bandwidth_place)
      .reason = no_congestion;
  made.sheets.push_back(std::move(large));
}

Reproduction make_sanders2002_bandwidth(const Making& making) {
  Reproduction made{.remarks = {fmt::format(
                        "A link carries {:.2f} MB/s, and a message costs {} µs. These values were measured on a test network with "
                        "links of 100 Mbit/s between several hosts on one machine; they are not Giganet's. Each process has one "
                        "port, and the processes of a node share the link of the node to the crossbar. The trivial algorithm is "
                        "`direct`, which posts all messages at once; the clustered one starts an exchange when the previous one is "
                        "complete. Both send the same bytes, so the ratio of their bandwidths is the inverse ratio of their times.",
                        1 / links.at("transfer_us_per_byte"), links.at("startup_us"))}};
  const std::vector<Bytes> lengths = making.small ? std::vector<Bytes>{8192} : std::vector<Bytes>{1024, 8192, 65536};
  add_six_nodes(lengths, making, made);
  add_larger_clusters(lengths, making, made);
  return made;
}

// What [sanders2002] says about when which exchange among nodes is better, beside what a plan takes.

Planner on(const std::vector<Count>& sizes, Bytes bytes) {
  return Planner({fmt::format("Myrinet, nodes of {}, {} B", fmt::join(sizes, "+"), bytes), on_nodes(sizes, bytes),
                  machine_of_paper("myrinet")});
}

Reproduction make_sanders2002_conclusions(const Making& making) {
  Reproduction made =
      conclusions_of({"Myrinet is the network of the paper's section 1 for which figures are known; messages inside nodes "
                      "cost nothing."});
  const std::vector<std::vector<Count>> distributions =
      making.small ? std::vector<std::vector<Count>>{{1, 2, 3}}
                   : std::vector<std::vector<Count>>{{4, 4, 4, 4, 4, 4}, {1, 2, 4, 4, 2, 1}, {4, 1, 4, 1, 4, 1}, {1, 2, 3}};
  const Bytes brief = 64, lengthy = 1 << 20;
  for (const auto& sizes : distributions) {
    making.show(fmt::format("{}", fmt::join(sizes, "+")));
    Planner with_short = on(sizes, brief), with_long = on(sizes, lengthy);
    for (Planner* planner : {&with_short, &with_long})
      planner->add(
          made, {.words = "The new algorithm never performs worse [than the trivial, native algorithm]",
                 .place = "section 4",
                 .better = "clustered",
                 .than = "direct",
                 .reason = "the model counts the exchanges of the busiest node, and in the one round of the trivial algorithm "
                           "no node waits for another; matchings of an odd number of active nodes leave one idle "
                           "(decomposition=permutations does not). What the paper gained, less congestion, is not in the model"});
    with_short.add(
        made, {.words = "Trade-offs between communication volume and number of communication start-ups were studied in [3, 5], "
                        "which achieve algorithms that are faster for small messages",
               .place = "section 1",
               .better = "combined",
               .than = "clustered"});
    with_long.add(
        made, {.words = "The new algorithm is optimal with respect to the time a processor spends waiting or transmitting data up "
                        "to an additive term that is bounded by the time needed for data exchange inside a node",
               .place = "section 1",
               .better = "clustered",
               .reason = "by the model whatever moves as many bytes in one round is as fast as the busiest node; the additive "
                         "term is the time in which this node is paired with itself or idle"});
  }
  return made;
}

}  // namespace

extern const Exhibit sanders2002_bandwidth{
    .id = "sanders2002-bandwidth",
    .title = "Bandwidth of the clustered exchange",
    .source = "sanders2002, section 4",
    .about =
        "simulated event by event on links with queues; the paper measured on a Giganet cluster and on a large cluster with a "
        "crossbar, and gives no times",
    .make = make_sanders2002_bandwidth,
};

extern const Exhibit sanders2002_conclusions{
    .id = "sanders2002-conclusions",
    .title = "Which exchange among nodes is better when, and what a plan takes",
    .source = "sanders2002, sections 1 and 4",
    .about =
        "each sentence that says what is better when, with both times by the cluster model, beside what a plan takes among all "
        "algorithms",
    .make = make_sanders2002_conclusions,
};

}  // namespace quadrille::papers
