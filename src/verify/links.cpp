// SPDX-License-Identifier: BSD-3-Clause
// Checks messages on the links of a network: that a message with a port runs straight to its receiver, and that no
// two messages of a round share a directed link.
#include <fmt/format.h>

#include "topology/round_messages.hpp"
#include "verify/finding_list.hpp"

namespace quadrille {
namespace {

std::string text_of(const RoutedMessage& message) { return fmt::format("{} to {}", message.from, message.to); }

}  // namespace

void check_links(const Schedule& schedule, const EachProgram& each_program, const Topology& topology, FindingList& findings) {
  MessagesByRound rounds;
  std::vector<Stage> stages;  // the same for all ranks
  each_program([&](const Program& program) {
    if (stages.empty()) stages = program.stages;
    add_messages(topology.ranks(), program, schedule.problem.collective, rounds);
  });
  for (const auto& [number, messages] : rounds) {
    const auto place = [&, round = number](Rule rule, Rank rank, std::string message) {
      findings.add({rule, rank, stage_name(stages, round), round, {}, std::move(message)});
    };
    const BusiestLink busiest = busiest_link(topology, messages, [&](const RoutedMessage& message, const std::string& reason) {
      place(Rule::no_such_way, message.from, reason);
    });
    if (busiest.messages < 2) continue;
    place(Rule::link_contention, messages[busiest.first].from,
          fmt::format("{} messages go over the link {} of {}, among them those from {} and from {}", busiest.messages,
                      topology.text_of(busiest.link), topology.name(), text_of(messages[busiest.first]),
                      text_of(messages[busiest.second])));
  }
}

}  // namespace quadrille
