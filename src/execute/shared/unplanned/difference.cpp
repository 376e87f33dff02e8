// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/unplanned/difference.hpp"

#include <fmt/format.h>

namespace quadrille {

std::string EdgeDifference::sentence_of(const Edge& edge, Rank sender, Rank receiver) {
  const auto& [from, number, sent, expected] = edge;
  const std::string which = number == 0 ? "" : fmt::format(" (their edge {}, counted from 0)", number);
  const char* const advice = "let both name the same number";
  if (sent == nothing)
    return fmt::format("rank {} expects {} bytes from rank {}, which sends none{}; {}", receiver, expected, sender, which, advice);
  if (expected == nothing)
    return fmt::format("rank {} has sent {} bytes to rank {}, which expected none{}; {}", sender, sent, receiver, which, advice);
  if (sent == too_long)
    return fmt::format("rank {} sends more bytes to rank {} than the {} that it expects{}; {}", sender, receiver, expected, which,
                       advice);
  return fmt::format("rank {} sends {} bytes to rank {}, which expects {}{}; {}", sender, sent, receiver, expected, which, advice);
}

}  // namespace quadrille
