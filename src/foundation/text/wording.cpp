// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/text/wording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace quadrille {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

}  // namespace

ByteUnit common_unit(std::span<const Bytes> sizes) {
  constexpr std::array<std::string_view, 5> names{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  const auto fits = [&](Bytes bytes) { return bytes % (Bytes{1} << (10 * (unit + 1))) == 0; };
  if (std::any_of(sizes.begin(), sizes.end(), [](Bytes bytes) { return bytes != 0; }))
    while (unit + 1 < names.size() && std::all_of(sizes.begin(), sizes.end(), fits)) ++unit;
  return {names[unit], Bytes{1} << (10 * unit)};
}

std::string bytes_text(Bytes bytes, const ByteUnit& unit) { return fmt::format("{} {}", bytes / unit.bytes, unit.name); }
std::string bytes_text(Bytes bytes) { return bytes_text(bytes, common_unit({&bytes, 1})); }

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  const auto best = std::min_element(known.begin(), known.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  if (best == known.end()) return std::nullopt;
  const bool begins_alike = !word.empty() && best->starts_with(word.front());
  const std::size_t most = begins_alike ? std::max<std::size_t>(2, best->size() / 3) : best->size() / 4;
  if (edit_distance(word, *best) > most) return std::nullopt;
  return *best;
}

std::string guess_or(std::string_view word, const std::vector<std::string>& known, std::string_view otherwise) {
  const auto guess = nearest(word, known);
  return guess ? fmt::format("did you mean '{}'?", *guess) : std::string(otherwise);
}

std::string guess_or_list(std::string_view word, const std::vector<std::string>& known) {
  return guess_or(word, known, fmt::format("there are: {}", known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

}  // namespace quadrille
