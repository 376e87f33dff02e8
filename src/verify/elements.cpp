// SPDX-License-Identifier: BSD-3-Clause
#include "verify/elements.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quadrille {
namespace {

bool at_multiples_of(Bytes element, const Region& region) {
  return region.offset % element == 0 && region.length % element == 0 &&
         std::all_of(region.levels.begin(), region.levels.end(),
                     [&](const Level& level) { return level.count <= 1 || level.stride % element == 0; });
}

}  // namespace

bool keep_elements(const std::vector<Program>& programs, Bytes element) {
  const auto keep = [&](const Regions& regions) {
    return std::all_of(regions.begin(), regions.end(), [&](const Region& region) { return at_multiples_of(element, region); });
  };
  const auto all_keep = [&](const std::vector<Message>& messages) {
    return std::all_of(messages.begin(), messages.end(), [&](const Message& message) { return keep(message.regions); });
  };
  const auto round_keeps = [&](const Round& round) {
    return all_keep(round.sends) && all_keep(round.receives) &&
           std::all_of(round.locals.begin(), round.locals.end(),
                       [&](const Local& local) { return keep(local.source) && keep(local.target); });
  };
  return element == 1 || std::all_of(programs.begin(), programs.end(), [&](const Program& program) {
           return std::all_of(program.rounds.begin(), program.rounds.end(), round_keeps);
         });
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

}  // namespace quadrille
