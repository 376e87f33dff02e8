// SPDX-License-Identifier: BSD-3-Clause
// Checks the slides' worked pictures: small networks, message by message.
#include <fmt/format.h>

#include "papers/exhibit.hpp"
#include "papers/machines.hpp"
#include "papers/moves.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

std::vector<Bytes> longest_in(const Schedule& schedule) {
  std::vector<Bytes> longest;
  for (const StageFigures& stage : stage_figures(schedule))
    for (const RoundFigures& round : stage.rounds) longest.push_back(round.longest);
  return longest;
}

Reproduction make_grama2003_figures(const Making&) {
  using enum Collective;
  Reproduction made;
  Sheet sheet{.columns = {"picture", "steps", "longest message of each step", "words/m", "most messages on a link"}};
  const auto draw = [&](const std::string& title, const Problem& problem, const char* specification, const Topology& network,
                        const std::vector<Bytes>& sizes, Count sharing, const char* picture) {
    const Schedule schedule = make_schedule(problem, specification);
    const std::vector<Bytes> longest = longest_in(schedule);
    const LinkFigures links = link_figures(schedule, network);
    sheet.rows.push_back({title, size(longest), listed(longest), links.c2_shared, links.sharing});
    made.equal(title + ": steps", sizes.size(), longest.size(), picture);
    Bytes words = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      words += sizes[i] == (i < longest.size() ? longest[i] : 0) ? 1 : 0;
    }
    made.equal(title + ": steps with messages of the size shown", sizes.size(), words, picture);
    made.equal(title + ": messages on a link, maximum", sharing, links.sharing, picture);
  };
  draw("one-to-all broadcast on a ring of eight", problem_of(broadcast, 8, 1), "binomial", Topology::ring(8), {1, 1, 1}, 1,
       "One-to-All Broadcast, figure");
  draw("reduction on a ring of eight", problem_of(reduce, 8, 1), "binomial", Topology::ring(8), {1, 1, 1}, 1,
       "All-to-One Reduction, figure");
  draw("one-to-all broadcast on a mesh of sixteen", problem_of(broadcast, 16, 1), "mesh", Topology::mesh({4, 4}), {1, 1, 1, 1}, 1,
       "Broadcast and Reduction on a Mesh: Example");
  const std::vector<StageFigures> lines = stage_figures(make_schedule(problem_of(broadcast, 16, 1), "mesh"));
  for (std::size_t i = 0; i < 2; ++i)
    made.equal(fmt::format("one-to-all broadcast on a mesh of sixteen: steps along the {}, \"the first step does the operation "
                           "along a row and the second step along each column\"",
                           lines.at(i).name),
               2, lines.at(i).rounds.size(), "Broadcast and Reduction on a Mesh");
  draw("one-to-all broadcast on a hypercube of eight", problem_of(broadcast, 8, 1), "binomial", Topology::hypercube(8), {1, 1, 1},
       1, "Broadcast and Reduction on a Hypercube: Example");
  draw("all-to-all broadcast on a ring of eight", problem_of(allgather, 8, 1), "ring", Topology::ring(8), {1, 1, 1, 1, 1, 1, 1}, 1,
       "All-to-All Broadcast and Reduction on a Ring, figure");
  draw("all-to-all broadcast on a 3 x 3 mesh", problem_of(allgather, 9, 1), "mesh", Topology::mesh({3, 3}), {1, 1, 3, 3}, 1,
       "All-to-all Broadcast on a Mesh, figure");
  draw("all-to-all broadcast on a hypercube of eight", problem_of(allgather, 8, 1), "recursive-doubling", Topology::hypercube(8),
       {1, 2, 4}, 1, "All-to-all broadcast on a Hypercube, figure");
  draw("the same, mapped onto a ring", problem_of(allgather, 8, 1), "recursive-doubling", Topology::ring(8), {1, 2, 4}, 4,
       "All-to-all broadcast: Notes, figure");
  draw("prefix sums on a hypercube of eight", problem_of(scan, 8, 1), "hypercube", Topology::hypercube(8), {1, 1, 1}, 1,
       "The Prefix-Sum Operation, figure");
  draw("scatter on a hypercube of eight", problem_of(scatter, 8, 1), "binomial", Topology::hypercube(8), {4, 2, 1}, 1,
       "Example of the Scatter Operation");
  draw("all-to-all personalised on a ring of six", problem_of(alltoall, 6, 1), "ring", Topology::ring(6), {5, 4, 3, 2, 1}, 1,
       "All-to-All Personalized Communication on a Ring, figure");
  draw("all-to-all personalised on a 3 x 3 mesh", problem_of(alltoall, 9, 1), "mesh", Topology::mesh({3, 3}), {6, 3, 6, 3}, 1,
       "All-to-All Personalized Communication on a Mesh, figure");
  draw("all-to-all personalised on a hypercube of eight", problem_of(alltoall, 8, 1), "hypercube", Topology::hypercube(8),
       {4, 4, 4}, 1, "All-to-All Personalized Communication on a Hypercube, figure");
  draw("the optimal one on a hypercube of eight", problem_of(alltoall, 8, 1), "xor", Topology::hypercube(8), {1, 1, 1, 1, 1, 1, 1},
       1, "All-to-All Personalized Communication on a Hypercube: Optimal Algorithm, figure");
  made.sheets.push_back(std::move(sheet));
  return made;
}

}  // namespace

extern const Exhibit grama2003_figures{
    .id = "grama2003-figures",
    .title = "The slides' pictures, message by message",
    .source = "grama2003, figures of each operation",
    .about = "sizes of messages in blocks, and how many messages of a step share a directed link of the network",
    .make = make_grama2003_figures,
};

}  // namespace quadrille::papers
