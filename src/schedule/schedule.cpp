// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "schedule/settings.hpp"

namespace quadrille {
namespace {

Bytes checked(std::optional<Bytes> bytes) {
  if (bytes) return *bytes;
  throw Error(ErrorCode::too_large, "a region reaches beyond 2^63 bytes");
}

}  // namespace

std::string_view name(Buffer buffer) {
  static constexpr std::array<std::string_view, 4> names{"input", "output", "scratch", "staging"};
  return names[static_cast<std::size_t>(buffer)];
}

Bytes bytes(const Region& region) {
  if (region.length < 0) throw Error(ErrorCode::misuse, "a region has a negative length");
  Bytes total = region.length;
  for (const Level& level : region.levels) {
    if (level.count < 0) throw Error(ErrorCode::misuse, "a region is repeated a negative number of times");
    total = checked(checked_product(total, level.count));
  }
  return total;
}

Bytes bytes(const Regions& regions) {
  Bytes total = 0;
  for (const Region& region : regions) total = checked(checked_sum(total, bytes(region)));
  return total;
}

std::string to_string(const Region& region) {
  std::string text = fmt::format("{}[{}:{}", name(region.buffer), region.offset, region.length);
  // Trailing unused levels are left out. An unused level between two used ones is kept, so that each level keeps its
  // position.
  std::size_t used = region.levels.size();
  while (used > 0 && region.levels[used - 1] == Level{}) --used;
  for (std::size_t i = 0; i < used; ++i) text += fmt::format(" *{}/{}", region.levels[i].count, region.levels[i].stride);
  return text + "]";
}

std::pair<Bytes, Bytes> hull(const Region& region) {
  Bytes first = region.offset;
  Bytes last = checked(checked_sum(region.offset, region.length));
  for (const Level& level : region.levels) {
    const Bytes reach = checked(checked_product(std::max<Count>(level.count, 1) - 1, level.stride));
    Bytes& end = reach < 0 ? first : last;
    end = checked(checked_sum(end, reach));
  }
  return {first, last};
}

std::string to_string(const ParameterValue& value) {
  if (const Count* number = std::get_if<Count>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

std::string specification(const Schedule& schedule) { return specification(schedule.algorithm, schedule.parameters); }

std::string specification(std::string_view algorithm, const Parameters& parameters) {
  std::string text(algorithm);
  char separator = ':';
  for (const auto& [key, value] : parameters) {
    text += separator + key + '=' + value_in_specification(to_string(value));
    separator = ',';
  }
  return text;
}

}  // namespace quadrille
