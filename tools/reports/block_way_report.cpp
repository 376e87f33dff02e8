// SPDX-License-Identifier: BSD-3-Clause
#include "reports/block_way_report.hpp"

#include <fmt/format.h>

#include <array>

namespace quadrille::command {
namespace {

constexpr std::array<const char*, 6> step_names{"start", "nothing", "moved", "lost", "left", "end"};
constexpr std::array<const char*, 3> operation_names{"copy", "reduce", "message"};

std::string step_lines(const std::vector<WayStep>& steps) {
  std::string text;
  for (const WayStep& step : steps) text += "  " + to_string(step) + '\n';
  return text;
}

Json json_of(const std::vector<WayStep>& steps) {
  Json array = Json::array();
  for (const WayStep& step : steps) {
    array.push_back({{"step", step_names.at(static_cast<std::size_t>(step.kind))},
                     {"rank", step.place.rank},
                     {"buffer", name(step.place.buffer)},
                     {"offset", step.place.offset}});
    if (!step.operation) continue;
    array.back()["round"] = step.operation->round;
    array.back()["operation"] = operation_names.at(static_cast<std::size_t>(step.operation->kind));
    array.back()["from"] = step.operation->from;
    array.back()["to"] = step.operation->to;
  }
  return array;
}

}  // namespace

std::string text_of(const BlockWay& way, const std::string& heading) {
  std::string text = fmt::format("{}: byte {} of block {} to {}{}\n{}", heading, way.byte, way.from, way.to,
                                 way.arrives ? "" : " does not arrive", step_lines(way.steps));
  if (!way.arrives) text += fmt::format("instead, at {}:\n{}", to_string(way.required), step_lines(way.instead));
  if (way.cut) text += fmt::format("only {} steps are shown\n", most_way_steps);
  return text;
}

Json json_of(const BlockWay& way) {
  return {{"from", way.from},
          {"to", way.to},
          {"byte", way.byte},
          {"required", {{"rank", way.required.rank}, {"offset", way.required.offset}}},
          {"arrives", way.arrives},
          {"steps", json_of(way.steps)},
          {"instead", json_of(way.instead)},
          {"cut", way.cut}};
}

}  // namespace quadrille::command
