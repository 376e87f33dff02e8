// SPDX-License-Identifier: BSD-3-Clause
#include "options/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "problem/problem_text.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/ordering.hpp"

namespace quadrille::command {
namespace {

constexpr Count most_values = 100'000;  // largest number of values in a list, with its ranges expanded

constexpr std::array policies{Policy::blocking, Policy::nonblocking, Policy::dataflow};

// Splits "8..16" into "8" and "16". A single number counts as a range of one: "8" gives "8" and "8".
std::pair<std::string_view, std::string_view> ends_of(std::string_view item) {
  const std::size_t dots = item.find("..");
  if (dots == std::string_view::npos) return {item, item};
  const std::string_view first = item.substr(0, dots), last = item.substr(dots + 2);
  if (first.empty() || last.empty() || last.find("..") != std::string_view::npos)
    refuse(fmt::format("'{}' is not a range; write FIRST..LAST", item));
  return {first, last};
}

}  // namespace

std::vector<Bytes> parse_sizes(std::string_view list) {
  std::vector<Bytes> sizes;
  for (const std::string_view item : split(list, ',')) {
    const auto [first_text, last_text] = ends_of(item);
    Bytes size = parse_size(first_text);
    const Bytes last = parse_size(last_text);
    if (last < size) refuse(fmt::format("the range '{}' is empty; write {}..{}", item, last_text, first_text));
    sizes.push_back(size);
    while (size < last && size <= last / 2) sizes.push_back(size = std::max<Bytes>(2 * size, 1));
  }
  return sizes;
}

Count parse_whole(std::string_view text, std::string_view what, Count least) {
  Count number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status == std::errc::result_out_of_range) refuse(fmt::format("{} '{}' does not fit in 63 bits", what, text));
  if (status != std::errc{} || end != text.data() + text.size()) refuse(fmt::format("{} '{}' is not a whole number", what, text));
  if (number < least) refuse(fmt::format("{} is {}; it must be at least {}", what, number, least));
  return number;
}

FirstAndLast parse_range(std::string_view text, std::string_view what, Count least) {
  const auto [first_text, last_text] = ends_of(text);
  const Count first = parse_whole(first_text, what, least), last = parse_whole(last_text, what, least);
  if (last < first) refuse(fmt::format("the range '{}' is empty; write {}..{}", text, last, first));
  return {first, last};
}

std::vector<Count> parse_wholes(std::string_view list, std::string_view what, Count least) {
  std::vector<Count> numbers;
  for (const std::string_view item : split(list, ',')) {
    const FirstAndLast range = parse_range(item, what, least);
    if (range.last - range.first >= most_values - size(numbers))
      refuse(fmt::format("'{}' stands for more than {} numbers; ask for fewer", list, most_values));
    for (Count count = range.last - range.first + 1, i = 0; i < count; ++i) numbers.push_back(range.first + i);
  }
  return numbers;
}

double parse_seconds(std::string_view text, std::string_view option) {
  double seconds = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const std::string_view unit(end, index(text.data() + text.size() - end));
  if (status != std::errc{} || !(unit.empty() || unit == "s") || !(seconds > 0 && seconds <= 1e6))
    refuse(fmt::format("{} '{}' is not a time; write seconds, such as 60s, up to a million", option, text));
  return seconds;
}

Count parse_repeats(const std::string& text, std::string_view things, Count least) {
  constexpr Count most = 1'000'000;
  const Count number = parse_whole(text, fmt::format("the number of {}", things), least);
  if (number > most) refuse(fmt::format("{} {} are too many; the limit is {}", number, things, most));
  return number;
}

double parse_factor(std::string_view text, std::string_view what, double least) {
  constexpr double most = 1000;
  const auto factor = number_in<double>(text);
  if (!factor || !(*factor >= least && *factor <= most))
    refuse(fmt::format("{} is a factor from {} to {}, such as 1.15, not '{}'", what, least, most, text));
  return *factor;
}

std::vector<std::string> collective_names() {
  std::vector<std::string> names;
  for (const Collective collective : all_collectives()) names.emplace_back(quadrille::name(collective));
  return names;
}

Collective parse_collective(const std::string& text) {
  if (const auto collective = collective_named(text)) return *collective;
  refuse(unknown_collective(text));
}

std::vector<Collective> parse_collectives(const std::vector<std::string>& words) {
  std::vector<Collective> collectives;
  for (const std::string& word : words) collectives.push_back(parse_collective(word));
  return collectives;
}

std::vector<Policy> parse_policies(const std::vector<std::string>& lists) {
  std::vector<Policy> chosen;
  for (const std::string& list : lists)
    for (const std::string_view item : split(list, ',')) {
      const auto entry = std::find_if(policies.begin(), policies.end(), [&](Policy known) { return name(known) == item; });
      if (item != "all" && entry == policies.end()) refuse_unknown("policy", item, {"blocking", "nonblocking", "dataflow", "all"});
      for (const Policy policy : policies)
        if ((item == "all" || item == name(policy)) && std::find(chosen.begin(), chosen.end(), policy) == chosen.end())
          chosen.push_back(policy);
    }
  return chosen;
}

}  // namespace quadrille::command
