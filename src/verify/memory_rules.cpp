// SPDX-License-Identifier: BSD-3-Clause
#include "verify/memory_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "schedule/regions.hpp"

namespace quadrille {
namespace {

std::optional<Region> common(const Run& a, const Run& b) {
  const Bytes first = std::max(a.first, b.first), last = std::min(a.last, b.last);
  return a.buffer == b.buffer && first < last ? std::optional(Region{a.buffer, first, last - first, {}}) : std::nullopt;
}

bool at_multiples_of(Bytes element, const Region& region) {
  return region.offset % element == 0 && region.length % element == 0 &&
         std::all_of(region.levels.begin(), region.levels.end(),
                     [&](const Level& level) { return level.count <= 1 || level.stride % element == 0; });
}

}  // namespace

std::vector<Run> sorted_runs(const Regions& regions) {
  std::vector<Run> runs;
  for (const Region& region : regions)
    for_each_run(region, [&](Bytes offset, Bytes length) { runs.push_back({region.buffer, offset, offset + length}); });
  std::sort(runs.begin(), runs.end(),
            [](const Run& a, const Run& b) { return std::tie(a.buffer, a.first) < std::tie(b.buffer, b.first); });
  return runs;
}

std::optional<Region> repeated(const std::vector<Run>& runs) {
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (const auto both = common(runs[i - 1], runs[i])) return both;
  return std::nullopt;
}

std::optional<Region> shared(const std::vector<Run>& reads, const std::vector<Run>& writes) {
  for (const Run& read : reads) {
    const auto after = std::partition_point(writes.begin(), writes.end(), [&](const Run& write) {
      return std::tie(write.buffer, write.last) <= std::tie(read.buffer, read.first);
    });
    if (after != writes.end())
      if (const auto both = common(read, *after)) return both;
  }
  return std::nullopt;
}

bool keep_elements(const std::vector<Program>& programs, Bytes element) {
  bool all_keep = true;
  if (element == 1) return true;
  for (const Program& program : programs)
    for (const Round& round : program.rounds)
      for_all_regions(round, [&](const Regions& regions) {
        all_keep = all_keep && std::all_of(regions.begin(), regions.end(),
                                           [&](const Region& region) { return at_multiples_of(element, region); });
      });
  return all_keep;
}

std::optional<Count> first_torn_element(const Strip& strip, Bytes element) {
  Bytes at = 0;
  for (const SymbolRun& piece : strip) {
    if (piece.term != Terms::undefined) {
      if (at % element != 0 || piece.index % element != 0) return at / element;
      if (piece.length % element != 0) return (at + piece.length) / element;
    }
    at += piece.length;
  }
  return std::nullopt;
}

std::string torn_element(const Strip& strip, Count number, Bytes element, const Terms& terms, std::string_view of_what) {
  const Bytes first = number * element, last = first + element;
  std::string parts;
  Bytes at = 0;
  for (const SymbolRun& piece : strip) {
    const Bytes begin = std::max(at, first), end = std::min(at + piece.length, last);
    if (begin < end) {
      const Bytes byte = piece.index + begin - at, last_byte = byte + end - begin - 1;
      parts += parts.empty() ? "" : ", then ";
      if (piece.term == Terms::undefined)
        parts += "nothing";
      else
        parts += fmt::format("{} of {}",
                             byte == last_byte ? fmt::format("byte {}", byte) : fmt::format("bytes {} to {}", byte, last_byte),
                             terms.to_string(terms.form(piece.term)));
    }
    at += piece.length;
  }
  return fmt::format(
      "element {} of the {} is made of {}; expected the {} bytes of one element in their order, all combined in the same order and "
      "with the same brackets",
      number, of_what, parts, element);
}

std::vector<WrongPart> wrong_parts(const ExpectedPiece& expected, const Strip& strip, const Terms& terms, Terms::Form wanted) {
  std::vector<WrongPart> parts;
  Bytes at = 0;
  for (const SymbolRun& run : strip) {
    const Bytes index = expected.input_offset + at;
    if (terms.form(run.term) != wanted || run.index != index) parts.push_back({expected.offset + at, run, index});
    at += run.length;
  }
  return parts;
}

std::string to_string(const WrongPart& part, const Terms& terms, Terms::Form wanted) {
  const auto description = [&](Terms::Form form, Bytes index) {
    return form == Terms::undefined ? std::string("nothing") : fmt::format("{}, bytes from {}", terms.to_string(form), index);
  };
  return fmt::format("holds {} at the end; expected {}", description(terms.form(part.found.term), part.found.index),
                     description(wanted, part.expected_index));
}

}  // namespace quadrille
