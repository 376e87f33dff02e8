// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"

namespace quadrille::command {
namespace {

constexpr Count most_values = 100'000;  // of a list, ranges written out

constexpr std::array<std::pair<std::string_view, Bytes>, 9> units{{{"B", 1},
                                                                   {"KiB", Bytes{1} << 10},
                                                                   {"MiB", Bytes{1} << 20},
                                                                   {"GiB", Bytes{1} << 30},
                                                                   {"TiB", Bytes{1} << 40},
                                                                   {"kB", 1'000},
                                                                   {"MB", 1'000'000},
                                                                   {"GB", 1'000'000'000},
                                                                   {"TB", 1'000'000'000'000}}};

constexpr std::array<std::pair<std::string_view, Policy>, 3> policies{
    {{"blocking", Policy::blocking}, {"nonblocking", Policy::nonblocking}, {"dataflow", Policy::dataflow}}};

}  // namespace

void refuse(const std::string& sentence) { throw Error(ErrorCode::misuse, sentence); }

void refuse_unknown(std::string_view what, std::string_view word, const std::vector<std::string>& known) {
  const auto guess = nearest(word, known);
  refuse(fmt::format("there is no {} '{}'; {}", what, word,
                     guess ? fmt::format("did you mean '{}'?", *guess) : fmt::format("there are: {}", fmt::join(known, ", "))));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Bytes parse_size(std::string_view text) {
  Bytes number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const auto entry = std::find_if(units.begin(), units.end(), [&](const auto& known) { return known.first == unit; });
  if (status == std::errc::invalid_argument)
    refuse(fmt::format("'{}' is no size; write a number and a unit, such as 8B or 64KiB", text));
  if (number < 0 || text[0] == '-') refuse(fmt::format("the size '{}' is negative; sizes are 0 or more", text));
  if (unit.empty() && number == 0 && status == std::errc{}) return 0;
  if (unit.empty())
    refuse(fmt::format("the size '{}' has no unit; write {}B for bytes, or KiB, MiB, GiB, TiB, kB, MB, GB, TB", text, text));
  if (entry == units.end())
    refuse(fmt::format("the size '{}' has an unknown unit '{}'; units are B, KiB, MiB, GiB, TiB, kB, MB, GB and TB", text, unit));
  Bytes size = 0;
  if (status != std::errc{} || __builtin_mul_overflow(number, entry->second, &size))
    refuse(fmt::format("the size '{}' reaches 2^63 bytes; make it smaller", text));
  return size;
}

std::vector<Bytes> parse_sizes(std::string_view list) {
  std::vector<Bytes> sizes;
  for (const std::string_view item : split(list, ',')) sizes.push_back(parse_size(item));
  return sizes;
}

Count parse_whole(std::string_view text, std::string_view what, Count least) {
  Count number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status == std::errc::result_out_of_range) refuse(fmt::format("{} '{}' does not fit in 63 bits", what, text));
  if (status != std::errc{} || end != text.data() + text.size()) refuse(fmt::format("{} '{}' is no whole number", what, text));
  if (number < least) refuse(fmt::format("{} is {}; it must be at least {}", what, number, least));
  return number;
}

Range parse_range(std::string_view text, std::string_view what, Count least) {
  const std::size_t dots = text.find("..");
  const Count first = parse_whole(text.substr(0, dots), what, least);
  if (dots == std::string_view::npos) return {first, first};
  const Count last = parse_whole(text.substr(dots + 2), what, least);
  if (last < first) refuse(fmt::format("the range '{}' is empty; write {}..{}", text, last, first));
  return {first, last};
}

std::vector<Count> parse_wholes(std::string_view list, std::string_view what, Count least) {
  std::vector<Count> numbers;
  for (const std::string_view item : split(list, ',')) {
    const Range range = parse_range(item, what, least);
    if (range.last - range.first >= most_values - static_cast<Count>(numbers.size()))
      refuse(fmt::format("'{}' stands for more than {} numbers; ask for fewer", list, most_values));
    for (Count count = range.last - range.first + 1, i = 0; i < count; ++i) numbers.push_back(range.first + i);
  }
  return numbers;
}

double parse_seconds(std::string_view text, std::string_view option) {
  double seconds = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (status != std::errc{} || !(unit.empty() || unit == "s") || !(seconds > 0 && seconds <= 1e6))
    refuse(fmt::format("{} '{}' is no time; write seconds, such as 60s, up to a million", option, text));
  return seconds;
}

Collective parse_collective(const std::string& text) {
  if (const auto collective = collective_named(text)) return *collective;
  std::vector<std::string> known;
  for (const Collective collective : all_collectives()) known.emplace_back(quadrille::name(collective));
  refuse_unknown("collective", text, known);
}

std::vector<Policy> parse_policies(const std::vector<std::string>& lists) {
  std::vector<Policy> chosen;
  for (const std::string& list : lists)
    for (const std::string_view item : split(list, ',')) {
      const auto entry = std::find_if(policies.begin(), policies.end(), [&](const auto& known) { return known.first == item; });
      if (item != "all" && entry == policies.end()) refuse_unknown("policy", item, {"blocking", "nonblocking", "dataflow", "all"});
      for (const auto& [word, policy] : policies)
        if ((item == "all" || item == word) && std::find(chosen.begin(), chosen.end(), policy) == chosen.end())
          chosen.push_back(policy);
    }
  return chosen;
}

std::string_view name(Policy policy) { return policies[static_cast<std::size_t>(policy)].first; }

std::vector<std::string> collectives_with_algorithms() {
  std::vector<std::string> names;
  for (const Collective collective : all_collectives())
    if (!algorithms_for(collective).empty()) names.emplace_back(quadrille::name(collective));
  return names;
}

}  // namespace quadrille::command
