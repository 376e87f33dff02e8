// SPDX-License-Identifier: BSD-3-Clause
#include "problem/limits.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "foundation/text/counted.hpp"
#include "problem/memory.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr Count largest = std::numeric_limits<Count>::max();
constexpr Bytes always_there = Bytes{1} << 26;  // memory up to this size is granted without asking the system

[[noreturn]] void refuse(const Problem& problem, const std::string& needs) {
  throw Error(ErrorCode::too_large, fmt::format("{} among {} takes {}; ask for a smaller problem", name(problem.collective),
                                                counted(problem.ranks, "rank"), needs));
}

std::string mebibytes(Bytes bytes) { return fmt::format("{} MiB", ceil_divide(bytes, Bytes{1} << 20)); }

}  // namespace

void check_limit(const Problem& problem, Count needed, Count most, std::string_view things) {
  if (needed <= most) return;
  const std::string number = needed == largest ? "2^63 or more" : fmt::format("at least {}", needed);
  refuse(problem, fmt::format("{} {}; the limit is {}", number, things, most));
}

void check_memory(const Problem& problem, Bytes needed, std::string_view things) {
  if (needed <= always_there) return;
  const Bytes available = available_memory();
  if (needed > available)
    refuse(problem,
           fmt::format("about {} of memory for its {}, and there are {}", mebibytes(needed), things, mebibytes(available)));
}

}  // namespace quadrille
