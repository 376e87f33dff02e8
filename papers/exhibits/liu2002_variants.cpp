// SPDX-License-Identifier: BSD-3-Clause
// Variants of A3 and A4 of [liu2002]: with more stages, and between distinct groups of senders and receivers.
#include <fmt/format.h>

#include <algorithm>

#include "papers/exhibit.hpp"
#include "papers/exhibits/irregular.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/verify.hpp"

namespace quadrille::papers {
namespace {

// A3 with more than two stages, and A4 with more than four. They have fewer messages and more traffic.

struct Array {
  Count nodes;
  const char* sides;
  std::size_t dimensions;
};

constexpr Array arrays[] = {{64, "8x8", 2},    {64, "4x4x4", 3},  {64, "2x2x2x2x2x2", 6},
                            {512, "16x32", 2}, {512, "8x8x8", 3}, {512, "2x2x2x2x2x2x2x2x2", 9}};

Reproduction make_liu2002_stages(const Making& making) {
  Reproduction made{
      .remarks = {"A4 is counted for Pattern2 without small messages: all ranks have equally many elements, so A4 is balanced "
                  "exactly. A3 has hot spots in Pattern2, so it is counted for equal counts. Messages to oneself are counted, as "
                  "in the paper: A4 in k dimensions has 2 k P^(1/k) start-ups and a volume of 2 k L.",
                  "The last two columns say below how many elements that a rank sends or receives the saved start-ups outweigh the "
                  "added traffic, in blocking mode by table 1."}};
  Sheet& sheet = made.add_sheet(
      {.columns = {"ranks", "array", "algorithm", "start-ups", "volume (L)", "T3D: faster than two dimensions below (elements)",
                   "SP2: faster than two dimensions below (elements)"}});
  double most_startups[2] = {}, least_volume[2] = {1e300, 1e300};
  for (const int number : {3, 4}) {
    double startups_of_two = 0, volume_of_two = 0;
    for (const Array& array : arrays) {
      if (making.small && array.nodes > 64) continue;
      making.show(fmt::format("A{}, {}", number, array.sides));
      const Problem problem = number == 4 ? traffic_of(array.nodes, TrafficKind::transpose, array.nodes, 0)
                                          : make_traffic(array.nodes, {.kind = TrafficKind::equal, .typical = 1});
      const Schedule schedule = make_schedule(
          problem, fmt::format("{},sides={}", number == 4 ? "four-stage:grain=1,counts=known" : "grid:counts=known", array.sides));
      const Figures counted = figures(with_own_messages(schedule));
      const Number startups = counted.c1, volume = ratio(counted.c2, Traffic(problem).heaviest());
      std::vector<Cell> row{array.nodes, std::string(array.sides), fmt::format("A{}", number), counted.c1, volume};
      if (array.dimensions == 2) {
        startups_of_two = startups;
        volume_of_two = volume;
        row.insert(row.end(), {Cell{}, Cell{}});
      } else {
        for (const PaperPlatform& platform : platforms)
          row.emplace_back(platform.worth_it_below(startups_of_two - startups, volume - volume_of_two));
        const std::size_t at = index(number - 3);
        most_startups[at] = std::max(most_startups[at], startups / startups_of_two);
        least_volume[at] = std::min(least_volume[at], volume / volume_of_two);
      }
      sheet.rows.push_back(std::move(row));
    }
  }
  for (const int number : {3, 4}) {
    const std::size_t at = index(number - 3);
    made.at_most(fmt::format("A{}: start-ups in more dimensions over those in two, maximum (\"the number of messages can be "
                             "further reduced by increasing the number of stages\")",
                             number),
                 1, most_startups[at], "section 5");
    made.at_least(
        fmt::format("A{}: volume in more dimensions over that in two, minimum (\"resulting in the increase of the total traffic\")",
                    number),
        1, least_volume[at], "section 5");
  }
  return made;
}

// A3 and A4 from a group of senders to a group of receivers: in arrays of all ranks, and in an array of each group.

constexpr const char* groups_place = "section 5";

Reproduction make_liu2002_groups(const Making& making) {
  Reproduction made{.remarks = {"The first ranks are the senders. Each sends as many elements to each receiver: a multiple of the "
                                "number of ranks, so that everything is dealt out evenly, as in lemma 2. L is the most that a rank "
                                "sends or receives. Messages to oneself are not counted. The paper says that the algorithm can be "
                                "modified, and gives no figures for it; so the verdicts are only that the schedules are right.",
                                "two and four stages are groups, whose array of senders and array of receivers have no empty rows "
                                "and columns; grid and four-stage arrange all ranks in one array."}};
  Sheet& sheet =
      made.add_sheet({.columns = {"senders", "receivers", "algorithm", "start-ups", "volume (L)", "traffic of a rank (L)"}});
  for (const auto& [senders, receivers] :
       making.small ? std::vector<std::pair<Count, Count>>{{4, 9}}
                    : std::vector<std::pair<Count, Count>>{{16, 48}, {32, 32}, {48, 16}, {4, 60}, {60, 4}, {13, 37}}) {
    const Count p = senders + receivers, each = senders * receivers * p;
    making.show(fmt::format("{} senders, {} receivers", senders, receivers));
    std::vector<TrafficEntry> entries;
    for (Rank from = 0; from < senders; ++from)
      for (Rank to = senders; to < p; ++to) entries.push_back({from, to, each});
    const Problem problem = Problem::alltoallv(p, entries);
    const Bytes load = Traffic(problem).heaviest();
    const auto count = [&](const char* specification, const char* title) {
      const Figures counted = figures(make_schedule(problem, specification));
      sheet.rows.push_back({senders, receivers, std::string(title), counted.c1, ratio(counted.c2, load),
                            ratio(std::max(counted.traffic_out, counted.traffic_in), load)});
    };
    count("grid:counts=known", "grid");
    count("four-stage:counts=known,grain=1", "four-stage");
    Count wrong = 0;
    for (const auto& [specification, title] : {std::pair{"groups:stages=two,counts=known,grain=1", "groups, two stages"},
                                               {"groups:counts=known,grain=1", "groups, four stages"}}) {
      count(specification, title);
      wrong += std::ssize(verify(make_schedule(problem, specification)));
    }
    made.equal(fmt::format("{} senders, {} receivers: findings of the verifier in both schedules of groups (\"It can also be "
                           "modified to perform all-to-all communication when senders and receivers belong to distinct groups and "
                           "the number of senders is different from the number of receivers\")",
                           senders, receivers),
               0, wrong, groups_place);
  }
  return made;
}

}  // namespace

extern const Exhibit liu2002_stages{
    .title = "Start-ups and traffic with more stages",
    .source = "liu2002, section 5",
    .about = "A3 and A4 in arrays of two and more dimensions, counted with messages to oneself as in table 3",
    .make = make_liu2002_stages,
};

extern const Exhibit liu2002_groups{
    .title = "Distinct groups of senders and receivers",
    .source = "liu2002, section 5",
    .about = "A3 and A4 in one array of all ranks, and the same stages in an array of the senders and one of the receivers",
    .make = make_liu2002_groups,
};

}  // namespace quadrille::papers
