// SPDX-License-Identifier: BSD-3-Clause
// The bytes that Bine trees and butterflies send over the links between groups of dragonflies and pods of fat trees, compared with
// binomial ones that work in the same order, for several ways of placing the ranks of a job.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>

#include "papers/exhibit.hpp"
#include "papers/problems.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille::papers {
namespace {

struct Rivals {
  const char* name;
  Collective collective;
  const char* bine;
  const char* binomial;
};

// In each pair both algorithms send the most data to the nearest partner, or both send whole vectors. So only the distances
// differ.
const std::vector<Rivals> rivals{
    {"broadcast", Collective::broadcast, "bine", "binomial"},
    {"gather", Collective::gather, "bine", "binomial"},
    {"allgather", Collective::allgather, "bine:first=far", "recursive-doubling:first=far"},
    {"reduce_scatter", Collective::reduce_scatter, "bine:first=near", "recursive-halving:first=near"},
    {"allreduce, whole vectors", Collective::allreduce, "bine:form=whole", "recursive-doubling"},
    {"allreduce, shares", Collective::allreduce, "bine:form=shares",
     "reduce-scatter-allgather:scatter=recursive-halving:first=near,gather=recursive-doubling:first=far"},
    {"alltoall", Collective::alltoall, "bine", "hypercube"}};

struct HostTraffic {
  Rank from = 0, to = 0;
  Bytes bytes = 0;
};

// Returns the bytes of all messages between each two ranks.
std::vector<HostTraffic> host_traffic(Collective collective, Count p, const char* specification) {
  const Schedule schedule = make_schedule(problem_of(collective, p, has_blocks(collective) ? 1 : p), specification);
  std::map<std::pair<Rank, Rank>, Bytes> sums;
  for (Rank rank = 0; rank < p; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends) sums[{rank, message.peer}] += bytes(message.regions);
  std::vector<HostTraffic> list;
  for (const auto& [ranks, sum] : sums) list.push_back({ranks.first, ranks.second, sum});
  return list;
}

// A network whose hosts are in groups with few links between them.
class Site {
 public:
  Site(std::string name, Topology network, std::function<bool(const Link&)> is_global)
      : name_(std::move(name)), network_(std::move(network)), is_global_(std::move(is_global)) {}

  const std::string& name() const { return name_; }
  Count hosts() const { return network_.ranks(); }

  // Returns the bytes that pass the global links, if rank i is on host hosts[i].
  double global_bytes(const std::vector<HostTraffic>& traffic, const std::vector<Rank>& hosts) {
    double sum = 0;
    for (const HostTraffic& each : traffic) sum += Number(each.bytes * crossings(hosts[index(each.from)], hosts[index(each.to)]));
    return sum;
  }

 private:
  Count crossings(Rank from, Rank to) {
    const auto [found, is_new] = crossings_.try_emplace(from * hosts() + to, 0);
    if (is_new) network_.for_each_link(from, to, {}, [&](const Link& link) { found->second += is_global_(link) ? 1 : 0; });
    return found->second;
  }

  std::string name_;
  Topology network_;
  std::function<bool(const Link&)> is_global_;
  std::map<Count, Count> crossings_;
};

Site dragonfly(Count groups, Count routers, Count ranks_per_router) {
  const Topology network = Topology::dragonfly(groups, routers, ranks_per_router);
  const Count hosts = network.ranks();
  return {fmt::format("dragonfly, {} groups of {}", groups, routers * ranks_per_router), network, [=](const Link& link) {
            return link.from >= hosts && link.to >= hosts && (link.from - hosts) / routers != (link.to - hosts) / routers;
          }};
}

// Counts the links up to the switches at the top, which join the pods, or the links up from the lowest switches.
Site fat_tree(Count ports, bool at_the_top) {
  const Topology network = Topology::fat_tree(ports);
  const Count hosts = network.ranks(), switches = ports * ports / 2, half = ports / 2;
  const Count first = at_the_top ? hosts + 2 * switches : hosts + switches, end = first + (at_the_top ? half * half : switches);
  return {at_the_top ? fmt::format("fat tree, between {} pods of {}", ports, half * half)
                     : fmt::format("fat tree, above {} switches of {}", switches, half),
          network, [=](const Link& link) { return link.to >= first && link.to < end && link.from < first && link.from >= hosts; }};
}

std::vector<Rank> consecutive(Count p, Rank first) {
  std::vector<Rank> hosts(index(p));
  std::iota(hosts.begin(), hosts.end(), first);
  return hosts;
}

Count below(Count limit, std::mt19937_64& random) { return static_cast<Count>(random() % static_cast<std::uint64_t>(limit)); }

std::vector<Rank> scattered(Count p, Count hosts, std::mt19937_64& random) {
  std::vector<Rank> all = consecutive(hosts, 0);
  for (Count i = hosts - 1; i > 0; --i) std::swap(all[index(i)], all[index(below(i + 1, random))]);
  all.resize(index(p));
  return all;
}

// The free hosts with the lowest numbers. The machine was filled with jobs of 1 to 128 hosts, which were placed in the same way
// and end in random order.
std::vector<Rank> scheduled(Count p, Count hosts, std::mt19937_64& random) {
  std::vector<bool> taken(index(hosts), false);
  std::vector<std::vector<Rank>> jobs;
  Count free_hosts = hosts;
  const auto start = [&](Count size) {
    std::vector<Rank> job;
    for (Rank host = 0; host < hosts && static_cast<Count>(job.size()) < size; ++host)
      if (!taken[index(host)]) {
        taken[index(host)] = true;
        job.push_back(host);
      }
    free_hosts -= size;
    return job;
  };
  const auto end_one = [&] {
    std::swap(jobs[index(below(static_cast<Count>(jobs.size()), random))], jobs.back());
    for (const Rank host : jobs.back()) taken[index(host)] = false;
    free_hosts += static_cast<Count>(jobs.back().size());
    jobs.pop_back();
  };
  for (int event = 0; event < 1000; ++event) {
    const Count size = 1 + below(Count{1} << below(8, random), random);
    while (free_hosts < size) end_one();
    jobs.push_back(start(size));
  }
  while (free_hosts < p) end_one();
  return start(p);
}

struct Placing {
  const char* name;
  bool drawn;
  std::vector<Rank> (*hosts)(Count p, Count hosts, std::mt19937_64& random);
};

const std::vector<Placing> placings{
    {"consecutive hosts from the first", false, [](Count p, Count, std::mt19937_64&) { return consecutive(p, 0); }},
    {"consecutive hosts from any", true,
     [](Count p, Count hosts, std::mt19937_64& random) { return consecutive(p, below(hosts - p + 1, random)); }},
    {"the lowest free hosts of a scheduler", true, scheduled},
    {"random hosts in random order", true, scattered}};

// Bine's bytes over those of the binomial rival.
struct Ratio {
  double all, least, most;  // the ratio over all draws together; its extremes for single draws
  double saving() const { return 1 - all; }
};

Ratio ratio_of(Site& site, const Placing& placing, const Rivals& pair, Count p, int draws) {
  const auto bine = host_traffic(pair.collective, p, pair.bine), binomial = host_traffic(pair.collective, p, pair.binomial);
  std::mt19937_64 random(2025);
  double ours = 0, theirs = 0, least = 1e300, most = 0;
  for (int draw = 0; draw < (placing.drawn ? draws : 1); ++draw) {
    const std::vector<Rank> hosts = placing.hosts(p, site.hosts(), random);
    const double a = site.global_bytes(bine, hosts), b = site.global_bytes(binomial, hosts);
    ours += a, theirs += b, least = std::min(least, a / b), most = std::max(most, a / b);
  }
  return {ours / theirs, least, most};
}

// Returns the distance to the partner, summed over the steps of a butterfly.
double way(Count p, const char* specification) {
  const Schedule schedule = make_schedule(problem_of(Collective::allreduce, p, 1), specification);
  Count sum = 0;
  for (const Round& round : schedule.program(0).rounds)
    for (const Message& message : round.sends) sum += std::min(message.peer, p - message.peer);
  return Number(sum);
}

constexpr const char* place = "abstract";
constexpr const char* on_borders =
    "if groups, or runs of free hosts, begin at multiples of a power of two, the partners r ^ 1, r ^ 2, .. of a binomial "
    "butterfly's first steps are in the rank's own group, while a Bine butterfly crosses the group's border in all steps but the "
    "first";

constexpr const char* only_the_abstract =
    "only the abstract was available, which names neither the sizes of the four machines nor the hosts of the ranks; ours are "
    "chosen";

// The paper does not give networks and hosts. So each claim is compared with the range over all our networks and hosts.
void add_savings(std::vector<Site>& sites, Count p, int draws, const Making& making, Reproduction& made) {
  Sheet& sheet =
      made.add_sheet({.name = "ratios",
                      .columns = {"network", "hosts of the ranks", "collective", "global bytes of Bine over binomial, all draws",
                                  "least of a draw", "most of a draw"}});
  std::vector<double> savings, largest;  // of each network, collective and placing; of each placing, of single draws
  for (const Placing& placing : placings) {
    double least = 1e300, most = -1e300, most_of_a_draw = -1e300;
    const bool is_scattered = placing.hosts == scattered;
    for (Site& site : sites) {
      making.show(fmt::format("{}, {}", site.name(), placing.name));
      for (const Rivals& pair : rivals) {
        const Ratio ratio = ratio_of(site, placing, pair, p, draws);
        sheet.rows.push_back({site.name(), std::string(placing.name), std::string(pair.name), ratio.all, ratio.least, ratio.most});
        least = std::min(least, ratio.saving()), most = std::max(most, ratio.saving());
        most_of_a_draw = std::max(most_of_a_draw, 1 - ratio.least);
        if (!is_scattered) savings.push_back(ratio.saving());
      }
    }
    if (!is_scattered) largest.push_back(most_of_a_draw);
    if (is_scattered)
      made.remarks.push_back(fmt::format(
          "On random hosts in random order near ranks are not on near hosts: Bine saves from {:.1f} % to {:.1f} % over all draws.",
          100 * least, 100 * most));
  }
  const auto compare = [&](const char* what, double said, const std::vector<double>& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    made.at_least(fmt::format("{} ranks: global traffic saved, {}", p, what), said, *least, place)
        .because(fmt::format("{}; it holds for {} of {} of them; {}", only_the_abstract,
                             std::count_if(values.begin(), values.end(), [&](double value) { return value >= said; }),
                             values.size(), on_borders))
        .from_to(*least, *most)
        .reading();
  };
  compare("the most of a network, collective and draw, for each way of placing ranks (\"by up to 33%\")", 0.33, largest);
  compare("for each network, way of placing ranks, and collective (\"consistent reductions\")", 0, savings);
}

void add_by_ranks(Site& site, const std::vector<Count>& numbers_of_ranks, int draws, const Making& making, Reproduction& made) {
  const Placing& placing = placings[2];
  Sheet& sheet = made.add_sheet({.name = "by-ranks", .columns = {"ranks"}});
  Panel& panel = made.add_panel({.title = fmt::format("{}, {}", site.name(), placing.name),
                                 .x_label = "ranks",
                                 .y_label = "global bytes of Bine over binomial",
                                 .log_x = true,
                                 .range_group = 0});
  for (const Rivals& pair : rivals) {
    sheet.columns.emplace_back(pair.name);
    panel.curves.push_back({sheet.columns.size() - 1, pair.name, CurveStyle::line});
  }
  for (const Count p : numbers_of_ranks) {
    making.show(fmt::format("{} ranks", p));
    auto& row = sheet.rows.emplace_back(std::vector<Cell>{p});
    for (const Rivals& pair : rivals) row.emplace_back(ratio_of(site, placing, pair, p, draws).all);
  }
}

Reproduction make_desensi2025_links(const Making& making) {
  Reproduction made{
      .remarks = {"Only the abstract was available. Messages take shortest paths, and each host has one rank. Both rivals send "
                  "most data to the nearest partner, or whole vectors. Hosts are drawn with a fixed seed."}};
  std::vector<Site> sites{dragonfly(16, 8, 8), dragonfly(9, 31, 4), fat_tree(16, true), fat_tree(16, false)};
  const int draws = making.small ? 3 : 20;
  made.remarks.push_back(fmt::format(
      "Among 1024 ranks, the distance to the partner in rank, summed over the steps of a butterfly, is {:.1f} % shorter "
      "with Bine than with a binomial one. The abstract has no sentence about it.",
      100 * (1 - way(1024, "bine:form=whole") / way(1024, "recursive-doubling"))));
  add_savings(sites, making.small ? 128 : 256, draws, making, made);
  add_by_ranks(sites[1], making.small ? std::vector<Count>{64, 128} : std::vector<Count>{32, 64, 128, 256, 512}, draws, making,
               made);
  return made;
}

}  // namespace

extern const Exhibit desensi2025_links{
    .title = "Bytes of Bine and binomial trees over the links between groups",
    .source = "desensi2025, abstract",
    .about =
        "only the abstract was available; bytes counted link by link on two dragonflies and on two levels of a fat tree, for ranks "
        "on consecutive hosts, on what a scheduler leaves free, and on random hosts",
    .make = make_desensi2025_links,
};

}  // namespace quadrille::papers
