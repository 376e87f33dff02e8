// SPDX-License-Identifier: BSD-3-Clause
// The slides' optimal exchange on a hypercube is free of congestion: simulated with wormhole switching, in which a message that
// waits holds the links that it has, no message ever waits.
#include <fmt/format.h>

#include "papers/exhibit.hpp"
#include "papers/machines.hpp"
#include "quadrille/simulate.hpp"

namespace quadrille::papers {
namespace {

constexpr Bytes words = 1000;
const MessageTimes times{.latency = 1000, .gap = 1000, .per_byte = ByteTime::of_seconds(1e-12), .is_first_byte_included = false};

EventSimulation simulated(const Topology& network, const char* specification, Count channels) {
  return simulate_events(make_schedule(problem_of(Collective::alltoall, network.ranks(), words), specification), times,
                         {.topology = &network, .switching = Switching::wormhole, .channels = channels});
}

Reproduction make_grama2003_ecube(const Making& making) {
  Reproduction made{
      .remarks = {"Here t_s is 1000 t_w and a message has 1000 words. A rank begins its next step when it has sent and received "
                  "the message of the step before; there are no barriers.",
                  "On rings and tori two virtual channels a link, with a dateline, prevent deadlock."}};
  Sheet sheet{
      .columns = {"network", "schedule", "virtual channels", "messages", "waits at links", "time (t_w)", "(p - 1) (t_s + t_w m)"}};
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
  made.sheets.push_back(std::move(sheet));
  return made;
}

}  // namespace

extern const Exhibit grama2003_ecube{
    .id = "grama2003-ecube",
    .title = "The optimal exchange on hypercubes with wormhole switching",
    .source = "grama2003, all-to-all personalised communication on a hypercube",
    .about = "simulated by events, with messages that hold links while they wait: how often a message waits, and the time",
    .make = make_grama2003_ecube,
};

}  // namespace quadrille::papers
