// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm [grama2003] calls better in which case, compared with the choice of a plan.
#include <fmt/format.h>

#include <tuple>

#include "papers/exhibits/conclusions.hpp"
#include "papers/problems.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/explain.hpp"

namespace quadrille::papers {
namespace {

// t_s is a thousand times t_w, about as on the machines of [liu2002, section 5].
const MachineCosts slides{.name = "slides",
                          .description = "t_s = 1000 t_w",
                          .source = "grama2003",
                          .is_exact = true,
                          .models = {{"linear", {{"startup_us", 1000}, {"transfer_us_per_byte", 1}, {"ports", 1}}}},
                          .assumed = {}};

constexpr Bytes brief = 8, lengthy = 65536;

Planner on(const char* network, Collective collective, Bytes bytes) {
  const Topology topology = parse_topology(network);
  Problem problem = problem_of(collective, topology.ranks(), bytes);
  problem.grid = topology.grid();
  return Planner({fmt::format("{}, {} of {} words", network, name(collective), bytes), problem, slides, topology});
}

constexpr const char* optimal = "All-to-All Personalized Communication on a Hypercube: Cost Analysis of Optimal Algorithm";

void add_messages_in_parts(Reproduction& made) {
  using enum Collective;
  constexpr const char *standard = "Optimizations of standard algorithms", *concepts = "Improving Performance of Operations";
  for (const auto& [collective, said] :
       {std::pair{broadcast,
                  PaperConclusion{"If the message size is large enough to break into p parts, then we can implement the one-to-all "
                                  "broadcast as a scatter operation [..] then an all-to-all communication [..] Does this result "
                                  "in a faster communication time?",
                                  standard, "scatter-allgather", "binomial"}},
        {reduce,
         {"Improving Performance of Operations [..] All-to-one reduction can be performed by performing all-to-all reduction (dual "
          "of all-to-all broadcast) followed "
          "by a gather operation",
          concepts, "reduce-scatter-gather", "binomial"}},
        {allreduce,
         {"Improving Performance of Operations [..] the asymptotically optimal algorithms for these two operations can be used to "
          "construct a similar algorithm "
          "for the all-reduce operation",
          concepts, "reduce-scatter-allgather", "recursive-doubling"}}})
    on("hypercube:64", collective, lengthy).add(made, said);
}

// Through one port a rank needs at least t_w m (p - 1) to receive its p - 1 blocks. An optimal time tends to a fixed multiple of
// this bound, and by the slides' formulas to the bound itself.
void add_asymptotic(Reproduction& made) {
  using enum Collective;
  constexpr Bytes long_words = 1 << 24;
  constexpr const char* all = "All of the algorithms presented above are asymptotically optimal in message size";
  for (const auto& [network, collective, algorithm, words] :
       {std::tuple{"ring:64", allgather, "ring", all},
        {"mesh:8x8", allgather, "mesh", all},
        {"hypercube:64", allgather, "recursive-doubling", all},
        {"hypercube:64", alltoall, "xor", "This is asymptotically optimal in message size"}}) {
    const Planner planner = on(network, collective, long_words);
    const double least = Number(long_words) * 63 * 1e-6;
    made.equal(fmt::format("{}, {} of 2^24 words: time of {} over t_w m (p - 1) (\"{}\")", network, name(collective), algorithm,
                           words),
               1, planner.seconds(algorithm, Policy::blocking) / least,
               collective == allgather ? "All-to-all broadcast: Notes" : optimal)
        .within(0.01);
  }
}

void add_fastest_by_size(Reproduction& made) {
  using enum Collective;
  std::vector<Bytes> from;
  for (const Count p : {16, 64}) {
    const Problem problem = problem_of(alltoall, p, 1);
    const Flips flips = cheapest_by_block(problem, {parse_choice(problem, "hypercube"), parse_choice(problem, "xor")},
                                          *find_model("linear"), slides, {.topology = Topology::hypercube(p)});
    made.equal(fmt::format("{} ranks: places where the faster of hypercube and xor changes (\"the fastest algorithm is selected "
                           "based on messages size and number of processors\")",
                           p),
               1, flips.list.size() - 1, optimal);
    from.push_back(flips.list.back().from);
  }
  made.equal("cases in which the words from which xor is faster are the same among 16 and 64 ranks (the same sentence)", 0,
             from[0] == from[1] ? 1 : 0, optimal);
}

Reproduction make_grama2003_conclusions(const Making& making) {
  using enum Collective;
  Reproduction made =
      conclusions_of({"The slides name no machine: here t_s is 1000 t_w, and a word is a byte. Their model defines it, so it is "
                      "exact: a plan takes the least time, and no way that needs more than its one port."});
  constexpr const char* fan_out = "One-to-All Broadcast and All-to-One Reduction on Rings";
  for (const Bytes bytes : {brief, lengthy}) {
    making.show(fmt::format("{} words", bytes));
    on("ring:64", broadcast, bytes)
        .add(made,
             {.words =
                  "Simplest way is to send p-1 messages from the source to the other p-1 processors - this is not very efficient",
              .place = fan_out,
              .better = "binomial",
              .than = "linear"});
    on("ring:64", allgather, bytes)
        .add(made, {.words = "Naïve implementation: perform p one-to-all broadcasts. This is not the most efficient",
                    .place = "All-to-all Broadcast and Reduction on a Ring",
                    .better = "ring",
                    .than = "broadcasts"});
    on("hypercube:64", allreduce, bytes)
        .add(made,
             {.words = "Time for this operation is (t_s + t_w m) log p which is half the time of doing the two step implementation",
              .place = "All-Reduce and Prefix-Sum Operations",
              .better = "recursive-doubling",
              .than = "reduce-broadcast",
              .at_most = 0.5});
  }
  made.at_least(
          "ring:64, allgather: most messages of recursive-doubling on a link (\"It is not possible to port algorithms for higher "
          "dimensional networks (such as a hypercube) into a ring because this would cause network congestion\")",
          2, link_figures(make_schedule(problem_of(allgather, 64, 1), "recursive-doubling"), Topology::ring(64)).sharing,
          "All-to-all broadcast: Notes")
      .reading();
  on("hypercube:64", allgather, lengthy)
      .add(made, {.words = "Generalization of the mesh algorithm to log p dimensions",
                  .place = "All-to-all broadcast on a Hypercube",
                  .better = "recursive-doubling"});
  on("hypercube:64", alltoall, lengthy)
      .add(made, {.words = "The above algorithm, with an asymptotic time of O(mp log p) is not optimal!",
                  .place = "All-to-All Personalized Communication on a Hypercube: Cost",
                  .better = "xor",
                  .than = "hypercube"});
  on("hypercube:64", alltoall, brief)
      .add(made, {.words = "the non-optimal algorithm may still be faster for small messages where the t_s term dominates",
                  .place = optimal,
                  .better = "hypercube",
                  .than = "xor"});
  add_fastest_by_size(made);
  add_messages_in_parts(made);
  add_asymptotic(made);
  return made;
}

}  // namespace

extern const Exhibit grama2003_conclusions{
    .title = "Which algorithm of the slides is better when, and what a plan takes",
    .source = "grama2003, slides of each operation",
    .about =
        "each sentence that says what is better when, with both times by the linear model on the network, beside what a plan takes "
        "among all algorithms",
    .make = make_grama2003_conclusions,
};

}  // namespace quadrille::papers
