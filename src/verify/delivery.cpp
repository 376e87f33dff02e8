// SPDX-License-Identifier: BSD-3-Clause
#include "verify/delivery.hpp"

#include <fmt/format.h>

namespace quadrille {

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
