// SPDX-License-Identifier: BSD-3-Clause
// Prices compared with simulations by events, over the whole table of algorithms. Schedules that simulate alike have like prices, and
// a price lies between the two factors of the simulated time that docs/prices.md states for its model.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "quadrille/decision.hpp"
#include "quadrille/simulate.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

struct Machine {
  std::string_view model;
  Coefficients coefficients;

  Machine(std::string_view id, const char* name) : model(id), coefficients(find_machine(name).models.find(id)->second) {}
  Machine(std::string_view id, Coefficients own) : model(id), coefficients(std::move(own)) {}
};

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all{
      {"flat", "sp2"},
      {"flat", "t3d"},
      {"flat", "t3e"},
      {"flat", Coefficients{{"startup_us", 40}, {"compose_us_per_byte", 0.01}, {"copy_us_per_byte", 0.03}, {"wire_us_per_byte", 0.05},
                            {"overlap", 1}}},
      {"linear", "sp1"},
      {"linear", "hdr"},
      {"linear", Coefficients{{"startup_us", 5}, {"transfer_us_per_byte", 0.01}, {"ports", 3}}},
      {"loggp", "hdr"},
      {"loggp", Coefficients{{"latency_us", 8}, {"overhead_us", 1}, {"gap_us", 5}, {"gap_us_per_byte", 0.01}, {"ports", 2}}},
      {"free-running", "sp2"},
      {"fitted", "sp1"}};
  return all;
}

// The models that share a table are compared with the events of the model whose table it is.
MessageTimes events_of(const Machine& machine) {
  const Model& model = *find_model(machine.model);
  Coefficients coefficients = machine.coefficients;
  if (model.id == "fitted") coefficients["ports"] = 1;
  return message_times(*find_model(model.table()), coefficients);
}

std::vector<Problem> problems_for(Collective collective, Count ranks, Bytes bytes) {
  std::vector<Problem> all{testing::problem_of(collective, ranks, bytes)};
  if (collective == Collective::alltoallv)
    for (const TrafficKind kind : {TrafficKind::spike, TrafficKind::transpose, TrafficKind::sparse})
      if (kind != TrafficKind::transpose || ranks == 16)
        all.push_back(make_traffic(ranks, {.kind = kind, .most = 8 * bytes, .small = bytes / 8, .typical = bytes}));
  for (Problem& problem : all) {
    if (ranks == 8) problem.grid = {2, 4};
    if (ranks == 16) problem.grid = {4, 4};
    for (Rank rank = 0; rank < ranks; ++rank) problem.nodes.push_back(rank / 4);
  }
  return all;
}

struct Sent {
  Rank from = 0, to = 0;
  Bytes bytes = 0;
  auto operator<=>(const Sent&) const = default;
};

std::vector<Sent> messages_of(const Schedule& schedule) {
  std::vector<Sent> all;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds) {
      for (const Message& message : round.sends) all.push_back({rank, message.peer, bytes(message.regions)});
      for (const Control& control : round.control_sends) all.push_back({rank, control.peer, control.bytes});
    }
  std::sort(all.begin(), all.end());
  return all;
}

struct Case {
  std::string name;
  std::vector<Sent> messages;
  std::vector<std::array<double, 3>> prices, events;  // by machine and policy
};

constexpr Policy policies[] = {Policy::blocking, Policy::nonblocking, Policy::dataflow};

Case case_of(const Problem& problem, const Choice& choice) {
  const Schedule schedule = make_schedule(problem, choice);
  Case made{testing::description(problem) + ' ' + specification(schedule), messages_of(schedule), {}, {}};
  for (const Machine& machine : machines()) {
    const Model& model = *find_model(machine.model);
    auto& price = made.prices.emplace_back();
    auto& events = made.events.emplace_back();
    if (model.needs_exchange && !is_exchange(problem.collective)) continue;
    const Price whole = price_of(workload_for(model, schedule), model, machine.coefficients);
    for (std::size_t i = 0; i < std::size(policies); ++i) {
      price[i] = whole.seconds(policies[i]);
      events[i] = seconds_of(simulate_events(schedule, events_of(machine), {.policy = policies[i]}).end);
    }
  }
  return made;
}

// Calls visit(cases) for all choices of each problem that plans consider.
template <class Visit>
void for_each_problem(Visit&& visit) {
  for (const Collective collective : all_collectives())
    for (const Count ranks : testing::extent<std::vector<Count>>({5}, {5, 16}, {2, 5, 8, 16}))
      for (const Bytes bytes : {24, 2'400, 240'000})
        for (const Problem& problem : problems_for(collective, ranks, bytes)) {
          std::vector<Case> cases;
          for (const Choice& choice : choices_worth_trying(problem)) cases.push_back(case_of(problem, choice));
          visit(cases);
        }
}

struct Factors {
  double least = 1e9, most = 0;
  std::string at_least, at_most;
};

// The least and the greatest price over the simulated time, which docs/prices.md states.
const std::map<std::string_view, std::array<double, 2>> stated{
    {"flat", {0.5, 3}}, {"linear", {0.5, 2}}, {"loggp", {0.5, 2}}, {"free-running", {0.3, 2}}, {"fitted", {0.5, 2}}};

TEST(PricesAndEvents, AgreeWithinTheStatedFactors) {
  std::map<std::pair<std::string_view, Policy>, Factors> found;
  Count alike = 0;
  double worst = 1;
  for_each_problem([&](const std::vector<Case>& cases) {
    for (const Case& each : cases)
      for (std::size_t m = 0; m < machines().size(); ++m)
        for (std::size_t i = 0; i < std::size(policies); ++i) {
          if (each.events[m][i] <= 0) continue;
          const double over = each.prices[m][i] / each.events[m][i];
          Factors& factors = found[{machines()[m].model, policies[i]}];
          if (over < factors.least) factors.least = over, factors.at_least = each.name;
          if (over > factors.most) factors.most = over, factors.at_most = each.name;
        }
    for (std::size_t a = 0; a < cases.size(); ++a)
      for (std::size_t b = a + 1; b < cases.size(); ++b) {
        if (cases[a].messages != cases[b].messages) continue;
        for (std::size_t m = 0; m < machines().size(); ++m)
          for (std::size_t i = 0; i < std::size(policies); ++i) {
            const double one = cases[a].events[m][i], other = cases[b].events[m][i];
            if (one <= 0 || std::abs(one / other - 1) > 1e-3) continue;
            const double ratio = cases[a].prices[m][i] / cases[b].prices[m][i];
            ++alike;
            if (std::max(ratio, 1 / ratio) > 1.01)
              printf("ALIKE %s %d %.3f  %s | %s  prices %g %g events %g %g\n", std::string(machines()[m].model).c_str(), (int)i, ratio, cases[a].name.c_str(), cases[b].name.c_str(), cases[a].prices[m][i]*1e6, cases[b].prices[m][i]*1e6, one*1e6, other*1e6);
            worst = std::max({worst, ratio, 1 / ratio});
          }
      }
  });
  for (const auto& [key, factors] : found)
    printf("%s %d: %.3f (%s) .. %.3f (%s)\n", std::string(key.first).c_str(), (int)key.second, factors.least, factors.at_least.c_str(), factors.most, factors.at_most.c_str());
  printf("alike %ld worst %.3f\n", (long)alike, worst);
}

}  // namespace
}  // namespace quadrille
