// SPDX-License-Identifier: BSD-3-Clause
#include "problem/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>

#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::misuse, sentence); }

// The units of the GNU tools: K is 1024, KB is 1000.
constexpr std::pair<std::string_view, Bytes> units[] = {{"", 1},
                                                        {"B", 1},
                                                        {"K", Bytes{1} << 10},
                                                        {"KiB", Bytes{1} << 10},
                                                        {"M", Bytes{1} << 20},
                                                        {"MiB", Bytes{1} << 20},
                                                        {"G", Bytes{1} << 30},
                                                        {"GiB", Bytes{1} << 30},
                                                        {"T", Bytes{1} << 40},
                                                        {"TiB", Bytes{1} << 40},
                                                        {"kB", 1'000},
                                                        {"KB", 1'000},
                                                        {"MB", 1'000'000},
                                                        {"GB", 1'000'000'000},
                                                        {"TB", 1'000'000'000'000}};

// Returns the bytes of 0.`digits` units, or nothing if that is not a whole number.
std::optional<Bytes> part_of(std::string_view digits, Bytes unit) {
  Bytes bytes = 0;
  for (; !digits.empty(); digits.remove_suffix(1)) {  // from the last digit on; every intermediate value must be whole, too
    bytes += unit * (digits.back() - '0');
    if (bytes % 10 != 0) return std::nullopt;
    bytes /= 10;
  }
  return bytes;
}

// Returns "did you mean 64K?", or the list of all units.
std::string unit_hint(std::string_view number, std::string_view unit) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (const auto& [known, bytes] : units)
    if (std::equal(known.begin(), known.end(), unit.begin(), unit.end(), same))
      return fmt::format("did you mean {}{}?", number, known);
  return "units are B, KiB or K, MiB or M, GiB or G, TiB or T, kB or KB, MB, GB and TB";
}

}  // namespace

Bytes parse_size(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  if (text.starts_with('-')) refuse(fmt::format("the size '{}' is negative; sizes are 0 or more", text));
  const std::size_t whole = std::min(text.find_first_not_of(digits), text.size());
  const bool has_point = whole + 1 < text.size() && text[whole] == '.' && digits.find(text[whole + 1]) != std::string_view::npos;
  const std::size_t end = has_point ? std::min(text.find_first_not_of(digits, whole + 1), text.size()) : whole;
  if (whole == 0) refuse(fmt::format("'{}' is not a size; write a number of bytes, or one with a unit, such as 64KiB", text));
  const std::string_view unit = text.substr(end);
  const auto* const entry =
      std::find_if(std::begin(units), std::end(units), [&](const auto& known) { return known.first == unit; });
  if (entry == std::end(units))
    refuse(fmt::format("the size '{}' has an unknown unit '{}'; {}", text, unit, unit_hint(text.substr(0, end), unit)));
  const std::string_view fraction = has_point ? text.substr(whole + 1, end - whole - 1) : std::string_view();
  const auto part = part_of(fraction, entry->second);
  if (!part) refuse(fmt::format("the size '{}' is not a whole number of bytes", text));
  Bytes number = 0;
  const auto status = std::from_chars(text.data(), text.data() + whole, number).ec;
  const auto whole_bytes = checked_product(number, entry->second),
             size = whole_bytes ? checked_sum(*whole_bytes, *part) : std::nullopt;
  if (status != std::errc{} || !size) refuse(fmt::format("the size '{}' reaches 2^63 bytes; make it smaller", text));
  return *size;
}

}  // namespace quadrille
