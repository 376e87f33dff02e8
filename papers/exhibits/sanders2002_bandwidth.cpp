// SPDX-License-Identifier: BSD-3-Clause
// Which exchange among nodes [sanders2002] calls faster. Simulates the paper's measurements, and compares its sentences with the
// choice of a plan.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <set>

#include "papers/exhibit.hpp"
#include "papers/exhibits/conclusions.hpp"
#include "papers/problems.hpp"
#include "quadrille/simulate.hpp"

namespace quadrille::papers {
namespace {

// The paper's measurement that the clustered exchange is faster than posting all messages at once. On the paper's machine a node
// takes part in one communication operation with another node at a time. A posted message is an operation. An exchange of the
// clustered algorithm, which goes both ways, is one operation, too. All operations take equally long, so the ratio of the
// bandwidths is the inverse ratio of the steps. For contrast, both algorithms are also simulated event by event with full-duplex
// ports.

// Returns the number of steps. In each step, goes over the messages in the order in which the processes post them, and takes a
// message if both of its nodes are still free. `by_distance`: process u posts its messages for u + 1, u + 2, ..; otherwise for 0,
// 1, .. `answered`: a step that takes a message also takes the message in the other direction.
Count posted_steps(const std::vector<Count>& sizes, bool by_distance, bool answered) {
  const std::vector<Count> nodes = on_nodes(sizes).nodes;
  const auto p = static_cast<Rank>(nodes.size());
  std::vector<std::pair<Rank, Rank>> waiting;
  for (Rank i = 0; i < p; ++i)
    for (Rank from = 0; from < p; ++from)
      if (const Rank to = by_distance ? (from + i) % p : i; nodes[index(from)] != nodes[index(to)]) waiting.emplace_back(from, to);
  std::set<std::pair<Rank, Rank>> taken;
  Count steps = 0;
  for (; !waiting.empty(); ++steps) {
    std::vector<bool> busy(sizes.size(), false);
    std::erase_if(waiting, [&](const auto& message) {
      const auto [from, to] = message;
      if (answered && taken.contains({to, from})) return true;
      const std::size_t one = index(nodes[index(from)]), other = index(nodes[index(to)]);
      if (busy[one] || busy[other]) return false;
      busy[one] = busy[other] = true;
      if (answered) taken.insert(message);
      return true;
    });
  }
  return steps;
}

Count clustered_steps(const std::vector<Count>& sizes) {
  return make_schedule(on_nodes(sizes), "clustered").program(0).stages.back().first_round;  // messages within nodes come last
}

// Measured on links of 100 Mbit/s between several hosts on one machine: the time per byte between two hosts, and the time of a
// message without data.
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

constexpr const char* bandwidth_place = "section 4, last paragraph";
constexpr const char* exchanges_take_longer =
    "section 3 says that nodes that exchange \"communicate bidirectionally and hence take longer\", but not how much longer; our "
    "values are those if the trivial algorithm's messages meet their answers, and if an exchange takes no longer than one message";

// Adds a row for nodes of these sizes. Returns the bandwidth of the clustered algorithm over that of the trivial algorithm with
// the best order of messages. In the trivial algorithm each message is an operation of its own. So it takes at least twice as
// many steps as exchanges would.
double add_steps(Sheet& sheet, const std::string& name, const std::vector<Count>& sizes, Cell full_duplex) {
  const Count least = least_exchange_steps(sizes), ours = clustered_steps(sizes);
  const auto posted = [&](bool answered) {
    return std::pair(posted_steps(sizes, false, answered), posted_steps(sizes, true, answered));
  };
  const auto single = posted(false), answered = posted(true);
  sheet.rows.push_back({name, fmt::format("{}", fmt::join(sizes, " ")), least, ours, 2 * least, single.first, single.second,
                        ratio(2 * least, ours), answered.first, answered.second,
                        ratio(std::min(answered.first, answered.second), ours), std::move(full_duplex)});
  return ratio(2 * least, ours);
}

const std::vector<std::string> step_columns{"distribution",
                                            "processes",
                                            "least steps of exchanges",
                                            "steps of clustered",
                                            "trivial: least steps of single messages",
                                            "trivial: steps as posted by rank",
                                            "trivial: steps as posted by distance",
                                            "bandwidth of clustered over trivial, at least",
                                            "if each message meets its answer: steps by rank",
                                            "if each meets its answer: steps by distance",
                                            "if each meets its answer: bandwidth of clustered over trivial",
                                            "on full-duplex ports: bandwidth of clustered over trivial, simulated"};

void compare_six_nodes(const Making& making, Reproduction& made) {
  Sheet& sheet = made.add_sheet({.name = "six-nodes", .columns = step_columns});
  Sheet& bars = made.add_sheet({.name = "ratios", .columns = {"distribution", "least", "paper"}});
  made.add_panel({.title = "six nodes of up to four processors, one operation of a node at a time",
                  .x_label = "processes of the nodes",
                  .y_label = "bandwidth of clustered over trivial, at least",
                  .curves = {{1, "by steps"}, paper_points(2, "at least (section 4)")},
                  .kind = PanelKind::bars});
  Extremes all, vary, all_answered, vary_answered;  // the latter two if each message meets its answer
  for (const Distribution& distribution : distributions()) {
    making.show(distribution.name);
    const double full_duplex = seconds(distribution.sizes, 8192, "direct") / seconds(distribution.sizes, 8192, "clustered");
    const double over = add_steps(sheet, distribution.name, distribution.sizes, full_duplex);
    const bool varies = distribution.name != "regular";
    bars.rows.push_back({distribution.name, over, varies ? 1.1 : 1.0});
    all.add(over);
    const double answered = std::get<double>(sheet.rows.back()[10]);
    all_answered.add(answered);
    if (varies) vary.add(over), vary_answered.add(answered);
  }
  const std::string of = "six nodes of up to four processes: bandwidth of the clustered exchange over that of the trivial one";
  made.at_least(of + ", minimum (\"never performs worse\")", 1, all.least, bandwidth_place)
      .because(exchanges_take_longer)
      .from_to(all_answered.least, all.least);
  made.at_least(
          "numbers of processes that vary: the same, minimum (\"achieves at least 10% .. higher bandwidth when the number of "
          "active processes per SMP varies\")",
          1.1, vary.least, bandwidth_place)
      .because(exchanges_take_longer)
      .from_to(vary_answered.least, vary.least);
  made.at_least("numbers of processes that vary: the same, maximum (\"and sometimes up to 20%\")", 1.2, vary.most, bandwidth_place)
      .because(exchanges_take_longer)
      .from_to(vary_answered.most, vary.most)
      .reading();
  made.at_most("the same if each message meets its answer, maximum: what was measured lies between both cases", 1.2,
               vary_answered.most, bandwidth_place)
      .reading();
}

void compare_larger_clusters(const Making& making, Reproduction& made) {
  Sheet& large = made.add_sheet({.name = "large-cluster", .columns = step_columns});
  double least = 1e300, answered = 1e300;
  for (const auto& [nodes, size] : {std::pair<Count, Count>{8, 8}, {16, 8}, {8, 16}}) {
    if (making.small && nodes * size > 64) continue;
    making.show(fmt::format("{} nodes of {}", nodes, size));
    least = std::min(least, add_steps(large, "regular", std::vector<Count>(index(nodes), size), std::monostate{}));
    answered = std::min(answered, std::get<double>(large.rows.back()[10]));
  }
  made.at_least(
          "larger clusters with a crossbar: bandwidth of the clustered exchange over that of the trivial one, minimum (\"speed-up "
          "over a trivial all-to-all algorithm by a factor of two and more\")",
          2, least, bandwidth_place)
      .because(exchanges_take_longer)
      .from_to(answered, least);
}

Reproduction make_sanders2002_bandwidth(const Making& making) {
  Reproduction made{
      .remarks = {fmt::format("The trivial algorithm is `direct`, which posts all messages at once. On the paper's machine each is "
                              "an operation of both its nodes, so in the best order it takes twice the least number of matchings. "
                              "The paper's 10 to 20 % lie between this and the case in which each message meets its answer. On "
                              "full-duplex ports (links of {:.2f} MB/s with queues, {} µs a message, 8192 B a block) no node waits "
                              "for another, and the clustered exchange gains nothing: that is another machine than the paper's.",
                              1 / links.at("transfer_us_per_byte"), links.at("startup_us")),
                  "The picture has no points for the paper's 1.2 and 2: \"sometimes up to 20%\" names no distribution, and the "
                  "factor of two is for another cluster, whose size is not given."}};
  compare_six_nodes(making, made);
  compare_larger_clusters(making, made);
  return made;
}

// Which exchange among nodes [sanders2002] calls better in which case, compared with the choice of a plan.

Planner on(const std::vector<Count>& sizes, Bytes bytes) {
  return Planner({fmt::format("Myrinet, nodes of {}, {} B", fmt::join(sizes, "+"), bytes), on_nodes(sizes, bytes),
                  machine_of_paper("myrinet")});
}

Reproduction make_sanders2002_conclusions(const Making& making) {
  Reproduction made = conclusions_of(
      {"Myrinet is the network of the paper's section 1 for which figures are known; a node communicates with "
       "one other node at a time, and messages inside nodes cost nothing. But the n^2 steps inside a node, the paper's additive "
       "term, are allowed at the price of messages between nodes: nodes of 4+1+4+1+4+1 are within it for this reason only. The "
       "price of direct, all of whose exchanges "
       "are in one round, is the least of all schedules that send each block by itself, by matchings.",
       "\"The new algorithm never performs worse\" was measured, and is judged in `sanders2002-bandwidth`: a price "
       "takes the best order of a round's messages, and the trivial algorithm posts them in any order.",
       "The algorithm of [3] is bruck with its best radix here; the sentence about [3, 5] is about machines without nodes."});
  const std::vector<std::vector<Count>> distributions =
      making.small ? std::vector<std::vector<Count>>{{1, 2, 3}}
                   : std::vector<std::vector<Count>>{{4, 4, 4, 4, 4, 4}, {1, 2, 4, 4, 2, 1}, {4, 1, 4, 1, 4, 1}, {1, 2, 3}};
  const Bytes brief = 64, lengthy = 1 << 20;
  for (const auto& sizes : distributions) {
    making.show(fmt::format("{}", fmt::join(sizes, "+")));
    Planner with_short = on(sizes, brief), with_long = on(sizes, lengthy);
    std::string best = "bruck:radix=2";
    for (const char* other : {"bruck:radix=3", "bruck:radix=4", "bruck:radix=6"})
      if (with_short.seconds(other, Policy::blocking) < with_short.seconds(best, Policy::blocking)) best = other;
    with_short.add(
        made, {.words = "Trade-offs between communication volume and number of communication start-ups were studied in [3, 5], "
                        "which achieve algorithms that are faster for small messages",
               .place = "section 1",
               .better = best,
               .than = "clustered"});
    made.comparisons.at(made.comparisons.size() - 2)
        .found(Outcome::beyond_assumptions, {}, "the sentence is about machines without nodes, and six ranks save few start-ups");
    const Count n = *std::max_element(sizes.begin(), sizes.end()), least = least_exchange_steps(sizes);
    with_long.add(made,
                  {.words = fmt::format(
                       "The new algorithm is optimal with respect to the time a processor spends waiting or transmitting data up "
                       "to an additive term that is bounded by the time needed for data exchange inside a node [{} of {} steps]",
                       n * n, least),
                   .place = "section 1",
                   .better = "clustered",
                   .than = "direct",
                   .at_most = 1 + ratio(n * n, least)});
  }
  return made;
}

}  // namespace

extern const Exhibit sanders2002_bandwidth{
    .title = "Bandwidth of the clustered exchange",
    .source = "sanders2002, section 4",
    .about =
        "operations of nodes counted step by step, one of a node at a time; the paper measured on a Giganet cluster and on a large "
        "cluster with a crossbar, and gives no times",
    .make = make_sanders2002_bandwidth,
};

extern const Exhibit sanders2002_conclusions{
    .title = "Which exchange among nodes is better when, and what a plan takes",
    .source = "sanders2002, sections 1 and 4",
    .about =
        "each sentence that says what is better when, with both times by the cluster model, beside what a plan takes among all "
        "algorithms",
    .make = make_sanders2002_conclusions,
};

}  // namespace quadrille::papers
